//! A `min_rtt` that is slow to rise (Claypool 2019, section IV-E.2): BBR "could only accept a higher `RTprop` if it is
//! *consistently* higher for many `RTprop` probes".
//!
//! So the window must have expired `min_rtt_rise_probes` times in a row with nothing as low as the estimate, once in BBR
//! itself. Each expiry begins a probe, which lasts until the next and has the dip in flight within it: what follows the
//! last of them is not waited for. What is then accepted is the smallest RTT since the first of them: each sample is
//! the path's RTT and some queue, so that the smallest of all is the nearest to the path's, and one probe that met an
//! emptier queue than the others corrects them. Anything lower than the estimate is taken at once, as ever.
//!
//! BBR takes whatever it meets at an expiry: there it is shown the estimate again, or the rise that is accepted.

use crate::parameter::Values;
use crate::{Ack, Bbr};

/// Evidence that the path has become longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowRise {
    /// Expiries that it takes.
    probes: u32,
    /// Times in a row that the window has expired with nothing as low as the estimate.
    expiries: u32,
    /// The smallest sample since the first of them.
    us: u32,
}

impl SlowRise {
    pub(super) fn new(values: &Values<'_>) -> Self {
        Self { probes: values.integer("min_rtt_rise_probes"), expiries: 0, us: u32::MAX }
    }

    fn forget(&mut self) {
        *self = Self { expiries: 0, us: u32::MAX, ..*self };
    }

    /// The ACK as BBR is to see it.
    pub(super) fn shown(&mut self, bbr: &Bbr, ack: &Ack) -> Ack {
        let mut shown = *ack;
        let Some((rtt_us, min_rtt_us)) = ack.rate.rtt_us.zip(bbr.min_rtt_us()) else { return shown };
        if rtt_us <= min_rtt_us {
            self.forget();
            return shown;
        }
        let expires = bbr.has_min_rtt_expired(ack.now) && !ack.rate.is_ack_delayed;
        self.expiries += u32::from(expires);
        if self.expiries > 0 {
            self.us = self.us.min(rtt_us);
        }
        if expires {
            shown.rate.rtt_us = Some(if self.expiries >= self.probes { self.us } else { min_rtt_us });
        }
        if self.expiries >= self.probes {
            self.forget();
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::super::BbrProposals;
    use crate::event::samples;
    use crate::{CongestionControl as _, Window};

    const THREE: &[(&str, f64)] = &[("min_rtt_rise_probes", 3.0)];

    /// The estimate of a flow whose handshake took 20 ms, fed with RTTs in µs at times in ms.
    fn us(given: &[(&str, f64)], fed: &[(u64, u32)]) -> u32 {
        let mut flow = BbrProposals::with(given, &samples::start());
        let mut window = Window { cwnd: 10, ssthresh: u32::MAX };
        for &(ms, rtt_us) in fed {
            let mut ack = samples::ack();
            ack.now = Time::from_nanos(ms * 1_000_000);
            ack.rate.rtt_us = Some(rtt_us);
            flow.on_ack(&ack, &mut window);
        }
        flow.inspect().min_rtt_us.unwrap()
    }

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
