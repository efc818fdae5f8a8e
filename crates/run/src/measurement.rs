//! [`Measurement`]: what an engine counted and sampled.
//!
//! Series are columns of equal length. `u64::MAX` and `u32::MAX` in a gauge mean "not known yet".

use crate::default::is_default;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Value of a counter that an engine cannot see. Real stacks do not tell all that a model can.
pub const UNSEEN: u64 = u64::MAX;

/// Everything that one run gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// When the run ended: its duration, or when the last transfer was complete.
    pub ended_ns: u64,
    /// One entry a flow, in the run's order.
    pub flows: Vec<FlowMeasurement>,
    /// The bottleneck's queue.
    pub bottleneck: QueueMeasurement,
    /// Every queue of the path, the bottleneck's among them, where there is more than one: those that the path lists in its
    /// order, then those of the way back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<HopMeasurement>,
    /// What the run was measured on, for its provenance: kernel release, settings, queueing disciplines. Of a flow whose connections
    /// were given up (ETIMEDOUT), on any engine, how many and since when: `flows[0].given_up`, `1 from 945.152 s on`.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// What `ss` said of the senders' connections, if it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ss: Vec<SsSample>,
}

/// What `ss -tin` printed at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SsSample {
    /// When it was started.
    pub at_ns: u64,
    /// Its standard output.
    pub text: String,
}

/// One flow.
///
/// Of a source of short transfers ([`crate::Workload::Arrivals`]) and of a client that loads pages ([`crate::Workload::Pages`]) all of its connections are measured together: counters
/// are sums over its connections, closed ones included; gauges are those of its open connections together, with bytes
/// (delivered and at the bottleneck, those of closed connections included), cwnd, segments in flight and rates summed,
/// `srtt_us` the mean, rounded down, of those that have one, `min_rtt_us` the least; the slow-start threshold and the
/// algorithm's own gauges are "none", and there are no phases. The histogram and the samples of ACKs are over all.
///
/// Of pings ([`crate::Workload::Ping`]) `segments_sent` counts what was sent and `acks` what was answered; `srtt_us` is the
/// round-trip time of the last answer, and a sample of an ACK that of an answer. They deliver nothing. Of other datagrams
/// ([`crate::Workload::Datagrams`]) `segments_sent` counts likewise, what has arrived is delivered, and there are no round-trip times.
/// Of media ([`crate::Workload::Media`]), beyond that, `acks` counts reports that the sender took; its gauges are NADA's reference rate
/// (`bandwidth_bps`) and sending rate (`pacing_rate_bps`), and its phases NADA's modes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowMeasurement {
    /// When it called connect(); of a source its start.
    pub started_ns: u64,
    /// When its last byte was delivered, for a workload that has one; of a source when all that arrives was complete.
    pub completed_ns: Option<u64>,
    /// At the window's begin.
    pub at_window_begin: FlowCounters,
    /// At the window's end.
    pub at_window_end: FlowCounters,
    /// At the flow's end: when it stopped, or the run did.
    pub at_end: FlowCounters,
    /// The smallest raw round-trip sample of the whole flow; none when no ACK came.
    pub rtt_min_ns: Option<u64>,
    /// Per-ACK round-trip samples within the window; of pings those of the ones sent within it.
    pub ack_rtt: Histogram,
    /// The gauges.
    pub series: FlowSeries,
    /// Per-ACK samples of the whole run, when the run records them.
    pub acks: Vec<AckSample>,
    /// Names of the algorithm's phases; `FlowSeries::phase` is an index into them.
    pub phases: Vec<String>,
    /// The short transfers of a source; empty for every other workload.
    #[serde(default, skip_serializing_if = "Transfers::is_empty")]
    pub transfers: Transfers,
    /// The pages of a client; empty for every other workload.
    #[serde(default, skip_serializing_if = "PageLoads::is_empty")]
    pub pages: PageLoads,
    /// What a program of the user's own said and how it ended; none of every other workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// The datagrams of the window, pings among them; none of every other workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<SentDatagrams>,
    /// How long those of them that arrived were under way, ns; none of pings, which have round-trip times, and of every other
    /// workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Histogram>,
    /// The frames of the window, of media; none of every other workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<MediaFrames>,
}

