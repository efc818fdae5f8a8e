//! The scoreboard: every segment between SND.UNA and SND.NXT, what is known of it, and the counts that follow.
//!
//! A ring indexed by segment number. Nothing here walks the window: SACK blocks are taken in by jumping over the
//! runs that are already SACKed, each lost segment waits in a heap for its retransmission, and RACK reads the
//! segments in the order they were sent from two cursors, one over first transmissions (which are in order of
//! sequence) and one over retransmissions.

mod delivery;

use super::flights::Flights;
use super::ring::Ring;
use super::segment::{DETECTED, ENDS_BUFFER, EVER_RETRANSMITTED, LOST, RETRANSMITTED, SACKED, Segment};
use crate::net::MAX_SACK_BLOCKS;
use crate::serial::at_least;
pub use delivery::Row;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use units::window_segments;

/// Segments that were sent and are not yet acknowledged cumulatively: `una..next`.
#[derive(Debug)]
pub struct Scoreboard {
    ring: Ring<Segment>,
    una: u64,
    next: u64,
    /// Payload bytes of the connection before `una`.
    una_bytes: u64,
    sacked: u32,
    lost: u32,
    retransmitted: u32,
    /// Buffers of the kernel that hold them.
    buffers: u32,
    /// One past the highest SACKed segment; meaningless while nothing is SACKed.
    fack: u64,
    /// Segments marked lost since the beginning.
    lost_total: u64,
    /// The last ACK's SACK blocks, [packed](SackBlock::packed), of which all is SACKed: most of the next one's begin where
    /// these do (Linux: `recv_sack_cache`).
    reported: [[u32; 2]; MAX_SACK_BLOCKS],
    /// Lost and to be retransmitted, lowest first. Those since SACKed or acknowledged are dropped on the way out.
    waiting: BinaryHeap<Reverse<u64>>,
    /// First transmissions below this number are SACKed, lost or acknowledged: RACK need not look at them again.
    rack_cursor: u64,
    /// Retransmissions in the order they were sent.
    resent: VecDeque<Resent>,
    /// Of an algorithm that wants them.
    pub flights: Option<Box<Flights>>,
}

/// One time that a segment was sent again.
#[derive(Clone, Copy, Debug)]
struct Resent {
    seq: u64,
    sent_us: u64,
    /// First transmissions below this number were sent before it, those from it on after it: by time alone many are alike,
    /// when ACKs come in lumps.
    next: u64,
}

impl Scoreboard {
    /// An empty scoreboard.
    pub fn new() -> Self {
        Self {
            ring: Ring::new(),
            una: 0,
            next: 0,
            una_bytes: 0,
            sacked: 0,
            lost: 0,
            retransmitted: 0,
            buffers: 0,
            fack: 0,
            lost_total: 0,
            reported: [[0; 2]; MAX_SACK_BLOCKS],
            waiting: BinaryHeap::new(),
            rack_cursor: 0,
            resent: VecDeque::new(),
            flights: None,
        }
    }

    /// Asks for the first unacknowledged segment, and for the place of the next new one; where there are holes, also for the
    /// ends of the blocks that the last ACK reported, behind which the next one's news are, and for where RACK goes on.
    #[inline]
    pub fn prefetch(&self) {
        self.ring.prefetch(self.una);
        self.ring.prefetch(self.next);
        if self.sacked > 0 {
            for [_, end] in self.reported {
                self.ring.prefetch(u64::from(end));
            }
            self.ring.prefetch(self.rack_cursor);
        }
    }

    /// First unacknowledged segment.
    pub const fn una(&self) -> u64 {
        self.una
    }

    /// Next new segment.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Payload bytes of the connection before the first unacknowledged segment.
    pub const fn una_bytes(&self) -> u64 {
        self.una_bytes
    }

    /// Payload bytes of the connection before a segment of the window.
    pub fn start_bytes(&self, seq: u64) -> u64 {
        if seq == self.una { self.una_bytes } else { self.end_bytes(seq - 1) }
    }

    /// Payload bytes of the connection up to the end of a segment of the window.
    pub fn end_bytes(&self, seq: u64) -> u64 {
        at_least(self.segment(seq).end_bytes, self.una_bytes)
    }

    /// Sent and not cumulatively acknowledged (Linux: `packets_out`).
    pub const fn out(&self) -> u32 {
        window_segments(self.next - self.una)
    }

    /// SACKed.
    pub const fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Marked lost, retransmitted or not (Linux: `lost_out`).
    pub const fn lost(&self) -> u32 {
        self.lost
    }

    /// Retransmissions in flight.
    pub const fn retransmitted(&self) -> u32 {
        self.retransmitted
    }

