//! The log of the bottleneck's queue: what becomes of each frame there, from when on that is wanted.

use super::Network;
use crate::index::HopId;
use crate::net::hop::Hop;
use crate::net::packet::Packet;
use run::{QueueEvent, QueueLog};
use units::{Time, list_place, low_bits};

impl Network {
    /// From now on what becomes of each frame at the bottleneck's queue is logged; those that wait come now. Of a network that
    /// is captured.
    pub fn begin_queue_log(&mut self) {
        debug_assert!(self.notes_each, "each packet is noted");
        self.queue_log = Some(Box::default());
        let is_watched = |id: &HopId| self.places[id.index()].is_watched();
        let Some(id) = self.links.iter().copied().find(is_watched) else { return };
        let waiting: Vec<Packet> = self.link(id).packets().copied().collect();
        let now = self.events.now();
        waiting.iter().for_each(|packet| self.log_queue(id, QueueEvent::Came, packet, now));
    }

    /// What was logged of it.
    pub fn take_queue_log(&mut self) -> QueueLog {
        self.queue_log.take().map(|log| *log).unwrap_or_default()
    }

    /// Something becomes of a frame at a link.
    #[cold]
    pub(super) fn log_queue(&mut self, id: HopId, event: QueueEvent, packet: &Packet, at: Time) {
        let flow = self.host_of(packet.flow).index();
        let place = &self.places[id.index()];
        let (Some(log), Hop::Link(link), true) = (&mut self.queue_log, &place.hop, place.is_watched()) else { return };
        let queue = link.queue_of(packet);
        log.at_ns.push(at.as_nanos());
        log.event.push(event as u8);
        log.flow.push(list_place(flow));
        log.seq.push(packet.seq);
        log.is_ack.push(packet.kind.is_ack());
        log.packets.push(low_bits(packet.wire_segments()));
        log.queue.push(queue.number);
        log.is_new.push(queue.is_new);
    }
}
