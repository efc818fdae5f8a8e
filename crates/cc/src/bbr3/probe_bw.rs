//! PROBE_BW: down, cruise, refill, up (draft section 5.3.3).

use super::{Bandwidth, Bbr3, Gain, Phase, State, UNBOUNDED};
use crate::{Ack, RecoveryState, Window};
use units::{Segments, Time};

/// What ACKs are of, while the flow probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Of no probe.
    #[default]
    Init,
    /// Sent while the path was filled.
    Refilling,
    /// Sent before the probe, while that begins.
    ProbeStarting,
    /// Of the probe.
    ProbeFeedback,
    /// Of the probe, which is over.
    ProbeStopping,
}

/// How `inflight_hi` rises: by a segment for each so many that are acknowledged, of which half as many each round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rise {
    pub(super) acked_per_step: Segments,
    pub(super) acked: Segments,
    rounds: u32,
}

/// Where in the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    /// When the phase that is timed began, µs.
    start_us: u64,
    pub(super) ack_phase: AckPhase,
    /// Rounds since it probed, or began to wait.
    rounds: u32,
    /// For how long it waits, µs.
    wait_us: u32,
    /// ACKs may tell of what probing did, and did not tell of too much yet (`bw_probe_samples`).
    pub(super) has_samples: bool,
    /// The last probe lost too much; it stopped at `inflight_hi` (`prev_probe_too_high`, `stopped_risky_probe`).
    pub(super) went_too_high: bool,
    pub(super) stopped_early: bool,
    /// Something was lost, or marked, in this cycle.
    pub(super) has_losses: bool,
    pub(super) has_marks: bool,
    pub(super) up: Rise,
    /// Losses of this round of STARTUP, and the round after which DRAIN ends whatever is in flight.
    pub(super) startup_losses: u32,
    pub(super) drain_end: u64,
}

/// Rounds since a probe are counted to this (Linux: 8 bits).
const MOST_ROUNDS: u32 = 255;
/// The rise doubles so often at most.
const MOST_DOUBLINGS: u32 = 30;

impl Default for Cycle {
    fn default() -> Self {
        Self {
            start_us: 0,
            ack_phase: AckPhase::Init,
            rounds: 0,
            wait_us: 0,
            has_samples: false,
            went_too_high: false,
            stopped_early: false,
            has_losses: false,
            has_marks: false,
            up: Rise { acked_per_step: UNBOUNDED, acked: 0, rounds: 0 },
            startup_losses: 0,
            drain_end: 0,
        }
    }
}

impl Cycle {
    /// A round has passed.
    pub(super) fn age(&mut self) {
        self.rounds = (self.rounds + 1).min(MOST_ROUNDS);
    }
}

impl Rise {
    /// A round of it has passed (`bbr_raise_inflight_hi_slope`).
    pub(super) fn steepen(&mut self, cwnd: Segments) {
        self.acked_per_step = (cwnd >> self.rounds).max(1);
        self.rounds = (self.rounds + 1).min(MOST_DOUBLINGS);
    }
}

impl Bbr3 {
    /// `bbr_update_cycle_phase`.
    pub(super) fn advance_cycle(&mut self, ack: &Ack, sample: Bandwidth, window: &Window) {
        if !self.full_pipe.is_reached || self.adapt_upper_bound(ack, window) {
            return;
        }
        let State::ProbeBw(phase) = self.state else { return };
        match phase {
            Phase::Cruise => {
                self.refill_if_due(ack, window);
            }
            Phase::Refill => {
                if self.round.is_start {
                    self.cycle.has_samples = true;
                    self.go_up(ack, sample, window);
                }
            }
            Phase::Up => {
                if self.is_probe_done(ack, sample, window) {
                    self.cycle.went_too_high = false;
                    self.go_down(ack.now, ack.delivered);
                }
            }
            Phase::Down => {
                if !self.refill_if_due(ack, window) && self.is_drained(ack) {
                    self.cruise();
                }
            }
        }
    }

