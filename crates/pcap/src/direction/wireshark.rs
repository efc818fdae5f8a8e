//! Wireshark's `tcp.analysis`, rule by rule as version 4.0 applies them with its default preferences, so that a column
//! named like one of its fields means the same (the User's Guide describes them in its section "TCP Analysis").
//!
//! Its sequence numbers are of 32 bits, and zero often means "none yet"; it is so here, too.

use super::sequence::before;
use super::unacked::Unacked;
use crate::header::{ACK, FIN, RST, SYN, Segment};
use serde::Serialize;

/// What Wireshark says of a packet: a set of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Marks(pub u16);

impl Marks {
    /// `tcp.analysis.retransmission`, and neither of the next two kinds.
    pub const RETRANSMISSION: Self = Self(1);
    /// `tcp.analysis.fast_retransmission`.
    pub const FAST_RETRANSMISSION: Self = Self(1 << 1);
    /// `tcp.analysis.spurious_retransmission`.
    pub const SPURIOUS_RETRANSMISSION: Self = Self(1 << 2);
    /// `tcp.analysis.out_of_order`.
    pub const OUT_OF_ORDER: Self = Self(1 << 3);
    /// `tcp.analysis.lost_segment`: a segment before this one was not captured.
    pub const LOST_SEGMENT: Self = Self(1 << 4);
    /// `tcp.analysis.ack_lost_segment`: it acknowledges what was not captured.
    pub const ACK_LOST_SEGMENT: Self = Self(1 << 5);
    /// `tcp.analysis.keep_alive`.
    pub const KEEP_ALIVE: Self = Self(1 << 6);
    /// `tcp.analysis.keep_alive_ack`.
    pub const KEEP_ALIVE_ACK: Self = Self(1 << 7);
    /// `tcp.analysis.duplicate_ack`.
    pub const DUPLICATE_ACK: Self = Self(1 << 8);
    /// `tcp.analysis.window_update`.
    pub const WINDOW_UPDATE: Self = Self(1 << 9);
    /// `tcp.analysis.window_full`.
    pub const WINDOW_FULL: Self = Self(1 << 10);
    /// `tcp.analysis.zero_window`.
    pub const ZERO_WINDOW: Self = Self(1 << 11);
    /// `tcp.analysis.zero_window_probe`.
    pub const ZERO_WINDOW_PROBE: Self = Self(1 << 12);
    /// `tcp.analysis.zero_window_probe_ack`.
    pub const ZERO_WINDOW_PROBE_ACK: Self = Self(1 << 13);
    /// `tcp.analysis.reused_ports`.
    pub const REUSED_PORTS: Self = Self(1 << 14);

    /// Whether one of the marks of `other` is set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the field `tcp.analysis.retransmission` is there: for each of the three kinds.
    #[inline]
    pub const fn retransmitted(self) -> bool {
        self.0 & (Self::RETRANSMISSION.0 | Self::FAST_RETRANSMISSION.0 | Self::SPURIOUS_RETRANSMISSION.0) != 0
    }

    const fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What Wireshark says of a packet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Finding {
    pub marks: Marks,
    /// `tcp.analysis.duplicate_ack_num`.
    pub duplicate_ack: u32,
    /// `tcp.analysis.ack_rtt`.
    pub ack_rtt_ns: Option<i64>,
    /// `tcp.analysis.bytes_in_flight`.
    pub bytes_in_flight: Option<u32>,
}

/// An out-of-order segment comes within this time, unless the handshake has shown the RTT.
const OUT_OF_ORDER_NS: i64 = 3_000_000;
/// A fast retransmission comes within this time of the last packet of the other direction.
const FAST_NS: i64 = 20_000_000;
/// No more are remembered.
const MOST_UNACKED: usize = 10_000;
const LARGEST_IN_FLIGHT: u32 = 2_000_000_000;
/// Of the SACK option.
const MOST_BLOCKS: usize = 3;

/// Of a connection.
#[derive(Default)]
pub struct Handshake {
    /// Zero is no time.
    syn_ns: i64,
    first_rtt_ns: i64,
}

/// The window's scale as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Unknown,
    NotUsed,
    Shift(u8),
}

/// Of a direction.
pub struct Flow {
    base: Option<u32>,
    next: u32,
    next_ns: i64,
    last_ack: u32,
    last_ns: i64,
    duplicates: i32,
    most_to_ack: u32,
    window: u32,
    scale: Scale,
    first_ack: bool,
    in_flight_valid: bool,
    last_marks: Marks,
    sacked: u32,
    unacked: Unacked,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            base: None,
            next: 0,
            next_ns: 0,
            last_ack: 0,
            last_ns: 0,
            duplicates: 0,
            most_to_ack: 0,
            window: u32::MAX,
            scale: Scale::Unknown,
            first_ack: false,
            in_flight_valid: true,
            last_marks: Marks(0),
            sacked: 0,
            unacked: Unacked::default(),
        }
    }
}

