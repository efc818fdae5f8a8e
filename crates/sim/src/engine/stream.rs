//! Named random streams: each element of a run draws from its own, so that adding a flow reshuffles nobody else's.

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
    fn an_event_happens_as_often_as_requested() {
        let mut stream = stream(7, "loss");
        let hits = (0..1_000_000).filter(|_| stream.happens(10_000_000)).count();
        // 1 % of a million: mean 10 000, standard deviation 99.5; five of those on either side.
        assert!((9_502..=10_498).contains(&hits), "{hits}");
        assert!((0..1_000).all(|_| stream.happens(1_000_000_000)));
        assert!(!(0..1_000).any(|_| stream.happens(0)));
    }
}
