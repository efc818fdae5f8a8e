//! A window of bounded size over a stream of bytes.

use std::io::{self, ErrorKind, Read};

/// Read at a time: few calls for a file, little delay for a pipe.
const CHUNK: usize = 256 * 1024;

/// Bytes of a stream, of which a reader looks at as many as it needs, and takes them.
pub struct Buffer {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    ended: bool,
    cut_inside: bool,
}

impl Buffer {
    pub fn new(source: Box<dyn Read + Send>) -> Self {
        Self { source, bytes: vec![0; CHUNK], start: 0, end: 0, offset: 0, ended: false, cut_inside: false }
    }

    /// Where in the (uncompressed) stream the bytes begin that are not yet taken.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the compressed stream broke off.
    pub const fn compression_cut(&self) -> bool {
        self.cut_inside
    }

    /// Bytes that are there and not yet taken.
    pub const fn available(&self) -> usize {
        self.end - self.start
    }

    /// Whether `wanted` bytes are there, after reading as far as that takes.
    #[inline]
    pub fn has(&mut self, wanted: usize) -> io::Result<bool> {
        if self.end - self.start >= wanted { Ok(true) } else { self.read_until(wanted) }
    }

    #[cold]
    fn read_until(&mut self, wanted: usize) -> io::Result<bool> {
        if self.bytes.len() - self.start < wanted.max(CHUNK / 2) {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        while !self.ended && self.end - self.start < wanted {
            // Not at once as large as a length says, which may be wrong.
            if self.end == self.bytes.len() {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A decoder says so when its input ends before the stream does.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    self.ended = true;
                    self.cut_inside = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.start >= wanted)
    }

    /// The bytes that are there.
    #[inline]
    pub fn peek(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Takes bytes that are there; [`Self::taken`] gives them until the next read.
    #[inline]
    pub fn take(&mut self, count: usize) {
        debug_assert!(count <= self.available());
        self.start += count;
        self.offset += count as u64;
    }

    /// The last `count` bytes taken, but for the last `behind` of them.
    #[inline]
    pub fn taken(&self, count: usize, behind: usize) -> &[u8] {
        &self.bytes[self.start - behind - count..self.start - behind]
    }
}