/// Frames of a media source that were captured within the window, but for those that may still come in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaFrames {
    /// How many were captured.
    pub captured: u64,
    /// How many of them were not complete at the receiver within the deadline, those among them that never were.
    pub late: u64,
    /// From the capture to the arrival of the last packet, of those that were complete at all, ns.
    pub delay: Histogram,
}

/// Datagrams that were sent within the window, up to the last one that arrived at all, of a ping its answer: what was sent
/// later may still be under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentDatagrams {
    /// How many were sent.
    pub sent: u64,
    /// How many of them never arrived.
    pub lost: u64,
}

/// A program of the user's own ([`crate::Workload::Command`]), at both of its ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command at the sender.
    pub client: ProgramEnd,
    /// The server at the receiver, if there is one.
    pub server: Option<ProgramEnd>,
}

/// One process of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramEnd {
    /// Its words as they were filled in.
    pub argv: Vec<String>,
    /// When it was started; 0 of a server, which is there before the run begins.
    pub began_ns: u64,
    /// When it ended by itself; none: the flow's stop or the run's end ended it.
    pub ended_ns: Option<u64>,
    /// The status with which it ended by itself; none: as above.
    pub status: Option<i32>,
    /// What it wrote to its standard output. What is no UTF-8 is replaced.
    pub stdout: String,
    /// What it wrote to its standard error, likewise.
    pub stderr: String,
}

/// The short transfers of a source: columns with one entry for each arrival of the run, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfers {
    /// When it called connect(); `u64::MAX`: it has not by the source's end (when that stopped, or the run ended).
    pub started_ns: Vec<u64>,
    /// When its last byte was delivered; `u64::MAX`: not by the source's end.
    pub completed_ns: Vec<u64>,
    /// Data segments sent until it was complete, or the source's end; retransmissions included.
    pub segments_sent: Vec<u64>,
    /// Of these, retransmissions.
    pub segments_retransmitted: Vec<u64>,
}

/// An instant of [`Transfers`] or [`PageLoads`] that did not come.
pub const NEVER_NS: u64 = u64::MAX;

impl Transfers {
    /// Of so many arrivals, none of which has begun.
    pub fn waiting(count: usize) -> Self {
        Self {
            started_ns: vec![NEVER_NS; count],
            completed_ns: vec![NEVER_NS; count],
            segments_sent: vec![0; count],
            segments_retransmitted: vec![0; count],
        }
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.started_ns.is_empty()
    }
}

/// The pages of a client: columns with one entry for each that it has begun, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLoads {
    /// When the first request of the page was written.
    pub started_ns: Vec<u64>,
    /// When the last byte of its last object had arrived; [`NEVER_NS`]: not by the client's end.
    pub loaded_ns: Vec<u64>,
    /// Payload of all its objects that were requested.
    pub bytes: Vec<u64>,
}

impl PageLoads {
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.started_ns.is_empty()
    }
}

/// Cumulative counters of one flow at one instant; [`UNSEEN`] where an engine cannot see one of those that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCounters {
    /// The instant.
    pub at_ns: u64,
    /// Payload delivered in order: the receiver's next expected byte.
    pub delivered_bytes: u64,
    /// Bytes of its data's frames, headers included, that left the bottleneck of its direction; 0 of a flow that does not
    /// pass it.
    pub bottleneck_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Of these, retransmissions.
    pub segments_retransmitted: u64,
    /// Segments that the sender marked lost. May be unseen.
    pub segments_lost: u64,
    /// ACKs that arrived at the sender.
    pub acks: u64,
    /// Retransmission timeouts. May be unseen.
    pub timeouts: u64,
    /// Tail loss probes. May be unseen.
    pub probes: u64,
    /// Recoveries that were undone as spurious. May be unseen.
    pub undos: u64,
    /// Frames of its data that the queues of the path dropped. May be unseen.
    pub dropped_packets: u64,
    /// Those lost at random. May be unseen.
    pub random_lost_packets: u64,
    /// Frames of its data that the queues of the path marked. May be unseen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub marked_packets: u64,
    /// Segments whose ACK had ECE, or packets that ACKs count as marked, on a connection with ECN (Linux's
    /// `tcpi_delivered_ce`). May be unseen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered_ce: u64,
    /// Times that ECE began a reduction of the window (Linux's `TCP_CA_CWR`); BBR's window stays as it is. May be unseen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cwr_reductions: u64,
    /// Time with nothing to send.
    pub app_limited_ns: u64,
    /// Time held back by the receiver's window.
    pub rwnd_limited_ns: u64,
    /// Time held back by the send buffer.
    pub sndbuf_limited_ns: u64,
}

