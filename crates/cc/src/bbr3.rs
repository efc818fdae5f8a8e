//! BBR version 3: a model of the path with bounds above and below, which losses and marks move (draft-ietf-ccwg-bbr; Linux's
//! `tcp_bbr.c` with `BBR_VERSION` 3, Google's tree of November 2023, which distributions carry as a patch).
//!
//! ```text
//!   STARTUP --pipe full, or losses--> DRAIN --queue gone--> PROBE_BW: DOWN -> CRUISE -> REFILL -> UP -> DOWN ...
//!      ^                                                        ^ |
//!      +------------ PROBE_RTT (half a BDP in flight, 200 ms) <-+-+  each 5 s that show no lower RTT
//! ```
//!
//! `bw_hi`, the largest rate of the last two cycles, and `inflight_hi`, the most that probing put in flight without too many
//! losses, say what the path carries; `bw_lo` and `inflight_lo`, cut where losses come while it does not probe, what it carries
//! now. It probes each 2 to 3 s, or as often as a Reno flow of its size would lose something, but after 63 rounds at most.
//!
//! Where the draft (of August 2026), the kernel and this file differ:
//!
//! | | draft | kernel | here |
//! |---|---|---|---|
//! | pacing gain of DRAIN | 0.5 | 1/2.885, cut to 88/256 | `drain_gain`: the kernel's |
//! | DRAIN ends | at a BDP, or after 3 rounds | at a BDP | `drain_max_rounds`: 0, no bound |
//! | pacing gain of DOWN | 0.90 | 91/100, cut to 232/256 | `probe_down_gain`: the kernel's |
//! | a probe that went too high makes the next one stop at `inflight_hi` | "precautionary probing" | the same: `stopped_risky_probe` | the same |
//! | marks | as losses | like DCTCP, where the route says `ecn_low`, the RTT is 5 ms or less, and receivers echo each mark | `ecn_low`: off, as without such a route |
//! | names | `inflight_longterm`, `bw_shortterm`, `inflight_shortterm` | `inflight_hi`, `bw_lo`, `inflight_lo` | the kernel's |
//! | lengths | bytes | segments | segments |
//! | a lost buffer of several segments | each packet | the buffer at once | each segment |
//! | PLB, which chooses another route | no | off by default | left out |
//!
//! A variant has the draft's three numbers. The random waits come from the flow's own stream.

mod congestion_window;
mod ecn;
mod lower_bounds;
mod parameters;
mod probe_bw;
mod probe_rtt;
mod signals;
mod startup;
mod state;
mod upper_bound;

#[cfg(test)]
mod scenarios;

use rand_core::{RngCore as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Rate, Segments, Time};

use crate::bbr::aggregation;
use crate::bbr::bandwidth::{Bandwidth, Gain};
use crate::bbr::pacing::{Pacer, flight_at_next_departure};
use crate::bbr::round;
use crate::parameter::Values;
use crate::{Ack, CongestionControl, Delivery, Inspection, Loss, RecoveryState, Restart, Start, Window};
pub(crate) use parameters::ALGORITHM;
use parameters::Parameters;
use state::{Gains, PHASES, Phase, State};

/// No bound.
const UNBOUNDED: Segments = Segments::MAX;

/// A bound, if it is one.
fn bound(segments: Segments) -> Option<Segments> {
    (segments < UNBOUNDED).then_some(segments)
}

/// BBR v3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    parameters: Parameters,
    random: Xoshiro256PlusPlus,
    state: State,
    /// The gains in force: decided by the last ACK, for the time until the next.
    gains: Gains,
    round: round::Counter,
    /// The largest rates of the cycle before, and of this one (`bw_hi`).
    bw_hi: [Bandwidth; 2],
    full_pipe: startup::FullPipe,
    signals: signals::Signals,
    lower: lower_bounds::LowerBounds,
    /// The most in flight that probing found safe.
    inflight_hi: Segments,
    cycle: probe_bw::Cycle,
    rtt: probe_rtt::MinRtt,
    ecn: ecn::Ecn,
    aggregation: aggregation::Estimator,
    pacer: Pacer,
    /// The window of before a recovery or a dip.
    prior_cwnd: Segments,
    /// The bounds of before a recovery.
    undo: (lower_bounds::LowerBounds, Segments),
    /// The transport's state at the last ACK (`prev_ca_state`).
    recovery: RecoveryState,
    initial_cwnd: Segments,
    /// Nothing but the application limits the flow: an ACK may be passed over (`try_fast_path`).
    may_pass: bool,
    idle_restart: bool,
    limits_flight: bool,
}

/// How much of an ACK is taken in (`bbr_run_fast_path`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Pass,
    Follow,
    Full,
}

