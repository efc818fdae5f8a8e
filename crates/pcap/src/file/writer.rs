//! Writing pcapng (draft-ietf-opsawg-pcapng): one section with one interface, of Ethernet, whose times are nanoseconds.

use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const ETHERNET: u16 = 1;
const NAME: u16 = 2;
const USER_APPLICATION: u16 = 4;
const TIME_RESOLUTION: u16 = 9;
/// A packet's block but for what was captured of it.
const FRAME_BYTES: usize = 32;
/// Times are multiples of ten to the minus this.
const NANOSECONDS: u8 = 9;

/// Writes frames into a file.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    block: Vec<u8>,
    snap_bytes: u32,
}

impl<W: Write> Writer<W> {
    /// Begins a file with an interface of this name, of whose frames it has so many bytes each.
    ///
    /// # Errors
    /// Nothing can be written.
    pub fn new(out: W, interface: &str, snap_bytes: u32) -> io::Result<Self> {
        let mut writer = Self { out, block: Vec::new(), snap_bytes };
        writer.begin(SECTION_HEADER);
        writer.block.extend(BYTE_ORDER.to_le_bytes());
        writer.block.extend(1_u16.to_le_bytes()); // version 1.0
        writer.block.extend(0_u16.to_le_bytes());
        writer.block.extend(u64::MAX.to_le_bytes()); // of a length that is not known yet
        writer.option(USER_APPLICATION, b"dumbbell");
        writer.end_options();
        writer.end()?;
        writer.begin(INTERFACE);
        writer.block.extend(ETHERNET.to_le_bytes());
        writer.block.extend(0_u16.to_le_bytes());
        writer.block.extend(snap_bytes.to_le_bytes());
        writer.option(NAME, interface.as_bytes());
        writer.option(TIME_RESOLUTION, &[NANOSECONDS]);
        writer.end_options();
        writer.end()?;
        Ok(writer)
    }

    /// The most of a frame that the file has.
    pub const fn snap_bytes(&self) -> u32 {
        self.snap_bytes
    }

    /// Writes a frame of `wire_bytes`, of which `captured` is the beginning, or more of it than the file is to have.
    ///
    /// # Errors
    /// Nothing can be written.
    pub fn frame(&mut self, time_ns: u64, wire_bytes: u32, captured: &[u8]) -> io::Result<()> {
        let captured = &captured[..captured.len().min(self.snap_bytes as usize)];
        let padding = captured.len().next_multiple_of(4) - captured.len();
        let length = (FRAME_BYTES + captured.len() + padding) as u32;
        let (later, sooner) = ((time_ns >> 32) as u32, time_ns as u32);
        let interface = 0;
        let head = [ENHANCED_PACKET, length, interface, later, sooner, captured.len() as u32, wire_bytes];
        self.block.clear();
        self.block.extend_from_slice(head.map(u32::to_le_bytes).as_flattened());
        self.block.extend_from_slice(captured);
        self.block.extend_from_slice(&[0; 3][..padding]);
        self.block.extend_from_slice(&length.to_le_bytes());
        self.out.write_all(&self.block)
    }

    /// Ends the file, and gives what it was written into.
    ///
    /// # Errors
    /// Nothing can be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend(0_u32.to_le_bytes()); // its length, once it is known
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn end_options(&mut self) {
        self.block.extend(0_u32.to_le_bytes());
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend(length);
        self.out.write_all(&self.block)
    }
}
