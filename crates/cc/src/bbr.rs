//! BBR version 1: a model of the path instead of a reaction to loss (Cardwell et al., "BBR: Congestion-Based Congestion
//! Control", ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00).
//!
//! The model has two numbers: the bottleneck's bandwidth, as the largest delivery rate of the last ten round trips,
//! and the path's round-trip time without queue, as the smallest of the last ten seconds. BBR paces at
//! gain x bandwidth and keeps at most gain x bandwidth x `min_rtt` in flight:
//!
//! ```text
//!   STARTUP --pipe full--> DRAIN --queue gone--> PROBE_BW <-> (cycle of pacing gains 5/4, 3/4, 1, 1, 1, 1, 1, 1)
//!      ^                     |                      | ^
//!      |                     v                      v |
//!      +---------------- PROBE_RTT (4 segments in flight, 200 ms, when min_rtt is 10 s old)
//! ```
//!
//! Loss only matters twice: recovery's first round sends what was acknowledged, no more; and lasting loss at a
//! steady rate is taken for a policer (`policer`). This is the BBR of Linux 6.1 (`tcp_bbr.c`), its fixed point and
//! its order of updates included, so that both agree to the integer. Each file beneath is one noun of the draft.
//!
//! Differs from Linux: counters do not wrap (the kernel's excess acknowledged has 16 bits, its policer's products
//! 32); the cycle's random phase comes from the flow's own stream.

pub(crate) mod aggregation;
pub(crate) mod allowances;
pub(crate) mod bandwidth;
mod congestion_window;
mod cycle;
pub(crate) mod dip;
mod drain;
mod full_pipe;
mod min_rtt;
pub(crate) mod pacing;
mod parameters;
mod policer;
mod probe_bw;
mod probe_rtt;
mod recovery;
pub(crate) mod round;
mod state;

#[cfg(test)]
mod scenarios;

use rand_core::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Rate, Segments, Time, WindowedExtremum};

use crate::parameter::Values;
use crate::{Ack, CongestionControl, Inspection, RecoveryState, Restart, Start, Timeout, Window};
pub(crate) use bandwidth::{Bandwidth, Gain};
use cycle::Cycle;
use parameters::Parameters;
pub(crate) use parameters::{ALGORITHM, ORDERED, PARAMETERS, SHARED};
use policer::Verdict;
use state::{Gains, PHASES, State};

/// What the transport has counted, as of the last event that told.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    /// Segments delivered since the connection began.
    delivered: u64,
    /// When that was last counted, µs.
    delivered_us: u64,
    /// Segments marked lost since the connection began.
    lost: u64,
}

/// BBR v1.
#[derive(Clone, Debug)]
pub struct Bbr {
    parameters: Parameters,
    random: Xoshiro256PlusPlus,
    state: State,
    /// The gains in force: decided by the last ACK, for the time until the next.
    gains: Gains,
    counters: Counters,
    round: round::Counter,
    max_bandwidth: WindowedExtremum<u32>,
    full_pipe: full_pipe::Estimator,
    min_rtt: min_rtt::MinRtt,
    policer: policer::Detector,
    aggregation: aggregation::Estimator,
    pacer: pacing::Pacer,
    recovery: recovery::SavedCwnd,
    /// The application left the connection idle, and nothing sent since has been acknowledged.
    idle_restart: bool,
    /// The last ACK found BBR in `PROBE_RTT`.
    limits_flight: bool,
}

