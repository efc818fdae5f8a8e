//! How much leaves at once, and when: pacing, TSO's burst sizes, and small queues.
//!
//! Linux 6.1: `tcp_update_pacing_rate`, `tcp_tso_autosize`, `tcp_update_skb_after_send`, `tcp_pacing_check`,
//! `tcp_small_queue_check`.

use super::truesize;
use crate::net::Waiting;
use units::{Rate, Segments, Span, Time};

/// Bytes in a super-packet (`GSO_LEGACY_MAX_SIZE`).
pub const SUPER_PACKET_BYTES: u64 = 65_536;
/// Segments in a super-packet (`GSO_MAX_SEGS`).
const SUPER_PACKET_SEGMENTS: u64 = 65_535;
/// Default of `tcp_min_tso_segs`.
const MIN_BURST_SEGMENTS: Segments = 2;
/// A burst holds what the pacing rate carries in 2^-10 s, about a millisecond (`sk_pacing_shift`).
const PACING_SHIFT: u32 = 10;
/// Shorter paths get longer bursts: a super-packet is halved for every 512 µs of minimum RTT (`tcp_tso_rtt_log`).
const RTT_LOG: u32 = 9;
/// The first segments of a connection are not paced (`tcp_update_skb_after_send`, as `fq` did).
const UNPACED_SEGMENTS: u64 = 10;
/// Pacing rate over cwnd/RTT, in percent, in slow start and in congestion avoidance (`tcp_pacing_ss_ratio`,
/// `tcp_pacing_ca_ratio`).
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;

/// Who spaces a connection's departures (`sk_pacing_status`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacer {
    /// Nobody: what a window admits leaves at once.
    Nobody,
    /// TCP itself: a burst is held until it may leave.
    Sender,
    /// The host's `fq`: a burst is handed over at once, and stamped with its earliest departure.
    FairQueue,
}

/// The sender's pacing.
#[derive(Clone, Debug)]
pub struct Pacing {
    pacer: Pacer,
    rate: Rate,
    /// When the next burst may leave (`tcp_wstamp_ns`).
    next: Time,
}

impl Pacing {
    /// Nothing sent yet.
    pub const fn new(pacer: Pacer) -> Self {
        Self { pacer, rate: Rate::from_bps(u64::MAX), next: Time::ZERO }
    }

    /// Whether departures are really spaced.
    pub fn is_active(&self) -> bool {
        self.pacer != Pacer::Nobody
    }

    /// The algorithm does not pace itself after all; what a host's queue does is another's.
    pub const fn release(&mut self) {
        if matches!(self.pacer, Pacer::Sender) {
            self.pacer = Pacer::Nobody;
        }
    }

    /// The rate, used or not.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// The algorithm sets the rate.
    pub const fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// When the next burst may leave.
    pub const fn next(&self) -> Time {
        self.next
    }

    /// The rate that follows from window and RTT, for algorithms that do not set one.
    #[inline]
    pub fn follow_window(&mut self, mss_bytes: u32, cwnd: Segments, ssthresh: Segments, out: u32, srtt_us8: u32) {
        let percent = if cwnd < ssthresh / 2 { SLOW_START_PERCENT } else { AVOIDANCE_PERCENT };
        // mss * window / srtt in bytes/s, times the percentage
        let numerator = u64::from(mss_bytes) * (1_000_000 / 100 * 8) * percent * u64::from(cwnd.max(out));
        self.rate = Rate::from_bytes_per_sec(numerator.checked_div(u64::from(srtt_us8)).unwrap_or(numerator));
    }

    /// True when pacing holds the next burst back.
    #[inline]
    pub fn holds(&self, now: Time) -> bool {
        self.pacer == Pacer::Sender && self.next > now
    }

    /// The earliest departure of a burst that is handed over now. It is what the burst is stamped with, so that what
    /// it waits in `fq` counts neither in its RTT nor in a delivery rate.
    #[inline]
    pub fn stamp(&self, now: Time) -> Time {
        if self.pacer == Pacer::FairQueue { self.next.max(now) } else { now }
    }

    /// The host dropped a burst: it takes none of the rate, but the credit of one that is late is lost.
    pub fn on_drop(&mut self, now: Time) {
        self.next = self.next.max(now);
    }

