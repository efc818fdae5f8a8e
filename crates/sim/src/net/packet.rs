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

/// What a buffer costs its socket beside the payload: `struct sk_buff`, its head with room for headers, and
/// `struct skb_shared_info`. As measured on Linux 6.1 of the engine `linux` (`SK_MEMINFO_WMEM_QUEUED`: 768 beside no data,
/// 3664 of a super-packet of two segments); a kernel with tunnels and wireless has larger heads, and 1280.
const BUFFER_OVERHEAD_BYTES: u64 = 768;

impl Packet {
    /// What it costs its sending socket while its host has it (Linux `truesize`).
    #[inline]
    pub fn buffer_bytes(&self) -> u64 {
        buffer_bytes(u64::from(self.frame_bytes.saturating_sub(FRAME_HEADERS_BYTES * u32::from(self.segments.max(1)))))
    }
}

/// What a buffer of so much payload costs its socket (Linux `truesize`).
pub const fn buffer_bytes(payload_bytes: u64) -> u64 {
    BUFFER_OVERHEAD_BYTES + payload_bytes
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
    /// Ends the connection at once (RFC 9293 section 3.5.2).
    Reset,
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
