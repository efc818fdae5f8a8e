//! PROBE_BW: a cycle of pacing gains around the known bandwidth (draft section 4.3.4).
//!
//! One phase sends a quarter more, to see whether there is more bandwidth; the next a quarter less, to drain the queue
//! that this made; the other six cruise. A phase lasts a `min_rtt`, but probing goes on until the flight has really
//! grown (or a loss shows that there is no room), and draining ends early when the queue is gone. The cycle begins
//! in a random phase other than draining, so that flows do not probe in step.

use super::bandwidth::Gain;
use super::cycle::Cycle;
use super::{Bbr, State};
use crate::Ack;

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

#[cfg(test)]
mod tests {
    use units::{Segments, Span, Time};

    use super::super::cycle::{DOWN, UP};
    use super::*;
    use crate::CongestionControl as _;
    use crate::event::samples;
    use crate::ideal_path::{Flow, Path};

    /// 1 segment/ms and 20 ms: 20 segments fill the path, and the gains of `phase` are in force.
    fn in_phase(phase: u32) -> (Bbr, Cycle) {
        let mut bbr = Bbr::with(&[], &samples::start());
        bbr.max_bandwidth.insert(0, (1 << 24) / 1_000);
        let cycle = Cycle { phase, start_us: 0 };
        bbr.state = State::ProbeBw(cycle);
        bbr.gains = bbr.state.gains(&bbr.parameters, false);
        (bbr, cycle)
    }

    fn is_over(phase: u32, elapsed_us: u64, prior_in_flight: Segments, losses: Segments) -> bool {
        let (mut bbr, cycle) = in_phase(phase);
        bbr.counters.delivered_us = elapsed_us;
        let mut ack = samples::ack();
        ack.rate.prior_in_flight = prior_in_flight;
        ack.rate.losses = losses;
        bbr.phase_is_over(&cycle, &ack)
    }

    #[test]
    fn cruising_lasts_a_min_rtt() {
        assert_eq!([20_000, 20_001].map(|us| is_over(2, us, 0, 0)), [false, true]);
    }

    #[test]
    fn probing_lasts_until_the_flight_has_grown_or_a_loss_shows_that_it_cannot() {
        // 25 segments at the gain of 1.25, three bursts of 2, evened, and the slack of 2: 34; the next burst counts.
        assert_eq!([31, 32].map(|flight| is_over(UP, 20_001, flight, 0)), [false, true]);
        assert!(is_over(UP, 20_001, 10, 1));
        assert!(!is_over(UP, 20_000, 50, 1), "not before a min_rtt has passed");
    }

    #[test]
    fn draining_ends_early_when_the_queue_is_gone() {
        assert_eq!([27, 26].map(|flight| is_over(DOWN, 1, flight, 0)), [false, true]);
        assert!(is_over(DOWN, 20_001, 50, 0));
    }

    #[test]
    fn a_flow_alone_cycles_in_order_and_each_phase_takes_a_round() {
        let mut flow = Flow::new(Path::of(10, 2.0), |start| Bbr::with(&[], start));
        flow.run(Span::from_secs(1));
        let mut changes: Vec<(u16, Time)> = Vec::new();
        flow.run_until(Time::ZERO + Span::from_secs(5), |flow, ack| {
            let gain = flow.cc.inspect().pacing_gain_256ths;
            if changes.last().map(|&(last, _)| last) != Some(gain) {
                changes.push((gain, ack.now));
            }
        });
        assert!(changes.len() > 20, "{changes:?}");
        for (before, after) in changes.iter().zip(&changes[1..]).skip(1) {
            let expected = match before.0 {
                320 => 192,
                192 => 256,
                _ => 320,
            };
            assert_eq!(after.0, expected);
            let ms = after.1.since(before.1).as_millis();
            let plausible = if before.0 == 256 { 115..=160 } else { 2..=45 };
            assert!(plausible.contains(&ms), "gain {} lasted {ms} ms", before.0);
        }
    }
}
