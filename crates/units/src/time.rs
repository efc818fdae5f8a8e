//! [`Time`], an instant of the virtual clock, and [`Span`], a length of it.

use crate::low_bits;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// An instant: nanoseconds since the run began. 2^64 ns are 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The run's beginning.
    pub const ZERO: Self = Self(0);
    /// Later than every instant that a run reaches.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant this many nanoseconds after the beginning.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the beginning.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds since the beginning: the clock of Linux's `tcp_mstamp`.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds since the beginning: the clock of TCP timestamps and of jiffies at HZ = 1000.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The clock of TCP timestamps as segments carry it: the low 32 bits of its milliseconds.
    pub const fn stamp_ms(self) -> u32 {
        low_bits(self.as_millis())
    }

    /// Time since `earlier`; panics in debug builds when that lies in the future.
    pub const fn since(self, earlier: Self) -> Span {
        debug_assert!(earlier.0 <= self.0);
        Span(self.0.wrapping_sub(earlier.0))
    }

    /// Time since `earlier`, or zero when that lies in the future.
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A span of microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// A span of milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// A span of seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Seconds, for display and for tests.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The difference, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarser_clocks_round_down() {
        let t = Time::from_nanos(1_999_999);
        assert_eq!((t.as_micros(), t.as_millis()), (1_999, 1));
    }

    #[test]
    fn a_span_moves_an_instant_and_is_recovered() {
        let start = Time::from_nanos(7);
        let later = start + Span::from_micros(3);
        assert_eq!(later.since(start), Span::from_nanos(3_000));
        assert_eq!(start.saturating_since(later), Span::ZERO);
    }
}
