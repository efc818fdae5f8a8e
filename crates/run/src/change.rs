//! [`Change`]: what becomes of a line at an instant.

use crate::buffer::Buffer;
use serde::{Deserialize, Serialize};

/// From `at_ns` on, a line is another one. What is None stays as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When; at 0 before anything is sent.
    pub at_ns: u64,
    /// The new rate; 0: nothing leaves until there is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// A delay one way behind the line, in addition to all others. Who comes after such a change may overtake who came before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ns: Option<u64>,
    /// Probability of random loss, in parts per billion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_ppb: Option<u32>,
    /// Room of the queue. What waits stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
}

impl Change {
    /// One of nothing yet.
    pub fn at(at_ns: u64) -> Self {
        Self { at_ns, ..Self::default() }
    }

    /// Another rate.
    pub fn of_rate(at_ns: u64, rate_bps: u64) -> Self {
        Self { rate_bps: Some(rate_bps), ..Self::at(at_ns) }
    }
}
