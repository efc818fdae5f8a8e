//! The window: a multiple of the bandwidth-delay product, and allowances for hosts that work in bursts
//! (draft section 4.2.3).

use units::Segments;

use super::bandwidth::{Bandwidth, Gain};
use super::recovery::Modulated;
use super::{Bbr, State};
use crate::{Ack, Window};

/// Until this many segments are delivered the window grows as in slow start; and it is the window of a flow that never
/// saw an RTT (Linux: TCP_INIT_CWND; RFC 6928).
const INITIAL_WINDOW: Segments = 10;

impl Bbr {
    /// Segments that fill the path `gain` times over.
    fn path_volume(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        self.min_rtt.us().map_or(INITIAL_WINDOW, |rtt_us| bandwidth.product(rtt_us, gain))
    }

    /// Room for a burst in each host and one on its way between them; even, so that the last ACK is not a delayed one;
    /// and on small paths enough for probing to show. Linux 6.1 bbr_quantization_budget.
    fn with_room_for_bursts(&self, cwnd: Segments) -> Segments {
        let even = (cwnd + self.parameters.quantisation_bursts * self.pacer.burst_goal()).next_multiple_of(2);
        let probes = matches!(self.state, State::ProbeBw(cycle) if cycle.is_up());
        if probes { even + self.parameters.quantisation_slack } else { even }
    }

    /// What should be in flight to use the path `gain` times over. Linux 6.1 bbr_inflight.
    pub(super) fn inflight_target(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        self.with_room_for_bursts(self.path_volume(bandwidth, gain))
    }

    /// Moves the window towards its target. Linux 6.1 bbr_set_cwnd.
    pub(super) fn set_cwnd(&mut self, ack: &Ack, bandwidth: Bandwidth, window: &mut Window) {
        if ack.acked_sacked > 0 {
            if self.recovery.begins_with(ack) {
                self.round.restart(ack.delivered);
            }
            window.cwnd = match self.recovery.modulate(ack, window.cwnd) {
                Modulated::Fixed(cwnd) => cwnd,
                Modulated::Free(cwnd) => self.towards_target(ack, bandwidth, cwnd),
            };
        }
        if matches!(self.state, State::ProbeRtt(_)) {
            window.cwnd = window.cwnd.min(self.parameters.min_cwnd);
        }
    }

    fn towards_target(&self, ack: &Ack, bandwidth: Bandwidth, cwnd: Segments) -> Segments {
        let mut target = self.path_volume(bandwidth, self.gains.cwnd);
        if self.full_pipe.is_full() {
            target += self.aggregation.allowance(&self.parameters, bandwidth);
        }
        let target = self.with_room_for_bursts(target);
        let grown = cwnd + ack.acked_sacked;
        let cwnd = if self.full_pipe.is_full() {
            grown.min(target)
        } else if cwnd < target || ack.delivered < u64::from(INITIAL_WINDOW) {
            // Until the pipe was full the estimates lag behind: never cut by them.
            grown
        } else {
            cwnd
        };
        cwnd.max(self.parameters.min_cwnd)
    }
}
