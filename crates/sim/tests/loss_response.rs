//! The mean window under random loss, against the theory of the algorithms.
//!
//! The path is so fast that there is no queue: the RTT is constant, and a flow's window is what it delivers in an RTT.
//! Every packet is lost with the same probability p, independently. The square-root law's sqrt(3/2) and RFC 9438's
//! formula are for one loss every 1/p packets; independent losses come at exponential distances instead, and the
//! constants are others. They are derived below, where each is used.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use run::samples::one_flow;
use run::{FlowCounters, Record};
use scenario::{MBIT, MS, MSS_BYTES, SECOND};
use scenario::{gained, goodput_bps, mean, measure, set};

/// A mean window and how many losses it was averaged over.
struct Mean {
    window: f64,
    losses: f64,
}

/// Segments that a flow delivers in an RTT, over several seeds and in all about `losses` losses. `guess` is about the
/// window to expect: it decides how long that takes.
fn mean_window(cc: &str, parameters: &[(&str, f64)], p: f64, rtt_ms: u64, guess: f64, losses: f64) -> Mean {
    const SEEDS: u64 = 3;
    let rtts = losses / SEEDS as f64 / (p * guess);
    let measured_ns = (rtts * (rtt_ms * MS) as f64) as u64;
    let measurements: Vec<_> = (1..=SEEDS)
        .map(|seed| {
            // Slow start and the climb after it are not the steady state.
            let settled_ns = 20 * SECOND;
            let mut run = one_flow(cc, 10_000 * MBIT, rtt_ms * MS, 1 << 30, 0);
            set(&mut run.flows[0], parameters);
            (run.seed, run.duration_ns) = (seed, settled_ns + measured_ns);
            (run.measure.window_begin_ns, run.measure.window_end_ns) = (settled_ns, run.duration_ns);
            (run.measure.record, run.measure.sample_ns) = (Record::Summary, SECOND);
            run.path.loss_ppb = (p * 1e9).round() as u32;
            measure(&run)
        })
        .collect();
    for measurement in &measurements {
        let end: &FlowCounters = &measurement.flows[0].at_end;
        assert_eq!((end.dropped_packets, end.timeouts), (0, 0), "a path without queue, a loss rate without timeouts");
        assert!(end.acks as f64 <= 0.7 * end.segments_sent as f64, "ACKs are delayed: {end:?}");
    }
    let in_rtt = |bps: f64| bps / 8.0 / MSS_BYTES as f64 * rtt_ms as f64 * 1e-3;
    Mean {
        window: mean(measurements.iter().map(|measurement| in_rtt(goodput_bps(measurement, 0)))),
        losses: measurements.iter().map(|m| gained(&m.flows[0], |c| c.random_lost_packets)).sum::<u64>() as f64,
    }
}

/// A window is integers: a reduction rounds down, growth comes when a whole segment has been earned, pairs of segments
/// are acknowledged when the second has come, and the round trip of recovery brings no growth. Together that is two to
/// four segments below a theory of real numbers, and never anything above it.
const ROUNDING_SEGMENTS: f64 = 4.0;

/// Losses within one window are one event: after a loss a window's worth of packets is immune. Events are rarer than
/// losses by a factor of 1 + pW; a window that goes with p^(-power) is larger by that to the `power`.
fn with_immune_windows(theory: f64, p: f64, power: f64) -> f64 {
    theory * (1.0 + p * theory).powf(power)
}

/// Within three standard errors of the theory, or whole segments below. `spread` is the standard deviation of the mean
/// over one loss; losses are nearly independent of one another, so that the error falls with their square root.
fn assert_agrees(what: &str, mean: &Mean, theory: f64, spread: f64) {
    let error = 3.0 * spread / mean.losses.sqrt() * theory;
    let window = mean.window;
    assert!(error < 0.09 * theory, "{what}: {} losses are too few to tell", mean.losses);
    let agrees = window <= theory + error && window >= theory - error - ROUNDING_SEGMENTS;
    assert!(agrees, "{what}: {window:.1}, expected {theory:.1}, less whole segments, within {error:.1}");
}

