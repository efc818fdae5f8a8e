//! The pacing rate, and what follows from it: burst sizes, and what will be in flight when the next segment leaves.

use units::{Rate, Segments};

use super::Bbr;
use super::bandwidth::{Bandwidth, Gain};
use crate::parameter::Values;
use crate::{Ack, Parameter, Start};

/// A burst carries about 1 ms at the pacing rate: 2^-10 s (Linux: `sk_pacing_shift`).
const BURST_SHIFT: u32 = 10;
/// Largest burst, bytes (Linux: GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER).
const MAX_BURST_BYTES: u64 = 65_215;
/// Linux's GSO_LEGACY_MAX_SIZE, and by how many bits of an RTT in µs it is halved once (`bbr_tso_rtt_shift`).
const LARGEST_BUFFER_BYTES: u64 = 65_536;
const NEAR_SHIFT: u32 = 9;
/// Largest burst, segments (Linux 6.1 bbr_tso_segs_goal).
const MAX_BURST: Segments = 127;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::integer("pacing_margin", 1.0, 0.0, 99.0)
        .unit("%")
        .about("how much slower than the estimate to pace, so that queues drain")
        .source("Linux bbr_pacing_margin_percent"),
    Parameter::integer("nominal_rtt_us", 1_000.0, 1.0, 1e7)
        .unit("µs")
        .about("RTT for the initial pacing rate when the handshake gave none")
        .source("Linux bbr_init_pacing_rate_from_rtt; the drafts' sections 4.2.1 and 5.6.2"),
];

/// How an algorithm paces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// How much slower than the estimate, %.
    pub(crate) margin_percent: u32,
    /// The gain of STARTUP.
    pub(crate) startup_gain: Gain,
    /// RTT for the initial rate when the handshake gave none, µs.
    pub(crate) nominal_rtt_us: u32,
    /// Rate below which bursts may be single segments, bytes/s.
    pub(crate) min_tso_bytes_per_sec: u64,
}

impl Pacing {
    pub(crate) fn new(values: &Values<'_>, startup_gain: Gain, min_tso_bytes_per_sec: u64) -> Self {
        let (margin_percent, nominal_rtt_us) = (values.integer("pacing_margin"), values.integer("nominal_rtt_us"));
        Self { margin_percent, startup_gain, nominal_rtt_us, min_tso_bytes_per_sec }
    }
}

/// Turns bandwidths into the rate at which segments leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    pacing: Pacing,
    mss_bytes: u32,
    bytes_per_sec: u64,
    /// What a burst has beyond its time at the rate: 0 but of BBR version 3.
    near_bytes: u64,
    burst_goal: Segments,
    /// The initial rate came from a measured RTT.
    has_seen_rtt: bool,
}

impl Pacer {
    /// Paces the initial window over the handshake's RTT, or over a nominal one. Linux 6.1
    /// bbr_init_pacing_rate_from_rtt.
    pub(crate) fn new(pacing: Pacing, start: &Start) -> Self {
        let mut pacer = Self {
            pacing,
            mss_bytes: start.mss_bytes,
            bytes_per_sec: 0,
            near_bytes: 0,
            burst_goal: 0,
            has_seen_rtt: start.rtt_us.is_some(),
        };
        pacer.pace_window(start.cwnd, start.rtt_us.unwrap_or(pacing.nominal_rtt_us));
        pacer
    }

    /// Corrects the initial rate once, when an RTT is known at last.
    pub(crate) fn learn_rtt(&mut self, srtt_us: u32, cwnd: Segments) {
        if !self.has_seen_rtt && srtt_us > 0 {
            self.has_seen_rtt = true;
            self.pace_window(cwnd, srtt_us);
        }
    }

    fn pace_window(&mut self, cwnd: Segments, rtt_us: u32) {
        let bandwidth = Bandwidth::of_delivery(cwnd, rtt_us.max(1));
        self.set(self.rate_of(bandwidth, self.pacing.startup_gain));
    }

    /// Paces at `gain` times `bandwidth`. Until the pipe was full the rate does not fall, because early bandwidths
    /// are those of a small window. Linux 6.1 bbr_set_pacing_rate.
    pub(crate) fn pace_at(&mut self, bandwidth: Bandwidth, gain: Gain, may_fall: bool) {
        let rate = self.rate_of(bandwidth, gain);
        if rate > self.bytes_per_sec || may_fall && rate < self.bytes_per_sec {
            self.set(rate);
        }
    }

    fn set(&mut self, bytes_per_sec: u64) {
        self.bytes_per_sec = bytes_per_sec;
        self.set_burst_goal();
    }