impl FlowCounters {
    /// Adds those of another connection of the same flow. What is unseen of one of them is unseen.
    pub fn add(&mut self, other: &Self) {
        self.at_ns = self.at_ns.max(other.at_ns);
        let mut other = *other;
        for (sum, count) in self.counts().into_iter().zip(other.counts()) {
            *sum = sum.saturating_add(*count);
        }
    }

    fn counts(&mut self) -> [&mut u64; 17] {
        let Self {
            at_ns: _,
            delivered_bytes,
            bottleneck_bytes,
            segments_sent,
            segments_retransmitted,
            segments_lost,
            acks,
            timeouts,
            probes,
            undos,
            dropped_packets,
            random_lost_packets,
            marked_packets,
            delivered_ce,
            cwr_reductions,
            app_limited_ns,
            rwnd_limited_ns,
            sndbuf_limited_ns,
        } = self;
        [
            delivered_bytes,
            bottleneck_bytes,
            segments_sent,
            segments_retransmitted,
            segments_lost,
            acks,
            timeouts,
            probes,
            undos,
            dropped_packets,
            random_lost_packets,
            marked_packets,
            delivered_ce,
            cwr_reductions,
            app_limited_ns,
            rwnd_limited_ns,
            sndbuf_limited_ns,
        ]
    }
}

/// Gauges of one flow, sampled from its start on. With `record = "summary"` only `at_ns`, `srtt_us` and
/// `delivered_bytes` are filled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSeries {
    /// When each sample was taken.
    pub at_ns: Vec<u64>,
    /// Smoothed RTT; 0 before the first sample.
    pub srtt_us: Vec<u32>,
    /// The receiver's next expected byte.
    pub delivered_bytes: Vec<u64>,
    /// Bytes of its frames, headers included, that left the bottleneck: what a capture at the receiver shows.
    pub bottleneck_bytes: Vec<u64>,
    /// Congestion window.
    pub cwnd_segments: Vec<u32>,
    /// Slow-start threshold; `u32::MAX` while infinite.
    pub ssthresh_segments: Vec<u32>,
    /// Segments in flight as the sender counts them.
    pub inflight_segments: Vec<u32>,
    /// TCP's windowed minimum RTT; `u32::MAX` before the first sample.
    pub min_rtt_us: Vec<u32>,
    /// The algorithm's own minimum RTT; `u32::MAX` where it has none.
    pub cc_min_rtt_us: Vec<u32>,
    /// Pacing rate; `u64::MAX` when not paced.
    pub pacing_rate_bps: Vec<u64>,
    /// TCP's last delivery-rate sample.
    pub delivery_rate_bps: Vec<u64>,
    /// The algorithm's bandwidth estimate; `u64::MAX` where it has none.
    pub bandwidth_bps: Vec<u64>,
    /// The algorithm's pacing gain in 1/256; 0 where it has none.
    pub pacing_gain_256ths: Vec<u16>,
    /// The algorithm's cwnd gain in 1/256; 0 where it has none.
    pub cwnd_gain_256ths: Vec<u16>,
    /// The most that was delivered lately, as BBR version 3 has it; `u64::MAX`: the algorithm has no such bound, or none now, as
    /// in the columns that follow.
    pub bw_hi_bps: Vec<u64>,
    /// Short-term bound on the bandwidth.
    pub bw_lo_bps: Vec<u64>,
    /// Long-term bound on what is in flight.
    pub inflight_hi_segments: Vec<u32>,
    /// Short-term bound on what is in flight.
    pub inflight_lo_segments: Vec<u32>,
    /// The algorithm's mean share of marked packets, in 1/1,000,000 (RFC 8257's alpha).
    pub alpha_ppm: Vec<u32>,
    /// The algorithm's phase, an index into `FlowMeasurement::phases`.
    pub phase: Vec<u8>,
}

