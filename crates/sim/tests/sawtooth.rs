//! One flow, one drop-tail queue: the window's sawtooth, whose shape follows from the algorithm and the buffer alone.
//!
//! Lengths are in segments, buffers in bandwidth-delay products (BDP), RTTs without queue.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::Run;
use run::samples::{FRAME_BYTES, one_flow};
use scenario::{MBIT, MS, SECOND};
use scenario::{bdp_bytes, gained, mean, measure, set, since, utilization};

/// CUBIC's constants as Linux rounds them.
const CUBIC_C: f64 = 410.0 / 1024.0;
const CUBIC_BETA: f64 = 717.0 / 1024.0;

/// What a flow did after its first third: by then slow start's overshoot is forgotten.
struct Sawtooth {
    /// Congestion window, every 10 ms.
    cwnd: Vec<f64>,
    /// Mean backlog, in BDP.
    queue_bdp: f64,
    utilization: f64,
    /// Mean time between two reductions, s.
    period_s: f64,
    reductions: usize,
    drops: u64,
    /// Segments delivered in a mean RTT.
    flight: f64,
    segments: f64,
    acks: u64,
    /// Mean growth in a round trip, while there was no reduction.
    growth_per_rtt: f64,
}

impl Sawtooth {
    fn of(run: &Run) -> Self {
        let mut run = run.clone();
        run.measure.window_begin_ns = run.duration_ns / 3;
        let from_ns = run.measure.window_begin_ns;
        let measurement = measure(&run);
        let (flow, queue) = (&measurement.flows[0], &measurement.bottleneck.series);
        let of = |column: &[u32]| -> Vec<f64> {
            since(&flow.series.at_ns, column, from_ns).into_iter().map(f64::from).collect()
        };
        let (cwnd, srtt_us) = (of(&flow.series.cwnd_segments), of(&flow.series.srtt_us));
        let backlog = since(&queue.at_ns, &queue.backlog_bytes, from_ns);
        let (least, largest) = (least(&cwnd), largest(&cwnd));
        // A reduction crosses the middle downwards, and nothing else does.
        let middle = f64::midpoint(least, largest);
        let falls: Vec<usize> = (1..cwnd.len()).filter(|i| cwnd[i - 1] >= middle && cwnd[*i] < middle).collect();
        let period = (falls[falls.len() - 1] - falls[0]) as f64 / (falls.len() - 1) as f64;
        let sample_s = run.measure.sample_ns as f64 * 1e-9;
        let segments = gained(flow, |c| c.segments_sent - c.segments_retransmitted) as f64;
        // Growth counts only where the window stood or grew, with the time that this took in round trips.
        let steps = cwnd.windows(2).zip(&srtt_us).filter(|(pair, _)| pair[1] >= pair[0]);
        let (grown, rtts) = steps.fold((0.0, 0.0), |(grown, rtts), (pair, srtt_us)| {
            (grown + pair[1] - pair[0], rtts + sample_s * 1e6 / srtt_us)
        });
        Self {
            queue_bdp: mean(backlog.iter().map(|bytes| *bytes as f64)) / path_bdp_bytes(&run),
            utilization: utilization(&run, &measurement),
            period_s: period * sample_s,
            reductions: falls.len(),
            drops: gained(flow, |c| c.dropped_packets),
            flight: segments * mean(srtt_us) * 1e-6 / scenario::window_s(&measurement),
            segments,
            acks: gained(flow, |c| c.acks),
            growth_per_rtt: grown / rtts,
            cwnd,
        }
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn path_bdp_bytes(run: &Run) -> f64 {
    bdp_bytes(run.path.rate_bps, run.flows[0].return_delay_ns) as f64
}

/// A run whose buffer holds `buffer` BDP.
fn path(cc: &str, rate_mbps: u64, rtt_ms: u64, buffer: f64, seconds: u64) -> Run {
    let bdp = bdp_bytes(rate_mbps * MBIT, rtt_ms * MS) as f64;
    one_flow(cc, rate_mbps * MBIT, rtt_ms * MS, (buffer * bdp) as u64, seconds)
}

/// The window that fills path and buffer.
fn full_window(run: &Run, buffer: f64) -> f64 {
    path_bdp_bytes(run) * (1.0 + buffer) / FRAME_BYTES as f64
}

fn assert_near(what: &str, value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value:.4}, expected {expected:.4} within {tolerance:.4}");
}

#[test]
fn reno_grows_by_a_segment_a_round_trip_and_halves_at_the_full_buffer() {
    for buffer in [0.3, 1.0] {
        let run = path("reno", 50, 50, buffer, 150);
        let w_max = full_window(&run, buffer);
        let sawtooth = Sawtooth::of(&run);
        // Reno overflows the buffer by one segment, or by another before it hears of the first.
        assert_near("largest window", largest(&sawtooth.cwnd), w_max + 1.0, 2.0);
        assert_near("least window", least(&sawtooth.cwnd), w_max / 2.0, 1.5);
        assert!(sawtooth.drops as usize <= 2 * sawtooth.reductions + 1, "{} drops", sawtooth.drops);
        // Growth is by segments acknowledged, though an ACK acknowledges two: a delayed ACK does not halve it. One
        // round trip in each cycle is spent in recovery.
        assert!((sawtooth.acks as f64) < 0.55 * sawtooth.segments, "ACKs are delayed");
        assert_near("growth a round trip", sawtooth.growth_per_rtt, 1.0, 0.03);
    }
}

/// Utilization of a Reno flow whose window grows by a segment a round trip from half of 1 + B to 1 + B, in BDP: while
/// the path is not full, in (1 - (1+B)/2) rounds of one RTT each, it carries the window; then it is used wholly, in
/// rounds as long as the window.
fn reno_utilization(buffer: f64) -> f64 {
    let (w_max, w_min) = (1.0 + buffer, f64::midpoint(1.0, buffer));
    let (empty, carried) = (1.0 - w_min, (1.0 - w_min * w_min) / 2.0);
    let full = (w_max * w_max - 1.0) / 2.0;
    (carried + full) / (empty + full)
}

#[test]
fn reno_uses_three_quarters_of_a_path_without_buffer_and_all_of_one_with_a_bdp() {
    assert_near("formula without buffer", reno_utilization(0.0), 0.75, 1e-9);
    assert_near("formula with a BDP", reno_utilization(1.0), 1.0, 1e-9);
    for buffer in [0.1, 0.3, 0.5, 0.8] {
        let sawtooth = Sawtooth::of(&path("reno", 50, 50, buffer, 150));
        // Below the formula by the round trip of recovery, and by the time that packets and pairs of them take.
        let below = reno_utilization(buffer) - sawtooth.utilization;
        assert!((0.0..0.02).contains(&below), "{buffer} BDP: {} is {below} below", sawtooth.utilization);
    }
    for buffer in [1.0, 2.0] {
        let utilization = Sawtooth::of(&path("reno", 50, 50, buffer, 150)).utilization;
        assert!(utilization > 0.999, "{buffer} BDP: {utilization}");
    }
}

#[test]
fn renos_mean_window_under_periodic_loss_is_the_square_root_of_three_halves_over_p() {
    // Mathis et al. 1997: W = sqrt(3/2)/sqrt(p), from one loss a cycle and growth by one segment a round. Here the loss
    // comes from overflow: with a buffer of a tenth of a BDP it is periodic, and the RTT nearly constant. What is lost
    // in one window counts once, as in the formula's derivation.
    for (rate_mbps, rtt_ms) in [(50, 50), (20, 40), (100, 40)] {
        let sawtooth = Sawtooth::of(&path("reno", rate_mbps, rtt_ms, 0.1, 150));
        assert!(sawtooth.reductions > 10);
        let p = 1.0 / (sawtooth.segments / sawtooth.reductions as f64);
        assert_near("W sqrt(p)", sawtooth.flight * p.sqrt(), 1.5_f64.sqrt(), 0.05 * 1.5_f64.sqrt());
    }
}

/// The time that CUBIC takes from a reduction to the plateau of the curve, s.
fn cubic_k(w_max: f64) -> f64 {
    (w_max * (1.0 - CUBIC_BETA) / CUBIC_C).cbrt()
}

#[test]
fn cubic_climbs_to_the_full_buffer_and_falls_to_seven_tenths() {
    for (rate_mbps, rtt_ms, buffer) in [(100, 50, 0.5), (100, 50, 1.0), (100, 50, 2.0), (20, 80, 1.0)] {
        let mut run = path("cubic", rate_mbps, rtt_ms, buffer, 150);
        set(&mut run.flows[0], &[("fast_convergence", 0.0)]);
        let w_max = full_window(&run, buffer);
        let sawtooth = Sawtooth::of(&run);
        assert_near("largest window", largest(&sawtooth.cwnd), w_max, 0.01 * w_max);
        assert_near("least window", least(&sawtooth.cwnd), CUBIC_BETA * w_max, 0.01 * w_max);

        // Within a segment of the plateau the curve, rounded, is the plateau: there the buffer overflows, this much
        // before K. It takes a round trip to hear of that, and one to recover.
        let k = cubic_k(w_max);
        let early = (1.0 / CUBIC_C).cbrt();
        let full_rtt_s = rtt_ms as f64 * 1e-3 * (1.0 + buffer);
        let climb = k - early;
        assert_near("period", sawtooth.period_s, climb + 2.0 * full_rtt_s, 0.04 * k);

        // Mean of 1 - (1 - beta) (1 - t/K)^3 over the climb: 0.925 were it to end at K.
        let missed = (1.0 - CUBIC_BETA) * k / climb / 4.0 * (1.0 - (early / k).powi(4));
        assert_near("mean window", mean(sawtooth.cwnd.iter().copied()) / w_max, 1.0 - missed, 0.015);
        let queue_bdp = (1.0 - missed) * (1.0 + buffer) - 1.0;
        assert_near("mean queue, BDP", sawtooth.queue_bdp, queue_bdp, 0.02 * (1.0 + buffer));
    }
}

#[test]
fn cubic_needs_a_buffer_of_three_sevenths_to_use_all_of_the_line() {
    // What is left after a reduction still fills the path when beta (1 + B) >= 1: B >= 0.43.
    assert_near("threshold", 1.0 / CUBIC_BETA - 1.0, 0.43, 0.005);
    let utilization = |buffer| Sawtooth::of(&path("cubic", 100, 50, buffer, 90)).utilization;
    let [below, at, above] = [0.3, 0.43, 0.5].map(utilization);
    assert!(below > 0.98 && below < 0.995, "{below} with 0.3 BDP");
    assert!(at > 0.999, "{at} with 0.43 BDP");
    assert!(above > 0.9999, "{above} with 0.5 BDP");
}

#[test]
fn with_fast_convergence_a_short_cycle_and_a_long_one_alternate() {
    // The overflow that ends a climb beyond the plateau is heard of a little later, at a larger window. The next climb
    // meets the full buffer just below that, takes it for a neighbour's arrival, and lowers its plateau to (1 +
    // beta)/2: the climb after that goes through the plateau in its middle and takes 2 cbrt((1 - beta)/2 W/C) = 1.59 K.
    let run = path("cubic", 100, 50, 1.0, 240);
    let w_max = full_window(&run, 1.0);
    let k = cubic_k(w_max);
    let sawtooth = Sawtooth::of(&run);
    let long = 2.0 * (0.5 * w_max * (1.0 - CUBIC_BETA) / CUBIC_C).cbrt();
    let overhead = 4.0 * 0.1;
    // Two cycles: a long one, and one that ends up to 2 s before K.
    let two = 2.0 * sawtooth.period_s;
    assert!(two > long + k - 2.5 + overhead && two < long + k + overhead, "{two} s, long {long}, K {k}");
    // Their means are 0.85 W (by symmetry) and at most 0.925 W: less than without fast convergence, which lets the
    // queue fall further than V9 of the validation targets has it.
    let mean_share = mean(sawtooth.cwnd.iter().copied()) / w_max;
    assert!(mean_share > 0.855 && mean_share < 0.885, "{mean_share}");
}

#[test]
fn a_cubic_flow_keeps_ten_megabit_over_forty_milliseconds_between_seventy_percent_and_full() {
    // Cardwell et al. 2016, figure 5: in flight, CUBIC moves between 70 % of path and buffer and all of it.
    let run = path("cubic", 10, 40, 4.0, 90);
    let w_max = full_window(&run, 4.0);
    let sawtooth = Sawtooth::of(&run);
    assert_near("most", largest(&sawtooth.cwnd) / w_max, 1.0, 0.03);
    assert_near("least", least(&sawtooth.cwnd) / w_max, 0.7, 0.03);
    assert!(run.duration_ns / SECOND / 3 > sawtooth.period_s as u64, "more than one cycle was seen");
}
