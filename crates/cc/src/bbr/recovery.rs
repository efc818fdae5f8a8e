//! Loss recovery: packet conservation for a round, and the window of before (draft section 4.2.3.4).

use units::Segments;

use crate::{Ack, RecoveryState};

/// What BBR remembers of recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SavedCwnd {
    /// Recovery state at the previous ACK.
    previous: RecoveryState,
    /// The first round of a recovery: a segment may leave for each delivered.
    conserving: bool,
    /// The window to go back to after recovery or `PROBE_RTT`.
    prior_cwnd: Segments,
}

/// The window as recovery leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modulated {
    /// Exactly this: conservation rules.
    Fixed(Segments),
    /// At least this; may grow towards its target.
    Free(Segments),
}

impl SavedCwnd {
    pub(super) fn prior_cwnd(&self) -> Segments {
        self.prior_cwnd
    }

    /// Remembers the window, or the larger one that is remembered already while recovery or `PROBE_RTT` keep it small.
    /// Linux 6.1 bbr_save_cwnd.
    pub(super) fn save_cwnd(&mut self, cwnd: Segments, in_probe_rtt: bool) {
        let is_cut = self.previous >= RecoveryState::Recovery || in_probe_rtt;
        self.prior_cwnd = if is_cut { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// A round has ended.
    pub(super) fn end_conservation(&mut self) {
        self.conserving = false;
    }

    /// A timeout.
    pub(super) fn enter_loss(&mut self) {
        self.previous = RecoveryState::Loss;
    }

    /// True when this ACK is the first of a fast recovery.
    pub(super) fn begins_with(&self, ack: &Ack) -> bool {
        ack.state == RecoveryState::Recovery && self.previous != RecoveryState::Recovery
    }

    /// Takes the losses of an ACK off the window and applies or ends conservation. Linux 6.1
    /// bbr_set_cwnd_to_recover_or_restore.
    pub(super) fn modulate(&mut self, ack: &Ack, cwnd: Segments) -> Modulated {
        // An ACK for P segments releases at most 2 P: what is lost is not sent again on top of that.
        let mut cwnd = if ack.rate.losses > 0 { cwnd.saturating_sub(ack.rate.losses).max(1) } else { cwnd };
        let conserved = ack.in_flight + ack.acked_sacked;
        if self.begins_with(ack) {
            self.conserving = true;
            // Also gives up window that the application or the host had left unused.
            cwnd = conserved;
        } else if self.previous >= RecoveryState::Recovery && ack.state < RecoveryState::Recovery {
            self.conserving = false;
            cwnd = cwnd.max(self.prior_cwnd);
        }
        self.previous = ack.state;
        if self.conserving { Modulated::Fixed(cwnd.max(conserved)) } else { Modulated::Free(cwnd) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples;

    fn ack(state: RecoveryState, in_flight: Segments, losses: Segments) -> Ack {
        let mut ack = Ack { state, in_flight, ..samples::ack() };
        ack.rate.losses = losses;
        ack
    }

    #[test]
    fn recovery_begins_with_what_is_in_flight_and_just_delivered() {
        let mut saved = SavedCwnd::default();
        saved.save_cwnd(40, false);
        assert_eq!(saved.modulate(&ack(RecoveryState::Recovery, 20, 3), 40), Modulated::Fixed(21));
        assert_eq!(saved.modulate(&ack(RecoveryState::Recovery, 19, 0), 21), Modulated::Fixed(21));
    }

    #[test]
    fn after_a_round_of_recovery_the_window_may_grow_but_losses_count() {
        let mut saved = SavedCwnd::default();
        saved.modulate(&ack(RecoveryState::Recovery, 20, 3), 40);
        saved.end_conservation();
        assert_eq!(saved.modulate(&ack(RecoveryState::Recovery, 18, 2), 21), Modulated::Free(19));
        assert_eq!(saved.modulate(&ack(RecoveryState::Recovery, 18, 50), 19), Modulated::Free(1));
    }

    #[test]
    fn the_window_of_before_returns_when_recovery_ends() {
        let mut saved = SavedCwnd::default();
        saved.save_cwnd(40, false);
        saved.modulate(&ack(RecoveryState::Recovery, 20, 3), 40);
        assert_eq!(saved.modulate(&ack(RecoveryState::Open, 20, 0), 21), Modulated::Free(40));
    }

    #[test]
    fn a_window_that_is_cut_already_is_not_remembered_instead_of_a_larger_one() {
        let mut saved = SavedCwnd::default();
        saved.save_cwnd(40, false);
        saved.save_cwnd(4, true);
        assert_eq!(saved.prior_cwnd(), 40);
        saved.enter_loss();
        saved.save_cwnd(10, false);
        assert_eq!(saved.prior_cwnd(), 40);
    }
}
