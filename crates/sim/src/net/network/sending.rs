//! The senders' side of the network: from what TCP hands over to the bottleneck, through the host's own queue (`fq`), its
//! device, its timing noise, and a router's line.

use super::{Departed, Network};
use crate::engine::Event;
use crate::index::{FlowId, HopId};
use crate::net::hop::Offered;
use crate::net::packet::Packet;
use crate::net::waiting::Waiting;
use run::AccessKind;
use units::Time;

impl Network {
    /// A sender emits a packet of a burst.
    #[inline]
    pub fn emit(&mut self, packet: Packet) {
        self.account.note_sent(&packet);
        self.note_entry(packet.flow);
        if self.has_fair_queues {
            self.stage(packet);
        } else if !self.no_access {
            self.emit_through_lines(packet);
        } else if self.jitter.is_any() {
            self.jitter.add(packet);
        } else {
            self.reach_bottleneck(packet, self.events.now());
        }
    }

    /// A sender's burst is whole, and is not to leave before `departure`. Gives whether its host took anything of it.
    #[inline]
    pub fn end_burst(&mut self, flow: FlowId, departure: Time) -> bool {
        if self.has_fair_queues {
            return self.end_burst_at_queue(flow, departure);
        }
        if self.jitter.is_any() {
            self.leave_host(flow);
        }
        self.no_access || std::mem::take(&mut self.took)
    }

    #[inline(never)]
    fn stage(&mut self, packet: Packet) {
        let host = self.host_of(packet.flow);
        self.hosts[host.index()].fair_queue.as_mut().expect("every host has one, or none").stage(packet);
    }

    #[inline(never)]
    fn end_burst_at_queue(&mut self, flow: FlowId, departure: Time) -> bool {
        let (host, now) = (self.host_of(flow), self.events.now());
        let queue = self.hosts[host.index()].fair_queue.as_mut().expect("every host has one, or none");
        if let Some(packets) = queue.overtaking(flow, departure) {
            for packet in packets {
                self.reach_device(packet);
            }
            if self.jitter.is_any() {
                self.leave_host(flow);
            }
            return true;
        }
        match queue.offer(flow, departure, now) {
            Ok(burst) => {
                self.ports[flow.index()].waiting.add(burst);
                self.serve(host);
                true
            }
            Err(dropped) => {
                self.account.dropped_at_access += u64::from(dropped.segments);
                for _ in 0..dropped.packets {
                    self.note_exit(flow);
                }
                false
            }
        }
    }

    #[inline(never)]
    fn emit_through_lines(&mut self, packet: Packet) {
        self.took |= self.reach_device(packet);
    }

    /// A packet is out of its host's queue. Gives whether its device took it.
    fn reach_device(&mut self, packet: Packet) -> bool {
        match self.hosts[self.host_of(packet.flow).index()].device {
            Some(device) => self.offer_to_access(device, packet),
            None => {
                self.leave_own_queue(packet);
                true
            }
        }
    }

    /// The timer of a host's own queue rings.
    pub fn watchdog(&mut self, host: FlowId) {
        let now = self.events.now();
        if self.hosts[host.index()].fair_queue.as_mut().is_some_and(|queue| queue.rings(now)) {
            self.serve(host);
        }
    }

    /// Whatever is due leaves a host's own queue.
    fn serve(&mut self, host: FlowId) {
        let now = self.events.now();
        let mut queue = self.hosts[host.index()].fair_queue.take().expect("a host with a queue");
        while let Some(burst) = queue.take(now) {
            self.ports[burst.flow.index()].waiting.remove(burst.buffer());
            for packet in queue.packets(&burst) {
                self.reach_device(packet);
            }
            if self.jitter.is_any() {
                self.leave_host(burst.flow);
            }
            self.drained.push(burst.flow);
        }
        if let Some(at) = queue.arm() {
            self.events.schedule(at, Event::Watchdog(host));
        }
        self.hosts[host.index()].fair_queue = Some(queue);
    }

    /// There are flows of which something left their host's own queue.
    #[inline]
    pub fn has_drained(&self) -> bool {
        !self.drained.is_empty()
    }

    /// One of them.
    pub fn take_drained(&mut self) -> Option<FlowId> {
        self.drained.pop()
    }

    #[inline]
    fn host_of(&self, flow: FlowId) -> FlowId {
        if self.has_sources { self.ports[flow.index()].host } else { flow }
    }

    /// A packet is out of its host's own queue. With jitter it is part of a burst that [`Self::leave_host`] ends.
    fn leave_own_queue(&mut self, packet: Packet) {
        if self.jitter.is_any() {
            self.jitter.add(packet);
        } else {
            self.reach_path(packet, self.events.now());
        }
    }

