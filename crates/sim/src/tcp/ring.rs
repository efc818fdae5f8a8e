//! A ring of slots, one for each segment of a window.

use crate::engine::prefetch;
use units::{ring_slot, window_segments};

/// Slots of a new ring: most of ten thousand flows need no more, and then memory is what costs time.
const INITIAL_SLOTS: usize = 4;
/// Shorter ones are not worth the work of shrinking.
const SHRUNK_SLOTS: usize = 32;

/// Slots by the numbers of segments. Consecutive numbers use all of its memory in turn, so that it should be no longer
/// than the window needs: the rest would only displace other data from the caches.
#[derive(Debug)]
pub struct Ring<T> {
    slots: Vec<T>,
}

impl<T: Copy + Default> Ring<T> {
    /// A ring of few slots.
    pub fn new() -> Self {
        Self { slots: vec![T::default(); INITIAL_SLOTS] }
    }

    /// Number of slots, a power of two.
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn place(&self, seq: u64) -> usize {
        ring_slot(seq, self.slots.len())
    }

    /// A segment has the first slot.
    #[inline]
    pub fn begins_at(&self, seq: u64) -> bool {
        self.place(seq) == 0
    }

    /// A segment's slot.
    #[inline]
    pub fn get(&self, seq: u64) -> &T {
        &self.slots[self.place(seq)]
    }

    /// A segment's slot.
    #[inline]
    pub fn get_mut(&mut self, seq: u64) -> &mut T {
        let place = self.place(seq);
        &mut self.slots[place]
    }

    /// Asks for a segment's slot ahead of time.
    #[inline]
    pub fn prefetch(&self, seq: u64) {
        prefetch(self.get(seq));
    }

    /// Doubles the slots; those of `first..end` keep what they hold.
    #[cold]
    pub fn grow(&mut self, first: u64, end: u64) {
        self.resize(self.slots.len() * 2, first, end);
    }

    /// Halves the slots of a long ring when half of them is ample for `first..end`, which keep what they hold. To be
    /// asked now and then, such as once in a round of the ring.
    #[inline]
    pub fn shrink(&mut self, first: u64, end: u64) {
        if self.slots.len() > SHRUNK_SLOTS && window_segments(end - first) as usize <= self.slots.len() / 8 * 3 {
            self.resize(self.slots.len() / 2, first, end);
        }
    }

    #[cold]
    fn resize(&mut self, slots: usize, first: u64, end: u64) {
        let mut resized = Self { slots: vec![T::default(); slots] };
        for seq in first..end {
            *resized.get_mut(seq) = *self.get(seq);
        }
        *self = resized;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_its_window_as_it_grows_and_shrinks() {
        let mut ring = Ring::new();
        let (mut first, mut end) = (0_u64, 0);
        for (length, slots) in [(90, 128), (46, 64), (20, 32), (5, 32), (100, 128), (0, 32)] {
            while end - first < length {
                if window_segments(end - first) as usize == ring.len() {
                    ring.grow(first, end);
                }
                *ring.get_mut(end) = end * 10;
                end += 1;
            }
            first = end - length;
            while ring.len() > slots {
                ring.shrink(first, end);
            }
            assert_eq!(ring.len(), slots);
            assert!((first..end).all(|seq| *ring.get(seq) == seq * 10));
        }
    }
}
