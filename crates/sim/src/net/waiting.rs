//! [`Waiting`]: what a flow has in its sending host, as TCP's small queues count it.

use super::packet::Packet;

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
