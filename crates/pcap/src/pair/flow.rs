//! What became of the packets of one direction of a connection between the places.

use super::window::Waiting;
use crate::quantile::{Distribution, class, middle};
use serde::Serialize;
use std::collections::BTreeMap;

/// Classes of delays are 1/2^17 of their value wide: a quantile of 100 ms is off by 0.4 us at most.
const BITS: u32 = 17;

/// One direction of a connection.
#[derive(Default)]
pub struct Flow {
    pub arrived: u64,
    pub arrived_bytes: u64,
    pub lost: u64,
    pub lost_bytes: u64,
    pub under_way: u64,
    pub duplicated: u64,
    pub overtaken: u64,
    pub unsent: u64,
    pub outside: u64,
    pub given_up: u64,
    /// When the last one of those that arrived was sent, by its place's clock.
    pub last_sent_ns: i64,
    /// How much longer than at least the last one needed.
    pub last_above_ns: i64,
    /// The largest ordinal of those that arrived.
    most_ordinal: Option<u64>,
    /// Delays above the least, by their class.
    delays: BTreeMap<u32, u64>,
    delay_sum: u128,
    delay_least: u64,
    delay_most: u64,
}

impl Flow {
    /// A packet arrived.
    pub fn arrive(&mut self, sent: &Waiting, above_ns: u64) {
        self.last_sent_ns = if self.arrived == 0 { sent.time_ns } else { self.last_sent_ns.max(sent.time_ns) };
        self.delay_least = if self.arrived == 0 { above_ns } else { self.delay_least.min(above_ns) };
        self.delay_most = self.delay_most.max(above_ns);
        self.delay_sum += u128::from(above_ns);
        *self.delays.entry(class::<BITS>(above_ns)).or_default() += 1;
        self.arrived += 1;
        self.arrived_bytes += u64::from(sent.payload_bytes);
        self.overtaken += u64::from(self.most_ordinal.is_some_and(|most| sent.ordinal < most));
        self.most_ordinal = self.most_ordinal.max(Some(sent.ordinal));
        self.last_above_ns = above_ns.cast_signed();
    }

    /// How delays spread, each `base_ns` longer than above the least of all.
    pub fn distribution(&self, base_ns: i64) -> Option<Distribution> {
        let shifted = |value: u64| value.cast_signed().saturating_add(base_ns).max(0).cast_unsigned();
        let quantile = |percent: u64| {
            let rank = (self.arrived * percent).div_ceil(100).max(1);
            let mut below = 0;
            let class = self.delays.iter().find(|(_, count)| {
                below += **count;
                below >= rank
            });
            class.map_or(0, |(class, _)| shifted(middle::<BITS>(*class).clamp(self.delay_least, self.delay_most)))
        };
        (self.arrived > 0).then(|| Distribution {
            samples: self.arrived,
            least_ns: shifted(self.delay_least),
            mean_ns: shifted((self.delay_sum / u128::from(self.arrived)) as u64),
            p50_ns: quantile(50),
            p95_ns: quantile(95),
            p99_ns: quantile(99),
            most_ns: shifted(self.delay_most),
        })
    }

    pub fn summary(&self, base_ns: Option<f64>) -> FlowSummary {
        FlowSummary {
            sent: self.arrived + self.lost,
            sent_bytes: self.arrived_bytes + self.lost_bytes,
            lost: self.lost,
            lost_bytes: self.lost_bytes,
            under_way: self.under_way,
            duplicated: self.duplicated,
            overtaken: self.overtaken,
            unsent: self.unsent,
            outside: self.outside,
            given_up: self.given_up,
            delay: base_ns.and_then(|base| self.distribution(base.round() as i64)),
            queueing: self.distribution(-self.delay_least.cast_signed()),
        }
    }

    pub const fn least_ns(&self) -> u64 {
        self.delay_least
    }
}

/// What became of the packets of one direction. A packet that was captured before it was cut up counts as its segments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlowSummary {
    /// Packets that the place nearer to their sender saw, and of which it is known whether they arrived.
    pub sent: u64,
    /// Bytes of data in them.
    pub sent_bytes: u64,
    /// Of these, those that the other place did not see.
    pub lost: u64,
    /// Bytes of data in them.
    pub lost_bytes: u64,
    /// Sent when the other capture ended or shortly before: lost, or under way.
    pub under_way: u64,
    /// Packets that arrived a second time.
    pub duplicated: u64,
    /// Packets that arrived after one that was sent later.
    pub overtaken: u64,
    /// Packets that arrived and that the place nearer to their sender did not see.
    pub unsent: u64,
    /// Packets from before the other capture began or after it ended.
    pub outside: u64,
    /// Packets for which there was no more room to wait in.
    pub given_up: u64,
    /// From one place to the other; none where the clocks' offset is not known. Quantiles are those of classes of 0.0008 %.
    pub delay: Option<Distribution>,
    /// Above the least delay of this direction, which needs no clock but its drift.
    pub queueing: Option<Distribution>,
}

/// Packets of one direction that were sent in a bin of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PairBin {
    /// Those that arrived.
    pub arrived: u64,
    /// Those that were lost.
    pub lost: u64,
    /// Sum of the delays above the least, ns.
    pub queueing_sum_ns: u64,
    /// The largest, ns.
    pub queueing_most_ns: u64,
}

impl PairBin {
    pub(super) fn arrive(&mut self, above_ns: u64) {
        self.arrived += 1;
        self.queueing_sum_ns = self.queueing_sum_ns.saturating_add(above_ns);
        self.queueing_most_ns = self.queueing_most_ns.max(above_ns);
    }

    /// With delays above another least.
    pub(super) const fn above(self, least_ns: u64) -> Self {
        Self {
            queueing_sum_ns: self.queueing_sum_ns.saturating_sub(least_ns.saturating_mul(self.arrived)),
            queueing_most_ns: self.queueing_most_ns.saturating_sub(least_ns),
            ..self
        }
    }
}
