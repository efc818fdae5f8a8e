//! Asking for a flow's state ahead of time, where there are more flows than the nearest caches hold.

use super::Simulation;
use crate::engine::{Timer, prefetch};
use crate::index::{FlowId, HopId};

/// How many packets ahead a flow's state is asked for, and then what that state points to: early enough to arrive,
/// late enough to stay.
const PREFETCH_FAR: usize = 4;
const PREFETCH_NEAR: usize = 2;

impl Simulation<'_> {
    /// Of the hosts that the packets behind the first one of a hop go to, perhaps by way of others.
    #[inline(never)]
    pub(super) fn prefetch_arrivals(&self, hop: HopId) {
        if let Some(packet) = self.network.upcoming(hop, PREFETCH_FAR) {
            let flow = packet.flow;
            self.timers.prefetch(flow);
            if packet.kind.is_ack() {
                prefetch(&self.senders[flow.index()]);
                self.network.prefetch_host(flow);
            } else {
                prefetch(&self.receivers[flow.index()]);
            }
        }
        if let Some(packet) = self.network.upcoming(hop, PREFETCH_NEAR) {
            let flow = packet.flow.index();
            if packet.kind.is_ack() {
                self.senders[flow].prefetch_rest();
            } else {
                self.receivers[flow].prefetch_data();
            }
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
}