    fn set_burst_goal(&mut self) {
        let bytes = ((self.bytes_per_sec >> BURST_SHIFT) + self.near_bytes).min(MAX_BURST_BYTES);
        self.burst_goal = ((bytes / u64::from(self.mss_bytes)) as Segments).max(self.min_burst()).min(MAX_BURST);
    }

    /// Of BBR version 3 a burst has 64 kB more, halved each 512 µs of the RTT (bbr_tso_segs_generic).
    pub(crate) fn set_min_rtt(&mut self, min_rtt_us: u32) {
        let near_bytes = LARGEST_BUFFER_BYTES.checked_shr(min_rtt_us >> NEAR_SHIFT).unwrap_or(0);
        if near_bytes != self.near_bytes {
            self.near_bytes = near_bytes;
            self.set_burst_goal();
        }
    }

    /// `gain` times `bandwidth` less the margin, in bytes/s.
    pub(crate) fn rate_of(&self, bandwidth: Bandwidth, gain: Gain) -> u64 {
        bandwidth.bytes_per_sec(self.mss_bytes, gain, self.pacing.margin_percent)
    }

    /// `bandwidth` as a rate of payload, without gain or margin.
    pub(crate) fn unpaced_rate(&self, bandwidth: Bandwidth) -> Rate {
        Rate::from_bytes_per_sec(bandwidth.bytes_per_sec(self.mss_bytes, Gain::UNIT, 0))
    }

    /// The rate in force, bytes/s.
    pub(crate) fn bytes_per_sec(&self) -> u64 {
        self.bytes_per_sec
    }

    /// Segments of a burst at this rate. Linux 6.1 bbr_tso_segs_goal.
    pub(crate) fn burst_goal(&self) -> Segments {
        self.burst_goal
    }

    /// Smallest burst: single segments on slow paths. Linux 6.1 bbr_min_tso_segs.
    pub(crate) fn min_burst(&self) -> Segments {
        if self.bytes_per_sec < self.pacing.min_tso_bytes_per_sec { 1 } else { 2 }
    }
}

/// With departure times set ahead, part of the flight is still in the host. Estimates what will be in the network when the
/// next segment leaves, with a burst of its own while the flight is being raised. Linux 6.1 bbr_packets_in_net_at_edt.
pub(crate) fn flight_at_next_departure(
    ack: &Ack,
    in_flight: Segments,
    bandwidth: Bandwidth,
    burst: Segments,
) -> Segments {
    let wait_us = ack.next_departure.saturating_since(ack.now).as_micros();
    (in_flight + burst).saturating_sub(bandwidth.segments_in(wait_us))
}

impl Bbr {
    pub(super) fn flight_at_next_departure(&self, ack: &Ack, in_flight: Segments) -> Segments {
        let burst = if self.gains.pacing > Gain::UNIT { self.pacer.burst_goal() } else { 0 };
        flight_at_next_departure(ack, in_flight, self.bandwidth(), burst)
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::super::Parameters;
    use super::*;
    use crate::event::samples;

    fn pacer(given: &[(&str, f64)], start: &Start) -> Pacer {
        Pacer::new(Parameters::from_defaults_and(given).pacing, start)
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
        let pacer = pacer(&[], &samples::start());
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(20_000.0)), "{pacer:?}");
    }

    #[test]
    fn without_a_handshake_rtt_it_is_a_millisecond_until_one_is_known() {
        let mut pacer = pacer(&[], &Start { rtt_us: None, ..samples::start() });
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(1_000.0)));
        pacer.learn_rtt(0, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(1_000.0)));
        pacer.learn_rtt(50_000, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(50_000.0)));
        pacer.learn_rtt(10_000, 10);
        assert!(is_near(pacer.bytes_per_sec(), initial_rate(50_000.0)), "only once");
    }

    #[test]
    fn the_rate_does_not_fall_before_the_pipe_was_full() {
        let mut pacer = pacer(&[], &samples::start());
        let first = pacer.bytes_per_sec();
        let slow = Bandwidth::of_delivery(1u32, 20_000u32);
        pacer.pace_at(slow, Gain::UNIT, false);
        assert_eq!(pacer.bytes_per_sec(), first);
        pacer.pace_at(slow, Gain::UNIT, true);
        assert!(is_near(pacer.bytes_per_sec(), 50.0 * 1_448.0 * 0.99));
    }

    #[test]
    fn the_margin_is_a_parameter() {
        let exact = pacer(&[("pacing_margin", 0.0)], &samples::start());
        assert!(is_near(exact.bytes_per_sec(), initial_rate(20_000.0) / 0.99));
    }

    #[test]
    fn bursts_last_a_millisecond_between_their_bounds() {
        let goal = |bytes_per_sec| {
            let mut pacer = pacer(&[], &samples::start());
            pacer.set(bytes_per_sec);
            (pacer.burst_goal(), pacer.min_burst())
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
