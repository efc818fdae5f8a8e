//! ACK aggregation: links that hold ACKs back and release them in bursts (Linux 4.20 on; not in the draft).
//!
//! While ACKs are held back a window of two bandwidth-delay products runs dry. The excess of what was acknowledged
//! over what the bandwidth explains measures such bursts; the window grows by the largest excess of the last five to
//! ten rounds, but by no more than 100 ms of bandwidth.

use units::{Segments, Time};

use super::allowances::Allowances;
use super::bandwidth::Bandwidth;
use super::valid_delivery;
use crate::Ack;

/// An epoch of this many acknowledged segments is too old to say anything (Linux: 20 bits).
const MAX_EPOCH_ACKED: Segments = 1 << 20;
/// Rounds of a window are counted to this (Linux: 5 bits).
const MAX_WINDOW_ROUNDS: u32 = 31;

/// The largest excess of the current and the previous window of rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimator {
    epoch_start_us: u64,
    epoch_acked: Segments,
    excess: [Segments; 2],
    current: usize,
    rounds: u32,
}

impl Estimator {
    pub(crate) fn new(now: Time) -> Self {
        Self { epoch_start_us: now.as_micros(), ..Self::default() }
    }

    /// A new epoch of counting.
    pub(crate) fn begin_epoch(&mut self, now_us: u64) {
        self.epoch_start_us = now_us;
        self.epoch_acked = 0;
    }

    /// Ages the windows, of so many rounds each, by a round.
    fn end_round(&mut self, window_rounds: u32) {
        self.rounds = (self.rounds + 1).min(MAX_WINDOW_ROUNDS);
        if self.rounds >= window_rounds {
            self.rounds = 0;
            self.current = 1 - self.current;
            self.excess[self.current] = 0;
        }
    }

    /// Takes in `acked` more segments, delivered until `now_us`.
    fn count(&mut self, bandwidth: Bandwidth, acked: Segments, now_us: u64, cwnd: Segments) {
        let mut expected = bandwidth.segments_in(now_us.saturating_sub(self.epoch_start_us));
        // ACKs no faster than expected: the burst, if there was one, is over.
        if self.epoch_acked <= expected || self.epoch_acked + acked >= MAX_EPOCH_ACKED {
            self.begin_epoch(now_us);
            expected = 0;
        }
        self.epoch_acked = (self.epoch_acked + acked).min(MAX_EPOCH_ACKED - 1);
        let excess = (self.epoch_acked - expected).min(cwnd);
        self.excess[self.current] = self.excess[self.current].max(excess);
    }

    /// Takes in an ACK, at this bandwidth and window; of one that begins a round, how many rounds a window has.
    /// Linux 6.1 bbr_update_ack_aggregation.
    pub(crate) fn observe(&mut self, ack: &Ack, bandwidth: Bandwidth, cwnd: Segments, window_rounds: Option<u32>) {
        if ack.acked_sacked == 0 || valid_delivery(ack).is_none() {
            return;
        }
        if let Some(rounds) = window_rounds {
            self.end_round(rounds);
        }
        self.count(bandwidth, ack.acked_sacked, ack.delivered_at.as_micros(), cwnd);
    }

    /// Segments to add to the window: so much of the excess, of so much time at most. Linux 6.1 bbr_ack_aggregation_cwnd.
    pub(crate) fn allowance(&self, of: &Allowances, bandwidth: Bandwidth) -> Segments {
        let excess = of.extra_acked_gain.of(self.excess[0].max(self.excess[1]));
        excess.min(bandwidth.segments_in(of.extra_acked_max_us))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameters;
    use super::*;
    use crate::event::samples::ack;

    /// One segment a millisecond.
    fn bandwidth() -> Bandwidth {
        Bandwidth::of_delivery(1u32, 1_000u32)
    }

    fn allowances(given: &[(&str, f64)]) -> Allowances {
        Parameters::from_defaults_and(given).allowances
    }

    fn allowance(estimator: &Estimator) -> Segments {
        estimator.allowance(&allowances(&[]), bandwidth())
    }

    #[test]
    fn what_arrives_faster_than_the_bandwidth_is_excess() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 20, 10_000, 100);
        assert_eq!(allowance(&estimator), 20);
        // 5 ms later 10 more: 30 in all, where 4 were expected (5, rounded down from 2^-24).
        estimator.count(bandwidth(), 10, 15_000, 100);
        assert_eq!(allowance(&estimator), 26);
    }

    #[test]
    fn an_epoch_ends_when_the_bandwidth_has_caught_up() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 20, 10_000, 100);
        estimator.count(bandwidth(), 1, 31_000, 100);
        assert_eq!((estimator.epoch_start_us, estimator.epoch_acked), (31_000, 1));
        assert_eq!(allowance(&estimator), 20, "the maximum stays");
    }

    #[test]
    fn the_excess_is_bounded_by_the_window_and_by_100_ms_of_bandwidth() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 500, 10_000, 60);
        assert_eq!(allowance(&estimator), 60);
        estimator.count(bandwidth(), 500, 10_000, 400);
        assert_eq!(allowance(&estimator), 99);
        assert_eq!(estimator.allowance(&allowances(&[("extra_acked_max_ms", 200.0)]), bandwidth()), 199);
    }

    #[test]
    fn a_maximum_lasts_between_five_and_ten_rounds() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 20, 10_000, 100);
        (0..9).for_each(|_| estimator.end_round(5));
        assert_eq!(allowance(&estimator), 20);
        estimator.end_round(5);
        assert_eq!(allowance(&estimator), 0);
    }

    #[test]
    fn an_ack_that_begins_a_round_ages_the_maxima() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 20, 10_000, 100);
        let ack = Ack { acked_sacked: 1, delivered_at: Time::from_nanos(31_000_000), ..ack() };
        (0..9).for_each(|_| estimator.observe(&ack, bandwidth(), 100, Some(5)));
        estimator.observe(&ack, bandwidth(), 100, None);
        assert_eq!(allowance(&estimator), 20);
        estimator.observe(&ack, bandwidth(), 100, Some(5));
        assert!(allowance(&estimator) < 20, "{}", allowance(&estimator));
    }

    #[test]
    fn the_gain_scales_the_allowance() {
        let mut estimator = Estimator::new(Time::ZERO);
        estimator.count(bandwidth(), 20, 10_000, 100);
        assert_eq!(estimator.allowance(&allowances(&[("extra_acked_gain", 0.5)]), bandwidth()), 10);
    }
}