/// W sqrt(p) of a window that grows by `alpha` segments a round trip and falls to `beta` of itself, under independent
/// losses (Ott, Kemperman and Mathis 1996, "The stationary behavior of ideal TCP congestion avoidance"; for alpha = 1
/// and beta = 1/2 their constant is 1.3098).
///
/// Counted in packets n, dW/dn = alpha/W, so that U = W^2/(2 alpha) grows by one a packet and falls to beta^2 U at a
/// loss. In units of 1/p its stationary law is that of the sum of beta^(2k) E_k, k = 0, 1, …, with E_k exponential of
/// mean one; its Laplace transform is the product of 1/(1 + s beta^(2k)). The mean over time is 1/E[1/W] =
/// sqrt(2 alpha/p)/E[U^(-1/2)], and E[U^(-1/2)] = 2/sqrt(pi) times the integral of that product at s = x^2 over x.
fn independent_loss_constant(alpha: f64, beta: f64) -> f64 {
    let transform = |s: f64| {
        let shares = std::iter::successors(Some(s), |s| Some(s * beta * beta)).take_while(|s| *s > 1e-9);
        shares.map(|s| 1.0 / (1.0 + s)).product::<f64>()
    };
    // By the midpoint rule: beyond 100 the product is below 1e-10.
    const STEP: f64 = 0.01;
    let integral = (0..10_000).map(|i| transform(((f64::from(i) + 0.5) * STEP).powi(2)) * STEP).sum::<f64>();
    (2.0 * alpha).sqrt() / (2.0 / std::f64::consts::PI.sqrt() * integral)
}

/// Standard deviation of such a window's mean over one loss, in means: 0.51 for either beta, from 2000 simulations of
/// that process over 400 losses each.
const LINEAR_SPREAD: f64 = 0.52;

#[test]
fn renos_mean_window_is_1_31_over_the_square_root_of_the_loss_rate() {
    let constant = independent_loss_constant(1.0, 0.5);
    assert!((constant - 1.3098).abs() < 1e-4, "the published constant: {constant}");
    for (p, losses) in [(1e-3, 3_000.0), (3e-4, 1_500.0), (1e-4, 600.0)] {
        let theory = with_immune_windows(constant / f64::sqrt(p), p, 0.5);
        let mean = mean_window("reno", &[], p, 80, theory, losses);
        assert_agrees(&format!("p = {p}"), &mean, theory, LINEAR_SPREAD);
        // With growth by ACKs, of which there is one for two segments, it would be 1/sqrt(2) of that.
        assert!(mean.window > 0.85 * theory);
    }
}

#[test]
fn renos_window_does_not_depend_on_the_round_trip_time() {
    let theory = with_immune_windows(independent_loss_constant(1.0, 0.5) / f64::sqrt(1e-3), 1e-3, 0.5);
    for rtt_ms in [20, 300] {
        let mean = mean_window("reno", &[], 1e-3, rtt_ms, theory, 1_500.0);
        assert_agrees(&format!("{rtt_ms} ms"), &mean, theory, LINEAR_SPREAD);
    }
}

/// CUBIC's constants as Linux rounds them, and its growth as Reno's equal (RFC 9438 section 4.3; 8/15 is what integers
/// make of 3 (1 - beta)/(1 + beta)).
const C: f64 = 410.0 / 1024.0;
const BETA: f64 = 717.0 / 1024.0;
const FRIENDLY: f64 = 8.0 / 15.0;

#[test]
fn where_reno_would_be_faster_cubic_is_renos_equal() {
    for (p, rtt_ms, losses) in [(3e-4, 20, 1_500.0), (1e-4, 20, 800.0)] {
        let theory = with_immune_windows(independent_loss_constant(FRIENDLY, BETA) / f64::sqrt(p), p, 0.5);
        assert!(periodic_loss_window(p, rtt_ms) < 0.5 * theory, "the curve alone is far below");
        let mean = mean_window("cubic", &[], p, rtt_ms, theory, losses);
        assert_agrees(&format!("p = {p}, {rtt_ms} ms"), &mean, theory, LINEAR_SPREAD);
    }
    let curve_alone = mean_window("cubic", &[("friendly", 0.0)], 3e-4, 20, 30.0, 500.0);
    assert!(curve_alone.window < 40.0, "{}", curve_alone.window);
}

