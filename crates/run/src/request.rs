//! [`Run`]: one point of an experiment with one seed, resolved to integers.

use crate::buffer::Buffer;
use crate::capture_point::CapturePoints;
use crate::change::Change;
use crate::default::is_default;
use crate::hop::{Direction, Hop, LossAt, Route, ShaperKind, ethernet, is_ethernet};
use crate::impairment::{Impairments, Police};
use crate::queue_discipline::QueueDiscipline;
use crate::sizes::Sizes;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One simulation or measurement: a path, its flows, and what to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Seed of every random stream of the run.
    pub seed: u64,
    /// When the run ends; with `until_done` the latest moment that it may.
    pub duration_ns: u64,
    /// End as soon as every finite transfer is complete.
    pub until_done: bool,
    /// The bottleneck and its delays.
    pub path: Path,
    /// Every flow, in the order of the spec; start times include the seed's jitter.
    pub flows: Vec<Flow>,
    /// The end hosts.
    pub host: Host,
    /// What to record.
    pub measure: Measure,
}

/// What lies between all senders and all receivers: one bottleneck, or where there are `hops` these in a row.
///
/// The fields of a queue and its line (`rate_bps`, `overhead_bytes`, `buffer`, `qdisc`, `burst_bytes`, `shaper`, `loss_ppb`,
/// `loss_at`, `police`, `impairments`, `changes`, `trace`) are those of the bottleneck, also where it stands in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Rate of the bottleneck, charged on frames: IP packet and overhead.
    pub rate_bps: u64,
    /// What the bottleneck's line and queue count a frame beyond its IP packet, as `tc`'s `stab overhead` has it. Lines of
    /// hosts count Ethernet's header.
    #[serde(default = "ethernet", skip_serializing_if = "is_ethernet")]
    pub overhead_bytes: u32,
    /// Room of the queue before the bottleneck.
    pub buffer: Buffer,
    /// How that is managed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qdisc: QueueDiscipline,
    /// Depth of the token bucket. One frame or less: a plain line that takes size/rate a frame, unless the
    /// bucket may owe.
    pub burst_bytes: u64,
    /// How the token bucket reckons.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shaper: ShaperKind,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shaper_at: ShaperAt,
    /// Timing noise of the sending hosts: each burst that a host hands over leaves it later by a time drawn uniformly
    /// below this, and never before the burst ahead of it. Behind the host's own queue (`fq`, a device), before a
    /// router's line and the bottleneck. `None`: the machine's own noise, which only a live engine has.
    pub jitter_ns: Option<u64>,
    /// Probability that a data packet is lost at random, in parts per billion; from the end of a flow's handshake on.
    pub loss_ppb: u32,
    /// Where that happens.
    pub loss_at: LossAt,
    /// Largest IP packet. MSS = MTU - 52: 20 bytes IP, 20 TCP, 12 timestamps.
    pub mtu_bytes: u32,
    /// True: TSO super-packets reach the bottleneck whole.
    pub offload: bool,
    /// What a policer has beyond rate and burst.
    #[serde(default, skip_serializing_if = "is_default")]
    pub police: Police,
    /// What the line does to packets beside taking its time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub impairments: Impairments,
    /// Changes in time, in order.
    pub changes: Vec<Change>,
    /// The line as it was recorded, in place of its rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Queues in a row, in the order in which data meets them; empty: the bottleneck alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// Which of these is the bottleneck.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bottleneck: usize,
    /// Queues on the way back, in the order in which ACKs meet them; empty: delay alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<Hop>,
}

/// Where the bottleneck's shaper and its queue stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShaperAt {
    /// At a router's egress.
    #[default]
    Router,
    /// At the receivers' ingress: all that comes in passes them (`ifb`), and no line is behind them.
    Receiver,
}

