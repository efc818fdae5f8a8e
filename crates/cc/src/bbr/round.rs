//! Rounds: a round trip measured by packets, which ends when a segment sent after its start is acknowledged
//! (draft section 4.1.1.3; Linux 6.1 bbr_update_bw).

/// Counts rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter {
    /// Rounds since the connection began.
    pub(crate) count: u64,
    /// The ACK in hand begins a round.
    pub(crate) is_start: bool,
    /// The round ends with a segment that was sent when at least this many had been delivered.
    end_delivered: u64,
}

impl Counter {
    /// Takes in a segment sent when `prior_delivered` had been delivered; true when a round ends with it, and the next
    /// ends with a segment sent from now on.
    pub(crate) fn ends_with(&mut self, prior_delivered: u64, delivered: u64) -> bool {
        self.is_start = prior_delivered >= self.end_delivered;
        if self.is_start {
            self.end_delivered = delivered;
            self.count += 1;
        }
        self.is_start
    }

    /// A round of its own begins now, without being counted.
    pub(crate) fn restart(&mut self, delivered: u64) {
        self.end_delivered = delivered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_the_first_segment_sent_after_it_began() {
        let mut round = Counter::default();
        assert!(round.ends_with(0, 2));
        assert!(!round.ends_with(0, 4));
        assert!(!round.ends_with(1, 6));
        assert!(round.ends_with(2, 8));
        assert_eq!(round.count, 2);
    }

    #[test]
    fn a_restarted_round_lasts_for_what_is_in_flight() {
        let mut round = Counter::default();
        round.restart(10);
        assert!(!round.ends_with(9, 11));
        assert!(round.ends_with(10, 12));
        assert_eq!(round.count, 1);
    }
}
