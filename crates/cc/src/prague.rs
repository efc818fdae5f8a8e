//! Prague: a scalable congestion control for L4S (RFC 9330), which answers to the share of marked packets.
//!
//! Follows draft-briscoe-iccrg-prague-congestion-control-04 (expired in January 2025) and RFC 9331 section 4.3, with the constants
//! of the reference implementation, `tcp_prague.c` 0.7 of L4STeam for Linux 6.18, and of its predecessor 0.6 where that has
//! what 0.7 left out. The draft is of a family of implementations, and names values as theirs.
//!
//! | quantity | draft | reference implementation | this |
//! |---|---|---|---|
//! | ECN | ECT(1), accurate feedback | AccECN, no fallback to RFC 3168 | the same |
//! | without AccECN | a classic congestion control, not ECT | Reno | Reno, which its burst limit and pacing leave |
//! | alpha | mean of the marked share, g = 1/16, each virtual RTT | 24 bits, `PRAGUE_SHIFT_G` 4 | the same |
//! | first mark | alpha begins at 1 | 0.7: half of the window, alpha from 0 (`alpha_mode`) | 0.7's, `alpha_mode` |
//! | decrease on marks | alpha / 2, once a virtual RTT | the same, when a round trip ends | at the first mark after it |
//! | increase | 1 segment a virtual RTT, by unmarked packets | the same, of 1500 bytes | the same |
//! | virtual RTT | max(smoothed RTT, 25 ms), increase by (RTT / 25 ms)² | `prague_rtt_target` 25 ms | `rtt_target` |
//! | it applies | 500 rounds after slow start (of 0.6) | 0.7: 4 (`DEFAULT_RTT_TRANSITION`) | `rtt_transition` 4 |
//! | window | with a fraction | 20 bits; at least 2 segments out | the same |
//! | window below 4 segments | | its rate leads, and packets shrink | the fraction leads the pacing; packets do not shrink |
//! | least rate | | 100 kbit/s (`MINIMUM_RATE`) | the same |
//! | pacing | window / RTT, in slow start twice that | the same, until half of the threshold | the same |
//! | burst | | 1 / 2^12 s (`prague_burst_shift`) | `burst_shift` 12 |
//! | loss | as Reno (RFC 5681) or CUBIC | half | `beta` 0.5, no increase until recovery ends |
//! | slow start | ends at the first mark, or loss | the same | the same |
//! | queue of RFC 3168 | may be detected | 0.6: `prague_ecn_fallback` 0; 0.7: none | `ecn_fallback` 0, as in 0.6 |

mod detector;

use units::{Rate, Segments, Time, millionths};

use crate::growth::left_for_avoidance;
use crate::parameter::Values;
use crate::reno::Reno;
use crate::{
    Ack, Algorithm, CongestionControl, Delivery, Inspection, Parameter, RecoveryState, Start, Timeout, Window,
};
use detector::Detector;

/// The window counts in 1/2^20 segments (`CWND_UNIT`), alpha in 1/2^24 (`PRAGUE_ALPHA_BITS`).
const WINDOW_SHIFT: u32 = 20;
const SEGMENT: u64 = 1 << WINDOW_SHIFT;
const ALPHA_SHIFT: u32 = 24;
const MAX_ALPHA: u64 = 1 << ALPHA_SHIFT;
/// So many segments may always be out (`MIN_CWND_RTT`).
const MIN_CWND: Segments = 2;
/// 100 kbit/s (`MINIMUM_RATE`).
const MIN_RATE: Rate = Rate::from_bps(100_000);
/// The packet that a virtual RTT adds (`MTU_SYS`).
const GROWTH_BYTES: u64 = 1_500;
/// IP's and TCP's header with timestamps, which the rate counts (`tcp_mss_to_mtu`).
const HEADER_BYTES: u32 = 52;
/// Denominator of `beta`.
const BETA_SCALE: u64 = 1_024;
const US_PER_S: u64 = 1_000_000;

