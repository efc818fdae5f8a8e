//! The cwnd gain of `PROBE_BW`, fed back from what each round saw. Claypool 2019, section IV-E.1, leaves
//! the law and its numbers open:
//!
//! > "When encountering persistent, high loss, BBR can infer that it is over saturating, and in response BBR can
//! > decrease the CWND cap. However, if the observed throughput is less than the measured bottleneck bandwidth (`BtlBw`),
//! > BBR can infer it is underutilizing its share of the bottleneck capacity [...] and increase the CWND cap. When the
//! > measured RTT is greater than the RTT min, then the router queue must be saturated and the CWND cap should be
//! > decreased."
//!
//! The law is these three sentences in their order, once a round, and what follows when none of them applies:
//!
//! | a round that | moves the gain |
//! |---|---|
//! | lost more than `feedback_loss` of its segments | down |
//! | else delivered less than `feedback_rate` of the bandwidth | up |
//! | else had no RTT within `feedback_rtt` of `min_rtt` | down |
//! | saw nothing of that | up |
//!
//! - Both ways by one `feedback_step`, so that the majority of rounds decides: loss is persistent when most of them
//!   have it, and the one round of eight in which BBR probes does not suffice.
//! - What BBR's own cycle does is no sign. Probing makes a queue of 1/4, draining lowers the rate by 1/4: only more
//!   counts.
//! - The gain stays between `feedback_min_gain`, which is 1 or more, and `cwnd_gain`; where the latter is less it is
//!   the only value. The former is 1.25, the default of `probe_gain` (to change one, set both): a smaller window never
//!   holds the flight that ends the probing phase, so that BBR would not drain any more until a loss (Linux 6.1
//!   bbr_is_next_cycle_phase).
//! - A round counts when it lies within `PROBE_BW` and the application did not limit it. While `PROBE_RTT` lasts the
//!   gain stays.

use crate::Ack;
use crate::bbr::{Bandwidth, Gain};
use crate::parameter::Values;

/// The law's numbers: `feedback_…`, and the gains between which it moves.
#[derive(Clone, Copy, Debug)]
struct Law {
    step: Gain,
    least: Gain,
    most: Gain,
    loss: Gain,
    rate: Gain,
    rtt: Gain,
}

/// The gain, and the round that will move it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    law: Law,
    cwnd_gain: Gain,
    /// None: the round did not begin in `PROBE_BW`.
    round: Option<Round>,
}

/// What a round has seen so far.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// The ACK that began it.
    origin: Counters,
    /// The smallest RTT; `u32::MAX` while there is none.
    rtt_us: u32,
    is_app_limited: bool,
}

/// Which way a round moves the gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Down,
    Up,
}

/// What BBR believes after an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub(super) is_in_probe_bw: bool,
    /// The ACK began a round.
    pub(super) begins_round: bool,
    pub(super) bandwidth: Bandwidth,
    pub(super) min_rtt_us: Option<u32>,
}

/// What the transport had counted at an ACK.
#[derive(Clone, Copy, Debug)]
struct Counters {
    delivered: u64,
    delivered_us: u64,
    lost: u64,
}

impl Counters {
    fn at(ack: &Ack) -> Self {
        Self { delivered: ack.delivered, delivered_us: ack.delivered_at.as_micros(), lost: ack.lost }
    }
}

impl Loop {
    pub(super) fn new(values: &Values<'_>) -> Self {
        let most = Gain::given(values, "cwnd_gain");
        let law = Law {
            step: Gain::given(values, "feedback_step"),
            least: Gain::given(values, "feedback_min_gain").min(most),
            most,
            loss: Gain::given(values, "feedback_loss"),
            rate: Gain::given(values, "feedback_rate"),
            rtt: Gain::given(values, "feedback_rtt"),
        };
        Self { law, cwnd_gain: most, round: None }
    }

    /// The gain in force.
    pub(super) fn cwnd_gain(&self) -> Gain {
        self.cwnd_gain
    }

    /// Takes in an ACK; moves the gain once a round, at its end.
    pub(super) fn observe(&mut self, model: &Model, ack: &Ack) {
        if self.law.step.in_256ths() == 0 {
            return;
        }
        if !model.is_in_probe_bw {
            self.round = None;
            return;
        }
        if let Some(round) = &mut self.round {
            round.take_in(ack);
        }
        if model.begins_round {
            let now = Counters::at(ack);
            let ended = self.round.replace(Round::begin(now)).zip(model.min_rtt_us);
            let verdict = ended.and_then(|(round, us)| round.verdict(&self.law, &now, model.bandwidth, us));
            if let Some(verdict) = verdict {
                self.step(verdict);
            }
        }
    }

    fn step(&mut self, verdict: Verdict) {
        let (gain, step) = (self.cwnd_gain.in_256ths(), self.law.step.in_256ths());
        let moved = match verdict {
            Verdict::Down => gain.saturating_sub(step),
            Verdict::Up => gain + step,
        };
        self.cwnd_gain = Gain::from_256ths(moved.into()).clamp(self.law.least, self.law.most);
    }
}

