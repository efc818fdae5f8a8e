//! [`SendBuffer`]: how much a socket takes of what its application writes.

use run::SocketMemory;

/// `tcp_wmem[1]`: the buffer that a connection begins with.
const FIRST_BYTES: u64 = 16_384;
/// `tcp_wmem[2]` by default.
const DEFAULT_LIMIT_BYTES: u64 = 4 << 20;

/// How much a socket takes.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    /// `tcp_wmem[2]`: how far it may grow.
    pub(super) limit_bytes: u64,
    /// `sk_sndbuf`: grows with the window.
    pub(super) bytes: u64,
    /// It takes everything: where memory has no limit, its first buffer alone is of a size that matters.
    pub(super) takes_all: bool,
    /// The application waits for room (`SOCK_NOSPACE`).
    pub(super) is_full: bool,
    /// What was written up to the last push (`pushed_seq`).
    pub(super) pushed_bytes: u64,
}

impl SendBuffer {
    /// A connection's at its beginning; `first_bytes`: where memory has no limit.
    pub fn new(memory: SocketMemory, first_bytes: u64) -> Self {
        let (limit_bytes, first_bytes) = match memory {
            SocketMemory::Max => (u64::MAX, first_bytes),
            SocketMemory::Default => (DEFAULT_LIMIT_BYTES, FIRST_BYTES),
            SocketMemory::Bytes(bytes) => (bytes, FIRST_BYTES),
        };
        let bytes = limit_bytes.min(first_bytes);
        Self { limit_bytes, bytes, takes_all: false, is_full: false, pushed_bytes: 0 }
    }

    /// The application waits for room.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }
}