/// One TCP connection and what it carries; with [`Workload::Arrivals`] a source of many short ones, with [`Workload::Pages`] all
/// those of a client; with [`Workload::Ping`] and datagrams no connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique name, e.g. `bbr`, `bbr-2`: it names the flow's random streams.
    pub name: String,
    /// The congestion control; none: the workload is no TCP connection's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cc: Option<AlgorithmChoice>,
    /// When it calls connect(); of a source the instant that its arrivals count from.
    pub start_ns: u64,
    /// When it stops sending, if before the run's end. Of a source nothing arrives from then on, and each of its open
    /// connections stops.
    pub stop_ns: Option<u64>,
    /// What it sends.
    pub workload: Workload,
    /// One-way propagation delay of its data, those of its hops among it: what these leave over lies behind the last one.
    pub forward_delay_ns: u64,
    /// The same of its ACKs.
    pub return_delay_ns: u64,
    /// Its own line before the bottleneck, if any.
    pub access: Option<Access>,
    /// Where its data goes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub direction: Direction,
    /// The hops that its packets pass, if not all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub route: Route,
    /// What both of its hosts make of ECN. Of an algorithm that needs it they use it in any case.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ecn: Ecn,
}

/// Explicit congestion notification, as both hosts of a flow have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// None.
    #[default]
    Off,
    /// RFC 3168: the receiver echoes a mark until the sender has answered it.
    Classic,
    /// RFC 9768 (AccECN): the receiver counts marks for the sender.
    Accurate,
}

/// An algorithm and its parameters, the variant's and the inline ones together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlgorithmChoice {
    /// Name of the algorithm as the registry has it.
    pub algorithm: String,
    /// Parameters that differ from the algorithm's defaults.
    pub parameters: BTreeMap<String, f64>,
}

/// A sender's own line before the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Its rate.
    pub rate_bps: u64,
    /// Room of its drop-tail queue.
    pub buffer: Buffer,
    /// Whose line it is.
    pub kind: AccessKind,
}

/// Whose line an access line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// The sender's own device: TCP's small queues hold the sender back, and it sees at once what the queue drops.
    Device,
    /// A router's behind the sender, whose queue fills.
    Router,
}

/// A token bucket hardly deeper than a frame loses what it earns while it waits for a step of its host's clock. So much
/// time's worth is room enough.
const BUCKET_LATENESS_NS: u64 = 2_000;

impl Access {
    /// Depth of the token bucket that shapes the line, the same on every engine: one frame and what the rate carries in
    /// two microseconds; with offloads the bottleneck's, since a bucket cuts super-packets larger than its depth.
    pub fn burst_bytes(&self, path: &Path) -> u64 {
        let least = path.ethernet_frame_bytes() + self.rate_bps.div_ceil(8 * 1_000_000_000 / BUCKET_LATENESS_NS);
        if path.offload { path.burst_bytes.max(least) } else { least }
    }
}

/// What the application writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Workload {
    /// As much as TCP takes, until the flow stops.
    Bulk,
    /// This many bytes, then close.
    Transfer {
        /// Payload of the transfer.
        bytes: u64,
    },
    /// Writes of one size at a steady pace.
    Stream {
        /// Application rate of the stream.
        rate_bps: u64,
        /// How long it lasts.
        for_ns: u64,
        /// Time between two writes.
        every_ns: u64,
    },
    /// Writes as listed.
    Trace {
        /// The writes in order of time, relative to the flow's start.
        writes: Vec<Write>,
    },
    /// Short transfers, each on a connection of its own that is opened when it arrives and closed when it is complete:
    /// the flow is their source. What is measured of it is said at [`crate::FlowMeasurement`].
    Arrivals {
        /// The transfers in order of time, before the flow's stop.
        arrivals: Vec<Arrival>,
    },
    /// A client at the receiver, which loads one page after the other from the sender: the flow is all of its connections, which
    /// it opens at the flow's start and reuses. See [`crate::Pages`].
    Pages {
        /// So many. Each has one request outstanding.
        connections: u32,
        /// Of a page.
        objects: u64,
        /// How large these are.
        sizes: Sizes,
        /// Payload of each request, one segment.
        request_bytes: u32,
        /// The time between a page and the next.
        think: Think,
    },
    /// A program of the user's own in place of sender and receiver. It is complete when it ends by itself with status 0.
    /// What stands in its words for an address or a number, [`crate::Places`] fills in.
    Command {
        /// What is started at the sender when the flow starts, word by word, the program's name first.
        command: Vec<String>,
        /// What is started at the receiver before the run begins; empty: nothing is.
        server: Vec<String>,
        /// Who both run as, where an engine gives programs a choice.
        #[serde(default, skip_serializing_if = "is_default")]
        user: User,
    },
    /// UDP datagrams at even intervals, each of which the receiver sends back as it is.
    Ping {
        /// Time between two of them; the first is sent when the flow starts.
        every_ns: u64,
        /// Payload of each, to which come [`crate::UDP_HEADERS_BYTES`].
        bytes: u64,
    },
    /// UDP datagrams of one size that nothing answers: the application sends on whatever becomes of them.
    Datagrams {
        /// Payload a second while it is on, as `iperf3 -u -b` counts.
        rate_bps: u64,
        /// Payload of each, to which come [`crate::UDP_HEADERS_BYTES`].
        bytes: u64,
        /// The time between two of them.
        spacing: Spacing,
        /// It sends for so long, from the flow's start on; 0: always.
        on_ns: u64,
        /// And then is silent for so long, and so on.
        off_ns: u64,
    },
    /// Likewise, each when and as large as it is listed.
    DatagramTrace {
        /// The datagrams in order of time, relative to the flow's start.
        datagrams: Vec<Write>,
    },
    /// Live video over UDP that adapts its rate to the path: [`crate::Media`].
    Media {
        /// The least rate that the encoder gives.
        least_bps: u64,
        /// The most.
        most_bps: u64,
        /// Frames a second, in the mean.
        frames: u32,
        /// A frame that is not complete at the receiver so long after its capture is late.
        deadline_ns: u64,
    },
}

