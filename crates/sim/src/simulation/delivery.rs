//! What hosts do with packets that are for them, alone or in the lumps of a NIC.

use super::Simulation;
use crate::index::{FlowId, HopId};
use crate::net::Packet;

impl Simulation<'_> {
    /// A packet is at the host that it is for.
    #[inline(always)]
    pub(super) fn receive(&mut self, packet: &Packet) {
        if packet.kind.is_datagram() {
            return self.receive_datagram(packet);
        }
        if packet.kind.is_ack() { self.acknowledge(packet) } else { self.deliver(packet) }
    }

    #[inline]
    fn deliver(&mut self, packet: &Packet) {
        let now = self.now();
        let flow = packet.flow;
        let network = &mut self.network;
        let ack = self.receivers[flow.index()].on_packet(packet, now, |ack| network.emit_ack(&ack));
        if let Some(ack) = ack {
            network.emit_ack(&ack);
        }
        self.after_delivery(flow);
    }

    /// A hop hands over a lump: the kernel receives all of it before an application runs. ACKs are never part of one: a line is
    /// ahead of their hosts.
    #[inline(never)]
    pub(super) fn hand_over(&mut self, hop: HopId) {
        let mut lump = std::mem::take(&mut self.lump);
        self.network.hand_over(hop, &mut lump);
        if let [packet] = &lump[..] {
            self.receive(packet);
        } else {
            self.deliver_together(&lump);
        }
        lump.clear();
        self.lump = lump;
    }

    fn deliver_together(&mut self, lump: &[Packet]) {
        let now = self.now();
        for packet in lump {
            if packet.kind.is_datagram() {
                self.receive_datagram(packet);
                continue;
            }
            let network = &mut self.network;
            let receiver = &mut self.receivers[packet.flow.index()];
            if let Some(ack) = receiver.on_lump_packet(packet, now, |ack| network.emit_ack(&ack)) {
                network.emit_ack(&ack);
            }
        }
        for (index, &Packet { flow, kind, .. }) in lump.iter().enumerate() {
            // Each connection once.
            if kind.is_datagram() || lump[..index].iter().any(|before| before.flow == flow) {
                continue;
            }
            if let Some(ack) = self.receivers[flow.index()].on_lump_end(now) {
                self.network.emit_ack(&ack);
            }
            self.after_delivery(flow);
        }
    }

    /// After a receiver took what came.
    #[inline(always)]
    fn after_delivery(&mut self, flow: FlowId) {
        self.set_receiver_timers(flow);
        if self.receivers[flow.index()].is_complete() {
            self.complete(flow);
            self.close_if_over(flow);
        }
    }
}
