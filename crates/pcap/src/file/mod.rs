//! Captures as a stream of frames: pcap and pcapng, plain or compressed, from a file or a pipe.

mod buffer;
mod classic;
mod error;
mod next_generation;
mod order;
mod source;
mod writer;

use buffer::Buffer;
use classic::Classic;
use next_generation::NextGeneration;
use std::io::{self, Read};

pub use error::{Cut, FileError};
pub use writer::Writer;

/// The largest record or block that is read.
pub const MOST_BLOCK_BYTES: usize = 16 << 20;

/// One captured frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Which frame of the file, from 1 on, as Wireshark counts.
    pub number: u64,
    /// When it was captured, nanoseconds since 1970. A frame without a time has that of the one before it.
    pub time_ns: i64,
    /// Which interface of the file, from 0 on; those of later sections follow those of earlier ones.
    pub interface: u32,
    /// The kind of its first header: a `LINKTYPE_` number.
    pub link_type: u32,
    /// What was captured of it.
    pub captured: &'a [u8],
    /// How long it was on the wire, bytes.
    pub wire_bytes: u32,
}

/// Where a format's reader found a frame: the bytes are the last that were taken, but for `behind`.
struct Record {
    time_ns: Option<i64>,
    interface: u32,
    link_type: u32,
    captured_bytes: usize,
    behind: usize,
    wire_bytes: u32,
}

enum Format {
    Classic(Classic),
    NextGeneration(NextGeneration),
}

/// Reads frames one after the other, in memory that does not grow.
pub struct Reader {
    buffer: Buffer,
    format: Format,
    compression: Option<&'static str>,
    frames: u64,
    untimed: u64,
    last_ns: i64,
    cut: Option<Cut>,
    ended: bool,
}

impl Reader {
    /// Begins to read a stream, whose format its first bytes tell.
    ///
    /// # Errors
    ///
    /// When the stream is no capture or cannot be read.
    pub fn new(read: impl Read + Send + 'static) -> Result<Self, FileError> {
        let (source, compression) = source::decompressed(read).map_err(|error| FileError::Read { offset: 0, error })?;
        let mut buffer = Buffer::new(source);
        if !has(&mut buffer, 4)? {
            return Err(if buffer.available() == 0 { FileError::Empty } else { unknown(&buffer) });
        }
        let magic = order::array(buffer.peek());
        let mut cut = None;
        let format = if magic == next_generation::MAGIC {
            Format::NextGeneration(NextGeneration::new())
        } else if let Some(classic) = Classic::new(magic) {
            let mut classic = classic;
            cut = classic.read_header(&mut buffer)?;
            Format::Classic(classic)
        } else {
            return Err(unknown(&buffer));
        };
        let ended = cut.is_some();
        Ok(Self { buffer, format, compression, frames: 0, untimed: 0, last_ns: 0, cut, ended })
    }

    /// The next frame; none when the stream ends, or where it is cut.
    ///
    /// # Errors
    ///
    /// When the stream is damaged there or cannot be read. Nothing more comes after it.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FileError> {
        if self.ended {
            return Ok(None);
        }
        let record = match &mut self.format {
            Format::Classic(classic) => classic.next(&mut self.buffer, &mut self.cut),
            Format::NextGeneration(sections) => sections.next(&mut self.buffer, &mut self.cut),
        };
        let Ok(Some(record)) = record else {
            self.ended = true;
            if self.cut.is_none() && self.buffer.compression_cut() {
                self.cut = Some(cut(&self.buffer, "the compressed stream", None));
            }
            return record.map(|_| None);
        };
        self.frames += 1;
        match record.time_ns {
            Some(time_ns) => self.last_ns = time_ns,
            None => self.untimed += 1,
        }
        Ok(Some(Frame {
            number: self.frames,
            time_ns: self.last_ns,
            interface: record.interface,
            link_type: record.link_type,
            captured: self.buffer.taken(record.captured_bytes, record.behind),
            wire_bytes: record.wire_bytes,
        }))
    }

    /// Where the stream breaks off, once all complete frames were read.
    pub const fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// How many frames had no time: those of simple packet blocks.
    pub const fn untimed_frames(&self) -> u64 {
        self.untimed
    }

    /// The compression, `gzip` or `zstd`.
    pub const fn compression(&self) -> Option<&'static str> {
        self.compression
    }

    /// The file's format, `pcap` or `pcapng`.
    pub const fn format(&self) -> &'static str {
        match self.format {
            Format::Classic(_) => "pcap",
            Format::NextGeneration(_) => "pcapng",
        }
    }
}

fn has(buffer: &mut Buffer, wanted: usize) -> Result<bool, FileError> {
    buffer.has(wanted).map_err(|error: io::Error| FileError::Read { offset: buffer.offset(), error })
}

/// The note for a stream that ends in `what`, which begins where nothing is taken yet.
fn cut(buffer: &Buffer, what: &'static str, expected: Option<usize>) -> Cut {
    Cut {
        offset_bytes: buffer.offset(),
        what,
        present_bytes: buffer.available() as u64,
        expected_bytes: expected.map(|bytes| bytes as u64),
        compressed: buffer.compression_cut(),
    }
}

fn damaged(buffer: &Buffer, what: impl Into<String>) -> FileError {
    FileError::Damaged { offset: buffer.offset(), what: what.into() }
}

fn unknown(buffer: &Buffer) -> FileError {
    let head: Vec<_> = buffer.peek().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    FileError::Unknown { head: head.join(" ") }
}
