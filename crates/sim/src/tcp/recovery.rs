//! Loss recovery: its states, the window's reduction (RFC 9937's PRR, with the arithmetic of Linux 6.1
//! `tcp_cwnd_reduction`), and F-RTO (RFC 5682). [`super::rack`] finds losses, [`super::undo`] tells what was spurious.

use super::ack_summary::AckSummary;
use super::control::Control;
use super::rack::{REORDERING_SEGMENTS, Rack};
use super::rate::DeliveryRate;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::undo::Undo;
use crate::net::SackBlock;
use cc::{CongestionControl, RecoveryState, Window};
use units::{Segments, Time, window_segments};

/// The state machine.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    state: RecoveryState,
    /// First segment after those that were out when the state began: it ends when they are acknowledged.
    high: u64,
    /// Window and threshold of before the reduction; a threshold of 0 forbids the undo.
    prior_cwnd: Segments,
    prior_ssthresh: Segments,
    /// PRR's counts since the reduction began.
    prr_delivered: u32,
    prr_out: u32,
    /// F-RTO is undecided.
    pub frto: bool,
    /// Timeouts of the same head in a row.
    pub timeouts_in_row: u32,
    /// Segments that D-SACKs reported.
    duplicates: u64,
    /// Recoveries that were undone.
    undos: u64,
    /// Reductions that ECE began.
    echo_reductions: u64,
    /// The receiver does not know yet that the window was reduced (Linux 6.1 `TCP_ECN_QUEUE_CWR`).
    reduction_due: bool,
    pub rack: Rack,
    pub undo: Undo,
    pub probe: Probe,
}

/// A tail loss probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// First segment after those out when it was sent; none: no probe is under way.
    pub high: Option<u64>,
    /// It was a retransmission.
    pub retransmission: bool,
    /// Of a segment that was sent while the application limited the sender (`tlp_orig_data_app_limited`).
    pub was_app_limited: bool,
}

/// What may be sent after an ACK's recovery, before new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// Nothing.
    Nothing,
    /// What is marked lost.
    Lost,
    /// New data first: F-RTO's step 2b.
    New,
}

/// What moved since a reduced window was computed last, in segments.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// In flight now.
    pub in_flight: Segments,
    /// Acknowledged or SACKed.
    pub delivered: Segments,
    /// Marked lost.
    pub newly_lost: Segments,
    /// The first unacknowledged segment is another one.
    pub advanced: bool,
}

/// What recovery works on while it takes in an ACK.
#[derive(Debug)]
pub struct Transport<'sender> {
    pub board: &'sender mut Scoreboard,
    pub control: &'sender mut Control,
    pub rtt: &'sender RttEstimator,
    /// There is new data, and the receiver's window admits it.
    pub can_send_new: bool,
    /// Segments delivered so far.
    pub delivered: u64,
    pub now: Time,
}

impl Recovery {
    /// The state.
    pub const fn state(&self) -> RecoveryState {
        self.state
    }

    /// First segment after those that were out when the state began.
    pub const fn high(&self) -> u64 {
        self.high
    }

    /// Recoveries that were undone.
    pub const fn undos(&self) -> u64 {
        self.undos
    }

    /// Reductions that ECE began.
    pub const fn echo_reductions(&self) -> u64 {
        self.echo_reductions
    }

    /// The next new data says CWR: the window was reduced.
    pub fn take_reduction(&mut self) -> bool {
        std::mem::take(&mut self.reduction_due)
    }

