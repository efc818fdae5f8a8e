//! [`Spread`]: delays that are drawn for each packet, as Linux 6.1 `netem` draws them (`tabledist`, `get_crandom`).

use crate::engine::Stream;
use run::Distribution;

/// A deviation of one standard deviation is so much in the table (`NETEM_DIST_SCALE`).
const SCALE: i64 = 8_192;
/// Entries of the table, one for each of so many equal shares.
const SHARES: u32 = 4_096;

/// What draws delays.
#[derive(Debug)]
pub struct Spread {
    mean_ns: i64,
    spread_ns: i64,
    /// Of a normal distribution the middle of each share of the draws, in 1/[`SCALE`] of the standard deviation.
    table: Option<Vec<i64>>,
    draws: Draws,
}

/// Draws of 32 bits, each of which has a part of the one before.
#[derive(Debug)]
struct Draws {
    stream: Stream,
    /// That part, in 1/2^32; 0: none.
    weight: u64,
    last: u64,
}

impl Spread {
    /// Delays of this mean, and of this half range or standard deviation.
    pub fn new(
        delay_ns: u64,
        spread_ns: u64,
        distribution: Distribution,
        correlation_ppb: u32,
        mut stream: Stream,
    ) -> Self {
        // One less than a share of 2^32, as `tc` writes it and the kernel reads it.
        let weight = (u64::from(correlation_ppb) * u64::from(u32::MAX)) / 1_000_000_000;
        let last = stream.below(1 << 32);
        let signed = |ns: u64| i64::try_from(ns).expect("a delay of this world");
        Self {
            mean_ns: signed(delay_ns),
            spread_ns: signed(spread_ns),
            table: (distribution == Distribution::Normal).then(normal_table),
            draws: Draws { stream, weight, last },
        }
    }

    /// The next packet's delay, ns.
    pub fn draw_ns(&mut self) -> u64 {
        self.deviation_ns().saturating_add(self.mean_ns).max(0).unsigned_abs()
    }

    fn deviation_ns(&mut self) -> i64 {
        if self.spread_ns == 0 {
            return 0;
        }
        let draw = self.draws.next();
        let Some(table) = &self.table else {
            // A division of 32 bits, which costs a fraction of one of 64.
            let place = u32::try_from(2 * self.spread_ns).map_or(draw, |range| draw % range);
            return i64::from(place) - self.spread_ns;
        };
        let deviation = table[(draw % SHARES) as usize];
        let part = self.spread_ns % SCALE * deviation;
        (part + SCALE / 2 * part.signum()) / SCALE + self.spread_ns / SCALE * deviation
    }
}

impl Draws {
    fn next(&mut self) -> u32 {
        let value = self.stream.below(1 << 32);
        if self.weight > 0 {
            let weight = self.weight + 1;
            self.last = (value * ((1 << 32) - weight) + self.last * weight) >> 32;
            return units::low_bits(self.last);
        }
        units::low_bits(value)
    }
}

