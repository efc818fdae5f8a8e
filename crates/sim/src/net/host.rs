//! A sending host: what its packets go through before the path that all share.

use super::fair_queue::FairQueue;
use super::packet::Packet;
use crate::index::HopId;

/// What of a flow waits in its host's own queue and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Buffers: bursts in the queue, and in the device packets, into which it cuts bursts.
    pub buffers: u32,
    /// What they carry of the connection's data.
    pub payload_bytes: u32,
}

impl Waiting {
    /// One buffer.
    pub const fn one(payload_bytes: u32) -> Self {
        Self { buffers: 1, payload_bytes }
    }

    /// A packet by itself.
    pub const fn packet(packet: &Packet) -> Self {
        Self::one(if packet.segments > 0 { packet.payload_bytes() } else { 0 })
    }

    /// Something comes.
    pub const fn add(&mut self, other: Self) {
        self.buffers += other.buffers;
        self.payload_bytes += other.payload_bytes;
    }

    /// Something leaves.
    pub const fn remove(&mut self, other: Self) {
        self.buffers -= other.buffers;
        self.payload_bytes -= other.payload_bytes;
    }
}

/// A sending host, of one flow of the run, or of all connections of a source.
///
/// Its packets pass in this order: its own queue and its own device, which TCP's small queues see; its
/// [jitter](super::jitter), which they do not see; the line of a router behind it.
#[derive(Debug, Default)]
pub struct Host {
    /// Its own queue.
    pub fair_queue: Option<Box<FairQueue>>,
    /// Its own line.
    pub device: Option<HopId>,
    /// The line of a router of its own.
    pub router: Option<HopId>,
}
