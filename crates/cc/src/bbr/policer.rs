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