/// Quantiles of the standard normal distribution at the middle of each share, to the nearest step. Its integral is a sum over
/// steps, and the density at each step follows from that before: sums and products of floats are the same on every machine,
/// which an exponential function is not.
fn normal_table() -> Vec<i64> {
    const STEP: f64 = 1.0 / SCALE as f64;
    const SQUARE: f64 = STEP * STEP;
    /// 1/sqrt(2 pi).
    const PEAK: f64 = 0.398_942_280_401_432_7;
    // exp(-(x + STEP)^2/2) is that of x times exp(-x STEP - STEP^2/2), which falls by exp(-STEP^2) a step.
    let (mut density, mut ratio) = (PEAK, 1.0 - SQUARE / 2.0 + SQUARE * SQUARE / 8.0);
    let fall = 1.0 - SQUARE + SQUARE * SQUARE / 2.0;
    // The share below half a step beyond the deviation.
    let (mut deviation, mut below) = (0, 0.5 + density * STEP / 2.0);
    let upper: Vec<i64> = (SHARES / 2..SHARES)
        .map(|share| {
            while below < (f64::from(share) + 0.5) / f64::from(SHARES) {
                density *= ratio;
                ratio *= fall;
                deviation += 1;
                below += density * STEP;
            }
            deviation
        })
        .collect();
    upper.iter().rev().map(|deviation| -deviation).chain(upper.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::stream;

    const COUNT: usize = 200_000;

    fn delays(delay_ns: u64, spread_ns: u64, distribution: Distribution, correlation_ppb: u32) -> Vec<f64> {
        let mut spread = Spread::new(delay_ns, spread_ns, distribution, correlation_ppb, stream(3, "spread"));
        (0..COUNT).map(|_| spread.draw_ns() as f64).collect()
    }

    /// Mean, and standard deviation.
    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt())
    }

    /// Quantiles as tables of the distribution have them.
    #[test]
    fn the_table_is_that_of_the_normal_distribution() {
        let table = normal_table();
        assert_eq!(table.len(), SHARES as usize);
        assert!(table.is_sorted() && table.iter().zip(table.iter().rev()).all(|(low, high)| low + high == 0));
        // Shares (k + 1/2)/4096 below these deviations.
        for (place, deviation) in [(4095, 3.668_329_3), (3445, 0.999_346_3), (3993, 1.959_546_4), (2048, 0.000_306_0)] {
            let of_table = table[place] as f64 / SCALE as f64;
            assert!((of_table - deviation).abs() < 1.0 / SCALE as f64, "{place}: {of_table} instead of {deviation}");
        }
    }

    #[test]
    fn delays_have_the_mean_and_the_spread_of_their_distribution() {
        let half = 4e6;
        // Standard deviations, and those of their estimates: sqrt((kurtosis - 1)/4 n) of them.
        // Of the normal one no delay of the table is less than nothing, so far is the mean.
        for (distribution, mean_ns, deviation, kurtosis) in [
            (Distribution::Uniform, 10_000_000, half / 3.0_f64.sqrt(), 1.8),
            (Distribution::Normal, 30_000_000, half, 3.0),
        ] {
            let (mean, values) = (mean_ns as f64, delays(mean_ns, 4_000_000, distribution, 0));
            let (measured, spread) = moments(&values);
            let n = COUNT as f64;
            assert!((measured - mean).abs() < 5.0 * deviation / n.sqrt(), "{distribution:?}: {measured}");
            let error = ((kurtosis - 1.0) / 4.0 / n).sqrt();
            assert!((spread / deviation - 1.0).abs() < 5.0 * error, "{distribution:?}: {spread} for {deviation}");
        }
        let uniform = delays(10_000_000, 4_000_000, Distribution::Uniform, 0);
        assert!(uniform.iter().all(|delay| (6e6..14e6).contains(delay)));
        assert_eq!(moments(&delays(7, 0, Distribution::Normal, 0)), (7.0, 0.0));
    }

    /// Half of what is drawn around 0 is 0: the mean of the rest is half a standard deviation times sqrt(2/pi).
    #[test]
    fn no_delay_is_less_than_nothing() {
        let (mean, _) = moments(&delays(0, 1_000_000, Distribution::Normal, 0));
        let expected = 1e6 * (0.5 / std::f64::consts::PI).sqrt();
        let deviation = 1e6 * (0.5 - 0.5 / std::f64::consts::PI).sqrt();
        assert!((mean - expected).abs() < 5.0 * deviation / (COUNT as f64).sqrt(), "{mean}");
    }

    /// The draws are a first-order recursion: neighbours have this correlation, and their variance is
    /// (1 - weight)/(1 + weight) of that of even ones.
    #[test]
    fn draws_have_a_part_of_those_before() {
        for weight_ppb in [0, 250_000_000, 800_000_000] {
            let weight = f64::from(weight_ppb) / 1e9;
            let mut spread = Spread::new(0, 1, Distribution::Uniform, weight_ppb, stream(5, "draws"));
            let draws: Vec<f64> = (0..COUNT).map(|_| f64::from(spread.draws.next()) / 4_294_967_296.0).collect();
            let (mean, deviation) = moments(&draws);
            let product = draws.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>();
            let correlation = product / draws.len() as f64 / deviation.powi(2);
            let error = 5.0 / (COUNT as f64).sqrt();
            assert!((correlation - weight).abs() < error, "{correlation} for {weight}");
            let expected = ((1.0 - weight) / (1.0 + weight) / 12.0_f64).sqrt();
            assert!((deviation / expected - 1.0).abs() < 0.02, "{deviation} for {expected}");
        }
    }
}
