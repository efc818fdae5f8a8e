//! HyStart: leave slow start when the path is full, before its queue is (Ha and Rhee 2008; RFC 9438 section 4.10).
//!
//! Two tests, each within a round trip. The train: slow start sends a window back to back, and as long as ACKs
//! come back closely spaced the train of them is as long as the window lasts on the bottleneck; once it is as long as
//! the path (half of it, when bursts are not spread by pacing) the window fills the path. The delay: when even the
//! smallest RTT of a round is above the minimum by an eighth, a queue stands.
//!
//! Follows Linux 6.1 hystart_update; RFC 9406's HyStart++ (no train, a conservative slow start) is another algorithm.
//! Differs from it only just after a timeout, where the first round starts with the first ACK, not with the timeout.

use units::{Segments, Time};

use crate::Ack;
use crate::parameter::Values;

/// Cap on the train's allowance for bursts, µs (Linux 6.1 hystart_ack_delay).
const MAX_ALLOWANCE_US: u64 = 1_000;
/// Bursts that the allowance covers: one at each end of the path, doubled because the rate doubles.
const ALLOWED_BURSTS: u64 = 4;

/// Why HyStart ended slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HyStartExit {
    /// A train of closely spaced ACKs was as long as the path.
    AckTrain,
    /// The smallest RTT of a round had risen.
    Delay,
}

/// HyStart's view of the current round.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStart {
    train: bool,
    delay: bool,
    low_window: Segments,
    ack_delta_us: u32,
    min_samples: u32,
    delay_range_us: (u32, u32),
    burst_bytes: u32,
    round_start_us: u64,
    /// Last ACK of the train, µs; `None` when there can be no train before the next round.
    last_ack_us: Option<u64>,
    /// The round ends when this is acknowledged; `None`: with what is in flight at the next ACK.
    round_end: Option<u64>,
    round_min_us: u32,
    samples: u32,
    exit: Option<HyStartExit>,
}

impl HyStart {
    pub(super) fn new(values: &Values<'_>, now: Time) -> Self {
        let on = values.switch("hystart");
        Self {
            train: on && values.switch("hystart_train"),
            delay: on && values.switch("hystart_delay"),
            low_window: values.integer("hystart_low_window"),
            ack_delta_us: values.integer("hystart_ack_delta_us"),
            min_samples: values.integer("hystart_min_samples"),
            delay_range_us: (values.integer("hystart_delay_min_us"), values.integer("hystart_delay_max_us")),
            burst_bytes: values.integer("hystart_burst_bytes"),
            round_start_us: now.as_micros(),
            last_ack_us: Some(now.as_micros()),
            round_end: Some(0),
            round_min_us: u32::MAX,
            samples: 0,
            exit: None,
        }
    }

    pub(super) fn exit(&self) -> Option<HyStartExit> {
        self.exit
    }

    /// After a timeout: slow start begins anew.
    pub(super) fn restart(&mut self) {
        self.exit = None;
        self.last_ack_us = None;
        self.round_end = None;
        self.round_min_us = u32::MAX;
        self.samples = 0;
    }

    /// Takes in an ACK of slow start; true when slow start is to end here. `delay_min_us` includes this sample.
    pub(super) fn ends_slow_start(&mut self, ack: &Ack, delay_us: u32, delay_min_us: u32, cwnd: Segments) -> bool {
        if self.exit.is_some() || !(self.train || self.delay) {
            return false;
        }
        let now_us = ack.now.as_micros();
        if ack.una > *self.round_end.get_or_insert(ack.next) {
            self.begin_round(now_us, ack.next);
        }
        if cwnd < self.low_window {
            return false;
        }
        if self.train && self.train_fills_the_path(ack, now_us, delay_min_us) {
            self.exit = Some(HyStartExit::AckTrain);
        } else if self.delay && self.delay_has_risen(delay_us, delay_min_us) {
            self.exit = Some(HyStartExit::Delay);
        }
        self.exit.is_some()
    }

    fn begin_round(&mut self, now_us: u64, next: u64) {
        self.round_start_us = now_us;
        self.last_ack_us = Some(now_us);
        self.round_end = Some(next);
        self.round_min_us = u32::MAX;
        self.samples = 0;
    }

    fn train_fills_the_path(&mut self, ack: &Ack, now_us: u64, delay_min_us: u32) -> bool {
        let Some(last_us) = self.last_ack_us else { return false };
        if now_us - last_us > u64::from(self.ack_delta_us) {
            return false;
        }
        self.last_ack_us = Some(now_us);
        let path_us = u64::from(delay_min_us) + self.allowance_us(ack);
        // Pacing spreads a window over the first half of the round trip, and the train with it.
        let threshold_us = if ack.paced { path_us } else { path_us / 2 };
        now_us - self.round_start_us > threshold_us
    }

    /// Time that bursts of the sending host add to a train.
    fn allowance_us(&self, ack: &Ack) -> u64 {
        let bytes_per_sec = ack.pacing_rate.as_bytes_per_sec();
        let burst_us = u64::from(self.burst_bytes) * ALLOWED_BURSTS * 1_000_000;
        if bytes_per_sec == 0 {
            0
        } else if burst_us >= MAX_ALLOWANCE_US * bytes_per_sec {
            // Below 2 Gbit/s, so nearly always: no division.
            MAX_ALLOWANCE_US
        } else {
            burst_us / bytes_per_sec
        }
    }

