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

mod aggregation;
mod bandwidth;
mod congestion_window;
mod drain;
mod full_pipe;
mod pacing;
mod parameters;
mod policer;
mod probe_bw;
mod probe_rtt;
mod recovery;
mod round;
mod state;

use rand_core::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Rate, Segments};

use crate::filter::WindowedMax;
use crate::parameter::Values;
use crate::{Ack, CongestionControl, Inspection, RecoveryState, Restart, Start, Timeout, Window};
use bandwidth::{Bandwidth, Gain};
pub(crate) use parameters::ALGORITHM;
use parameters::Parameters;
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
    max_bandwidth: WindowedMax,
    full_pipe: full_pipe::Estimator,
    min_rtt: probe_rtt::MinRtt,
    policer: policer::Detector,
    aggregation: aggregation::Estimator,
    pacer: pacing::Pacer,
    recovery: recovery::Memory,
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
            max_bandwidth: WindowedMax::new(parameters.bw_window_rounds),
            full_pipe: full_pipe::Estimator::default(),
            min_rtt: probe_rtt::MinRtt::new(start),
            policer: policer::Detector::default(),
            aggregation: aggregation::Estimator::new(start.now),
            pacer: pacing::Pacer::new(&parameters, start),
            recovery: recovery::Memory::default(),
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
    fn bandwidth(&self) -> Bandwidth {
        self.policer.rate().unwrap_or_else(|| self.max_bandwidth())
    }

    /// The only way from one state to another.
    fn transition_to(&mut self, next: State) {
        debug_assert!(self.state.may_become(&next), "illegal transition from {:?} to {next:?}", self.state);
        self.state = next;
    }

    fn enter_probe_bw(&mut self) {
        let cycle = probe_bw::Cycle::begin(&self.parameters, &mut self.random, self.counters.delivered_us);
        self.transition_to(State::ProbeBw(cycle));
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
                self.pacer.pace_at(&self.parameters, bandwidth, Gain::UNIT, self.full_pipe.is_full());
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
    /// Model first, then control parameters (draft section 4.2.1). The order of updates is that of Linux 6.1
    /// bbr_update_model: each sees what those before it found, and the gains and pacing rate of the ACK before.
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.counters =
            Counters { delivered: ack.delivered, delivered_us: ack.delivered_at.as_micros(), lost: ack.lost };
        self.update_bandwidth(ack);
        self.update_aggregation(ack, window.cwnd);
        self.advance_cycle(ack);
        self.check_full_pipe(ack);
        self.check_drain(ack, window);
        self.update_min_rtt(ack, window);
        self.gains = self.state.gains(&self.parameters, self.policer.rate().is_some());

        let bandwidth = self.bandwidth();
        self.pacer.learn_rtt(&self.parameters, ack.srtt_us, window.cwnd);
        self.pacer.pace_at(&self.parameters, bandwidth, self.gains.pacing, self.full_pipe.is_full());
        self.set_cwnd(ack, bandwidth, window);
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

    fn owns_window(&self) -> bool {
        true
    }

    fn limits_flight(&self) -> bool {
        self.limits_flight
    }

    fn min_burst(&self) -> Option<Segments> {
        Some(self.pacer.min_burst(&self.parameters))
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
        }
    }
}