    /// The window is being reduced.
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, RecoveryState::Cwr | RecoveryState::Recovery)
    }

    /// Segments were sent, which a reduction under way counts.
    pub fn on_sent(&mut self, segments: u32) {
        if self.is_reducing() {
            self.prr_out += segments;
        }
    }

    /// Changes the state and tells the algorithm.
    fn set_state(&mut self, state: RecoveryState, control: &mut Control) {
        self.state = state;
        control.on_state(state);
    }

    fn keep_open(&mut self, board: &Scoreboard, control: &mut Control) {
        let disordered = board.sacked() + board.lost() > 0 || board.any_retransmission_out();
        let state = if disordered { RecoveryState::Disorder } else { RecoveryState::Open };
        if self.state != state {
            self.set_state(state, control);
            self.high = board.next();
        }
    }

    /// `echoes`: the ACK has ECE, which is answered once a round trip (RFC 3168 section 6.1.2): what was out at the first must
    /// be acknowledged before the next.
    fn try_to_open(&mut self, echoes: bool, board: &Scoreboard, control: &mut Control) {
        if !board.any_retransmission_out() {
            self.undo.forget_retransmission();
        }
        if echoes {
            self.echo_reductions += u64::from(self.state < RecoveryState::Cwr);
            self.enter_reduction(board, control);
        }
        if self.state != RecoveryState::Cwr {
            self.keep_open(board, control);
        }
    }

    /// The threshold to go back to, were the reduction undone (Linux 6.1 `tcp_current_ssthresh`).
    pub fn current_ssthresh(&self, window: &Window) -> Segments {
        if self.is_reducing() {
            return window.ssthresh;
        }
        window.ssthresh.max((window.cwnd >> 1) + (window.cwnd >> 2))
    }

    fn begin_reduction(&mut self, board: &Scoreboard, control: &mut Control) {
        self.high = board.next();
        self.probe.high = None;
        self.prior_cwnd = control.window.cwnd;
        self.prr_delivered = 0;
        self.prr_out = 0;
        control.on_congestion();
        self.reduction_due = true;
    }

    fn end_reduction(&self, control: &mut Control) {
        if control.cc.owns_window() {
            return;
        }
        let Window { cwnd, ssthresh } = &mut control.window;
        if *ssthresh < Segments::MAX && (self.state == RecoveryState::Cwr || self.undo.is_possible()) {
            *cwnd = *ssthresh;
        }
    }

    fn begin_undo(&mut self, board: &Scoreboard) {
        self.undo.begin(board, u32::from(self.probe.high.is_some() && self.probe.retransmission));
    }

    /// The host's own queue dropped a burst, or a queue marked one: congestion, though nothing is lost (Linux 6.1
    /// `tcp_enter_cwr`).
    pub fn enter_reduction(&mut self, board: &Scoreboard, control: &mut Control) {
        self.prior_ssthresh = 0;
        if self.state < RecoveryState::Cwr {
            self.undo.end();
            self.begin_reduction(board, control);
            self.set_state(RecoveryState::Cwr, control);
        }
    }

    /// Losses were found; `echoes`: by an ACK with ECE, which is no mistake to undo.
    pub fn enter(&mut self, echoes: bool, board: &Scoreboard, control: &mut Control) {
        if !board.any_retransmission_out() {
            self.undo.forget_retransmission();
        }
        self.prior_ssthresh = 0;
        self.begin_undo(board);
        if !self.is_reducing() {
            if !echoes {
                self.prior_ssthresh = self.current_ssthresh(&control.window);
            }
            self.begin_reduction(board, control);
        }
        self.set_state(RecoveryState::Recovery, control);
    }

    /// Proportional rate reduction (RFC 9937 section 6; Linux 6.1 differs: the extra segment on an advance without new
    /// loss, and no bound by `RecoverFS`).
    pub fn reduce_window(&mut self, window: &mut Window, progress: Progress) {
        let Progress { in_flight, delivered, newly_lost, advanced } = progress;
        if delivered == 0 {
            return;
        }
        let in_flight = i64::from(in_flight);
        self.prr_delivered += delivered;
        let room = i64::from(window.ssthresh) - in_flight;
        let mut allowed = if room < 0 {
            let due = (u64::from(window.ssthresh) * u64::from(self.prr_delivered))
                .div_ceil(u64::from(self.prior_cwnd.max(1)));
            due as i64 - i64::from(self.prr_out)
        } else {
            let conserved = i64::from(self.prr_delivered) - i64::from(self.prr_out);
            let extra = i64::from(advanced && newly_lost == 0);
            room.min(conserved.max(i64::from(delivered)) + extra)
        };
        if self.prr_out == 0 {
            allowed = allowed.max(1); // the fast retransmission itself
        }
        window.cwnd = Segments::try_from(in_flight + allowed.max(0)).unwrap_or(Segments::MAX);
    }

    /// The head's retransmission timer went off (RFC 5681 section 3.1, RFC 6298 section 5).
    pub fn enter_loss(&mut self, board: &mut Scoreboard, control: &mut Control, rate: &DeliveryRate, now: Time) {
        let now_us = now.as_micros();
        let rack_rtt_us = u64::from(self.rack.rtt_us());
        // What was sent within the last RTT is not given up yet (Linux 6.1 `tcp_timeout_mark_lost`).
        board.mark_timeout(|sent_us| now_us.saturating_sub(sent_us) >= rack_rtt_us);
        control.on_losses(board, now, rate.delivered);
        control.on_timeout(rate, board.lost_total(), now);
        let new_recovery = self.state < RecoveryState::Recovery;
        if self.state <= RecoveryState::Disorder
            || self.high <= board.una()
            || (self.state == RecoveryState::Loss && self.timeouts_in_row == 0)
        {
            self.prior_ssthresh = self.current_ssthresh(&control.window);
            self.prior_cwnd = control.window.cwnd;
            control.on_congestion();
            self.begin_undo(board);
        }
        control.window.cwnd = board.in_flight() + 1;
        if self.state <= RecoveryState::Disorder && board.sacked() >= REORDERING_SEGMENTS {
            self.rack.forget_reordering();
        }
        self.set_state(RecoveryState::Loss, control);
        self.reduction_due = true;
        self.high = board.next();
        self.probe.high = None;
        self.frto = new_recovery || self.timeouts_in_row > 0;
    }

    /// An ACK in state Loss: F-RTO (RFC 5682 section 3.1, with SACK) and the return to Open.
    fn process_loss(&mut self, summary: &AckSummary, with: &mut Transport<'_>) -> Resend {
        let (una, next) = (with.board.una(), with.board.next());
        let recovered = una >= self.high;
        if summary.advanced && self.undo_timeout(false, summary.echo_ms, with) {
            return Resend::Nothing;
        }
        if self.frto {
            if summary.original_delivered && self.undo_timeout(true, summary.echo_ms, with) {
                return Resend::Nothing;
            }
            if next > self.high {
                if summary.sacked || summary.is_duplicate_ack() {
                    self.frto = false; // step 3a: the loss was real
                }
            } else if summary.advanced && !recovered {
                self.high = next;
                if with.can_send_new {
                    return Resend::New;
                }
                self.frto = false;
            }
        }
        if recovered {
            self.leave(summary.echo_ms, with);
            return Resend::Nothing;
        }
        Resend::Lost
    }

    /// Takes an ACK into the state machine (Linux 6.1 `tcp_fastretrans_alert`).
    pub fn process(&mut self, summary: &mut AckSummary, with: &mut Transport<'_>) -> Resend {
        let una = with.board.una();
        if summary.echoes {
            self.prior_ssthresh = 0;
        }
        if self.state == RecoveryState::Open {
            self.undo.forget_retransmission();
        } else if una >= self.high {
            match self.state {
                // Held until something above `high` is acknowledged.
                RecoveryState::Cwr if una != self.high => {
                    self.end_reduction(with.control);
                    self.set_state(RecoveryState::Open, with.control);
                }
                RecoveryState::Recovery => {
                    self.leave(summary.echo_ms, with);
                    self.end_reduction(with.control);
                }
                _ => {}
            }
        }
        match self.state {
            RecoveryState::Recovery => self.process_recovery(summary, with),
            RecoveryState::Loss => {
                let resend = self.process_loss(summary, with);
                self.identify_losses(summary, with);
                if self.state == RecoveryState::Open || summary.lost_retransmission {
                    return self.process_open(summary, with, resend);
                }
                resend
            }
            _ => self.process_open(summary, with, Resend::Nothing),
        }
    }

    fn process_recovery(&mut self, summary: &mut AckSummary, with: &mut Transport<'_>) -> Resend {
        if summary.advanced && self.undo_partially(summary.prior_una, summary.echo_ms, with) {
            return Resend::Nothing;
        }
        if self.undo_by_duplicates(with) {
            self.try_to_open(summary.echoes, with.board, with.control);
        }
        self.identify_losses(summary, with);
        if self.state != RecoveryState::Recovery {
            if with.board.lost() == 0 {
                return Resend::Nothing;
            }
            self.enter(summary.echoes, with.board, with.control);
        }
        Resend::Lost
    }

    fn process_open(&mut self, summary: &mut AckSummary, with: &mut Transport<'_>, resend: Resend) -> Resend {
        if self.state <= RecoveryState::Disorder {
            self.undo_by_duplicates(with);
        }
        self.identify_losses(summary, with);
        if with.board.lost() == 0 {
            self.try_to_open(summary.echoes, with.board, with.control);
            return resend;
        }
        self.enter(summary.echoes, with.board, with.control);
        Resend::Lost
    }

    /// Looks for losses after an ACK, and says how long to wait for those that may be mere reordering.
    fn identify_losses(&mut self, summary: &mut AckSummary, with: &mut Transport<'_>) {
        if with.board.out() == 0 || !self.rack.take_advance() {
            return;
        }
        let retransmitted = with.board.retransmitted();
        if let Some(wait_us) = self.rack.detect_losses(with.board, self.state, with.rtt, with.now.as_micros()) {
            summary.reordering_wait_us = Some(wait_us);
            summary.set_timer = false;
        }
        with.control.on_losses(with.board, with.now, with.delivered);
        summary.lost_retransmission |= retransmitted > with.board.retransmitted();
    }

    /// What an ACK says of a tail loss probe (RFC 8985 section 7.4.2), at this time, when so many segments were delivered.
    #[inline]
    pub fn process_probe(
        &mut self,
        summary: &mut AckSummary,
        board: &Scoreboard,
        control: &mut Control,
        at: (Time, u64),
    ) {
        let (Some(high), una) = (self.probe.high, board.una()) else { return };
        if una >= high {
            self.end_probe(una > high, summary, board, control, at);
        }
    }

    #[inline(never)]
    fn end_probe(
        &mut self,
        beyond: bool,
        summary: &mut AckSummary,
        board: &Scoreboard,
        control: &mut Control,
        (now, delivered): (Time, u64),
    ) {
        if !self.probe.retransmission || summary.duplicate_probe {
            self.probe.high = None;
        } else if beyond {
            // The probe repaired a loss that nobody saw: reduce once.
            control.on_probe_repair(self.probe.was_app_limited, now, delivered);
            self.begin_reduction(board, control);
            self.set_state(RecoveryState::Cwr, control);
            self.end_reduction(control);
            self.keep_open(board, control);
        } else if !summary.advanced && !summary.sacked && !summary.window_moved {
            self.probe.high = None;
        } else {
            summary.acks_probe = true;
        }
    }

    /// A D-SACK came: those retransmissions were needless, if we made any, of the `retransmitted` so far. Gives their number.
    pub fn on_duplicate(&mut self, block: SackBlock, retransmitted: u64, summary: &mut AckSummary) -> u32 {
        let SackBlock { start, end } = block;
        let segments = window_segments(end - start);
        summary.duplicate_probe = segments == 1 && self.probe.high == Some(end);
        self.duplicates += u64::from(segments);
        if self.duplicates > retransmitted {
            return 0; // Not ours: the network duplicates packets.
        }
        if !summary.duplicate_probe {
            self.rack.note_duplicate();
        }
        summary.duplicate = true;
        self.undo.on_duplicate(start, end, summary.prior_una);
        segments
    }

    /// A D-SACK came for a segment that was not acknowledged cumulatively before (Linux 6.1 `tcp_sacktag_one`). True
    /// when it had been SACKed: its retransmission was needless.
    pub fn on_duplicate_in_window(&mut self, seq: u64, board: &mut Scoreboard) -> bool {
        let segment = *board.segment(seq);
        board.clear_retransmission(seq);
        if segment.was_retransmitted() {
            self.undo.on_duplicate_in_window(seq);
        }
        segment.was_retransmitted() && segment.is_sacked()
    }

    /// Goes back to the window of before the reduction.
    fn undo_reduction(&mut self, unmark: bool, with: &mut Transport<'_>) {
        if unmark {
            with.board.unmark_lost();
        }
        if self.prior_ssthresh > 0 {
            if self.prior_ssthresh > with.control.window.ssthresh {
                self.reduction_due = false; // `tcp_ecn_withdraw_cwr`
            }
            with.control.on_undo(self.prior_cwnd, self.prior_ssthresh);
        }
        self.undo.end();
        self.rack.examine_anew();
        self.undos += 1;
    }

    /// Everything that was out is acknowledged.
    fn leave(&mut self, echo_ms: u32, with: &mut Transport<'_>) {
        if self.undo.is_due(echo_ms) {
            self.undo_reduction(false, with);
        } else {
            self.rack.end_recovery();
        }
        self.set_state(RecoveryState::Open, with.control);
    }

    fn undo_by_duplicates(&mut self, with: &mut Transport<'_>) -> bool {
        let spurious = self.undo.is_due_by_duplicates();
        if spurious {
            self.rack.extend_window();
            self.undo_reduction(false, with);
        }
        spurious
    }

    fn undo_timeout(&mut self, frto: bool, echo_ms: u32, with: &mut Transport<'_>) -> bool {
        if !frto && !self.undo.is_due(echo_ms) {
            return false;
        }
        self.undo_reduction(true, with);
        self.timeouts_in_row = 0;
        self.set_state(RecoveryState::Open, with.control);
        true
    }

    /// An ACK moved `una`, caused by an original segment that was only late. True: nothing more to do but send new
    /// data.
    fn undo_partially(&mut self, prior_una: u64, echo_ms: u32, with: &mut Transport<'_>) -> bool {
        if !self.undo.is_possible() || !self.undo.echo_precedes_retransmission(echo_ms) {
            return false;
        }
        self.rack.note_reordering(prior_una, with.board.fack());
        if with.board.retransmitted() > 0 {
            return true;
        }
        if !with.board.any_retransmission_out() {
            self.undo.forget_retransmission();
        }
        self.undo_reduction(true, with);
        self.keep_open(with.board, with.control);
        false
    }
}