/// How datagrams of a rate follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// At even intervals.
    Even,
    /// By chance, with gaps that are exponentially distributed: a Poisson process.
    Poisson,
}

/// How long a client waits between a page that is loaded and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// So many nanoseconds.
    Fixed(u64),
    /// By chance, exponentially distributed with this mean, ns.
    Exponential(u64),
}

/// Who a program runs as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum User {
    /// The user who calls; who became root by `sudo` is still that user.
    #[default]
    Caller,
    /// Root.
    Root,
}

impl User {
    /// It is the one who calls, as of all programs before there was a choice.
    pub const fn is_caller(&self) -> bool {
        matches!(self, Self::Caller)
    }
}

/// One write of a traced application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// After the flow's start.
    pub at_ns: u64,
    /// How much.
    pub bytes: u64,
}

/// One short transfer of a source. In JSON a pair, `[at_ns, bytes]`: a run has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Arrival {
    /// When its connection calls connect(), after the flow's start.
    pub at_ns: u64,
    /// Payload of the transfer; at least 1.
    pub bytes: u64,
}

impl From<(u64, u64)> for Arrival {
    fn from((at_ns, bytes): (u64, u64)) -> Self {
        Self { at_ns, bytes }
    }
}

impl From<Arrival> for (u64, u64) {
    fn from(Arrival { at_ns, bytes }: Arrival) -> Self {
        (at_ns, bytes)
    }
}

impl Flow {
    /// It opens connections of its own: as a source of short transfers, of which the run may have drawn none, or as a client
    /// that loads pages.
    pub const fn is_source(&self) -> bool {
        matches!(self.workload, Workload::Arrivals { .. } | Workload::Pages { .. })
    }

    /// It is a client that loads pages.
    pub const fn has_pages(&self) -> bool {
        matches!(self.workload, Workload::Pages { .. })
    }

    /// How many connections it opens in a run, at most.
    pub fn connections(&self) -> usize {
        match &self.workload {
            Workload::Arrivals { arrivals } => arrivals.len(),
            Workload::Pages { connections, .. } => *connections as usize,
            _ => 1,
        }
    }

    /// The transfers that it is a source of; none with any other workload.
    pub fn arrivals(&self) -> &[Arrival] {
        match &self.workload {
            Workload::Arrivals { arrivals } => arrivals,
            Workload::Bulk
            | Workload::Transfer { .. }
            | Workload::Stream { .. }
            | Workload::Trace { .. }
            | Workload::Pages { .. }
            | Workload::Command { .. }
            | Workload::Ping { .. }
            | Workload::Datagrams { .. }
            | Workload::DatagramTrace { .. }
            | Workload::Media { .. } => &[],
        }
    }

    /// It is a program of the user's own.
    pub const fn is_program(&self) -> bool {
        matches!(self.workload, Workload::Command { .. })
    }

    /// It is pings: datagrams that the receiver sends back.
    pub const fn has_pings(&self) -> bool {
        matches!(self.workload, Workload::Ping { .. })
    }

