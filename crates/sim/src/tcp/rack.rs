//! Loss detection by time (RACK, RFC 8985; Linux 6.1 `tcp_recovery.c`): what was sent long enough before the newest
//! segment delivered is lost, original and retransmission alike.

use super::recovery::News;
use super::rtt::sample_us;
use super::scoreboard::Verdict;
use super::sender::{Output, Pending, Sender};
use super::timer::{jiffies, on_wheel};
use cc::{CongestionControl, RecoveryState};
use units::Time;

/// `tcp_max_reordering`
const MAX_REORDERING_SEGMENTS: u32 = 300;
/// `TCP_RACK_RECOVERY_THRESH`: recoveries that an enlarged reordering window lasts.
pub const REORDERING_PERSISTS: u32 = 16;
/// `TCP_TIMEOUT_MIN`, µs: two ticks.
pub const TIMEOUT_MIN_US: u64 = 2_000;

/// RACK's variables (RFC 8985 section 5.2).
#[derive(Clone, Debug)]
pub struct Rack {
    /// Send time and number of the segment that was sent last among those delivered.
    sent_us: u64,
    seq: u64,
    /// Its RTT.
    pub(super) rtt_us: u32,
    pub(super) advanced: bool,
    /// The reordering window in quarters of the minimum RTT.
    window_steps: u32,
    pub(super) window_persists: u32,
    pub(super) duplicate_seen: bool,
    /// `delivered` when the window was enlarged last.
    enlarged_at: u64,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            sent_us: 0,
            seq: 0,
            rtt_us: 0,
            advanced: false,
            window_steps: 1,
            window_persists: 0,
            duplicate_seen: false,
            enlarged_at: 0,
        }
    }
}

impl Sender {
    /// A segment sent at `sent_us` was delivered (RFC 8985 section 6.2, step 2).
    #[inline]
    pub(super) fn rack_advance(&mut self, seq: u64, sent_us: u64, retransmitted: bool, now_us: u64) {
        let rtt_us = sample_us(now_us - sent_us);
        if retransmitted && rtt_us < self.rtt.min_us() {
            return; // Faster than any round trip: the original was delivered, not the retransmission.
        }
        let rack = &mut self.recovery.rack;
        rack.advanced = true;
        rack.rtt_us = rtt_us;
        if (sent_us, seq) > (rack.sent_us, rack.seq) {
            rack.sent_us = sent_us;
            rack.seq = seq;
        }
    }

    /// A hole that was never retransmitted was filled: the network reorders, by the distance to the highest segment
    /// SACKed before.
    pub(super) fn note_reordering(&mut self, seq: u64) {
        let fack = self.board.fack();
        if seq >= fack {
            return;
        }
        let distance = u32::try_from(fack - seq).unwrap_or(u32::MAX);
        self.recovery.reordering = self.recovery.reordering.max(distance.min(MAX_REORDERING_SEGMENTS));
        self.recovery.reordering_seen = true;
    }

    /// RACK's reordering window (RFC 8985 section 6.2, step 4; Linux 6.1 `tcp_rack_reo_wnd`), µs.
    fn reordering_window_us(&self) -> u32 {
        let recovery = &self.recovery;
        if !recovery.reordering_seen
            && (recovery.state >= RecoveryState::Recovery || self.board.sacked() >= recovery.reordering)
        {
            return 0;
        }
        (self.rtt.min_us() / 4).saturating_mul(recovery.rack.window_steps).min(self.rtt.srtt_us())
    }

    /// Adapts the reordering window to D-SACKs (Linux 6.1 `tcp_rack_update_reo_wnd`). `prior_delivered`: what had been
    /// delivered when this ACK's newest segment was sent.
    pub(super) fn adapt_reordering_window(&mut self, prior_delivered: Option<u64>) {
        let Some(prior_delivered) = prior_delivered else { return };
        let rack = &mut self.recovery.rack;
        if prior_delivered < rack.enlarged_at {
            rack.duplicate_seen = false; // not yet a round trip since
        }
        if rack.duplicate_seen {
            rack.window_steps = (rack.window_steps + 1).min(255);
            rack.duplicate_seen = false;
            rack.enlarged_at = self.rate.delivered;
            rack.window_persists = REORDERING_PERSISTS;
        } else if rack.window_persists == 0 {
            rack.window_steps = 1;
        }
    }

    /// Marks lost what was sent long enough before the newest segment delivered (RFC 8985 section 6.2, step 5).
    /// Gives the time to wait for the last of those that may yet arrive, µs (Linux 6.1 `tcp_rack_detect_loss`).
    fn rack_detect_losses(&mut self, now_us: u64) -> Option<u64> {
        let rack = &self.recovery.rack;
        let (newest, patience_us) = ((rack.sent_us, rack.seq), rack.rtt_us + self.reordering_window_us());
        let mut wait_us = None;
        self.board.detect_losses(|seq, sent_us| {
            if (sent_us, seq) >= newest {
                return Verdict::Later;
            }
            match (sent_us + u64::from(patience_us)).checked_sub(now_us) {
                None | Some(0) => Verdict::Lost,
                remaining_us => {
                    wait_us = wait_us.max(remaining_us);
                    Verdict::Keep
                }
            }
        });
        wait_us
    }

    /// Looks for losses after an ACK, and sets the timer for those that may be mere reordering.
    pub(super) fn identify_losses(&mut self, news: &mut News, now: Time) {
        if self.board.out() == 0 || !self.recovery.rack.advanced {
            return;
        }
        self.recovery.rack.advanced = false;
        let retransmitted = self.board.retransmitted();
        if let Some(wait_us) = self.rack_detect_losses(now.as_micros()) {
            self.pending = Pending::Reordering;
            self.timer.set(on_wheel(now, jiffies(wait_us + TIMEOUT_MIN_US)));
            news.set_timer = false;
        }
        news.lost_retransmission |= retransmitted > self.board.retransmitted();
    }

    /// RACK's timer: reordering would have been over by now.
    pub(super) fn on_reordering_timer(&mut self, now: Time, out: &mut impl Output) {
        let (in_flight, lost) = (self.board.in_flight(), self.board.lost_total());
        let wait = self.rack_detect_losses(now.as_micros());
        if in_flight != self.board.in_flight() {
            if self.recovery.state != RecoveryState::Recovery {
                self.enter_recovery();
                if !self.cc.owns_window() {
                    let newly_lost = (self.board.lost_total() - lost) as u32;
                    self.reduce_window(1, newly_lost, false);
                }
            }
            self.resend_lost(now, out);
        }
        if let Some(wait_us) = wait {
            self.pending = Pending::Reordering;
            self.timer.set(on_wheel(now, jiffies(wait_us + TIMEOUT_MIN_US)));
        } else if self.pending != Pending::Timeout {
            self.rearm_timeout(now);
        }
    }
}
