//! DRAIN: pace below the bandwidth until what is in flight fits the path (draft section 4.3.2.3).

use super::bandwidth::Gain;
use super::{Bbr, State};
use crate::{Ack, Window};

impl Bbr {
    /// Linux 6.1 bbr_check_drain. The threshold that is set here plays no part in BBR; it is the value that the
    /// transport and its traces show.
    pub(super) fn check_drain(&mut self, ack: &Ack, window: &mut Window) {
        if matches!(self.state, State::Startup) && self.full_pipe.is_full() {
            self.transition_to(State::Drain);
            window.ssthresh = self.inflight_target(self.max_bandwidth(), Gain::UNIT);
        }
        // Also at once: what is in flight may be small already.
        if matches!(self.state, State::Drain)
            && self.flight_at_next_departure(ack, ack.in_flight)
                <= self.inflight_target(self.max_bandwidth(), Gain::UNIT)
        {
            self.enter_probe_bw();
        }
    }
}
