//! The window: a multiple of the bandwidth-delay product, and allowances for hosts that work in bursts
//! (draft section 4.2.3).

use units::Segments;

use super::bandwidth::{Bandwidth, Gain};
use super::recovery::Modulated;
use super::{Bbr, State};
use crate::{Ack, Window};

/// Until this many segments are delivered the window grows as in slow start; and it is the window of a flow that never
/// saw an RTT (Linux: TCP_INIT_CWND; RFC 6928).
const INITIAL_WINDOW: Segments = 10;

impl Bbr {
    /// Segments that fill the path `gain` times over.
    fn path_volume(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        self.min_rtt.us().map_or(INITIAL_WINDOW, |rtt_us| bandwidth.product(rtt_us, gain))
    }

    /// Room for a burst in each host and one on its way between them; even, so that the last ACK is not a delayed one;
    /// and on small paths enough for probing to show. Linux 6.1 bbr_quantization_budget.
    fn with_room_for_bursts(&self, cwnd: Segments) -> Segments {
        let even = (cwnd + self.parameters.allowances.bursts * self.pacer.burst_goal()).next_multiple_of(2);
        let probes = matches!(self.state, State::ProbeBw(cycle) if cycle.is_up());
        if probes { even + self.parameters.allowances.slack } else { even }
    }

    /// What should be in flight to use the path `gain` times over. Linux 6.1 bbr_inflight.
    pub(super) fn inflight_target(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        self.with_room_for_bursts(self.path_volume(bandwidth, gain))
    }

    /// Moves the window towards its target. Linux 6.1 bbr_set_cwnd.
    pub(super) fn set_cwnd(&mut self, ack: &Ack, bandwidth: Bandwidth, window: &mut Window) {
        if ack.acked_sacked > 0 {
            if self.recovery.begins_with(ack) {
                self.round.restart(ack.delivered);
            }
            window.cwnd = match self.recovery.modulate(ack, window.cwnd) {
                Modulated::Fixed(cwnd) => cwnd,
                Modulated::Free(cwnd) => self.towards_target(ack, bandwidth, cwnd),
            };
        }
        if matches!(self.state, State::ProbeRtt(_)) {
            window.cwnd = window.cwnd.min(self.parameters.min_cwnd);
        }
    }

    fn towards_target(&self, ack: &Ack, bandwidth: Bandwidth, cwnd: Segments) -> Segments {
        let mut target = self.path_volume(bandwidth, self.gains.cwnd);
        if self.full_pipe.is_full() {
            target += self.aggregation.allowance(&self.parameters.allowances, bandwidth);
        }
        let target = self.with_room_for_bursts(target);
        let grown = cwnd + ack.acked_sacked;
        let cwnd = if self.full_pipe.is_full() {
            grown.min(target)
        } else if cwnd < target || ack.delivered < u64::from(INITIAL_WINDOW) {
            // Until the pipe was full the estimates lag behind: never cut by them.
            grown
        } else {
            cwnd
        };
        cwnd.max(self.parameters.min_cwnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples;

    /// 1 segment/ms and 20 ms: 20 segments fill the path, with a full pipe behind it.
    fn bbr(given: &[(&str, f64)]) -> (Bbr, Bandwidth) {
        let mut bbr = Bbr::with(given, &samples::start());
        let bandwidth = Bandwidth::of_delivery(1u32, 1_000u32);
        bbr.max_bandwidth.insert(0, bandwidth.to_bits());
        for _ in 0..4 {
            bbr.round.is_start = true;
            bbr.check_full_pipe(&samples::ack());
        }
        assert!(bbr.full_pipe.is_full());
        bbr.transition_to(State::Drain);
        (bbr, bandwidth)
    }

    #[test]
    fn the_target_has_room_for_three_bursts_and_is_even() {
        // 2 Mbit/s of payload: bursts of 2.
        let (bbr, bandwidth) = bbr(&[]);
        assert_eq!(bbr.pacer.burst_goal(), 2);
        assert_eq!(bbr.inflight_target(bandwidth, Gain::UNIT), 26);
        assert_eq!(bbr.inflight_target(bandwidth, Gain::from_256ths(269)), 28, "21.02 is 22, and 28");
        let (bbr, bandwidth) = super::tests::bbr(&[("quantisation_bursts", 1.0)]);
        assert_eq!(bbr.inflight_target(bandwidth, Gain::UNIT), 22);
    }

    #[test]
    fn probing_has_the_slack_unless_it_is_switched_off() {
        let target = |given| {
            let (mut bbr, bandwidth) = bbr(given);
            bbr.state = State::ProbeBw(Default::default());
            bbr.inflight_target(bandwidth, Gain::UNIT)
        };
        assert_eq!(target(&[]), 28);
        assert_eq!(target(&[("quantisation_slack", 0.0)]), 26);
    }

    #[test]
    fn without_an_rtt_the_initial_window_is_the_volume() {
        let mut bbr = Bbr::with(&[], &crate::Start { rtt_us: None, ..samples::start() });
        bbr.max_bandwidth.insert(0, 1 << 24);
        assert_eq!(bbr.path_volume(bbr.max_bandwidth(), Gain::UNIT), 10);
    }

    /// The window after one ACK of a segment.
    fn cwnd_after(bbr: &mut Bbr, ack: &Ack, cwnd: Segments) -> Segments {
        let mut window = Window { cwnd, ssthresh: Segments::MAX };
        let bandwidth = bbr.bandwidth();
        bbr.set_cwnd(ack, bandwidth, &mut window);
        window.cwnd
    }

    #[test]
    fn a_full_pipe_bounds_the_window_by_its_target_and_four() {
        let (mut bbr, _) = bbr(&[]);
        bbr.gains.cwnd = Gain::from_256ths(512);
        // 2 x 20 and 3 bursts of 2.
        assert_eq!([30, 45, 46, 90].map(|cwnd| cwnd_after(&mut bbr, &samples::ack(), cwnd)), [31, 46, 46, 46]);
        assert_eq!(cwnd_after(&mut bbr, &samples::ack(), 1), 4);
    }

    #[test]
    fn before_that_it_never_shrinks() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let ack = Ack { delivered: 100, ..samples::ack() };
        assert_eq!([10, 90].map(|cwnd| cwnd_after(&mut bbr, &ack, cwnd)), [10, 90], "no bandwidth, no target");
        let early = Ack { delivered: 9, ..ack };
        assert_eq!(cwnd_after(&mut bbr, &early, 10), 11);
    }

    #[test]
    fn an_ack_of_nothing_leaves_the_window() {
        let (mut bbr, _) = bbr(&[]);
        let ack = Ack { acked_sacked: 0, ..samples::ack() };
        assert_eq!(cwnd_after(&mut bbr, &ack, 90), 90);
    }

    #[test]
    fn the_first_ack_of_recovery_begins_a_round_of_conservation() {
        let (mut bbr, _) = bbr(&[]);
        let mut ack = Ack { state: crate::RecoveryState::Recovery, in_flight: 12, delivered: 50, ..samples::ack() };
        ack.rate.losses = 2;
        assert_eq!(cwnd_after(&mut bbr, &ack, 40), 13);
        assert!(!bbr.round.ends_with(49, 51));
        assert!(bbr.round.ends_with(50, 52));
    }
}
