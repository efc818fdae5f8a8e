//! pcapng: sections of blocks (the Internet-Draft `draft-ietf-opsawg-pcapng`). Comments and names are passed over.

use super::buffer::Buffer;
use super::order::Order;
use super::{Cut, FileError, MOST_BLOCK_BYTES, Record, cut, damaged, has};

/// The type of a section header block, which is the same in both byte orders.
pub const MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Type, length, and the length again.
const LEAST_BLOCK: usize = 12;
const MOST_INTERFACES: usize = 1 << 16;

const OPTION_RESOLUTION: u16 = 9;
const OPTION_OFFSET: u16 = 14;
const NANOS: i128 = 1_000_000_000;

#[derive(Clone, Copy)]
struct Interface {
    link_type: u32,
    snap_bytes: u32,
    /// A tick is `ns / ticks` nanoseconds.
    ns: i128,
    ticks: i128,
    offset_s: i64,
}

pub struct NextGeneration {
    order: Order,
    /// Of the present section.
    interfaces: Vec<Interface>,
    /// Of the sections before.
    earlier: u32,
}

/// A block whose body is in the buffer, not yet taken.
struct Block {
    kind: u32,
    length: usize,
}

impl NextGeneration {
    pub fn new() -> Self {
        Self { order: Order::Little, interfaces: Vec::new(), earlier: 0 }
    }

    #[inline]
    pub fn next(&mut self, buffer: &mut Buffer, broken: &mut Option<Cut>) -> Result<Option<Record>, FileError> {
        while let Some(block) = self.block(buffer, broken)? {
            let record = match block.kind {
                PACKET => Some(self.packet(buffer, &block, false)?),
                OLD_PACKET => Some(self.packet(buffer, &block, true)?),
                SIMPLE_PACKET => Some(self.simple_packet(buffer, &block)?),
                INTERFACE => {
                    let interface = self.interface(buffer, &block)?;
                    self.interfaces.push(interface);
                    None
                }
                SECTION => {
                    self.earlier = self.earlier.saturating_add(self.interfaces.len() as u32);
                    self.interfaces.clear();
                    None
                }
                _ => None,
            };
            buffer.take(block.length);
            if record.is_some() {
                return Ok(record);
            }
        }
        Ok(None)
    }

    /// Sees to it that the next block is in the buffer.
    #[inline]
    fn block(&mut self, buffer: &mut Buffer, broken: &mut Option<Cut>) -> Result<Option<Block>, FileError> {
        if !has(buffer, LEAST_BLOCK)? {
            if buffer.available() > 0 {
                *broken = Some(cut(buffer, "a block's header", Some(LEAST_BLOCK)));
            }
            return Ok(None);
        }
        let header = buffer.peek();
        if header[..4] == MAGIC {
            self.order = if Order::Little.u32(&header[8..]) == BYTE_ORDER {
                Order::Little
            } else if Order::Big.u32(&header[8..]) == BYTE_ORDER {
                Order::Big
            } else {
                return Err(damaged(buffer, "a section header without the byte order 1a 2b 3c 4d"));
            };
        }
        let kind = self.order.u32(header);
        let length = self.order.u32(&header[4..]) as usize;
        if length < LEAST_BLOCK || !length.is_multiple_of(4) {
            return Err(damaged(buffer, format!("a block of {length} bytes; a block has 12 or a multiple of 4")));
        }
        if length > MOST_BLOCK_BYTES {
            return Err(damaged(buffer, format!("a block of {length} bytes; the limit is {MOST_BLOCK_BYTES}")));
        }
        if !has(buffer, length)? {
            *broken = Some(cut(buffer, "a block", Some(length)));
            return Ok(None);
        }
        let again = self.order.u32(&buffer.peek()[length - 4..]) as usize;
        if again != length {
            return Err(damaged(buffer, format!("a block of {length} bytes whose end says {again}")));
        }
        Ok(Some(Block { kind, length }))
    }

