//! The constants of BBR version 3: each a parameter with its provenance, and the fixed-point form in which it is used.

use crate::bbr::SHARED;
use crate::bbr::allowances::Allowances;
use crate::bbr::bandwidth::Gain;
use crate::bbr::pacing::Pacing;
use crate::parameter::{Values, joined};
use crate::{Algorithm, Parameter};

/// What the registry knows of BBR v3.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "bbr3",
    title: "BBR version 3: a model of the path, with bounds above and below that losses and marks move",
    source: "draft-ietf-ccwg-bbr; arithmetic of Linux's tcp_bbr.c with BBR_VERSION 3 (November 2023)",
    parameters: &joined::<{ OWN.len() + SHARED.len() }>(OWN, SHARED),
    ordered: &[],
    needs_ecn: false,
    needs_accurate_ecn: false,
};

const OWN: &[Parameter] = &[
    Parameter::number("startup_gain", 2.77, 1.0, 16.0)
        .about("pacing gain of STARTUP, rounded up to 1/256: 4 ln 2 doubles the rate each round")
        .source("draft section 5.6.1; Linux bbr_startup_pacing_gain = 710/256"),
    Parameter::number("startup_cwnd_gain", 2.0, 0.1, 16.0)
        .about("cwnd gain of STARTUP and DRAIN, rounded down to 1/256")
        .source("draft section 5.6.1; Linux bbr_startup_cwnd_gain"),
    Parameter::number("drain_gain", 0.346_620_450_606_585_8, 0.01, 1.0)
        .about("pacing gain of DRAIN, rounded down to 1/256")
        .source("Linux bbr_drain_gain = 88/256; 0.5 in the draft of 2026, section 5.3.2"),
    Parameter::integer("drain_max_rounds", 0.0, 0.0, 1e3)
        .unit("rounds")
        .about("rounds after which DRAIN ends, whatever is in flight; 0: none")
        .source("Linux has no bound; 3 in the draft of 2026, section 5.3.2"),
    Parameter::number("cwnd_gain", 2.0, 0.1, 16.0)
        .about("cwnd gain of PROBE_BW, rounded down to 1/256")
        .source("draft section 5.6.1; Linux bbr_cwnd_gain"),
    Parameter::number("probe_cwnd_gain", 2.25, 0.1, 16.0)
        .about("the same while it probes")
        .source("draft section 5.6.1; Linux bbr_bw_probe_cwnd_gain = 1/4 more"),
    Parameter::number("probe_gain", 1.25, 0.1, 16.0)
        .about("pacing gain of PROBE_BW while it probes, rounded down to 1/256")
        .source("draft section 5.6.1; Linux bbr_pacing_gain[0]"),
    Parameter::number("probe_down_gain", 0.91, 0.1, 16.0)
        .about("pacing gain of PROBE_BW while it drains, rounded down to 1/256")
        .source("Linux bbr_pacing_gain[1] = 232/256; 0.90 in the draft of 2026, section 5.6.1"),
    Parameter::number("loss_cut", 0.3, 0.0, 1.0)
        .about("share that the lower bounds lose in a round with losses, and that a target loses for inflight_hi, rounded down to 1/256")
        .source("draft section 2.8, 1 - BBR.Beta; Linux bbr_beta = 76/256"),
    Parameter::number("loss_thresh", 0.02, 0.0, 1.0)
        .about("losses per segment in flight that are too many, rounded down to 1/256")
        .source("draft section 2.8; Linux bbr_loss_thresh = 5/256"),
    Parameter::integer("full_loss_events", 6.0, 0.0, 15.0)
        .unit("events")
        .about("losses of a round that end STARTUP, where they are too many as well; 0: never")
        .source("draft section 5.3.1.3; Linux bbr_full_loss_cnt"),
    Parameter::number("headroom", 0.15, 0.0, 1.0)
        .about("share of inflight_hi that is left to others, rounded down to 1/256")
        .source("draft section 2.8; Linux bbr_inflight_headroom = 38/256"),
    Parameter::number("full_bw_thresh", 1.25, 1.0, 16.0)
        .about("growth of the rate that shows that the pipe is not full, rounded down to 1/256")
        .source("draft section 5.3.1.2; Linux bbr_full_bw_thresh"),
    Parameter::integer("full_bw_rounds", 3.0, 1.0, 1e3)
        .unit("rounds")
        .about("rounds without such growth that show that it is")
        .source("draft section 5.3.1.2; Linux bbr_full_bw_cnt"),
    Parameter::integer("probe_max_rounds", 63.0, 1.0, 1e6)
        .unit("rounds")
        .about("rounds after which it probes at the latest")
        .source("draft section 5.3.3.8.3; Linux bbr_bw_probe_max_rounds"),
    Parameter::integer("probe_rand_rounds", 2.0, 1.0, 255.0)
        .unit("rounds")
        .about("of these the first are drawn below this")
        .source("draft section 5.3.3.8.3; Linux bbr_bw_probe_rand_rounds"),
    Parameter::number("probe_base_s", 2.0, 0.0, 1e3)
        .unit("s")
        .about("shortest wait for a probe")
        .source("draft section 5.3.3.8.3; Linux bbr_bw_probe_base_us"),
    Parameter::number("probe_rand_s", 1.0, 0.0, 1e3)
        .unit("s")
        .about("what is drawn and added to it")
        .source("draft section 5.3.3.8.3; Linux bbr_bw_probe_rand_us"),
    Parameter::number("min_rtt_window_s", 10.0, 0.1, 1e6)
        .unit("s")
        .about("window of the RTT's minimum, in steps of 1 ms")
        .source("draft section 2.16.1; Linux bbr_min_rtt_win_sec"),
    Parameter::number("probe_rtt_interval_s", 5.0, 0.1, 1e6)
        .unit("s")
        .about("time without a lower RTT that leads to PROBE_RTT, in steps of 1 ms")
        .source("draft section 2.16.2; Linux bbr_probe_rtt_win_ms"),
    Parameter::integer("probe_rtt_ms", 200.0, 0.0, 1e6)
        .unit("ms")
        .about("time at the small flight of PROBE_RTT; 0: no PROBE_RTT")
        .source("draft section 2.16.2; Linux bbr_probe_rtt_mode_ms"),
    Parameter::number("probe_rtt_cwnd_gain", 0.5, 0.0, 16.0)
        .about("cwnd gain of PROBE_RTT, rounded down to 1/256")
        .source("draft section 2.16.2; Linux bbr_probe_rtt_cwnd_gain"),
    Parameter::integer("min_cwnd", 4.0, 1.0, 1e6)
        .unit("segments")
        .about("smallest window")
        .source("draft section 2.8; Linux bbr_cwnd_min_target"),
    Parameter::switch("ecn_low", false)
        .about("the route says that queues mark early (Linux: features ecn_low): answer marks, and have each echoed")
        .source("Linux bbr_can_use_ecn"),
    Parameter::number("ecn_max_rtt_ms", 5.0, 0.0, 1e4)
        .unit("ms")
        .about("largest RTT at which marks are answered; 0: any")
        .source("Linux bbr_ecn_max_rtt_us"),
    Parameter::number("ecn_alpha_gain", 0.0625, 0.0, 1.0)
        .about("weight of a round in the mean share of marks, rounded down to 1/256")
        .source("Linux bbr_ecn_alpha_gain"),
    Parameter::number("ecn_factor", 0.333_333_333_333_333_3, 0.0, 1.0)
        .about("share of that mean by which inflight_lo falls, rounded down to 1/256; 0: marks are not answered")
        .source("Linux bbr_ecn_factor = 85/256"),
    Parameter::number("ecn_thresh", 0.5, 0.0, 1.0)
        .about("share of marks that is too much for a probe, rounded down to 1/256; 0: none is")
        .source("Linux bbr_ecn_thresh"),
    Parameter::integer("full_ecn_rounds", 2.0, 0.0, 3.0)
        .unit("rounds")
        .about("rounds with such a share that end STARTUP; 0: never")
        .source("Linux bbr_full_ecn_cnt"),
    Parameter::number("ecn_reprobe_gain", 0.5, 0.0, 1.0)
        .about("share of inflight_hi by which it grows at first, when marks have ended; 0: it waits as ever")
        .source("Linux bbr_ecn_reprobe_gain"),
];

