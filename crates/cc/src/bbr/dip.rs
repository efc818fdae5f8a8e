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