impl Bbr {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        let parameters = Parameters::new(values);
        let state = State::Startup;
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(start.seed),
            state,
            gains: state.gains(&parameters, false),
            counters: Counters { delivered_us: start.now.as_micros(), ..Counters::default() },
            round: round::Counter::default(),
            max_bandwidth: WindowedExtremum::new(parameters.bw_window_rounds, 0),
            full_pipe: full_pipe::Estimator::default(),
            min_rtt: min_rtt::MinRtt::new(start),
            policer: policer::Detector::default(),
            aggregation: aggregation::Estimator::new(start.now),
            pacer: pacing::Pacer::new(parameters.pacing, start),
            recovery: recovery::SavedCwnd::default(),
            idle_restart: false,
            limits_flight: false,
            parameters,
        }
    }

    /// Largest delivery rate of the window of rounds.
    fn max_bandwidth(&self) -> Bandwidth {
        Bandwidth::from_bits(self.max_bandwidth.get())
    }

    /// The bandwidth to go by: the policer's rate while one is believed in.
    pub(crate) fn bandwidth(&self) -> Bandwidth {
        self.policer.rate().unwrap_or_else(|| self.max_bandwidth())
    }

    /// The smallest RTT of the window, µs; `None` before the first sample.
    pub(crate) fn min_rtt_us(&self) -> Option<u32> {
        self.min_rtt.us()
    }

    /// Nothing has undercut that for the window's length.
    pub(crate) fn has_min_rtt_expired(&self, now: Time) -> bool {
        self.min_rtt.has_expired(&self.parameters, now.as_millis())
    }

    /// The last ACK began a round.
    pub(crate) fn begins_round(&self) -> bool {
        self.round.is_start
    }

    pub(crate) fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::ProbeBw(_))
    }

    /// Sets that of `PROBE_BW`, for the time to come.
    pub(crate) fn set_cwnd_gain(&mut self, gain: Gain) {
        self.parameters.cwnd_gain = gain;
    }

    /// The only way from one state to another.
    fn transition_to(&mut self, next: State) {
        debug_assert!(self.state.may_become(&next), "illegal transition from {:?} to {next:?}", self.state);
        self.state = next;
    }

    fn enter_probe_bw(&mut self) {
        let cycle = Cycle::begin(&self.parameters, &mut self.random, self.counters.delivered_us);
        self.transition_to(State::ProbeBw(cycle));
    }

    /// What an ACK says of the path. The order of updates is that of Linux 6.1 bbr_update_model: each sees what those
    /// before it found, and the gains and pacing rate of the ACK before.
    pub(crate) fn update_model(&mut self, ack: &Ack, window: &mut Window) {
        self.counters =
            Counters { delivered: ack.delivered, delivered_us: ack.delivered_at.as_micros(), lost: ack.lost };
        self.update_bandwidth(ack);
        if self.parameters.allowances.extra_acked_gain > Gain::ZERO {
            let rounds = self.round.is_start.then_some(self.parameters.allowances.extra_acked_win_rounds);
            self.aggregation.observe(ack, self.bandwidth(), window.cwnd, rounds);
        }
        self.advance_cycle(ack);
        self.check_full_pipe(ack);
        self.check_drain(ack, window);
        self.update_min_rtt(ack, window);
    }

    /// What follows from the model: gains, pacing rate and window.
    pub(crate) fn follow_model(&mut self, ack: &Ack, window: &mut Window) {
        self.gains = self.state.gains(&self.parameters, self.policer.rate().is_some());

        let bandwidth = self.bandwidth();
        self.pacer.learn_rtt(ack.srtt_us, window.cwnd);
        self.pacer.pace_at(bandwidth, self.gains.pacing, self.full_pipe.is_full());
        self.set_cwnd(ack, bandwidth, window);
    }

    /// Takes in the ACK's delivery-rate sample. Linux 6.1 bbr_update_bw.
    fn update_bandwidth(&mut self, ack: &Ack) {
        self.round.is_start = false;
        let Some(delivered) = valid_delivery(ack) else { return };
        if self.round.ends_with(ack.rate.prior_delivered, ack.delivered) {
            self.recovery.end_conservation();
        }
        self.detect_policer(ack.rate.losses > 0, ack.rate.is_app_limited);
        let sample = Bandwidth::of_delivery(delivered, ack.rate.interval_us);
        // A sample that the application limited says what the path carries at least.
        if !ack.rate.is_app_limited || sample >= self.max_bandwidth() {
            self.max_bandwidth.insert(self.round.count, sample.to_bits());
        }
    }

    fn detect_policer(&mut self, lossy: bool, is_app_limited: bool) {
        let sample = policer::Sample {
            counters: self.counters,
            round_start: self.round.is_start,
            lossy,
            is_app_limited,
            in_probe_bw: matches!(self.state, State::ProbeBw(_)),
        };
        match self.policer.observe(&self.parameters, &self.pacer, &sample) {
            Verdict::Nothing => {}
            // Avoid drops from here on, not from the next ACK on.
            Verdict::Policed => self.gains.pacing = Gain::UNIT,
            Verdict::Expired => self.enter_probe_bw(),
        }
    }

    /// Restart from idle (draft section 4.3.4.4). Linux 6.1 bbr_cwnd_event.
    fn restart_from_idle(&mut self, restart: &Restart, window: &mut Window) {
        self.idle_restart = true;
        self.aggregation.begin_epoch(restart.now.as_micros());
        match self.state {
            // No faster than the bandwidth that is known: a burst would only overflow a queue.
            State::ProbeBw(_) => {
                let bandwidth = self.bandwidth();
                self.pacer.pace_at(bandwidth, Gain::UNIT, self.full_pipe.is_full());
            }
            State::ProbeRtt(_) => self.end_probe_rtt_if_done(restart.now, window),
            State::Startup | State::Drain => {}
        }
    }
}

