//! What the network counts of packets and lets captures see: each that enters, arrives, or is no more.

use super::Network;
use crate::index::FlowId;
use crate::net::fair_queue::FairQueue;
use crate::net::hop::{Hop, Role};
use crate::net::packet::{Packet, ReportId};
use crate::net::waiting::Waiting;
use run::{CapturePoint, QueueCounters, ResendCause, Seen, SenderState};
use std::hint::cold_path;
use std::vec::Drain;
use units::Time;

/// Segments that have come from hosts, gone to hosts, or are no more, an ACK being one; counted in debug builds only.
#[derive(Debug, Default)]
pub struct Account {
    /// Come from hosts, or made by a line that doubles.
    pub sent: u64,
    /// Gone to hosts.
    pub arrived: u64,
    /// Dropped or lost.
    pub ended: u64,
}

/// One flow's place in the network.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Whose host it is on: its own, or its source's.
    pub host: FlowId,
    /// What of it is in the host's own queue and device.
    pub waiting: Waiting,
    /// Packets of it in the network, counted where there are sources.
    pub under_way: u64,
    /// Packets of its data that queues of the path dropped.
    pub dropped: u64,
    /// Those that they marked.
    pub marked: u64,
    /// Those that came damaged.
    pub damaged: u64,
}

impl Port {
    /// An idle one.
    pub const fn new(host: FlowId) -> Self {
        Self {
            host,
            waiting: Waiting { buffers: 0, payload_bytes: 0 },
            under_way: 0,
            dropped: 0,
            marked: 0,
            damaged: 0,
        }
    }
}

impl Network {
    #[inline]
    pub(super) fn note_entry(&mut self, packet: &Packet) {
        if cfg!(debug_assertions) {
            self.account.sent += packet.wire_segments();
        }
        if self.notes_each {
            cold_path();
            self.ports[packet.flow.index()].under_way += 1;
            if packet.kind.is_ack() {
                self.capture(CapturePoint::Receivers, packet, self.events.now());
            } else if let Some(tap) = &mut self.tap {
                tap.note_sent(packet, self.events.now());
            }
        }
    }

    /// A packet passes a place where packets are captured.
    #[inline]
    pub(super) fn capture(&mut self, point: CapturePoint, packet: &Packet, at: Time) {
        if let Some(tap) = &mut self.tap {
            cold_path();
            if packet.kind.is_ack() {
                tap.ack(point, packet, self.reports.of(packet), at);
            } else {
                tap.data(point, packet, at);
            }
        }
    }

    /// See [`Tap::note_sender`].
    pub fn log_sender(&mut self, flow: FlowId, cause: ResendCause, state: Option<SenderState>) {
        if let Some(tap) = &mut self.tap {
            tap.note_sender(flow, cause, state);
        }
    }

    /// What was captured since the last call, in order of time, but for what a burst may yet come before that
    /// [needs no event](Self::schedule_burst).
    pub fn captured(&mut self) -> Option<Drain<'_, Seen>> {
        let next = self.jitter.next();
        self.tap.as_mut().map(|tap| tap.take(next))
    }

    #[inline]
    pub(super) fn note_arrival(&mut self, packet: &Packet) {
        debug_assert!(!packet.marks.is_damaged(), "hosts discard it");
        if cfg!(debug_assertions) {
            self.account.arrived += packet.wire_segments();
        }
        if self.notes_each {
            cold_path();
            self.ports[packet.flow.index()].under_way -= 1;
            let is_ack = packet.kind.is_ack();
            let point = if is_ack { CapturePoint::Senders } else { CapturePoint::Receivers };
            self.capture(point, packet, self.events.now());
        }
    }

    /// A packet is dropped or lost.
    #[inline]
    pub(super) fn note_end(&mut self, packet: &Packet) {
        if cfg!(debug_assertions) {
            self.account.ended += packet.wire_segments();
        }
        self.reports.drop(packet);
        if self.notes_each {
            cold_path();
            self.ports[packet.flow.index()].under_way -= 1;
            if self.has_sources {
                self.dropped_behind.push(packet.flow);
            }
        }
    }

    /// A queue of the path drops a packet.
    #[inline]
    pub(super) fn note_drop(&mut self, packet: &Packet, role: Role) {
        if role != Role::Apart && !packet.kind.is_ack() {
            self.ports[packet.flow.index()].dropped += packet.wire_segments();
        }
        self.note_end(packet);
    }

    /// A flow of which a packet was dropped or lost, if there is one that was not given yet.
    #[inline]
    pub fn dropped_behind(&mut self) -> Option<FlowId> {
        self.dropped_behind.pop()
    }

    /// Of a flow's data, bytes of frames that left the bottleneck of its direction.
    #[inline]
    pub fn passed_bytes(&self, flow: FlowId) -> u64 {
        self.passed_bytes[flow.index()]
    }

    /// Packets of a flow's data that queues of the path dropped, and that were lost at random or damaged.
    pub fn losses(&self, flow: FlowId) -> (u64, u64) {
        let lost: u64 = self.links.iter().map(|id| self.link(*id).lost_of(flow)).sum();
        let Port { dropped, damaged, .. } = self.ports[flow.index()];
        (dropped, lost + damaged)
    }

    /// Packets of a flow's data that queues of the path marked.
    pub fn marked(&self, flow: FlowId) -> u64 {
        self.ports[flow.index()].marked
    }

    /// Panics when a packet has vanished or come from nowhere: every one that was sent has arrived, was dropped or lost, or
    /// is somewhere; and so at each link, and of SACK blocks. For debug builds, which count all of it.
    pub fn assert_conservation(&self) {
        fn segments<'a>(packets: impl Iterator<Item = &'a Packet>) -> u64 {
            packets.map(Packet::wire_segments).sum()
        }
        let now = self.events.now();
        let queues = self.hosts.iter().filter_map(|host| host.fair_queue.as_deref());
        let mut inside = segments(self.jitter.packets()) + segments(queues.flat_map(FairQueue::iter));
        let mut reports = 0;
        for place in &self.places {
            let packets: Vec<&Packet> = match &place.hop {
                Hop::Link(link) | Hop::Device(link) => link.packets().collect(),
                Hop::Delay(line) => line.iter().collect(),
                Hop::Nic(nic) => nic.iter().collect(),
                Hop::Medium(medium) => medium.iter().collect(),
            };
            let here = segments(packets.iter().copied());
            inside += here;
            reports += packets.iter().filter(|packet| packet.report != ReportId::NONE).count();
            if let Hop::Link(link) = &place.hop {
                let QueueCounters { offered_packets, sent_packets, dropped_packets, queued_packets, .. } =
                    link.counters(now);
                assert_eq!(offered_packets, sent_packets + dropped_packets + queued_packets);
                let (entered, left) = place.passed;
                assert_eq!(entered, left + dropped_packets + link.lost_before() + here);
            }
        }
        let Account { sent, arrived, ended } = self.account;
        assert_eq!(sent, arrived + ended + inside);
        assert_eq!(self.reports.count(), reports, "ACKs with SACK blocks");
    }
}
