//! Token-bucket policers: lasting loss at a steady rate ("LT bandwidth" in Linux; not in the draft).
//!
//! A policer lets bursts pass until its tokens are spent and then drops all above its rate, so that the largest
//! delivery rate overstates what can be sent. Two consecutive intervals of at least four rounds, each lossy (lost at
//! least 50/256 of *delivered*, which is 16.3 % of what is sent) and of like throughput, are taken for one; their
//! mean rate is then used, without probing, for 48 rounds. An interval begins and ends with a loss, so that it
//! spans times when the bucket is empty. See "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016.

use super::bandwidth::{Bandwidth, Gain};
use super::pacing::Pacer;
use super::{Counters, Parameters};

/// Intervals of more than this many times the least number of rounds say nothing (Linux 6.1 bbr_lt_bw_sampling).
const MAX_INTERVAL_FACTOR: u32 = 4;
/// Longer intervals did not fit the kernel's 32 bits of µs, and start again.
const MAX_INTERVAL_MS: u64 = u32::MAX as u64 / 1_000;

/// What the detector is told of an ACK or a timeout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) counters: Counters,
    pub(super) round_start: bool,
    /// Segments were marked lost.
    pub(super) lossy: bool,
    pub(super) is_app_limited: bool,
    pub(super) in_probe_bw: bool,
}

/// What it concludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Go on.
    Nothing,
    /// There is a policer, from now on.
    Policed,
    /// It was believed in for long enough: probe again.
    Expired,
}

/// The detector.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Detector {
    /// The policer's rate is in use.
    in_use: bool,
    /// An interval is being sampled.
    sampling: bool,
    /// Rate of the last lossy interval, or of the policer.
    rate: Option<Bandwidth>,
    /// Rounds since the interval began, or since the rate is used.
    rounds: u32,
    /// Counters when the interval began.
    origin: Counters,
}

impl Detector {
    /// The policer's rate while one is believed in.
    pub(super) fn rate(&self) -> Option<Bandwidth> {
        self.rate.filter(|_| self.in_use)
    }

    /// Forgets everything. Linux 6.1 bbr_reset_lt_bw_sampling.
    pub(super) fn reset(&mut self, counters: &Counters) {
        *self = Self { origin: *counters, ..Self::default() };
    }

    fn begin_interval(&mut self, counters: &Counters) {
        self.origin = *counters;
        self.rounds = 0;
    }

    /// Linux 6.1 bbr_lt_bw_sampling.
    pub(super) fn observe(&mut self, parameters: &Parameters, pacer: &Pacer, sample: &Sample) -> Verdict {
        if !parameters.policer {
            return Verdict::Nothing;
        }
        if self.in_use {
            return self.count_down(parameters, sample);
        }
        // The first loss shows that the tokens are spent; what was delivered before overstates the rate.
        if !self.sampling {
            if !sample.lossy {
                return Verdict::Nothing;
            }
            self.begin_interval(&sample.counters);
            self.sampling = true;
        }
        if sample.is_app_limited {
            self.reset(&sample.counters);
            return Verdict::Nothing;
        }
        self.rounds += u32::from(sample.round_start);
        if self.rounds < parameters.lt_intvl_min_rtts {
            return Verdict::Nothing;
        }
        if self.rounds > MAX_INTERVAL_FACTOR * parameters.lt_intvl_min_rtts {
            self.reset(&sample.counters);
            return Verdict::Nothing;
        }
        // The interval ends with a loss too: the bucket is empty again.
        if !sample.lossy {
            return Verdict::Nothing;
        }
        self.end_interval(parameters, pacer, &sample.counters)
    }

    fn count_down(&mut self, parameters: &Parameters, sample: &Sample) -> Verdict {
        if sample.in_probe_bw && sample.round_start {
            self.rounds += 1;
            if self.rounds >= parameters.lt_bw_max_rtts {
                self.reset(&sample.counters);
                return Verdict::Expired;
            }
        }
        Verdict::Nothing
    }

    /// The interval's rate, if it was lossy enough.
    fn end_interval(&mut self, parameters: &Parameters, pacer: &Pacer, now: &Counters) -> Verdict {
        let lost = now.lost - self.origin.lost;
        let delivered = now.delivered - self.origin.delivered;
        if delivered == 0 || lost << 8 < u64::from(parameters.lt_loss_thresh.in_256ths()) * delivered {
            return Verdict::Nothing;
        }
        let ms = now.delivered_us / 1_000 - self.origin.delivered_us / 1_000;
        if ms >= MAX_INTERVAL_MS {
            self.reset(now);
        } else if ms > 0 {
            return self.compare(parameters, pacer, Bandwidth::of_delivery(delivered, ms * 1_000), now);
        }
        Verdict::Nothing
    }

