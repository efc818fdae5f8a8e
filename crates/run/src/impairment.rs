//! [`Impairments`]: what a hop's line does to packets beside taking its time, in the words of Linux's `netem`.

use crate::default::is_default;
use serde::{Deserialize, Serialize};

/// What a line does to packets beside taking its time. Losses strike where random loss does; all else lies behind the line and
/// before the delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Impairments {
    /// Loss in bursts, in place of independent loss.
    #[serde(skip_serializing_if = "is_default")]
    pub burst_loss: Option<GilbertElliott>,
    /// Probability that a packet comes twice, in parts per billion.
    #[serde(skip_serializing_if = "is_default")]
    pub duplicate_ppb: u32,
    /// Probability that a packet comes damaged, so that its receiver discards it, in parts per billion.
    #[serde(skip_serializing_if = "is_default")]
    pub corrupt_ppb: u32,
    /// Delays that differ from packet to packet, so that some overtake others.
    #[serde(skip_serializing_if = "is_default")]
    pub reorder: Option<Reorder>,
    /// Packets are handed over in lumps, at most once in this time. 0: each by itself.
    #[serde(skip_serializing_if = "is_default")]
    pub aggregation_ns: u64,
    /// In its drop-tail queue a new ACK takes the place of the one of its flow that it makes superfluous (RFC 3449 section 5.2.1).
    /// Of no other queue: one that something manages has a filter of its own, or none.
    #[serde(skip_serializing_if = "is_default")]
    pub thins_acks: bool,
}

/// A channel of two states (Gilbert 1960, Elliott 1963): each packet is lost with the probability of the state that it meets, which
/// then may change (`loss_gilb_ell` in `sch_netem.c`). In parts per billion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// From the good state to the bad one, `p`.
    pub to_bad_ppb: u32,
    /// And back, `r`.
    pub to_good_ppb: u32,
    /// Loss in the good state, 1 - `k`.
    pub good_loss_ppb: u32,
    /// Loss in the bad state, 1 - `h`.
    pub bad_loss_ppb: u32,
}

/// How the delays of packets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reorder {
    /// A share of them is late, and those behind overtake them.
    Late {
        /// The share, in parts per billion.
        share_ppb: u32,
        /// So late.
        by_ns: u64,
    },
    /// Each is drawn (`tabledist` in `sch_netem.c`); none is less than 0.
    Spread {
        /// The mean.
        delay_ns: u64,
        /// Half of the range of a uniform distribution, standard deviation of a normal one.
        spread_ns: u64,
        /// How it is distributed.
        distribution: Distribution,
        /// Weight of the draw before, in parts per billion (`get_crandom`).
        correlation_ppb: u32,
    },
}

/// Of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Even.
    #[default]
    Uniform,
    /// Gauss's.
    Normal,
}

/// What a policer has beyond its rate and its burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Police {
    /// Frames leave no faster than this after another either, in a bucket of one frame; none: they may.
    #[serde(skip_serializing_if = "is_default")]
    pub peak_bps: Option<u64>,
    /// What exceeds the rate is marked where it understands that, and not dropped.
    #[serde(skip_serializing_if = "is_default")]
    pub marks: bool,
}

impl GilbertElliott {
    /// Loss in the long run: of each state's share its loss.
    pub fn loss(&self) -> f64 {
        let (p, r) = (f64::from(self.to_bad_ppb), f64::from(self.to_good_ppb));
        let bad = if p + r > 0.0 { p / (p + r) } else { 0.0 };
        (bad * f64::from(self.bad_loss_ppb) + (1.0 - bad) * f64::from(self.good_loss_ppb)) / 1e9
    }
}

impl Impairments {
    /// There are none behind the line.
    pub fn is_clear(&self) -> bool {
        Self { burst_loss: None, thins_acks: false, ..*self } == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_impairments_says_nothing() {
        assert_eq!(serde_json::to_string(&Impairments::default()).expect("JSON"), "{}");
        let late = Impairments { reorder: Some(Reorder::Late { share_ppb: 5, by_ns: 7 }), ..Impairments::default() };
        let text = serde_json::to_string(&late).expect("JSON");
        assert_eq!(text, r#"{"reorder":{"late":{"share_ppb":5,"by_ns":7}}}"#);
        assert_eq!(serde_json::from_str::<Impairments>(&text).expect("impairments"), late);
        assert!(!late.is_clear() && Impairments { thins_acks: true, ..Impairments::default() }.is_clear());
    }

    #[test]
    fn loss_in_the_long_run_is_each_states() {
        let channel = GilbertElliott {
            to_bad_ppb: 10_000_000,
            to_good_ppb: 190_000_000,
            good_loss_ppb: 2_000_000,
            bad_loss_ppb: 500_000_000,
        };
        assert!((channel.loss() - (0.05 * 0.5 + 0.95 * 0.002)).abs() < 1e-12);
    }
}