/// One ACK's round-trip sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AckSample {
    /// When the ACK arrived.
    pub at_ns: u64,
    /// The sample.
    pub rtt_ns: u64,
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueMeasurement {
    /// At the window's begin.
    pub at_window_begin: QueueCounters,
    /// At the window's end.
    pub at_window_end: QueueCounters,
    /// At the run's end.
    pub at_end: QueueCounters,
    /// The backlog.
    pub series: QueueSeries,
    /// How long frames were in it that left within the window, ns; none: the engine does not see that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sojourn: Option<Histogram>,
}

/// One queue of several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HopMeasurement {
    /// The hop's name.
    pub name: String,
    /// Its queue.
    pub queue: QueueMeasurement,
}

/// Cumulative counters of a queue, in segments on the wire; random loss apart.
///
/// At every instant `offered = sent + dropped + queued`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueCounters {
    /// The instant.
    pub at_ns: u64,
    /// Packets that came to the queue.
    pub offered_packets: u64,
    /// Packets that left the bottleneck.
    pub sent_packets: u64,
    /// Bytes of frames that left the bottleneck.
    pub sent_bytes: u64,
    /// Packets that the queue dropped: they found it full, or what manages it dropped them.
    pub dropped_packets: u64,
    /// Of these, those that it dropped when they were to leave; none: the engine does not see which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dequeue_dropped_packets: Option<u64>,
    /// Packets that it marked (CE of RFC 3168) and did not drop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub marked_packets: u64,
    /// Packets lost at random, before or after the queue.
    pub random_lost_packets: u64,
    /// Packets in the queue now.
    pub queued_packets: u64,
    /// Bytes in the queue now.
    pub queued_bytes: u64,
    /// Of the packets in it now, those in the low-latency queue of DualPI2 (RFC 9332); none: it has none, or the engine does
    /// not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_latency_packets: Option<u64>,
}

/// The queue's backlog over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueSeries {
    /// When each sample was taken.
    pub at_ns: Vec<u64>,
    /// Backlog in bytes of frames.
    pub backlog_bytes: Vec<u64>,
    /// Backlog in packets.
    pub backlog_packets: Vec<u32>,
    /// Packets dropped since the beginning.
    pub dropped_packets: Vec<u64>,
    /// Packets marked since the beginning.
    #[serde(default)]
    pub marked_packets: Vec<u64>,
    /// Packets sent since the beginning.
    pub sent_packets: Vec<u64>,
    /// Of the backlog, packets in DualPI2's low-latency queue; `u32::MAX`: it has none, or the engine does not see it.
    #[serde(default)]
    pub low_latency_packets: Vec<u32>,
}

/// Counts of values in bins of 1/64 of an octave (at most 1.6 % wide), with the exact number and sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Bin of `counts[0]`: nothing was smaller.
    pub first_bin: u32,
    /// `counts[i]` counts values in `[lower_bound(first_bin + i), lower_bound(first_bin + i + 1))`.
    pub counts: Vec<u32>,
    /// Number of values.
    pub count: u64,
    /// Their sum; values are nanoseconds, so 2^64 holds 584 years of them.
    pub sum: u64,
}

