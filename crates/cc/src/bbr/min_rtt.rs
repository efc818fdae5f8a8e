//! The path's RTT without queue: the smallest of ten seconds (draft section 4.1.2), and what it takes to rise.
//!
//! An estimate that nothing has undercut for that long has expired. BBR then believes whatever RTT it meets first, and
//! `PROBE_RTT` looks for a smaller one. Where others keep the queue full there is none, and the estimate is wrong until
//! the next probe: Claypool et al. ("Sharing but not Caring", AICT 2019, section IV-E.2) propose that BBR "could only
//! accept a higher `RTprop` if it is *consistently* higher for many `RTprop` probes". So the window must have expired
//! `min_rtt_rise_probes` times in a row with nothing as low as the estimate, once in BBR itself. Each expiry begins a
//! probe, which lasts until the next and has the dip in flight within it: what follows the last of them is not waited
//! for. What is then accepted is the smallest RTT since the first of them: each sample is the path's RTT and some
//! queue, so that the smallest of all is the nearest to the path's, and one probe that met an emptier queue than the
//! others corrects them. Anything lower than the estimate is taken at once, as ever.

use super::Parameters;
use crate::Start;

/// The smallest RTT of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    us: Option<u32>,
    stamp_ms: u64,
    rise: Rise,
}

/// Evidence that the path has become longer.
#[derive(Clone, Copy, Debug)]
struct Rise {
    /// Times in a row that the window has expired with nothing as low as the estimate.
    expiries: u32,
    /// The smallest sample since the first of them.
    us: u32,
}

impl Rise {
    const NONE: Self = Self { expiries: 0, us: u32::MAX };
}

impl MinRtt {
    pub(super) fn new(start: &Start) -> Self {
        Self { us: start.rtt_us, stamp_ms: start.now.as_millis(), rise: Rise::NONE }
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
    /// Linux 6.1 bbr_update_min_rtt, where `min_rtt_rise_probes` is 1.
    pub(super) fn observe(&mut self, parameters: &Parameters, rtt_us: u32, is_ack_delayed: bool, now_ms: u64) {
        let expires = self.has_expired(parameters, now_ms) && !is_ack_delayed;
        if self.us.is_some_and(|min_us| rtt_us > min_us) {
            if expires {
                self.stamp_ms = now_ms;
                self.rise.expiries += 1;
            }
            self.consider_rise(parameters, rtt_us);
        } else {
            let is_equal = self.us == Some(rtt_us);
            if !is_equal || expires || parameters.min_rtt_equal_refresh {
                self.us = Some(rtt_us);
                self.stamp_ms = now_ms;
            }
            self.rise = Rise::NONE;
        }
    }

    fn consider_rise(&mut self, parameters: &Parameters, rtt_us: u32) {
        if self.rise.expiries > 0 {
            self.rise.us = self.rise.us.min(rtt_us);
        }
        if self.rise.expiries >= parameters.min_rtt_rise_probes {
            self.us = Some(self.rise.us);
            self.rise = Rise::NONE;
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
        assert_eq!(after(&[("min_rtt_rise_probes", 3.0)], 19_999), (19_999, 500));
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

    const THREE: &[(&str, f64)] = &[("min_rtt_rise_probes", 3.0)];

    #[test]
    fn a_rise_is_believed_when_the_window_has_expired_so_many_times_in_a_row() {
        let probes = [(10_001, 60_000), (20_002, 61_000), (30_003, 62_000)];
        assert_eq!(us(THREE, &probes[..2]), 20_000);
        assert_eq!(us(THREE, &probes), 60_000);
        // Samples between two expiries count for nothing, however many.
        let one_probe: Vec<_> = (10_001..20_001).map(|ms| (ms, 60_000)).collect();
        assert_eq!(us(THREE, &one_probe), 20_000);
    }

    #[test]
    fn what_is_accepted_is_the_smallest_rtt_since_the_first_of_the_expiries() {
        // 21 ms came before the first; 40 ms is met between the second and the third.
        let accepted_us =
            us(THREE, &[(9_000, 21_000), (10_001, 60_000), (20_002, 61_000), (25_000, 40_000), (30_003, 62_000)]);
        assert_eq!(accepted_us, 40_000);
    }

    #[test]
    fn one_sample_as_low_as_the_estimate_and_the_count_begins_anew() {
        for low_us in [20_000, 19_000] {
            let before = [(10_001, 60_000), (20_002, 61_000), (20_100, low_us)];
            let after = [(31_000, 62_000), (42_000, 63_000), (53_000, 64_000)];
            assert_eq!(us(THREE, &[&before[..], &after[..2]].concat()), low_us);
            assert_eq!(us(THREE, &[&before[..], &after[..]].concat()), 62_000);
        }
    }

    #[test]
    fn after_a_rise_the_next_one_takes_as_many_expiries() {
        let rise = [(10_001, 60_000), (20_002, 60_000), (30_003, 60_000)];
        let next = [(40_004, 90_000), (50_005, 90_000), (60_006, 90_000)];
        assert_eq!(us(THREE, &[&rise[..], &next[..2]].concat()), 60_000);
        assert_eq!(us(THREE, &[&rise[..], &next[..]].concat()), 90_000);
    }
}
