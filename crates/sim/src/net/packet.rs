//! [`Packet`]: what travels, data and ACKs alike.

use crate::index::FlowId;
use run::FRAME_HEADERS_BYTES;
use std::hint::cold_path;

/// A frame on its way: one segment, or with offloads a burst of consecutive ones, to the receiver; or an ACK to the sender.
/// 32 bytes, half a cache line: it is copied from part to part of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Index of its first segment; of an ACK, of the next one that is expected; a datagram's number. Segments are numbered as they are first
    /// sent; their boundaries never change. The low bits.
    pub seq: u32,
    /// Payload bytes of the connection up to and including its last segment; of an ACK, the right edge of the window. The low
    /// bits.
    pub end_bytes: u32,
    /// The connection.
    pub flow: FlowId,
    /// Its size: Ethernet's header included, and in a link its overhead in the place of that.
    pub frame_bytes: u32,
    /// Timestamp value (RFC 7323), ms of its sender's clock.
    pub stamp_ms: u32,
    /// Timestamp echo, ms of its receiver's clock.
    pub echo_ms: u32,
    /// An ACK's SACK blocks.
    pub report: ReportId,
    /// Number of segments; 0 for a segment without data, and for a datagram.
    pub segments: u16,
    /// What it is.
    pub kind: PacketKind,
    /// Single bits of its headers.
    pub marks: Marks,
}

impl Default for Packet {
    /// Room for one.
    #[inline]
    fn default() -> Self {
        Self {
            seq: 0,
            end_bytes: 0,
            flow: FlowId::new(0),
            frame_bytes: 0,
            stamp_ms: 0,
            echo_ms: 0,
            report: ReportId::NONE,
            segments: 0,
            kind: PacketKind::Bare,
            marks: Marks::new(false, Ecn::NotEct),
        }
    }
}

const _: () = assert!(size_of::<Packet>() == 32, "half a cache line");

impl Packet {
    /// Its number, of a connection that has not sent 2^32 segments.
    #[cfg(test)]
    pub fn number(&self) -> u64 {
        u64::from(self.seq)
    }

    /// What it carries of the connection's data.
    #[inline]
    pub const fn payload_bytes(&self) -> u32 {
        self.frame_bytes - FRAME_HEADERS_BYTES * self.segments as u32
    }

    /// The same packet where each of its frames counts so much more, or less.
    #[inline]
    #[must_use]
    pub const fn longer(mut self, frame_by_bytes: i32) -> Self {
        self.lengthen(frame_by_bytes);
        self
    }

    /// Each of its frames counts so much more, or less, from now on.
    #[inline(always)]
    pub const fn lengthen(&mut self, frame_by_bytes: i32) {
        if frame_by_bytes != 0 {
            cold_path();
            let frames = if self.segments == 0 { 1 } else { self.segments as i32 };
            self.frame_bytes = self.frame_bytes.strict_add_signed(frame_by_bytes * frames);
        }
    }

    /// A super-packet becomes its first segment, and gives the rest of it. All segments but the last have `mss_bytes`, and CWR
    /// is on the first one only (Linux 6.1 `tcp_gso_segment`).
    pub fn split(&mut self, mss_bytes: u32) -> Option<Self> {
        if self.segments <= 1 {
            return None;
        }
        let first_bytes = mss_bytes + FRAME_HEADERS_BYTES;
        let rest = Self {
            seq: self.seq.wrapping_add(1),
            frame_bytes: self.frame_bytes - first_bytes,
            segments: self.segments - 1,
            marks: self.marks.behind(),
            ..*self
        };
        self.end_bytes = self.end_bytes.wrapping_sub(rest.payload_bytes());
        (self.frame_bytes, self.segments, self.marks) = (first_bytes, 1, self.marks.ahead());
        Some(rest)
    }

    /// Frames that it counts for: a super-packet counts each of its segments.
    #[inline]
    pub fn wire_segments(&self) -> u64 {
        u64::from(self.segments.max(1))
    }
}

/// Where an ACK's SACK blocks lie, if it has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportId(pub(super) u32);

impl ReportId {
    /// There are none.
    pub const NONE: Self = Self(u32::MAX);
}

/// What a packet's headers say in single bits: TCP's PSH, AE, CWR and ECE, and IP's ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks(u8);

