//! [`Event`]: one of a log, as JSON.

use run::SenderState;
use serde::Serialize;
use std::ops::RangeInclusive;

const NANOS_PER_MILLI: f64 = 1e6;
const MICROS_PER_MILLI: f64 = 1e3;

/// An event.
#[derive(Serialize)]
pub struct Event<'a> {
    /// ms; up to 2^53 ns it is exact to the nanosecond.
    time: f64,
    name: &'static str,
    data: Data<'a>,
}

/// What happened.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Data<'a> {
    Parameters {
        timer_granularity: u32,
        max_datagram_size: u32,
        initial_congestion_window: u64,
    },
    Packet {
        #[serde(skip)]
        name: &'static str,
        header: Header,
        raw: Raw,
        frames: [PacketFrame<'a>; 1],
    },
    Lost {
        header: Header,
        trigger: Trigger,
    },
    Metrics(Metrics),
    Phase {
        #[serde(skip_serializing_if = "Option::is_none")]
        old: Option<&'static str>,
        new: &'static str,
    },
}

impl<'a> Event<'a> {
    pub fn at(at_ns: u64, data: Data<'a>) -> Self {
        let name = match data {
            Data::Parameters { .. } => "recovery:parameters_set",
            Data::Packet { name, .. } => name,
            Data::Lost { .. } => "recovery:packet_lost",
            Data::Metrics(_) => "recovery:metrics_updated",
            Data::Phase { .. } => "recovery:congestion_state_updated",
        };
        Self { time: at_ns as f64 / NANOS_PER_MILLI, name, data }
    }
}

#[derive(Serialize)]
pub struct Header {
    packet_type: &'static str,
    packet_number: u64,
}

impl Header {
    pub const fn of(packet_number: u64) -> Self {
        Self { packet_type: "1RTT", packet_number }
    }
}

/// Bytes on the host's link.
#[derive(Serialize)]
pub struct Raw {
    pub length: u32,
    pub payload_length: u32,
}

#[derive(Serialize)]
#[serde(tag = "frame_type", rename_all = "snake_case")]
pub enum PacketFrame<'a> {
    Stream {
        stream_id: u64,
        offset: u64,
        length: u32,
    },
    Ack {
        /// The schema has no empty list.
        #[serde(serialize_with = "pairs", skip_serializing_if = "<[_]>::is_empty")]
        acked_ranges: &'a [RangeInclusive<u64>],
    },
}

fn pairs<S: serde::Serializer>(ranges: &&[RangeInclusive<u64>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(ranges.iter().map(|range| [range.start(), range.end()]))
}

/// What had the segment sent again.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    ReorderingThreshold,
    TimeThreshold,
    PtoExpired,
}

/// Gauges of a sender: those that are known, or that changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothed_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    congestion_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssthresh: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pacing_rate: Option<u64>,
}

impl Metrics {
    /// Those of a state. Linux counts windows and flight in segments, of which each is full here.
    pub fn of(state: &SenderState, mss_bytes: u32, before: &Self) -> Self {
        let ms = |rtt_us: u32| Some(f64::from(rtt_us) / MICROS_PER_MILLI);
        let bytes = |segments: u32| u64::from(segments) * u64::from(mss_bytes);
        let gauges = &state.gauges;
        // One that was undone may be without end again: then it is the largest that there is.
        let has_threshold = gauges.ssthresh_segments != u32::MAX || before.ssthresh.is_some();
        Self {
            min_rtt: if gauges.min_rtt_us == u32::MAX { None } else { ms(gauges.min_rtt_us) },
            smoothed_rtt: if state.srtt_us == 0 { None } else { ms(state.srtt_us) },
            latest_rtt: state.rtt_us.map_or(before.latest_rtt, ms),
            congestion_window: Some(bytes(gauges.cwnd_segments)),
            bytes_in_flight: Some(bytes(gauges.inflight_segments)),
            ssthresh: has_threshold.then(|| bytes(gauges.ssthresh_segments)),
            packets_in_flight: Some(gauges.inflight_segments.into()),
            pacing_rate: (gauges.pacing_rate_bps != u64::MAX).then_some(gauges.pacing_rate_bps),
        }
    }

    /// Those that are not as before.
    pub fn since(self, before: &Self) -> Self {
        fn new<T: PartialEq>(now: Option<T>, before: Option<T>) -> Option<T> {
            if now == before { None } else { now }
        }
        Self {
            min_rtt: new(self.min_rtt, before.min_rtt),
            smoothed_rtt: new(self.smoothed_rtt, before.smoothed_rtt),
            latest_rtt: new(self.latest_rtt, before.latest_rtt),
            congestion_window: new(self.congestion_window, before.congestion_window),
            bytes_in_flight: new(self.bytes_in_flight, before.bytes_in_flight),
            ssthresh: new(self.ssthresh, before.ssthresh),
            packets_in_flight: new(self.packets_in_flight, before.packets_in_flight),
            pacing_rate: new(self.pacing_rate, before.pacing_rate),
        }
    }
}
