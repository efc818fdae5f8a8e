//! Loss recovery: its states, the window's reduction (RFC 9937's PRR, with the arithmetic of Linux 6.1
//! `tcp_cwnd_reduction`), and F-RTO (RFC 5682). [`super::rack`] finds losses, [`super::undo`] takes back what was
//! spurious.

use super::rack::Rack;
use super::sender::Sender;
use cc::{CongestionControl, RecoveryState};
use units::{Segments, Span, Time};

/// `tcp_reordering`: so many segments out of order are not yet loss.
const REORDERING_SEGMENTS: u32 = 3;

/// The variables of recovery.
#[derive(Clone, Debug)]
pub struct Recovery {
    pub state: RecoveryState,
    /// First segment after those that were out when the state began: it ends when they are acknowledged.
    pub high: u64,
    /// Window and threshold of before the reduction; a threshold of 0 forbids the undo.
    pub prior_cwnd: Segments,
    pub prior_ssthresh: Segments,
    /// `una` when the reduction began; none: nothing to undo.
    pub undo_from: Option<u64>,
    /// Retransmissions since then that no D-SACK has declared needless; none: nothing was retransmitted yet.
    pub undo_retransmits: Option<u32>,
    /// Timestamp of the first retransmission of the episode, ms.
    pub retransmit_stamp_ms: Option<u32>,
    /// PRR's counts since the reduction began.
    pub prr_delivered: u32,
    pub prr_out: u32,
    /// F-RTO is undecided.
    pub frto: bool,
    /// Timeouts of the same head in a row.
    pub timeouts_in_row: u32,
    /// Segments by which the network is known to reorder, and whether it ever did.
    pub reordering: u32,
    pub reordering_seen: bool,
    pub rack: Rack,
    pub probe: Probe,
}

/// A tail loss probe under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// First segment after those out when it was sent; none: no probe is under way.
    pub high: Option<u64>,
    /// It was a retransmission.
    pub retransmission: bool,
}

impl Default for Recovery {
    fn default() -> Self {
        Self {
            state: RecoveryState::Open,
            high: 0,
            prior_cwnd: 0,
            prior_ssthresh: 0,
            undo_from: None,
            undo_retransmits: None,
            retransmit_stamp_ms: None,
            prr_delivered: 0,
            prr_out: 0,
            frto: false,
            timeouts_in_row: 0,
            reordering: REORDERING_SEGMENTS,
            reordering_seen: false,
            rack: Rack::default(),
            probe: Probe::default(),
        }
    }
}

impl Recovery {
    /// The window is being reduced.
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, RecoveryState::Cwr | RecoveryState::Recovery)
    }

    /// Reordering was found beyond what is tolerated by default, so that growth need not wait for order.
    pub const fn reorders_much(&self) -> bool {
        self.reordering > REORDERING_SEGMENTS
    }
}

/// What an ACK said.
#[derive(Clone, Copy, Debug, Default)]
pub struct News {
    /// `una` moved.
    pub advanced: bool,
    /// Segments were newly SACKed.
    pub sacked: bool,
    /// A segment that was never retransmitted was acknowledged or SACKed, from before the state began.
    pub original_delivered: bool,
    /// A retransmitted segment was acknowledged.
    pub retransmitted_acked: bool,
    /// It carried a D-SACK.
    pub duplicate: bool,
    /// That of a tail loss probe.
    pub duplicate_probe: bool,
    /// The window's right edge moved.
    pub window_moved: bool,
    /// A retransmission was found lost.
    pub lost_retransmission: bool,
    /// The retransmission timer must be set anew.
    pub set_timer: bool,
    /// A lone segment's ACK: probably delayed.
    pub maybe_delayed: bool,
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

impl Sender {
    /// Changes the state and tells the algorithm.
    pub(super) fn set_state(&mut self, state: RecoveryState) {
        self.recovery.state = state;
        self.cc.on_state(state, &mut self.window);
    }

    pub(super) fn keep_open(&mut self) {
        let disordered = self.board.sacked() + self.board.lost() > 0 || self.any_retransmission_out();
        let state = if disordered { RecoveryState::Disorder } else { RecoveryState::Open };
        if self.recovery.state != state {
            self.set_state(state);
            self.recovery.high = self.board.next();
        }
    }

