//! CUBIC: the window is a cubic function of the time since the last congestion (RFC 9438).
//!
//! After a reduction the window climbs steeply, levels off around the window at which congestion was met (W_max), and
//! then probes beyond it ever faster: W(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd) / C). On short or slow paths
//! it never grows less than Reno would. `HyStart` ends slow start before the queue overflows.
//!
//! The arithmetic is that of Linux 6.1's `tcp_cubic.c`, integers at a tick of 1 ms, which differs from RFC 9438:
//! - beta is 717/1024 and C 410/1024; time counts in 1/1024 s;
//! - growth is "one segment per so many acknowledged" (`price`), recomputed at most once a millisecond, and at
//!   most every 31 ms while the window stands still; before a first W_max is known at least 5 % a round trip
//!   (the RFC has no such floor), and never more than 1.5 times (section 4.2);
//! - the Reno-friendly estimate does not turn to alpha = 1 at the prior window (section 4.3);
//! - RTT samples of an epoch's first second are not believed; after idle the epoch moves (section 5.8).
//!
//! Differs from Linux: the cube root is exact (the kernel's table errs by 0.2 % on average), and products that wrap in
//! the kernel (epochs above 350 s without congestion, windows above 2 million segments) saturate. An ACK on which
//! recovery begins reaches HyStart after the reduction, not before it.

mod curve;
mod hystart;

pub use hystart::HyStartExit;

use units::Segments;

use crate::growth::{CwndCounter, left_for_avoidance};
use crate::parameter::Values;
use crate::{Ack, Algorithm, CongestionControl, Inspection, Parameter, RecoveryState, Restart, Start, Window};
use curve::{BETA_SCALE, Curve, Region, Shape};
use hystart::HyStart;

/// Linux 6.1 cubictcp_recalc_ssthresh; RFC 9438 section 4.6.
const MIN_SSTHRESH: Segments = 2;
/// RTT samples of the first second of an epoch are not believed: the queue of the loss is still there.
/// Linux 6.1 cubictcp_acked.
const DISTRUST_MS: u64 = 1_000;