/// The constants in the units of the algorithm. What each means is in [`ALGORITHM`].
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) startup_gain: Gain,
    pub(super) startup_cwnd_gain: Gain,
    pub(super) drain_gain: Gain,
    pub(super) cwnd_gain: Gain,
    pub(super) probe_cwnd_gain: Gain,
    pub(super) probe_gain: Gain,
    pub(super) probe_down_gain: Gain,
    pub(super) loss_cut: Gain,
    pub(super) loss_thresh: Gain,
    pub(super) headroom: Gain,
    pub(super) full_bw_thresh: Gain,
    pub(super) probe_rtt_cwnd_gain: Gain,
    pub(super) ecn_alpha_gain: Gain,
    pub(super) ecn_factor: Gain,
    pub(super) ecn_thresh: Gain,
    pub(super) ecn_reprobe_gain: Gain,
    pub(super) full_loss_events: u32,
    pub(super) full_bw_rounds: u32,
    pub(super) probe_max_rounds: u32,
    pub(super) probe_rand_rounds: u32,
    pub(super) drain_max_rounds: u32,
    pub(super) min_cwnd: u32,
    pub(super) full_ecn_rounds: u32,
    pub(super) probe_base_us: u32,
    pub(super) probe_rand_us: u32,
    pub(super) min_rtt_window_ms: u64,
    pub(super) probe_rtt_interval_ms: u64,
    pub(super) probe_rtt_ms: u64,
    pub(super) ecn_low: bool,
    pub(super) ecn_max_rtt_us: u32,
    pub(super) allowances: Allowances,
    pub(super) pacing: Pacing,
}

