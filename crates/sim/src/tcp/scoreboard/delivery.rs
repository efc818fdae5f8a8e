//! What an ACK tells of: segments leave the scoreboard or are marked SACKed, as many in a row as are alike.

use super::Scoreboard;
use crate::net::SackBlock;
use crate::serial::{at_least, nearest};
use crate::tcp::segment::{ENDS_BUFFER, EVER_RETRANSMITTED, LOST, RETRANSMITTED, SACKED, Segment};
use std::hint::cold_path;
use units::{low_bits, window_segments};

/// What segments of one row have in common.
const KIND: u8 = SACKED | LOST | RETRANSMITTED | EVER_RETRANSMITTED;

/// Segments in a row that an ACK tells of, of which the same was known before. One that was sent again and is delivered is
/// a row of its own. All others were sent in the order of their numbers: what the last one remembers is the newest.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The first of them.
    pub first: u64,
    /// One past the last of them.
    pub end: u64,
    /// When the first one was sent, µs.
    pub first_sent_us: u64,
    /// The last one, as it was before the ACK.
    pub last: Segment,
    /// They are SACKed now, and something behind them was before.
    pub is_late: bool,
}

impl Row {
    /// Number of segments.
    pub const fn len(&self) -> u64 {
        self.end - self.first
    }

    /// Number of its last segment.
    pub const fn last_seq(&self) -> u64 {
        self.end - 1
    }
}

impl Scoreboard {
    /// Takes the first segments off, of those below `end`: they are acknowledged cumulatively.
    #[inline]
    pub fn acknowledge(&mut self, end: u64) -> Row {
        debug_assert!(self.una < end && end <= self.next);
        let first = self.una;
        let head = self.ring.get(first);
        let (kind, first_sent_us) = (head.flags & KIND, head.sent_us);
        let mut buffers = u32::from(head.flags & ENDS_BUFFER != 0);
        let end = if kind & (SACKED | EVER_RETRANSMITTED) == EVER_RETRANSMITTED { first + 1 } else { end };
        let mut seq = first + 1;
        while seq < end {
            let flags = self.ring.get(seq).flags;
            if flags & KIND != kind {
                break;
            }
            buffers += u32::from(flags & ENDS_BUFFER != 0);
            seq += 1;
        }
        self.buffers -= buffers;
        if kind != 0 {
            let segments = window_segments(seq - first);
            self.sacked -= if kind & SACKED != 0 { segments } else { 0 };
            self.lost -= if kind & LOST != 0 { segments } else { 0 };
            self.retransmitted -= if kind & RETRANSMITTED != 0 { segments } else { 0 };
        }
        let last = *self.ring.get(seq - 1);
        debug_assert!(last.was_retransmitted() || first_sent_us <= last.sent_us);
        self.una = seq;
        self.una_bytes = at_least(last.end_bytes, self.una_bytes);
        Row { first, end: seq, first_sent_us, last, is_late: false }
    }

    /// The same of all segments below `end`, if nothing is known of any in the window and these were sent once: as most ACKs
    /// find them. None otherwise, and nothing changes then.
    #[inline]
    pub fn acknowledge_plain(&mut self, end: u64) -> Option<Row> {
        if self.sacked + self.lost + self.retransmitted > 0 || end <= self.una {
            return None;
        }
        let (mut flags, mut buffers) = (0, 0);
        for seq in self.una..end {
            let segment = self.ring.get(seq);
            flags |= segment.flags;
            buffers += u32::from(segment.flags & ENDS_BUFFER != 0);
        }
        if flags & KIND != 0 {
            cold_path();
            return None;
        }
        let row = Row {
            first: self.una,
            end,
            first_sent_us: self.ring.get(self.una).sent_us,
            last: *self.ring.get(end - 1),
            is_late: false,
        };
        self.buffers -= buffers;
        self.una = end;
        self.una_bytes = at_least(row.last.end_bytes, self.una_bytes);
        Some(row)
    }

