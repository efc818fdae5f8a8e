//! The path's RTT without queue, and `PROBE_RTT`, the dip that shows it (draft sections 4.1.2 and 4.3.4).
//!
//! The smallest RTT of ten seconds is believed. When it has stood that long without being met again, the flight is
//! cut to four segments for 200 ms and a round trip, so that the queue empties and the RTT shows itself: 2 % of the
//! time. Flows that share a bottleneck fall into step, because the same empty queue refreshes all of them.

use units::Time;

use super::{Bbr, State};
use crate::{Ack, Start, Window};

/// The smallest RTT of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    us: Option<u32>,
    stamp_ms: u64,
}

impl MinRtt {
    pub(super) fn new(start: &Start) -> Self {
        Self { us: start.rtt_us, stamp_ms: start.now.as_millis() }
    }

    /// In µs; `None` before the first sample.
    pub(super) fn us(&self) -> Option<u32> {
        self.us
    }
}

/// The dip in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dip {
    /// When the dip may end, ms; `None` until the flight is small.
    end_ms: Option<u64>,
    /// A round has passed since the flight is small.
    round_done: bool,
}

impl Bbr {
    /// Linux 6.1 bbr_update_min_rtt.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack, window: &mut Window) {
        let now_ms = ack.now.as_millis();
        let expired = now_ms > self.min_rtt.stamp_ms + self.parameters.min_rtt_window_ms;
        if let Some(rtt_us) = ack.rate.rtt_us {
            // After expiry anything but a delayed ACK is news, also when it is higher.
            if self.refreshes(rtt_us) || expired && !ack.rate.is_ack_delayed {
                self.min_rtt = MinRtt { us: Some(rtt_us), stamp_ms: now_ms };
            }
        }
        if expired
            && self.parameters.probe_rtt_ms > 0
            && !self.idle_restart
            && !matches!(self.state, State::ProbeRtt(_))
        {
            self.transition_to(State::ProbeRtt(Dip::default()));
            self.recovery.save_cwnd(window.cwnd, true);
        }
        self.limits_flight = matches!(self.state, State::ProbeRtt(_));
        if let State::ProbeRtt(dip) = self.state {
            self.continue_dip(dip, ack, window);
        }
        if ack.rate.delivered.is_some_and(|delivered| delivered > 0) {
            self.idle_restart = false;
        }
    }

    fn refreshes(&self, rtt_us: u32) -> bool {
        self.min_rtt.us.is_none_or(|min| rtt_us < min || self.parameters.min_rtt_equal_refresh && rtt_us == min)
    }

    /// Waits for the flight to be small, then for the time and a round.
    fn continue_dip(&mut self, mut dip: Dip, ack: &Ack, window: &mut Window) {
        if dip.end_ms.is_none() {
            if ack.in_flight <= self.parameters.min_cwnd {
                dip.end_ms = Some(ack.now.as_millis() + self.parameters.probe_rtt_ms);
                self.round.restart(ack.delivered);
            }
            self.state = State::ProbeRtt(dip);
            return;
        }
        dip.round_done |= self.round.is_start;
        self.state = State::ProbeRtt(dip);
        if dip.round_done {
            self.end_probe_rtt_if_done(ack.now, window);
        }
    }

    /// Back to where the flow was, with the window it had. Linux 6.1 bbr_check_probe_rtt_done.
    pub(super) fn end_probe_rtt_if_done(&mut self, now: Time, window: &mut Window) {
        let State::ProbeRtt(Dip { end_ms: Some(end_ms), .. }) = self.state else { return };
        if now.as_millis() <= end_ms {
            return;
        }
        self.min_rtt.stamp_ms = now.as_millis();
        window.cwnd = window.cwnd.max(self.recovery.prior_cwnd());
        if self.full_pipe.is_full() {
            self.enter_probe_bw();
        } else {
            self.transition_to(State::Startup);
        }
    }
}