/// RFC 9438 equation 5 (with Linux's constants), for one loss every 1/p packets: 1.054 (RTT/p)^(3/4).
fn periodic_loss_window(p: f64, rtt_ms: u64) -> f64 {
    (C * (3.0 + BETA) / (4.0 * (1.0 - BETA))).powf(0.25) * (rtt_ms as f64 * 1e-3 / p).powf(0.75)
}

/// The same for independent losses, relative to (RTT/p)^(3/4).
///
/// The process has no closed form: a climb begins at beta W, its plateau is the window of the last loss, and it ends
/// after an exponential number of packets (S. Poojary and V. Sharma, "An asymptotic approximation of TCP CUBIC",
/// arXiv:1510.08496, take the same limit). In units of (RTT/p)^(3/4) segments and the matching time neither p nor RTT
/// is left in it, so that one number, the mean over many climbs, is the theory for all; it is computed here, from RFC
/// 9438's sections 4.2 and 4.6 and, with `fast_convergence`, 4.7.
fn independent_loss_cubic(fast_convergence: bool) -> f64 {
    const CLIMBS: u32 = 200_000;
    const STEP: f64 = 0.02;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut plateau, mut window) = (1.2_f64, 1.2 * BETA);
    let (mut packets, mut time) = (0.0, 0.0);
    for _ in 0..CLIMBS {
        let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut left = -(1.0 - uniform).ln();
        let k = ((plateau - window) / C).cbrt();
        let at = |t: f64| plateau + C * (t - k).powi(3);
        let mut t = 0.0;
        packets += left;
        while left > at(t + STEP / 2.0) * STEP {
            left -= at(t + STEP / 2.0) * STEP;
            t += STEP;
        }
        t += left / at(t);
        time += t;
        let reached = at(t);
        let lowered = fast_convergence && reached < plateau;
        plateau = if lowered { reached * f64::midpoint(1.0, BETA) } else { reached };
        window = BETA * reached;
    }
    packets / time
}

/// Standard deviation of CUBIC's mean window over one loss, in means, from simulations of that process: its memory of
/// the last loss makes it larger than Reno's.
const CUBIC_SPREAD: f64 = 0.75;

/// CUBIC's mean window over 700 losses, against its curve.
fn assert_follows_the_curve(fast_convergence: bool, p: f64, rtt_ms: u64) {
    let constant = independent_loss_cubic(fast_convergence);
    let theory = with_immune_windows(constant * (rtt_ms as f64 * 1e-3 / p).powf(0.75), p, 0.75);
    let parameters = [("fast_convergence", f64::from(u8::from(fast_convergence)))];
    let mean = mean_window("cubic", &parameters, p, rtt_ms, theory, 700.0);
    assert_agrees(&format!("fast convergence {fast_convergence}, {rtt_ms} ms"), &mean, theory, CUBIC_SPREAD);
}

#[test]
fn independent_losses_favour_a_convex_curve() {
    // More than the 1.054 of periodic loss, by less where fast convergence lowers the plateau.
    let constants = [false, true].map(independent_loss_cubic);
    let periodic = periodic_loss_window(1.0, 1_000);
    assert!((periodic - 1.054).abs() < 0.001, "RFC 9438's constant: {periodic}");
    assert!(constants[0] > 1.05 * constants[1] && constants[1] > 1.1 * periodic, "{constants:?}");
}

#[test]
fn cubics_mean_window_follows_its_curve() {
    assert_follows_the_curve(false, 1e-4, 100);
    assert_follows_the_curve(true, 1e-4, 100);
}

#[test]
fn cubics_mean_window_goes_with_the_round_trip_time_to_the_three_quarters() {
    // Twice the RTT of the test above, 2^(3/4) = 1.68 times its window.
    assert_follows_the_curve(true, 1e-4, 200);
}
