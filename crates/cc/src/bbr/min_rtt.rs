//! The path's RTT without queue: the smallest of ten seconds (draft section 4.1.2).
//!
//! An estimate that nothing has undercut for that long has expired. BBR then believes whatever RTT it meets first, and
//! `PROBE_RTT` looks for a smaller one. Where others keep the queue full there is none, and the estimate is wrong until
//! the next probe.

use super::Parameters;
use crate::Start;

/// The smallest RTT of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    us: Option<u32>,
    stamp_ms: u64,
}

impl MinRtt {
    pub(super) fn new(start: &Start) -> Self {
        Self { us: start.rtt_us, stamp_ms: start.now.as_millis() }
    }

    /// In µs; `None` before the first sample.
    pub(super) fn us(&self) -> Option<u32> {
        self.us
    }

    /// Nothing has undercut the estimate for the window's length.
    pub(super) fn has_expired(&self, parameters: &Parameters, now_ms: u64) -> bool {
        now_ms > self.stamp_ms + parameters.min_rtt_window_ms
    }

    /// Counts the window from now on.
    pub(super) fn restart_window(&mut self, now_ms: u64) {
        self.stamp_ms = now_ms;
    }

    /// Takes in a sample. After expiry anything but a delayed ACK is news, also when it is higher.
    /// Linux 6.1 bbr_update_min_rtt.
    pub(super) fn observe(&mut self, parameters: &Parameters, rtt_us: u32, is_ack_delayed: bool, now_ms: u64) {
        let has_expired = self.has_expired(parameters, now_ms) && !is_ack_delayed;
        let is_no_higher = |min_us| rtt_us < min_us || rtt_us == min_us && parameters.min_rtt_equal_refresh;
        if has_expired || self.us.is_none_or(is_no_higher) {
            self.us = Some(rtt_us);
            self.stamp_ms = now_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples;

    /// The estimate of a flow whose handshake took 20 ms, fed with RTTs in µs at times in ms.
    fn fed(given: &[(&str, f64)], fed: &[(u64, u32)]) -> MinRtt {
        let parameters = Parameters::from_defaults_and(given);
        let mut min_rtt = MinRtt::new(&samples::start());
        fed.iter().for_each(|&(ms, rtt_us)| min_rtt.observe(&parameters, rtt_us, false, ms));
        min_rtt
    }

    fn us(given: &[(&str, f64)], samples: &[(u64, u32)]) -> u32 {
        fed(given, samples).us().unwrap()
    }

    #[test]
    fn a_smaller_rtt_is_taken_at_once_and_an_equal_one_only_by_switch() {
        let after = |given: &[(&str, f64)], rtt_us| {
            let min_rtt = fed(given, &[(500, rtt_us)]);
            (min_rtt.us().unwrap(), min_rtt.stamp_ms)
        };
        assert_eq!(after(&[], 19_999), (19_999, 500));
        assert_eq!(after(&[], 20_000), (20_000, 0));
        assert_eq!(after(&[("min_rtt_equal_refresh", 1.0)], 20_000), (20_000, 500));
    }

    #[test]
    fn an_old_minimum_gives_way_to_anything_but_a_delayed_ack() {
        assert_eq!(us(&[], &[(10_000, 30_000)]), 20_000);
        assert_eq!(us(&[], &[(10_001, 30_000)]), 30_000);
        assert_eq!(fed(&[], &[(10_001, 20_000)]).stamp_ms, 10_001, "an equal one too");
        let mut min_rtt = MinRtt::new(&samples::start());
        min_rtt.observe(&Parameters::from_defaults_and(&[]), 30_000, true, 10_001);
        assert_eq!((min_rtt.us, min_rtt.stamp_ms), (Some(20_000), 0));
    }
}
