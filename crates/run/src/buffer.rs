//! [`Buffer`]: the room of a queue.

use serde::{Deserialize, Serialize};

/// What a queue counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Buffer {
    /// At most this many bytes of frames.
    Bytes(u64),
    /// At most this many frames of any size.
    Packets(u64),
}
