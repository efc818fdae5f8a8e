//! Asking for a flow's state ahead of time, where there are more flows than the nearest caches hold.

use super::Simulation;
use crate::engine::{Timer, prefetch};
use crate::index::{FlowId, LineId};

/// How many packets ahead a flow's state is asked for, and then what that state points to: early enough to arrive,
/// late enough to stay.
const PREFETCH_FAR: usize = 4;
const PREFETCH_NEAR: usize = 2;

impl Simulation<'_> {
    #[inline(never)]
    pub(super) fn prefetch_sender(&self, line: LineId) {
        if let Some(flow) = self.network.upcoming_ack(line, PREFETCH_FAR) {
            prefetch(&self.senders[flow.index()]);
            self.timers.prefetch(flow);
            self.network.prefetch_host(flow);
        }
        if let Some(flow) = self.network.upcoming_ack(line, PREFETCH_NEAR) {
            self.senders[flow.index()].prefetch_rest();
        }
    }

    /// Of the entries of a tick after `index`; most will come in vain.
    #[inline(never)]
    pub(super) fn prefetch_tick(&self, entries: &[(FlowId, Timer)], index: usize) {
        if let Some(&(flow, _)) = entries.get(index + PREFETCH_FAR + PREFETCH_NEAR) {
            self.timers.prefetch(flow);
        }
        if let Some(&(flow, timer)) = entries.get(index + PREFETCH_FAR)
            && self.timers.is_due(flow, timer, self.now())
        {
            match timer {
                Timer::DelayedAck | Timer::CompressedAck => prefetch(&self.receivers[flow.index()]),
                Timer::Retransmission | Timer::Pacing | Timer::Write => prefetch(&self.senders[flow.index()]),
            }
        }
        if let Some(&(flow, timer)) = entries.get(index + PREFETCH_NEAR)
            && matches!(timer, Timer::Retransmission)
            && self.timers.is_due(flow, timer, self.now())
        {
            self.senders[flow.index()].prefetch_rest();
        }
    }

    #[inline(never)]
    pub(super) fn prefetch_timer(&self) {
        if let Some(flow) = self.network.events.upcoming_timer() {
            prefetch(&self.senders[flow.index()]);
            self.timers.prefetch(flow);
        }
    }

    #[inline(never)]
    pub(super) fn prefetch_receiver(&self) {
        if let Some(flow) = self.network.upcoming_departure(PREFETCH_FAR) {
            prefetch(&self.receivers[flow.index()]);
            self.timers.prefetch(flow);
        }
        if let Some(flow) = self.network.upcoming_departure(PREFETCH_NEAR) {
            self.receivers[flow.index()].prefetch_data();
        }
    }
}