    /// A retransmission is in flight, or the head was sent again.
    pub fn any_retransmission_out(&self) -> bool {
        self.retransmitted > 0 || (self.out() > 0 && self.segment(self.una).was_retransmitted())
    }

    /// Segments marked lost since the beginning, those lost again included.
    pub const fn lost_total(&self) -> u64 {
        self.lost_total
    }

    /// In flight: out - SACKed - lost + retransmitted (RFC 6675's pipe, as Linux counts it).
    pub const fn in_flight(&self) -> u32 {
        self.out() - self.sacked - self.lost + self.retransmitted
    }

    /// One past the highest SACKed segment; `una` when nothing is SACKed.
    pub const fn fack(&self) -> u64 {
        if self.sacked > 0 { self.fack } else { self.una }
    }

    /// A segment of the window.
    #[inline]
    pub fn segment(&self, seq: u64) -> &Segment {
        debug_assert!(self.una <= seq && seq < self.next, "{seq} in {}..{}", self.una, self.next);
        self.ring.get(seq)
    }

    #[inline]
    fn segment_mut(&mut self, seq: u64) -> &mut Segment {
        debug_assert!(self.una <= seq && seq < self.next);
        self.ring.get_mut(seq)
    }

    /// Appends a new segment that ends with the connection's `end_bytes`, and gives it to be stamped.
    #[inline]
    pub fn append(&mut self, end_bytes: u64) -> &mut Segment {
        if self.out() as usize == self.ring.len() {
            self.ring.grow(self.una, self.next);
        } else if self.ring.begins_at(self.next) {
            self.ring.shrink(self.una, self.next);
        }
        self.next += 1;
        let segment = self.ring.get_mut(self.next - 1);
        *segment = Segment::ending_with(end_bytes);
        segment
    }

    /// A segment was sent, perhaps again, when so many had been delivered with marks.
    #[inline]
    pub fn note_flight(&mut self, seq: u64, delivered_ce: u64) {
        let in_flight = self.in_flight();
        if let Some(flights) = &mut self.flights {
            flights.note(seq, self.una, in_flight, self.lost_total, delivered_ce);
        }
    }

    /// What was appended since the last buffer ended is a buffer of the kernel: a burst.
    #[inline]
    pub fn end_buffer(&mut self) {
        self.segment_mut(self.next - 1).flags |= ENDS_BUFFER;
        self.buffers += 1;
    }

    /// Buffers of the kernel that hold the segments: one for each burst, of which SACKs split off what they tell of, and
    /// join it to what was SACKed beside it (Linux 6.1 `tcp_match_skb_to_sack`, `tcp_shift_skb_data`).
    pub const fn buffers(&self) -> u32 {
        self.buffers
    }

    /// Takes back what was appended from `seq` on, before its buffer ended: it has not left its host.
    pub const fn retract(&mut self, seq: u64) {
        self.next = seq;
    }

    /// A duplicate SACK came for a segment above `una`: its retransmission is not in flight any more.
    pub fn clear_retransmission(&mut self, seq: u64) {
        if self.segment(seq).is_retransmitted() {
            self.segment_mut(seq).flags &= !RETRANSMITTED;
            self.retransmitted -= 1;
        }
    }

    /// Marks a segment lost, or its retransmission lost again.
    pub fn mark_lost(&mut self, seq: u64) {
        let flags = self.segment(seq).flags;
        if flags & SACKED != 0 || flags & (LOST | RETRANSMITTED) == LOST {
            return;
        }
        if flags & LOST != 0 {
            self.retransmitted -= 1;
            self.segment_mut(seq).flags &= !RETRANSMITTED;
        } else {
            self.lost += 1;
            self.segment_mut(seq).flags |= LOST;
        }
        self.lost_total += 1;
        self.waiting.push(Reverse(seq));
        if let Some(flights) = &mut self.flights {
            flights.lose(seq, self.lost_total, self.ring.get(seq).is_app_limited());
        }
    }

    /// Takes every mark of loss back: the recovery was spurious.
    pub fn unmark_lost(&mut self) {
        for seq in self.una..self.next {
            self.segment_mut(seq).flags &= !LOST;
        }
        self.lost = 0;
        self.waiting.clear();
        self.rack_cursor = self.una;
    }

    /// The lowest segment to retransmit now.
    pub fn first_waiting(&mut self) -> Option<u64> {
        while let Some(&Reverse(seq)) = self.waiting.peek() {
            if seq >= self.una && self.segment(seq).flags & (SACKED | LOST | RETRANSMITTED) == LOST {
                return Some(seq);
            }
            self.waiting.pop();
        }
        None
    }