    /// It is UDP datagrams, pings among them, and no TCP connection.
    pub const fn has_datagrams(&self) -> bool {
        match self.workload {
            Workload::Ping { .. }
            | Workload::Datagrams { .. }
            | Workload::DatagramTrace { .. }
            | Workload::Media { .. } => true,
            Workload::Bulk
            | Workload::Transfer { .. }
            | Workload::Stream { .. }
            | Workload::Trace { .. }
            | Workload::Arrivals { .. }
            | Workload::Pages { .. }
            | Workload::Command { .. } => false,
        }
    }

    /// It ends by itself, so that a run which is `until_done` waits for it. A source that drew no transfers has no end.
    pub fn is_finite(&self) -> bool {
        match &self.workload {
            Workload::Bulk
            | Workload::Pages { .. }
            | Workload::Ping { .. }
            | Workload::Datagrams { .. }
            | Workload::DatagramTrace { .. }
            | Workload::Media { .. } => false,
            Workload::Arrivals { arrivals } => !arrivals.is_empty(),
            Workload::Transfer { .. } | Workload::Stream { .. } | Workload::Trace { .. } | Workload::Command { .. } => {
                true
            }
        }
    }
}

/// Settings of the end hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Limit of both socket buffers.
    pub socket_memory: SocketMemory,
    /// A fixed limit on the window that receivers announce.
    pub receive_window_bytes: Option<u64>,
    /// Initial congestion window.
    pub initial_window_segments: u32,
    /// Queueing discipline of the senders: `fq` paces what its algorithm does not.
    pub qdisc: Qdisc,
    /// Receivers hold back ACKs of out-of-order data (Linux 4.18 and later).
    pub sack_compression: bool,
    /// Receivers merge the segments of a flow that their NIC hands over together (generic receive offload).
    pub gro: bool,
    /// Interrupt moderation of the receivers' NICs: each hands over what has arrived at most once in this time, so that
    /// ACKs leave in lumps. 0: every packet by itself.
    pub ack_aggregation_ns: u64,
}

/// How far the socket buffers may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SocketMemory {
    /// Never the limit.
    Max,
    /// Linux's defaults: 4 MB for sending, 6 MB for receiving.
    Default,
    /// At most this much each.
    Bytes(u64),
}

/// A sender's queueing discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Qdisc {
    /// No queue: TCP paces itself, and only when its algorithm asks.
    None,
    /// `fq`: every flow is paced.
    Fq,
}

/// What to record, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Beginning of the summary's window.
    pub window_begin_ns: u64,
    /// End of the summary's window.
    pub window_end_ns: u64,
    /// Time between two samples of the gauges; the first is one `sample` after the run's beginning.
    pub sample_ns: u64,
    /// How much to keep.
    pub record: Record,
    /// So much of each frame is captured; none: there are no captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snap_bytes: Option<u32>,
    /// Where, if there are any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub capture_at: CapturePoints,
    /// What each sender does is logged.
    #[serde(default, skip_serializing_if = "is_default")]
    pub qlog: bool,
    /// Time between two looks by `ss` beside; none: it does not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ss_ns: Option<u64>,
}

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// Counters, and of the gauges only what the summary is made from.
    Summary,
    /// Every gauge.
    Series,
    /// Per-ACK round-trip times too.
    Acks,
}

/// A field of a run that an engine or an algorithm cannot honour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Problem {
    /// Path of the field, e.g. `flows[2].cc`.
    pub path: String,
    /// What was wrong and what would be right.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_its_siblings_are() {
        let text = r#"{"command":{"command":["nc","{receiver}"],"server":[]}}"#;
        let workload: Workload = serde_json::from_str(text).unwrap();
        let command = vec!["nc".into(), "{receiver}".into()];
        assert_eq!(workload, Workload::Command { command, server: vec![], user: User::Caller });
        assert_eq!(serde_json::to_string(&workload).unwrap(), text);
        let text = r#"{"command":{"command":["nc"],"server":[],"user":"root"}}"#;
        let workload: Workload = serde_json::from_str(text).unwrap();
        assert_eq!(workload, Workload::Command { command: vec!["nc".into()], server: vec![], user: User::Root });
        assert_eq!(serde_json::to_string(&workload).unwrap(), text);
    }
}
