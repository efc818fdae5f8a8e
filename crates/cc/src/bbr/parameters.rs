//! BBR's constants: each a parameter with its provenance, and the fixed-point form in which the algorithm uses them.

use super::allowances::{self, Allowances};
use super::bandwidth::Gain;
use super::pacing::{self, Pacing};
use crate::parameter::{Values, joined};
use crate::{Algorithm, Parameter};

/// What the registry knows of BBR v1.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "bbr",
    title: "BBR version 1: paces at the measured bandwidth, keeps two bandwidth-delay products in flight",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00; arithmetic of Linux 6.1 tcp_bbr.c",
    parameters: PARAMETERS,
    ordered: ORDERED,
    needs_ecn: false,
    needs_accurate_ecn: false,
};

/// Those that version 3 has, too.
pub(crate) const SHARED: &[Parameter] =
    &joined::<{ allowances::PARAMETERS.len() + pacing::PARAMETERS.len() }>(allowances::PARAMETERS, pacing::PARAMETERS);

/// Every constant.
pub(crate) const PARAMETERS: &[Parameter] = &joined::<{ OWN.len() + SHARED.len() }>(OWN, SHARED);

const OWN: &[Parameter] = &[
    Parameter::number("high_gain", 2.885, 1.0, 16.0)
        .about("pacing and cwnd gain of STARTUP, rounded up to 1/256: 2/ln 2 doubles the rate each round")
        .source("draft section 4.3.2.1; Linux 6.1 bbr_high_gain = 739/256"),
    Parameter::number("drain_gain", 0.346_620_450_606_585_8, 0.01, 1.0)
        .about("pacing gain of DRAIN, rounded down to 1/256: 1/2.885 drains in one round what STARTUP queued")
        .source("draft section 4.3.3; Linux 6.1 bbr_drain_gain = 88/256"),
    Parameter::number("cwnd_gain", 2.0, 0.1, 16.0)
        .about("cwnd gain of PROBE_BW, rounded down to 1/256")
        .source("draft section 4.2.3.2; Linux 6.1 bbr_cwnd_gain"),
    Parameter::number("probe_gain", 1.25, 0.1, 16.0)
        .about("pacing gain of PROBE_BW's first phase, which probes, rounded down to 1/256")
        .source("draft section 4.3.4.1; Linux 6.1 bbr_pacing_gain[0]"),
    Parameter::number("probe_down_gain", 0.75, 0.1, 16.0)
        .about("pacing gain of PROBE_BW's second phase, which drains, rounded down to 1/256")
        .source("draft section 4.3.4.1; Linux 6.1 bbr_pacing_gain[1]"),
    Parameter::integer("cycle_len", 8.0, 2.0, 1e3)
        .about("phases of PROBE_BW's cycle, of which all after the second cruise")
        .source("draft section 4.3.4.1; Linux 6.1 CYCLE_LEN"),
    Parameter::integer("cycle_rand", 7.0, 1.0, 1e3)
        .about("phases in one of which the cycle begins, the draining phase being the last to be among them")
        .source("draft section 4.3.4.2; Linux 6.1 bbr_cycle_rand"),
    Parameter::integer("bw_window_rounds", 10.0, 1.0, 1e6)
        .unit("rounds")
        .about("window of the bandwidth's maximum")
        .source("draft section 4.1.1.2; Linux 6.1 bbr_bw_rtts"),
    Parameter::number("min_rtt_window_s", 10.0, 0.1, 1e6)
        .unit("s")
        .about("window of the RTT's minimum, and the interval of PROBE_RTT, in steps of 1 ms")
        .source("draft section 4.1.2.2; Linux 6.1 bbr_min_rtt_win_sec"),
    Parameter::integer("probe_rtt_ms", 200.0, 0.0, 1e6)
        .unit("ms")
        .about("time at the minimum flight in PROBE_RTT; 0: no PROBE_RTT")
        .source("draft section 4.3.5; Linux 6.1 bbr_probe_rtt_mode_ms"),
    Parameter::integer("min_cwnd", 4.0, 1.0, 1e6)
        .unit("segments")
        .about("smallest window, and the flight of PROBE_RTT")
        .source("draft section 4.2.3.3; Linux 6.1 bbr_cwnd_min_target"),
    Parameter::number("full_bw_thresh", 1.25, 1.0, 16.0)
        .about("growth of bandwidth that shows that the pipe is not full, rounded down to 1/256")
        .source("draft section 4.3.2.2; Linux 6.1 bbr_full_bw_thresh"),
    Parameter::integer("full_bw_rounds", 3.0, 1.0, 1e3)
        .unit("rounds")
        .about("rounds without such growth that show that it is")
        .source("draft section 4.3.2.2; Linux 6.1 bbr_full_bw_cnt"),
    Parameter::switch("policer", true)
        .about("take lasting loss at a steady rate for a policer, and keep to its rate")
        .source("Linux 6.1 bbr_lt_bw_sampling"),
    Parameter::integer("lt_intvl_min_rtts", 4.0, 1.0, 1e3)
        .unit("rounds")
        .about("shortest interval by which a policer is judged; four times as long is too long")
        .source("Linux 6.1 bbr_lt_intvl_min_rtts"),
    Parameter::number("lt_loss_thresh", 0.195_312_5, 0.0, 16.0)
        .about("segments lost per segment delivered that make an interval lossy, rounded down to 1/256")
        .source("Linux 6.1 bbr_lt_loss_thresh = 50/256"),
    Parameter::number("lt_bw_ratio", 0.125, 0.0, 1.0)
        .about("difference of two intervals' rates that still makes them alike, rounded down to 1/256")
        .source("Linux 6.1 bbr_lt_bw_ratio = 32/256"),
    Parameter::number("lt_bw_diff", 4_000.0, 0.0, 1e12)
        .unit("bit/s")
        .about("the same in absolute terms; either suffices")
        .source("Linux 6.1 bbr_lt_bw_diff"),
    Parameter::integer("lt_bw_max_rtts", 48.0, 1.0, 1e6)
        .unit("rounds")
        .about("for how long a policer's rate is used before the path is probed again")
        .source("Linux 6.1 bbr_lt_bw_max_rtts"),
    Parameter::switch("pacing", true)
        .about("segments leave at the pacing rate; without, it sizes bursts, and the window alone holds them back")
        .source("Linux needs no fq to pace from 4.13 on (commit 218af599fa63)"),
    Parameter::integer("min_tso_rate", 1.2e6, 0.0, 1e12)
        .unit("bit/s")
        .about("pacing rate below which bursts may be single segments")
        .source("draft section 4.2.2; Linux 6.1 bbr_min_tso_rate"),
    Parameter::switch("min_rtt_equal_refresh", false)
        .about("an RTT equal to the minimum refreshes it, and puts PROBE_RTT off")
        .source("Linux 6.1 bbr_update_min_rtt; before 5.10, and in draft section 4.1.2.3, it does"),
];

