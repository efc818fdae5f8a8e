//! [`CaptureFile`]: the capture of a run at one point of its path, a compressed pcapng.

use crate::file::Writer;
use run::CapturePoint;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use zstd::Encoder;

/// Behind the point's name.
pub const SUFFIX: &str = ".pcapng.zst";
/// Fast, and a tenth of the size.
const LEVEL: i32 = 1;
/// How far back the compressor looks: each page that it touches costs a guest as much as some dozens of frames.
const WINDOW_LOG: u32 = 16;
/// A call of the compressor costs as much as a frame.
const PLAIN_BYTES: usize = 1 << 14;
/// One of the kernel costs a guest as much as some dozens.
const COMPRESSED_BYTES: usize = 1 << 16;

/// A file that is being written. Its only interface has the point's name.
pub struct CaptureFile {
    path: PathBuf,
    writer: Writer<BufWriter<Encoder<'static, BufWriter<File>>>>,
}

impl CaptureFile {
    /// Begins `senders.pcapng.zst` or another in a folder that is there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(folder: &Path, point: CapturePoint, snap_bytes: u32) -> io::Result<Self> {
        let path = folder.join(format!("{}{SUFFIX}", point.name()));
        let mut compressed = Encoder::new(BufWriter::with_capacity(COMPRESSED_BYTES, File::create(&path)?), LEVEL)?;
        compressed.window_log(WINDOW_LOG)?;
        let out = BufWriter::with_capacity(PLAIN_BYTES, compressed);
        Ok(Self { path, writer: Writer::new(out, point.name(), snap_bytes)? })
    }

    /// The most of a frame that it has.
    pub const fn snap_bytes(&self) -> u32 {
        self.writer.snap_bytes()
    }

    /// Writes a frame, as [`Writer::frame`].
    ///
    /// # Errors
    /// It cannot be written.
    pub fn frame(&mut self, time_ns: u64, wire_bytes: u32, captured: &[u8]) -> io::Result<()> {
        self.writer.frame(time_ns, wire_bytes, captured)
    }

    /// Ends it, and gives its name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> io::Result<PathBuf> {
        self.writer.finish()?.into_inner()?.finish()?.into_inner()?.sync_data()?;
        Ok(self.path)
    }
}

impl fmt::Debug for CaptureFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CaptureFile").field("path", &self.path).finish_non_exhaustive()
    }
}
