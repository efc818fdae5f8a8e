//! pcap: a header, then records (the Internet-Draft `draft-ietf-opsawg-pcap`).

use super::buffer::Buffer;
use super::order::Order;
use super::{Cut, FileError, MOST_BLOCK_BYTES, Record, cut, damaged, has};

const HEADER_BYTES: usize = 24;
const RECORD_BYTES: usize = 16;
/// Of a header that Alexey Kuznetsov's patch of libpcap wrote: an interface and a protocol more.
const PATCHED_RECORD_BYTES: usize = 24;
const NANOS: i64 = 1_000_000_000;

pub struct Classic {
    order: Order,
    tick_ns: i64,
    record_bytes: usize,
    link_type: u32,
    /// Files of before version 2.3 have the two lengths the other way round, and 2.3 had both ways.
    swapped: bool,
}

impl Classic {
    /// By the first four bytes.
    pub fn new(magic: [u8; 4]) -> Option<Self> {
        let (order, magic) = match magic[0] {
            0xa1 => (Order::Big, u32::from_be_bytes(magic)),
            _ => (Order::Little, u32::from_le_bytes(magic)),
        };
        let (tick_ns, record_bytes) = match magic {
            0xa1b2_c3d4 => (1_000, RECORD_BYTES),
            0xa1b2_3c4d => (1, RECORD_BYTES),
            0xa1b2_cd34 => (1_000, PATCHED_RECORD_BYTES),
            _ => return None,
        };
        Some(Self { order, tick_ns, record_bytes, link_type: 0, swapped: false })
    }

    pub fn read_header(&mut self, buffer: &mut Buffer) -> Result<Option<Cut>, FileError> {
        if !has(buffer, HEADER_BYTES)? {
            return Ok(Some(cut(buffer, "the file's header", Some(HEADER_BYTES))));
        }
        let header = buffer.peek();
        let (major, minor) = (self.order.u16(&header[4..]), self.order.u16(&header[6..]));
        if major != 2 {
            return Err(damaged(buffer, format!("version {major}.{minor} of pcap is unknown; 2.4 is usual")));
        }
        self.swapped = minor <= 3;
        // The upper bits say how long the frames' check sequences are.
        self.link_type = self.order.u32(&header[20..]) & 0x03ff_ffff;
        buffer.take(HEADER_BYTES);
        Ok(None)
    }

    #[inline]
    pub fn next(&self, buffer: &mut Buffer, broken: &mut Option<Cut>) -> Result<Option<Record>, FileError> {
        if !has(buffer, self.record_bytes)? {
            if buffer.available() > 0 {
                *broken = Some(cut(buffer, "a packet's record header", Some(self.record_bytes)));
            }
            return Ok(None);
        }
        let header = buffer.peek();
        let [seconds, fraction, mut captured, mut wire] = [0, 4, 8, 12].map(|at| self.order.u32(&header[at..]));
        if self.swapped && captured > wire {
            std::mem::swap(&mut captured, &mut wire);
        }
        if captured as usize > MOST_BLOCK_BYTES {
            return Err(damaged(buffer, format!("a record of {captured} bytes; the limit is {MOST_BLOCK_BYTES}")));
        }
        let total = self.record_bytes + captured as usize;
        if !has(buffer, total)? {
            *broken = Some(cut(buffer, "a packet's record", Some(total)));
            return Ok(None);
        }
        buffer.take(total);
        Ok(Some(Record {
            time_ns: Some(i64::from(seconds) * NANOS + i64::from(fraction) * self.tick_ns),
            interface: 0,
            link_type: self.link_type,
            captured_bytes: captured as usize,
            behind: 0,
            wire_bytes: wire.max(captured),
        }))
    }
}