/// What the registry knows of CUBIC.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "cubic",
    title: "the window is a cubic function of the time since the last congestion",
    source: "RFC 9438; arithmetic of Linux 6.1 tcp_cubic.c",
    parameters: &[
        Parameter::number("beta", 0.7, 0.05, 0.99)
            .about("share of the window that congestion leaves, in steps of 1/1024")
            .source("RFC 9438 section 4.6; Linux 6.1 beta = 717/1024"),
        Parameter::number("c", 0.4, 0.01, 100.0)
            .unit("segments/s^3")
            .about("steepness of the cubic function, in steps of 10/1024")
            .source("RFC 9438 section 5.1; Linux 6.1 bic_scale = 41 of 1024, times 10"),
        Parameter::switch("fast_convergence", true)
            .about("aim below the old maximum when congestion comes before it was reached again")
            .source("RFC 9438 section 4.7; Linux 6.1 fast_convergence"),
        Parameter::switch("friendly", true)
            .about("never grow less than Reno with this beta would")
            .source("RFC 9438 section 4.3; Linux 6.1 tcp_friendliness"),
        Parameter::integer("initial_growth_price", 20.0, 2.0, 1e6)
            .unit("segments")
            .about("segments acknowledged per segment of growth, at most, before a first maximum is known")
            .source("Linux 6.1 bictcp_update (5 % a round trip)"),
        Parameter::integer("growth_price_min", 2.0, 1.0, 1e6)
            .unit("segments")
            .about("segments acknowledged per segment of growth, at least")
            .source("RFC 9438 section 4.2 (1.5 times a round trip); Linux 6.1 bictcp_update"),
        Parameter::integer("update_interval_ms", 31.0, 0.0, 10_000.0)
            .unit("ms")
            .about("while the window stands still, growth is recomputed only after more than this")
            .source("Linux 6.1 bictcp_update (HZ/32)"),
        Parameter::switch("hystart", true)
            .about("end slow start before the queue overflows")
            .source("RFC 9438 section 4.10; Linux 6.1 hystart"),
        Parameter::switch("hystart_train", true)
            .about("HyStart's first test: a train of ACKs longer than the path")
            .source("Linux 6.1 hystart_detect, bit 1"),
        Parameter::switch("hystart_delay", true)
            .about("HyStart's second test: a round's smallest delay has risen")
            .source("Linux 6.1 hystart_detect, bit 2"),
        Parameter::integer("hystart_low_window", 16.0, 0.0, 1e6)
            .unit("segments")
            .about("smallest window at which HyStart may end slow start")
            .source("Linux 6.1 hystart_low_window"),
        Parameter::integer("hystart_ack_delta_us", 2_000.0, 0.0, 1e6)
            .unit("µs")
            .about("ACKs at most this far apart belong to one train")
            .source("Linux 6.1 hystart_ack_delta_us"),
        Parameter::integer("hystart_min_samples", 8.0, 0.0, 1e6)
            .unit("samples")
            .about("delay samples of a round to wait for before judging it")
            .source("Linux 6.1 HYSTART_MIN_SAMPLES"),
        Parameter::integer("hystart_delay_min_us", 4_000.0, 0.0, 1e7)
            .unit("µs")
            .about("least rise in delay (an eighth of the minimum RTT) that ends slow start")
            .source("Linux 6.1 HYSTART_DELAY_MIN; RFC 9406 MIN_RTT_THRESH"),
        Parameter::integer("hystart_delay_max_us", 16_000.0, 0.0, 1e7)
            .unit("µs")
            .about("rise in delay that always ends slow start")
            .source("Linux 6.1 HYSTART_DELAY_MAX; RFC 9406 MAX_RTT_THRESH"),
        Parameter::integer("hystart_burst_bytes", 65_215.0, 0.0, 1e6)
            .unit("B")
            .about("largest burst of the sending host; a train may be longer by the time of four of them, at most 1 ms")
            .source("Linux 6.1 hystart_ack_delay (sk_gso_max_size = 64 kB - 1 - MAX_TCP_HEADER)"),
    ],
    ordered: &[("hystart_delay_min_us", "hystart_delay_max_us")],
    needs_ecn: false,
    needs_accurate_ecn: false,
};

/// The names of [`Phase`].
const PHASES: &[&str] = &["slow_start", "reno_friendly", "concave", "convex"];

/// Slow start, or the region of RFC 9438 section 4.2 that set the pace when growth was last computed.
#[derive(Clone, Copy, Debug, Default)]
enum Phase {
    #[default]
    SlowStart,
    RenoFriendly,
    Concave,
    Convex,
}

/// RFC 9438's congestion control with HyStart.
#[derive(Clone, Debug)]
pub struct Cubic {
    shape: Shape,
    fast_convergence: bool,
    curve: Curve,
    counter: CwndCounter,
    hystart: HyStart,
    /// Smallest RTT that was believed, µs; 0 before the first.
    delay_min_us: u32,
    phase: Phase,
}