/// Codepoints of the ECN field (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    const ECN: u8 = 0b11;
    const PUSH: u8 = 0b100;
    const ECHO: u8 = 0b1000;
    const REDUCED: u8 = 0b1_0000;
    /// AE, CWR and ECE side by side are the ACE field (RFC 9768 section 3.2.2), which begins here.
    const ACE_SHIFT: u32 = 3;
    const ACE: u8 = 0b111 << Self::ACE_SHIFT;
    /// They count marks, and say nothing of their own.
    const COUNTS: u8 = 0b100_0000;
    /// No bit of a header: what the checksum says.
    const DAMAGED: u8 = 0b1000_0000;

    /// With PSH (RFC 9293 section 3.1) when `pushed`: the packet's last segment ends a burst or what the application
    /// wrote.
    #[inline]
    pub const fn new(pushed: bool, ecn: Ecn) -> Self {
        Self(ecn as u8 | if pushed { Self::PUSH } else { 0 })
    }

    /// The same with ECE (RFC 3168 section 6.1) when `echoes`.
    #[inline]
    #[must_use]
    pub const fn echoing(self, echoes: bool) -> Self {
        Self(self.0 | if echoes { Self::ECHO } else { 0 })
    }

    /// The same with CWR (RFC 3168 section 6.1) when `reduced`.
    #[inline]
    #[must_use]
    pub const fn reducing(self, reduced: bool) -> Self {
        Self(self.0 | if reduced { Self::REDUCED } else { 0 })
    }

    /// The same with PSH when `pushed`.
    #[inline]
    #[must_use]
    pub const fn pushing(self, pushed: bool) -> Self {
        Self(self.0 | if pushed { Self::PUSH } else { 0 })
    }

    /// The same with the three bits of the ACE field.
    #[inline]
    #[must_use]
    pub const fn with_ace(self, ace: u8) -> Self {
        Self(self.0 & !Self::ACE | (ace << Self::ACE_SHIFT) & Self::ACE)
    }

    /// The same where the ACE field is the low bits of a count of marked packets.
    #[inline]
    #[must_use]
    pub const fn counting(self, marked: u32) -> Self {
        Self(self.with_ace((marked & 0b111) as u8).0 | Self::COUNTS)
    }

    /// The same with CE.
    #[inline]
    #[must_use]
    pub const fn congested(self) -> Self {
        Self(self.0 | Ecn::CongestionExperienced as u8)
    }

    /// A segment with these may be merged behind one with `earlier` ones: they differ in PSH only, and in that the earlier
    /// one may have CWR (Linux 6.1 `tcp_gro_receive`).
    #[inline]
    pub const fn may_follow(self, earlier: Self) -> bool {
        let once = if earlier.counts() { 0 } else { Self::REDUCED };
        (self.0 ^ earlier.0 & !once) & !Self::PUSH == 0
    }

    /// Those of a packet with these behind which one with `later` ones was merged.
    #[inline]
    #[must_use]
    pub const fn merged(self, later: Self) -> Self {
        Self(self.0 | later.0 & Self::PUSH)
    }

    /// Those of segments of a super-packet with these that are not the first.
    const fn behind(self) -> Self {
        Self(if self.counts() { self.0 } else { self.0 & !Self::REDUCED })
    }

    /// Those of its segments that are not the last.
    const fn ahead(self) -> Self {
        Self(self.0 & !Self::PUSH)
    }

    /// The same of a packet whose checksum is wrong from now on.
    #[must_use]
    pub const fn damaged(self) -> Self {
        Self(self.0 | Self::DAMAGED)
    }

    /// Its checksum is wrong: hosts discard it.
    pub const fn is_damaged(self) -> bool {
        self.0 & Self::DAMAGED != 0
    }

    /// IP's ECN field.
    #[inline]
    pub const fn ecn(self) -> u8 {
        self.0 & Self::ECN
    }

    /// CE: a queue has marked it.
    #[inline]
    pub const fn is_congested(self) -> bool {
        self.ecn() == Ecn::CongestionExperienced as u8
    }

    /// Its ACE field: AE, CWR and ECE.
    #[inline]
    pub const fn ace(self) -> u8 {
        (self.0 & Self::ACE) >> Self::ACE_SHIFT
    }

    /// AE, CWR and ECE are a count (RFC 9768 section 3.2.2).
    #[inline]
    pub const fn counts(self) -> bool {
        self.0 & Self::COUNTS != 0
    }

    /// It carries ECE: its sender has seen CE.
    #[inline]
    pub const fn echoes(self) -> bool {
        self.0 & Self::ECHO != 0
    }

    /// It carries CWR: its sender has reduced its window. Of a super-packet the first segment does.
    #[inline]
    pub const fn is_reduced(self) -> bool {
        self.0 & Self::REDUCED != 0
    }

    /// It carries PSH.
    #[inline]
    pub const fn is_pushed(self) -> bool {
        self.0 & Self::PUSH != 0
    }
}

/// Kinds of packets, those that go to the sender at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A datagram, of no connection, that is not sent back.
    Datagram,
    /// A ping: a datagram that is answered.
    Ping,
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
    /// Acknowledges a SYN.
    SynAck,
    /// Acknowledges data.
    Ack,
    /// The same, with data of the receiver's: a request.
    Request,
    /// Answers a ping, or reports what has come of media.
    Pong,
}

impl PacketKind {
    /// It goes to the sender.
    #[inline]
    pub const fn is_ack(self) -> bool {
        self as u8 >= Self::SynAck as u8
    }

    /// It is of no connection.
    #[inline]
    pub const fn is_datagram(self) -> bool {
        matches!(self, Self::Datagram | Self::Ping | Self::Pong)
    }

    /// Random loss acts on it once the handshake is over.
    #[inline]
    pub const fn is_lossy(self) -> bool {
        matches!(self, Self::Data | Self::Ack | Self::Request | Self::Datagram | Self::Ping | Self::Pong)
    }
}