impl Parameters {
    pub(super) fn new(values: &Values<'_>) -> Self {
        let gain = |name| Gain::given(values, name);
        let (integer, micros) = (|name| values.integer(name), |name| values.rounded(name, 1e6));
        let millis = |name| u64::from(values.rounded(name, 1e3));
        let startup_gain = Gain::given_at_least(values, "startup_gain");
        Self {
            startup_gain,
            startup_cwnd_gain: gain("startup_cwnd_gain"),
            drain_gain: gain("drain_gain"),
            cwnd_gain: gain("cwnd_gain"),
            probe_cwnd_gain: gain("probe_cwnd_gain"),
            probe_gain: gain("probe_gain"),
            probe_down_gain: gain("probe_down_gain"),
            loss_cut: gain("loss_cut"),
            loss_thresh: gain("loss_thresh"),
            headroom: gain("headroom"),
            full_bw_thresh: gain("full_bw_thresh"),
            probe_rtt_cwnd_gain: gain("probe_rtt_cwnd_gain"),
            ecn_alpha_gain: gain("ecn_alpha_gain"),
            ecn_factor: gain("ecn_factor"),
            ecn_thresh: gain("ecn_thresh"),
            ecn_reprobe_gain: gain("ecn_reprobe_gain"),
            full_loss_events: integer("full_loss_events"),
            full_bw_rounds: integer("full_bw_rounds"),
            probe_max_rounds: integer("probe_max_rounds"),
            probe_rand_rounds: integer("probe_rand_rounds"),
            drain_max_rounds: integer("drain_max_rounds"),
            min_cwnd: integer("min_cwnd"),
            full_ecn_rounds: integer("full_ecn_rounds"),
            probe_base_us: micros("probe_base_s"),
            probe_rand_us: micros("probe_rand_s"),
            min_rtt_window_ms: millis("min_rtt_window_s"),
            probe_rtt_interval_ms: millis("probe_rtt_interval_s"),
            probe_rtt_ms: u64::from(integer("probe_rtt_ms")),
            ecn_low: values.switch("ecn_low"),
            ecn_max_rtt_us: values.rounded("ecn_max_rtt_ms", 1e3),
            allowances: Allowances::new(values),
            // No burst is a single segment, however slow the path.
            pacing: Pacing::new(values, startup_gain, 0),
        }
    }

    /// The defaults but for `given`.
    #[cfg(test)]
    pub(super) fn from_defaults_and(given: &[(&str, f64)]) -> Self {
        ALGORITHM.with(given, Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_the_kernels() {
        let p = Parameters::from_defaults_and(&[]);
        let gains =
            [p.startup_gain, p.drain_gain, p.probe_down_gain, p.loss_cut, p.loss_thresh, p.headroom, p.ecn_factor];
        assert_eq!(gains.map(Gain::in_256ths), [710, 88, 232, 76, 5, 38, 85]);
    }
}