    /// The first segment of a SACK block that may not be SACKed yet. A block at or below `una` tells of an older ACK.
    #[inline]
    pub fn first_news(&self, block: SackBlock) -> u64 {
        let known = self.reported.iter().find(|[start, _]| *start == low_bits(block.start));
        let known_end = known.map(|[_, end]| nearest(*end, block.end)).filter(|end| *end <= block.end);
        known_end.unwrap_or(block.start).max(self.una + 1)
    }

    /// All of an ACK's blocks has been taken in.
    #[inline]
    pub fn remember(&mut self, blocks: &[SackBlock]) {
        for (known, block) in self.reported.iter_mut().zip(blocks) {
            *known = block.packed();
        }
    }

    /// The first segment of `from..end` that is not SACKed yet.
    #[inline]
    fn next_unsacked(&self, from: u64, end: u64) -> Option<u64> {
        let mut seq = from;
        while seq < end {
            let segment = self.segment(seq);
            if !segment.is_sacked() {
                return Some(seq);
            }
            // At the first segment of a run this is its last; elsewhere it is some segment of the same run that
            // may lie behind: then go step by step.
            seq = nearest(segment.run, seq).max(seq) + 1;
        }
        None
    }

    /// Marks the first segments of `from..end` SACKed that are not yet, and joins them to the runs beside them. None when
    /// all of these are.
    #[inline]
    pub fn sack(&mut self, from: u64, end: u64) -> Option<Row> {
        let first = self.next_unsacked(from, end)?;
        let head = self.ring.get(first);
        let (kind, first_sent_us) = (head.flags & KIND, head.sent_us);
        let end = if kind & EVER_RETRANSMITTED != 0 { first + 1 } else { end };
        let mut last = *head;
        let before = self.joined_before(first);
        // Retransmitted but not marked lost: the retransmission is believed to be still in flight.
        let answered = if kind & LOST != 0 { ENDS_BUFFER | LOST | RETRANSMITTED } else { ENDS_BUFFER };
        let (mut seq, mut buffers) = (first, 0);
        while seq < end {
            let segment = self.ring.get_mut(seq);
            if segment.flags & KIND != kind {
                break;
            }
            last = *segment;
            buffers += u32::from(last.flags & ENDS_BUFFER != 0);
            segment.flags = last.flags & !answered | SACKED;
            segment.run = low_bits(seq);
            seq += 1;
        }
        debug_assert!(last.was_retransmitted() || first_sent_us <= last.sent_us);
        let segments = window_segments(seq - first);
        self.buffers -= buffers;
        if kind & LOST != 0 {
            self.lost -= segments;
            self.retransmitted -= if kind & RETRANSMITTED != 0 { segments } else { 0 };
        }
        let is_late = first < self.fack();
        self.fack = self.fack().max(seq);
        self.sacked += segments;
        self.join(before.unwrap_or(first), seq);
        Some(Row { first, end: seq, first_sent_us, last, is_late })
    }

    /// The first segment of the run that ends right before `seq`, if there is one. A buffer ends there if not.
    #[inline]
    fn joined_before(&mut self, seq: u64) -> Option<u64> {
        if seq == self.una {
            return None;
        }
        let una = self.una;
        let before = self.segment_mut(seq - 1);
        let ends = before.flags & ENDS_BUFFER != 0;
        if before.flags & SACKED == 0 {
            before.flags |= ENDS_BUFFER;
            self.buffers += u32::from(!ends);
            return None;
        }
        before.flags &= !ENDS_BUFFER;
        // A run's first segment may have been acknowledged meanwhile: then the run begins at `una`.
        let first = nearest(before.run, seq).clamp(una, seq);
        self.buffers -= u32::from(ends);
        Some(first)
    }

    /// A run from `first` on ends before `end`, or goes on with the one that begins there. A buffer ends there if not.
    #[inline]
    fn join(&mut self, first: u64, end: u64) {
        let mut last = end - 1;
        if end < self.next && self.segment(end).is_sacked() {
            last = nearest(self.segment(end).run, last).max(last);
        } else {
            self.segment_mut(last).flags |= ENDS_BUFFER;
            self.buffers += 1;
        }
        self.segment_mut(first).run = low_bits(last);
        self.segment_mut(last).run = low_bits(first);
    }
}
