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
/// A call of the compressor costs as much as some frames.
const BUFFER_BYTES: usize = 1 << 17;

/// A file that is being written. Its only interface has the point's name.
pub struct CaptureFile {
    path: PathBuf,
    writer: Writer<BufWriter<Encoder<'static, File>>>,
}

impl CaptureFile {
    /// Begins `senders.pcapng.zst` or another in a folder that is there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(folder: &Path, point: CapturePoint, snap_bytes: u32) -> io::Result<Self> {
        let path = folder.join(format!("{}{SUFFIX}", point.name()));
        let compressed = Encoder::new(File::create(&path)?, LEVEL)?;
        let out = BufWriter::with_capacity(BUFFER_BYTES, compressed);
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
        self.writer.finish()?.into_inner()?.finish()?.sync_data()?;
        Ok(self.path)
    }
}

impl fmt::Debug for CaptureFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CaptureFile").field("path", &self.path).finish_non_exhaustive()
    }
}
