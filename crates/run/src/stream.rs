//! Named random streams: each element of a run draws from its own, so that adding a flow reshuffles nobody else's.

use libm::log;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// A fixed generator with a seed made from the run's seed and a name.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

/// The stream called `name` of the run with `seed`.
pub fn stream(seed: u64, name: &str) -> Stream {
    Stream(Xoshiro256PlusPlus::seed_from_u64(stream_seed(seed, name)))
}

/// The seed of that stream: FNV-1a over the name (Fowler, Noll and Vo's published constants), mixed with the run's
/// seed by one step of SplitMix64.
pub fn stream_seed(seed: u64, name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    SplitMix64::seed_from_u64(hash ^ seed).next_u64()
}

impl Stream {
    /// True with a probability of `ppb` parts per billion.
    #[inline]
    pub fn happens(&mut self, ppb: u32) -> bool {
        // The product's high half is uniform in 0..10^9: Lemire's multiply-shift, whose bias of 10^9/2^64 is nothing.
        let draw = (u128::from(self.0.next_u64()) * 1_000_000_000) >> 64;
        draw < u128::from(ppb)
    }

    /// Uniform in 0..`end`, by the same multiplication.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// Uniform above 0 and below 1: of 52 bits, and a half.
    pub fn share(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Exponentially distributed with this mean, by the inverse of its distribution function, to the nearest whole number. The
    /// logarithm is `libm`'s, the same on every machine.
    pub fn exponential(&mut self, mean: f64) -> u64 {
        (-log(self.share()) * mean + 0.5) as u64
    }

    /// Distributed as a Laplacian of mean 0 with this scale, likewise.
    pub fn laplace(&mut self, scale: f64) -> f64 {
        let share = self.share();
        if share < 0.5 { scale * log(2.0 * share) } else { -scale * log(2.0 * (1.0 - share)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_by_seed() {
        let seeds = [stream_seed(1, "loss/a"), stream_seed(1, "loss/b"), stream_seed(2, "loss/a")];
        assert!(seeds[0] != seeds[1] && seeds[0] != seeds[2] && seeds[1] != seeds[2]);
        assert_eq!(seeds[0], stream_seed(1, "loss/a"));
    }

    #[test]
    fn gaps_are_exponential_with_their_mean() {
        let mut stream = stream(3, "gaps");
        let gaps: Vec<f64> = (0..1_000_000).map(|_| stream.exponential(1e6) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / 1e6;
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / 1e6;
        // Standard errors of a million: 0.001 of the mean, and of the mean square sqrt(20) / 1000 of 1e12.
        assert!((mean / 1e6 - 1.0).abs() < 0.005, "{mean}");
        assert!((square / 2e12 - 1.0).abs() < 0.012, "{square}");
        let beyond = gaps.iter().filter(|gap| **gap > 2e6).count() as f64 / 1e6;
        assert!((beyond - (-2.0_f64).exp()).abs() < 0.002, "{beyond}");
    }

    #[test]
    fn deviations_are_laplacian() {
        let mut stream = stream(4, "deviations");
        let draws: Vec<f64> = (0..1_000_000).map(|_| stream.laplace(0.15)).collect();
        let share = |is: &dyn Fn(f64) -> bool| draws.iter().filter(|draw| is(**draw)).count() as f64 / 1e6;
        // Half on either side; beyond x the part exp(-x / scale). Four standard errors of a half are 0.002.
        assert!((share(&|draw| draw < 0.0) - 0.5).abs() < 0.002);
        for x in [0.1, 0.3, 0.6] {
            let expected = (-x / 0.15_f64).exp();
            let error = (expected / 1e6).sqrt();
            let measured = share(&|draw: f64| draw.abs() > x);
            assert!((measured - expected).abs() < 5.0 * error, "{x}: {measured}, {expected}");
        }
    }

    #[test]
    fn an_event_happens_as_often_as_requested() {
        let mut stream = stream(7, "loss");
        let hits = (0..1_000_000).filter(|_| stream.happens(10_000_000)).count();
        // 1 % of a million: mean 10 000, standard deviation 99.5; five of those on either side.
        assert!((9_502..=10_498).contains(&hits), "{hits}");
        assert!((0..1_000).all(|_| stream.happens(1_000_000_000)));
        assert!(!(0..1_000).any(|_| stream.happens(0)));
    }
}
