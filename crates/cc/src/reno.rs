//! Reno: additive increase, multiplicative decrease (RFC 5681).
//!
//! Slow start adds a segment for each acknowledged, congestion avoidance a segment a window; congestion halves the
//! window. Recovery itself (fast retransmit, window reduction) belongs to the transport.
//!
//! Follows the arithmetic of Linux 6.1's `tcp_reno_cong_avoid` and `tcp_reno_ssthresh`. Differs from RFC 5681:
//! growth counts acknowledged segments, not ACKs, so delayed ACKs do not slow it, and slow start ends exactly at the
//! threshold; the new threshold comes from cwnd rather than from the flight (equation 4), because growth while the
//! application limits is refused anyway.

use units::Segments;

use crate::growth::{CwndCounter, left_for_avoidance};
use crate::parameter::Values;
use crate::{Ack, Algorithm, CongestionControl, Inspection, Parameter, RecoveryState, Start, Window};

/// Denominator of `beta`: a power of two, so that the halving of RFC 5681 is exact.
const BETA_SCALE: u64 = 1_024;
/// RFC 5681 equation 4: the threshold is never below two segments.
const MIN_SSTHRESH: Segments = 2;

/// What the registry knows of Reno.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "reno",
    title: "additive increase, multiplicative decrease",
    source: "RFC 5681; arithmetic of Linux 6.1 tcp_cong.c",
    parameters: &[Parameter::number("beta", 0.5, 0.05, 0.99)
        .about("share of the window that congestion leaves, in steps of 1/1024")
        .source("RFC 5681 equation 4; Linux 6.1 tcp_reno_ssthresh")],
    ordered: &[],
    needs_ecn: false,
    needs_accurate_ecn: false,
};

/// The names of [`Phase`].
const PHASES: &[&str] = &["slow_start", "avoidance"];

#[derive(Clone, Copy, Debug, Default)]
enum Phase {
    #[default]
    SlowStart,
    Avoidance,
}

/// RFC 5681's congestion control.
#[derive(Clone, Debug)]
pub struct Reno {
    beta_1024ths: u16,
    counter: CwndCounter,
    phase: Phase,
}

impl Reno {
    pub(crate) fn new(values: &Values<'_>, _start: &Start) -> Self {
        Self { beta_1024ths: values.rounded("beta", BETA_SCALE as f64) as u16, ..Self::halving() }
    }

    /// That of RFC 5681.
    pub(crate) fn halving() -> Self {
        let beta_1024ths = (BETA_SCALE / 2) as u16;
        Self { beta_1024ths, counter: CwndCounter::default(), phase: Phase::default() }
    }
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        if ack.may_grow
            && ack.cwnd_limited
            && let Some(acked) = left_for_avoidance(window, ack.acked_sacked)
        {
            self.counter.add(window, window.cwnd, acked);
        }
        self.phase = if window.in_slow_start() { Phase::SlowStart } else { Phase::Avoidance };
    }

    fn on_congestion(&mut self, window: &Window) -> Segments {
        self.counter.reset();
        let left = u64::from(window.cwnd) * u64::from(self.beta_1024ths) / BETA_SCALE;
        (left as Segments).max(MIN_SSTHRESH)
    }

    fn on_state(&mut self, state: RecoveryState, _window: &mut Window) {
        if state == RecoveryState::Loss {
            self.counter.reset();
        }
    }

    fn phases(&self) -> &'static [&'static str] {
        PHASES
    }

    fn inspect(&self) -> Inspection {
        Inspection { phase: self.phase as u8, ..Inspection::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples::{ack, start};

    fn reno(given: &[(&str, f64)]) -> Reno {
        ALGORITHM.with(given, |values| Reno::new(values, &start()))
    }

    fn acked(segments: Segments) -> Ack {
        Ack { acked: segments, acked_sacked: segments, ..ack() }
    }

    #[test]
    fn slow_start_adds_a_segment_for_each_acknowledged() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 10, ssthresh: Segments::MAX });
        cc.on_ack(&acked(2), &mut w);
        assert_eq!(w.cwnd, 12);
        assert_eq!(cc.phases()[usize::from(cc.inspect().phase)], "slow_start");
    }

    #[test]
    fn avoidance_adds_a_segment_for_each_window_acknowledged() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 10, ssthresh: 10 });
        for _ in 0..9 {
            cc.on_ack(&acked(1), &mut w);
        }
        assert_eq!(w.cwnd, 10);
        cc.on_ack(&acked(1), &mut w);
        assert_eq!(w.cwnd, 11);
        for _ in 0..11 {
            cc.on_ack(&acked(1), &mut w);
        }
        assert_eq!(w.cwnd, 12);
        assert_eq!(cc.phases()[usize::from(cc.inspect().phase)], "avoidance");
    }

    #[test]
    fn delayed_acks_do_not_slow_growth() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 10, ssthresh: 10 });
        for _ in 0..5 {
            cc.on_ack(&acked(2), &mut w);
        }
        assert_eq!(w.cwnd, 11);
    }

    #[test]
    fn an_ack_that_crosses_the_threshold_is_shared_by_both_regimes() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 9, ssthresh: 10 });
        cc.on_ack(&acked(11), &mut w);
        assert_eq!(w.cwnd, 11);
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 10, ssthresh: Segments::MAX });
        cc.on_ack(&Ack { cwnd_limited: false, ..acked(2) }, &mut w);
        cc.on_ack(&Ack { may_grow: false, ..acked(2) }, &mut w);
        assert_eq!(w.cwnd, 10);
    }

    #[test]
    fn congestion_halves_and_leaves_two() {
        let mut cc = reno(&[]);
        let after = |cc: &mut Reno, cwnd| cc.on_congestion(&Window { cwnd, ssthresh: Segments::MAX });
        assert_eq!([101, 3, 1].map(|cwnd| after(&mut cc, cwnd)), [50, 2, 2]);
    }

    #[test]
    fn congestion_resets_the_counter() {
        let (mut cc, mut w) = (reno(&[]), Window { cwnd: 10, ssthresh: 10 });
        cc.on_ack(&acked(9), &mut w);
        cc.on_congestion(&w);
        cc.on_ack(&acked(9), &mut w);
        assert_eq!(w.cwnd, 10);
    }

    #[test]
    fn beta_is_a_parameter() {
        let mut cc = reno(&[("beta", 0.75)]);
        assert_eq!(cc.on_congestion(&Window { cwnd: 100, ssthresh: Segments::MAX }), 75);
    }

    #[test]
    fn undo_restores_the_larger_window() {
        let mut cc = reno(&[]);
        assert_eq!(cc.on_undo(&Window { cwnd: 12, ssthresh: 10 }, 20), 20);
        assert_eq!(cc.on_undo(&Window { cwnd: 25, ssthresh: 10 }, 20), 25);
    }
}
