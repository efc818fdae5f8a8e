//! [`QueueDiscipline`]: how the queue before a line is managed, by the names and with the parameters of Linux's `tc`.
//!
//! The room of the queue is the hop's [`crate::Buffer`], whatever manages it.

mod tc;

use serde::{Deserialize, Serialize};

/// What decides which frames of a queue leave, in which order, and which are dropped or marked instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum QueueDiscipline {
    /// Drop-tail: the order in which they came, and what finds no room is dropped.
    #[default]
    Fifo,
    /// CoDel (RFC 8289).
    Codel(Codel),
    /// FQ-CoDel (RFC 8290).
    FqCodel(FqCodel),
    /// A queue for each flow, in rounds of bytes.
    Fq(Fq),
    /// PIE (RFC 8033).
    Pie(Pie),
    /// Random Early Detection.
    Red(Red),
    /// DualPI2 (RFC 9332).
    Dualpi2(DualPi2),
    /// CAKE, with `tc`'s defaults.
    Cake,
}

/// CoDel's control law, of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codel {
    /// The sojourn time that may stand.
    pub target_ns: u64,
    /// So long it may be longer.
    pub interval_ns: u64,
    /// Packets that understand it are marked and not dropped.
    pub ecn: bool,
    /// Packets that understand it are marked as soon as their sojourn time is longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ce_threshold_ns: Option<u64>,
}

impl Codel {
    /// Drops of long ago say nothing of today: so many intervals (`codel_dequeue` in include/net/codel_impl.h).
    pub const MEMORY_INTERVALS: u32 = 16;
}

/// Queues by the hash of a flow's addresses and ports, each with a CoDel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqCodel {
    /// That of each queue.
    pub codel: Codel,
    /// Queues.
    pub flows: u32,
    /// Bytes of a round.
    pub quantum_bytes: u32,
    /// Of the ECN field, masked by the second, which value is marked by `ce_threshold_ns`; none: whatever is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ce_threshold_selector: Option<(u8, u8)>,
}

/// Linux's `fq`, at a router: packets have no departure times there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fq {
    /// Frames of one flow.
    pub flow_limit_packets: u32,
    /// Bytes of a round.
    pub quantum_bytes: u32,
    /// Those of a flow's first one.
    pub initial_quantum_bytes: u32,
    /// Packets that understand it are marked as soon as their sojourn time is longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ce_threshold_ns: Option<u64>,
    /// Of a flow's hash these bits tell queues apart; 0: all flows have one.
    pub orphan_mask: u32,
}

/// PIE's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pie {
    /// The delay that is aimed at.
    pub target_ns: u64,
    /// Time between two updates of the probability.
    pub tupdate_ns: u64,
    /// Weight of the delay beyond the target, in sixteenths a second.
    pub alpha: u32,
    /// Weight of its change, likewise.
    pub beta: u32,
    /// Packets that understand it are marked and not dropped, up to a probability of 10 %.
    pub ecn: bool,
}

/// RED's thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Red {
    /// Mean backlog from which on some packets are dropped.
    pub min_bytes: u64,
    /// That from which on all are.
    pub max_bytes: u64,
    /// Probability just below it.
    pub probability_ppb: u32,
    /// Packets that understand it are marked and not dropped below `max_bytes`.
    pub ecn: bool,
}

/// DualPI2: one queue for what answers to each mark a little, one for the rest, and a controller for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DualPi2 {
    /// The delay that the classic queue is aimed at.
    pub target_ns: u64,
    /// Time between two updates of the probability.
    pub tupdate_ns: u64,
    /// Weight of the delay beyond the target, in 256ths a second.
    pub alpha: u32,
    /// Weight of its change, likewise.
    pub beta: u32,
    /// How many times the base probability marks what is scalable.
    pub coupling: u32,
    /// What is scalable is marked as soon as its sojourn time is longer.
    pub step_ns: u64,
}

impl Red {
    /// Frames that may come at once, as `tc` reckons them where nobody says: of the mean size so many bytes.
    pub fn burst_packets(&self, frame_bytes: u64) -> u64 {
        ((2 * self.min_bytes + self.max_bytes) / (3 * frame_bytes)).max(1)
    }

    /// Logarithm to base 2 of the inverse of the mean's weight: so slow that such a burst, on an empty queue, does not lift it
    /// to `min_bytes` (`tc_red_eval_ewma` of iproute2; Floyd and Jacobson 1993, section 9).
    pub fn weight(&self, frame_bytes: u64) -> u32 {
        let burst = self.burst_packets(frame_bytes) as f64;
        let beyond = burst + 1.0 - self.min_bytes as f64 / frame_bytes as f64;
        let reaches = |log: &u32| {
            let weight = 0.5_f64.powi(*log as i32);
            beyond <= (1.0 - (1.0 - weight).powf(burst)) / weight
        };
        (1..32).find(reaches).unwrap_or(31)
    }
}

impl Red {
    /// Bits of the mean's largest value below `max_bytes`, with its fraction: Linux has [`Self::MOST_MEAN_BITS`].
    pub fn mean_bits(&self, frame_bytes: u64) -> u32 {
        u64::BITS - self.max_bytes.leading_zeros() + self.weight(frame_bytes)
    }

    /// The most that Linux takes (`red_check_params` in `include/net/red.h`).
    pub const MOST_MEAN_BITS: u32 = 31;
}

impl QueueDiscipline {
    /// Its name, as `tc` has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Codel(_) => "codel",
            Self::FqCodel(_) => "fq_codel",
            Self::Fq(_) => "fq",
            Self::Pie(_) => "pie",
            Self::Red(_) => "red",
            Self::Dualpi2(_) => "dualpi2",
            Self::Cake => "cake",
        }
    }

    /// How long it remembers what it dropped: a kernel that has been up for less takes its beginning for a drop.
    pub const fn memory_ns(&self) -> u64 {
        match self {
            Self::Codel(codel) | Self::FqCodel(FqCodel { codel, .. }) => {
                codel.interval_ns * Codel::MEMORY_INTERVALS as u64
            }
            _ => 0,
        }
    }

    /// It is a drop-tail queue.
    pub const fn is_fifo(&self) -> bool {
        matches!(self, Self::Fifo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discipline_is_its_kind_and_its_parameters() {
        let codel = Codel { target_ns: 5, interval_ns: 100, ecn: false, ce_threshold_ns: None };
        for (discipline, text) in [
            (QueueDiscipline::Fifo, r#"{"kind":"fifo"}"#),
            (QueueDiscipline::Codel(codel), r#"{"kind":"codel","target_ns":5,"interval_ns":100,"ecn":false}"#),
        ] {
            assert_eq!(serde_json::to_string(&discipline).expect("JSON"), text);
            assert_eq!(serde_json::from_str::<QueueDiscipline>(text).expect("a discipline"), discipline);
        }
        let red = Red { min_bytes: 30_000, max_bytes: 90_000, probability_ppb: 20_000_000, ecn: false };
        assert_eq!((red.burst_packets(1_500), red.weight(1_500)), (33, 4));
        let unknown = r#"{"kind":"codel","target_ns":5,"interval_ns":100,"ecn":false,"alpha":1}"#;
        assert!(serde_json::from_str::<QueueDiscipline>(unknown).is_err());
    }
}