/// See [`Algorithm::ordered`].
pub(crate) const ORDERED: &[(&str, &str)] = &[("cycle_rand", "cycle_len")];

/// The constants in the units of the algorithm. What each means is in [`ALGORITHM`].
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) high_gain: Gain,
    pub(super) drain_gain: Gain,
    pub(super) cwnd_gain: Gain,
    pub(super) probe_gain: Gain,
    pub(super) probe_down_gain: Gain,
    pub(super) cycle_len: u32,
    pub(super) cycle_rand: u32,
    pub(super) bw_window_rounds: u64,
    pub(super) min_rtt_window_ms: u64,
    pub(super) probe_rtt_ms: u64,
    pub(super) min_cwnd: u32,
    pub(super) full_bw_thresh: Gain,
    pub(super) full_bw_rounds: u32,
    pub(super) policer: bool,
    pub(super) lt_intvl_min_rtts: u32,
    pub(super) lt_loss_thresh: Gain,
    pub(super) lt_bw_ratio: Gain,
    pub(super) lt_bw_diff_bytes_per_sec: u64,
    pub(super) lt_bw_max_rtts: u32,
    pub(super) paces: bool,
    pub(super) allowances: Allowances,
    pub(super) pacing: Pacing,
    pub(super) min_rtt_equal_refresh: bool,
}

impl Parameters {
    pub(super) fn new(values: &Values<'_>) -> Self {
        let gain = |name| Gain::given(values, name);
        let high_gain = Gain::given_at_least(values, "high_gain");
        Self {
            high_gain,
            drain_gain: gain("drain_gain"),
            cwnd_gain: gain("cwnd_gain"),
            probe_gain: gain("probe_gain"),
            probe_down_gain: gain("probe_down_gain"),
            cycle_len: values.integer("cycle_len"),
            cycle_rand: values.integer("cycle_rand"),
            bw_window_rounds: u64::from(values.integer("bw_window_rounds")),
            min_rtt_window_ms: u64::from(values.rounded("min_rtt_window_s", 1_000.0)),
            probe_rtt_ms: u64::from(values.integer("probe_rtt_ms")),
            min_cwnd: values.integer("min_cwnd"),
            full_bw_thresh: gain("full_bw_thresh"),
            full_bw_rounds: values.integer("full_bw_rounds"),
            policer: values.switch("policer"),
            lt_intvl_min_rtts: values.integer("lt_intvl_min_rtts"),
            lt_loss_thresh: gain("lt_loss_thresh"),
            lt_bw_ratio: gain("lt_bw_ratio"),
            lt_bw_diff_bytes_per_sec: values.number("lt_bw_diff") as u64 / 8,
            lt_bw_max_rtts: values.integer("lt_bw_max_rtts"),
            paces: values.switch("pacing"),
            allowances: Allowances::new(values),
            pacing: Pacing::new(values, high_gain, values.number("min_tso_rate") as u64 / 8),
            min_rtt_equal_refresh: values.switch("min_rtt_equal_refresh"),
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
        let gains = [p.high_gain, p.drain_gain, p.cwnd_gain, p.probe_gain, p.probe_down_gain, p.full_bw_thresh];
        assert_eq!(gains.map(Gain::in_256ths), [739, 88, 512, 320, 192, 320]);
        assert_eq!([p.lt_loss_thresh, p.lt_bw_ratio].map(Gain::in_256ths), [50, 32]);
        assert_eq!((p.lt_bw_diff_bytes_per_sec, p.pacing.min_tso_bytes_per_sec), (500, 150_000));
    }

    #[test]
    fn a_gain_is_cut_as_integer_division_cuts_it() {
        let p = Parameters::from_defaults_and(&[("probe_gain", 1.1)]);
        assert_eq!(p.probe_gain.in_256ths(), 256 * 11 / 10);
    }
}
