//! Fixed-point quantities: [`Bandwidth`] in segments/µs and [`Gain`] in 1/256.
//!
//! Segments per microsecond are small fractions, so they carry 24 bits behind the point: a step is about 715 bit/s,
//! and 32 bits reach 3 Tbit/s (Linux 6.1: `BW_SCALE`, `BBR_SCALE`).

use units::{Segments, saturating_product};

use crate::parameter::Values;

const POINT: u32 = 24;
const GAIN_POINT: u32 = 8;
/// Cap on a bandwidth-delay product, so that allowances can be added to it without overflow: 1.5 TB.
const MAX_PRODUCT: u64 = 1 << 30;

/// A delivery rate in 2^-24 segments/µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bandwidth(u32);

impl Bandwidth {
    pub(crate) const MAX: Self = Self(u32::MAX);
    /// The smallest that is some.
    pub(crate) const LEAST: Self = Self(1);

    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    /// What delivers `segments` in `us`, which must not be 0; rounded down.
    pub(crate) fn of_delivery(segments: impl Into<u64>, us: impl Into<u64>) -> Self {
        let bits = (segments.into() << POINT) / us.into();
        Self(bits.try_into().unwrap_or(u32::MAX))
    }

    /// The same, rounded up: small rates can grow, too (BBR version 3).
    pub(crate) fn of_delivery_at_least(segments: impl Into<u64>, us: impl Into<u64>) -> Self {
        let bits = (segments.into() << POINT).div_ceil(us.into());
        Self(bits.try_into().unwrap_or(u32::MAX))
    }

    /// Segments delivered in `us`, rounded down.
    pub(crate) fn segments_in(self, us: u64) -> Segments {
        let segments = saturating_product(u64::from(self.0), us) >> POINT;
        segments.try_into().unwrap_or(Segments::MAX)
    }

    /// Segments in flight that keep `gain` times this rate over `rtt_us`, rounded up so that a small window cannot
    /// talk the estimate down (Linux 6.1 bbr_bdp).
    pub(crate) fn product(self, rtt_us: u32, gain: Gain) -> Segments {
        let product = u64::from(self.0) * u64::from(rtt_us);
        let amplified = saturating_product(product, u64::from(gain.0)) >> GAIN_POINT;
        (amplified.saturating_add((1 << POINT) - 1) >> POINT).min(MAX_PRODUCT) as Segments
    }

    /// `gain` times this rate, less `margin_percent`, in bytes/s (Linux 6.1 bbr_rate_bytes_per_sec). The order of the
    /// operations decides the rounding; u64 suffices up to 2.9 Tbit/s at STARTUP's gain.
    pub(crate) fn bytes_per_sec(self, mss_bytes: u32, gain: Gain, margin_percent: u32) -> u64 {
        let per_us = saturating_product(u64::from(self.0) * u64::from(mss_bytes), u64::from(gain.0)) >> GAIN_POINT;
        let per_sec = saturating_product(per_us, 1_000_000 / 100 * u64::from(100 - margin_percent));
        per_sec >> POINT
    }

    /// The mean with another.
    pub(crate) fn mean(self, other: Self) -> Self {
        Self(((u64::from(self.0) + u64::from(other.0)) / 2) as u32)
    }

    pub(crate) fn abs_diff(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }

    /// `fraction` of this rate.
    pub(crate) fn scaled(self, fraction: Gain) -> Self {
        let bits = (u64::from(self.0) * u64::from(fraction.0)) >> GAIN_POINT;
        Self(bits.try_into().unwrap_or(u32::MAX))
    }
}

/// A factor in 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gain(u16);

impl Gain {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const UNIT: Self = Self(1 << GAIN_POINT);
    pub(crate) const ONE_IN: f64 = 256.0;

    /// A parameter, rounded down.
    pub(crate) fn given(values: &Values<'_>, name: &str) -> Self {
        Self::from_256ths(values.truncated(name, Self::ONE_IN))
    }

    /// A parameter, rounded up.
    pub(crate) fn given_at_least(values: &Values<'_>, name: &str) -> Self {
        Self::from_256ths((values.number(name) * Self::ONE_IN).ceil() as u32)
    }

    pub(crate) const fn from_256ths(parts: u32) -> Self {
        Self(parts as u16)
    }

    /// What is left of 1 without this much, which must not be more.
    pub(crate) const fn complement(self) -> Self {
        Self((1 << GAIN_POINT) - self.0)
    }

    pub(crate) const fn in_256ths(self) -> u16 {
        self.0
    }

    /// This many times `segments`, rounded up.
    pub(crate) fn of_at_least(self, segments: Segments) -> Segments {
        (u64::from(segments) * u64::from(self.0)).div_ceil(1 << GAIN_POINT) as Segments
    }

    /// Of how many this many times are `segments`, rounded down; it must not be 0.
    pub(crate) fn inverse_of(self, segments: Segments) -> Segments {
        ((u64::from(segments) << GAIN_POINT) / u64::from(self.0)) as Segments
    }

    /// This many times `segments`, rounded down.
    pub(crate) fn of(self, segments: Segments) -> Segments {
        ((u64::from(segments) * u64::from(self.0)) >> GAIN_POINT) as Segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_segments_in_twenty_milliseconds_are_what_they_are_in_bytes() {
        let bandwidth = Bandwidth::of_delivery(10u32, 20_000u32);
        assert_eq!(bandwidth.to_bits(), (10 << 24) / 20_000);
        // 724 000 bytes/s but for what is cut off behind 24 bits.
        let rate = bandwidth.bytes_per_sec(1_448, Gain::UNIT, 0);
        assert!((723_900..=724_000).contains(&rate), "{rate}");
        let margin = bandwidth.bytes_per_sec(1_448, Gain::UNIT, 1);
        assert!(margin * 100 / 99 <= rate && margin * 101 / 99 > rate, "{margin}");
    }

    #[test]
    fn a_product_rounds_up_and_a_delivery_down() {
        let bandwidth = Bandwidth::of_delivery(10u32, 30_000u32);
        assert_eq!(bandwidth.segments_in(30_000), 9);
        assert_eq!(bandwidth.product(30_000, Gain::UNIT), 10);
        assert_eq!(bandwidth.product(30_000, Gain::from_256ths(320)), 13);
    }

    #[test]
    fn what_cannot_be_expressed_saturates() {
        let fastest = Bandwidth::of_delivery(u32::MAX, 1u32);
        assert_eq!(fastest.to_bits(), u32::MAX);
        assert_eq!(u64::from(fastest.product(u32::MAX, Gain::from_256ths(739))), MAX_PRODUCT);
        assert_eq!(fastest.segments_in(u64::MAX), (u64::MAX >> POINT).try_into().unwrap_or(Segments::MAX));
    }
}
