//! [`WriteQueue`]: the buffers that what was written lies in.

use std::collections::VecDeque;

/// What was taken and not sent, as the buffers that it lies in: no burst takes from two of them. Where the socket takes
/// everything, those that no burst was taken from yet are not here.
#[derive(Debug, Default)]
pub(super) struct WriteQueue {
    /// Bytes of the buffer that leaves next; 0: there is none.
    pub(super) head: u64,
    /// Of those behind it. It is apart from them because in the long run there is no other.
    others: VecDeque<u64>,
}

impl WriteQueue {
    pub(super) fn len(&self) -> usize {
        usize::from(self.head > 0) + self.others.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.head + self.others.iter().sum::<u64>()
    }

    /// What the last buffer has room for.
    pub(super) fn room(&self, size_bytes: u64) -> u64 {
        match self.others.back() {
            None if self.head == 0 => 0,
            last => size_bytes.saturating_sub(*last.unwrap_or(&self.head)),
        }
    }

    /// Adds data behind the last buffer's, or a buffer.
    pub(super) fn append(&mut self, bytes: u64, to_last: bool) {
        match self.others.back_mut() {
            Some(last) if to_last => *last += bytes,
            None if to_last || self.head == 0 => self.head += bytes,
            _ => self.others.push_back(bytes),
        }
    }

    /// `bytes` of the buffer at the head left.
    #[inline]
    pub(super) fn take_off(&mut self, bytes: u64) {
        self.head -= bytes;
        if self.head == 0
            && let Some(next) = self.others.pop_front()
        {
            self.head = next;
        }
    }

    /// `bytes` of the buffer at the head become a buffer of their own.
    #[cold]
    pub(super) fn cut(&mut self, bytes: u64) {
        if bytes < self.head {
            self.others.push_front(self.head - bytes);
            self.head = bytes;
        }
    }
}
