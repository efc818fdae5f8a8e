//! Flows of UDP datagrams: packets that leave when they are due. The receiver sends pings back at once, reports of media from time to
//! time, and takes all others.

use super::{FlowId, Phase, Simulation};
use crate::engine::Timer;
use crate::net::{Packet, PacketKind};
use run::{DatagramLog, ETHERNET_HEADER_BYTES, REPORT_BYTES, UDP_HEADERS_BYTES};
use units::Time;

/// Headers of a datagram, on the wire.
const HEADERS_BYTES: u32 = UDP_HEADERS_BYTES + ETHERNET_HEADER_BYTES;

impl Simulation<'_> {
    /// What the flow has sent; none: it is no datagrams.
    #[inline]
    pub(super) fn datagrams(&self, flow: FlowId) -> Option<&DatagramLog> {
        self.datagrams.get(flow.index())?.as_ref()
    }

    /// The flow starts.
    #[inline(never)]
    pub(super) fn begin_datagrams(&mut self, flow: FlowId) {
        let phases = self.datagrams(flow).map_or(&[][..], DatagramLog::phases);
        self.trace.start(flow, phases, self.now());
        self.network.begin_loss(flow);
        self.send_datagrams(flow);
    }

    /// The next ones of a flow are due, or later ones.
    #[inline(never)]
    pub(super) fn send_datagrams(&mut self, flow: FlowId) {
        let (now, index) = (self.now(), flow.index());
        let Some(log) = &mut self.datagrams[index] else { return };
        if self.apps[index].phase != Phase::Running {
            return;
        }
        let kind = if log.are_answered() { PacketKind::Ping } else { PacketKind::Datagram };
        while let Some(next_ns) = log.next_ns() {
            let due = Time::from_nanos(next_ns);
            if due > now {
                self.timers.set(flow, Timer::Write, due, &mut self.network.events);
                break;
            }
            if let Some(seq) = log.report(now.as_nanos()) {
                let frame_bytes = REPORT_BYTES + HEADERS_BYTES;
                self.network.emit_pong(&Packet { seq, flow, frame_bytes, ..Packet::default() });
            }
            if let Some((seq, bytes)) = log.send(now.as_nanos()) {
                self.network.emit(Packet { seq, flow, frame_bytes: bytes + HEADERS_BYTES, kind, ..Packet::default() });
                self.network.end_burst(flow, now);
            }
        }
        self.resume_drained();
    }

    /// A datagram is at its receiver, or at its sender the answer to a ping or a report.
    #[inline(never)]
    pub(super) fn receive_datagram(&mut self, packet: &Packet) {
        if packet.kind == PacketKind::Ping {
            return self.network.emit_pong(packet);
        }
        let now = self.now();
        let Some(log) = &mut self.datagrams[packet.flow.index()] else { return };
        if log.is_reported() && packet.kind == PacketKind::Pong {
            return log.hear(packet.seq, now.as_nanos());
        }
        if let Some(rtt_ns) = log.arrive(packet.seq, now.as_nanos()).filter(|_| log.are_answered()) {
            self.trace.pong(packet.flow, rtt_ns, now);
        }
    }
}
