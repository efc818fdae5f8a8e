//! The receiver's out-of-order data and the SACK blocks it reports (RFC 2018, RFC 2883).
//!
//! Runs of segments above the next expected one are kept as boundary tags: the first and the last segment of a run
//! know each other. A segment joins its neighbours in constant time, whatever the number of holes.

use super::ring::Ring;
use crate::net::SackBlock;
use crate::serial::{at_least, nearest};
use units::{low_bits, window_segments};

/// One segment's place above the next expected one.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The segment that has arrived; what the slot holds of any other one is of no account.
    seq: u64,
    /// At either end of a run: the other end's segment; the low bits.
    other_end: u32,
    /// Payload bytes of the connection up to its end; the low bits.
    end_bytes: u32,
}

impl Default for Slot {
    fn default() -> Self {
        Self { seq: u64::MAX, other_end: 0, end_bytes: 0 }
    }
}

/// Blocks that are remembered (`TCP_NUM_SACKS`); one fewer fits beside timestamps.
const REMEMBERED: usize = 4;

/// Out-of-order data.
#[derive(Debug)]
pub struct Reassembly {
    ring: Ring<Slot>,
    /// Next expected segment: everything below has been delivered.
    next: u64,
    segments: u32,
    /// The most slots that were needed since nothing waited.
    reach: u64,
    /// The most recent first.
    blocks: [SackBlock; REMEMBERED],
    block_count: usize,
}

/// What became of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It was expected; with it the data up to this segment and byte is in order.
    InOrder {
        /// Next expected segment.
        next: u64,
        /// Payload bytes in order.
        bytes: u64,
    },
    /// It leaves a hole before it.
    OutOfOrder,
    /// It had arrived before.
    Duplicate,
}

impl Reassembly {
    /// Nothing has arrived.
    pub fn new() -> Self {
        Self {
            ring: Ring::new(),
            next: 0,
            segments: 0,
            reach: 0,
            blocks: [SackBlock::default(); REMEMBERED],
            block_count: 0,
        }
    }

    /// Asks for the next expected segment's place and those behind it, and for the end of the newest block, which grows
    /// next.
    #[inline]
    pub fn prefetch(&self) {
        self.ring.prefetch(self.next);
        self.ring.prefetch(self.next + 2);
        if self.block_count > 0 {
            self.ring.prefetch(self.blocks[0].end);
        }
    }

    /// Next expected segment.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Segments that wait behind a hole.
    pub const fn waiting(&self) -> u32 {
        self.segments
    }

