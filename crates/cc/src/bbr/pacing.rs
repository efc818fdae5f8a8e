//! The pacing rate, and what follows from it: burst sizes, and what will be in flight when the next segment leaves.

use units::{Rate, Segments};

use super::bandwidth::{Bandwidth, Gain};
use super::{Bbr, Parameters};
use crate::{Ack, Start};

/// A burst carries about 1 ms at the pacing rate: 2^-10 s (Linux: `sk_pacing_shift`).
const BURST_SHIFT: u32 = 10;
/// Largest burst, bytes (Linux: GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER).
const MAX_BURST_BYTES: u64 = 65_215;
/// Largest burst, segments (Linux 6.1 bbr_tso_segs_goal).
const MAX_BURST: Segments = 127;

/// Turns bandwidths into the rate at which segments leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    mss_bytes: u32,
    margin_percent: u32,
    bytes_per_sec: u64,
    burst_goal: Segments,
    /// The initial rate came from a measured RTT.
    has_seen_rtt: bool,
}

impl Pacer {
    /// Paces the initial window over the handshake's RTT, or over a nominal one. Linux 6.1
    /// bbr_init_pacing_rate_from_rtt.
    pub(super) fn new(parameters: &Parameters, start: &Start) -> Self {
        let mut pacer = Self {
            mss_bytes: start.mss_bytes,
            margin_percent: parameters.pacing_margin_percent,
            bytes_per_sec: 0,
            burst_goal: 0,
            has_seen_rtt: start.rtt_us.is_some(),
        };
        pacer.pace_window(parameters, start.cwnd, start.rtt_us.unwrap_or(parameters.nominal_rtt_us));
        pacer
    }

    /// Corrects the initial rate once, when an RTT is known at last.
    pub(super) fn learn_rtt(&mut self, parameters: &Parameters, srtt_us: u32, cwnd: Segments) {
        if !self.has_seen_rtt && srtt_us > 0 {
            self.has_seen_rtt = true;
            self.pace_window(parameters, cwnd, srtt_us);
        }
    }

    fn pace_window(&mut self, parameters: &Parameters, cwnd: Segments, rtt_us: u32) {
        let bandwidth = Bandwidth::of_delivery(cwnd, rtt_us.max(1));
        self.set(parameters, self.rate_of(bandwidth, parameters.high_gain));
    }

    /// Paces at `gain` times `bandwidth`. Until the pipe was full the rate does not fall, because early bandwidths
    /// are those of a small window. Linux 6.1 bbr_set_pacing_rate.
    pub(super) fn pace_at(&mut self, parameters: &Parameters, bandwidth: Bandwidth, gain: Gain, may_fall: bool) {
        let rate = self.rate_of(bandwidth, gain);
        if rate > self.bytes_per_sec || may_fall && rate < self.bytes_per_sec {
            self.set(parameters, rate);
        }
    }

    fn set(&mut self, parameters: &Parameters, bytes_per_sec: u64) {
        self.bytes_per_sec = bytes_per_sec;
        let segments = (bytes_per_sec >> BURST_SHIFT).min(MAX_BURST_BYTES) / u64::from(self.mss_bytes);
        self.burst_goal = (segments as Segments).max(self.min_burst(parameters)).min(MAX_BURST);
    }

    /// `gain` times `bandwidth` less the margin, in bytes/s.
    pub(super) fn rate_of(&self, bandwidth: Bandwidth, gain: Gain) -> u64 {
        bandwidth.bytes_per_sec(self.mss_bytes, gain, self.margin_percent)
    }

    /// `bandwidth` as a rate of payload, without gain or margin.
    pub(super) fn unpaced_rate(&self, bandwidth: Bandwidth) -> Rate {
        Rate::from_bytes_per_sec(bandwidth.bytes_per_sec(self.mss_bytes, Gain::UNIT, 0))
    }

    /// The rate in force, bytes/s.
    pub(super) fn bytes_per_sec(&self) -> u64 {
        self.bytes_per_sec
    }

    /// Segments of a burst at this rate. Linux 6.1 bbr_tso_segs_goal.
    pub(super) fn burst_goal(&self) -> Segments {
        self.burst_goal
    }

    /// Smallest burst: single segments on slow paths. Linux 6.1 bbr_min_tso_segs.
    pub(super) fn min_burst(&self, parameters: &Parameters) -> Segments {
        if self.bytes_per_sec < parameters.min_tso_bytes_per_sec { 1 } else { 2 }
    }
}

impl Bbr {
    /// With departure times set ahead, part of the flight is still in the host. Estimates what will be in the network
    /// when the next segment leaves, that segment's burst included while the flight is being raised.
    /// Linux 6.1 bbr_packets_in_net_at_edt.
    pub(super) fn flight_at_next_departure(&self, ack: &Ack, in_flight: Segments) -> Segments {
        let wait_us = ack.next_departure.saturating_since(ack.now).as_micros();
        let delivered_by_then = self.bandwidth().segments_in(wait_us);
        let burst = if self.gains.pacing > Gain::UNIT { self.pacer.burst_goal() } else { 0 };
        (in_flight + burst).saturating_sub(delivered_by_then)
    }
}