    fn interface(&self, buffer: &Buffer, block: &Block) -> Result<Interface, FileError> {
        if block.length < 20 {
            return Err(damaged(buffer, "an interface description of less than 20 bytes"));
        }
        if self.interfaces.len() >= MOST_INTERFACES {
            return Err(damaged(buffer, format!("more than {MOST_INTERFACES} interfaces")));
        }
        let body = &buffer.peek()[8..block.length - 4];
        let order = self.order;
        let mut interface = Interface {
            link_type: u32::from(order.u16(body)),
            snap_bytes: order.u32(&body[4..]),
            ns: NANOS,
            ticks: 1_000_000,
            offset_s: 0,
        };
        let mut options = &body[8..];
        while options.len() >= 4 {
            let (code, length) = (order.u16(options), order.u16(&options[2..]) as usize);
            let Some(value) = options.get(4..4 + length) else { break };
            match (code, length) {
                (0, _) => break,
                (OPTION_RESOLUTION, 1..) => interface.ticks = ticks_a_second(value[0]),
                (OPTION_OFFSET, 8..) => interface.offset_s = order.i64(value),
                _ => {}
            }
            options = options.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        }
        if interface.ticks == 0 {
            return Err(damaged(buffer, "an interface whose clock ticks more often than 2^63 times a second"));
        }
        if NANOS % interface.ticks == 0 {
            (interface.ns, interface.ticks) = (NANOS / interface.ticks, 1);
        }
        Ok(interface)
    }

    /// An enhanced packet block, or its forerunner, which has a smaller number of the interface and a count of drops.
    #[inline]
    fn packet(&self, buffer: &Buffer, block: &Block, old: bool) -> Result<Record, FileError> {
        if block.length < 32 {
            return Err(damaged(buffer, "a packet block of less than 32 bytes"));
        }
        let header = buffer.peek();
        let order = self.order;
        let id = if old { u32::from(order.u16(&header[8..])) } else { order.u32(&header[8..]) };
        let Some(interface) = self.interfaces.get(id as usize) else {
            return Err(damaged(buffer, format!("a packet of interface {id}, which the section does not describe")));
        };
        let [high, low, captured, wire] = [12, 16, 20, 24].map(|at| order.u32(&header[at..]));
        let captured_bytes = captured as usize;
        if captured_bytes > block.length - 32 {
            return Err(damaged(
                buffer,
                format!("a packet of {captured} bytes in a block of {length}", length = block.length),
            ));
        }
        Ok(Record {
            time_ns: Some(interface.time_ns(u64::from(high) << 32 | u64::from(low))),
            interface: self.earlier.saturating_add(id),
            link_type: interface.link_type,
            captured_bytes,
            behind: block.length - 28 - captured_bytes,
            wire_bytes: wire.max(captured),
        })
    }

    /// A packet without a time, of the first interface.
    fn simple_packet(&self, buffer: &Buffer, block: &Block) -> Result<Record, FileError> {
        if block.length < 16 {
            return Err(damaged(buffer, "a simple packet block of less than 16 bytes"));
        }
        let Some(interface) = self.interfaces.first() else {
            return Err(damaged(buffer, "a simple packet block before any interface"));
        };
        let wire_bytes = self.order.u32(&buffer.peek()[8..]);
        let snapped = if interface.snap_bytes == 0 { u32::MAX } else { interface.snap_bytes };
        let captured_bytes = (block.length - 16).min(wire_bytes.min(snapped) as usize);
        Ok(Record {
            time_ns: None,
            interface: self.earlier,
            link_type: interface.link_type,
            captured_bytes,
            behind: block.length - 12 - captured_bytes,
            wire_bytes,
        })
    }
}

impl Interface {
    #[inline]
    fn time_ns(&self, ticks: u64) -> i64 {
        if self.ticks == 1 && self.offset_s == 0 {
            let ns = (ticks as u128).saturating_mul(self.ns as u128);
            return i64::try_from(ns).unwrap_or(i64::MAX);
        }
        let ns = i128::from(ticks) * self.ns / self.ticks + i128::from(self.offset_s) * NANOS;
        i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
    }
}

/// `if_tsresol`: a negative power of 10, or of 2 when the highest bit is set. Zero when there are too many.
fn ticks_a_second(resolution: u8) -> i128 {
    let power = u32::from(resolution & 0x7f);
    let base: i128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(power).filter(|ticks| *ticks <= i128::from(i64::MAX)).unwrap_or(0)
}
