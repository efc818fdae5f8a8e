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

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::event::samples;

    fn pacer(given: &[(&str, f64)], start: &Start) -> (Parameters, Pacer) {
        let parameters = Parameters::from_defaults_and(given);
        let pacer = Pacer::new(&parameters, start);
        (parameters, pacer)
    }

    /// What the definition says, before anything is cut off.
    fn initial_rate(rtt_us: f64) -> f64 {
        10.0 * 1_448.0 / rtt_us * 1e6 * (739.0 / 256.0) * 0.99
    }

    fn is_near(rate: u64, expected: f64) -> bool {
        (rate as f64) <= expected && (rate as f64) > expected * 0.998
    }

    #[test]
    fn the_first_rate_is_the_initial_window_in_the_handshakes_rtt_times_the_high_gain() {
        let (_, pacer) = pacer(&[], &samples::start());
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(20_000.0)), "{pacer:?}");
    }

    #[test]
    fn without_a_handshake_rtt_it_is_a_millisecond_until_one_is_known() {
        let (parameters, mut pacer) = pacer(&[], &Start { rtt_us: None, ..samples::start() });
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(1_000.0)));
        pacer.learn_rtt(&parameters, 0, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(1_000.0)));
        pacer.learn_rtt(&parameters, 50_000, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(50_000.0)));
        pacer.learn_rtt(&parameters, 10_000, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(50_000.0)), "only once");
    }

    #[test]
    fn the_rate_does_not_fall_before_the_pipe_was_full() {
        let (parameters, mut pacer) = pacer(&[], &samples::start());
        let first = pacer.bytes_per_sec();
        let slow = Bandwidth::of_delivery(1u32, 20_000u32);
        pacer.pace_at(&parameters, slow, Gain::UNIT, false);
        assert_eq!(pacer.bytes_per_sec(), first);
        pacer.pace_at(&parameters, slow, Gain::UNIT, true);
        assert!(is_near(pacer.bytes_per_sec(), 50.0 * 1_448.0 * 0.99));
    }

    #[test]
    fn the_margin_is_a_parameter() {
        let (_, exact) = pacer(&[("pacing_margin", 0.0)], &samples::start());
        assert!(is_near(exact.bytes_per_sec(), initial_rate(20_000.0) / 0.99));
    }

    #[test]
    fn bursts_last_a_millisecond_between_their_bounds() {
        let goal = |bytes_per_sec| {
            let (parameters, mut pacer) = pacer(&[], &samples::start());
            pacer.set(&parameters, bytes_per_sec);
            (pacer.burst_goal(), pacer.min_burst(&parameters))
        };
        // 1.2 Mbit/s less a bit, 1.2 Mbit/s, 80 Mbit/s, 100 Gbit/s.
        assert_eq!([149_999, 150_000, 10_000_000, 12_500_000_000].map(goal), [(1, 1), (2, 2), (6, 2), (45, 2)]);
    }

    #[test]
    fn what_leaves_later_finds_less_in_flight() {
        let mut bbr = Bbr::with(&[], &samples::start());
        bbr.max_bandwidth.insert(0, (1 << 24) / 1_000);
        let ack = samples::ack();
        let later = Ack { next_departure: ack.now + Span::from_micros(4_500), ..ack };
        let earlier = Ack { next_departure: Time::ZERO, ..ack };
        bbr.gains.pacing = Gain::UNIT;
        assert_eq!([earlier, later].map(|ack| bbr.flight_at_next_departure(&ack, 10)), [10, 6]);
        bbr.gains.pacing = Gain::from_256ths(320);
        assert_eq!([earlier, later].map(|ack| bbr.flight_at_next_departure(&ack, 10)), [12, 8]);
        assert_eq!(bbr.flight_at_next_departure(&later, 1), 0);
    }
}