impl Flow {
    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.unacked.memory_bytes()
    }

    /// Whether a SYN with this number begins another connection on the same ports.
    pub fn restarts(&self, seq: u32) -> bool {
        self.base.is_some_and(|base| base != seq)
    }
}

/// Applies the rules to a packet from `fwd`'s sender to `rev`'s. A connection on used ports is marked so.
pub fn analyze(
    handshake: &mut Handshake,
    fwd: &mut Flow,
    rev: &mut Flow,
    packet: &Segment,
    now_ns: i64,
    reused: bool,
) -> Finding {
    let mut finding = Finding::default();
    if reused {
        finding.marks.set(Marks::REUSED_PORTS);
    }
    begin(fwd, rev, packet, &mut finding);
    if packet.has(ACK) {
        rev.in_flight_valid = true;
    }
    acknowledgement(fwd, rev, packet, &mut finding);
    if packet.payload_bytes > 0 || packet.has_any(SYN | FIN) {
        data(handshake, fwd, rev, packet, now_ns, &mut finding);
    }
    remember(fwd, packet, now_ns, &finding);
    finding.ack_rtt_ns = rev.unacked.acknowledge(packet.ack, now_ns);
    in_flight(fwd, rev, packet, &mut finding);
    options(fwd, rev, packet);
    if packet.has(SYN) {
        if !packet.has(ACK) {
            handshake.syn_ns = now_ns;
        }
        fwd.first_ack = true;
    } else if packet.has(ACK) {
        if handshake.syn_ns != 0 && handshake.first_rtt_ns == 0 {
            handshake.first_rtt_ns = now_ns.saturating_sub(handshake.syn_ns);
        }
        fwd.first_ack = false;
    }
    finding
}

fn begin(fwd: &mut Flow, rev: &mut Flow, packet: &Segment, finding: &mut Finding) {
    if packet.has(SYN) && fwd.base.is_some() {
        if !packet.has(ACK) {
            fwd.next = fwd.most_to_ack;
        } else if fwd.base != Some(packet.seq) {
            fwd.base = Some(packet.seq);
            finding.marks.set(Marks::REUSED_PORTS);
        }
    }
    fwd.sacked = 0;
    if fwd.base.is_none() {
        fwd.base = Some(if packet.has(SYN) { packet.seq } else { packet.seq.wrapping_sub(1) });
    }
    if rev.base.is_none() && packet.has(ACK) {
        rev.base = Some(packet.ack.wrapping_sub(1));
    }
}

/// What the packet is as an acknowledgement: everything before the question whether it is a retransmission.
fn acknowledgement(fwd: &mut Flow, rev: &mut Flow, packet: &Segment, finding: &mut Finding) {
    classify(fwd, rev, packet, finding);
    if packet.ack != fwd.last_ack {
        fwd.duplicates = 0;
    }
    if rev.most_to_ack != 0 && before(rev.most_to_ack, packet.ack) && packet.has(ACK) {
        if before(rev.most_to_ack, rev.next) {
            rev.most_to_ack = rev.next;
            finding.marks.set(Marks::ACK_LOST_SEGMENT);
        } else {
            if rev.duplicates == 0 {
                finding.marks.set(Marks::ACK_LOST_SEGMENT);
            }
            rev.duplicates = -1;
        }
    }
}

fn classify(fwd: &mut Flow, rev: &Flow, packet: &Segment, finding: &mut Finding) {
    let (seq, length) = (packet.seq, packet.payload_bytes);
    let window = u32::from(packet.window);
    let plain = !packet.has_any(SYN | FIN | RST);
    if length == 1 && seq == fwd.next && rev.window == 0 {
        return finding.marks.set(Marks::ZERO_WINDOW_PROBE);
    }
    if window == 0 && plain {
        finding.marks.set(Marks::ZERO_WINDOW);
    }
    if fwd.next != 0 && before(fwd.next, seq) && !packet.has(RST) {
        finding.marks.set(Marks::LOST_SEGMENT);
        fwd.in_flight_valid = false;
    }
    if length <= 1 && seq == fwd.next.wrapping_sub(1) && plain {
        finding.marks.set(Marks::KEEP_ALIVE);
    }
    if length > 0 && plain && rev.scale != Scale::Unknown {
        let shift = match rev.scale {
            Scale::Shift(shift) if !rev.first_ack => shift,
            _ => 0,
        };
        let edge = rev.last_ack.wrapping_add(rev.window.wrapping_shl(u32::from(shift)));
        if seq.wrapping_add(length) == edge {
            finding.marks.set(Marks::WINDOW_FULL);
        }
    }
    let repeats = length == 0 && seq == fwd.next && packet.ack == fwd.last_ack && plain;
    if !repeats {
        return;
    }
    if window != 0 && window != fwd.window {
        finding.marks.set(Marks::WINDOW_UPDATE);
    } else if window != 0 {
        if rev.last_marks.has(Marks::KEEP_ALIVE) {
            return finding.marks.set(Marks::KEEP_ALIVE_ACK);
        }
        fwd.duplicates = if fwd.duplicates == -1 { 1 } else { fwd.duplicates + 1 };
        finding.marks.set(Marks::DUPLICATE_ACK);
        finding.duplicate_ack = fwd.duplicates.unsigned_abs();
    } else if window == fwd.window && rev.last_marks.has(Marks::ZERO_WINDOW_PROBE) {
        finding.marks.set(Marks::ZERO_WINDOW_PROBE_ACK);
    }
}

