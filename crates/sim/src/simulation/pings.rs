//! Flows of pings: a packet at even intervals, which the receiver sends back at once, whatever becomes of the others.

use super::{FlowId, Phase, Simulation};
use crate::engine::Timer;
use crate::net::{Packet, PacketKind};
use run::{ETHERNET_HEADER_BYTES, PING_HEADERS_BYTES};
use units::Span;

impl Simulation<'_> {
    /// The flow is pings.
    #[inline]
    pub(super) fn has_pings(&self, flow: FlowId) -> bool {
        self.pings.get(flow.index()).is_some_and(Option::is_some)
    }

    /// How many pings of a flow were sent, and how many answered; none: it is none.
    pub(super) fn ping_counts(&self, flow: FlowId) -> Option<(u64, u64)> {
        self.pings.get(flow.index())?.as_ref().map(run::PingLog::counts)
    }

    /// The flow starts.
    #[inline(never)]
    pub(super) fn begin_pings(&mut self, flow: FlowId) {
        self.trace.start(flow, &[], self.now());
        self.network.begin_loss(flow);
        self.ping(flow);
    }

    /// The next ping of a flow is due.
    #[inline(never)]
    pub(super) fn ping(&mut self, flow: FlowId) {
        let (now, index) = (self.now(), flow.index());
        if self.apps[index].phase != Phase::Running {
            return;
        }
        let Some((every_ns, bytes)) = self.run.flows[index].pings() else { return };
        let Some(log) = &mut self.pings[index] else { return };
        let seq = log.send(now.as_nanos());
        let headers_bytes = PING_HEADERS_BYTES + ETHERNET_HEADER_BYTES;
        let frame_bytes = headers_bytes + u32::try_from(bytes).expect("within the MTU, as the spec says");
        self.network.emit(Packet { seq, flow, frame_bytes, kind: PacketKind::Ping, ..Packet::default() });
        self.network.end_burst(flow, now);
        self.timers.set(flow, Timer::Write, now + Span::from_nanos(every_ns), &mut self.network.events);
        self.resume_drained();
    }

    /// A ping is at its receiver, or the answer at its sender.
    #[inline(never)]
    pub(super) fn receive_ping(&mut self, packet: &Packet) {
        if packet.kind == PacketKind::Ping {
            return self.network.emit_pong(packet);
        }
        let now = self.now();
        let log = self.pings[packet.flow.index()].as_mut();
        if let Some(rtt_ns) = log.and_then(|log| log.answer(packet.seq, now.as_nanos())) {
            self.trace.pong(packet.flow, rtt_ns, now);
        }
    }
}
