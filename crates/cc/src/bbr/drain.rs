//! DRAIN: pace below the bandwidth until what is in flight fits the path (draft section 4.3.3).

use super::bandwidth::Gain;
use super::{Bbr, State};
use crate::{Ack, Window};

impl Bbr {
    /// Linux 6.1 bbr_check_drain. The threshold that is set here plays no part in BBR; it is the value that the
    /// transport and its traces show.
    pub(super) fn check_drain(&mut self, ack: &Ack, window: &mut Window) {
        if matches!(self.state, State::Startup) && self.full_pipe.is_full() {
            self.transition_to(State::Drain);
            window.ssthresh = self.inflight_target(self.max_bandwidth(), Gain::UNIT);
        }
        // Also at once: what is in flight may be small already.
        if matches!(self.state, State::Drain)
            && self.flight_at_next_departure(ack, ack.in_flight)
                <= self.inflight_target(self.max_bandwidth(), Gain::UNIT)
        {
            self.enter_probe_bw();
        }
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::CongestionControl as _;
    use crate::ideal_path::{Flow, Path};

    #[test]
    fn drain_paces_slowly_until_what_is_in_flight_fits_the_path() {
        let path = Path::of(10, 4.0);
        let mut flow = Flow::new(path, |start| Bbr::with(&[], start));
        let (mut in_drain, mut previous) = (Vec::new(), "startup");
        let mut flight_after = 0;
        flow.run_until(Time::ZERO + Span::from_secs(2), |flow, ack| {
            if flow.phase() == "drain" {
                in_drain.push((flow.cc.inspect(), ack.in_flight));
            } else if previous == "drain" {
                flight_after = ack.in_flight;
            }
            previous = flow.phase();
        });
        let (first, flight_before) = in_drain[0];
        assert_eq!((first.pacing_gain_256ths, first.cwnd_gain_256ths), (88, 739));
        // 200 segments fill the path; 3 bursts of about 10 segments (1 ms) come on top.
        let target = u64::from(flight_after);
        assert!((path.bdp()..=path.bdp() + 36).contains(&target), "{target}");
        assert!(flight_before > flight_after + 100, "{flight_before} {flight_after}");
        assert!(in_drain.iter().all(|(_, flight)| *flight >= flight_after));
        // At the rate of STARTUP a burst still had 2.9 times as many.
        assert!((path.bdp()..=path.bdp() + 90).contains(&u64::from(flow.window.ssthresh)), "{:?}", flow.window);
    }
}
