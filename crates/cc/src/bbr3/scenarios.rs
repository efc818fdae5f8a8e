//! Flows over an ideal path: the example test cases of the draft (section 10), as far as one flow shows them.

use units::{Segments, Span, Time};

use super::*;
use crate::ideal_path::{Flow, MSS_BYTES, Path};

fn flow(given: &[(&str, f64)], path: Path) -> Flow<Bbr3> {
    Flow::new(path, |start| Bbr3::with(given, start))
}

fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as u64)
}

/// Bandwidth, of the path's.
fn known(flow: &Flow<Bbr3>) -> f64 {
    let payload_bps = f64::from(MSS_BYTES) * 8e9 / flow.path.segment_time.as_nanos() as f64;
    flow.cc.inspect().bandwidth.map_or(0.0, |rate| rate.as_bps() as f64) / payload_bps
}

/// Each phase that a flow enters, and when, s.
fn phases(flow: &mut Flow<Bbr3>, until_s: f64) -> Vec<(&'static str, f64)> {
    let mut seen: Vec<(&str, f64)> = Vec::new();
    flow.run_until(at(until_s), |flow, ack| {
        if seen.last().is_none_or(|&(last, _)| last != flow.phase()) {
            seen.push((flow.phase(), ack.now.as_nanos() as f64 / 1e9));
        }
    });
    seen
}

/// Sections 10.1, 10.3, 10.5 and 10.8: a plateau ends STARTUP and UP, what is in flight ends DRAIN and DOWN; and no round of
/// them loses anything where the queue has room.
#[test]
fn the_states_of_the_diagram_follow_one_another() {
    let mut flow = flow(&[], Path::of(10, 4.0));
    let seen = phases(&mut flow, 4.5);
    let names: Vec<_> = seen.iter().map(|&(name, _)| name).collect();
    // The first DOWN is over within the ACK that ends DRAIN.
    let cycle = ["probe_bw_cruise", "probe_bw_refill", "probe_bw_up", "probe_bw_down"];
    assert_eq!(names[..2], ["startup", "drain"], "{seen:?}");
    assert!(names[2..].iter().zip(cycle.iter().cycle()).all(|(name, expected)| name == expected), "{seen:?}");
    assert!(names.len() > 8, "{seen:?}");
    // Three doublings, and three rounds in which the rate did not grow.
    assert!((0.12..0.4).contains(&seen[1].1), "{seen:?}");
    assert_eq!(flow.lost, 0);
    assert!((0.97..1.03).contains(&known(&flow)), "{}", known(&flow));
}

/// Section 10.2: a queue of a tenth of the path's volume overflows in STARTUP, and losses end it, with a bound.
#[test]
fn losses_end_startup_and_leave_a_bound() {
    let mut flow = flow(&[("full_bw_rounds", 1000.0)], Path::of(10, 0.1));
    let seen = phases(&mut flow, 1.0);
    assert_eq!(seen[1].0, "drain", "{seen:?}");
    let bound = u64::from(flow.cc.inflight_hi);
    assert!((190..400).contains(&bound), "{bound}");
    let shown = flow.cc.inspect();
    assert_eq!(shown.inflight_hi, Some(bound as Segments));
    assert!(shown.bw_hi >= shown.bandwidth && shown.bandwidth.is_some(), "{shown:?}");
    assert_eq!(shown.alpha_ppm, None, "it has no ECN");
    let mut endless =
        super::scenarios::flow(&[("full_bw_rounds", 1000.0), ("full_loss_events", 0.0)], Path::of(10, 0.1));
    assert_eq!(phases(&mut endless, 1.0).len(), 1, "without either it never ends");
}

/// Section 10.4, of the draft of 2026: DRAIN ends after three rounds, whatever is in flight.
#[test]
fn a_bound_on_rounds_ends_drain() {
    let longest = |rounds| {
        // With a gain so close to 1 the queue of STARTUP would last for a second.
        let seen = phases(&mut flow(&[("drain_gain", 0.99), ("drain_max_rounds", rounds)], Path::of(10, 4.0)), 3.0);
        let drain = seen.iter().position(|&(name, _)| name == "drain").unwrap();
        seen[drain + 1].1 - seen[drain].1
    };
    let (bounded, unbounded) = (longest(3.0), longest(0.0));
    assert!((0.06..0.25).contains(&bounded) && unbounded > 2.0 * bounded, "{bounded} {unbounded}");
}

