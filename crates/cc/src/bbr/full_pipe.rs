//! The end of STARTUP: the pipe is full when three rounds brought no quarter more bandwidth (draft section 4.3.2.2).
//!
//! Three, because the receive window may need a round to open, one to be filled, and one to show; and because cross
//! traffic or a radio link may have interfered for a moment.

use super::bandwidth::Bandwidth;
use super::{Bbr, Parameters};
use crate::Ack;

/// Watches the bandwidth for a plateau.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimator {
    is_full: bool,
    /// Bandwidth that the next has to exceed by the threshold.
    baseline: Bandwidth,
    /// Rounds since it did.
    rounds: u32,
}

impl Estimator {
    /// The pipe was full once; this is never taken back.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Takes in the bandwidth at the end of a round that the application did not limit.
    /// Linux 6.1 bbr_check_full_bw_reached.
    fn end_round(&mut self, parameters: &Parameters, bandwidth: Bandwidth) {
        if bandwidth >= self.baseline.scaled(parameters.full_bw_thresh) {
            self.baseline = bandwidth;
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.is_full = self.rounds >= parameters.full_bw_rounds;
    }

    /// Growth is judged afresh from the next round on. Linux 6.1 bbr_set_state.
    pub(super) fn forget_bandwidth(&mut self) {
        self.baseline = Bandwidth::default();
    }

    /// The same, and the rounds without growth are forgotten too. Linux 6.1 bbr_undo_cwnd.
    pub(super) fn restart(&mut self) {
        self.baseline = Bandwidth::default();
        self.rounds = 0;
    }
}

impl Bbr {
    pub(super) fn check_full_pipe(&mut self, ack: &Ack) {
        if !self.full_pipe.is_full && self.round.is_start && !ack.rate.is_app_limited {
            let bandwidth = self.max_bandwidth();
            self.full_pipe.end_round(&self.parameters, bandwidth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full_after(bits: &[u32], given: &[(&str, f64)]) -> bool {
        let parameters = Parameters::from_defaults_and(given);
        let mut estimator = Estimator::default();
        bits.iter().for_each(|&bits| estimator.end_round(&parameters, Bandwidth::from_bits(bits)));
        estimator.is_full()
    }

    #[test]
    fn three_rounds_without_a_quarter_more_fill_the_pipe() {
        assert!(!full_after(&[1_000, 1_249, 1_249], &[]));
        assert!(full_after(&[1_000, 1_249, 1_249, 1_249], &[]));
    }

    #[test]
    fn growth_by_a_quarter_starts_the_count_again() {
        assert!(!full_after(&[1_000, 1_000, 1_000, 1_250, 1_250, 1_250], &[]));
    }

    #[test]
    fn slow_growth_is_judged_against_the_first_round_of_the_plateau() {
        assert!(!full_after(&[1_000, 1_100, 1_200, 1_300], &[]));
    }

    #[test]
    fn threshold_and_rounds_are_parameters() {
        assert!(full_after(&[1_000, 1_400], &[("full_bw_thresh", 1.5), ("full_bw_rounds", 1.0)]));
    }

    #[test]
    fn after_a_spurious_loss_three_more_rounds_are_needed() {
        let parameters = Parameters::from_defaults_and(&[]);
        let mut estimator = Estimator::default();
        let bandwidth = Bandwidth::from_bits(1_000);
        (0..3).for_each(|_| estimator.end_round(&parameters, bandwidth));
        estimator.restart();
        (0..3).for_each(|_| estimator.end_round(&parameters, bandwidth));
        assert!(!estimator.is_full());
        estimator.end_round(&parameters, bandwidth);
        assert!(estimator.is_full());
    }
}