    /// A segment is sent again at `sent_us`; gives it to be stamped. `counted`: the retransmission is in flight in
    /// the counts (a tail loss probe is not).
    pub fn retransmit(&mut self, seq: u64, sent_us: u64, counted: bool) -> &mut Segment {
        if counted && !self.segment(seq).is_retransmitted() {
            self.retransmitted += 1;
            self.segment_mut(seq).flags |= RETRANSMITTED;
        }
        self.resent.push_back(Resent { seq, sent_us, next: self.next });
        let segment = self.segment_mut(seq);
        segment.flags = segment.flags & !DETECTED | EVER_RETRANSMITTED;
        segment.sent_us = sent_us;
        segment
    }

    /// A segment was to be sent again, and did not leave its host. It may yield no RTT all the same: a sample that is taken
    /// by mistake for the transmission that never happened would be too low (Linux 6.1 `__tcp_retransmit_skb`).
    pub fn note_retransmission(&mut self, seq: u64) {
        if !self.segment(seq).was_retransmitted() {
            self.resent.push_back(Resent { seq, sent_us: self.segment(seq).sent_us, next: seq });
            self.segment_mut(seq).flags |= EVER_RETRANSMITTED;
        }
    }

    /// Visits segments in flight, first those never sent again and then the others, each in the order they were sent,
    /// until `visit` says [`Verdict::Later`]: no other that was sent after that one is judged, whatever its number (Linux
    /// has one list of both, `tsorted_sent_queue`). Marks lost what it says is [`Verdict::Lost`].
    pub fn detect_losses(&mut self, mut visit: impl FnMut(u64, u64) -> Verdict) {
        self.rack_cursor = self.rack_cursor.max(self.una);
        let (mut any_remaining, mut later) = (false, u64::MAX);
        for seq in self.rack_cursor..self.next {
            let segment = self.segment(seq);
            if segment.flags & (SACKED | LOST | EVER_RETRANSMITTED | DETECTED) == 0 {
                match visit(seq, segment.sent_us) {
                    Verdict::Lost => self.detect(seq),
                    Verdict::Keep => any_remaining = true,
                    Verdict::Later => {
                        later = seq;
                        break;
                    }
                }
            }
            if !any_remaining {
                self.rack_cursor = seq + 1;
            }
        }
        let (mut any_remaining, mut index) = (false, 0);
        while let Some(&Resent { seq, sent_us, next }) = self.resent.get(index) {
            if later < next {
                break;
            }
            let current = seq >= self.una && {
                let segment = self.segment(seq);
                // Lost and waiting, SACKed, or sent once more since: a later entry speaks for it.
                segment.flags & (SACKED | DETECTED) == 0
                    && segment.sent_us == sent_us
                    && segment.flags & (LOST | RETRANSMITTED) != LOST
            };
            if current {
                match visit(seq, sent_us) {
                    Verdict::Lost => self.detect(seq),
                    Verdict::Keep => any_remaining = true,
                    Verdict::Later => break,
                }
            }
            if any_remaining {
                index += 1;
            } else {
                self.resent.pop_front();
            }
        }
    }

    /// RACK finds a segment lost.
    fn detect(&mut self, seq: u64) {
        self.mark_lost(seq);
        self.segment_mut(seq).flags |= DETECTED;
    }

    /// Marks lost what a timeout finds unacknowledged: the head, and every other segment for which `expired(sent_us)`.
    pub fn mark_timeout(&mut self, mut expired: impl FnMut(u64) -> bool) {
        for seq in self.una..self.next {
            if seq == self.una || expired(self.segment(seq).sent_us) {
                self.mark_lost(seq);
            }
        }
    }

    /// Bytes of memory held, for the memory test.
    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.ring.len()
    }
}

