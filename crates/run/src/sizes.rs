//! [`Sizes`]: how large transfers and objects are, each distribution with its mean and its inverse.

use crate::normal::deviations;
use libm::{exp, log, pow};
use serde::{Deserialize, Serialize};

/// Of an interval of logarithms of sizes: far more than its digits need.
const HALVINGS: u32 = 200;
/// So much below a mean's logarithm lies every minimum that gives that mean.
const LOWEST: f64 = 100.0;
/// Of a transfer, whatever a distribution gives.
const LARGEST_BYTES: u64 = 1_000_000_000_000_000;

/// A distribution of sizes in bytes, by what its formulas need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sizes {
    /// All alike.
    Fixed(u64),
    /// The logarithm is normally distributed.
    Lognormal {
        /// Half of them are no larger.
        median: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// P(size > x) = (minimum / x) ^ shape; with a maximum the part below that alone (bounded Pareto).
    Pareto {
        /// Where it begins.
        minimum: f64,
        /// The tail's exponent.
        shape: f64,
        /// None: without end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        maximum: Option<f64>,
    },
    /// As measured: sizes in order, and the share that is no larger than each, the last one 1. The first share is that of
    /// transfers of just that size; between two sizes all are as likely.
    Cdf(Vec<(u64, f64)>),
}

impl Sizes {
    /// The lognormal distribution of this mean.
    pub fn lognormal_of_mean(mean: f64, sigma: f64) -> Self {
        Self::Lognormal { median: mean * exp(-(sigma * sigma) / 2.0), sigma }
    }

    /// The Pareto distribution of this mean, which lies below the maximum; without a maximum the shape is above 1.
    pub fn pareto_of_mean(mean: f64, shape: f64, maximum: Option<f64>) -> Self {
        let Some(most) = maximum else {
            return Self::Pareto { minimum: mean * (shape - 1.0) / shape, shape, maximum };
        };
        let (mut low, mut high) = (log(mean) - LOWEST, log(mean));
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if pareto_mean(exp(middle), shape, most) < mean {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self::Pareto { minimum: exp(low), shape, maximum }
    }

    /// Their mean; infinite where they have none.
    pub fn mean_bytes(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Lognormal { median, sigma } => median * exp(sigma * sigma / 2.0),
            Self::Pareto { minimum, shape, maximum } => pareto_mean(*minimum, *shape, maximum.unwrap_or(f64::INFINITY)),
            Self::Cdf(points) => {
                let first = points.first().map_or(0.0, |(size, share)| *size as f64 * share);
                let pieces = points.windows(2).map(|pair| {
                    let [(x, a), (y, b)] = [pair[0], pair[1]];
                    (b - a) * (y + x) as f64 / 2.0
                });
                first + pieces.sum::<f64>()
            }
        }
    }

    /// The size that this share of them is no larger than, in bytes, at least one; 0 < share < 1.
    pub fn bytes_at(&self, share: f64) -> u64 {
        (self.at(share).round_ties_even() as u64).clamp(1, LARGEST_BYTES)
    }

    fn at(&self, share: f64) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Lognormal { median, sigma } => median * exp(sigma * deviations(share)),
            Self::Pareto { minimum, shape, maximum } => {
                let within = 1.0 - pow(minimum / maximum.unwrap_or(f64::INFINITY), *shape);
                minimum * pow(1.0 - share * within, -1.0 / shape)
            }
            Self::Cdf(points) => {
                let index = points.partition_point(|(_, upper)| *upper < share);
                let (size, upper) = points[index];
                let Some((before, lower)) = index.checked_sub(1).map(|index| points[index]) else {
                    return size as f64;
                };
                before as f64 + (size - before) as f64 * (share - lower) / (upper - lower)
            }
        }
    }
}

/// By integration; of a shape of 1 or less infinite without a maximum.
fn pareto_mean(minimum: f64, shape: f64, maximum: f64) -> f64 {
    if maximum == f64::INFINITY {
        return if shape > 1.0 { minimum * shape / (shape - 1.0) } else { f64::INFINITY };
    }
    let ratio = maximum / minimum;
    let below = 1.0 - pow(ratio, -shape);
    if shape == 1.0 {
        return minimum * log(ratio) / below;
    }
    minimum * shape / (shape - 1.0) * (1.0 - pow(ratio, 1.0 - shape)) / below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_has_its_mean_and_so_has_what_is_drawn() {
        let known = [
            (Sizes::Fixed(1000), 1000.0),
            (Sizes::lognormal_of_mean(100_000.0, 1.0), 100_000.0),
            (Sizes::Lognormal { median: 30_000.0, sigma: 0.5 }, 30_000.0 * 0.125_f64.exp()),
            (Sizes::pareto_of_mean(100_000.0, 2.5, None), 100_000.0),
            (Sizes::pareto_of_mean(100_000.0, 1.2, Some(1e6)), 100_000.0),
            (Sizes::pareto_of_mean(100_000.0, 1.0, Some(1e6)), 100_000.0),
            (
                Sizes::Pareto { minimum: 10_000.0, shape: 0.8, maximum: Some(1e6) },
                10_000.0 * 0.8 / -0.2 * (1.0 - 100_f64.powf(0.2)) / (1.0 - 100_f64.powf(-0.8)),
            ),
            (
                Sizes::Cdf(vec![(1000, 0.2), (10_000, 0.6), (100_000, 1.0)]),
                1000.0 * 0.2 + 5500.0 * 0.4 + 55_000.0 * 0.4,
            ),
        ];
        for (sizes, mean) in known {
            assert!((sizes.mean_bytes() / mean - 1.0).abs() < 1e-6, "{sizes:?}: {}", sizes.mean_bytes());
            let count = 100_000;
            let drawn: Vec<f64> =
                (0..count).map(|index| sizes.at((f64::from(index) + 0.5) / f64::from(count))).collect();
            let drawn_mean = drawn.iter().sum::<f64>() / f64::from(count);
            assert!((drawn_mean / mean - 1.0).abs() < 0.02, "{sizes:?}: {drawn_mean}");
            assert!(drawn.is_sorted(), "{sizes:?}");
        }
    }
}
