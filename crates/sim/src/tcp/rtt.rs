//! Round-trip time and retransmission timeout (RFC 6298, with the arithmetic of Linux 6.1 `tcp_rtt_estimator`).
//!
//! Linux differs from RFC 6298: the variance is a maximum over a round, it falls slowly when the RTT falls, and the
//! minimum of 200 ms is a floor of the variance term: RTO = SRTT + max(200 ms, 4 RTTVAR).

use crate::engine::jiffies;
use std::cmp::Reverse;
use units::WindowedExtremum;

/// `TCP_RTO_MIN`.
pub const RTO_MIN_US: u32 = 200_000;
/// `TCP_RTO_MAX`, ms.
pub const RTO_MAX_MS: u64 = 120_000;
/// `TCP_TIMEOUT_INIT`, ms (RFC 6298 section 2.1).
pub const RTO_INITIAL_MS: u64 = 1_000;
/// `tcp_min_rtt_wlen`, ms.
const MIN_RTT_WINDOW_MS: u64 = 300_000;

/// A time as an RTT sample, µs. Eight times of it must fit 32 bits: above nine minutes it is nine minutes.
pub fn sample_us(micros: u64) -> u32 {
    u32::try_from(micros).unwrap_or(u32::MAX).min(u32::MAX >> 3)
}

/// What the samples say.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    /// Eight times the smoothed RTT, µs; 0 before the first sample.
    srtt_us8: u32,
    /// Four times the mean deviation, µs, and its maximum in this round.
    mdev_us4: u32,
    mdev_max_us4: u32,
    /// Four times the variance that the timeout uses, µs.
    rttvar_us4: u32,
    /// First segment of the next round.
    round_end: u64,
    minimum: WindowedExtremum<Reverse<u32>>,
    rto_ms: u64,
}

impl Default for RttEstimator {
    fn default() -> Self {
        Self {
            srtt_us8: 0,
            mdev_us4: 0,
            mdev_max_us4: 0,
            rttvar_us4: 0,
            round_end: 0,
            minimum: WindowedExtremum::new(MIN_RTT_WINDOW_MS, Reverse(u32::MAX)),
            rto_ms: RTO_INITIAL_MS,
        }
    }
}

impl RttEstimator {
    /// Smoothed RTT, µs; 0 before the first sample.
    pub const fn srtt_us(&self) -> u32 {
        self.srtt_us8 >> 3
    }

    /// Eight times the smoothed RTT, µs.
    pub const fn srtt_us8(&self) -> u32 {
        self.srtt_us8
    }

    /// Minimum of the last 300 s, µs; `u32::MAX` before the first sample.
    pub const fn min_us(&self) -> u32 {
        self.minimum.get().0
    }

    /// Retransmission timeout with its back-off, ms.
    pub const fn rto_ms(&self) -> u64 {
        self.rto_ms
    }

    /// A timeout doubles the next one (RFC 6298 section 5.5).
    pub fn back_off(&mut self) {
        self.rto_ms = (self.rto_ms * 2).min(RTO_MAX_MS);
    }

    /// A sample for the minimum alone; zero counts as one tick.
    pub fn update_minimum(&mut self, now_ms: u64, rtt_us: u32) {
        self.minimum.insert(now_ms, Reverse(if rtt_us == 0 { 1_000 } else { rtt_us }));
    }

    /// A sample for the average; a timeout's back-off ends with it. `una` and `next` are the window's segments, by
    /// which rounds are told.
    pub fn update(&mut self, rtt_us: u32, una: u64, next: u64) {
        if self.srtt_us8 == 0 {
            self.begin(rtt_us, next);
        } else {
            let error = i64::from(rtt_us) - i64::from(self.srtt_us8 >> 3);
            self.srtt_us8 = clamp(i64::from(self.srtt_us8) + error);
            let mut deviation = error.abs() - i64::from(self.mdev_us4 >> 2);
            if error < 0 && deviation > 0 {
                deviation >>= 3; // a falling RTT raises the timeout slowly (the Eifel algorithm's finding)
            }
            self.mdev_us4 = clamp(i64::from(self.mdev_us4) + deviation);
            if self.mdev_us4 > self.mdev_max_us4 {
                self.mdev_max_us4 = self.mdev_us4;
                self.rttvar_us4 = self.rttvar_us4.max(self.mdev_max_us4);
            }
            if una > self.round_end {
                self.rttvar_us4 -= self.rttvar_us4.saturating_sub(self.mdev_max_us4) >> 2;
                self.round_end = next;
                self.mdev_max_us4 = RTO_MIN_US;
            }
        }
        self.srtt_us8 = self.srtt_us8.max(1);
        self.reset_rto();
    }

    #[cold]
    fn begin(&mut self, rtt_us: u32, next: u64) {
        self.srtt_us8 = rtt_us << 3;
        self.mdev_us4 = rtt_us << 1;
        self.rttvar_us4 = self.mdev_us4.max(RTO_MIN_US);
        self.mdev_max_us4 = self.rttvar_us4;
        self.round_end = next;
    }

    /// The timeout without back-off.
    pub fn reset_rto(&mut self) {
        let timeout_us = u64::from(self.srtt_us8 >> 3) + u64::from(self.rttvar_us4);
        self.rto_ms = jiffies(timeout_us).min(RTO_MAX_MS);
    }
}

fn clamp(micros: i64) -> u32 {
    u32::try_from(micros.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_of_an_hour_is_longer_than_any_other_and_does_not_wrap() {
        let hour_us = sample_us(3_600_000_000);
        assert!(sample_us(500_000_000) == 500_000_000 && hour_us > 500_000_000);
        let mut rtt = RttEstimator::default();
        rtt.update(hour_us, 0, 1);
        assert_eq!((rtt.srtt_us(), rtt.rto_ms()), (hour_us, RTO_MAX_MS));
    }

    #[test]
    fn the_first_sample_sets_everything() {
        let mut rtt = RttEstimator::default();
        assert_eq!(rtt.rto_ms(), RTO_INITIAL_MS);
        rtt.update(300_000, 0, 10);
        assert_eq!((rtt.srtt_us(), rtt.rto_ms()), (300_000, 900)); // 3 RTT
    }

    #[test]
    fn two_hundred_ms_are_a_floor_of_the_variance_term() {
        let mut rtt = RttEstimator::default();
        for round in 0..100 {
            rtt.update(25_000, round * 10 + 1, round * 10 + 11);
        }
        assert_eq!((rtt.srtt_us(), rtt.rto_ms()), (25_000, 225));
    }

    #[test]
    fn back_off_doubles_up_to_its_limit_and_a_sample_ends_it() {
        let mut rtt = RttEstimator::default();
        rtt.update(25_000, 1, 10);
        for _ in 0..20 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto_ms(), RTO_MAX_MS);
        rtt.update(25_000, 2, 12);
        assert_eq!(rtt.rto_ms(), 225);
    }
}