/// What loss detection says of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is lost.
    Lost,
    /// It may still arrive.
    Keep,
    /// It was sent too late to be judged, and so was everything after it.
    Later,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(segments: u64) -> Scoreboard {
        let mut board = Scoreboard::new();
        for seq in 0..segments {
            board.append((seq + 1) * 100).sent_us = seq;
        }
        board
    }

    fn sack(board: &mut Scoreboard, start: u64, end: u64) -> u64 {
        let (mut from, mut new) = (start, 0);
        while let Some(row) = board.sack(from, end) {
            new += row.len();
            from = row.end;
        }
        new
    }

    /// Acknowledges the first segment.
    fn acknowledge(board: &mut Scoreboard) {
        board.acknowledge(board.una() + 1);
    }

    #[test]
    fn the_ring_grows_and_keeps_its_segments() {
        let mut board = board(10);
        for _ in 0..7 {
            acknowledge(&mut board);
        }
        for seq in 10..40 {
            board.append((seq + 1) * 100);
        }
        assert_eq!((board.out(), board.slots()), (33, 64));
        assert!((7..40).all(|seq| board.end_bytes(seq) == (seq + 1) * 100));
    }

    /// Three bursts of four segments. The second one is cut by SACKs, which join what was cut off.
    #[test]
    fn sacks_split_and_join_buffers() {
        let mut board = Scoreboard::new();
        for seq in 1..=12 {
            board.append(seq * 100);
            if seq % 4 == 0 {
                board.end_buffer();
            }
        }
        assert_eq!(board.buffers(), 3);
        sack(&mut board, 5, 7); // 0..4, 4, 5..7, 7, 8..12
        assert_eq!(board.buffers(), 5);
        sack(&mut board, 7, 10); // 0..4, 4, 5..10, 10..12
        assert_eq!(board.buffers(), 4);
        for left in [4, 4, 4, 3, 2, 2, 2, 2, 2, 1, 1, 0] {
            acknowledge(&mut board);
            assert_eq!(board.buffers(), left);
        }
    }

    #[test]
    fn runs_join_and_are_jumped_over() {
        let mut board = board(30);
        assert_eq!(sack(&mut board, 5, 8), 3);
        assert_eq!(sack(&mut board, 10, 12), 2);
        assert_eq!(sack(&mut board, 4, 13), 4); // 4, 8, 9, 12
        assert_eq!((board.segment(4).run, board.segment(12).run), (12, 4));
        assert_eq!(sack(&mut board, 4, 13), 0);
        assert_eq!((board.sacked(), board.fack()), (9, 13));
    }

    #[test]
    fn a_run_whose_beginning_was_acknowledged_still_joins() {
        let mut board = board(30);
        sack(&mut board, 2, 6);
        for _ in 0..4 {
            acknowledge(&mut board);
        }
        assert_eq!(sack(&mut board, 6, 9), 3);
        assert_eq!(sack(&mut board, 4, 9), 0);
        assert_eq!(board.in_flight(), 26 - 5);
    }

    #[test]
    fn the_lowest_lost_segment_is_retransmitted_first_and_those_sacked_meanwhile_not_at_all() {
        let mut board = board(10);
        [7, 3, 5].iter().for_each(|&seq| board.mark_lost(seq));
        sack(&mut board, 3, 4);
        assert_eq!(board.first_waiting(), Some(5));
        board.retransmit(5, 100, true);
        assert_eq!(board.first_waiting(), Some(7));
        assert_eq!((board.lost(), board.retransmitted(), board.in_flight()), (2, 1, 10 - 1 - 2 + 1));
    }

    #[test]
    fn losses_are_detected_in_the_order_of_sending() {
        let mut board = board(10);
        sack(&mut board, 3, 4);
        board.detect_losses(|seq, sent_us| {
            assert_eq!(seq, sent_us);
            if sent_us < 3 { Verdict::Lost } else { Verdict::Later }
        });
        assert_eq!((board.lost(), board.lost_total()), (3, 3));
        while let Some(seq) = board.first_waiting() {
            board.retransmit(seq, 20 + seq, true);
        }
        assert_eq!(board.first_waiting(), None);
        // So are retransmissions that are lost again.
        board.detect_losses(|_, sent_us| if sent_us < 22 { Verdict::Lost } else { Verdict::Later });
        assert_eq!(board.first_waiting(), Some(0));
        assert_eq!((board.lost(), board.retransmitted(), board.lost_total()), (9, 1, 11));
    }

    /// Of what was sent in the same microsecond the order counts, as in Linux's one list: what was sent again after a first
    /// transmission that cannot be judged yet is not judged either, though its number is lower.
    #[test]
    fn what_was_sent_again_after_one_that_waits_waits_too() {
        let mut board = Scoreboard::new();
        (1..=6).for_each(|seq| board.append(seq * 100).sent_us = 5);
        board.mark_lost(0);
        board.retransmit(0, 5, true);
        let judge = |newest: u64| {
            move |seq: u64, sent_us: u64| if (sent_us, seq) < (5, newest) { Verdict::Lost } else { Verdict::Later }
        };
        board.detect_losses(judge(4));
        assert_eq!((board.lost(), board.retransmitted()), (4, 1), "1 to 3; 4 waits, and with it what was sent later");
        sack(&mut board, 4, 6);
        board.detect_losses(judge(5));
        assert_eq!((board.lost(), board.retransmitted()), (4, 0), "nothing waits before it");
    }
}
