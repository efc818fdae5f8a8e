//! What goes to a sink, packets in batches.

use crate::sink::{BinCounts, BinRow, PacketRow, Side, Sink, Spurious};

/// Rows of a batch, which fit a processor's second-level cache.
const BATCH: usize = 1024;

/// The way to a sink.
pub struct Output<'a, S> {
    sink: &'a mut S,
    rows: Vec<PacketRow>,
    wants_packets: bool,
    most_outstanding: usize,
}

impl<'a, S: Sink> Output<'a, S> {
    pub fn new(sink: &'a mut S, most_outstanding: usize) -> Self {
        let wants_packets = sink.wants_packets();
        let rows = Vec::with_capacity(if wants_packets { BATCH } else { 0 });
        Self { sink, rows, wants_packets, most_outstanding }
    }

    #[inline]
    pub const fn wants_packets(&self) -> bool {
        self.wants_packets
    }

    pub fn wants_more(&self) -> bool {
        self.sink.wants_more()
    }

    /// How many segments of a direction may be outstanding.
    #[inline]
    pub const fn most_outstanding(&self) -> usize {
        self.most_outstanding
    }

    #[inline]
    pub fn packet(&mut self, row: PacketRow) {
        self.rows.push(row);
        if self.rows.len() == BATCH {
            self.flush();
        }
    }

    pub fn bin(&mut self, connection: u64, sender: Side, bin: u64, counts: BinCounts) {
        self.sink.bin(&BinRow { connection, sender, bin, counts });
    }

    pub fn spurious(&mut self, spurious: &Spurious) {
        self.sink.spurious(spurious);
    }

    /// Hands over the rows of packets that wait, and gives the sink.
    pub fn flush(&mut self) -> &mut S {
        if !self.rows.is_empty() {
            self.sink.packets(&self.rows);
            self.rows.clear();
        }
        self.sink
    }
}
