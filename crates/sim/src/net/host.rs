//! A sending host: what its packets go through before the path that all share.

use super::fair_queue::FairQueue;
use crate::index::HopId;

/// A sending host, of one flow of the run, or of all connections of a source.
///
/// Its packets pass in this order: its own queue and its own device, which TCP's small queues see; its
/// [jitter](super::jitter), which they do not see; the line of a router behind it.
#[derive(Debug, Default)]
pub struct Host {
    /// Its own queue.
    pub fair_queue: Option<Box<FairQueue>>,
    /// Its own line.
    pub device: Option<HopId>,
    /// The line of a router of its own.
    pub router: Option<HopId>,
}