    fn try_to_open(&mut self) {
        if !self.any_retransmission_out() {
            self.recovery.retransmit_stamp_ms = None;
        }
        if self.recovery.state != RecoveryState::Cwr {
            self.keep_open();
        }
    }

    /// The threshold to go back to, were the reduction undone (Linux 6.1 `tcp_current_ssthresh`).
    pub(super) fn current_ssthresh(&self) -> Segments {
        if self.recovery.is_reducing() {
            return self.window.ssthresh;
        }
        self.window.ssthresh.max((self.window.cwnd >> 1) + (self.window.cwnd >> 2))
    }

    fn begin_reduction(&mut self) {
        self.recovery.high = self.board.next();
        self.recovery.probe.high = None;
        self.recovery.prior_cwnd = self.window.cwnd;
        self.recovery.prr_delivered = 0;
        self.recovery.prr_out = 0;
        self.window.ssthresh = self.cc.on_congestion(&self.window);
    }

    fn end_reduction(&mut self) {
        if self.cc.owns_window() {
            return;
        }
        if self.window.ssthresh < Segments::MAX
            && (self.recovery.state == RecoveryState::Cwr || self.recovery.undo_from.is_some())
        {
            self.window.cwnd = self.window.ssthresh;
        }
    }

    pub(super) fn enter_recovery(&mut self) {
        if !self.any_retransmission_out() {
            self.recovery.retransmit_stamp_ms = None;
        }
        self.recovery.prior_ssthresh = 0;
        self.begin_undo();
        if !self.recovery.is_reducing() {
            self.recovery.prior_ssthresh = self.current_ssthresh();
            self.begin_reduction();
        }
        self.set_state(RecoveryState::Recovery);
    }

    /// Proportional rate reduction (RFC 9937 section 6; Linux 6.1 differs: the extra segment on an advance without new
    /// loss, and no bound by `RecoverFS`).
    pub(super) fn reduce_window(&mut self, delivered: u32, newly_lost: u32, advanced: bool) {
        if delivered == 0 {
            return;
        }
        let recovery = &mut self.recovery;
        let in_flight = i64::from(self.board.in_flight());
        recovery.prr_delivered += delivered;
        let room = i64::from(self.window.ssthresh) - in_flight;
        let mut allowed = if room < 0 {
            let due = (u64::from(self.window.ssthresh) * u64::from(recovery.prr_delivered))
                .div_ceil(u64::from(recovery.prior_cwnd.max(1)));
            due as i64 - i64::from(recovery.prr_out)
        } else {
            let conserved = i64::from(recovery.prr_delivered) - i64::from(recovery.prr_out);
            let extra = i64::from(advanced && newly_lost == 0);
            room.min(conserved.max(i64::from(delivered)) + extra)
        };
        if recovery.prr_out == 0 {
            allowed = allowed.max(1); // the fast retransmission itself
        }
        self.window.cwnd = (in_flight + allowed.max(0)) as Segments;
    }

    /// The head's retransmission timer went off (RFC 5681 section 3.1, RFC 6298 section 5).
    pub(super) fn enter_loss(&mut self, now: Time) {
        let now_us = now.as_micros();
        let rack_rtt_us = u64::from(self.recovery.rack.rtt_us);
        // What was sent within the last RTT is not given up yet (Linux 6.1 `tcp_timeout_mark_lost`).
        self.board.mark_timeout(|sent_us| now_us - sent_us >= rack_rtt_us);
        self.cc.on_timeout(&cc::Timeout {
            now,
            delivered: self.rate.delivered,
            delivered_at: Time::ZERO + Span::from_micros(self.rate.delivered_at_us),
            lost: self.board.lost_total(),
        });
        let recovery = &self.recovery;
        let new_recovery = recovery.state < RecoveryState::Recovery;
        if recovery.state <= RecoveryState::Disorder
            || recovery.high <= self.board.una()
            || (recovery.state == RecoveryState::Loss && recovery.timeouts_in_row == 0)
        {
            self.recovery.prior_ssthresh = self.current_ssthresh();
            self.recovery.prior_cwnd = self.window.cwnd;
            self.window.ssthresh = self.cc.on_congestion(&self.window);
            self.begin_undo();
        }
        self.window.cwnd = self.board.in_flight() + 1;
        if self.recovery.state <= RecoveryState::Disorder && self.board.sacked() >= REORDERING_SEGMENTS {
            self.recovery.reordering = self.recovery.reordering.min(REORDERING_SEGMENTS);
        }
        self.set_state(RecoveryState::Loss);
        self.recovery.high = self.board.next();
        self.recovery.probe.high = None;
        self.recovery.frto = new_recovery || self.recovery.timeouts_in_row > 0;
    }