    /// SACK blocks, the most recent first.
    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..self.block_count]
    }

    /// The next expected segments arrive, while none waits behind a hole.
    #[inline]
    pub const fn advance(&mut self, segments: u64) {
        debug_assert!(self.segments == 0);
        self.next += segments;
    }

    /// A segment arrives.
    pub fn arrive(&mut self, seq: u64, end_bytes: u64) -> Arrival {
        if seq < self.next {
            return Arrival::Duplicate;
        }
        if seq > self.next {
            return self.arrive_early(seq, end_bytes);
        }
        self.next += 1;
        if self.segments == 0 {
            return Arrival::InOrder { next: self.next, bytes: end_bytes };
        }
        let bytes = self.take_run(end_bytes);
        Arrival::InOrder { next: self.next, bytes }
    }

    /// Delivers the run that begins at the next expected segment, if there is one.
    fn take_run(&mut self, end_bytes: u64) -> u64 {
        let mut bytes = end_bytes;
        if let Some(first) = self.waiting_at(self.next) {
            let last = nearest(first.other_end, self.next);
            bytes = at_least(self.ring.get(last).end_bytes, bytes);
            self.segments -= window_segments(last + 1 - self.next);
            self.next = last + 1;
            if self.segments == 0 {
                self.ring.shrink(self.next, self.next + self.reach);
                self.reach = 0;
            }
        }
        let next = self.next;
        self.keep_blocks(|block| block.start >= next);
        bytes
    }

    fn arrive_early(&mut self, seq: u64, end_bytes: u64) -> Arrival {
        while seq - self.next >= self.ring.len() as u64 {
            self.ring.grow(self.next, self.next + self.ring.len() as u64);
        }
        if self.waiting_at(seq).is_some() {
            self.report_again(seq);
            return Arrival::Duplicate;
        }
        self.segments += 1;
        self.reach = self.reach.max(seq + 1 - self.next);
        let first = self.waiting_at(seq - 1).map_or(seq, |before| nearest(before.other_end, seq));
        let after = self.waiting_at(seq + 1).map(|after| after.other_end);
        *self.ring.get_mut(seq) = Slot { seq, other_end: low_bits(first), end_bytes: low_bits(end_bytes) };
        if after.is_none() && self.block_count > 0 && self.blocks[0] == (SackBlock { start: first, end: seq }) {
            // What comes in order behind a hole: the newest block grows, and is beside no other one still.
            self.blocks[0].end = seq + 1;
            self.ring.get_mut(first).other_end = low_bits(seq);
            return Arrival::OutOfOrder;
        }
        let last = after.map_or(seq, |last| nearest(last, seq));
        self.ring.get_mut(first).other_end = low_bits(last);
        self.ring.get_mut(last).other_end = low_bits(first);
        self.report(SackBlock { start: first, end: last + 1 });
        Arrival::OutOfOrder
    }

    /// The block that a segment is part of comes first again (RFC 2883 section 4.2).
    #[cold]
    fn report_again(&mut self, seq: u64) {
        let known = self.blocks().iter().find(|block| block.start <= seq && seq < block.end);
        self.report(known.copied().unwrap_or(SackBlock { start: seq, end: seq + 1 }));
    }

    /// Puts a block at the front, in place of those that it contains.
    fn report(&mut self, newest: SackBlock) {
        let mut blocks = [newest; REMEMBERED + 1];
        let mut count = 1;
        for block in &self.blocks[..self.block_count] {
            blocks[count] = *block;
            count += usize::from((block.end < newest.start) | (block.start > newest.end));
        }
        self.block_count = count.min(REMEMBERED);
        self.blocks.copy_from_slice(&blocks[..REMEMBERED]);
    }

    fn keep_blocks(&mut self, mut keep: impl FnMut(&SackBlock) -> bool) {
        let mut retained = 0;
        for index in 0..self.block_count {
            if keep(&self.blocks[index]) {
                self.blocks[retained] = self.blocks[index];
                retained += 1;
            }
        }
        self.block_count = retained;
    }

    /// True when segments above the next expected one would move a block beyond the first two, so that an ACK that is
    /// being held back should go before them (Linux 6.1 `tcp_sack_new_ofo_skb`, `TCP_SACK_BLOCKS_EXPECTED`).
    pub fn displaces(&self, start: u64, end: u64) -> bool {
        const EXPECTED: usize = 2;
        let touched = self.blocks().iter().position(|block| block.start <= end && start <= block.end);
        touched.unwrap_or(self.block_count) >= EXPECTED
    }

    /// What is known of a segment above the next expected one, if it has arrived.
    #[inline]
    fn waiting_at(&self, seq: u64) -> Option<&Slot> {
        let slot = self.ring.get(seq);
        (slot.seq == seq).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn the_newest_block_comes_first_and_four_are_remembered() {
        let mut data = Reassembly::new();
        for seq in [2, 4, 6, 8, 10] {
            assert_eq!(data.arrive(seq, seq * 10), Arrival::OutOfOrder);
        }
        assert_eq!(data.blocks(), [block(10, 11), block(8, 9), block(6, 7), block(4, 5)]);
        data.arrive(7, 80);
        assert_eq!(data.blocks(), [block(6, 9), block(10, 11), block(4, 5)]);
    }

    #[test]
    fn filling_the_hole_delivers_the_run_behind_it() {
        let mut data = Reassembly::new();
        [1, 2, 4].iter().for_each(|&seq| assert_eq!(data.arrive(seq, (seq + 1) * 10), Arrival::OutOfOrder));
        assert_eq!(data.arrive(0, 10), Arrival::InOrder { next: 3, bytes: 30 });
        assert_eq!(data.blocks(), [block(4, 5)]);
        assert_eq!(data.arrive(3, 40), Arrival::InOrder { next: 5, bytes: 50 });
        assert_eq!((data.waiting(), data.blocks().len()), (0, 0));
    }

    proptest! {
        #[test]
        fn every_order_of_arrival_delivers_everything_once(mut order in Just((0_u64..120).collect::<Vec<_>>()).prop_shuffle(), again in 0_usize..120) {
            let repeated = order[again];
            order.push(repeated);
            let mut data = Reassembly::new();
            let mut arrived = std::collections::BTreeSet::new();
            for seq in order {
                let outcome = data.arrive(seq, (seq + 1) * 10);
                prop_assert_eq!(outcome == Arrival::Duplicate, !arrived.insert(seq));
                let next = (0..).find(|seq| !arrived.contains(seq)).expect("a first hole");
                prop_assert_eq!(data.next(), next);
                prop_assert_eq!(data.waiting() as usize, arrived.range(next..).count());
                if let Arrival::InOrder { next: reported, bytes } = outcome {
                    prop_assert_eq!((reported, bytes), (next, next * 10));
                }
                for block in data.blocks() {
                    prop_assert!((block.start..block.end).all(|seq| arrived.contains(&seq)));
                    prop_assert!(!arrived.contains(&block.end) && !arrived.contains(&(block.start - 1)));
                }
            }
            prop_assert_eq!(data.next(), 120);
        }
    }
}