    /// A burst of `bytes` was handed over; `sent` segments with it since the beginning.
    #[inline]
    pub fn on_burst(&mut self, bytes: u64, sent: u64, now: Time) {
        let before = self.next;
        self.next = before.max(now);
        if !self.is_active() || sent < UNPACED_SEGMENTS || self.rate.as_bps() == 0 || self.rate.as_bps() == u64::MAX {
            return;
        }
        let span = Span::from_nanos(bytes * 1_000_000_000 / self.rate.as_bytes_per_sec().max(1));
        // A burst that left late catches up, by at most half its length.
        let credit = self.next.since(before);
        self.next += span.saturating_sub(credit.min(span / 2));
    }

    /// Segments in one burst: what the rate carries in a millisecond, more on short paths.
    #[inline]
    pub fn burst_segments(&self, mss_bytes: u32, min_rtt_us: u32, minimum: Option<Segments>) -> Segments {
        let mut bytes = self.rate.as_bytes_per_sec() >> PACING_SHIFT;
        let halvings = min_rtt_us >> RTT_LOG;
        if halvings < u32::BITS {
            bytes += SUPER_PACKET_BYTES >> halvings;
        }
        let segments = bytes.min(SUPER_PACKET_BYTES) / u64::from(mss_bytes);
        let minimum = u64::from(minimum.unwrap_or(MIN_BURST_SEGMENTS));
        segments.max(minimum).min(SUPER_PACKET_SEGMENTS) as Segments
    }

    /// Whether so much of a connection in its host's hands holds back a burst: two of its kind, or what the rate carries in
    /// a millisecond; `doubled` for retransmissions. Both count as memory, and the kernel's sum begins with one byte
    /// (`sk_wmem_alloc`): what is exactly at the limit is above it.
    #[inline]
    pub fn small_queue_holds(&self, waiting: Waiting, burst: Waiting, doubled: bool) -> bool {
        /// `tcp_limit_output_bytes`
        const LIMIT_BYTES: u64 = 1 << 20;
        let limit = (2 * truesize::waiting(burst)).max(self.rate.as_bytes_per_sec() >> PACING_SHIFT);
        let limit = if self.is_active() { limit } else { limit.min(LIMIT_BYTES) };
        1 + truesize::waiting(waiting) > limit << u32::from(doubled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_hold_a_millisecond_of_data_and_at_least_two_segments() {
        let mut pacing = Pacing::new(Pacer::Sender);
        for (mbps, segments) in [(1, 2), (80, 6), (1_000, 45), (100_000, 45)] {
            pacing.set_rate(Rate::from_bps(mbps * 1_000_000));
            assert_eq!(pacing.burst_segments(1448, 25_000, None), segments, "{mbps}");
        }
        pacing.set_rate(Rate::from_bps(1_000_000));
        assert_eq!(pacing.burst_segments(1448, 25_000, Some(1)), 1);
        assert_eq!(pacing.burst_segments(1448, 100, None), 45, "short paths get whole super-packets");
    }

    #[test]
    fn departures_are_spaced_by_size_over_rate_after_the_first_ten_segments() {
        let mut pacing = Pacing::new(Pacer::Sender);
        pacing.set_rate(Rate::from_bytes_per_sec(1_000_000));
        let now = Time::from_nanos(5_000);
        pacing.on_burst(2_000, 9, now);
        assert!(!pacing.holds(now));
        pacing.on_burst(2_000, 11, now);
        assert_eq!(pacing.next(), now + Span::from_millis(2));
        assert!(pacing.holds(now));
    }

    #[test]
    fn a_late_burst_catches_up_by_at_most_half_its_length() {
        let mut pacing = Pacing::new(Pacer::Sender);
        pacing.set_rate(Rate::from_bytes_per_sec(1_000_000));
        pacing.on_burst(2_000, 20, Time::ZERO);
        let late = Time::ZERO + Span::from_millis(2) + Span::from_micros(300);
        pacing.on_burst(2_000, 22, late);
        assert_eq!(pacing.next(), late + Span::from_micros(1_700));
        let very_late = late + Span::from_millis(50);
        pacing.on_burst(2_000, 24, very_late);
        assert_eq!(pacing.next(), very_late + Span::from_millis(1));
    }
}
