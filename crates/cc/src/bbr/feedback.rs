//! The cwnd gain of `PROBE_BW`, fed back from what each round saw. In no BBR: a proposal of Claypool et al. ("Sharing
//! but not Caring", AICT 2019, section IV-E.1), which leaves the law and its numbers open:
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

use super::bandwidth::{Bandwidth, Gain};
use super::{Bbr, Counters, Parameters, State};
use crate::Ack;

/// The gain, and the round that will move it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    cwnd_gain: Gain,
    /// None: the round did not begin in `PROBE_BW`.
    round: Option<Round>,
}

/// What a round has seen so far.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// When it began.
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

impl Loop {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { cwnd_gain: parameters.cwnd_gain, round: None }
    }

    /// The gain in force.
    pub(super) fn cwnd_gain(&self) -> Gain {
        self.cwnd_gain
    }

    fn step(&mut self, parameters: &Parameters, verdict: Verdict) {
        let most = parameters.cwnd_gain;
        let least = parameters.feedback_min_gain.min(most);
        let (gain, step) = (self.cwnd_gain.in_256ths(), parameters.feedback_step.in_256ths());
        let moved = match verdict {
            Verdict::Down => gain.saturating_sub(step),
            Verdict::Up => gain + step,
        };
        self.cwnd_gain = Gain::from_256ths(moved.into()).clamp(least, most);
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
    fn verdict(
        &self,
        parameters: &Parameters,
        now: &Counters,
        bandwidth: Bandwidth,
        min_rtt_us: u32,
    ) -> Option<Verdict> {
        let elapsed_us = now.delivered_us - self.origin.delivered_us;
        let (delivered, lost) = (now.delivered - self.origin.delivered, now.lost - self.origin.lost);
        if self.is_app_limited || elapsed_us == 0 || self.rtt_us == u32::MAX {
            return None;
        }
        let is_lossy = lost << 8 > u64::from(parameters.feedback_loss.in_256ths()) * (delivered + lost);
        let is_slow = Bandwidth::of_delivery(delivered, elapsed_us) < bandwidth.scaled(parameters.feedback_rate);
        let is_queued = self.rtt_us > parameters.feedback_rtt.of(min_rtt_us);
        Some(if is_lossy || is_queued && !is_slow { Verdict::Down } else { Verdict::Up })
    }
}

impl Bbr {
    /// Once a round, at its end.
    pub(super) fn update_feedback(&mut self, ack: &Ack) {
        if self.parameters.feedback_step.in_256ths() == 0 {
            return;
        }
        if !matches!(self.state, State::ProbeBw(_)) {
            self.feedback.round = None;
            return;
        }
        if let Some(round) = &mut self.feedback.round {
            round.take_in(ack);
        }
        if self.round.is_start {
            let bandwidth = self.bandwidth();
            let ended = self.feedback.round.replace(Round::begin(self.counters)).zip(self.min_rtt.us());
            let verdict = ended
                .and_then(|(round, min_rtt_us)| round.verdict(&self.parameters, &self.counters, bandwidth, min_rtt_us));
            if let Some(verdict) = verdict {
                self.feedback.step(&self.parameters, verdict);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::event::samples;
    use crate::ideal_path::{Flow, Path};
    use crate::{CongestionControl as _, Window};

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

    /// A flow in `PROBE_BW` whose first round has just begun.
    fn cruising(given: &[(&str, f64)]) -> Bbr {
        let mut bbr = Bbr::with(given, &samples::start());
        bbr.max_bandwidth.insert(0, Bandwidth::of_delivery(100u32, 20_000u32).to_bits());
        bbr.state = State::ProbeBw(Default::default());
        see(&mut bbr, QUIET);
        bbr
    }

    /// A round of one ACK.
    fn see(bbr: &mut Bbr, seen: Seen) -> u16 {
        bbr.counters.delivered += seen.delivered;
        bbr.counters.lost += seen.lost;
        bbr.counters.delivered_us += 20_000;
        bbr.round.is_start = true;
        let mut ack = samples::ack();
        ack.rate.rtt_us = Some(seen.rtt_us);
        ack.rate.is_app_limited = seen.is_app_limited;
        bbr.update_feedback(&ack);
        bbr.feedback.cwnd_gain().in_256ths()
    }

    /// Which way a round moves a gain that is between its bounds.
    fn moved(given: &[(&str, f64)], seen: Seen) -> i32 {
        let mut bbr = cruising(&[ON, given].concat());
        let before = see(&mut bbr, Seen { lost: 1_000, ..QUIET });
        i32::from(see(&mut bbr, seen)) - i32::from(before)
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
        let mut bbr = cruising(ON);
        let falling: Vec<_> = (0..8).map(|_| see(&mut bbr, LOSSY)).collect();
        assert_eq!(falling, [480, 448, 416, 384, 352, 320, 320, 320]);
        let rising: Vec<_> = (0..8).map(|_| see(&mut bbr, QUIET)).collect();
        assert_eq!(rising, [352, 384, 416, 448, 480, 512, 512, 512]);
    }

    #[test]
    fn it_is_never_below_feedback_min_gain_or_where_that_is_less_cwnd_gain_nor_above_that() {
        let least = |given: &[(&str, f64)]| {
            let mut bbr = cruising(&[&[("feedback_step", 1.0)], given].concat());
            see(&mut bbr, LOSSY)
        };
        assert_eq!(least(&[("feedback_min_gain", 1.0)]), 256);
        assert_eq!(least(&[("cwnd_gain", 1.1)]), 281);
        assert_eq!(least(&[("cwnd_gain", 0.9)]), 230);
        assert_eq!(see(&mut cruising(&[("feedback_step", 1.0), ("cwnd_gain", 16.0)]), QUIET), 16 * 256);
    }

    #[test]
    fn loss_in_fewer_than_half_of_the_rounds_is_not_persistent() {
        let mut bbr = cruising(ON);
        let gains: Vec<_> = (0..40).map(|round| see(&mut bbr, if round % 8 == 0 { LOSSY } else { QUIET })).collect();
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
        let mut bbr = cruising(ON);
        let before = see(&mut bbr, LOSSY);
        bbr.state = State::ProbeRtt(Default::default());
        assert_eq!(see(&mut bbr, QUEUED), before);
        bbr.state = State::ProbeBw(Default::default());
        assert_eq!(see(&mut bbr, LOSSY), before, "it began outside");
        assert_eq!(see(&mut bbr, LOSSY), before - 32);
    }

    #[test]
    fn without_a_step_nothing_moves() {
        let mut bbr = cruising(&[]);
        assert!((0..20).all(|_| see(&mut bbr, LOSSY) == 512));
    }

    #[test]
    fn the_window_follows_the_gain_in_probe_bw_alone() {
        let mut bbr = cruising(ON);
        let low = (0..8).map(|_| see(&mut bbr, LOSSY)).last().unwrap();
        let mut gain_in = |state| {
            bbr.state = state;
            bbr.on_ack(&Ack { rate: Default::default(), ..samples::ack() }, &mut Window { cwnd: 10, ssthresh: 10 });
            bbr.inspect().cwnd_gain_256ths
        };
        assert_eq!(gain_in(State::ProbeBw(Default::default())), low);
        assert_eq!(gain_in(State::ProbeRtt(Default::default())), 256);
    }

    #[test]
    fn a_flow_alone_with_room_for_its_probes_keeps_the_usual_gain() {
        let mut flow = Flow::new(Path::of(10, 4.0), |start| Bbr::with(ON, start));
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
        let mut flow = Flow::new(Path::of(10, 4.0), |start| Bbr::with(&given, start));
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
    }
}
