//! [`Allowances`]: what a window has beyond the bandwidth-delay product, since hosts and links work in bursts; of both versions.

use super::bandwidth::Gain;
use crate::Parameter;
use crate::parameter::Values;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::number("extra_acked_gain", 1.0, 0.0, 16.0)
        .about("share of the ACK-aggregation excess that is added to the window, rounded down to 1/256; 0: none")
        .source("Linux bbr_extra_acked_gain"),
    Parameter::integer("extra_acked_win_rounds", 5.0, 1.0, 31.0)
        .unit("rounds")
        .about("window of the excess; the current and the last count")
        .source("Linux bbr_extra_acked_win_rtts"),
    Parameter::integer("extra_acked_max_ms", 100.0, 0.0, 1e6)
        .unit("ms")
        .about("largest addition to the window, as time at the bandwidth")
        .source("Linux bbr_extra_acked_max_us"),
    Parameter::integer("quantisation_bursts", 3.0, 0.0, 1e3)
        .unit("bursts")
        .about("bursts that the window has room for: beyond the bandwidth-delay product, in version 3 at least")
        .source("Linux bbr_quantization_budget; the drafts' sections 4.2.3.2 and 5.6.4.2"),
    Parameter::integer("quantisation_slack", 2.0, 0.0, 1e6)
        .unit("segments")
        .about("added to the window while probing, so that it shows also on small paths")
        .source("Linux bbr_quantization_budget"),
];

/// In the units of the algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Allowances {
    pub(crate) extra_acked_gain: Gain,
    pub(crate) extra_acked_win_rounds: u32,
    pub(crate) extra_acked_max_us: u64,
    pub(crate) bursts: u32,
    /// Segments.
    pub(crate) slack: u32,
}

impl Allowances {
    pub(crate) fn new(values: &Values<'_>) -> Self {
        Self {
            extra_acked_gain: Gain::given(values, "extra_acked_gain"),
            extra_acked_win_rounds: values.integer("extra_acked_win_rounds"),
            extra_acked_max_us: u64::from(values.integer("extra_acked_max_ms")) * 1_000,
            bursts: values.integer("quantisation_bursts"),
            slack: values.integer("quantisation_slack"),
        }
    }
}