    /// Two intervals in a row of like rate make a policer. Linux 6.1 bbr_lt_bw_interval_done.
    fn compare(&mut self, parameters: &Parameters, pacer: &Pacer, rate: Bandwidth, now: &Counters) -> Verdict {
        if let Some(previous) = self.rate {
            let difference = rate.abs_diff(previous);
            let ratio = u64::from(parameters.lt_bw_ratio.in_256ths()) * u64::from(previous.to_bits());
            let is_alike = u64::from(difference.to_bits()) << 8 <= ratio
                || pacer.rate_of(difference, Gain::UNIT) <= parameters.lt_bw_diff_bytes_per_sec;
            if is_alike {
                self.rate = Some(rate.mean(previous));
                self.in_use = true;
                self.rounds = 0;
                return Verdict::Policed;
            }
        }
        self.rate = Some(rate).filter(|rate| rate.to_bits() > 0);
        self.begin_interval(now);
        Verdict::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples;

    /// A detector that is fed rounds of 10 ms.
    struct Scene {
        parameters: Parameters,
        pacer: Pacer,
        detector: Detector,
        counters: Counters,
    }

    impl Scene {
        fn new(given: &[(&str, f64)]) -> Self {
            let parameters = Parameters::from_defaults_and(given);
            let pacer = Pacer::new(parameters.pacing, &samples::start());
            Self { parameters, pacer, detector: Detector::default(), counters: Counters::default() }
        }

        fn observe(&mut self, delivered: u64, lost: u64, is_app_limited: bool) -> Verdict {
            self.counters.delivered += delivered;
            self.counters.lost += lost;
            self.counters.delivered_us += 10_000;
            let sample = Sample {
                counters: self.counters,
                round_start: true,
                lossy: lost > 0,
                is_app_limited,
                in_probe_bw: true,
            };
            self.detector.observe(&self.parameters, &self.pacer, &sample)
        }

        fn round(&mut self, delivered: u64, lost: u64) -> Verdict {
            self.observe(delivered, lost, false)
        }
    }

    #[test]
    fn two_lossy_intervals_of_like_rate_are_a_policer() {
        let mut scene = Scene::new(&[]);
        // The first loss opens the first interval, which takes four rounds, as does the second.
        let verdicts: Vec<_> = (0..8).map(|_| scene.round(100, 25)).collect();
        assert_eq!(verdicts[..7], [Verdict::Nothing; 7]);
        assert_eq!(verdicts[7], Verdict::Policed);
        assert_eq!(scene.detector.rate(), Some(Bandwidth::of_delivery(100u32, 10_000u32)));
    }

    #[test]
    fn one_interval_is_not_enough() {
        let mut scene = Scene::new(&[]);
        (0..4).for_each(|_| _ = scene.round(100, 25));
        assert_eq!(scene.detector.rate(), None);
    }

    #[test]
    fn the_threshold_is_50_lost_of_256_delivered() {
        let detects = |lost| {
            let mut scene = Scene::new(&[]);
            (0..16).any(|_| scene.round(256, lost) == Verdict::Policed)
        };
        assert_eq!([48, 51].map(detects), [false, true]);
        let mut tolerant = Scene::new(&[("lt_loss_thresh", 0.5)]);
        assert!((0..16).all(|_| tolerant.round(256, 51) == Verdict::Nothing));
    }

    #[test]
    fn rates_that_differ_by_more_than_an_eighth_are_none() {
        let second_interval = |delivered| {
            let mut scene = Scene::new(&[]);
            (0..4).for_each(|_| _ = scene.round(800, 400));
            (0..4).map(|_| scene.round(delivered, 400)).any(|verdict| verdict == Verdict::Policed)
        };
        assert_eq!([690, 710, 890, 910].map(second_interval), [false, true, true, false]);
    }

    #[test]
    fn without_loss_nothing_begins() {
        let mut scene = Scene::new(&[]);
        (0..20).for_each(|_| _ = scene.round(100, 0));
        assert!(!scene.detector.sampling);
    }

    #[test]
    fn an_interval_ends_with_a_loss() {
        let mut scene = Scene::new(&[]);
        (0..4).for_each(|_| _ = scene.round(100, 60));
        (0..5).for_each(|_| _ = scene.round(100, 0));
        assert_eq!(scene.detector.rate(), None);
        assert_eq!(scene.round(100, 120), Verdict::Policed);
    }

    #[test]
    fn more_than_sixteen_rounds_say_nothing() {
        let mut scene = Scene::new(&[]);
        scene.round(100, 1);
        (0..15).for_each(|_| _ = scene.round(100, 0));
        assert!(scene.detector.sampling);
        scene.round(100, 0);
        assert!(!scene.detector.sampling);
    }

    #[test]
    fn an_application_that_limits_starts_it_over() {
        let mut scene = Scene::new(&[]);
        (0..4).for_each(|_| _ = scene.round(100, 25));
        scene.observe(100, 25, true);
        assert_eq!(scene.detector.rate, None);
        assert!((0..4).all(|_| scene.round(100, 25) == Verdict::Nothing));
    }

    #[test]
    fn after_48_rounds_the_path_is_probed_again() {
        let mut scene = Scene::new(&[]);
        while scene.round(100, 25) != Verdict::Policed {}
        let rounds = (1..).find(|_| scene.round(100, 25) == Verdict::Expired);
        assert_eq!(rounds, Some(48));
        assert_eq!(scene.detector.rate(), None);
        let mut brief = Scene::new(&[("lt_bw_max_rtts", 5.0)]);
        while brief.round(100, 25) != Verdict::Policed {}
        assert_eq!((1..).find(|_| brief.round(100, 25) == Verdict::Expired), Some(5));
    }

    #[test]
    fn switched_off_it_sees_nothing() {
        let mut scene = Scene::new(&[("policer", 0.0)]);
        assert!((0..100).all(|_| scene.round(100, 50) == Verdict::Nothing));
    }
}
