//! Loss detection by time (RACK, RFC 8985; Linux 6.1 `tcp_recovery.c`): what was sent long enough before the newest
//! segment delivered is lost, original and retransmission alike.

use super::rtt::{RttEstimator, sample_us};
use super::scoreboard::{Scoreboard, Verdict};
use super::segment::Segment;
use cc::RecoveryState;

/// `tcp_max_reordering`
const MAX_REORDERING_SEGMENTS: u32 = 300;
/// `tcp_reordering`: so many segments out of order are not yet loss.
pub const REORDERING_SEGMENTS: u32 = 3;
/// `TCP_RACK_RECOVERY_THRESH`: recoveries that an enlarged reordering window lasts.
const REORDERING_PERSISTS: u32 = 16;
/// `TCP_TIMEOUT_MIN`, µs: two ticks.
pub const TIMEOUT_MIN_US: u64 = 2_000;

/// RACK's variables (RFC 8985 section 5.2), and what is known of the network's reordering.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Send time and number of the segment that was sent last among those delivered.
    sent_us: u64,
    seq: u64,
    /// Its RTT.
    rtt_us: u32,
    /// Something was delivered since losses were looked for.
    advanced: bool,
    /// The reordering window in quarters of the minimum RTT, and recoveries that it still lasts.
    window_steps: u32,
    window_persists: u32,
    duplicate_seen: bool,
    /// `delivered` when the window was enlarged last.
    enlarged_at: u64,
    /// Segments by which the network is known to reorder, and whether it ever did.
    reordering: u32,
    reordering_seen: bool,
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
            reordering: REORDERING_SEGMENTS,
            reordering_seen: false,
        }
    }
}

impl Rack {
    /// RTT of the segment that was sent last among those delivered, µs.
    pub const fn rtt_us(&self) -> u32 {
        self.rtt_us
    }

    /// Segments by which the network is known to reorder.
    pub const fn reordering(&self) -> u32 {
        self.reordering
    }

    /// Reordering was found beyond what is tolerated by default, so that growth need not wait for order.
    pub const fn reorders_much(&self) -> bool {
        self.reordering > REORDERING_SEGMENTS
    }

    /// A timeout with so many segments SACKed: they were out of order by no more than is tolerated.
    pub fn forget_reordering(&mut self) {
        self.reordering = self.reordering.min(REORDERING_SEGMENTS);
    }

    /// A segment was delivered (RFC 8985 section 6.2, step 2).
    #[inline]
    pub fn advance(&mut self, seq: u64, segment: &Segment, min_rtt_us: u32, now_us: u64) {
        let rtt_us = sample_us(now_us.saturating_sub(segment.sent_us));
        if segment.was_retransmitted() && rtt_us < min_rtt_us {
            return; // Faster than any round trip: the original was delivered, not the retransmission.
        }
        self.advanced = true;
        self.rtt_us = rtt_us;
        if (segment.sent_us, seq) > (self.sent_us, self.seq) {
            self.sent_us = segment.sent_us;
            self.seq = seq;
        }
    }

    /// A hole that was never retransmitted was filled: the network reorders, by the distance to the highest segment
    /// SACKed before.
    #[inline(never)]
    pub fn note_reordering(&mut self, seq: u64, fack: u64) {
        if seq >= fack {
            return;
        }
        let distance = u32::try_from(fack - seq).unwrap_or(u32::MAX);
        self.reordering = self.reordering.max(distance.min(MAX_REORDERING_SEGMENTS));
        self.reordering_seen = true;
    }

    /// A D-SACK declared retransmissions needless that were no probe.
    pub fn note_duplicate(&mut self) {
        self.duplicate_seen |= self.reordering_seen;
    }

    /// Adapts the reordering window to D-SACKs (Linux 6.1 `tcp_rack_update_reo_wnd`). `prior_delivered`: what had been
    /// delivered when this ACK's newest segment was sent.
    pub fn adapt_window(&mut self, prior_delivered: Option<u64>, delivered: u64) {
        let Some(prior_delivered) = prior_delivered else { return };
        if prior_delivered < self.enlarged_at {
            self.duplicate_seen = false; // not yet a round trip since
        }
        if self.duplicate_seen {
            self.window_steps = (self.window_steps + 1).min(255);
            self.duplicate_seen = false;
            self.enlarged_at = delivered;
            self.window_persists = REORDERING_PERSISTS;
        } else if self.window_persists == 0 {
            self.window_steps = 1;
        }
    }

    /// A recovery ended that was none of reordering: an enlarged window lasts for one fewer.
    pub fn end_recovery(&mut self) {
        self.window_persists = self.window_persists.saturating_sub(1);
    }

    /// A recovery was undone by D-SACKs: an enlarged window lasts for one more.
    pub fn extend_window(&mut self) {
        self.window_persists = (self.window_persists + 1).min(REORDERING_PERSISTS);
    }

    /// Losses must be examined anew.
    pub const fn examine_anew(&mut self) {
        self.advanced = true;
    }

    /// Something was delivered since this was asked last.
    pub const fn take_advance(&mut self) -> bool {
        std::mem::replace(&mut self.advanced, false)
    }

    /// The reordering window (RFC 8985 section 6.2, step 4; Linux 6.1 `tcp_rack_reo_wnd`), µs.
    fn window_us(&self, state: RecoveryState, sacked: u32, rtt: &RttEstimator) -> u32 {
        if !self.reordering_seen && (state >= RecoveryState::Recovery || sacked >= self.reordering) {
            return 0;
        }
        (rtt.min_us() / 4).saturating_mul(self.window_steps).min(rtt.srtt_us())
    }

    /// Marks lost what was sent long enough before the newest segment delivered (RFC 8985 section 6.2, step 5).
    /// Gives the time to wait for the last of those that may yet arrive, µs (Linux 6.1 `tcp_rack_detect_loss`).
    pub fn detect_losses(
        &self,
        board: &mut Scoreboard,
        state: RecoveryState,
        rtt: &RttEstimator,
        now_us: u64,
    ) -> Option<u64> {
        let newest = (self.sent_us, self.seq);
        let patience_us = u64::from(self.rtt_us + self.window_us(state, board.sacked(), rtt));
        let mut wait_us = None;
        board.detect_losses(|seq, sent_us| {
            if (sent_us, seq) >= newest {
                return Verdict::Later;
            }
            match (sent_us + patience_us).checked_sub(now_us) {
                None | Some(0) => Verdict::Lost,
                remaining_us => {
                    wait_us = wait_us.max(remaining_us);
                    Verdict::Keep
                }
            }
        });
        wait_us
    }
}
