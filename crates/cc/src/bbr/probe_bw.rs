//! PROBE_BW: a cycle of pacing gains around the known bandwidth (draft section 4.3.3).
//!
//! One phase sends a quarter more, to see whether there is more bandwidth; the next a quarter less, to drain the queue
//! that this made; the other six cruise. A phase lasts a `min_rtt`, but probing goes on until the flight has really
//! grown (or a loss shows that there is no room), and draining ends early when the queue is gone. The cycle begins
//! in a random phase other than draining, so that flows do not probe in step.

use rand_core::RngCore;

use super::bandwidth::Gain;
use super::parameters::Parameters;
use super::{Bbr, State};
use crate::Ack;

/// The phase that probes.
const UP: u32 = 0;
/// The phase that drains.
const DOWN: u32 = 1;

/// Where in the cycle, and since when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    phase: u32,
    start_us: u64,
}

impl Cycle {
    /// Begins in a random phase. Linux 6.1 bbr_reset_probe_bw_mode: as if advanced from one of the last
    /// `cycle_rand` phases.
    pub(super) fn begin(parameters: &Parameters, random: &mut impl RngCore, now_us: u64) -> Self {
        let draw = (u64::from(random.next_u32()) * u64::from(parameters.cycle_rand)) >> 32;
        let mut cycle = Self { phase: parameters.cycle_len - 1 - draw as u32, start_us: now_us };
        cycle.advance(parameters, now_us);
        cycle
    }

    fn advance(&mut self, parameters: &Parameters, now_us: u64) {
        self.phase = if self.phase + 1 == parameters.cycle_len { UP } else { self.phase + 1 };
        self.start_us = now_us;
    }

    pub(super) fn is_up(&self) -> bool {
        self.phase == UP
    }

    pub(super) fn pacing_gain(&self, parameters: &Parameters) -> Gain {
        match self.phase {
            UP => parameters.probe_gain,
            DOWN => parameters.probe_down_gain,
            _ => Gain::UNIT,
        }
    }
}

impl Bbr {
    /// Linux 6.1 bbr_update_cycle_phase.
    pub(super) fn advance_cycle(&mut self, ack: &Ack) {
        let State::ProbeBw(mut cycle) = self.state else { return };
        if self.phase_is_over(&cycle, ack) {
            cycle.advance(&self.parameters, self.counters.delivered_us);
            self.state = State::ProbeBw(cycle);
        }
    }

    /// Linux 6.1 bbr_is_next_cycle_phase.
    fn phase_is_over(&self, cycle: &Cycle, ack: &Ack) -> bool {
        let elapsed_us = self.counters.delivered_us.saturating_sub(cycle.start_us);
        let is_full_length = self.min_rtt.us().is_some_and(|min_rtt_us| elapsed_us > u64::from(min_rtt_us));
        let gain = self.gains.pacing;
        let flight = || self.flight_at_next_departure(ack, ack.rate.prior_in_flight);
        let target = |gain| self.inflight_target(self.max_bandwidth(), gain);
        if gain > Gain::UNIT {
            is_full_length && (ack.rate.losses > 0 || flight() >= target(gain))
        } else if gain < Gain::UNIT {
            is_full_length || flight() <= target(Gain::UNIT)
        } else {
            is_full_length
        }
    }
}
