//! [`Hop`]: a queue before a line of its own, as packets meet it on their way; and what a flow's route is.

use crate::buffer::Buffer;
use crate::change::Change;
use crate::default::is_default;
use crate::impairment::{Impairments, Police};
use crate::queue_discipline::QueueDiscipline;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Ethernet's header: what every link of a host charges a frame beyond its IP packet.
pub const ETHERNET_HEADER_BYTES: u32 = 14;

/// A queue, the line that empties it, and the delay behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Unique within the path; it names the hop's random streams.
    pub name: String,
    /// Rate of the line, charged on frames: IP packet and overhead.
    pub rate_bps: u64,
    /// Room of the queue before it.
    pub buffer: Buffer,
    /// How that is managed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qdisc: QueueDiscipline,
    /// One-way propagation delay behind it, to the next hop or the end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay_ns: u64,
    /// What line and queue count a frame beyond its IP packet.
    #[serde(default = "ethernet", skip_serializing_if = "is_ethernet")]
    pub overhead_bytes: u32,
    /// Depth of the token bucket, as [`Path::burst_bytes`].
    pub burst_bytes: u64,
    /// How the token bucket reckons.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shaper: ShaperKind,
    /// Probability that a packet with data, or an ACK, is lost at random, in parts per billion; from the end of its
    /// flow's handshake on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub loss_ppb: u32,
    /// On which side of the queue.
    #[serde(default = "before", skip_serializing_if = "is_before")]
    pub loss_at: LossAt,
    /// What a policer has beyond that.
    #[serde(default, skip_serializing_if = "is_default")]
    pub police: Police,
    /// What its line does to packets beside taking its time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub impairments: Impairments,
    /// Changes in time, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The line as it was recorded, in place of its rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// As the path is written: from its first hop to its last.
    #[default]
    Down,
    /// On the way back.
    Up,
}

/// The hops that a flow's packets pass, where these are not all of a direction: the places of the first and the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Of its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<(usize, usize)>,
    /// Of its ACKs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acks: Option<(usize, usize)>,
}

const fn before() -> LossAt {
    LossAt::Before
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_before(at: &LossAt) -> bool {
    *at == before()
}

impl Hop {
    /// What it counts a frame beyond what a host's link does.
    pub const fn extra_bytes(&self) -> i32 {
        self.overhead_bytes as i32 - ETHERNET_HEADER_BYTES as i32
    }

    /// Its rate, and that after each of its changes.
    pub fn rates_bps(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.rate_bps).chain(self.changes_in_time().iter().filter_map(|change| change.rate_bps))
    }

    /// Its changes: those that it has, or those of its trace.
    pub fn changes_in_time(&self) -> &[Change] {
        changes_of(&self.changes, self.trace.as_ref())
    }
}

/// The changes of a line with these and this trace.
pub fn changes_of<'line>(changes: &'line [Change], trace: Option<&'line Trace>) -> &'line [Change] {
    match trace {
        Some(Trace::Changes(recorded)) => recorded,
        _ => changes,
    }
}

impl Direction {
    /// Both, that of the path first.
    pub const BOTH: [Self; 2] = [Self::Down, Self::Up];

    /// The other one.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }
}

/// How a token bucket reckons, by the name of Linux's queueing discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShaperKind {
    /// A frame leaves when the tokens suffice for it.
    #[default]
    Tbf,
    /// A frame leaves when the bucket owes nothing, and may leave it owing.
    Htb,
    /// A frame that comes passes if the tokens suffice for it, else it is dropped: there is no queue.
    Police,
}

/// The side of the queue on which random loss acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossAt {
    /// Lost packets never reach the queue.
    Before,
    /// Lost packets have used the bottleneck.
    After,
}

/// Of a field that earlier runs do not have: a run that has its default is what it was before there was the field.
pub(crate) const fn ethernet() -> u32 {
    ETHERNET_HEADER_BYTES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
pub(crate) const fn is_ethernet(bytes: &u32) -> bool {
    *bytes == ethernet()
}
