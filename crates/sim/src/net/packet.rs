//! What travels: [`Packet`] forward, [`Ack`] back.

use crate::index::FlowId;
use crate::serial::nearest;
use run::FRAME_HEADERS_BYTES;
use std::hint::cold_path;

/// A frame on its way to the receiver: one segment, or with offloads a burst of consecutive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Index of its first segment. Segments are numbered as they are first sent; their boundaries never change.
    pub seq: u64,
    /// Payload bytes of the connection up to and including its last segment; the low bits.
    pub end_bytes: u32,
    /// The connection.
    pub flow: FlowId,
    /// Its size: Ethernet's header included, and in the bottleneck the path's overhead in its place.
    pub frame_bytes: u32,
    /// Number of segments; 0 for a segment without data.
    pub segments: u16,
    /// What it is.
    pub kind: PacketKind,
    /// Single bits of its headers.
    pub marks: Marks,
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

    /// The same packet where each of its frames counts so much more, or less.
    #[inline]
    #[must_use]
    pub const fn longer(mut self, frame_by_bytes: i32) -> Self {
        if frame_by_bytes != 0 {
            cold_path();
            let frames = if self.segments == 0 { 1 } else { self.segments as i32 };
            self.frame_bytes = self.frame_bytes.strict_add_signed(frame_by_bytes * frames);
        }
        self
    }

    /// Frames that it counts for: a super-packet counts each of its segments.
    #[inline]
    pub fn wire_segments(&self) -> u64 {
        u64::from(self.segments.max(1))
    }
}

/// What a packet's headers say in single bits: TCP's PSH, and IP's ECN field. One byte, because a packet is half of a
/// cache line, and is copied from part to part of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks(u8);

/// Codepoints of the ECN field (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "no sender understands marks, and no queue sets them yet")]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: the transport does not understand marks.
    NotEct = 0b00,
    /// ECT(1).
    Ect1 = 0b01,
    /// ECT(0).
    Ect0 = 0b10,
    /// CE: a queue has marked it.
    CongestionExperienced = 0b11,
}

impl Marks {
    const PUSH: u8 = 0b100;

    /// With PSH (RFC 9293 section 3.1) when `pushed`: the packet's last segment ends a burst or what the application
    /// wrote.
    #[inline]
    pub const fn new(pushed: bool, ecn: Ecn) -> Self {
        Self(ecn as u8 | if pushed { Self::PUSH } else { 0 })
    }

    /// They differ in more than PSH.
    #[inline]
    pub const fn differ_except_in_push(self, other: Self) -> bool {
        (self.0 ^ other.0) & !Self::PUSH != 0
    }

    /// It carries PSH.
    #[inline]
    pub const fn is_pushed(self) -> bool {
        self.0 & Self::PUSH != 0
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
    /// Ends the connection at once (RFC 9293 section 3.5.2).
    Reset,
    /// Data.
    Data,
    /// Nothing comes behind it (RFC 9293 section 3.6): a segment without data that is numbered, acknowledged and sent again
    /// as data is. One that a segment of data carries leaves no trace.
    Fin,
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
