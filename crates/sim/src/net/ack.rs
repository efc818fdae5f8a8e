//! [`Ack`], what a receiver tells its sender, and how it travels: as a [`Packet`], whose SACK blocks, which few ACKs have,
//! lie in a pool of [`Reports`].

use super::packet::{Marks, Packet, PacketKind, ReportId};
use crate::index::FlowId;
use crate::serial::nearest;
use run::FRAME_HEADERS_BYTES;
use units::{list_place, low_bits};

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
        [low_bits(self.start), low_bits(self.end)]
    }
}

/// Most SACK blocks that fit beside timestamps (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 3;
/// What the option takes beyond its blocks, aligned to a word (RFC 2018 section 3), and each block.
const SACK_BYTES: u32 = 4;
const BLOCK_BYTES: u32 = 8;
/// A SYN's answer: Ethernet 14, IP 20, TCP 20, options 20 bytes (MSS, SACK permitted, timestamps, window scale).
const SYN_ACK_FRAME_BYTES: u32 = 74;

/// An ACK has no count of marked bytes; one has 24 bits.
pub const NO_OPTION: u32 = u32::MAX;
/// AccECN's option with its three counts, aligned, and with two, where there is no room for more.
const OPTION_BYTES: u32 = 12;
const SHORT_OPTION_BYTES: u32 = 8;

/// What a receiver tells its sender.
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
    /// What its headers say of ECN (RFC 3168 section 6.1, RFC 9768 section 3).
    pub marks: Marks,
    /// AccECN's option (RFC 9768 section 3.2.3): payload bytes that have come with CE, its low bits; [`NO_OPTION`]: there is none.
    pub marked_bytes: u32,
    /// SACK blocks, [packed](SackBlock::packed), the most recent first.
    pub blocks: [[u32; 2]; MAX_SACK_BLOCKS],
}

impl Ack {
    /// Its SACK blocks, of which `block_count` are used.
    pub fn sack_blocks(&self) -> [SackBlock; MAX_SACK_BLOCKS] {
        self.blocks.map(|[start, end]| SackBlock { start: nearest(start, self.una), end: nearest(end, self.una) })
    }

    /// Its size on a host's link.
    const fn frame_bytes(&self) -> u32 {
        let blocks_bytes = match (self.syn, self.block_count) {
            (true, _) => return SYN_ACK_FRAME_BYTES,
            (false, 0) => 0,
            (false, count) => SACK_BYTES + BLOCK_BYTES * count as u32,
        };
        let option_bytes = match (self.marked_bytes, self.block_count) {
            (NO_OPTION, _) => 0,
            (_, 0 | 1) => OPTION_BYTES,
            _ => SHORT_OPTION_BYTES,
        };
        FRAME_HEADERS_BYTES + blocks_bytes + option_bytes
    }
}

/// What few ACKs carry, SACK blocks and AccECN's option, that are under way.
#[derive(Debug, Default)]
pub struct Reports {
    pool: Vec<Report>,
    /// Places that are free, the one that became so last at the end: it is in the caches.
    free: Vec<u32>,
}

/// The SACK blocks of an ACK, and its option of AccECN.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// [Packed](SackBlock::packed).
    pub blocks: [[u32; 2]; MAX_SACK_BLOCKS],
    /// How many are used.
    pub block_count: u8,
    /// The first reports a duplicate.
    pub duplicate: bool,
    /// AccECN's option.
    pub marked_bytes: u32,
}

impl Report {
    /// Those that are used, packed.
    pub fn sack_blocks(&self) -> impl Iterator<Item = [u32; 2]> {
        self.blocks.into_iter().take(self.block_count.into())
    }
}

impl Reports {
    /// The packet that carries an ACK.
    #[inline]
    pub fn pack(&mut self, ack: &Ack) -> Packet {
        let report = if ack.block_count > 0 || ack.marked_bytes != NO_OPTION { self.keep(ack) } else { ReportId::NONE };
        Packet {
            seq: low_bits(ack.una),
            end_bytes: low_bits(ack.window_edge_bytes),
            flow: ack.flow,
            frame_bytes: ack.frame_bytes(),
            stamp_ms: ack.stamp_ms,
            echo_ms: ack.echo_ms,
            report,
            segments: 0,
            kind: if ack.syn { PacketKind::SynAck } else { PacketKind::Ack },
            marks: ack.marks,
        }
    }

    #[inline]
    fn keep(&mut self, ack: &Ack) -> ReportId {
        let &Ack { blocks, block_count, duplicate, marked_bytes, .. } = ack;
        self.store(Report { blocks, block_count, duplicate, marked_bytes })
    }

