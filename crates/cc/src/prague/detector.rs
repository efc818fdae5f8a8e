//! [`Detector`]: whether a queue that marks is one of RFC 3168, by what the RTT does there (Briscoe and Ahmed, "TCP Prague
//! Fall-back on Detection of a Classic ECN AQM", 2019; `prague_classic_ecn_detection` of 0.6): it deviates, and it grows
//! beyond the least.

use super::ALPHA_SHIFT;
use units::Segments;

/// Weights of the logarithms of deviation and growth (`V`, `D`: 1/2), whose units they are, µs (`V0_LG`, `D0_LG`).
const WEIGHT_SHIFT: u32 = 1;
const DEVIATION_US: u64 = 750;
const GROWTH_US: u64 = 2_000;
/// Logarithms count in 1/2^16, and so does the score.
const LOG_SHIFT: u32 = 16;
/// Below this score a queue is taken for one of L4S (`L_STICKY`); from one more on for one of RFC 3168; the most.
const STICKY: i64 = (16 << LOG_SHIFT) >> WEIGHT_SHIFT;
const CLASSIC: i64 = STICKY + (1 << LOG_SHIFT);
const MOST: i64 = CLASSIC + STICKY;
/// Bits of a fraction of the means of the RTT, and the slowest of their weights (`PRAGUE_MAX_SRTT_BITS`).
const MEAN_SHIFT: u32 = 18;

/// What the RTT says of the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detector {
    /// Mean of the RTT, and of its deviation from that, µs, in 1/2^18.
    mean: u64,
    deviation: u64,
    weight_shift: u32,
    score: i64,
}

impl Detector {
    /// Before any sample but that of the handshake.
    pub(super) const fn new(rtt_us: u32) -> Self {
        let one = 1 << MEAN_SHIFT;
        Self { mean: rtt_us as u64 * one, deviation: one, weight_shift: MEAN_SHIFT, score: 0 }
    }

    /// An RTT sample (`prague_rtt_estimator`).
    pub(super) const fn sample(&mut self, rtt_us: u32) {
        let sample = (rtt_us as u64) << MEAN_SHIFT;
        let error = sample.abs_diff(self.mean);
        let step = error >> self.weight_shift;
        self.mean = if sample > self.mean { self.mean + step } else { self.mean - step };
        let shift = self.weight_shift + 1;
        self.deviation = self.deviation - (self.deviation >> shift) + (error >> shift);
    }

    /// A round ends, of a window of so many segments.
    pub(super) fn judge(&mut self, min_rtt_us: u32, cwnd: Segments) {
        let bits = cwnd.max(1).ilog2();
        self.weight_shift = (bits + bits / 2 + 1).min(MEAN_SHIFT);
        let of_us = |us: u64| binary_logarithm(us << MEAN_SHIFT);
        let deviation = binary_logarithm(self.deviation.max(1 << MEAN_SHIFT)) - of_us(DEVIATION_US);
        let grown = self.mean.saturating_sub(u64::from(min_rtt_us) << MEAN_SHIFT);
        let growth = if grown > GROWTH_US << MEAN_SHIFT { binary_logarithm(grown) - of_us(GROWTH_US) } else { 0 };
        self.score = (self.score + ((deviation + growth) >> WEIGHT_SHIFT)).clamp(0, MOST);
    }

    /// The least that a mark is answered with: about what CUBIC does (`prague_classic_ecn_fallback`: 5/8, of which half counts).
    pub(super) fn least_alpha(&self) -> u64 {
        let classic = (self.score.min(CLASSIC) - STICKY).max(0) as u64;
        (classic << (ALPHA_SHIFT - LOG_SHIFT)) / 8 * 5
    }
}

/// The logarithm to base 2 of a number from 1 on, in 1/2^16: a bit a squaring.
const fn binary_logarithm(number: u64) -> i64 {
    let integer = number.ilog2();
    let (mut power, mut logarithm) = ((number as u128) << 63 >> integer, integer as i64);
    let mut bit = 0;
    while bit < LOG_SHIFT {
        power = (power * power) >> 63;
        let is_set = power >> 64 != 0;
        logarithm = 2 * logarithm + is_set as i64;
        power >>= is_set as u32;
        bit += 1;
    }
    logarithm
}

#[cfg(test)]
mod tests {
    use super::super::MAX_ALPHA;
    use super::*;

    #[test]
    fn logarithms_are_exact_to_their_last_bit() {
        let as_float = |number| binary_logarithm(number) as f64 / f64::from(1 << LOG_SHIFT);
        for number in [1_u64, 2, 3, 750, 2_000, 1 << 40, u64::MAX] {
            let error = (number as f64).log2() - as_float(number);
            assert!((-1e-9..=1.0 / f64::from(1 << LOG_SHIFT)).contains(&error), "{number}: {error}");
        }
    }

    #[test]
    fn a_deep_queue_whose_length_varies_is_taken_for_one_of_rfc_3168() {
        let judged = |rtt_us: &[u32]| {
            let mut detector = Detector::new(10_000);
            for _ in 0..200 {
                for _ in 0..10 {
                    rtt_us.iter().for_each(|rtt_us| detector.sample(*rtt_us));
                }
                detector.judge(10_000, 20);
            }
            detector
        };
        let l4s = judged(&[10_200, 10_600, 10_900]);
        assert_eq!((l4s.score, l4s.least_alpha()), (0, 0));
        let classic = judged(&[18_000, 24_000, 30_000]);
        assert_eq!((classic.score, classic.least_alpha()), (MOST, MAX_ALPHA / 8 * 5));
    }
}