/// Sections 10.10 and 5.3.4: each five seconds without a lower RTT half of the path's volume is in flight, for 200 ms; then the
/// flow cruises.
#[test]
fn the_flight_dips_to_half_each_five_seconds() {
    let mut flow = flow(&[("min_rtt_window_s", 10.0)], Path::of(10, 4.0));
    let mut least = Segments::MAX;
    let mut seen: Vec<(&str, f64)> = Vec::new();
    flow.run_until(at(11.5), |flow, ack| {
        if seen.last().is_none_or(|&(last, _)| last != flow.phase()) {
            seen.push((flow.phase(), ack.now.as_nanos() as f64 / 1e9));
        }
        if flow.phase() == "probe_rtt" {
            least = least.min(ack.in_flight);
            assert!(flow.cc.limits_flight());
        }
    });
    let dips: Vec<_> = seen.windows(2).filter(|pair| pair[0].0 == "probe_rtt").collect();
    assert_eq!(dips.len(), 2, "{seen:?}");
    for dip in &dips {
        assert!((0.2..0.3).contains(&(dip[1].1 - dip[0].1)), "{seen:?}");
        assert_eq!(dip[1].0, "probe_bw_cruise");
    }
    assert!((5.0..5.1).contains(&dips[0][0].1), "{seen:?}");
    assert!((97..=101).contains(&least), "half of 200: {least}");
    assert_eq!(flow.cc.rtt.min_us, 20_100, "with a segment's time: the handshake's is forgotten");
}

/// Section 5.3.3.8.3: it waits for 2 to 3 s from the end of a probe to the next; on a short path for as many rounds as a Reno flow has
/// segments, 63 at most.
#[test]
fn it_waits_for_two_to_three_seconds_or_for_renos_rounds() {
    let waits = |path: Path| {
        let seen = phases(&mut flow(&[("probe_rtt_ms", 0.0)], path), 40.0);
        let since =
            |name: &str| seen.iter().filter(|&&(phase, _)| phase == name).map(|&(_, at)| at).collect::<Vec<_>>();
        let downs = since("probe_bw_down");
        let next = |down: &f64| since("probe_bw_refill").into_iter().find(|refill| refill > down).map(|at| at - down);
        downs.iter().filter_map(next).collect::<Vec<_>>()
    };
    // 63 rounds would take 12 s.
    let long = waits(Path { rtt: Span::from_millis(200), ..Path::of(10, 100.0) });
    assert!(long.len() > 8 && long.iter().all(|wait| (2.0..3.3).contains(wait)), "{long:?}");
    // 20 segments fill the path, and three bursts of two are allowed beside.
    let short = waits(Path::of(1, 4.0));
    assert!(short.len() > 20 && short.iter().all(|wait| *wait < 1.5), "{short:?}");
}

/// Section 10.20: a dip in STARTUP leads back there.
#[test]
fn a_dip_in_startup_leads_back_to_it() {
    let mut flow = flow(&[("probe_rtt_interval_s", 0.1), ("full_bw_rounds", 1000.0)], Path::of(10, 1e6));
    let names: Vec<_> = phases(&mut flow, 2.0).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..3], ["startup", "probe_rtt", "startup"]);
}

