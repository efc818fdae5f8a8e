//! Random numbers that follow from words: the same everywhere and for ever.

use sha2::{Digest, Sha256};
use sha3::{
    Shake256, Shake256Reader,
    digest::{ExtendableOutput, Update, XofReader},
};

/// So many numbers are a block of a stream, each of which has a name of its own.
const BLOCK: usize = 4096;
/// Of a number's 64: what a float can tell apart below 1, with a half to spare.
const BITS: u32 = 52;

/// A whole number from 0 to below a bound, all as likely; of one flow, so that another flow changes nothing. Each purpose
/// (`what`) has numbers of its own.
pub(crate) fn below(what: &str, seed: u64, name: &str, bound: u64) -> u64 {
    let digest = Sha256::digest(format!("dumbbell {what} {seed} {name}"));
    let first = u64::from_be_bytes(digest[..8].try_into().expect("eight bytes"));
    ((u128::from(first) * u128::from(bound)) >> 64) as u64
}

/// Numbers above 0 and below 1 without end.
pub(crate) struct Shares<'a> {
    what: &'static str,
    seed: u64,
    name: &'a str,
    block: u64,
    left: usize,
    reader: Shake256Reader,
}

impl<'a> Shares<'a> {
    /// The stream of a source, one for each of what is drawn for it.
    pub(crate) fn new(what: &'static str, seed: u64, name: &'a str) -> Self {
        Self { what, seed, name, block: 0, left: BLOCK, reader: reader(what, seed, 0, name) }
    }
}

impl Iterator for Shares<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if self.left == 0 {
            self.block += 1;
            self.reader = reader(self.what, self.seed, self.block, self.name);
            self.left = BLOCK;
        }
        self.left -= 1;
        let mut bytes = [0; 8];
        self.reader.read(&mut bytes);
        let number = u64::from_be_bytes(bytes) >> (u64::BITS - BITS);
        Some((number as f64 + 0.5) / (1_u64 << BITS) as f64)
    }
}

fn reader(what: &str, seed: u64, block: u64, name: &str) -> Shake256Reader {
    let mut shake = Shake256::default();
    shake.update(format!("dumbbell arrivals {what} {seed} {block} {name}").as_bytes());
    shake.finalize_xof()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_uniform_and_go_on_in_the_next_block() {
        let shares: Vec<f64> = Shares::new("times", 1, "web").take(3 * BLOCK).collect();
        assert!(shares.iter().all(|share| 0.0 < *share && *share < 1.0));
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert_ne!(shares[..BLOCK], shares[BLOCK..2 * BLOCK]);
    }

    #[test]
    fn what_is_drawn_stays_below_its_bound() {
        let drawn = |seed, bound| below("rtt_spread", seed, "bbr", bound);
        assert!((0..1000).all(|seed| drawn(seed, 10) < 10));
        assert_eq!(drawn(1, 0), 0);
        assert_ne!(drawn(1, u64::MAX), drawn(2, u64::MAX));
    }
}
