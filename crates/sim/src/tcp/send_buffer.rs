//! [`SendBuffer`]: how much a socket takes of what its application writes.

use run::SocketMemory;

/// `tcp_wmem[1]`: the buffer that a connection begins with.
const FIRST_BYTES: u64 = 16_384;
/// `tcp_wmem[2]` by default.
const DEFAULT_LIMIT_BYTES: u64 = 4 << 20;

/// How much a socket takes.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    /// `None`: everything.
    pub(super) limit_bytes: Option<u64>,
    /// `sk_sndbuf`: grows with the window.
    pub(super) bytes: u64,
    /// The application waits for room (`SOCK_NOSPACE`).
    pub(super) is_full: bool,
    /// What was written up to the last push (`pushed_seq`).
    pub(super) pushed_bytes: u64,
}

impl SendBuffer {
    /// A connection's at its beginning.
    pub fn new(memory: SocketMemory) -> Self {
        let limit_bytes = match memory {
            SocketMemory::Max => None,
            SocketMemory::Default => Some(DEFAULT_LIMIT_BYTES),
            SocketMemory::Bytes(bytes) => Some(bytes),
        };
        let bytes = limit_bytes.map_or(0, |limit| limit.min(FIRST_BYTES));
        Self { limit_bytes, bytes, is_full: false, pushed_bytes: 0 }
    }

    /// The application waits for room.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }
}
