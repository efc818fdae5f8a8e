//! Segments that Wireshark's analysis waits for the acknowledgement of.
//!
//! It goes through a list of all of them for each packet. Nearly all lie one behind the other, which a queue can do in
//! constant time with the same result; the rest, what was sent again or overtaken, is gone through.

use super::sequence::before;
use std::collections::VecDeque;

#[derive(Clone, Copy)]
struct Segment {
    seq: u32,
    next: u32,
    sent_ns: i64,
}

enum Fate {
    Matched,
    Old,
    Waits,
}

impl Segment {
    #[inline]
    fn acknowledge(&mut self, ack: u32) -> Fate {
        if ack == self.next {
            return Fate::Matched;
        }
        if before(self.seq, ack) && !before(self.next, ack) {
            self.seq = ack;
        }
        if before(ack, self.next) { Fate::Waits } else { Fate::Old }
    }
}

#[derive(Default)]
pub struct Unacked {
    /// Each begins where the one before ends, or behind it.
    row: VecDeque<Segment>,
    others: Vec<Segment>,
}

impl Unacked {
    #[inline]
    pub fn len(&self) -> usize {
        self.row.len() + self.others.len()
    }

    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        (self.row.capacity() + self.others.capacity()) * size_of::<Segment>()
    }

    #[inline]
    pub fn push(&mut self, seq: u32, next: u32, sent_ns: i64) {
        let segment = Segment { seq, next, sent_ns };
        if self.row.back().is_none_or(|last| !before(seq, last.next)) {
            self.row.push_back(segment);
        } else {
            self.others.push(segment);
        }
    }

    /// Forgets what `ack` covers. The time since the first segment with just that end was sent, unless it is zero.
    #[inline]
    pub fn acknowledge(&mut self, ack: u32, now_ns: i64) -> Option<i64> {
        let mut sent_ns: Option<i64> = None;
        while let Some(segment) = self.row.front_mut() {
            match segment.acknowledge(ack) {
                Fate::Matched => sent_ns = Some(segment.sent_ns),
                Fate::Old => {}
                Fate::Waits => break,
            }
            self.row.pop_front();
        }
        if !self.others.is_empty() {
            self.others.retain_mut(|segment| match segment.acknowledge(ack) {
                Fate::Matched => {
                    sent_ns = Some(sent_ns.map_or(segment.sent_ns, |other| other.min(segment.sent_ns)));
                    false
                }
                Fate::Old => false,
                Fate::Waits => true,
            });
        }
        sent_ns.map(|sent_ns| now_ns.saturating_sub(sent_ns)).filter(|rtt_ns| *rtt_ns != 0)
    }

    /// The first and the last number of all, compared as distances from `base`, which wrap there, too.
    #[inline]
    pub fn extent(&self, base: u32) -> Option<(u32, u32)> {
        let of = |segment: &Segment| (segment.seq.wrapping_sub(base), segment.next.wrapping_sub(base));
        let ends = self.row.front().into_iter().chain(self.row.back()).chain(&self.others).map(of);
        ends.reduce(|(first, end), (other_first, other_end)| (first.min(other_first), end.max(other_end)))
    }
}
