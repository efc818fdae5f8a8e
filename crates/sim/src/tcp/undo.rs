//! The undo of what was spurious (RFC 4015's response), found by timestamps (RFC 3522) or by D-SACK (RFC 3708).

use super::rack::REORDERING_PERSISTS;
use super::recovery::News;
use super::sender::Sender;
use cc::{CongestionControl, RecoveryState};

impl Sender {
    /// A D-SACK for `segments` came: those retransmissions were needless, if we made any.
    pub(super) fn note_duplicate(&mut self, first: u64, end: u64, prior_una: u64, news: &mut News) -> u32 {
        let segments = (end - first) as u32;
        self.duplicates += u64::from(segments);
        if self.duplicates > self.counters.segments_retransmitted {
            return 0; // Not ours: the network duplicates packets.
        }
        let probe = self.recovery.probe;
        if probe.retransmission && probe.high == Some(end) {
            news.duplicate_probe = true;
        } else if self.recovery.reordering_seen {
            self.recovery.rack.duplicate_seen = true;
        }
        news.duplicate = true;
        if let (Some(from), Some(left)) = (self.recovery.undo_from, self.recovery.undo_retransmits)
            && end <= prior_una
            && end > from
        {
            self.recovery.undo_retransmits = Some(left.saturating_sub(segments));
        }
        segments
    }

    /// A D-SACK came for a segment that was not acknowledged cumulatively before (Linux 6.1 `tcp_sacktag_one`). True
    /// when it had been SACKed: its retransmission was needless.
    pub(super) fn note_duplicate_in_window(&mut self, seq: u64) -> bool {
        let segment = *self.board.segment(seq);
        self.board.clear_retransmission(seq);
        if !segment.was_retransmitted() {
            return false;
        }
        if self.recovery.undo_from.is_some_and(|from| seq >= from) {
            self.recovery.undo_retransmits = self.recovery.undo_retransmits.map(|left| left.saturating_sub(1));
        }
        segment.is_sacked()
    }

    pub(super) fn any_retransmission_out(&self) -> bool {
        self.board.retransmitted() > 0
            || (self.board.out() > 0 && self.board.segment(self.board.una()).was_retransmitted())
    }

    /// The ACK in hand was caused by a segment sent before the first retransmission (RFC 3522's test).
    fn echo_precedes_retransmission(&self, echo_ms: u32) -> bool {
        self.recovery.retransmit_stamp_ms.is_none_or(|stamp_ms| echo_ms < stamp_ms)
    }

    fn may_undo(&self, echo_ms: u32) -> bool {
        self.recovery.undo_from.is_some()
            && (self.recovery.undo_retransmits == Some(0) || self.echo_precedes_retransmission(echo_ms))
    }

    /// Goes back to the window of before the reduction.
    fn undo_reduction(&mut self, unmark: bool) {
        if unmark {
            self.board.unmark_lost();
        }
        if self.recovery.prior_ssthresh > 0 {
            self.window.cwnd = self.cc.on_undo(&self.window, self.recovery.prior_cwnd);
            self.window.ssthresh = self.window.ssthresh.max(self.recovery.prior_ssthresh);
        }
        self.recovery.undo_from = None;
        self.recovery.rack.advanced = true; // losses must be examined anew
        self.counters.undos += 1;
    }

    pub(super) fn undo_recovery(&mut self, echo_ms: u32) {
        if self.may_undo(echo_ms) {
            self.undo_reduction(false);
        } else {
            let rack = &mut self.recovery.rack;
            rack.window_persists = rack.window_persists.saturating_sub(1);
        }
        self.set_state(RecoveryState::Open);
    }

    pub(super) fn undo_by_duplicates(&mut self) -> bool {
        let spurious = self.recovery.undo_from.is_some() && self.recovery.undo_retransmits == Some(0);
        if spurious {
            let rack = &mut self.recovery.rack;
            rack.window_persists = (rack.window_persists + 1).min(REORDERING_PERSISTS);
            self.undo_reduction(false);
        }
        spurious
    }

    pub(super) fn undo_timeout(&mut self, frto: bool, echo_ms: u32) -> bool {
        if !frto && !self.may_undo(echo_ms) {
            return false;
        }
        self.undo_reduction(true);
        self.recovery.timeouts_in_row = 0;
        self.set_state(RecoveryState::Open);
        true
    }

    /// During recovery an ACK moved `una`, caused by an original segment that was only late. True: nothing more to
    /// do but send new data.
    pub(super) fn undo_partially(&mut self, prior_una: u64, echo_ms: u32) -> bool {
        if self.recovery.undo_from.is_none() || !self.echo_precedes_retransmission(echo_ms) {
            return false;
        }
        self.note_reordering(prior_una);
        if self.board.retransmitted() > 0 {
            return true;
        }
        if !self.any_retransmission_out() {
            self.recovery.retransmit_stamp_ms = None;
        }
        self.undo_reduction(true);
        self.keep_open();
        false
    }

    pub(super) fn begin_undo(&mut self) {
        self.recovery.undo_from = Some(self.board.una());
        let probe = self.recovery.probe;
        let probes = u32::from(probe.high.is_some() && probe.retransmission);
        let retransmits = self.board.retransmitted() + probes;
        self.recovery.undo_retransmits = (retransmits > 0).then_some(retransmits);
    }
}
