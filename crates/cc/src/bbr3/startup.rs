//! The end of STARTUP (draft section 5.3.1), and DRAIN (5.3.2).

use super::{Bandwidth, Bbr3, Gain, State};
use crate::{Ack, RecoveryState, Window};

/// Watches the rate for a plateau: in STARTUP, and whenever it probes for more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// The pipe was full once; this is never taken back.
    pub(super) is_reached: bool,
    /// The rate grows no more (`full_bw_now`).
    pub(super) is_now: bool,
    /// Rate that the next has to exceed by the threshold, and rounds since it did.
    baseline: Bandwidth,
    rounds: u32,
}

impl FullPipe {
    /// Growth is judged anew, from this rate on (`bbr_reset_full_bw`).
    pub(super) fn restart(&mut self, baseline: Bandwidth) {
        (self.baseline, self.rounds, self.is_now) = (baseline, 0, false);
    }
}

/// Losses of a round of STARTUP are counted to this (Linux: 4 bits).
const MOST_EVENTS: u32 = 15;

impl Bbr3 {
    /// `bbr_check_full_bw_reached`.
    pub(super) fn check_full_pipe(&mut self, ack: &Ack, sample: Bandwidth) {
        if self.full_pipe.is_now || ack.rate.is_app_limited {
            return;
        }
        if sample >= self.full_pipe.baseline.scaled(self.parameters.full_bw_thresh) {
            self.full_pipe.restart(sample);
        } else if self.round.is_start {
            self.full_pipe.rounds += 1;
            self.full_pipe.is_now = self.full_pipe.rounds >= self.parameters.full_bw_rounds;
            self.full_pipe.is_reached |= self.full_pipe.is_now;
        }
    }

    /// A round of recovery with several losses, and more of them than the threshold, ends STARTUP
    /// (`bbr_check_loss_too_high_in_startup`).
    pub(super) fn check_losses_in_startup(&mut self, ack: &Ack) {
        if self.full_pipe.is_reached {
            return;
        }
        if ack.rate.losses > 0 {
            self.cycle.startup_losses = (self.cycle.startup_losses + 1).min(MOST_EVENTS);
        }
        let most = self.parameters.full_loss_events;
        if most > 0
            && self.signals.is_round_start
            && ack.state == RecoveryState::Recovery
            && self.cycle.startup_losses >= most
            && self.is_flight_too_high(&ack.rate)
        {
            self.end_startup_by_congestion();
        } else if self.signals.is_round_start {
            self.cycle.startup_losses = 0;
        }
    }

    /// The same of rounds with too many marks (`bbr_check_ecn_too_high_in_startup`).
    pub(super) fn check_marks_in_startup(&mut self, share: u32) {
        let p = &self.parameters;
        let threshold = u32::from(p.ecn_thresh.in_256ths());
        if self.full_pipe.is_reached || p.full_ecn_rounds == 0 || threshold == 0 {
            return;
        }
        self.ecn.startup_rounds = if share >= threshold { self.ecn.startup_rounds + 1 } else { 0 };
        if self.ecn.startup_rounds >= p.full_ecn_rounds {
            self.end_startup_by_congestion();
        }
    }

    /// `bbr_handle_queue_too_high_in_startup`.
    fn end_startup_by_congestion(&mut self) {
        self.full_pipe.is_reached = true;
        self.inflight_hi = self.inflight_target(self.max_bandwidth(), Gain::UNIT).max(self.signals.inflight);
    }

    /// `bbr_check_drain`. The threshold that is set here plays no part in BBR; it is what the transport and its traces show.
    pub(super) fn check_drain(&mut self, ack: &Ack, window: &mut Window) {
        if self.state == State::Startup && self.full_pipe.is_reached {
            self.transition_to(State::Drain);
            window.ssthresh = self.inflight_target(self.max_bandwidth(), Gain::UNIT);
            self.reset_congestion_signals();
            self.cycle.drain_end = self.round.count + u64::from(self.parameters.drain_max_rounds);
        }
        if self.state == State::Drain {
            let is_late = self.parameters.drain_max_rounds > 0 && self.round.count > self.cycle.drain_end;
            let target = self.inflight_target(self.max_bandwidth(), Gain::UNIT);
            if is_late || self.flight_at_next_departure(ack, ack.in_flight) <= target {
                self.go_down(ack.now, ack.delivered);
            }
        }
    }

    /// After bandwidth was probed for (`bbr_reset_congestion_signals`).
    pub(super) fn reset_congestion_signals(&mut self) {
        self.signals.reset();
        self.ecn.is_in_round = false;
        (self.cycle.has_losses, self.cycle.has_marks) = (false, false);
    }
}
