//! What tells connections apart.

use crate::header::{Endpoint, Segment};

/// Both ends, the smaller one first: the same for both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    low: Endpoint,
    high: Endpoint,
}

impl Key {
    /// Of two ends.
    #[inline]
    pub fn of(one: Endpoint, other: Endpoint) -> Self {
        if one <= other { Self { low: one, high: other } } else { Self { low: other, high: one } }
    }

    /// Of a segment's ends.
    #[inline]
    pub fn of_segment(packet: &Segment) -> Self {
        Self::of(packet.source, packet.destination)
    }

    /// A number that seldom is the same for two keys: words multiplied and folded, as wyhash does.
    #[inline]
    pub fn hash(self) -> u64 {
        let ((low, low_port), (high, high_port)) = (self.low.bits(), self.high.bits());
        let ports = u64::from(low_port) << 16 | u64::from(high_port);
        let hash = fold(ports ^ 0xa076_1d64_78bd_642f, low as u64 ^ 0xe703_7ed1_a0b4_28db);
        let hash = fold(hash ^ (low >> 64) as u64, high as u64 ^ 0x8ebc_6af0_9c88_c6e3);
        fold(hash ^ (high >> 64) as u64, 0x5899_65cc_7537_4cc3)
    }
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}