    /// A burst is out of its host's own queue as a whole: it leaves the host when its jitter says.
    #[inline]
    fn leave_host(&mut self, flow: FlowId) {
        let host = self.host_of(flow);
        self.jitter.hand_over(host, self.events.now());
        self.schedule_burst();
    }

    /// Sees to it that the next burst gets where it goes. While frames wait at the bottleneck that needs no event:
    /// nothing looks at the queue before its next frame leaves, and by then the burst [has come](Self::settle). Access
    /// lines have events of their own.
    #[inline]
    pub(super) fn schedule_burst(&mut self) {
        let next = self.jitter.next();
        if next < self.burst_at && (!self.no_access || !self.bottleneck.is_busy()) {
            self.schedule_burst_at(next);
        }
    }

    #[inline(never)]
    fn schedule_burst_at(&mut self, time: Time) {
        self.burst_at = time;
        self.events.schedule(time, Event::Burst);
    }

    /// The event of [`Self::schedule_burst`].
    pub fn bursts_leave(&mut self) {
        let now = self.events.now();
        if self.burst_at == now {
            self.burst_at = Time::NEVER;
        }
        self.settle_until(now);
        self.schedule_burst();
    }

    /// Brings bursts that have left their hosts by now where they are, for whoever looks at the bottleneck.
    pub fn settle(&mut self) {
        self.settle_until(self.events.now());
    }

    #[inline]
    fn settle_until(&mut self, time: Time) {
        while self.jitter.next() <= time {
            self.reach_path_with_next_burst();
        }
    }

    pub(super) fn reach_path_with_next_burst(&mut self) {
        let Some((at, mut place)) = self.jitter.leave() else { return };
        while let Some((packet, next)) = self.jitter.take(place) {
            place = next;
            self.reach_path(packet, at);
        }
    }

    /// A packet is out of its host at `at`.
    #[inline(always)]
    fn reach_path(&mut self, packet: Packet, at: Time) {
        if self.no_access || !self.reach_router(packet) {
            self.reach_bottleneck(packet, at);
        }
    }

    /// Offers the packet to its host's router, if it has one. Gives whether it has.
    #[inline(never)]
    fn reach_router(&mut self, packet: Packet) -> bool {
        let router = self.hosts[self.host_of(packet.flow).index()].router;
        if let Some(router) = router {
            self.offer_to_access(router, packet);
        }
        router.is_some()
    }

    /// A packet reaches an access line. Gives whether that took it.
    fn offer_to_access(&mut self, id: HopId, packet: Packet) -> bool {
        let now = self.events.now();
        self.release_from_access(id);
        let line = &mut self.access[id.index() - 1];
        let taken = match line.hop.offer(packet, now) {
            Offered::Queued { departure } => {
                if line.kind == AccessKind::Device {
                    self.ports[packet.flow.index()].waiting.add(Waiting::packet(&packet));
                }
                if let Some(departure) = departure {
                    self.events.schedule(departure, Event::Departure(id));
                }
                true
            }
            Offered::Dropped | Offered::Lost => {
                self.account.dropped_at_access += packet.wire_segments();
                self.end_before_receiver(packet.flow);
                false
            }
        };
        // What the tokens admit is out of the queue when TCP looks at it next.
        self.release_from_access(id);
        taken
    }

    /// Whatever is due leaves the queue of an access line; small queues count what waits in a device.
    fn release_from_access(&mut self, id: HopId) {
        let now = self.events.now();
        let line = &mut self.access[id.index() - 1];
        while let Some(packet) = line.hop.release_due(now) {
            if line.kind == AccessKind::Device {
                self.ports[packet.flow.index()].waiting.remove(Waiting::packet(&packet));
            }
        }
    }

    /// What of a flow is in its host's own queue and device.
    #[inline]
    pub fn waiting(&self, flow: FlowId) -> Waiting {
        if self.no_access && !self.has_fair_queues {
            return Waiting::default();
        }
        self.ports[flow.index()].waiting
    }

    #[inline(never)]
    pub(super) fn leave_access(&mut self, id: HopId) -> Departed {
        self.release_from_access(id);
        let line = &mut self.access[id.index() - 1];
        let Some(left) = line.hop.depart(self.events.now()) else { return Departed::Nothing };
        if let Some(next) = left.next {
            self.events.schedule(next, Event::Departure(id));
        }
        let flow = left.packet.flow;
        match line.kind {
            AccessKind::Device => {
                self.leave_own_queue(left.packet);
                if self.jitter.is_any() {
                    self.leave_host(flow);
                }
                Departed::OutOfHost(flow)
            }
            AccessKind::Router => {
                self.reach_bottleneck(left.packet, self.events.now());
                Departed::PastRouter(flow)
            }
        }
    }

    /// Asks ahead of time for what a flow's host needs to hand over a burst.
    pub fn prefetch_host(&self, flow: FlowId) {
        if self.jitter.is_any() {
            self.jitter.prefetch(self.host_of(flow));
        }
    }
}