/// Segments delivered according to a sample that can be used. Linux: `rs->delivered < 0 || rs->interval_us <= 0`.
fn valid_delivery(ack: &Ack) -> Option<Segments> {
    ack.rate.delivered.filter(|_| ack.rate.interval_us > 0)
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.update_model(ack, window);
        self.follow_model(ack, window);
    }

    /// Nothing is reduced; the window of before recovery is remembered. Linux 6.1 bbr_ssthresh.
    fn on_congestion(&mut self, window: &Window) -> Segments {
        self.recovery.save_cwnd(window.cwnd, matches!(self.state, State::ProbeRtt(_)));
        window.ssthresh
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.counters = Counters {
            delivered: timeout.delivered,
            delivered_us: timeout.delivered_at.as_micros(),
            lost: timeout.lost,
        };
    }

    /// A timeout counts as the end of a round, and as a loss. Linux 6.1 bbr_set_state.
    fn on_state(&mut self, state: RecoveryState, _window: &mut Window) {
        if state == RecoveryState::Loss {
            self.recovery.enter_loss();
            self.full_pipe.forget_bandwidth();
            self.round.is_start = true;
            self.detect_policer(true, false);
        }
    }

    /// The loss was none: neither the full pipe nor a policer may be concluded from it. Linux 6.1 bbr_undo_cwnd.
    fn on_undo(&mut self, window: &Window, _prior_cwnd: Segments) -> Segments {
        self.full_pipe.restart();
        self.policer.reset(&self.counters);
        window.cwnd
    }

    fn on_restart(&mut self, restart: &Restart, window: &mut Window) {
        self.counters.delivered = restart.delivered;
        self.counters.delivered_us = restart.delivered_at.as_micros();
        if restart.app_limited {
            self.restart_from_idle(restart, window);
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_sec(self.pacer.bytes_per_sec()))
    }

    fn paces(&self) -> bool {
        self.parameters.paces
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

    /// Room for the doubling of STARTUP during recovery. Linux 6.1 bbr_sndbuf_expand.
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
            min_rtt_us: self.min_rtt.us(),
            pacing_gain_256ths: self.gains.pacing.in_256ths(),
            cwnd_gain_256ths: self.gains.cwnd.in_256ths(),
            ..Inspection::default()
        }
    }
}

#[cfg(test)]
impl Bbr {
    /// The defaults but for `given`.
    pub(crate) fn with(given: &[(&str, f64)], start: &Start) -> Self {
        ALGORITHM.with(given, |values| Self::new(values, start))
    }
}
