//! The path's RTT without queue, the smallest of ten seconds, and PROBE_RTT, which looks for it each five (draft section 5.3.4).

use super::probe_bw::AckPhase;
use super::{Bbr3, State};
use crate::bbr::dip::Dip;
use crate::{Ack, RecoveryState, Start, Window};
use units::{Segments, Time};

/// The smallest RTTs, µs, of both windows; `u32::MAX` before the first sample. And since when, ms.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub(super) min_us: u32,
    min_ms: u64,
    probe_us: u32,
    probe_ms: u64,
}

impl MinRtt {
    pub(super) fn new(start: &Start) -> Self {
        let (us, ms) = (start.rtt_us.unwrap_or(u32::MAX), start.now.as_millis());
        Self { min_us: us, min_ms: ms, probe_us: us, probe_ms: ms }
    }
}

impl Bbr3 {
    /// `bbr_update_min_rtt`.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack, window: &mut Window) {
        let now_ms = ack.now.as_millis();
        let has_expired = now_ms > self.rtt.probe_ms + self.parameters.probe_rtt_interval_ms;
        if let Some(rtt_us) = ack.rate.rtt_us
            && (rtt_us < self.rtt.probe_us || has_expired && !ack.rate.is_ack_delayed)
        {
            (self.rtt.probe_us, self.rtt.probe_ms) = (rtt_us, now_ms);
        }
        if self.rtt.probe_us <= self.rtt.min_us || now_ms > self.rtt.min_ms + self.parameters.min_rtt_window_ms {
            (self.rtt.min_us, self.rtt.min_ms) = (self.rtt.probe_us, self.rtt.probe_ms);
            self.pacer.set_min_rtt(self.rtt.min_us);
        }
        let is_dipping = matches!(self.state, State::ProbeRtt(_));
        if has_expired && self.parameters.probe_rtt_ms > 0 && !self.idle_restart && !is_dipping {
            self.transition_to(State::ProbeRtt(Dip::default()));
            self.save_cwnd(window.cwnd);
            self.cycle.ack_phase = AckPhase::ProbeStopping;
            self.round.restart(ack.delivered);
        }
        self.limits_flight = matches!(self.state, State::ProbeRtt(_));
        let most = self.probe_rtt_cwnd();
        if let State::ProbeRtt(dip) = &mut self.state
            && dip.advance(ack, most, self.parameters.probe_rtt_ms, &mut self.round)
        {
            self.end_probe_rtt_if_done(ack.now, ack.delivered, window);
        }
        if ack.rate.delivered.is_some_and(|delivered| delivered > 0) {
            self.idle_restart = false;
        }
    }

    /// Back with the window it had: to STARTUP, or to cruise, since there is no queue to drain (`bbr_check_probe_rtt_done`,
    /// `bbr_exit_probe_rtt`).
    pub(super) fn end_probe_rtt_if_done(&mut self, now: Time, delivered: u64, window: &mut Window) {
        if !matches!(self.state, State::ProbeRtt(dip) if dip.is_over(now)) {
            return;
        }
        self.rtt.probe_ms = now.as_millis();
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        self.lower = super::lower_bounds::LowerBounds::NONE;
        if self.full_pipe.is_reached {
            self.go_down(now, delivered);
            self.cruise();
        } else {
            self.transition_to(State::Startup);
        }
    }

    /// The window of before, but in recovery or a dip no smaller one (`bbr_save_cwnd`).
    pub(super) fn save_cwnd(&mut self, cwnd: Segments) {
        let is_new = self.recovery < RecoveryState::Recovery && !matches!(self.state, State::ProbeRtt(_));
        self.prior_cwnd = if is_new { cwnd } else { self.prior_cwnd.max(cwnd) };
    }
}