impl Histogram {
    const BITS: u32 = 6;

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bin = Self::bin(value);
        self.count += 1;
        self.sum += value;
        match self.counts.get_mut(bin.wrapping_sub(self.first_bin as usize)) {
            Some(count) => *count += 1,
            None => self.record_outside(bin),
        }
    }

    /// Counts a value in a bin that is not there yet.
    #[cold]
    fn record_outside(&mut self, bin: usize) {
        if self.counts.is_empty() {
            self.first_bin = bin as u32;
        }
        let first = self.first_bin as usize;
        if bin < first {
            self.counts.splice(0..0, std::iter::repeat_n(0, first - bin));
            self.first_bin = bin as u32;
        } else if bin - first >= self.counts.len() {
            self.counts.resize(bin - first + 1, 0);
        }
        self.counts[bin - self.first_bin as usize] += 1;
    }

    /// What was added since it was so.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = self.clone();
        let on = (earlier.first_bin - self.first_bin.min(earlier.first_bin)) as usize;
        for (count, before) in since.counts.iter_mut().skip(on).zip(&earlier.counts) {
            *count -= before;
        }
        since.count -= earlier.count;
        since.sum -= earlier.sum;
        since
    }

    /// The bin of a value: linear below 64, then 64 bins an octave.
    pub const fn bin(value: u64) -> usize {
        if value < 1 << Self::BITS {
            return value as usize;
        }
        let octave = value.ilog2() - Self::BITS;
        ((octave as usize + 1) << Self::BITS) + ((value >> octave) as usize - (1 << Self::BITS))
    }

    /// The smallest value of a bin.
    pub const fn lower_bound(bin: usize) -> u64 {
        if bin < 1 << Self::BITS {
            return bin as u64;
        }
        let octave = (bin >> Self::BITS) - 1;
        (((bin & ((1 << Self::BITS) - 1)) + (1 << Self::BITS)) as u64) << octave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bin() {
        for value in (0..1_000).chain([25_000_000, 25_390_624, u64::MAX >> 1]) {
            let bin = Histogram::bin(value);
            assert!(Histogram::lower_bound(bin) <= value && value < Histogram::lower_bound(bin + 1), "{value}");
        }
    }

    #[test]
    fn bins_are_counted_whatever_comes_first() {
        let mut histogram = Histogram::default();
        [500, 100, 900, 100].iter().for_each(|&value| histogram.record(value));
        let count = |value| histogram.counts[Histogram::bin(value) - histogram.first_bin as usize];
        assert_eq!((count(100), count(500), count(900)), (2, 1, 1));
        assert_eq!(histogram.counts.iter().sum::<u32>(), 4);
    }

    #[test]
    fn what_was_added_since_is_a_histogram() {
        let (mut before, mut later) = (Histogram::default(), Histogram::default());
        [500, 900].iter().for_each(|&value| before.record(value));
        [500, 900, 100, 500, 2_000].iter().for_each(|&value| later.record(value));
        let since = later.since(&before);
        assert_eq!((since.count, since.sum, since.counts.iter().sum::<u32>()), (3, 2_600, 3));
        assert_eq!(since.counts[Histogram::bin(500) - since.first_bin as usize], 1);
        assert_eq!(later.since(&Histogram::default()), later);
    }

    #[test]
    fn counters_of_connections_add_up_and_what_one_does_not_show_is_unseen() {
        let counters = |at_ns, acks, undos| FlowCounters { at_ns, acks, undos, ..FlowCounters::default() };
        let mut sum = counters(5, 1, 2);
        sum.add(&counters(4, 10, UNSEEN));
        assert_eq!(sum, counters(5, 11, UNSEEN));
    }

    #[test]
    fn a_flow_without_a_program_says_nothing_of_one() {
        let mut flow = FlowMeasurement::default();
        assert!(!serde_json::to_string(&flow).unwrap().contains("program"));
        let client = ProgramEnd { argv: vec!["nc".into()], began_ns: 5, status: Some(0), ..ProgramEnd::default() };
        flow.program = Some(Program { client, server: None });
        let text = serde_json::to_string(&flow).unwrap();
        assert!(text.ends_with(
            r#""program":{"client":{"argv":["nc"],"began_ns":5,"ended_ns":null,"status":0,"stdout":"","stderr":""},"server":null}}"#
        ));
        assert_eq!(serde_json::from_str::<FlowMeasurement>(&text).unwrap(), flow);
    }

    #[test]
    fn the_sum_is_exact() {
        let mut histogram = Histogram::default();
        [25_000_000, 26_000_000, 25_000_000].iter().for_each(|&value| histogram.record(value));
        assert_eq!((histogram.count, histogram.sum), (3, 76_000_000));
    }
}
