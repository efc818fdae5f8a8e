//! [`Dip`]: the course of `PROBE_RTT`, of both versions.

use units::{Segments, Time};

use super::round;
use crate::Ack;

/// Where in the dip in flight: it waits for the flight to be small, then for the time and a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dip {
    /// When it may end, ms; `None` until the flight is small.
    pub(crate) end_ms: Option<u64>,
    /// A round has passed since the flight is small.
    pub(crate) round_done: bool,
}

impl Dip {
    /// Takes in an ACK, of a dip of so many segments at most and so long. True when the round has passed.
    pub(crate) fn advance(&mut self, ack: &Ack, most: Segments, length_ms: u64, round: &mut round::Counter) -> bool {
        if self.end_ms.is_some() {
            self.round_done |= round.is_start;
        } else if ack.in_flight <= most {
            self.end_ms = Some(ack.now.as_millis() + length_ms);
            round.restart(ack.delivered);
        }
        self.round_done
    }

    /// Its time has passed.
    pub(crate) fn is_over(&self, now: Time) -> bool {
        self.end_ms.is_some_and(|end_ms| now.as_millis() > end_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples::ack;

    fn at(ms: u64, in_flight: Segments) -> Ack {
        Ack { now: Time::from_nanos(ms * 1_000_000), in_flight, delivered: ms, ..ack() }
    }

    /// It waits for the flight to be small, then for a round, however long that takes, and for the time.
    #[test]
    fn it_lasts_for_a_round_and_for_its_time_once_the_flight_is_small() {
        let (mut dip, mut round) = (Dip::default(), round::Counter::default());
        assert!(!dip.advance(&at(0, 5), 4, 200, &mut round) && dip.end_ms.is_none(), "too much is in flight");
        round.is_start = true;
        assert!(!dip.advance(&at(10, 4), 4, 200, &mut round), "the round that ends was one of before");
        assert_eq!(dip.end_ms, Some(210));
        round.is_start = false;
        assert!(!dip.advance(&at(500, 4), 4, 200, &mut round) && dip.is_over(at(500, 4).now), "no round has passed");
        round.is_start = true;
        assert!(dip.advance(&at(510, 4), 4, 200, &mut round));
        round.is_start = false;
        assert!(dip.advance(&at(520, 9), 4, 200, &mut round), "it has passed for good");
        assert!(!dip.is_over(Time::from_nanos(210_000_000)));
    }
}