/// Whether data, a SYN or a FIN is sent again or overtaken.
fn data(handshake: &Handshake, fwd: &Flow, rev: &Flow, packet: &Segment, now_ns: i64, finding: &mut Finding) {
    if finding.marks.has(Marks::KEEP_ALIVE) {
        return;
    }
    let (seq, length) = (packet.seq, packet.payload_bytes);
    let mut behind = fwd.next != 0 && before(seq, fwd.next);
    if length > 1 && fwd.next.wrapping_sub(1) == seq {
        behind = false;
    }
    let end = seq.wrapping_add(length);
    if length > 0 && rev.last_ack != 0 && !before(rev.last_ack, end) {
        return finding.marks.set(Marks::SPURIOUS_RETRANSMISSION);
    }
    if !behind {
        return;
    }
    if rev.duplicates >= 2 && rev.last_ack == seq && within(now_ns, rev.last_ns, FAST_NS) {
        return finding.marks.set(Marks::FAST_RETRANSMISSION);
    }
    let limit = if handshake.first_rtt_ns == 0 { OUT_OF_ORDER_NS } else { handshake.first_rtt_ns };
    let end = end.wrapping_add(u32::from(packet.has_any(SYN | FIN)));
    if within(now_ns, fwd.next_ns, limit) && fwd.next != end {
        return finding.marks.set(Marks::OUT_OF_ORDER);
    }
    finding.marks.set(Marks::RETRANSMISSION);
}

/// The difference is one of unsigned numbers there: a time that runs backwards is a long one.
fn within(now_ns: i64, earlier_ns: i64, limit_ns: i64) -> bool {
    (now_ns.wrapping_sub(earlier_ns) as u64) < limit_ns as u64
}

fn remember(fwd: &mut Flow, packet: &Segment, now_ns: i64, finding: &Finding) {
    let mut next = packet.seq.wrapping_add(packet.payload_bytes);
    if (packet.payload_bytes > 0 || packet.has_any(SYN | FIN)) && fwd.unacked.len() < MOST_UNACKED {
        next = next.wrapping_add(u32::from(packet.has_any(SYN | FIN)));
        fwd.unacked.push(packet.seq, next, now_ns);
    }
    let probe = finding.marks.has(Marks::ZERO_WINDOW_PROBE);
    if !probe && (before(fwd.next, next) || fwd.next == 0) {
        fwd.next = next;
        fwd.next_ns = now_ns;
    }
    if !probe && (packet.seq == fwd.most_to_ack || fwd.most_to_ack == 0) {
        fwd.most_to_ack = fwd.next;
    }
    fwd.window = u32::from(packet.window);
    fwd.last_ack = packet.ack;
    fwd.last_ns = now_ns;
    fwd.last_marks = finding.marks;
}

fn in_flight(fwd: &Flow, rev: &Flow, packet: &Segment, finding: &mut Finding) {
    if packet.payload_bytes == 0 || !fwd.in_flight_valid {
        return;
    }
    let Some((first, end)) = fwd.unacked.extent(fwd.base.unwrap_or(0)) else { return };
    let bytes = end.wrapping_sub(first).wrapping_sub(rev.sacked);
    if bytes > 0 && bytes < LARGEST_IN_FLIGHT {
        let bytes = bytes - u32::from(packet.has_any(SYN | FIN));
        finding.bytes_in_flight = (bytes > 0).then_some(bytes);
    }
}

fn options(fwd: &mut Flow, rev: &mut Flow, packet: &Segment) {
    let blocks = packet.options.sack().iter().take(MOST_BLOCKS);
    fwd.sacked = blocks.fold(0, |sum, block| sum.wrapping_add(block.end.wrapping_sub(block.start)));
    if let Some(shift) = packet.options.window_scale {
        fwd.scale = Scale::Shift(shift);
    }
    if packet.has(SYN) {
        if fwd.scale == Scale::Unknown {
            fwd.scale = Scale::NotUsed;
            rev.scale = Scale::NotUsed;
        } else if packet.has(ACK) && rev.scale == Scale::NotUsed {
            fwd.scale = Scale::NotUsed;
        }
    }
}