/// What the registry knows of Prague.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "prague",
    title: "for L4S: reduction by half of the share of marked packets, pacing, RTT independence; needs accurate ECN, else it is Reno",
    source: "draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331 section 4.3; tcp_prague.c 0.7 of L4STeam",
    parameters: &[
        Parameter::integer("shift_g", 4.0, 0.0, 10.0)
            .about("weight of a virtual RTT in the mean share of marked packets: 1/2^shift_g")
            .source("draft section 2.4.1 (g); tcp_prague.c PRAGUE_SHIFT_G"),
        Parameter::switch("alpha_mode", false)
            .about("the first mark sets the mean share to 1; off: it halves the window, and the share grows from 0")
            .source("tcp_prague.c 0.7 prague_alpha_mode"),
        Parameter::number("rtt_target", 25.0, 0.0, 100.0)
            .unit("ms")
            .about("least virtual RTT: on shorter paths a flow is as slow to grow as on this; 0: none")
            .source("draft section 2.4.4; tcp_prague.c prague_rtt_target"),
        Parameter::integer("rtt_transition", 4.0, 0.0, 100_000.0)
            .unit("rounds")
            .about("rounds after slow start until the virtual RTT applies")
            .source("tcp_prague.c 0.7 DEFAULT_RTT_TRANSITION; 500 in 0.6"),
        Parameter::number("beta", 0.5, 0.05, 0.99)
            .about("share of the window that loss leaves, in steps of 1/1024")
            .source("RFC 5681 equation 4; tcp_prague.c prague_enter_loss"),
        Parameter::integer("burst_shift", 12.0, 0.0, 30.0)
            .about("a burst is at most what the rate carries in 1/2^burst_shift s")
            .source("tcp_prague.c prague_burst_shift"),
        Parameter::switch("ecn_fallback", false)
            .about("looks for a queue of RFC 3168 by the RTT's deviation and growth, and answers a mark there as CUBIC would")
            .source("tcp_prague.c 0.6 prague_ecn_fallback"),
    ],
    ordered: &[],
    needs_ecn: true,
    needs_accurate_ecn: true,
};

/// The draft's congestion control.
#[derive(Clone, Debug)]
pub struct Prague {
    shift_g: u32,
    begins_at_one: bool,
    rtt_target_us: u64,
    rtt_transition: u32,
    beta_1024ths: u64,
    burst_shift: u32,
    detector: Option<Detector>,
    mtu_bytes: u64,
    /// Both ends have accurate ECN; else it is Reno.
    accurate: bool,
    reno: Reno,
    /// Mean share of marked packets, upscaled by 2^`shift_g` so that no remainder is lost.
    upscaled_alpha: u64,
    alpha_at: Time,
    /// The window, in 1/2^20 segments, and what it was before the last loss.
    window: u64,
    window_before_loss: u64,
    /// The round ends when this is acknowledged.
    round_end: u64,
    round_delivered: u64,
    round_delivered_ce: u64,
    /// Rounds since slow start ended.
    rounds: u32,
    /// Marks change nothing until more than this is acknowledged, and a virtual RTT is over.
    reduction_end: u64,
    reduced_at: Time,
    /// Marked packets, in all and when an ACK was taken in last.
    delivered_ce: u64,
    seen_ce: u64,
    /// There is a queue that marks.
    has_seen_ce: bool,
    in_loss: bool,
    timed_out: bool,
    state: RecoveryState,
    rate: Rate,
}

