//! [`Deliveries`]: a line that delivers so many bytes at each of the instants at which a recorded one did (mahimahi's `mm-link`).

use std::sync::Arc;
use units::{Bytes, Time};

const MS: u64 = 1_000_000;

/// When the line delivers.
#[derive(Debug)]
pub struct Deliveries {
    /// In milliseconds, in order. After the last one all come again, later by as much as that is.
    at_ms: Arc<[u32]>,
    /// What it delivers each time.
    delivers: u64,
    /// The opportunity to come: of which repetition, and which of them.
    repetition: u64,
    next: usize,
    /// The present one: when it is, and what it can yet deliver.
    at: Time,
    left: u64,
}

impl Deliveries {
    /// Frames of so many bytes. The last instant must not be 0: it is how long all of them last.
    pub fn new(at_ms: Arc<[u32]>, frame: Bytes) -> Self {
        assert!(at_ms.last().is_some_and(|last_ms| *last_ms > 0), "deliveries that last for a time");
        Self { at_ms, delivers: frame.get(), repetition: 0, next: 0, at: Time::NEVER, left: 0 }
    }

    /// When a frame is through that is the first to wait from now on. What the one before it has left over of its instant it
    /// uses; one that comes to an idle line waits for the next.
    pub fn transmit(&mut self, bytes: u32, now: Time) -> Time {
        if self.at != now {
            self.pass_over(now);
        }
        let mut rest = u64::from(bytes);
        while rest > self.left {
            rest -= self.left;
            self.begin_next();
        }
        self.left -= rest;
        self.at
    }

    /// What was not used until now is lost.
    fn pass_over(&mut self, now: Time) {
        let now_ms = now.as_nanos() / MS;
        self.left = 0;
        self.repetition = now_ms / self.period_ms();
        let within_ms = now_ms % self.period_ms();
        self.next = self.at_ms.partition_point(|at_ms| u64::from(*at_ms) <= within_ms);
    }

    fn begin_next(&mut self) {
        self.at = Time::from_nanos((self.repetition * self.period_ms() + u64::from(self.at_ms[self.next])) * MS);
        self.left = self.delivers;
        self.next += 1;
        if self.next == self.at_ms.len() {
            (self.next, self.repetition) = (0, self.repetition + 1);
        }
    }

    fn period_ms(&self) -> u64 {
        self.at_ms.last().map_or(1, |last_ms| u64::from(*last_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times_ms(line: &mut Deliveries, frames: &[(u32, u64)]) -> Vec<u64> {
        frames
            .iter()
            .map(|(bytes, now_ms)| line.transmit(*bytes, Time::from_nanos(now_ms * MS)).as_nanos() / MS)
            .collect()
    }

    fn line(at_ms: &[u32]) -> Deliveries {
        Deliveries::new(at_ms.into(), Bytes::new(1_000))
    }

    #[test]
    fn frames_share_an_instant_or_go_on_with_the_next() {
        // The second one begins with the 400 bytes that the first has left, and the third with 900 of the next instant.
        assert_eq!(times_ms(&mut line(&[2, 5, 5, 9]), &[(600, 0), (500, 2), (900, 5), (1_000, 5)]), [2, 5, 5, 5]);
        assert_eq!(times_ms(&mut line(&[2, 5, 5, 9]), &[(2_500, 0), (500, 5), (1, 5)]), [5, 5, 9]);
    }

    #[test]
    fn what_is_not_used_at_its_instant_is_lost() {
        assert_eq!(times_ms(&mut line(&[2, 5, 5, 9]), &[(10, 0), (10, 3), (10, 5)]), [2, 5, 5]);
        assert_eq!(times_ms(&mut line(&[2, 5, 5, 9]), &[(10, 5), (10, 1_000_000 * 9 + 4)]), [9, 1_000_000 * 9 + 5]);
    }

    #[test]
    fn all_come_again_later_by_the_last() {
        assert_eq!(times_ms(&mut line(&[0, 7]), &[(1_000, 0), (1_000, 7), (1_000, 7), (1_000, 14)]), [7, 7, 14, 14]);
        assert_eq!(times_ms(&mut line(&[3, 4]), &[(4_500, 0), (500, 11)]), [11, 11]);
    }
}
