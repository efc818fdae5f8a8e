//! [`QueueLog`]: what became of each frame at the bottleneck's queue, for a page that plays it.

use serde::{Deserialize, Serialize};

/// What happens to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEvent {
    /// It begins to wait.
    Came,
    /// It leaves for the line.
    Left,
    /// It is dropped as it comes.
    Refused,
    /// It waited, and is dropped.
    Dropped,
    /// It waits, and is marked.
    Marked,
}

/// Events in order of time, as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLog {
    /// When.
    pub at_ns: Vec<u64>,
    /// What, in the order of [`QueueEvent`].
    pub event: Vec<u8>,
    /// Whose frame, by the run's flows.
    pub flow: Vec<u32>,
    /// Its number among those of its flow and way, which one that is sent again shares.
    pub seq: Vec<u32>,
    /// It is an ACK.
    pub is_ack: Vec<bool>,
    /// Segments of it on the line.
    pub packets: Vec<u32>,
    /// The discipline's own queue that it is in: by its hash, or of DualPI2 1 where it is scalable.
    pub queue: Vec<u32>,
    /// That queue is among those that have just begun (RFC 8290 section 4.1).
    pub is_new: Vec<bool>,
}