impl Bbr3 {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        let parameters = Parameters::new(values);
        let state = State::Startup;
        let mut pacer = Pacer::new(parameters.pacing, start);
        pacer.set_min_rtt(start.rtt_us.unwrap_or(u32::MAX));
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(start.seed),
            state,
            gains: state.gains(&parameters),
            round: round::Counter::default(),
            bw_hi: [Bandwidth::default(); 2],
            full_pipe: startup::FullPipe::default(),
            signals: signals::Signals::default(),
            lower: lower_bounds::LowerBounds::NONE,
            inflight_hi: UNBOUNDED,
            cycle: probe_bw::Cycle::default(),
            rtt: probe_rtt::MinRtt::new(start),
            ecn: ecn::Ecn::new(start.ecn && parameters.ecn_low),
            aggregation: aggregation::Estimator::new(start.now),
            pacer,
            prior_cwnd: 0,
            undo: (lower_bounds::LowerBounds::NONE, UNBOUNDED),
            recovery: RecoveryState::Open,
            initial_cwnd: start.cwnd,
            may_pass: false,
            idle_restart: false,
            limits_flight: false,
            parameters,
        }
    }

    fn max_bandwidth(&self) -> Bandwidth {
        self.bw_hi[0].max(self.bw_hi[1])
    }

    /// The bandwidth to go by (`bbr_bw`).
    fn bandwidth(&self) -> Bandwidth {
        self.max_bandwidth().min(self.lower.bandwidth)
    }

    /// Remembers this cycle's largest rate, and begins anew (`bbr_advance_max_bw_filter`).
    fn advance_max_bandwidth(&mut self) {
        if self.bw_hi[1] > Bandwidth::default() {
            self.bw_hi = [self.bw_hi[1], Bandwidth::default()];
        }
    }

    /// The only way from one state to another.
    fn transition_to(&mut self, next: State) {
        debug_assert!(self.state.may_become(next), "illegal transition from {:?} to {next:?}", self.state);
        self.state = next;
    }

    /// Uniform below `bound` (`get_random_u32_below`).
    fn draw_below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.random.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    fn flight_at_next_departure(&self, ack: &Ack, in_flight: Segments) -> Segments {
        let burst = if self.gains.pacing > Gain::UNIT { self.pacer.burst_goal() } else { 0 };
        flight_at_next_departure(ack, in_flight, self.bandwidth(), burst)
    }

    /// A round ends with a segment that was sent after its start (`bbr_update_round_start`).
    fn update_round(&mut self, ack: &Ack) {
        self.round.is_start = false;
        if ack.rate.interval_us > 0 {
            self.round.ends_with(ack.rate.prior_delivered, ack.delivered);
        }
        if self.round.is_start {
            self.cycle.age();
            let share = self.ecn.update(&self.parameters, self.rtt.min_us, ack.delivered);
            if let Some(share) = share {
                self.check_marks_in_startup(share);
            }
        }
    }

    /// What an ACK says of the path, as much of it as is to be taken in. The order is the kernel's: each sees what those
    /// before it found.
    fn update_model(&mut self, ack: &Ack, sample: Bandwidth, window: &mut Window) -> Path {
        if !self.passes(ack, sample) {
            self.update_signals(ack, sample, window);
            self.update_aggregation(ack, window.cwnd);
            self.check_losses_in_startup(ack);
            self.check_full_pipe(ack, sample);
            self.check_drain(ack, window);
            self.advance_cycle(ack, sample, window);
            self.update_min_rtt(ack, window);
            return Path::Full;
        }
        let (state, min_rtt_us) = (self.state, self.rtt.min_us);
        self.check_drain(ack, window);
        self.advance_cycle(ack, sample, window);
        self.update_min_rtt(ack, window);
        let same = self.state.is_in_same_mode(state) && self.rtt.min_us == min_rtt_us && self.may_pass;
        if same { Path::Pass } else { Path::Follow }
    }

    fn passes(&self, ack: &Ack, sample: Bandwidth) -> bool {
        self.may_pass
            && ack.rate.is_app_limited
            && sample < self.max_bandwidth()
            && !self.signals.has_losses
            && !self.ecn.is_in_round
    }

    /// What follows from the model: gains, pacing rate and window.
    fn follow_model(&mut self, ack: &Ack, window: &mut Window) {
        self.gains = self.state.gains(&self.parameters);
        let bandwidth = self.bandwidth();
        self.pacer.learn_rtt(ack.srtt_us, window.cwnd);
        self.pacer.pace_at(bandwidth, self.gains.pacing, self.full_pipe.is_reached);
        self.set_cwnd(ack, bandwidth, window);
        self.bound_cwnd(window);
    }

    /// In STARTUP a window of excess is a round.
    fn update_aggregation(&mut self, ack: &Ack, cwnd: Segments) {
        let of = &self.parameters.allowances;
        if of.extra_acked_gain > Gain::ZERO {
            let rounds = if self.full_pipe.is_reached { of.extra_acked_win_rounds } else { 1 };
            self.aggregation.observe(ack, self.bandwidth(), cwnd, self.round.is_start.then_some(rounds));
        }
    }
}

