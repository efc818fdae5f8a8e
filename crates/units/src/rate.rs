//! [`Rate`] in bits per second, and the exact time that bytes take at it.

use crate::{Bytes, Span};

const NANOS_PER_SEC: u64 = 1_000_000_000;
const BITS_PER_BYTE: u64 = 8;

/// Bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A span of time with the fraction of a nanosecond that it leaves: `span + rest/rate` ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactSpan {
    /// Whole nanoseconds.
    pub span: Span,
    /// What is left over, in units of 1/rate ns; always below the rate's bits per second.
    pub rest: u64,
}

impl Rate {
    /// A rate in bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// A rate in bytes per second.
    pub const fn from_bytes_per_sec(bytes: u64) -> Self {
        Self(bytes * BITS_PER_BYTE)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Whole bytes per second.
    pub const fn as_bytes_per_sec(self) -> u64 {
        self.0 / BITS_PER_BYTE
    }

    /// What the rate carries in `span`, in whole bytes.
    pub const fn bytes_in(self, span: Span) -> Bytes {
        Bytes::new((self.0 as u128 * span.as_nanos() as u128 / (NANOS_PER_SEC * BITS_PER_BYTE) as u128) as u64)
    }

    /// Time to send `bytes`, rounded down to a nanosecond; panics when the rate is zero.
    pub const fn time_for(self, bytes: Bytes) -> Span {
        self.exact_time_for(bytes).span
    }

    /// Time to send `bytes`, with the remainder that a nanosecond cannot express; panics when the rate is zero.
    pub const fn exact_time_for(self, bytes: Bytes) -> ExactSpan {
        let work = bytes.get() as u128 * (BITS_PER_BYTE * NANOS_PER_SEC) as u128;
        let rate = self.0 as u128;
        ExactSpan { span: Span::from_nanos((work / rate) as u64), rest: (work % rate) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remainder_is_what_a_nanosecond_cannot_express() {
        // 1514 bytes at 7 Mbit/s are 1 730 285 + 5/7 ns.
        let exact = Rate::from_bps(7_000_000).exact_time_for(Bytes::new(1514));
        assert_eq!(exact, ExactSpan { span: Span::from_nanos(1_730_285), rest: 5_000_000 });
    }

    #[test]
    fn bytes_in_a_span_do_not_overflow() {
        let rate = Rate::from_bps(400_000_000_000);
        assert_eq!(rate.bytes_in(Span::from_secs(86_400)).get(), 4_320_000_000_000_000);
    }
}
