//! Tests of the whole: flows over an ideal path, and events that concern more than one of the files beside this.

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
fn a_policer_is_detected_and_its_rate_respected_unless_switched_off() {
    // 4000 segments/s, behind a bucket that lets 10 000 pass for a second.
    let path = Path { policer: Some((Span::from_micros(250), 6_000)), ..Path::of(10, 4.0) };
    let (mut on, mut off) = (flow(&[], path), flow(&[("policer", 0.0)], path));
    while on.cc.policer.rate().is_none() {
        on.run(Span::from_millis(10));
        assert!(on.now < Time::ZERO + Span::from_secs(3), "no policer found");
    }
    let per_second = on.cc.bandwidth().segments_in(1_000_000);
    assert!((3_800..=4_300).contains(&per_second), "{per_second}");
    off.run_until(on.now, |_, _| {});
    let before = [on.lost, off.lost];
    on.run_until(on.now + Span::from_millis(500), |flow, _| assert_eq!(flow.cc.gains.pacing, Gain::UNIT));
    off.run_until(on.now, |flow, _| assert_eq!(flow.cc.policer.rate(), None));
    let [with, without] = [on.lost - before[0], off.lost - before[1]];
    assert!(2 * with < without, "{with} {without}");
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