/// Section 10.21, and precautionary probing (5.3.3.6): a probe that lost too much bounds the next one, which stops there; and if
/// that loses nothing, another follows at once.
#[test]
fn a_probe_that_went_too_high_makes_the_next_one_stop_early() {
    let mut flow = flow(&[], Path::of(10, 0.3));
    let (mut bounds, mut early, mut at_once) = (Vec::new(), false, false);
    let mut before = "startup";
    flow.run_until(at(30.0), |flow, _| {
        let phase = flow.phase();
        if bounds.last() != Some(&flow.cc.inflight_hi) {
            bounds.push(flow.cc.inflight_hi);
        }
        early |= phase == "probe_bw_down" && flow.cc.cycle.stopped_early;
        at_once |= before == "probe_bw_down" && phase == "probe_bw_refill" && early;
        before = phase;
    });
    assert!(early && at_once, "{bounds:?}");
    let bound = *bounds.last().unwrap();
    // 200 fill the path, and 60 its queue.
    assert!((180..=290).contains(&bound), "{bounds:?}");
    let share = flow.lost as f64 / flow.delivered as f64;
    assert!(share < 0.02, "{share}");
    assert!(flow.delivered > 270_000, "{}", flow.delivered);
}

/// Sections 10.15 and 10.16: ten times the rate is found, and a tenth is adapted to.
#[test]
fn it_finds_ten_times_the_rate_and_adapts_to_a_tenth() {
    let mut flow = flow(&[], Path::of(1, 4.0));
    flow.run(Span::from_secs(5));
    assert!((0.95..1.05).contains(&known(&flow)), "{}", known(&flow));
    flow.path.segment_time = Span::from_micros(100);
    flow.path.buffer *= 10;
    flow.run(Span::from_secs(20));
    assert!((0.95..1.05).contains(&known(&flow)), "{}", known(&flow));
    flow.path.segment_time = Span::from_millis(1);
    flow.path.buffer /= 10;
    flow.run(Span::from_secs(20));
    assert!((0.9..1.1).contains(&known(&flow)), "{}", known(&flow));
}

/// `bbr_tso_segs_generic`: the nearer the other end, the larger a burst; also where the path becomes shorter.
#[test]
fn bursts_grow_when_the_minimum_rtt_falls() {
    let mut flow = flow(&[], Path::of(10, 4.0));
    flow.run(Span::from_secs(1));
    let far = flow.cc.pacer.burst_goal();
    flow.path.rtt = Span::from_micros(400);
    flow.run(Span::from_secs(1));
    // 64 kB, and what 1 ms at the rate carries.
    assert!(far < 20 && flow.cc.pacer.burst_goal() >= 45, "{far} {}", flow.cc.pacer.burst_goal());
}

/// Section 10.17: of a policer's losses it learns how much it may send, as version 1 does not.
#[test]
fn a_policer_costs_little() {
    // A token bucket that lets half of the line's rate through.
    let path = Path { policer: Some((Span::from_micros(200), 20)), ..Path::of(10, 4.0) };
    let mut flow = flow(&[], path);
    flow.run(Span::from_secs(10));
    let (share, used) = (flow.lost as f64 / flow.delivered as f64, flow.delivered as f64 / 50_000.0);
    assert!(share < 0.05 && used > 0.85, "{share} lost, {used} used");
}

/// `bbr_undo_cwnd`: losses that were none leave the bounds as they were.
#[test]
fn spurious_losses_leave_no_bounds() {
    let mut flow = flow(&[], Path::of(10, 4.0));
    flow.run_until(at(1.5), |_, _| {});
    while flow.phase() != "probe_bw_cruise" {
        flow.run(Span::from_millis(5));
    }
    let window = flow.window;
    flow.cc.on_congestion(&window);
    flow.cc.lower.bandwidth = Bandwidth::LEAST;
    flow.cc.lower.inflight = 10;
    flow.cc.inflight_hi = 50;
    let shown = flow.cc.inspect();
    assert_eq!((shown.inflight_lo, shown.inflight_hi), (Some(10), Some(50)));
    assert!(shown.bw_lo < shown.bw_hi && shown.bandwidth == shown.bw_lo, "{shown:?}");
    assert_eq!(flow.cc.on_undo(&Window { cwnd: 20, ..window }, window.cwnd), window.cwnd);
    assert_eq!((flow.cc.lower, flow.cc.inflight_hi), (super::lower_bounds::LowerBounds::NONE, UNBOUNDED));
    let shown = flow.cc.inspect();
    assert_eq!((shown.bw_lo, shown.inflight_lo, shown.inflight_hi), (None, None, None));
}