#[cfg(test)]
impl Bbr {
    /// The defaults but for `given`.
    fn with(given: &[(&str, f64)], start: &Start) -> Self {
        let given = given.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(ALGORITHM.check(&given), []);
        Self::new(&Values { algorithm: &ALGORITHM, given: &given }, start)
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::event::samples;
    use crate::ideal_path::{Flow, MSS_BYTES, Path};

    fn flow(given: &[(&str, f64)], path: Path) -> Flow<Bbr> {
        Flow::new(path, |start| Bbr::with(given, start))
    }

    /// The payload rate of a path, bit/s.
    fn payload_bps(path: &Path) -> f64 {
        f64::from(MSS_BYTES) * 8e9 / path.segment_time.as_nanos() as f64
    }

    #[test]
    fn startup_doubles_the_flight_every_round() {
        let mut flow = flow(&[], Path::of(100, 4.0));
        let flights: Vec<_> = (1..=6)
            .map(|round| {
                flow.run_until(Time::ZERO + Span::from_millis(20 * round), |_, _| {});
                assert_eq!(flow.phase(), "startup");
                f64::from(flow.window.cwnd)
            })
            .collect();
        for (before, after) in flights.iter().zip(&flights[1..]) {
            assert!((1.7..=2.1).contains(&(after / before)), "{flights:?}");
        }
    }

    #[test]
    fn startup_ends_three_rounds_after_the_bandwidth_stopped_growing() {
        let mut flow = flow(&[], Path::of(10, 4.0));
        let (mut plateau, mut left) = (None, None);
        flow.run_until(Time::ZERO + Span::from_secs(1), |flow, _| {
            let full = payload_bps(&flow.path) / 1.25;
            let bandwidth = flow.cc.inspect().bandwidth.map_or(0.0, |rate| rate.as_bps() as f64);
            if bandwidth > full && plateau.is_none() {
                plateau = Some(flow.cc.round.count);
            }
            if flow.phase() != "startup" && left.is_none() {
                left = Some(flow.cc.round.count);
            }
        });
        let rounds = left.unwrap() - plateau.unwrap();
        assert!((3..=4).contains(&rounds), "{rounds}");
    }

    #[test]
    fn phases_follow_the_diagram() {
        let mut seen = Vec::new();
        flow(&[], Path::of(10, 4.0)).run_until(Time::ZERO + Span::from_secs(12), |flow, _| {
            if seen.last() != Some(&flow.phase()) {
                seen.push(flow.phase());
            }
        });
        assert_eq!(seen, ["startup", "drain", "probe_bw", "probe_rtt", "probe_bw"]);
    }

    #[test]
    fn a_flow_alone_knows_its_path_and_fills_it_with_a_small_queue() {
        let mut flow = flow(&[], Path::of(10, 4.0));
        flow.run(Span::from_secs(2));
        let (before, mut backlogs) = (flow.delivered, Vec::new());
        flow.run_until(Time::ZERO + Span::from_secs(8), |flow, _| backlogs.push(flow.backlog()));
        let utilization = (flow.delivered - before) as f64 / 60_000.0;
        assert!(utilization > 0.97, "{utilization}");
        let inspection = flow.cc.inspect();
        let bandwidth = inspection.bandwidth.unwrap().as_bps() as f64 / payload_bps(&flow.path);
        assert!((0.98..=1.03).contains(&bandwidth), "{bandwidth}");
        assert_eq!(inspection.min_rtt_us, Some(20_000));
        let mean = backlogs.iter().sum::<u64>() as f64 / backlogs.len() as f64;
        assert!(mean < 0.25 * flow.path.bdp() as f64, "{mean}");
        assert_eq!(flow.lost, 0);
    }

    #[test]
    fn a_slower_path_is_noticed_after_ten_rounds() {
        let bandwidth = |flow: &Flow<Bbr>| flow.cc.inspect().bandwidth.unwrap().as_bps() as f64;
        let rounds_to_notice = |given: &[(&str, f64)]| {
            let mut flow = flow(given, Path::of(10, 8.0));
            flow.run(Span::from_secs(2));
            flow.path.segment_time = flow.path.segment_time * 2;
            let (round, before) = (flow.cc.round.count, bandwidth(&flow));
            let mut noticed = None;
            flow.run_until(Time::ZERO + Span::from_secs(8), |flow, _| {
                if noticed.is_none() && bandwidth(flow) < 0.7 * before {
                    noticed = Some(flow.cc.round.count - round);
                }
            });
            noticed.unwrap()
        };
        let rounds = rounds_to_notice(&[]);
        assert!((10..=13).contains(&rounds), "{rounds}");
        let rounds = rounds_to_notice(&[("bw_window_rounds", 4.0)]);
        assert!((4..=7).contains(&rounds), "{rounds}");
    }

    #[test]
    fn a_policer_is_found_and_its_rate_kept_to_unless_switched_off() {
        let path = Path { policer: Some((Span::from_micros(250), 60)), ..Path::of(10, 4.0) };
        let loss = |given: &[(&str, f64)]| {
            let mut flow = flow(given, path);
            flow.run(Span::from_secs(5));
            let policed = flow.cc.policer.rate().is_some();
            flow.lost as f64 / (flow.lost + flow.delivered) as f64 + if policed { 0.0 } else { 1.0 }
        };
        let with = loss(&[]);
        let without = loss(&[("policer", 0.0)]) - 1.0;
        assert!(with < 1.0 && with < 0.6 * without, "{with} {without}");
    }

    #[test]
    fn after_idle_it_restarts_at_the_bandwidth_it_knows() {
        let mut flow = flow(&[], Path::of(10, 4.0));
        flow.run(Span::from_secs(2));
        flow.app_silent = true;
        flow.run(Span::from_secs(1));
        let bandwidth = flow.cc.inspect().bandwidth.unwrap().as_bps();
        flow.app_silent = false;
        flow.run(Span::from_micros(100));
        assert!(flow.cc.idle_restart);
        let pace = flow.cc.pacing_rate().unwrap().as_bps() as f64 / bandwidth as f64;
        assert!((0.985..=0.995).contains(&pace), "{pace}");
        let mut queue = 0;
        flow.run_until(flow.now + Span::from_millis(40), |flow, _| queue = queue.max(flow.backlog()));
        assert!(!flow.cc.idle_restart);
        assert!(queue < flow.path.bdp() / 4, "{queue}");
        assert_eq!(flow.cc.inspect().bandwidth.unwrap().as_bps(), bandwidth);
    }

    #[test]
    fn an_application_that_limits_does_not_lower_the_bandwidth() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let mut ack = samples::ack();
        let mut sample = |delivered, is_app_limited| {
            ack.rate.delivered = Some(delivered);
            ack.rate.is_app_limited = is_app_limited;
            ack.rate.prior_delivered = ack.delivered;
            ack.delivered += 1;
            bbr.update_bandwidth(&ack);
            bbr.max_bandwidth()
        };
        let full = sample(20, false);
        assert!((0..30).all(|_| sample(2, true) == full));
        assert!(sample(21, true) > full);
        assert_eq!((0..12).map(|_| sample(2, false)).last(), Some(Bandwidth::of_delivery(2u32, 20_000u32)));
    }

