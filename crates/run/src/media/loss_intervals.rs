//! [`LossIntervals`]: how many packets lie between losses (RFC 8698 section 4.2, RFC 5348 section 5.4).

use std::collections::VecDeque;

/// Weights of intervals, the newest first (RFC 5348 section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The latest intervals between losses, in packets. Each gap in the numbers is a loss, whatever it is from the last one: a receiver does not
/// know the round-trip time within which RFC 5348 takes losses for one.
#[derive(Debug, Default)]
pub struct LossIntervals {
    /// Those that are over, the newest first; empty: nothing was lost.
    closed: VecDeque<u32>,
    /// The first number of the one that is not.
    begins: u32,
}

impl LossIntervals {
    /// The packet with this number was lost, or it and those behind it.
    pub fn lose(&mut self, number: u32) {
        self.closed.push_front(number - self.begins);
        self.closed.truncate(WEIGHTS.len());
        self.begins = number;
    }

    /// Packets from the last loss to the one before `next`, in average intervals; none: nothing was lost.
    ///
    /// RFC 5348 takes the current interval into the average where that makes it longer. By its weights the average is a sixth of the
    /// current one at least, so that a loss would never be MULTILOSS = 7 of them ago: what expires it is an average without.
    pub fn age(&self, next: u32) -> Option<f64> {
        let weighted: f64 =
            self.closed.iter().zip(WEIGHTS).map(|(interval, weight)| f64::from(*interval) * weight).sum();
        let weights: f64 = WEIGHTS.iter().take(self.closed.len()).sum();
        (weighted > 0.0).then(|| f64::from(next - self.begins) * weights / weighted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: Option<f64>, expected: f64) {
        assert!(value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-9), "{value:?}, {expected}");
    }

    #[test]
    fn without_a_loss_there_is_no_age() {
        assert_eq!(LossIntervals::default().age(1_000), None);
    }

    #[test]
    fn equal_intervals_are_their_own_average() {
        let mut intervals = LossIntervals::default();
        (1..=20).for_each(|loss| intervals.lose(100 * loss));
        close(intervals.age(2_010), 0.1);
        close(intervals.age(2_700), 7.0);
    }

    #[test]
    fn weights_are_those_of_the_rfc() {
        let mut intervals = LossIntervals::default();
        [10, 30, 60].into_iter().for_each(|number| intervals.lose(number));
        close(intervals.age(100), 40.0 / 20.0);
        [70, 80, 90, 100].into_iter().for_each(|number| intervals.lose(number));
        // 10, 10, 10, 10, 30, 20 and 10, the oldest, with weights of 1, 1, 1, 1, 0.8, 0.6 and 0.4.
        close(intervals.age(101), 5.8 / (40.0 + 24.0 + 12.0 + 4.0));
    }
}
