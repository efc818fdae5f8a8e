//! What a packet is known by at the other place: numbers that nothing on the way changes.

use crate::header::{ACK, FIN, RST, SYN, Segment};

/// A segment as it is on the wire: one that was captured before it was cut up is several.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// What it is known by.
    pub fingerprint: u64,
    /// IPv4's identification, which counts on from segment to segment.
    pub ip_id: Option<u16>,
    /// Bytes of data.
    pub payload_bytes: u32,
}

/// The segments that a captured one is on the wire, if none has more than `most` bytes of data.
///
/// `connection` is one number for a direction of a connection. A receive window may be that of any of joined segments,
/// and ECN's bits change on the way: neither counts.
pub fn pieces(connection: u64, segment: &Segment, most: u32, bare: bool) -> impl Iterator<Item = Piece> {
    let count = segment.payload_bytes.div_ceil(most.max(1)).max(1);
    let options = &segment.options;
    let stamps = options.timestamps.filter(|_| !bare);
    let ack = if segment.has(ACK) { segment.ack } else { 0 };
    let mut common = fold(connection ^ 0xa076_1d64_78bd_642f, u64::from(ack) ^ 0xe703_7ed1_a0b4_28db);
    if let Some((value, echo)) = stamps {
        common = fold(common, u64::from(value) << 32 | u64::from(echo) ^ 0x8ebc_6af0_9c88_c6e3);
    }
    if segment.payload_bytes == 0 {
        common = fold(common, u64::from(segment.window) ^ 0x5899_65cc_7537_4cc3);
        for block in options.sack().iter().filter(|_| !bare) {
            common = fold(common, u64::from(block.start) << 32 | u64::from(block.end) ^ 0x1d8e_4e27_c47d_124f);
        }
    }
    let (seq, payload, flags, ip_id) = (segment.seq, segment.payload_bytes, segment.flags, segment.ip_id);
    (0..count).map(move |number| {
        let payload_bytes = if number + 1 < count { most } else { payload - number * most };
        // A segment that was cut up has FIN at its end, and SYN at its beginning.
        let flags = match (number, number + 1 == count) {
            (0, true) => flags & (SYN | FIN | RST),
            (0, false) => flags & SYN,
            (_, true) => flags & (FIN | RST),
            _ => 0,
        };
        let at = u64::from(seq.wrapping_add(number * most)) << 32 | u64::from(payload_bytes);
        Piece {
            fingerprint: fold(common ^ u64::from(flags), at ^ 0xeb44_acca_b455_d165),
            ip_id: ip_id.map(|id| id.wrapping_add(number as u16)),
            payload_bytes,
        }
    })
}

fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}
