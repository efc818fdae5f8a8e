//! Timestamps on their way to be echoed (RFC 7323 section 4).

use super::sequence::before;
use std::collections::VecDeque;

/// A connection that works has at most one for each tick of a window.
const MOST: usize = 8192;

#[derive(Default)]
pub struct Echoes {
    /// TSval, and when it was seen first, in order.
    sent: VecDeque<(u32, i64)>,
    echoed: Option<u32>,
}

impl Echoes {
    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.sent.capacity() * size_of::<(u32, i64)>()
    }

    #[inline]
    pub fn push(&mut self, value: u32, now_ns: i64) {
        if self.sent.back().is_none_or(|last| before(last.0, value)) {
            if self.sent.len() >= MOST {
                self.sent.pop_front();
            }
            self.sent.push_back((value, now_ns));
        }
    }

    /// The time since `value` was sent first, and whether this is its first echo. What is older is forgotten, and
    /// `value` itself is not.
    #[inline]
    pub fn since(&mut self, value: u32, now_ns: i64) -> Option<(i64, bool)> {
        while let Some(first) = self.sent.front()
            && before(first.0, value)
        {
            self.sent.pop_front();
        }
        let first = self.sent.front().filter(|first| first.0 == value)?;
        Some((now_ns.saturating_sub(first.1), self.echoed.replace(value) != Some(value)))
    }
}