impl CongestionControl for Bbr3 {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.update_round(ack);
        self.ecn.is_in_round |= self.ecn.is_eligible && ack.rate.is_ece;
        let sample = signals::sample(ack);
        self.signals.note_delivery(ack, sample);
        if self.update_model(ack, sample, window) != Path::Pass {
            self.follow_model(ack, window);
        }
        self.signals.end_round(ack, sample);
        self.recovery = ack.state;
        self.cycle.has_losses |= ack.rate.lost > 0;
        self.cycle.has_marks |= ack.rate.delivered_ce > 0;
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.ecn.delivered_ce = delivery.delivered_ce;
    }

    /// Nothing is reduced; window and bounds of before recovery are remembered (`bbr_ssthresh`).
    fn on_congestion(&mut self, window: &Window) -> Segments {
        self.save_cwnd(window.cwnd);
        self.undo = (self.lower, self.inflight_hi);
        window.ssthresh
    }

    fn watches_losses(&self) -> bool {
        true
    }

    fn on_lost(&mut self, loss: &Loss, window: &Window, now: Time, delivered: u64) {
        self.note_loss(delivered);
        self.judge_loss(loss, window, now, delivered);
    }

    /// One segment of the last round's flight was lost (`bbr_run_loss_probe_recovery`).
    fn on_probe_repair(&mut self, was_app_limited: bool, window: &Window, now: Time, delivered: u64) {
        self.note_loss(delivered);
        self.judge_probe_repair(was_app_limited, window, now, delivered);
    }

    /// `bbr_set_state`: the window of before a timeout is remembered while the lower bound has none, and comes back after it.
    fn on_state(&mut self, state: RecoveryState, window: &mut Window) {
        if state == RecoveryState::Loss {
            self.recovery = RecoveryState::Loss;
            self.full_pipe.restart(Bandwidth::default());
            if !self.state.is_probing() && self.lower.inflight == UNBOUNDED {
                self.lower.inflight = window.cwnd.max(self.prior_cwnd);
            }
        } else if self.recovery == RecoveryState::Loss {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            self.may_pass = false;
        }
    }

    /// The loss was none (`bbr_undo_cwnd`).
    fn on_undo(&mut self, _window: &Window, _prior_cwnd: Segments) -> Segments {
        self.full_pipe.restart(Bandwidth::default());
        self.signals.has_losses = false;
        let (lower, inflight_hi) = self.undo;
        self.lower = self.lower.larger(lower);
        self.inflight_hi = self.inflight_hi.max(inflight_hi);
        self.may_pass = false;
        self.prior_cwnd
    }

    /// `bbr_cwnd_event`.
    fn on_restart(&mut self, restart: &Restart, window: &mut Window) {
        if !restart.app_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.begin_epoch(restart.now.as_micros());
        match self.state {
            State::ProbeBw(_) => {
                let bandwidth = self.bandwidth();
                self.pacer.pace_at(bandwidth, Gain::UNIT, self.full_pipe.is_reached);
            }
            State::ProbeRtt(_) => self.end_probe_rtt_if_done(restart.now, restart.delivered, window),
            State::Startup | State::Drain => {}
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_sec(self.pacer.bytes_per_sec()))
    }

    fn owns_window(&self) -> bool {
        true
    }

    fn limits_flight(&self) -> bool {
        self.limits_flight
    }

    fn min_burst(&self) -> Option<Segments> {
        Some(self.pacer.min_burst())
    }

    /// Room for the doubling of STARTUP during recovery (`bbr_sndbuf_expand`).
    fn send_buffer_factor(&self) -> u32 {
        3
    }

    fn phases(&self) -> &'static [&'static str] {
        PHASES
    }

    fn inspect(&self) -> Inspection {
        Inspection {
            phase: self.state.phase(),
            bandwidth: Some(self.pacer.unpaced_rate(self.bandwidth())),
            min_rtt_us: Some(self.rtt.min_us).filter(|&us| us < u32::MAX),
            pacing_gain_256ths: self.gains.pacing.in_256ths(),
            cwnd_gain_256ths: self.gains.cwnd.in_256ths(),
            bw_hi: Some(self.pacer.unpaced_rate(self.max_bandwidth())),
            bw_lo: (self.lower.bandwidth < Bandwidth::MAX).then(|| self.pacer.unpaced_rate(self.lower.bandwidth)),
            inflight_hi: bound(self.inflight_hi),
            inflight_lo: bound(self.lower.inflight),
            alpha_ppm: self.ecn.alpha_ppm(),
        }
    }
}

#[cfg(test)]
impl Bbr3 {
    /// The defaults but for `given`.
    pub(crate) fn with(given: &[(&str, f64)], start: &Start) -> Self {
        ALGORITHM.with(given, |values| Self::new(values, start))
    }
}
