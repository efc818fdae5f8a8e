//! A sending host: what its packets go through before the path, and how a run's hosts do that.

use super::fair_queue::FairQueue;
use crate::index::HopId;

/// A sending host, of one flow of the run, or of all connections of a source.
///
/// Its packets pass in this order: its own queue and its own device, which TCP's small queues see; its
/// [jitter](super::jitter), which they do not see; the first hop of their route.
#[derive(Debug, Default)]
pub struct Host {
    /// Its own queue.
    pub fair_queue: Option<Box<FairQueue>>,
    /// Its own line.
    pub device: Option<HopId>,
}

/// The way out of a run's hosts: what is the first that their packets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The first hop.
    Direct,
    /// Their timing noise.
    Jitter,
    /// Devices of some hosts, then as in the two cases before.
    Device,
    /// Their own queues, then as in the three cases before.
    FairQueue,
}

impl Edge {
    /// Of hosts with these things.
    pub fn of(hosts: &[Host], jitter: bool) -> Self {
        if hosts.iter().any(|host| host.fair_queue.is_some()) {
            Self::FairQueue
        } else if hosts.iter().any(|host| host.device.is_some()) {
            Self::Device
        } else if jitter {
            Self::Jitter
        } else {
            Self::Direct
        }
    }
}