impl Prague {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        let mut prague = Self {
            shift_g: values.integer("shift_g"),
            begins_at_one: values.switch("alpha_mode"),
            rtt_target_us: u64::from(values.rounded("rtt_target", 1_000.0)),
            rtt_transition: values.integer("rtt_transition"),
            beta_1024ths: u64::from(values.rounded("beta", BETA_SCALE as f64)),
            burst_shift: values.integer("burst_shift"),
            detector: values.switch("ecn_fallback").then(|| Detector::new(start.rtt_us.unwrap_or(0))),
            mtu_bytes: u64::from(start.mss_bytes + HEADER_BYTES),
            accurate: start.ecn,
            reno: Reno::halving(),
            upscaled_alpha: 0,
            alpha_at: start.now,
            window: u64::from(start.cwnd) << WINDOW_SHIFT,
            window_before_loss: 0,
            round_end: 0,
            round_delivered: 1, // the SYN
            round_delivered_ce: 0,
            rounds: 0,
            reduction_end: 0,
            reduced_at: Time::ZERO,
            delivered_ce: 0,
            seen_ce: 0,
            has_seen_ce: false,
            in_loss: false,
            timed_out: false,
            state: RecoveryState::Open,
            rate: MIN_RATE,
        };
        let window = Window { cwnd: start.cwnd, ssthresh: Segments::MAX };
        prague.set_rate(start.rtt_us.map_or(0, u64::from), 0, &window);
        prague
    }

    /// `prague_is_rtt_indep`
    const fn is_rtt_independent(&self, window: &Window) -> bool {
        !window.in_slow_start() && self.rounds >= self.rtt_transition
    }

    /// A virtual RTT is over since then; the path's own is, too.
    fn is_over(&self, since: Time, now: Time, window: &Window) -> bool {
        !self.is_rtt_independent(window) || now.since(since).as_micros() >= self.rtt_target_us
    }

    /// What a round trip without marks adds, in 1/2^20 segments: on a shorter path than the virtual RTT the rate grows no faster
    /// than on one of that (draft section 2.4.4; `prague_rate_scaled_ai_ack_increase`).
    fn increase_a_round(&self, srtt_us: u64, window: &Window) -> u64 {
        if !self.is_rtt_independent(window) || srtt_us == 0 || srtt_us >= self.rtt_target_us {
            return SEGMENT;
        }
        let target = self.rtt_target_us * self.rtt_target_us;
        (srtt_us * srtt_us * SEGMENT + target / 2) / target
    }

    /// The window as the transport has it.
    fn cwnd(&self) -> Segments {
        let rounded = self.window.div_ceil(SEGMENT).min(u64::from(Segments::MAX));
        (rounded as Segments).max(MIN_CWND)
    }

    /// The window that the least rate fills.
    fn least_window(&self, srtt_us: u64) -> u64 {
        MIN_RATE.as_bytes_per_sec() * srtt_us * SEGMENT / (US_PER_S * self.mtu_bytes)
    }

    /// The mean share of marked packets.
    const fn alpha(&self) -> u64 {
        self.upscaled_alpha >> self.shift_g
    }

    /// Draft section 2.4.2, `prague_enter_cwr`.
    fn reduce(&mut self, ack: &Ack, window: &mut Window) {
        let is_first = !self.has_seen_ce;
        if is_first {
            self.has_seen_ce = true;
            if self.begins_at_one {
                self.upscaled_alpha = MAX_ALPHA << self.shift_g;
            }
        } else if ack.una <= self.reduction_end || !self.is_over(self.reduced_at, ack.now, window) {
            return;
        }
        let alpha = if is_first { MAX_ALPHA } else { self.alpha() };
        let alpha = self.detector.as_ref().map_or(alpha, |detector| alpha.max(detector.least_alpha()));
        let less = (u128::from(self.window) * u128::from(alpha) + u128::from(MAX_ALPHA)) >> (ALPHA_SHIFT + 1);
        self.window = (self.window - less as u64).max(self.least_window(ack.srtt_us.into()));
        if window.in_slow_start() {
            window.ssthresh = self.cwnd();
        }
        self.reduction_end = ack.next;
        self.reduced_at = ack.now;
    }

    /// Draft section 2.4.3, `prague_update_cwnd`: unmarked packets add to the window, also while it is being reduced.
    fn grow(&mut self, unmarked: Segments, ack: &Ack, window: &mut Window) {
        let was_in_slow_start = window.in_slow_start();
        let Some(acked) = left_for_avoidance(window, unmarked) else {
            self.window = u64::from(window.cwnd) << WINDOW_SHIFT;
            return;
        };
        if was_in_slow_start {
            self.window = u64::from(window.cwnd) << WINDOW_SHIFT;
        }
        let round = self.increase_a_round(ack.srtt_us.into(), window) * GROWTH_BYTES / self.mtu_bytes;
        let product = u128::from(u64::from(acked) * round) << WINDOW_SHIFT;
        let more = (product + u128::from(self.window / 2)) / u128::from(self.window.max(1));
        self.window = self.window.saturating_add((more as u64).max(acked.into()));
    }

    /// Draft section 2.4.1, `prague_update_alpha`.
    fn end_round(&mut self, ack: &Ack, window: &Window) {
        if self.has_seen_ce {
            if let Some(detector) = &mut self.detector {
                detector.judge(ack.min_rtt_us, window.cwnd);
            }
            let marked = self.delivered_ce - self.round_delivered_ce;
            let share = (marked << ALPHA_SHIFT) / (ack.delivered - self.round_delivered).max(1);
            let alpha = self.upscaled_alpha - (self.upscaled_alpha >> self.shift_g) + share;
            self.upscaled_alpha = alpha.min(MAX_ALPHA << self.shift_g);
            self.alpha_at = ack.now;
        }
        self.round_end = ack.next;
        self.round_delivered = ack.delivered;
        self.round_delivered_ce = self.delivered_ce;
        if !window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
    }

    /// `prague_update_pacing_rate`; a window below what may always be out leads by its fraction.
    fn set_rate(&mut self, srtt_us: u64, in_flight: Segments, window: &Window) {
        let out = if self.window < u64::from(MIN_CWND) << WINDOW_SHIFT {
            self.window
        } else {
            (self.window & !(SEGMENT - 1)).max(u64::from(in_flight) << WINDOW_SHIFT)
        };
        let doubled = u32::from(window.cwnd < window.ssthresh / 2);
        let bytes_per_s = ((u128::from(self.mtu_bytes * US_PER_S) * u128::from(out)) >> WINDOW_SHIFT) << doubled;
        let bytes_per_s = bytes_per_s.checked_div(srtt_us.into()).unwrap_or(bytes_per_s);
        let bytes_per_s = u64::try_from(bytes_per_s).unwrap_or(u64::MAX).min(u64::MAX / 8);
        self.rate = Rate::from_bytes_per_sec(bytes_per_s).max(MIN_RATE);
    }

    /// Loss reduces as it does Reno (`prague_enter_loss`).
    fn on_loss(&mut self) -> Segments {
        self.window_before_loss = self.window;
        self.window = (u128::from(self.window) * u128::from(self.beta_1024ths) / u128::from(BETA_SCALE)) as u64;
        self.in_loss = true;
        self.cwnd()
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        if !self.accurate {
            return self.reno.on_ack(ack, window);
        }
        if let (Some(detector), Some(rtt_us)) = (&mut self.detector, ack.rtt_us) {
            detector.sample(rtt_us);
        }
        let marked = self.delivered_ce - self.seen_ce;
        self.seen_ce = self.delivered_ce;
        if marked > 0 && !self.in_loss {
            self.reduce(ack, window);
        }
        let unmarked = u64::from(ack.acked_sacked).saturating_sub(marked) as Segments;
        if unmarked > 0 && !self.in_loss && ack.cwnd_limited {
            self.grow(unmarked, ack, window);
        }
        // Step by step.
        let cwnd = self.cwnd();
        if window.cwnd > cwnd {
            window.cwnd -= 1;
            window.ssthresh = window.cwnd;
        } else if window.cwnd < cwnd {
            window.cwnd += 1;
        }
        if ack.una >= self.round_end && self.is_over(self.alpha_at, ack.now, window) {
            self.end_round(ack, window);
        }
        self.set_rate(ack.srtt_us.into(), ack.in_flight, window);
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.delivered_ce = delivery.delivered_ce;
    }

    /// Marks are answered as ACKs bring them; they leave the threshold.
    fn on_congestion(&mut self, window: &Window) -> Segments {
        if !self.accurate {
            return self.reno.on_congestion(window);
        }
        if self.timed_out { self.on_loss() } else { window.ssthresh }
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.timed_out = true;
    }

    fn on_state(&mut self, state: RecoveryState, window: &mut Window) {
        self.reno.on_state(state, window);
        if self.accurate && state == RecoveryState::Recovery && self.state != RecoveryState::Recovery {
            window.ssthresh = self.on_loss();
        }
        if state == RecoveryState::Open {
            self.in_loss = false;
        }
        self.state = state;
        self.timed_out = false;
    }

    fn on_undo(&mut self, window: &Window, prior_cwnd: Segments) -> Segments {
        self.in_loss = false;
        self.window = self.window.max(self.window_before_loss);
        window.cwnd.max(prior_cwnd)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.accurate.then_some(self.rate)
    }

    fn owns_window(&self) -> bool {
        self.accurate
    }

    fn min_burst(&self) -> Option<Segments> {
        self.accurate.then_some(1)
    }

    fn max_burst(&self) -> Segments {
        if !self.accurate {
            return Segments::MAX;
        }
        let packets = (self.rate.as_bytes_per_sec() / self.mtu_bytes) >> self.burst_shift;
        Segments::try_from(packets).unwrap_or(Segments::MAX).max(1)
    }

    fn phases(&self) -> &'static [&'static str] {
        self.reno.phases()
    }

    fn inspect(&self) -> Inspection {
        if self.accurate {
            // Slow start ends for good when a mark or a loss does.
            let phase = u8::from(self.rounds > 0);
            let alpha_ppm = Some(millionths(self.alpha(), MAX_ALPHA));
            return Inspection { phase, alpha_ppm, ..Inspection::default() };
        }
        self.reno.inspect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples::{ack, start};
    use units::Span;

    const MS: u64 = 1_000_000;
    const AVOIDANCE: Window = Window { cwnd: 100, ssthresh: 100 };

    fn prague(given: &[(&str, f64)]) -> Prague {
        ALGORITHM.with(given, |values| Prague::new(values, &Start { cwnd: 100, ecn: true, ..start() }))
    }

    /// A path that acknowledges a segment at a time.
    struct Path {
        cc: Prague,
        window: Window,
        rtt_ms: u64,
        una: u64,
        delivered_ce: u64,
        now: Time,
    }

    impl Path {
        fn new(given: &[(&str, f64)], rtt_ms: u64) -> Self {
            let now = Time::from_nanos(1_000 * MS);
            Self { cc: prague(given), window: AVOIDANCE, rtt_ms, una: 1, delivered_ce: 0, now }
        }

        /// A round trip, of whose packets every so manieth is marked; 0: none.
        fn round(&mut self, every: u64) -> &mut Self {
            let packets = u64::from(self.window.cwnd);
            for packet in 1..=packets {
                self.now += Span::from_nanos(self.rtt_ms * MS / packets);
                self.una += 1;
                self.delivered_ce += u64::from(every > 0 && packet % every == 0);
                let (una, next) = (self.una, self.una + u64::from(self.window.cwnd));
                let delivery = Delivery { una, next, delivered: una, delivered_ce: self.delivered_ce };
                self.cc.on_delivery(&delivery);
                let rtt_us = (1_000 * self.rtt_ms) as u32;
                let event = Ack {
                    now: self.now,
                    una,
                    next,
                    delivered: una,
                    srtt_us: rtt_us,
                    min_rtt_us: rtt_us,
                    rtt_us: Some(rtt_us),
                    in_flight: self.window.cwnd,
                    ..ack()
                };
                self.cc.on_ack(&event, &mut self.window);
            }
            self
        }

        fn rounds(&mut self, count: u64, every: u64) -> &mut Self {
            (0..count).for_each(|_| {
                self.round(every);
            });
            self
        }

        /// The window with its fraction.
        fn segments(&self) -> f64 {
            self.cc.window as f64 / SEGMENT as f64
        }

        fn share(&self) -> f64 {
            self.cc.alpha() as f64 / MAX_ALPHA as f64
        }
    }

    #[test]
    fn without_marks_a_virtual_round_trip_adds_a_segments_worth_of_rate() {
        for (rtt_ms, expected) in [(100, 1.0), (25, 1.0), (10, 0.16), (5, 0.04)] {
            let mut path = Path::new(&[], rtt_ms);
            path.rounds(6, 0);
            let before = path.segments();
            path.round(0);
            let more = path.segments() - before;
            assert!((more / expected - 1.0).abs() < 0.02, "{rtt_ms} ms: {more}");
        }
    }

    #[test]
    fn the_first_mark_halves_the_window_and_later_ones_take_half_of_the_share() {
        let mut path = Path::new(&[], 50);
        path.round(60);
        let halved = path.segments();
        assert!((50.0..51.5).contains(&halved), "{halved}");
        assert_eq!(path.share(), 0.0);
        path.rounds(200, 20);
        assert!((0.03..0.07).contains(&path.share()), "{}", path.share());
        assert_eq!(path.cc.inspect().alpha_ppm, Some((1e6 * path.share()) as u32));
        let (before, share) = (path.segments(), path.share());
        // A round trip adds a segment but for what is marked, and takes half of the share once.
        path.round(20);
        let expected = before * (1.0 - share / 2.0) + 0.95;
        assert!((path.segments() - expected).abs() < 0.2, "{} for {expected}", path.segments());
    }

    #[test]
    fn the_share_may_begin_at_one() {
        let mut path = Path::new(&[("alpha_mode", 1.0)], 50);
        path.round(100);
        assert!((0.9..=1.0).contains(&path.share()), "{}", path.share());
    }

    #[test]
    fn marks_reduce_once_a_virtual_round_trip() {
        let reductions = |rtt_ms, rounds| {
            let mut path = Path::new(&[], rtt_ms);
            path.rounds(10, 10);
            let (mut count, mut at) = (0, path.cc.reduced_at);
            for _ in 0..rounds {
                path.round(2);
                count += u32::from(path.cc.reduced_at != at);
                at = path.cc.reduced_at;
            }
            count
        };
        assert!((17..=20).contains(&reductions(50, 20)), "{}", reductions(50, 20));
        // On a path of 1 ms at most once in 25 ms.
        assert!((18..=20).contains(&reductions(1, 500)), "{}", reductions(1, 500));
    }

    #[test]
    fn slow_start_ends_at_the_first_mark() {
        let mut path = Path::new(&[], 50);
        path.window.ssthresh = Segments::MAX;
        path.round(0);
        assert_eq!((path.window.cwnd, path.cc.inspect().phase), (200, 0));
        path.round(100);
        assert!(!path.window.in_slow_start() && path.window.cwnd < 200, "{:?}", path.window);
    }

    #[test]
    fn loss_halves_and_nothing_grows_until_it_is_made_up_for() {
        let mut path = Path::new(&[], 50);
        path.cc.on_state(RecoveryState::Recovery, &mut path.window);
        assert_eq!(path.window.ssthresh, 50);
        path.rounds(3, 0);
        assert_eq!((path.segments(), path.window.cwnd), (50.0, 50), "step by step");
        path.cc.on_state(RecoveryState::Open, &mut path.window);
        path.round(0);
        assert!(path.segments() > 50.9);
        assert_eq!(path.cc.on_undo(&path.window, 100), 100);
        assert_eq!(path.segments(), 100.0);
    }

    #[test]
    fn a_timeout_is_a_loss() {
        let mut cc = prague(&[]);
        let timeout = Timeout { now: start().now, delivered: 1, delivered_at: start().now, lost: 1 };
        assert_eq!(cc.on_congestion(&AVOIDANCE), 100, "marks leave the threshold");
        cc.on_timeout(&timeout);
        assert_eq!(cc.on_congestion(&AVOIDANCE), 50);
        cc.on_state(RecoveryState::Loss, &mut AVOIDANCE.clone());
        assert_eq!(cc.on_congestion(&AVOIDANCE), 100);
    }

    #[test]
    fn pacing_spreads_the_window_over_the_round_trip_and_bounds_a_burst() {
        let mut path = Path::new(&[], 20);
        path.round(0);
        // 101 packets of 1500 bytes each 20 ms: 7.6 MB/s, of which 2^-12 s are one packet.
        let rate = path.cc.pacing_rate().unwrap().as_bytes_per_sec();
        assert!((7_500_000..7_650_000).contains(&rate), "{rate}");
        assert_eq!((path.cc.min_burst(), path.cc.max_burst()), (Some(1), 1));
        path.window.ssthresh = Segments::MAX;
        path.cc.set_rate(20_000, path.window.cwnd, &path.window);
        let doubled = path.cc.pacing_rate().unwrap().as_bytes_per_sec();
        assert!(doubled.abs_diff(2 * rate) <= 2, "{doubled}");
    }

    #[test]
    fn a_window_below_two_segments_slows_the_pacing_down_to_100_kilobits() {
        let mut path = Path::new(&[("rtt_target", 0.0)], 20);
        path.rounds(300, 1);
        assert_eq!(path.window.cwnd, MIN_CWND);
        assert_eq!(path.cc.pacing_rate(), Some(MIN_RATE));
        assert!(path.segments() < 0.2, "{}", path.segments());
    }

    #[test]
    fn without_accurate_ecn_it_is_reno() {
        let mut cc = ALGORITHM.with(&[], |values| Prague::new(values, &start()));
        assert_eq!(cc.on_congestion(&AVOIDANCE), 50);
        assert_eq!((cc.pacing_rate(), cc.owns_window()), (None, false));
        let mut window = Window { cwnd: 10, ssthresh: Segments::MAX };
        cc.on_ack(&Ack { acked_sacked: 2, ..ack() }, &mut window);
        assert_eq!(window.cwnd, 12);
    }
}
