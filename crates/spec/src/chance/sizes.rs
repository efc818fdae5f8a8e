//! How large short transfers are: distributions, each with its mean and its inverse.

use super::normal::deviations;
use libm::{exp, log, pow};

/// Of an interval of logarithms of sizes: far more than its digits need.
const HALVINGS: u32 = 200;
/// So much below a mean's logarithm lies every minimum that gives that mean.
const LOWEST: f64 = 100.0;

/// Sizes in the words of a spec, in bytes.
#[derive(Clone, Debug)]
pub(crate) enum Sizes {
    /// All alike.
    Fixed(u64),
    /// The logarithm is normally distributed.
    Lognormal {
        /// Where it lies.
        middle: Middle,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// P(size > x) = (minimum / x) ^ shape; with a maximum the part below it, by itself (bounded Pareto).
    Pareto {
        /// Where it begins.
        least: Least,
        /// The tail's exponent.
        shape: f64,
        /// None: without end.
        maximum: Option<f64>,
    },
    /// As measured: sizes in order, and the share that is no larger than each, the last one 1. The first share is that of
    /// transfers of just that size; between two sizes all are as likely.
    Cdf(Vec<(u64, f64)>),
}

/// Where a lognormal distribution lies.
#[derive(Clone, Debug)]
pub(crate) enum Middle {
    /// By its mean.
    Mean(f64),
    /// By its median.
    Median(f64),
}

/// Where a Pareto distribution begins.
#[derive(Clone, Debug)]
pub(crate) enum Least {
    /// Where it has this mean, which lies below the maximum; without a maximum the shape is above 1.
    Mean(f64),
    /// Here.
    Minimum(f64),
}

/// A distribution by what its formulas need.
pub(crate) enum Distribution {
    Fixed(u64),
    Lognormal { median: f64, sigma: f64 },
    Pareto(Pareto),
    Cdf(Vec<(u64, f64)>),
}

/// Its maximum may be infinite.
pub(crate) struct Pareto {
    minimum: f64,
    shape: f64,
    maximum: f64,
}

impl From<Sizes> for Distribution {
    fn from(sizes: Sizes) -> Self {
        match sizes {
            Sizes::Fixed(bytes) => Self::Fixed(bytes),
            Sizes::Lognormal { middle: Middle::Median(median), sigma } => Self::Lognormal { median, sigma },
            Sizes::Lognormal { middle: Middle::Mean(mean), sigma } => {
                Self::Lognormal { median: mean * exp(-(sigma * sigma) / 2.0), sigma }
            }
            Sizes::Pareto { least, shape, maximum } => {
                let maximum = maximum.unwrap_or(f64::INFINITY);
                Self::Pareto(match least {
                    Least::Minimum(minimum) => Pareto { minimum, shape, maximum },
                    Least::Mean(mean) => Pareto::of_mean(mean, shape, maximum),
                })
            }
            Sizes::Cdf(points) => Self::Cdf(points),
        }
    }
}

impl Sizes {
    /// Their mean; infinite where they have none.
    pub(crate) fn mean_bytes(&self) -> f64 {
        Distribution::from(self.clone()).mean_bytes()
    }
}

impl Distribution {
    /// Its mean; infinite where it has none.
    pub(crate) fn mean_bytes(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Lognormal { median, sigma } => median * exp(sigma * sigma / 2.0),
            Self::Pareto(pareto) => pareto.mean_bytes(),
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

    /// The size that this share of transfers is no larger than; 0 < share < 1.
    pub(crate) fn at(&self, share: f64) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Lognormal { median, sigma } => median * exp(sigma * deviations(share)),
            Self::Pareto(pareto) => pareto.at(share),
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

impl Pareto {
    fn of_mean(mean: f64, shape: f64, maximum: f64) -> Self {
        if maximum == f64::INFINITY {
            return Self { minimum: mean * (shape - 1.0) / shape, shape, maximum };
        }
        let (mut low, mut high) = (log(mean) - LOWEST, log(mean));
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if (Self { minimum: exp(middle), shape, maximum }).mean_bytes() < mean {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self { minimum: exp(low), shape, maximum }
    }

    /// By integration; of a shape of 1 or less infinite without a maximum.
    fn mean_bytes(&self) -> f64 {
        let Self { minimum, shape, maximum } = *self;
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

    fn at(&self, share: f64) -> f64 {
        let within = 1.0 - pow(self.minimum / self.maximum, self.shape);
        self.minimum * pow(1.0 - share * within, -1.0 / self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pareto(least: Least, shape: f64, maximum: Option<f64>) -> Sizes {
        Sizes::Pareto { least, shape, maximum }
    }

    #[test]
    fn a_distribution_has_its_mean_and_so_has_what_is_drawn() {
        let known = [
            (Sizes::Fixed(1000), 1000.0),
            (Sizes::Lognormal { middle: Middle::Mean(100_000.0), sigma: 1.0 }, 100_000.0),
            (Sizes::Lognormal { middle: Middle::Median(30_000.0), sigma: 0.5 }, 30_000.0 * 0.125_f64.exp()),
            (pareto(Least::Mean(100_000.0), 2.5, None), 100_000.0),
            (pareto(Least::Mean(100_000.0), 1.2, Some(1e6)), 100_000.0),
            (pareto(Least::Mean(100_000.0), 1.0, Some(1e6)), 100_000.0),
            (
                pareto(Least::Minimum(10_000.0), 0.8, Some(1e6)),
                10_000.0 * 0.8 / -0.2 * (1.0 - 100_f64.powf(0.2)) / (1.0 - 100_f64.powf(-0.8)),
            ),
            (
                Sizes::Cdf(vec![(1000, 0.2), (10_000, 0.6), (100_000, 1.0)]),
                1000.0 * 0.2 + 5500.0 * 0.4 + 55_000.0 * 0.4,
            ),
        ];
        for (sizes, mean) in known {
            let label = format!("{sizes:?}");
            let distribution = Distribution::from(sizes);
            assert!((distribution.mean_bytes() / mean - 1.0).abs() < 1e-6, "{label}: {}", distribution.mean_bytes());
            let count = 100_000;
            let drawn: Vec<f64> =
                (0..count).map(|index| distribution.at((f64::from(index) + 0.5) / f64::from(count))).collect();
            let drawn_mean = drawn.iter().sum::<f64>() / f64::from(count);
            assert!((drawn_mean / mean - 1.0).abs() < 0.02, "{label}: {drawn_mean}");
            assert!(drawn.is_sorted(), "{label}");
        }
    }
}
