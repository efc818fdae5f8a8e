//! What travels: [`Packet`] forward, [`Ack`] back.

use crate::index::FlowId;
use crate::serial::nearest;
use run::FRAME_HEADERS_BYTES;

/// A frame on its way to the receiver: one segment, or with offloads a burst of consecutive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Index of its first segment. Segments are numbered as they are first sent; their boundaries never change.
    pub seq: u64,
    /// Payload bytes of the connection up to and including its last segment; the low bits.
    pub end_bytes: u32,
    /// The connection.
    pub flow: FlowId,
    /// Size on the wire, Ethernet header included.
    pub frame_bytes: u32,
    /// Number of segments; 0 for a segment without data.
    pub segments: u16,
    /// What it is.
    pub kind: PacketKind,
    /// PSH (RFC 9293 section 3.1): its last segment ends a burst or what the application wrote.
    pub pushed: bool,
    /// Timestamp value (RFC 7323), ms of the sender's clock.
    pub stamp_ms: u32,
    /// Timestamp echo, ms of the receiver's clock.
    pub echo_ms: u32,
}

impl Packet {
    /// What it carries of the connection's data.
    #[inline]
    pub const fn payload_bytes(&self) -> u32 {
        self.frame_bytes - FRAME_HEADERS_BYTES * self.segments as u32
    }
}

/// Kinds of forward packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Opens the connection.
    Syn,
    /// The handshake's third packet.
    Bare,
    /// Asks whether a closed window has opened (RFC 9293 section 3.8.6.1).
    WindowProbe,
    /// Data.
    Data,
}

/// Segments `start..end` have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First segment.
    pub start: u64,
    /// One past the last segment.
    pub end: u64,
}

impl SackBlock {
    /// As it travels: the low bits of its ends, as TCP sends no more of them either.
    pub const fn packed(self) -> [u32; 2] {
        [self.start as u32, self.end as u32]
    }
}

/// Most SACK blocks that fit beside timestamps (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 3;

/// An ACK on its way to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Next segment expected.
    pub una: u64,
    /// Right edge of the receiver's window in payload bytes.
    pub window_edge_bytes: u64,
    /// The connection.
    pub flow: FlowId,
    /// The receiver's timestamp, ms.
    pub stamp_ms: u32,
    /// Echo of the sender's timestamp, ms.
    pub echo_ms: u32,
    /// Number of `blocks` used.
    pub block_count: u8,
    /// The first block reports a duplicate (RFC 2883).
    pub duplicate: bool,
    /// Answers a SYN.
    pub syn: bool,
    /// SACK blocks, [packed](SackBlock::packed), the most recent first.
    pub blocks: [[u32; 2]; MAX_SACK_BLOCKS],
}

impl Ack {
    /// Its SACK blocks, of which `block_count` are used.
    pub fn sack_blocks(&self) -> [SackBlock; MAX_SACK_BLOCKS] {
        self.blocks.map(|[start, end]| SackBlock { start: nearest(start, self.una), end: nearest(end, self.una) })
    }
}
