//! Random loss: each packet with data, and each ACK, of a flow whose handshake is over is lost with the same probability.

use super::packet::Packet;
use crate::engine::{Stream, stream};
use crate::index::FlowId;
use run::LossAt;

/// What loses packets at a hop, on one side of its queue.
#[derive(Debug)]
pub struct RandomLoss {
    ppb: u32,
    at: LossAt,
    seed: u64,
    /// The hop's part of the names of random streams; empty: that of a path with one hop.
    scope: String,
    flows: Vec<FlowLoss>,
    lost: u64,
}

/// One flow's part in it.
#[derive(Debug)]
struct FlowLoss {
    stream: Stream,
    /// Its handshake is over.
    lossy: bool,
    /// Segments of its data.
    lost: u64,
}

impl RandomLoss {
    /// Loss with a probability of `ppb` parts per billion, of no flow yet.
    pub const fn new(ppb: u32, at: LossAt, seed: u64, scope: String) -> Self {
        Self { ppb, at, seed, scope, flows: Vec::new(), lost: 0 }
    }

    /// Nothing is ever lost.
    pub const fn none() -> Self {
        Self::new(0, LossAt::Before, 0, String::new())
    }

    /// A flow, which is new or takes the place of one that is over; `name` names its random stream.
    pub fn open(&mut self, flow: FlowId, name: &str) {
        if self.ppb == 0 {
            return;
        }
        let stream = stream(self.seed, &format!("loss/{}{name}", self.scope));
        let new = FlowLoss { stream, lossy: false, lost: 0 };
        if flow.index() == self.flows.len() {
            self.flows.push(new);
        } else {
            self.flows[flow.index()] = new;
        }
    }

    /// From now on it acts on the flow.
    pub fn begin(&mut self, flow: FlowId) {
        if let Some(flow) = self.flows.get_mut(flow.index()) {
            flow.lossy = true;
        }
    }

    /// Whether it takes this packet, which passes on the side `at` of the queue.
    #[inline]
    pub fn takes(&mut self, packet: &Packet, at: LossAt) -> bool {
        self.ppb > 0 && at == self.at && self.draw(packet)
    }

    #[inline(never)]
    fn draw(&mut self, packet: &Packet) -> bool {
        let flow = &mut self.flows[packet.flow.index()];
        let lost = flow.lossy && packet.kind.is_lossy() && flow.stream.happens(self.ppb);
        if lost {
            flow.lost += if packet.kind.is_ack() { 0 } else { packet.wire_segments() };
            self.lost += packet.wire_segments();
        }
        lost
    }

    /// Segments lost so far, an ACK being one.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Of them those lost on the side `at` of the queue.
    pub fn lost_at(&self, at: LossAt) -> u64 {
        if at == self.at { self.lost } else { 0 }
    }

    /// Of them those of a flow's data.
    pub fn lost_of(&self, flow: FlowId) -> u64 {
        self.flows.get(flow.index()).map_or(0, |flow| flow.lost)
    }
}