impl Round {
    fn begin(origin: Counters) -> Self {
        Self { origin, rtt_us: u32::MAX, is_app_limited: false }
    }

    fn take_in(&mut self, ack: &Ack) {
        self.rtt_us = self.rtt_us.min(ack.rate.rtt_us.unwrap_or(u32::MAX));
        self.is_app_limited |= ack.rate.is_app_limited;
    }

    /// None when the round can say nothing.
    fn verdict(&self, law: &Law, now: &Counters, bandwidth: Bandwidth, min_rtt_us: u32) -> Option<Verdict> {
        let elapsed_us = now.delivered_us - self.origin.delivered_us;
        let (delivered, lost) = (now.delivered - self.origin.delivered, now.lost - self.origin.lost);
        if self.is_app_limited || elapsed_us == 0 || self.rtt_us == u32::MAX {
            return None;
        }
        let is_lossy = lost << 8 > u64::from(law.loss.in_256ths()) * (delivered + lost);
        let is_slow = Bandwidth::of_delivery(delivered, elapsed_us) < bandwidth.scaled(law.rate);
        let is_queued = self.rtt_us > law.rtt.of(min_rtt_us);
        Some(if is_lossy || is_queued && !is_slow { Verdict::Down } else { Verdict::Up })
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::super::{ALGORITHM, BbrProposals};
    use super::*;
    use crate::CongestionControl as _;
    use crate::event::samples;
    use crate::ideal_path::{Flow, Path};

    /// An eighth: from 2 to the bound of 1.25 in six steps.
    const ON: &[(&str, f64)] = &[("feedback_step", 0.125)];

    /// A round of 20 ms on a path of 20 ms that carries 100 segments in one.
    #[derive(Clone, Copy)]
    struct Seen {
        delivered: u64,
        lost: u64,
        rtt_us: u32,
        is_app_limited: bool,
    }

    const QUIET: Seen = Seen { delivered: 100, lost: 0, rtt_us: 20_000, is_app_limited: false };
    const LOSSY: Seen = Seen { lost: 3, ..QUIET };
    const QUEUED: Seen = Seen { rtt_us: 25_001, ..QUIET };

    /// A flow in `PROBE_BW`.
    struct Cruise {
        feedback: Loop,
        counters: Counters,
        is_in_probe_bw: bool,
    }

    impl Cruise {
        /// Its first round has just begun.
        fn new(given: &[(&str, f64)]) -> Self {
            let feedback = ALGORITHM.with(given, Loop::new);
            let counters = Counters { delivered: 0, delivered_us: 0, lost: 0 };
            let mut cruise = Self { feedback, counters, is_in_probe_bw: true };
            cruise.see(QUIET);
            cruise
        }

        /// A round of one ACK; gives the gain after it.
        fn see(&mut self, seen: Seen) -> u16 {
            let now = &mut self.counters;
            now.delivered += seen.delivered;
            now.lost += seen.lost;
            now.delivered_us += 20_000;
            let mut ack = samples::ack();
            (ack.delivered, ack.lost) = (now.delivered, now.lost);
            ack.delivered_at = Time::from_nanos(1_000 * now.delivered_us);
            ack.rate.rtt_us = Some(seen.rtt_us);
            ack.rate.is_app_limited = seen.is_app_limited;
            let model = Model {
                is_in_probe_bw: self.is_in_probe_bw,
                begins_round: true,
                bandwidth: Bandwidth::of_delivery(100u32, 20_000u32),
                min_rtt_us: Some(20_000),
            };
            self.feedback.observe(&model, &ack);
            self.feedback.cwnd_gain().in_256ths()
        }
    }

    /// Which way a round moves a gain that is between its bounds.
    fn moved(given: &[(&str, f64)], seen: Seen) -> i32 {
        let mut flow = Cruise::new(&[ON, given].concat());
        let before = flow.see(Seen { lost: 1_000, ..QUIET });
        i32::from(flow.see(seen)) - i32::from(before)
    }

    #[test]
    fn loss_of_more_than_a_fiftieth_lowers_the_gain() {
        // 5/256, of what was delivered or lost.
        let lost = |lost| moved(&[], Seen { lost, delivered: 1_000, ..QUIET });
        assert_eq!([19, 20].map(lost), [32, -32]);
        assert_eq!(moved(&[("feedback_loss", 0.5)], Seen { lost: 75, ..QUIET }), 32);
    }

    #[test]
    fn a_round_in_which_every_rtt_is_a_quarter_above_the_smallest_lowers_it() {
        assert_eq!(moved(&[], QUEUED), -32);
        assert_eq!(moved(&[], Seen { rtt_us: 25_000, ..QUIET }), 32);
        assert_eq!(moved(&[("feedback_rtt", 1.5)], QUEUED), 32);
    }

    #[test]
    fn less_than_three_quarters_of_the_bandwidth_raise_it_also_where_a_queue_stands() {
        let delivered = |delivered| moved(&[], Seen { delivered, ..QUEUED });
        assert_eq!([74, 76].map(delivered), [32, -32]);
        assert_eq!(moved(&[("feedback_rate", 0.5)], Seen { delivered: 74, ..QUEUED }), -32);
        assert_eq!(moved(&[], Seen { delivered: 50, ..LOSSY }), -32, "but not where loss is persistent");
    }

    #[test]
    fn the_gain_stays_between_what_probing_needs_and_the_usual_one_and_returns() {
        let mut flow = Cruise::new(ON);
        let falling: Vec<_> = (0..8).map(|_| flow.see(LOSSY)).collect();
        assert_eq!(falling, [480, 448, 416, 384, 352, 320, 320, 320]);
        let rising: Vec<_> = (0..8).map(|_| flow.see(QUIET)).collect();
        assert_eq!(rising, [352, 384, 416, 448, 480, 512, 512, 512]);
    }

    #[test]
    fn it_is_never_below_feedback_min_gain_or_where_that_is_less_cwnd_gain_nor_above_that() {
        let least = |given: &[(&str, f64)]| {
            let mut flow = Cruise::new(&[&[("feedback_step", 1.0)], given].concat());
            flow.see(LOSSY)
        };
        assert_eq!(least(&[("feedback_min_gain", 1.0)]), 256);
        assert_eq!(least(&[("cwnd_gain", 1.1)]), 281);
        assert_eq!(least(&[("cwnd_gain", 0.9)]), 230);
        assert_eq!(Cruise::new(&[("feedback_step", 1.0), ("cwnd_gain", 16.0)]).see(QUIET), 16 * 256);
    }

    #[test]
    fn loss_in_fewer_than_half_of_the_rounds_is_not_persistent() {
        let mut flow = Cruise::new(ON);
        let gains: Vec<_> = (0..40).map(|round| flow.see(if round % 8 == 0 { LOSSY } else { QUIET })).collect();
        assert!(gains.iter().all(|gain| *gain >= 480), "{gains:?}");
        assert_eq!(gains.last(), Some(&512));
    }

    #[test]
    fn a_round_that_the_application_limited_or_that_had_no_rtt_says_nothing() {
        assert_eq!(moved(&[], Seen { is_app_limited: true, ..QUIET }), 0);
        assert_eq!(moved(&[], Seen { rtt_us: u32::MAX, ..LOSSY }), 0);
    }

    #[test]
    fn a_round_that_does_not_lie_within_probe_bw_says_nothing() {
        let mut flow = Cruise::new(ON);
        let before = flow.see(LOSSY);
        flow.is_in_probe_bw = false;
        assert_eq!(flow.see(QUEUED), before);
        flow.is_in_probe_bw = true;
        assert_eq!(flow.see(LOSSY), before, "it began outside");
        assert_eq!(flow.see(LOSSY), before - 32);
    }

    #[test]
    fn without_a_step_nothing_moves() {
        let mut flow = Cruise::new(&[]);
        assert!((0..20).all(|_| flow.see(LOSSY) == 512));
    }

    #[test]
    fn a_flow_alone_with_room_for_its_probes_keeps_the_usual_gain() {
        let mut flow = Flow::new(Path::of(10, 4.0), |start| BbrProposals::with(ON, start));
        flow.run(Span::from_secs(2));
        let (mut usual, mut acks) = (0, 0);
        flow.run_until(Time::ZERO + Span::from_secs(8), |flow, _| {
            usual += u32::from(flow.cc.inspect().cwnd_gain_256ths >= 480);
            acks += 1;
        });
        assert!(10 * usual > 9 * acks && flow.lost == 0, "{usual} of {acks}, {} lost", flow.lost);
    }

    #[test]
    fn where_a_queue_stands_the_gain_falls_to_its_bound_and_the_cycle_goes_on() {
        // The path becomes slower by a sixth, and the estimate does not follow: 2.4 times the path's volume in flight.
        let given = [ON, &[("bw_window_rounds", 1e6)]].concat();
        let mut flow = Flow::new(Path::of(10, 4.0), |start| BbrProposals::with(&given, start));
        flow.run(Span::from_secs(2));
        flow.path.segment_time = Span::from_micros(120);
        flow.run(Span::from_secs(2));
        let mut pacing = Vec::new();
        flow.run_until(Time::ZERO + Span::from_secs(8), |flow, _| {
            let inspection = flow.cc.inspect();
            assert_eq!(inspection.cwnd_gain_256ths, 320);
            if pacing.last() != Some(&inspection.pacing_gain_256ths) {
                pacing.push(inspection.pacing_gain_256ths);
            }
        });
        // 4 s are at least twelve cycles of eight phases of 30 ms.
        assert!(pacing.iter().filter(|gain| **gain == 320).count() > 12, "{pacing:?}");
        let mut dips = 0;
        flow.run_until(Time::ZERO + Span::from_secs(13), |flow, _| {
            let inspection = flow.cc.inspect();
            if flow.cc.phases()[usize::from(inspection.phase)] == "probe_rtt" {
                assert_eq!(inspection.cwnd_gain_256ths, 256, "it is the gain of PROBE_BW alone that moves");
                dips += 1;
            }
        });
        assert!(dips > 0);
    }
}
