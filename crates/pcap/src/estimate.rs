//! What is concluded from packets, and is no count of them.

use serde::Serialize;

/// A congestion control algorithm, as far as packets tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// BBR, version 1.
    Bbr,
    /// CUBIC (RFC 9438).
    Cubic,
    /// Reno or NewReno (RFC 5681, RFC 6582).
    Reno,
    /// Vegas (Brakmo and Peterson, 1995).
    Vegas,
    /// The packets fit none, or several.
    #[serde(rename = "cannot_tell")]
    Unknown,
}

/// What the estimate is based on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AlgorithmEvidence {
    /// Round trips.
    pub rounds: u32,
    /// From the first to the last of them, ns.
    pub span_ns: i64,
    /// Fast recoveries whose windows before and after are known.
    pub reductions: u64,
    /// The median of the windows after them by those before: Reno 0.5, CUBIC 0.7, BBR 1.
    pub median_factor: Option<f64>,
    /// Of the last 128 reductions those that are nearest to what Reno does: by how many segments the algorithms differ
    /// there decides how much each counts, one at most.
    pub reductions_like_reno: f64,
    /// To what CUBIC does.
    pub reductions_like_cubic: f64,
    /// To a window that stays; also those after which it grew faster than Reno and CUBIC can.
    pub reductions_like_none: f64,
    /// Times from one loss to the next in which the window grew as Reno's does.
    pub growths_like_reno: u32,
    /// As CUBIC's.
    pub growths_like_cubic: u32,
    /// Times of 30 rounds and more without a loss in which it grew by a segment in each, as Reno's does.
    pub lines_like_reno: u32,
    /// The median growth of the window in a round, segments, where congestion limited and nothing was lost.
    pub growth_segments: Option<f64>,
    /// Times of 0.2 s and more with at most four segments outstanding: BBR's PROBE_RTT.
    pub probe_rtt_dips: u32,
    /// The median time from one to the next, ns: BBR's is 10 s and more.
    pub probe_rtt_period_ns: Option<i64>,
    /// The median number of segments that wait in a queue: Vegas holds two to four there.
    pub backlog_segments: Option<f64>,
    /// The part of the rounds in which that was between one and five.
    pub backlog_steady: Option<f64>,
}

/// Which algorithm it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlgorithmEstimate {
    /// The one.
    pub algorithm: Algorithm,
    /// From 0 to 1: the part of the evidence that is for it, with half a sight more against it.
    pub confidence: f64,
    /// Why.
    pub reason: &'static str,
    /// What was seen.
    pub evidence: AlgorithmEvidence,
}

/// A number that is concluded, with what it may be at least and at most; none where that cannot be known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Estimate {
    /// The likeliest.
    pub value: Option<f64>,
    /// The least that it may be.
    pub low: Option<f64>,
    /// The most that it may be.
    pub high: Option<f64>,
    /// Why, or why not.
    pub reason: &'static str,
}

impl Estimate {
    /// A value that lies between two others.
    pub(crate) const fn between(low: f64, value: f64, high: f64, reason: &'static str) -> Self {
        Self { value: Some(value), low: Some(low), high: Some(high), reason }
    }

    /// No more than that it is not less.
    pub(crate) const fn at_least(low: Option<f64>, reason: &'static str) -> Self {
        Self { value: None, low, high: None, reason }
    }
}

/// The path that the data of one side took, by all flows of the capture together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PathEstimate {
    /// The bottleneck's rate, bit/s of frames as they were captured.
    pub rate_bps: Estimate,
    /// Bytes of frames acknowledged while a queue stood: what the rate is based on.
    pub busy_bytes: u64,
    /// How long that took, ns.
    pub busy_ns: i64,
}

/// What one sender's data says about its path and itself. When it began is in `ConnectionSummary`: its SYN's time, or that
/// of its first packet, unless the capture is `midstream`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FlowEstimate {
    /// Data that it had to send, bytes.
    pub size_bytes: Estimate,
    /// Its round trip without a queue and without the time that a frame takes at the bottleneck's rate, ns.
    pub base_rtt_ns: Estimate,
    /// The queue that it saw, bytes: the buffer has as much room at least.
    pub queue_bytes: Estimate,
    /// The buffer's room, bytes.
    pub buffer_bytes: Estimate,
    /// The part of its packets that was lost with hardly a queue.
    pub random_loss: Estimate,
    /// The part of its time in which its application had no more to send.
    pub application_limited: Estimate,
}
