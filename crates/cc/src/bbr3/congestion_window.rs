//! The window: a multiple of the bandwidth-delay product, within the bounds (draft section 5.6.4).

use super::{Bbr3, Gain, Phase, State, UNBOUNDED};
use crate::bbr::bandwidth::Bandwidth;
use crate::{Ack, Window};
use units::Segments;

impl Bbr3 {
    /// Segments that fill the path `gain` times over; the initial window of a flow that never saw an RTT (`bbr_bdp`).
    fn path_volume(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        if self.rtt.min_us == u32::MAX {
            return self.initial_cwnd;
        }
        bandwidth.product(self.rtt.min_us, gain)
    }

    /// Room for three bursts at least, and while it probes for two segments more, so that small paths show it, too
    /// (`bbr_quantization_budget`).
    fn with_room_for_bursts(&self, cwnd: Segments) -> Segments {
        let p = &self.parameters;
        let enough = cwnd.max(p.allowances.bursts * self.pacer.burst_goal()).max(p.min_cwnd);
        enough + if self.state == State::ProbeBw(Phase::Up) { p.allowances.slack } else { 0 }
    }

    /// What should be in flight to use the path `gain` times over (`bbr_inflight`).
    pub(super) fn inflight_target(&self, bandwidth: Bandwidth, gain: Gain) -> Segments {
        self.with_room_for_bursts(self.path_volume(bandwidth, gain))
    }

    /// What is left in flight by a dip.
    pub(super) fn probe_rtt_cwnd(&self) -> Segments {
        let half = self.path_volume(self.bandwidth(), self.parameters.probe_rtt_cwnd_gain);
        half.max(self.parameters.min_cwnd)
    }

    /// Moves the window towards its target (`bbr_set_cwnd`).
    pub(super) fn set_cwnd(&mut self, ack: &Ack, bandwidth: Bandwidth, window: &mut Window) {
        if ack.acked_sacked > 0 {
            let extra = self.aggregation.allowance(&self.parameters.allowances, bandwidth);
            let target = self.with_room_for_bursts(self.path_volume(bandwidth, self.gains.cwnd) + extra);
            let grown = window.cwnd + ack.acked_sacked;
            let before = window.cwnd;
            window.cwnd = if self.full_pipe.is_reached {
                grown.min(target)
            } else if before < target || before < 2 * self.initial_cwnd {
                grown
            } else {
                before
            };
            self.may_pass = if self.full_pipe.is_reached { grown >= target } else { window.cwnd == before };
            window.cwnd = window.cwnd.max(self.parameters.min_cwnd);
        }
        if matches!(self.state, State::ProbeRtt(_)) {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
    }

    /// `bbr_bound_cwnd_for_inflight_model`.
    pub(super) fn bound_cwnd(&self, window: &mut Window) {
        let bound = match self.state {
            State::ProbeBw(Phase::Cruise) | State::ProbeRtt(_) => self.inflight_with_headroom(),
            State::ProbeBw(_) => self.inflight_hi,
            State::Startup | State::Drain => UNBOUNDED,
        };
        window.cwnd = window.cwnd.min(bound.min(self.lower.inflight).max(self.parameters.min_cwnd));
    }
}
