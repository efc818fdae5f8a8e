//! What a log has of a sender.

use super::sender::{Sender, TimerPurpose};
use cc::{CongestionControl, RecoveryState};
use run::{ResendCause, SenderState};
use units::{Time, list_place};

impl Sender {
    /// The gauges and what a log has beside them.
    pub fn state(&self, now: Time) -> SenderState {
        let gauges = self.gauges(0);
        let recovers = self.recovery.is_reducing() || self.recovery.state() == RecoveryState::Loss;
        SenderState {
            at_ns: now.as_nanos(),
            flow: list_place(self.flow.index()),
            srtt_us: self.srtt_us(),
            rtt_us: self.rtt_sample_us,
            gauges,
            phase: if recovers && !self.control.cc.owns_window() {
                "recovery"
            } else {
                self.phases().get(usize::from(gauges.phase)).copied().unwrap_or_default()
            },
        }
    }

    /// What makes it send again now; `timer`: that goes off.
    pub fn resend_cause(&self, timer: bool) -> ResendCause {
        match self.timer_purpose {
            TimerPurpose::Timeout | TimerPurpose::LossProbe if timer => ResendCause::Timeout,
            TimerPurpose::Reordering if timer => ResendCause::ReorderingTimer,
            _ if self.recovery.state() == RecoveryState::Loss => ResendCause::Timeout,
            _ => ResendCause::Acks,
        }
    }
}
