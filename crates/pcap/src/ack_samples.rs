//! The round-trip time of each ACK of a run's flows, from a capture at their senders.

use crate::file::FileError;
use crate::sink::{PacketRow, Side, Sink};
use crate::summary::{ConnectionSummary, EndpointName};
use crate::{Options, analyze};
use run::{AckSample, Histogram};
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;

/// Of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowAcks {
    /// Every sample of the capture, in order of time.
    pub samples: Vec<AckSample>,
    /// Those within the window, ns.
    pub within: Histogram,
}

/// Of each flow, by its sender: an address, with a port where several flows share the address. Samples are those of
/// [`PacketRow::sender_rtt_ns`]; times count from 1970, as those of a run's captures.
///
/// # Errors
/// The stream is no capture.
pub fn ack_samples(
    read: impl Read + Send + 'static,
    senders: &[String],
    window_ns: Range<u64>,
) -> Result<Vec<FlowAcks>, FileError> {
    let mut taken = Samples { senders, flows: vec![FlowAcks::default(); senders.len()], open: BTreeMap::new() };
    analyze(read, Options::default(), &mut taken)?;
    let mut flows = taken.flows;
    for flow in &mut flows {
        flow.samples.sort_by_key(|sample| sample.at_ns);
        for sample in flow.samples.iter().filter(|sample| window_ns.contains(&sample.at_ns)) {
            flow.within.record(sample.rtt_ns);
        }
    }
    Ok(flows)
}

/// Samples of connections whose ends are not known yet: by connection, of the data that an end sent.
struct Samples<'a> {
    senders: &'a [String],
    flows: Vec<FlowAcks>,
    open: BTreeMap<u64, [Vec<AckSample>; 2]>,
}

impl Samples<'_> {
    fn flow(&self, end: &EndpointName) -> Option<usize> {
        let (address, both) = (end.address.to_string(), format!("{}:{}", end.address, end.port));
        self.senders.iter().position(|sender| *sender == both || *sender == address)
    }
}

impl Sink for Samples<'_> {
    fn wants_packets(&self) -> bool {
        true
    }

    fn packets(&mut self, rows: &[PacketRow]) {
        for row in rows {
            let [at_ns, rtt_ns] =
                [Some(row.time_ns), row.sender_rtt_ns].map(|ns| ns.and_then(|ns| u64::try_from(ns).ok()));
            if let (Some(at_ns), Some(rtt_ns)) = (at_ns, rtt_ns) {
                let of = self.open.entry(row.connection).or_default();
                of[row.sender.other().index()].push(AckSample { at_ns, rtt_ns });
            }
        }
    }

    fn connection(&mut self, summary: ConnectionSummary) {
        let samples = self.open.remove(&summary.connection).unwrap_or_default();
        for (side, samples) in [Side::Client, Side::Server].into_iter().zip(samples) {
            let end = if side == Side::Client { &summary.client } else { &summary.server };
            if let Some(flow) = self.flow(end) {
                self.flows[flow].samples.extend(samples);
            }
        }
    }
}
