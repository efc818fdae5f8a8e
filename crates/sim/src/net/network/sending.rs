//! The senders' side of the network: from what TCP hands over to the first hop, through the host's own queue (`fq`), its
//! device, and its timing noise.

use super::Network;
use crate::engine::Event;
use crate::index::{FlowId, HopId};
use crate::net::hop::Role;
use crate::net::host::Edge;
use crate::net::link::Offered;
use crate::net::packet::Packet;
use crate::net::waiting::Waiting;
use run::CapturePoint;
use units::Time;

impl Network {
    /// A sender emits a packet of a burst.
    #[inline]
    pub fn emit(&mut self, packet: Packet) {
        self.note_entry(&packet);
        match self.edge {
            Edge::Direct => self.reach_path(&packet, self.events.now()),
            Edge::Jitter => self.jitter.add(packet),
            Edge::Device => self.emit_through_device(packet),
            Edge::FairQueue => self.stage(packet),
        }
    }

    /// A sender's burst is complete, and is not to leave before `departure`. Gives whether its host took anything of it.
    #[inline]
    pub fn end_burst(&mut self, flow: FlowId, departure: Time) -> bool {
        match self.edge {
            Edge::Direct => true,
            Edge::Jitter => {
                self.leave_host(flow);
                true
            }
            Edge::Device => {
                if self.jitter.is_any() {
                    self.leave_host(flow);
                }
                std::mem::take(&mut self.took)
            }
            Edge::FairQueue => self.end_burst_at_queue(flow, departure),
        }
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
                if cfg!(debug_assertions) {
                    self.account.ended += u64::from(dropped.segments);
                }
                if self.notes_each {
                    self.ports[flow.index()].under_way -= dropped.packets as u64;
                }
                false
            }
        }
    }

    #[inline(never)]
    fn emit_through_device(&mut self, packet: Packet) {
        self.took |= self.reach_device(packet);
    }

    /// A packet is out of its host's queue. Gives whether its device took it.
    fn reach_device(&mut self, packet: Packet) -> bool {
        match self.hosts[self.host_of(packet.flow).index()].device {
            Some(device) => self.offer_to_device(device, packet),
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

    /// A packet is out of its host's own queue. With jitter it is part of a burst that [`Self::leave_host`] ends.
    fn leave_own_queue(&mut self, packet: Packet) {
        if self.jitter.is_any() {
            self.jitter.add(packet);
        } else {
            self.reach_path(&packet, self.events.now());
        }
    }

    /// A burst is out of its host's own queue as a whole: it leaves the host when its jitter says.
    #[inline]
    fn leave_host(&mut self, flow: FlowId) {
        let host = self.host_of(flow);
        self.jitter.hand_over(host, self.events.now());
        self.schedule_burst();
    }

    /// Sees to it that the next burst gets where it goes. While frames wait at the one link that bursts reach, that needs no
    /// event: nothing looks at the queue before its next frame leaves, and by then the burst [has come](Self::settle).
    #[inline]
    pub(super) fn schedule_burst(&mut self) {
        let next = self.jitter.next();
        if next < self.burst_at && !self.sole_entry.is_some_and(|entry| self.link(entry).is_busy()) {
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

    /// Brings bursts that have left their hosts by now where they are, for what looks at a queue.
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
        let mut packet = Packet::default();
        while let Some(next) = self.jitter.take(place, &mut packet) {
            place = next;
            self.reach_path(&packet, at);
        }
    }

    /// A packet is out of its host at `at`.
    #[inline(always)]
    fn reach_path(&mut self, packet: &Packet, at: Time) {
        if self.notes_each {
            self.capture(CapturePoint::Senders, packet, at);
        }
        let first = match self.sole_entry {
            Some(entry) => entry,
            None => self.routes[self.host_of(packet.flow).index()].data,
        };
        self.reach_link(first, packet, at);
    }

    /// A packet reaches its host's own line. Gives whether that took it.
    fn offer_to_device(&mut self, id: HopId, packet: Packet) -> bool {
        let now = self.events.now();
        self.release_from_device(id);
        let taken = match self.link_mut(id).offer(packet, now) {
            Offered::Queued { departure } => {
                self.ports[packet.flow.index()].waiting.add(Waiting::packet(&packet));
                if let Some(departure) = departure {
                    self.events.schedule(departure, Event::OutOfHost(id));
                }
                true
            }
            Offered::Dropped | Offered::Lost => {
                self.note_drop(&packet, Role::Apart);
                false
            }
        };
        // What the tokens admit is out of the queue when TCP looks at it next.
        self.release_from_device(id);
        taken
    }

    /// Whatever is due leaves the queue of a host's own line, which small queues count.
    fn release_from_device(&mut self, id: HopId) {
        let now = self.events.now();
        while let Some(packet) = self.link_mut(id).release_due(now) {
            self.ports[packet.flow.index()].waiting.remove(Waiting::packet(&packet));
        }
    }

    /// What of a flow is in its host's own queue and device.
    #[inline]
    pub fn waiting(&self, flow: FlowId) -> Waiting {
        match self.edge {
            Edge::Direct | Edge::Jitter => Waiting::default(),
            Edge::Device | Edge::FairQueue => self.ports[flow.index()].waiting,
        }
    }

    /// The next frame leaves a host's own line. Gives its flow.
    #[inline(never)]
    pub fn leave_device(&mut self, id: HopId) -> Option<FlowId> {
        self.release_from_device(id);
        let now = self.events.now();
        let mut packet = Packet::default();
        if !self.link_mut(id).depart(now, &mut packet) {
            return None;
        }
        let next = self.link_mut(id).next(now);
        if next != Time::NEVER {
            self.events.schedule(next, Event::OutOfHost(id));
        }
        self.leave_own_queue(packet);
        if self.jitter.is_any() {
            self.leave_host(packet.flow);
        }
        Some(packet.flow)
    }

    /// Asks ahead of time for what a flow's host needs to hand over a burst.
    pub fn prefetch_host(&self, flow: FlowId) {
        if self.jitter.is_any() {
            self.jitter.prefetch(self.host_of(flow));
        }
    }
}