    #[test]
    fn a_sample_that_is_not_valid_changes_no_round_and_no_bandwidth() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let mut ack = samples::ack();
        ack.rate.interval_us = 0;
        bbr.update_bandwidth(&ack);
        ack.rate = crate::RateSample { delivered: None, interval_us: 1, ..ack.rate };
        bbr.update_bandwidth(&ack);
        assert_eq!((bbr.round.count, bbr.max_bandwidth()), (0, Bandwidth::default()));
    }

    #[test]
    fn loss_does_not_reduce_the_threshold_and_recovery_gives_the_window_back() {
        let mut flow = flow(&[], Path::of(10, 4.0));
        flow.run(Span::from_secs(2));
        let window = flow.window;
        assert_eq!(flow.cc.on_congestion(&window), window.ssthresh);
        flow.window.cwnd = 20;
        let ack = |state| Ack { state, in_flight: 100, delivered: flow.delivered, ..samples::ack() };
        let mut next = flow.window;
        flow.cc.set_cwnd(&ack(RecoveryState::Recovery), flow.cc.bandwidth(), &mut next);
        assert_eq!(next.cwnd, 101);
        flow.cc.set_cwnd(&ack(RecoveryState::Open), flow.cc.bandwidth(), &mut next);
        assert!(next.cwnd >= window.cwnd, "{next:?} {window:?}");
    }

    #[test]
    fn an_undone_loss_leaves_window_and_forgets_plateau_and_policer() {
        let mut bbr = Bbr::with(&[], &samples::start());
        let window = Window { cwnd: 33, ssthresh: Segments::MAX };
        bbr.on_ack(&samples::ack(), &mut window.clone());
        bbr.on_state(RecoveryState::Loss, &mut window.clone());
        assert_ne!(format!("{:?}", bbr.policer), format!("{:?}", policer::Detector::default()));
        assert_eq!(bbr.on_undo(&window, 99), 33);
        let mut fresh = policer::Detector::default();
        fresh.reset(&bbr.counters);
        assert_eq!(format!("{:?}", bbr.policer), format!("{fresh:?}"));
    }

    #[test]
    fn a_timeout_is_survived() {
        let mut flow = flow(&[], Path::of(10, 4.0));
        flow.run(Span::from_secs(2));
        flow.time_out();
        assert_eq!(flow.window.cwnd, 1);
        flow.run(Span::from_secs(1));
        let before = flow.delivered;
        flow.run(Span::from_secs(1));
        assert!(flow.delivered - before > 9_500, "{}", flow.delivered - before);
    }

    #[test]
    fn aggregated_acks_enlarge_the_window() {
        let path = Path { ack_slot: Span::from_millis(10), ..Path::of(10, 4.0) };
        let cwnd = |given: &[(&str, f64)]| {
            let mut flow = flow(given, path);
            flow.run(Span::from_secs(3));
            flow.window.cwnd
        };
        let (with, without) = (cwnd(&[]), cwnd(&[("extra_acked_gain", 0.0)]));
        assert!(with > without + 50, "{with} {without}");
    }

    #[test]
    fn gains_are_parameters() {
        let mut flow = flow(&[("cwnd_gain", 1.5), ("probe_gain", 1.1)], Path::of(10, 4.0));
        let mut highest = 0;
        flow.run_until(Time::ZERO + Span::from_secs(3), |flow, _| {
            if flow.phase() == "probe_bw" {
                highest = highest.max(flow.cc.inspect().pacing_gain_256ths);
                assert_eq!(flow.cc.inspect().cwnd_gain_256ths, 384);
            }
        });
        assert_eq!(highest, 281);
    }

    #[test]
    fn the_same_seed_gives_the_same_flow() {
        let run = |seed| {
            let mut flow = Flow::new(Path::of(10, 1.0), |start| Bbr::with(&[], &Start { seed, ..*start }));
            let mut trace = Vec::new();
            flow.run_until(Time::ZERO + Span::from_secs(2), |flow, ack| trace.push((ack.now, flow.window.cwnd)));
            trace
        };
        assert_eq!(run(1), run(1));
        assert!((2..10).any(|seed| run(seed) != run(1)));
    }
}
