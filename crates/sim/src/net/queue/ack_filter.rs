//! [`AckFilter`]: a drop-tail queue in which a new ACK takes out the one that it makes superfluous (RFC 3449 section 5.2.1).
//!
//! As CAKE's `cake_ack_filter`, it takes out only what says nothing that the new one does not say: an ACK without SACK blocks
//! and options of its connection, with the same ACE field, for less data. Data, duplicate ACKs, and the frame that the shaper
//! already looks at stay. An ACK takes out one at most, so that of a row of ACKs the last one stays.
//!
//! An ACK that another takes the place of is no loss: the queue has been offered one packet for both.

use super::{Discipline, DropTail, Fate, Verdict};
use crate::net::packet::{Packet, PacketKind, ReportId};
use run::{Buffer, QueueCounters};
use units::Time;

/// A drop-tail queue that thins ACKs.
#[derive(Debug)]
pub struct AckFilter(DropTail);

impl AckFilter {
    /// An empty one before this queue.
    pub const fn new(queue: DropTail) -> Self {
        Self(queue)
    }
}

/// An ACK that waits says nothing that `new` does not say.
fn supersedes(new: &Packet, waiting: &Packet) -> bool {
    waiting.kind == PacketKind::Ack
        && waiting.flow == new.flow
        && waiting.report == ReportId::NONE
        && waiting.marks.ace() == new.marks.ace()
        && new.seq.wrapping_sub(waiting.seq).cast_signed() > 0
}

impl Discipline for AckFilter {
    fn enqueue(&mut self, packet: Packet, now: Time, fates: &mut Vec<Fate>) -> Verdict {
        if packet.kind == PacketKind::Ack {
            fates.extend(self.0.supersede(|waiting| supersedes(&packet, waiting)).map(Fate::superseded));
        }
        self.0.enqueue(packet, now, fates)
    }

    fn dequeue(&mut self, now: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool {
        self.0.dequeue(now, out, fates)
    }

    fn head_bytes(&self) -> Option<u32> {
        self.0.head_bytes()
    }

    fn peek(&self, index: usize) -> Option<&Packet> {
        self.0.peek(index)
    }

    fn set_room(&mut self, room: Buffer) {
        self.0.set_room(room);
    }

    fn counters(&self, now: Time) -> QueueCounters {
        self.0.counters(now)
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.0.for_each(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use crate::net::Marks;

    fn ack(flow: usize, seq: u32) -> Packet {
        Packet { flow: FlowId::new(flow), seq, frame_bytes: 66, kind: PacketKind::Ack, ..Packet::default() }
    }

    /// Flows and numbers of what waits when these have come, and how many ACKs were taken out.
    fn waiting(packets: &[Packet]) -> (Vec<(usize, u32)>, usize) {
        let mut queue = AckFilter::new(DropTail::new(Buffer::Packets(100)));
        let mut fates = Vec::new();
        for packet in packets {
            assert_eq!(queue.enqueue(*packet, Time::ZERO, &mut fates), Verdict::Queued);
        }
        let mut rest = Vec::new();
        queue.for_each(&mut |packet| rest.push((packet.flow.index(), packet.seq)));
        let QueueCounters { offered_packets, sent_packets, dropped_packets, queued_packets, queued_bytes, .. } =
            queue.counters(Time::ZERO);
        assert_eq!((offered_packets, sent_packets, dropped_packets), (queued_packets, 0, 0));
        assert_eq!(queued_packets, rest.len() as u64);
        assert!(queued_bytes >= 66 * queued_packets && fates.iter().all(|fate| !fate.is_marked()));
        assert_eq!(rest.len() + fates.len(), packets.len());
        (rest, fates.len())
    }

    #[test]
    fn of_a_row_of_acks_the_first_and_the_last_wait() {
        let row: Vec<Packet> = (1..=9).map(|seq| ack(0, seq)).collect();
        assert_eq!(waiting(&row), (vec![(0, 1), (0, 9)], 7), "the shaper looks at the first");
        let wraps = [ack(1, 7), ack(0, u32::MAX), ack(0, 0), ack(0, 1)];
        assert_eq!(waiting(&wraps), (vec![(1, 7), (0, 1)], 2));
    }

    #[test]
    fn each_connection_has_its_own() {
        let mixed: Vec<Packet> = (1..=8).map(|seq| ack(seq as usize % 2, seq)).collect();
        assert_eq!(waiting(&mixed), (vec![(1, 1), (1, 7), (0, 8)], 5));
    }

    #[test]
    fn what_says_something_of_its_own_stays() {
        let ahead = ack(1, 1);
        let sack = Packet { report: ReportId(0), ..ack(0, 5) };
        assert_eq!(waiting(&[ahead, sack, ack(0, 6)]).1, 0, "SACK blocks");
        assert_eq!(waiting(&[ahead, ack(0, 5), Packet { seq: 6, ..sack }]).1, 1, "which may come behind");
        assert_eq!(waiting(&[ahead, ack(0, 5), ack(0, 5)]).1, 0, "a duplicate");
        assert_eq!(waiting(&[ahead, ack(0, 5), ack(0, 4)]).1, 0, "an older one that comes late");
        let echo = Packet { marks: Marks::new(false, crate::net::Ecn::NotEct).echoing(true), ..ack(0, 5) };
        assert_eq!(waiting(&[ahead, echo, ack(0, 6)]).1, 0, "ECE");
        for kind in [PacketKind::Data, PacketKind::Fin, PacketKind::Pong, PacketKind::SynAck] {
            let other = |seq| Packet { kind, ..ack(0, seq) };
            assert_eq!(waiting(&[ahead, other(5), ack(0, 6)]).1, 0, "{kind:?} stays");
            assert_eq!(waiting(&[ahead, ack(0, 5), other(6)]).1, 0, "{kind:?} takes nothing out");
        }
    }

    #[test]
    fn the_place_of_an_ack_that_was_taken_out_is_free() {
        let mut queue = AckFilter::new(DropTail::new(Buffer::Bytes(2 * 66)));
        let mut fates = Vec::new();
        for seq in 1..20 {
            assert_eq!(queue.enqueue(ack(0, seq), Time::ZERO, &mut fates), Verdict::Queued);
        }
        assert_eq!((fates.len(), queue.counters(Time::ZERO).offered_packets), (17, 2));
    }
}
