//! Why a file cannot be read further, and what a cut file lacks.

use serde::Serialize;

/// Why a stream is no capture, or ceases to be one.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It begins as no capture does.
    #[error(
        "no capture: the stream begins with the bytes {head}; a pcap file begins with d4 c3 b2 a1 (or its like), a \
         pcapng file with 0a 0d 0d 0a"
    )]
    Unknown {
        /// The first bytes, in hexadecimal.
        head: String,
    },
    /// It is empty.
    #[error("no capture: the stream is empty")]
    Empty,
    /// It began as a capture, and something in it contradicts itself.
    #[error("the capture is damaged at byte {offset}: {what}")]
    Damaged {
        /// Where in the uncompressed stream, bytes.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// The stream could not be read.
    #[error("the capture cannot be read at byte {offset}: {error}")]
    Read {
        /// Where in the uncompressed stream, bytes.
        offset: u64,
        /// What the system or the decoder says.
        error: std::io::Error,
    },
}

/// Where a capture breaks off: all frames before it are complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Where the incomplete part begins in the uncompressed stream, bytes.
    pub offset_bytes: u64,
    /// What is incomplete.
    pub what: &'static str,
    /// How many bytes of it are there.
    pub present_bytes: u64,
    /// How many it should have, where that is known.
    pub expected_bytes: Option<u64>,
    /// Whether the compressed stream itself breaks off.
    pub compressed: bool,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the capture ends inside {} at byte {}: {} bytes", self.what, self.offset_bytes, self.present_bytes)?;
        if let Some(expected) = self.expected_bytes {
            write!(f, " of {expected}")?;
        }
        write!(f, " are there")?;
        if self.compressed {
            write!(f, "; the compressed stream breaks off")?;
        }
        Ok(())
    }
}
