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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Reader;

    #[test]
    fn what_was_written_is_read_back_up_to_the_snap_length() {
        let folder = std::env::temp_dir().join(format!("dumbbell-capture-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut file = CaptureFile::create(&folder, CapturePoint::Bottleneck, 66).expect("a file");
        let frame: Vec<u8> = (0..100).collect();
        // Times that need more than 32 bits, and lengths of every remainder.
        let written = |number: u64| (number * 3_000_000_001, 60 + number as usize % 9);
        for number in 0..50_000 {
            let (time_ns, bytes) = written(number);
            file.frame(time_ns, 1_514, &frame[..bytes]).expect("room");
        }
        let path = file.finish().expect("room");
        assert_eq!(path, folder.join("bottleneck.pcapng.zst"));
        let mut reader = Reader::new(File::open(&path).expect("the file")).expect("a capture");
        for number in 0..50_000 {
            let (time_ns, bytes) = written(number);
            let read = reader.next_frame().expect("no damage").expect("a frame");
            assert_eq!((read.time_ns, read.wire_bytes, read.link_type), (time_ns as i64, 1_514, 1));
            assert_eq!(read.captured, &frame[..bytes.min(66)]);
        }
        assert!(reader.next_frame().expect("no damage").is_none() && reader.cut().is_none());
        assert_eq!((reader.format(), reader.compression()), ("pcapng", Some("zstd")));
        std::fs::remove_dir_all(folder).expect("it is there");
    }
}