    fn delay_has_risen(&mut self, delay_us: u32, delay_min_us: u32) -> bool {
        self.round_min_us = self.round_min_us.min(delay_us);
        if self.samples < self.min_samples {
            self.samples += 1;
            return false;
        }
        let (low, high) = self.delay_range_us;
        self.round_min_us > delay_min_us.saturating_add((delay_min_us / 8).clamp(low, high))
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;
    use crate::cubic::ALGORITHM;
    use crate::event::samples;

    fn hystart(given: &[(&str, f64)]) -> HyStart {
        ALGORITHM.with(given, |values| HyStart::new(values, Time::ZERO))
    }

    /// When (µs) and why ACKs of one round that are `gap_us` apart, on a path of `rtt_us`, end slow start. The delay of
    /// the n-th is above that by `rise_us(n)`.
    fn exit_of(
        mut hystart: HyStart,
        rtt_us: u32,
        gap_us: u64,
        paced: bool,
        rise_us: impl Fn(u64) -> u32,
    ) -> Option<(u64, HyStartExit)> {
        let base = Time::from_nanos(1_000_000_000);
        for n in 0..1_000 {
            let now = base + Span::from_micros(n * gap_us);
            let ack = Ack { now, una: n + 1, next: 2_000, paced, ..samples::ack() };
            if hystart.ends_slow_start(&ack, rtt_us + rise_us(n), rtt_us, 100) {
                return hystart.exit().map(|exit| (n * gap_us, exit));
            }
        }
        assert_eq!(hystart.exit(), None);
        None
    }

    #[test]
    fn a_train_of_half_the_path_ends_slow_start() {
        // 100 ms, and 1 ms allowed for bursts, halved.
        let exit = exit_of(hystart(&[]), 100_000, 1_000, false, |_| 0);
        assert_eq!(exit, Some((51_000, HyStartExit::AckTrain)));
    }

    #[test]
    fn a_paced_train_may_be_as_long_as_the_path() {
        let exit = exit_of(hystart(&[]), 100_000, 1_000, true, |_| 0);
        assert_eq!(exit, Some((102_000, HyStartExit::AckTrain)));
    }

    #[test]
    fn acks_more_than_two_milliseconds_apart_are_no_train() {
        assert_eq!(exit_of(hystart(&[]), 100_000, 2_001, false, |_| 0), None);
        assert_eq!(exit_of(hystart(&[]), 100_000, 2_000, false, |_| 0), Some((52_000, HyStartExit::AckTrain)));
        let patient = hystart(&[("hystart_ack_delta_us", 3_000.0)]);
        assert_eq!(exit_of(patient, 100_000, 2_001, false, |_| 0).map(|(_, why)| why), Some(HyStartExit::AckTrain));
    }

    #[test]
    fn a_rise_of_an_eighth_after_eight_samples_ends_slow_start() {
        let exit = |rise: u32| exit_of(hystart(&[("hystart_train", 0.0)]), 80_000, 1_000, false, move |_| rise);
        assert_eq!(exit(10_000), None);
        assert_eq!(exit(10_001), Some((8_000, HyStartExit::Delay)));
    }

    #[test]
    fn one_sample_without_queue_keeps_slow_start_going() {
        let rise = |n| if n == 5 { 0 } else { 50_000 };
        assert_eq!(exit_of(hystart(&[("hystart_train", 0.0)]), 80_000, 1_000, false, rise), None);
    }

    #[test]
    fn the_rise_is_at_least_4_and_at_most_16_milliseconds() {
        let exits = |rtt_us, rise: u32| {
            exit_of(hystart(&[("hystart_train", 0.0)]), rtt_us, 1_000, false, move |_| rise).is_some()
        };
        assert_eq!([4_000, 4_001].map(|rise| exits(10_000, rise)), [false, true]);
        assert_eq!([16_000, 16_001].map(|rise| exits(400_000, rise)), [false, true]);
    }

    #[test]
    fn a_small_window_is_left_alone() {
        let mut hystart = hystart(&[]);
        for n in 0..200 {
            let now = Time::from_nanos(1_000_000_000) + Span::from_millis(n);
            let ack = Ack { now, una: n + 1, next: 2_000, ..samples::ack() };
            assert!(!hystart.ends_slow_start(&ack, 200_000, 100_000, 15));
        }
    }

    #[test]
    fn the_allowance_shrinks_on_fast_paths() {
        let at = |bytes_per_sec| {
            let ack = Ack { pacing_rate: units::Rate::from_bytes_per_sec(bytes_per_sec), ..samples::ack() };
            hystart(&[]).allowance_us(&ack)
        };
        assert_eq!([0, 1_000_000, 260_860_000, 2_608_600_000].map(at), [0, 1_000, 1_000, 100]);
    }

    #[test]
    fn both_tests_can_be_switched_off() {
        assert_eq!(exit_of(hystart(&[("hystart", 0.0)]), 10_000, 1_000, false, |_| 50_000), None);
    }

    #[test]
    fn after_a_timeout_it_may_find_an_exit_again() {
        let mut hystart = hystart(&[]);
        hystart.exit = Some(HyStartExit::Delay);
        hystart.restart();
        let exit = exit_of(hystart, 80_000, 2_001, false, |_| 10_001);
        assert_eq!(exit.map(|(_, why)| why), Some(HyStartExit::Delay));
    }
}
