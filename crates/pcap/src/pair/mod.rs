//! Two captures of the same traffic, made at two places: what was lost and how long packets took between them, and how
//! the two clocks run.
//!
//! Both files are read three times: for the clocks' rough offset, for the clocks, and for what became of each packet.

mod clock;
mod connections;
mod envelope;
mod fingerprint;
mod flow;
mod matching;
mod place;
mod reading;
mod survey;
mod window;

use crate::file::FileError;
use crate::summary::EndpointName;
use connections::Connections;
use matching::Matching;
use serde::Serialize;
use std::cmp::Reverse;
use survey::Survey;

pub use clock::Clocks;
pub use flow::{FlowSummary, PairBin};
pub use place::{Open, PlaceReport};

/// How two captures are compared.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The width of a bin, ns.
    pub bin_ns: u64,
    /// Whether the clocks are one: offset and drift are zero then, and not estimated.
    pub same_clock: bool,
    /// How many connections are followed; packets of others are counted.
    pub most_connections: usize,
    /// How many packets wait for the other capture; over it the first are given up.
    pub most_waiting: usize,
    /// How long a packet waits, ns.
    pub horizon_ns: i64,
    /// After how long a packet that is given up is lost for sure, ns.
    pub sure_ns: i64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bin_ns: 500_000_000,
            same_clock: false,
            most_connections: 1 << 16,
            most_waiting: 1 << 20,
            horizon_ns: 30_000_000_000,
            sure_ns: 3_000_000_000,
        }
    }
}

/// Why two captures cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// One of them is no capture.
    #[error("{error}")]
    File {
        /// Which, 0 or 1.
        place: usize,
        /// Why.
        error: FileError,
    },
    /// They have no packet in common.
    #[error(
        "the captures have no TCP packet in common: they must have been made at the same time, of the same \
         connections; behind a NAT both must have the SYN, and a proxy makes other connections"
    )]
    NothingInCommon,
    /// Somebody wanted no more.
    #[error("stopped")]
    Stopped,
}

impl PairError {
    const fn of(place: usize, error: FileError) -> Self {
        Self::File { place, error }
    }
}

/// A connection that both captures have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PairConnection {
    /// Who sent the SYN; without one, who sent the first packet: as the first place names it.
    pub client: EndpointName,
    /// The other end.
    pub server: EndpointName,
    /// Client and server as the second place names them, where a NAT gave one another name.
    pub translated: Option<[EndpointName; 2]>,
    /// Whether the first place is nearer to the client than the second.
    pub first_is_near_client: bool,
    /// What the client sent, and what the server sent.
    pub directions: [FlowSummary; 2],
}

/// A bin of the largest connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PairBinRow {
    /// Whether its server sent the packets.
    pub from_server: bool,
    /// Which bin; the first begins with the earlier one of the captures.
    pub bin: u64,
    /// What was sent in it.
    #[serde(flatten)]
    pub counts: PairBin,
}

/// What two captures say together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// The captures.
    pub places: [PlaceReport; 2],
    /// Their clocks.
    pub clocks: Clocks,
    /// When both captures ran, ns since 1970 by the first one's clock.
    pub common_ns: Option<[i64; 2]>,
    /// When bin 0 begins, ns since 1970 by the first one's clock.
    pub start_ns: i64,
    /// Connections that both have, the one first that bins are of, then those with the most data.
    pub connections: Vec<PairConnection>,
    /// Of these, those of which only one way is in both captures, and no other connection says which place is nearer to
    /// whom: the first one is taken to be nearer to the client.
    pub assumed: u64,
    /// Segments of connections for which there was no room.
    pub passed_over: u64,
    /// Bins of the first connection.
    pub bins: Vec<PairBinRow>,
}

/// Compares two captures, each of which is opened several times. `wants_more` is asked once for some thousands of packets.
///
/// # Errors
///
/// One is no capture, they have nothing in common, or nobody wants more.
pub fn compare(
    opens: [Open<'_>; 2],
    options: &Options,
    wants_more: &mut dyn FnMut() -> bool,
) -> Result<PairReport, PairError> {
    // Where the snap length cut options off, packets are known by TCP's fixed header alone.
    for bare in [false, true] {
        let Some(rough_ns) = reading::rough_offset(opens, options, bare, wants_more)? else { continue };
        let mut survey = Survey::new(rough_ns);
        let (connections, places) = reading::read(opens, options, bare, &mut survey, wants_more)?;
        let Some(plan) = survey.plan(&connections, options.same_clock) else { continue };
        let spans = places.each_ref().map(|place| place.start_ns.zip(place.end_ns).unwrap_or_default());
        let mut matching = Matching::new(&plan, spans, options.bin_ns);
        let (connections, places) = reading::read(opens, options, bare, &mut matching, wants_more)?;
        return Ok(report(&connections, places, &plan, &matching, spans));
    }
    Err(PairError::NothingInCommon)
}

fn report(
    connections: &Connections,
    mut places: [PlaceReport; 2],
    plan: &survey::Plan,
    matching: &Matching<'_>,
    spans: [(i64, i64); 2],
) -> PairReport {
    let lines = &plan.lines;
    let mut rows = Vec::new();
    let mut least_ns = [0; 2];
    for (number, connection) in connections.list().iter().enumerate() {
        let (Some(first), Some(second)) = (connection.names[0], connection.names[1]) else {
            for (place, report) in places.iter_mut().enumerate() {
                report.own_connections += u64::from(connection.names[place].is_some());
                report.own_segments += connection.segments[place];
            }
            continue;
        };
        let Some(flows) = matching.flows.get(number) else { continue };
        let near = matching.is_near(connection).unwrap_or(true);
        let base_ns = |side: bool| lines.base_ns.map(|base| base[survey::way(near, side)]);
        let drawn = Some((first.ends(), connection.isn)) == plan.largest;
        if drawn {
            least_ns = flows.each_ref().map(flow::Flow::least_ns);
        }
        let row = PairConnection {
            client: name(first.client),
            server: name(first.server),
            translated: (first != second).then(|| [name(second.client), name(second.server)]),
            first_is_near_client: near,
            directions: [flows[0].summary(base_ns(false)), flows[1].summary(base_ns(true))],
        };
        let bytes = row.directions[0].sent_bytes + row.directions[1].sent_bytes;
        rows.push((Reverse((drawn, bytes)), row));
    }
    rows.sort_by_key(|(key, _)| *key);
    let begin_ns = spans[0].0.max(lines.to_first(spans[1].0));
    let end_ns = spans[0].1.min(lines.to_first(spans[1].1));
    let bins = matching.bins.iter().map(|((from_server, bin), counts)| PairBinRow {
        from_server: *from_server,
        bin: *bin,
        counts: counts.above(least_ns[usize::from(*from_server)]),
    });
    PairReport {
        places,
        clocks: lines.clocks,
        common_ns: (begin_ns <= end_ns).then_some([begin_ns, end_ns]),
        start_ns: matching.start_ns(),
        connections: rows.into_iter().map(|(_, row)| row).collect(),
        assumed: plan.assumed,
        passed_over: connections.passed_over,
        bins: bins.collect(),
    }
}

fn name(end: crate::header::Endpoint) -> EndpointName {
    EndpointName { address: end.address(), port: end.port() }
}