    /// An ACK in state Loss: F-RTO (RFC 5682 section 3.1, with SACK) and the return to Open.
    fn process_loss(&mut self, news: &News, duplicate_ack: bool, echo_ms: u32) -> Resend {
        let recovered = self.board.una() >= self.recovery.high;
        if news.advanced && self.undo_timeout(false, echo_ms) {
            return Resend::Nothing;
        }
        if self.recovery.frto {
            if news.original_delivered && self.undo_timeout(true, echo_ms) {
                return Resend::Nothing;
            }
            if self.board.next() > self.recovery.high {
                if news.sacked || duplicate_ack {
                    self.recovery.frto = false; // step 3a: the loss was real
                }
            } else if news.advanced && !recovered {
                self.recovery.high = self.board.next();
                if self.can_send_new() {
                    return Resend::New;
                }
                self.recovery.frto = false;
            }
        }
        if recovered {
            self.undo_recovery(echo_ms);
            return Resend::Nothing;
        }
        Resend::Lost
    }

    /// Takes an ACK's news into the state machine (Linux 6.1 `tcp_fastretrans_alert`).
    pub(super) fn process_state(&mut self, news: &mut News, prior_una: u64, echo_ms: u32, now: Time) -> Resend {
        if self.recovery.state == RecoveryState::Open {
            self.recovery.retransmit_stamp_ms = None;
        } else if self.board.una() >= self.recovery.high {
            match self.recovery.state {
                // Held until something above `high` is acknowledged.
                RecoveryState::Cwr if self.board.una() != self.recovery.high => {
                    self.end_reduction();
                    self.set_state(RecoveryState::Open);
                }
                RecoveryState::Recovery => {
                    self.undo_recovery(echo_ms);
                    self.end_reduction();
                }
                _ => {}
            }
        }
        match self.recovery.state {
            RecoveryState::Recovery => {
                if news.advanced && self.undo_partially(prior_una, echo_ms) {
                    return Resend::Nothing;
                }
                if self.undo_by_duplicates() {
                    self.try_to_open();
                }
                self.identify_losses(news, now);
                if self.recovery.state != RecoveryState::Recovery {
                    if self.board.lost() == 0 {
                        return Resend::Nothing;
                    }
                    self.enter_recovery();
                }
                Resend::Lost
            }
            RecoveryState::Loss => {
                let duplicate_ack = !news.advanced && !news.window_moved && !news.duplicate;
                let resend = self.process_loss(news, duplicate_ack, echo_ms);
                self.identify_losses(news, now);
                if self.recovery.state == RecoveryState::Open || news.lost_retransmission {
                    return self.process_open(news, now, resend);
                }
                resend
            }
            _ => self.process_open(news, now, Resend::Nothing),
        }
    }

    fn process_open(&mut self, news: &mut News, now: Time, resend: Resend) -> Resend {
        if self.recovery.state <= RecoveryState::Disorder {
            self.undo_by_duplicates();
        }
        self.identify_losses(news, now);
        if self.board.lost() == 0 {
            self.try_to_open();
            return resend;
        }
        self.enter_recovery();
        Resend::Lost
    }

    /// What an ACK says of a tail loss probe (RFC 8985 section 7.4.2).
    pub(super) fn process_probe(&mut self, high: u64, news: &News) {
        let una = self.board.una();
        if una < high {
            return;
        }
        if !self.recovery.probe.retransmission || news.duplicate_probe {
            self.recovery.probe.high = None;
        } else if una > high {
            // The probe repaired a loss that nobody saw: reduce once.
            self.begin_reduction();
            self.set_state(RecoveryState::Cwr);
            self.end_reduction();
            self.keep_open();
        } else if !news.advanced && !news.sacked && !news.window_moved {
            self.recovery.probe.high = None;
        }
    }
}
