//! Quantiles of many values in little memory.

use serde::Serialize;

/// Counts of values in classes, 128 for each power of two: a quantile is off by 0.4 % at most.
#[derive(Default)]
pub struct Quantiles {
    /// Class and count, in order.
    classes: Vec<(u16, u32)>,
    /// The class of the last value, which the next often has.
    last: usize,
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
}

const BITS: u32 = 7;

/// What a set of samples is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Distribution {
    /// How many samples there are.
    pub samples: u64,
    /// The smallest, nanoseconds.
    pub least_ns: u64,
    /// Their mean, nanoseconds, rounded down.
    pub mean_ns: u64,
    /// The median, nanoseconds, to 0.4 %.
    pub p50_ns: u64,
    /// The 95th percentile, nanoseconds, to 0.4 %.
    pub p95_ns: u64,
    /// The 99th percentile, nanoseconds, to 0.4 %.
    pub p99_ns: u64,
    /// The largest, nanoseconds.
    pub most_ns: u64,
}

/// The class of a value, of `1 << BITS` for each power of two.
pub fn class<const BITS: u32>(value: u64) -> u32 {
    let power = value.checked_ilog2().unwrap_or(0).saturating_sub(BITS);
    (power << BITS) + (value >> power) as u32
}

/// The middle of a class.
pub fn middle<const BITS: u32>(class: u32) -> u64 {
    let power = (class >> BITS).saturating_sub(1);
    let base = u64::from(class - (power << BITS)) << power;
    base + ((1 << power) >> 1)
}

impl Quantiles {
    #[inline]
    pub fn insert(&mut self, value: u64) {
        self.insert_many(value, 1);
    }

    /// Inserts a value several times.
    #[inline(always)]
    pub fn insert_many(&mut self, value: u64, times: u32) {
        if self.count == 0 || value < self.least {
            self.least = value;
        }
        self.most = self.most.max(value);
        self.count += u64::from(times);
        self.sum += u128::from(value) * u128::from(times);
        let class = class::<BITS>(value) as u16;
        let repeats = self.classes.get(self.last).is_some_and(|(other, _)| *other == class);
        let place = if repeats { self.last } else { self.classes.partition_point(|(other, _)| *other < class) };
        self.last = place;
        match self.classes.get_mut(place).filter(|(other, _)| *other == class) {
            Some((_, count)) => *count = count.saturating_add(times),
            None => self.classes.insert(place, (class, times)),
        }
    }

    /// Bytes of memory.
    #[inline]
    pub const fn memory_bytes(&self) -> usize {
        self.classes.capacity() * size_of::<(u16, u32)>()
    }

    pub const fn least(&self) -> Option<u64> {
        if self.count == 0 { None } else { Some(self.least) }
    }

    pub fn median(&self) -> Option<u64> {
        (self.count > 0).then(|| self.quantile(50))
    }

    /// How many values there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// How many of them are smaller than a value, to its class.
    pub fn below(&self, value: u64) -> u64 {
        let end = self.classes.partition_point(|(class, _)| middle::<BITS>(u32::from(*class)) < value);
        self.classes[..end].iter().map(|(_, count)| u64::from(*count)).sum()
    }

    pub fn quantile(&self, percent: u64) -> u64 {
        let rank = (self.count * percent).div_ceil(100).max(1);
        let mut below = 0;
        for (class, count) in &self.classes {
            below += u64::from(*count);
            if below >= rank {
                return middle::<BITS>(u32::from(*class)).clamp(self.least, self.most);
            }
        }
        self.most
    }

    /// None without a sample.
    pub fn distribution(&self) -> Option<Distribution> {
        (self.count > 0).then(|| Distribution {
            samples: self.count,
            least_ns: self.least,
            mean_ns: (self.sum / u128::from(self.count)) as u64,
            p50_ns: self.quantile(50),
            p95_ns: self.quantile(95),
            p99_ns: self.quantile(99),
            most_ns: self.most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{BITS, Quantiles, class, middle};

    #[test]
    fn a_class_is_narrower_than_its_values_hundredth() {
        for value in (0..4000).chain([u64::MAX, 1 << 40, (1 << 40) - 1, 123_456_789_012]) {
            let middle = middle::<BITS>(class::<BITS>(value));
            assert!(value.abs_diff(middle) <= value / 256, "{value} {middle}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let mut quantiles = Quantiles::default();
        for value in 1..=1000 {
            quantiles.insert(value * 1000);
        }
        let distribution = quantiles.distribution().unwrap();
        assert_eq!((distribution.samples, distribution.least_ns, distribution.most_ns), (1000, 1000, 1_000_000));
        assert_eq!(distribution.mean_ns, 500_500);
        for (quantile, exact) in [(distribution.p50_ns, 500_000), (distribution.p95_ns, 950_000)] {
            assert!(quantile.abs_diff(exact) <= exact / 250, "{quantile}");
        }
    }
}
