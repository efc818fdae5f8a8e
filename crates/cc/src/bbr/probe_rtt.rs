//! `PROBE_RTT`: the dip in flight that shows the path's RTT without queue (draft section 4.3.5).
//!
//! When the smallest RTT (`min_rtt`) has stood for ten seconds without being undercut, the flight is cut to four segments
//! for 200 ms and a round trip, so that the queue empties and the RTT shows itself: 2 % of the time. Flows that share a
//! bottleneck fall into step, because the same empty queue refreshes all of them.

use units::Time;

use super::dip::Dip;
use super::{Bbr, State};
use crate::{Ack, Window};

impl Bbr {
    /// Linux 6.1 bbr_update_min_rtt.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack, window: &mut Window) {
        let now_ms = ack.now.as_millis();
        let expired = self.min_rtt.has_expired(&self.parameters, now_ms);
        if let Some(rtt_us) = ack.rate.rtt_us {
            self.min_rtt.observe(&self.parameters, rtt_us, ack.rate.is_ack_delayed, now_ms);
        }
        if expired
            && self.parameters.probe_rtt_ms > 0
            && !self.idle_restart
            && !matches!(self.state, State::ProbeRtt(_))
        {
            self.transition_to(State::ProbeRtt(Dip::default()));
            self.recovery.save_cwnd(window.cwnd, true);
        }
        self.limits_flight = matches!(self.state, State::ProbeRtt(_));
        if let State::ProbeRtt(dip) = &mut self.state
            && dip.advance(ack, self.parameters.min_cwnd, self.parameters.probe_rtt_ms, &mut self.round)
        {
            self.end_probe_rtt_if_done(ack.now, window);
        }
        if ack.rate.delivered.is_some_and(|delivered| delivered > 0) {
            self.idle_restart = false;
        }
    }

    /// Back to where the flow was, with the window it had. Linux 6.1 bbr_check_probe_rtt_done.
    pub(super) fn end_probe_rtt_if_done(&mut self, now: Time, window: &mut Window) {
        if !matches!(self.state, State::ProbeRtt(dip) if dip.is_over(now)) {
            return;
        }
        self.min_rtt.restart_window(now.as_millis());
        window.cwnd = window.cwnd.max(self.recovery.prior_cwnd());
        if self.full_pipe.is_full() {
            self.enter_probe_bw();
        } else {
            self.transition_to(State::Startup);
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;
    use crate::CongestionControl as _;
    use crate::event::samples;
    use crate::ideal_path::{Flow, Path};

    fn at(seconds: f64) -> Time {
        Time::from_nanos((seconds * 1e9) as u64)
    }

    /// When `PROBE_RTT` began and ended, s, and the smallest flight in it, until `end_s`.
    fn dips(given: &[(&str, f64)], path: Path, end_s: f64) -> Vec<(f64, f64, u32)> {
        let mut flow = Flow::new(path, |start| Bbr::with(given, start));
        let mut dips: Vec<(f64, f64, u32)> = Vec::new();
        let mut inside = false;
        flow.run_until(at(end_s), |flow, ack| {
            let now = ack.now.as_nanos() as f64 * 1e-9;
            if flow.phase() != "probe_rtt" {
                inside = false;
            } else if let Some(dip) = dips.last_mut().filter(|_| inside) {
                *dip = (dip.0, now, dip.2.min(ack.in_flight));
            } else {
                inside = true;
                dips.push((now, now, ack.in_flight));
            }
        });
        dips
    }

    #[test]
    fn the_flight_dips_to_four_after_ten_seconds_for_200_ms_and_a_round() {
        // A standing queue, so that no RTT comes down to the first: 1000 segments/s of another flow's making.
        let dips = dips(&[], Path::of(10, 4.0), 32.0);
        assert!((2..=3).contains(&dips.len()), "{dips:?}");
        for (began, ended, flight) in &dips {
            let lasted = ended - began;
            assert!((0.2..0.32).contains(&lasted), "{lasted} s");
            assert!(*flight <= 4);
        }
        assert!(dips[0].0 > 10.0);
        assert!(dips[1].0 - dips[0].1 > 10.0 && dips[1].0 - dips[0].1 < 10.3, "{dips:?}");
    }

    #[test]
    fn window_length_and_floor_are_parameters() {
        let given = [("min_rtt_window_s", 3.0), ("probe_rtt_ms", 500.0), ("min_cwnd", 8.0)];
        let dips = dips(&given, Path::of(10, 4.0), 5.0);
        let (began, ended, flight) = dips[0];
        assert!(began > 3.0 && began < 3.6 && ended - began > 0.45, "{dips:?}");
        assert!((5..=8).contains(&flight));
        assert_eq!(dips.len(), 1);
    }

    #[test]
    fn a_length_of_zero_switches_it_off() {
        assert_eq!(dips(&[("probe_rtt_ms", 0.0)], Path::of(10, 4.0), 25.0), []);
    }

    #[test]
    fn the_window_of_before_returns_and_samples_of_the_dip_count_as_limited() {
        let mut flow = Flow::new(Path::of(10, 4.0), |start| Bbr::with(&[], start));
        flow.run_until(at(5.0), |_, _| {});
        let before = (flow.window.cwnd, flow.cc.inspect().bandwidth);
        let mut seen_dip = false;
        flow.run_until(at(13.0), |flow, _| {
            if flow.phase() == "probe_rtt" {
                seen_dip = true;
                assert!(flow.cc.limits_flight());
                assert!(flow.window.cwnd <= 4);
            }
        });
        assert!(seen_dip && !flow.cc.limits_flight());
        let after = (flow.window.cwnd, flow.cc.inspect().bandwidth);
        assert!(after.0.abs_diff(before.0) <= 8, "{before:?} {after:?}");
        assert_eq!(after.1, before.1);
    }

    #[test]
    fn after_idle_the_minimum_is_renewed_without_a_dip() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let mut window = Window { cwnd: 10, ssthresh: u32::MAX };
        bbr.idle_restart = true;
        let ack = Ack { now: Time::ZERO + Span::from_secs(11), ..samples::ack() };
        bbr.update_min_rtt(&ack, &mut window);
        assert!(matches!(bbr.state, State::Startup));
        assert!(!bbr.idle_restart);
    }

    #[test]
    fn a_pipe_that_was_never_full_sends_the_flow_back_to_startup() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let mut window = Window { cwnd: 4, ssthresh: u32::MAX };
        bbr.state = State::ProbeRtt(Dip { end_ms: Some(100), round_done: true });
        bbr.recovery.save_cwnd(50, true);
        bbr.end_probe_rtt_if_done(Time::ZERO + Span::from_millis(100), &mut window);
        assert!(matches!(bbr.state, State::ProbeRtt(_)), "not before the time has passed");
        bbr.end_probe_rtt_if_done(Time::ZERO + Span::from_millis(101), &mut window);
        assert!(matches!(bbr.state, State::Startup));
        assert_eq!(window.cwnd, 50);
    }
}