impl Cubic {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        Self {
            shape: Shape::new(values),
            fast_convergence: values.switch("fast_convergence"),
            curve: Curve::default(),
            counter: CwndCounter::default(),
            hystart: HyStart::new(values, start.now),
            delay_min_us: 0,
            phase: Phase::default(),
        }
    }

    /// Why HyStart ended slow start; `None` while it has not, and again after a timeout.
    pub fn hystart_exit(&self) -> Option<HyStartExit> {
        self.hystart.exit()
    }

    /// Takes in an RTT sample and lets HyStart judge it. Linux 6.1 cubictcp_acked.
    fn observe_delay(&mut self, ack: &Ack, now_ms: u64, window: &mut Window) {
        let Some(rtt_us) = ack.rate.rtt_us else { return };
        if self.curve.epoch_start_ms().is_some_and(|start| now_ms.saturating_sub(start) < DISTRUST_MS) {
            return;
        }
        let delay_us = rtt_us.max(1);
        if self.delay_min_us == 0 || delay_us < self.delay_min_us {
            self.delay_min_us = delay_us;
        }
        if window.in_slow_start() && self.hystart.ends_slow_start(ack, delay_us, self.delay_min_us, window.cwnd) {
            window.ssthresh = window.cwnd;
        }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let now_ms = ack.now.as_millis();
        self.observe_delay(ack, now_ms, window);
        if ack.may_grow
            && ack.cwnd_limited
            && let Some(acked) = left_for_avoidance(window, ack.acked_sacked)
        {
            let price = self.curve.price(&self.shape, now_ms, self.delay_min_us, window.cwnd, acked);
            self.counter.add(window, price, acked);
        }
        self.phase = match self.curve.region() {
            _ if window.in_slow_start() => Phase::SlowStart,
            Region::RenoFriendly => Phase::RenoFriendly,
            Region::Concave => Phase::Concave,
            Region::Convex => Phase::Convex,
        };
    }

    /// RFC 9438 sections 4.6 and 4.7. Linux 6.1 cubictcp_recalc_ssthresh.
    fn on_congestion(&mut self, window: &Window) -> Segments {
        self.counter.reset();
        self.curve.end_epoch();
        let (cwnd, beta) = (u64::from(window.cwnd), u64::from(self.shape.beta_1024ths()));
        let below_the_old_maximum = window.cwnd < self.curve.w_max();
        let w_max = if below_the_old_maximum && self.fast_convergence {
            // Somebody else needs room: aim lower than what was just reached, so that they get it.
            (cwnd * (BETA_SCALE + beta) / (2 * BETA_SCALE)) as Segments
        } else {
            window.cwnd
        };
        self.curve.set_w_max(w_max);
        ((cwnd * beta / BETA_SCALE) as Segments).max(MIN_SSTHRESH)
    }

    /// After a timeout nothing that was learned of the path is believed. Linux 6.1 cubictcp_state.
    fn on_state(&mut self, state: RecoveryState, _window: &mut Window) {
        if state == RecoveryState::Loss {
            self.counter.reset();
            self.curve = Curve::default();
            self.delay_min_us = 0;
            self.hystart.restart();
        }
    }

    /// RFC 9438 section 5.8: idle time is not time on the curve. Linux 6.1 cubictcp_cwnd_event.
    fn on_restart(&mut self, restart: &Restart, _window: &mut Window) {
        self.curve.skip_idle(restart.last_sent.as_millis(), restart.now.as_millis());
    }

    fn phases(&self) -> &'static [&'static str] {
        PHASES
    }

    fn inspect(&self) -> Inspection {
        let min_rtt_us = (self.delay_min_us > 0).then_some(self.delay_min_us);
        Inspection { phase: self.phase as u8, min_rtt_us, ..Inspection::default() }
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::event::samples;
    use crate::ideal_path::{Flow, Path};

    fn cubic(given: &[(&str, f64)], start: &Start) -> Cubic {
        ALGORITHM.with(given, |values| Cubic::new(values, start))
    }

    fn window(cwnd: Segments) -> Window {
        Window { cwnd, ssthresh: Segments::MAX }
    }

    #[test]
    fn congestion_leaves_717_of_1024_and_two_segments_at_least() {
        let mut cc = cubic(&[], &samples::start());
        assert_eq!([1_024, 10, 2].map(|cwnd| cc.on_congestion(&window(cwnd))), [717, 7, 2]);
    }

    #[test]
    fn beta_is_a_parameter() {
        assert_eq!(cubic(&[("beta", 0.5)], &samples::start()).on_congestion(&window(100)), 50);
    }

    #[test]
    fn fast_convergence_aims_below_a_maximum_that_was_not_reached_again() {
        let w_max_after = |given: &[(&str, f64)], windows: &[Segments]| {
            let mut cc = cubic(given, &samples::start());
            windows.iter().for_each(|&cwnd| _ = cc.on_congestion(&window(cwnd)));
            cc.curve.w_max()
        };
        assert_eq!(w_max_after(&[], &[1_000]), 1_000);
        assert_eq!(w_max_after(&[], &[1_000, 800]), 800 * (1_024 + 717) / 2_048);
        assert_eq!(w_max_after(&[], &[1_000, 1_000]), 1_000);
        assert_eq!(w_max_after(&[("fast_convergence", 0.0)], &[1_000, 800]), 800);
    }

    #[test]
    fn a_timeout_forgets_the_path() {
        let mut cc = cubic(&[], &samples::start());
        cc.on_ack(&samples::ack(), &mut window(20));
        cc.on_congestion(&window(1_000));
        assert_eq!((cc.delay_min_us, cc.curve.w_max()), (20_000, 1_000));
        cc.on_state(RecoveryState::Loss, &mut window(1));
        assert_eq!((cc.delay_min_us, cc.curve.w_max(), cc.hystart_exit()), (0, 0, None));
    }

    #[test]
    fn delays_of_an_epochs_first_second_are_not_believed() {
        let mut cc = cubic(&[], &samples::start());
        let mut w = Window { cwnd: 20, ssthresh: 20 };
        let mut delay_min_after = |at_ms: u64, rtt_us| {
            let mut ack = Ack { now: Time::ZERO + Span::from_millis(at_ms), ..samples::ack() };
            ack.rate.rtt_us = Some(rtt_us);
            cc.on_ack(&ack, &mut w);
            cc.delay_min_us
        };
        assert_eq!(delay_min_after(1_000, 20_000), 20_000);
        assert_eq!(delay_min_after(1_999, 15_000), 20_000);
        assert_eq!(delay_min_after(2_000, 15_000), 15_000);
    }

    #[test]
    fn an_unpaced_flow_leaves_slow_start_by_its_ack_train_without_loss() {
        let mut flow = Flow::new(Path::of(10, 1.0), |start| cubic(&[], start));
        flow.run(Span::from_millis(150));
        assert_eq!(flow.cc.hystart_exit(), Some(HyStartExit::AckTrain));
        assert_eq!(flow.lost, 0);
        assert!(u64::from(flow.window.ssthresh) >= flow.path.bdp() / 3, "{:?}", flow.window);
    }

    #[test]
    fn a_flow_whose_acks_are_spaced_leaves_it_by_delay() {
        // 3 ms between ACKs are no train; 9.4 ms more than 75 ms are a rise.
        let (rtt, ack_slot) = (Span::from_millis(75), Span::from_millis(3));
        let path = Path { rtt, ack_slot, buffer: 300, ..Path::of(1, 0.0) };
        let mut flow = Flow::new(path, |start| cubic(&[], start));
        flow.run(Span::from_millis(800));
        assert_eq!(flow.cc.hystart_exit(), Some(HyStartExit::Delay));
        assert_eq!(flow.lost, 0);
    }

    #[test]
    fn without_hystart_slow_start_ends_with_loss() {
        let mut flow = Flow::new(Path::of(10, 1.0), |start| cubic(&[("hystart", 0.0)], start));
        flow.run(Span::from_millis(500));
        assert_eq!(flow.cc.hystart_exit(), None);
        assert!(flow.lost > 100);
    }

    #[test]
    fn phases_name_the_region() {
        let mut flow = Flow::new(Path::of(10, 1.0), |start| cubic(&[], start));
        let mut seen = Vec::new();
        flow.run_until(Time::ZERO + Span::from_secs(20), |flow, _| {
            if seen.last() != Some(&flow.phase()) {
                seen.push(flow.phase());
            }
        });
        assert_eq!(seen[0], "slow_start");
        for phase in ["concave", "convex"] {
            assert!(seen.contains(&phase), "{seen:?}");
        }
        let utilization = flow.delivered as f64 / 200_000.0;
        assert!(utilization > 0.9, "{utilization}");
    }
}
