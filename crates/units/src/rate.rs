//! [`Rate`] in bits per second, and [`Serializer`], which turns bytes into time without losing a fraction.

use crate::{Bytes, Span};

const NANOS_PER_SEC: u64 = 1_000_000_000;
const BITS_PER_BYTE: u64 = 8;

/// Bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

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

    /// What the rate carries in `span`, in whole bytes. Exact for every span and rate.
    pub const fn bytes_in(self, span: Span) -> Bytes {
        Bytes::new((self.0 as u128 * span.as_nanos() as u128 / (NANOS_PER_SEC * BITS_PER_BYTE) as u128) as u64)
    }

    /// Time to send `bytes`, rounded down to a nanosecond; [`Serializer`] keeps the remainder.
    pub const fn time_for(self, bytes: Bytes) -> Span {
        Span::from_nanos((bytes.get() as u128 * (BITS_PER_BYTE * NANOS_PER_SEC) as u128 / self.0 as u128) as u64)
    }
}

/// Time on the wire at one rate, with what a nanosecond cannot express carried from call to call: after any
/// number of packets the sum is less than 1 ns from the exact value.
///
/// `remainder` is in units of 1/rate ns and stays below the rate, so it never overflows.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: Rate,
    remainder: u64,
    // The last size asked for and its quotient and remainder: nearly every packet has the same size, and a
    // 128-bit division costs as much as the rest of a link's work.
    cached_bytes: Bytes,
    cached: (u64, u64),
}

impl Serializer {
    /// A line at `rate`, which must not be zero.
    pub const fn new(rate: Rate) -> Self {
        assert!(rate.as_bps() > 0);
        Self { rate, remainder: 0, cached_bytes: Bytes::ZERO, cached: (0, 0) }
    }

    /// The rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Time that `bytes` take, the remainders of earlier calls included.
    pub const fn take(&mut self, bytes: Bytes) -> Span {
        if bytes.get() != self.cached_bytes.get() {
            self.cached_bytes = bytes;
            self.cached = self.exact(bytes);
        }
        let (quotient, rest) = self.cached;
        self.remainder += rest;
        let carry = self.remainder >= self.rate.as_bps();
        if carry {
            self.remainder -= self.rate.as_bps();
        }
        Span::from_nanos(quotient + carry as u64)
    }

    const fn exact(&self, bytes: Bytes) -> (u64, u64) {
        let work = bytes.get() as u128 * (BITS_PER_BYTE * NANOS_PER_SEC) as u128;
        let rate = self.rate.as_bps() as u128;
        ((work / rate) as u64, (work % rate) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_carried() {
        // 1514 bytes at 7 Mbit/s are 1 730 285.714… ns: 7 000 packets take exactly 12 112 000 000 ns.
        let mut line = Serializer::new(Rate::from_bps(7_000_000));
        let total = (0..7_000).fold(Span::ZERO, |sum, _| sum + line.take(Bytes::new(1514)));
        assert_eq!(total, Span::from_nanos(12_112_000_000));
    }

    #[test]
    fn sizes_may_alternate() {
        let mut line = Serializer::new(Rate::from_bps(3));
        let spans: Vec<_> = [1, 2, 1].iter().map(|&b| line.take(Bytes::new(b)).as_nanos()).collect();
        assert_eq!(spans.iter().sum::<u64>(), 4 * 8 * NANOS_PER_SEC / 3);
    }

    #[test]
    fn bytes_in_a_span_do_not_overflow() {
        let rate = Rate::from_bps(400_000_000_000);
        assert_eq!(rate.bytes_in(Span::from_secs(86_400)).get(), 4_320_000_000_000_000);
    }
}