    /// At the bound at which the last probe lost too much, or where more brings no more.
    fn is_probe_done(&mut self, ack: &Ack, sample: Bandwidth, window: &Window) -> bool {
        if self.cycle.went_too_high && self.prior_flight(ack) >= self.inflight_hi {
            self.cycle.stopped_early = true;
            return true;
        }
        if ack.cwnd_limited && window.cwnd >= self.inflight_hi {
            self.full_pipe.restart(sample);
            return false;
        }
        self.full_pipe.is_now
    }

    /// What was in flight before an ACK will be when the next segment leaves.
    fn prior_flight(&self, ack: &Ack) -> Segments {
        self.flight_at_next_departure(ack, ack.rate.prior_in_flight)
    }

    /// The queue is gone, and there is headroom (`bbr_check_time_to_cruise`).
    fn is_drained(&self, ack: &Ack) -> bool {
        let flight = self.prior_flight(ack);
        flight <= self.inflight_with_headroom() && flight <= self.inflight_target(self.max_bandwidth(), Gain::UNIT)
    }

    /// `bbr_check_time_to_probe_bw`.
    fn refill_if_due(&mut self, ack: &Ack, window: &Window) -> bool {
        let ecn_reprobes = self.parameters.ecn_reprobe_gain.in_256ths() > 0 && self.ecn.is_eligible;
        if ecn_reprobes && self.cycle.has_marks && !self.cycle.has_losses && ack.state == RecoveryState::Open {
            // No more marks: others may have gone. The first step is to be so much of the bound.
            let step = self.parameters.ecn_reprobe_gain.of(self.inflight_hi);
            self.refill(ack.delivered, step.checked_ilog2().unwrap_or(0));
            return true;
        }
        let has_waited = ack.now.as_micros() > self.cycle.start_us + u64::from(self.cycle.wait_us);
        let is_due = has_waited || self.cycle.rounds >= self.rounds_of_reno(window);
        if is_due {
            self.refill(ack.delivered, 0);
        }
        is_due
    }

    /// Rounds between two losses of a Reno flow with this window: one for each segment (draft section 5.3.3.8.1;
    /// `bbr_is_reno_coexistence_probe_time`).
    fn rounds_of_reno(&self, window: &Window) -> u32 {
        let target = self.inflight_target(self.bandwidth(), Gain::UNIT).min(window.cwnd);
        target.min(self.parameters.probe_max_rounds)
    }

    /// `bbr_start_bw_probe_refill`; the rise begins as if it had lasted for so many rounds.
    pub(super) fn refill(&mut self, delivered: u64, rise_rounds: u32) {
        self.lower = super::lower_bounds::LowerBounds::NONE;
        self.cycle.up.rounds = rise_rounds;
        self.cycle.up.acked = 0;
        self.cycle.stopped_early = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.round.restart(delivered);
        self.enter(Phase::Refill);
    }

    /// `bbr_start_bw_probe_up`.
    fn go_up(&mut self, ack: &Ack, sample: Bandwidth, window: &Window) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.round.restart(ack.delivered);
        self.cycle.start_us = ack.now.as_micros();
        self.full_pipe.restart(sample);
        self.enter(Phase::Up);
        self.cycle.up.steepen(window.cwnd);
    }

    /// A new cycle, with a wait of its own (`bbr_start_bw_probe_down`).
    pub(super) fn go_down(&mut self, now: Time, delivered: u64) {
        self.reset_congestion_signals();
        self.cycle.up.acked_per_step = UNBOUNDED;
        self.cycle.rounds = self.draw_below(self.parameters.probe_rand_rounds);
        self.cycle.wait_us = self.parameters.probe_base_us + self.draw_below(self.parameters.probe_rand_us);
        self.cycle.start_us = now.as_micros();
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.round.restart(delivered);
        self.enter(Phase::Down);
    }

    /// `bbr_start_bw_probe_cruise`.
    pub(super) fn cruise(&mut self) {
        if self.lower.inflight != UNBOUNDED {
            self.lower.inflight = self.lower.inflight.min(self.inflight_hi);
        }
        self.enter(Phase::Cruise);
    }

    fn enter(&mut self, phase: Phase) {
        self.transition_to(State::ProbeBw(phase));
        self.may_pass = false;
    }
}