    #[inline]
    fn store(&mut self, report: Report) -> ReportId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.pool.push(report);
            list_place(self.pool.len()) - 1
        });
        self.pool[index as usize] = report;
        ReportId(index)
    }

    /// The ACK that a packet carries, which ends here: its numbers are near to what its sender has.
    #[inline]
    pub fn unpack(&mut self, packet: &Packet, una: u64, edge_bytes: u64) -> Ack {
        let mut ack = Ack {
            una: nearest(packet.seq, una),
            window_edge_bytes: nearest(packet.end_bytes, edge_bytes),
            flow: packet.flow,
            stamp_ms: packet.stamp_ms,
            echo_ms: packet.echo_ms,
            block_count: 0,
            duplicate: false,
            syn: packet.kind == PacketKind::SynAck,
            marks: packet.marks,
            marked_bytes: NO_OPTION,
            blocks: Default::default(),
        };
        if packet.report != ReportId::NONE {
            let report = self.pool[packet.report.0 as usize];
            (ack.blocks, ack.block_count, ack.duplicate) = (report.blocks, report.block_count, report.duplicate);
            ack.marked_bytes = report.marked_bytes;
            self.drop(packet);
        }
        ack
    }

    /// The SACK blocks of a packet, if it has any.
    pub fn of(&self, packet: &Packet) -> Option<&Report> {
        (packet.report != ReportId::NONE).then(|| &self.pool[packet.report.0 as usize])
    }

    /// The same packet once more.
    pub fn copy(&mut self, packet: &Packet) -> Packet {
        let report = self.of(packet).copied();
        Packet { report: report.map_or(ReportId::NONE, |report| self.store(report)), ..*packet }
    }

    /// How many ACKs with SACK blocks are under way.
    pub const fn count(&self) -> usize {
        self.pool.len() - self.free.len()
    }

    /// A packet is no more.
    #[inline]
    pub fn drop(&mut self, packet: &Packet) {
        if packet.report != ReportId::NONE {
            self.free.push(packet.report.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Ecn;

    fn ack(una: u64, blocks: &[SackBlock]) -> Ack {
        let mut ack = Ack {
            una,
            window_edge_bytes: (7 << 32) + 5,
            flow: FlowId::new(3),
            stamp_ms: 10,
            echo_ms: 20,
            block_count: u8::try_from(blocks.len()).expect("three at most"),
            duplicate: blocks.len() == 2,
            syn: false,
            marks: Marks::new(false, Ecn::NotEct).echoing(blocks.len() == 1),
            marked_bytes: NO_OPTION,
            blocks: Default::default(),
        };
        for (slot, block) in ack.blocks.iter_mut().zip(blocks) {
            *slot = block.packed();
        }
        ack
    }

    #[test]
    fn an_ack_arrives_as_it_was_sent_and_its_blocks_lie_somewhere_meanwhile() {
        let edge = 7_u64 << 32;
        let blocks = [SackBlock { start: edge + 2, end: edge + 4 }, SackBlock { start: edge - 1, end: edge }];
        let mut reports = Reports::default();
        for round in 0..3 {
            let sent = [ack(edge - 2, &[]), ack(edge - 1, &blocks[..1]), ack(edge, &blocks)];
            let packets = sent.map(|ack| reports.pack(&ack));
            assert_eq!(packets.map(|packet| packet.frame_bytes), [66, 78, 86]);
            for (packet, ack) in packets.iter().zip(&sent) {
                assert_eq!(reports.unpack(packet, edge + 9, edge - 1_000), *ack, "round {round}");
            }
            assert_eq!((reports.pool.len(), reports.free.len()), (2, 2), "places are used again");
        }
        let counting = [&[], &blocks[..1], &blocks[..]].map(|blocks| Ack { marked_bytes: 7, ..ack(edge, blocks) });
        let packets = counting.map(|ack| reports.pack(&ack));
        assert_eq!(packets.map(|packet| packet.frame_bytes), [78, 90, 94], "with AccECN's option");
        assert_eq!(packets.map(|packet| reports.unpack(&packet, edge, edge)), counting);
        let lost = reports.pack(&ack(edge, &blocks));
        reports.drop(&lost);
        assert_eq!(reports.free.len(), 3);
        let answer = reports.pack(&Ack { syn: true, ..ack(0, &[]) });
        assert_eq!((answer.kind, answer.frame_bytes), (PacketKind::SynAck, 74));
    }
}
