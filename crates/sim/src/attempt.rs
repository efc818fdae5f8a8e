//! [`Attempt`]: how far a run came that was left before its end, for a forecast of the rest.

use run::{Measurement, NEVER_NS};

/// What a part of a run was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// The run has come to its own end.
    pub ended: bool,
    /// Virtual time that has passed.
    pub ended_ns: u64,
    /// Data segments that all flows have sent, retransmissions included.
    pub segments_sent: u64,
    /// Payload that all receivers have in order.
    pub delivered_bytes: u64,
    /// Short transfers that have a connection.
    pub transfers_started: u64,
    /// Short transfers that are complete.
    pub transfers_completed: u64,
    /// Packets in the bottleneck's queue.
    pub queued_packets: u64,
    /// The most that were sampled there.
    pub peak_packets: u32,
    /// Times of samples, ns, and how many packets had left the queue by then, or had been dropped there.
    pub passed: Vec<(u64, u64)>,
}

impl Attempt {
    /// Of what was measured until then.
    pub(crate) fn of(measurement: Measurement, ended: bool) -> Self {
        let Measurement { ended_ns, flows, bottleneck, .. } = measurement;
        let series = bottleneck.series;
        let passed = series.sent_packets.iter().zip(&series.dropped_packets).map(|(sent, dropped)| sent + dropped);
        let mut attempt = Self {
            ended,
            ended_ns,
            queued_packets: bottleneck.at_end.queued_packets,
            peak_packets: series.backlog_packets.iter().copied().max().unwrap_or(0),
            passed: series.at_ns.iter().copied().zip(passed).collect(),
            ..Self::default()
        };
        let came = |instants: &[u64]| instants.iter().filter(|&&at_ns| at_ns != NEVER_NS).count() as u64;
        for flow in &flows {
            attempt.segments_sent += flow.at_end.segments_sent;
            attempt.delivered_bytes += flow.at_end.delivered_bytes;
            attempt.transfers_started += came(&flow.transfers.started_ns);
            attempt.transfers_completed += came(&flow.transfers.completed_ns);
        }
        attempt
    }
}
