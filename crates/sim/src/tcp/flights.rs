//! [`Flights`]: what was in flight when each segment was sent, for an algorithm that judges losses one by one
//! (draft-ietf-ccwg-bbr section 4.1.2.1.2; the BBR version 3 of Linux: `tx.in_flight`, `tx.lost`, `tx.delivered_ce`).

use super::ring::Ring;
use crate::serial::at_most;
use cc::{Loss, RateSample};
use units::{low_bits, window_segments};

/// How a connection stood when a segment was sent last.
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    /// In flight, the segment among it.
    in_flight: u32,
    /// Segments marked lost until then, and those delivered with marks; the low bits.
    lost: u32,
    delivered_ce: u32,
}

/// One for each segment of a window, beside the scoreboard's own ring: other algorithms do not pay for it.
#[derive(Debug)]
pub struct Flights {
    ring: Ring<Flight>,
    losses: Vec<Loss>,
}

impl Flights {
    pub fn new() -> Self {
        Self { ring: Ring::new(), losses: Vec::new() }
    }

    /// A segment of a window that begins with `una` is sent, perhaps again.
    pub fn note(&mut self, seq: u64, una: u64, in_flight: u32, lost: u64, delivered_ce: u64) {
        while window_segments(seq - una) as usize >= self.ring.len() {
            self.ring.grow(una, seq);
        }
        *self.ring.get_mut(seq) = Flight { in_flight, lost: low_bits(lost), delivered_ce: low_bits(delivered_ce) };
    }

    /// A segment was marked lost, the last of so many.
    pub fn lose(&mut self, seq: u64, lost: u64, is_app_limited: bool) {
        let flight = self.ring.get(seq);
        let since = window_segments(lost - at_most(flight.lost, lost));
        self.losses.push(Loss { tx_in_flight: flight.in_flight, lost: since, is_app_limited });
    }

    /// What was marked lost since this was asked last.
    pub fn take_losses(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.losses)
    }

    /// Adds to a sample what was in flight when its segment was sent, and what was lost and marked since.
    pub fn complete(&self, sample: &mut RateSample, seq: u64, lost: u64, delivered_ce: u64) {
        let flight = self.ring.get(seq);
        sample.tx_in_flight = flight.in_flight;
        sample.lost = window_segments(lost - at_most(flight.lost, lost));
        sample.delivered_ce = window_segments(delivered_ce - at_most(flight.delivered_ce, delivered_ce));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments, of which the third and the fifth are lost after four others were, each with what was in flight.
    #[test]
    fn a_loss_says_how_many_were_lost_since_its_segment_was_sent() {
        let mut flights = Flights::new();
        (0..10_u32).for_each(|seq| flights.note(u64::from(seq), 0, seq + 1, 4 + u64::from(seq / 5), 2));
        flights.lose(2, 7, false);
        flights.lose(5, 8, true);
        let losses = flights.take_losses();
        let expected = [(3, 3, false), (6, 3, true)];
        assert_eq!(
            losses.iter().map(|each| (each.tx_in_flight, each.lost, each.is_app_limited)).collect::<Vec<_>>(),
            expected
        );
        assert!(flights.take_losses().is_empty());
    }

    /// What was counted when a segment was sent last is taken off what is counted now.
    #[test]
    fn a_sample_has_what_was_lost_and_marked_since() {
        let mut flights = Flights::new();
        (0..40).for_each(|seq| flights.note(seq, 0, 7, 10, 20));
        flights.note(3, 0, 9, 11, 25);
        let mut sample = RateSample::default();
        flights.complete(&mut sample, 3, 14, 26);
        assert_eq!((sample.tx_in_flight, sample.lost, sample.delivered_ce), (9, 3, 1));
        flights.complete(&mut sample, 39, 14, 26);
        assert_eq!((sample.tx_in_flight, sample.lost, sample.delivered_ce), (7, 4, 6));
    }
}
