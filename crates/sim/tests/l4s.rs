//! Accurate ECN (RFC 9768) and Prague over whole paths: what RFC 9331, RFC 9332 and others claim of them.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, one_flow};
use run::{
    Buffer, CapturePoint, Codel, DualPi2, Ecn, Fq, FqCodel, Frame, Measure, Measurement, QueueDiscipline, Run, Seen,
    flag,
};
use scenario::{MBIT, MS, SECOND, goodput_bps, mean, measure, since, utilization};

const CE: u8 = 0b11;
const ECT1: u8 = 0b01;

/// With `tc`'s defaults.
const DUAL_PI2: QueueDiscipline = QueueDiscipline::Dualpi2(DualPi2 {
    target_ns: 15 * MS,
    tupdate_ns: 16 * MS,
    alpha: 41,
    beta: 819,
    coupling: 2,
    step_ns: MS,
});

/// Prague alone; the window begins after a third.
fn prague(qdisc: QueueDiscipline, packets: u64, rate_bps: u64, rtt_ns: u64) -> Run {
    let mut run = one_flow("prague", rate_bps, rtt_ns, 1, 60);
    (run.path.qdisc, run.path.buffer, run.path.burst_bytes) = (qdisc, Buffer::Packets(packets), 5_000);
    run.path.jitter_ns = Some(50_000);
    run.measure.window_begin_ns = 20 * SECOND;
    run
}

/// The same beside a CUBIC flow.
fn with_cubic(mut run: Run, ecn: Ecn) -> Run {
    let mut cubic = flow("cubic", "cubic", run.flows[0].return_delay_ns);
    (cubic.ecn, cubic.start_ns) = (ecn, 500 * MS);
    run.flows.push(cubic);
    run
}

/// Prague's goodput over CUBIC's.
fn ratio(measurement: &Measurement) -> f64 {
    goodput_bps(measurement, 0) / goodput_bps(measurement, 1)
}

/// The mean of Prague's smoothed RTT beyond the path's, and how much 5 % of the samples exceed, ms.
fn delays_ms(run: &Run, measurement: &Measurement) -> [f64; 2] {
    let series = &measurement.flows[0].series;
    let mut srtt = since(&series.at_ns, &series.srtt_us, run.measure.window_begin_ns);
    srtt.sort_unstable();
    let beyond = |us: f64| us / 1e3 - run.flows[0].return_delay_ns as f64 / MS as f64;
    [beyond(mean(srtt.iter().map(|us| f64::from(*us)))), beyond(f64::from(srtt[srtt.len() * 19 / 20]))]
}

/// RFC 9332 section 2.4: what is scalable waits no longer than about the step of its marks, and the line is full.
#[test]
fn prague_alone_fills_the_line_with_a_queue_of_the_step() {
    for (rate, rtt_ms) in [(40, 5), (40, 20), (100, 10), (100, 50)] {
        let run = prague(DUAL_PI2, 10_000, rate * MBIT, rtt_ms * MS);
        let measurement = measure(&run);
        let (used, [mean_ms, most_ms]) = (utilization(&run, &measurement), delays_ms(&run, &measurement));
        assert!(used > 0.99, "{rate} Mbit/s, {rtt_ms} ms: {used}");
        assert!(mean_ms < 1.5 && most_ms < 2.0, "{rate} Mbit/s, {rtt_ms} ms: {mean_ms} ms, {most_ms} ms");
        assert_eq!(measurement.flows[0].at_end.segments_retransmitted, 0);
    }
}

/// RFC 9332 section 2.1: the coupling lets a scalable flow and a classic one share a line, at delays of their own. How well: with
/// Linux's constants Prague has as much as CUBIC on short paths, and up to about twice as much on longer ones. (A window of 2.7
/// marks, as one that heeds a mark a round trip has, over one of 1.22 / sqrt(p), RFC 9438 section 5.1, by a coupling of 2.)
#[test]
fn prague_and_cubic_share_a_coupled_queue_and_prague_does_not_wait() {
    for (rtt_ms, most) in [(5, 1.4), (10, 1.7), (20, 2.3), (50, 2.4), (100, 2.0)] {
        for ecn in [Ecn::Off, Ecn::Classic] {
            let run = with_cubic(prague(DUAL_PI2, 10_000, 40 * MBIT, rtt_ms * MS), ecn);
            let measurement = measure(&run);
            let (ratio, [mean_ms, most_ms]) = (ratio(&measurement), delays_ms(&run, &measurement));
            assert!((0.9..most).contains(&ratio), "{rtt_ms} ms, {ecn:?}: {ratio}");
            assert!(mean_ms < 1.2 && most_ms < 1.5, "{rtt_ms} ms, {ecn:?}: {mean_ms} ms, {most_ms} ms");
            assert!(utilization(&run, &measurement) > 0.98);
        }
    }
}

/// A queue a flow, and marks above 1 ms for what is L4S (Linux 5.16, `ce_threshold_selector`): equal shares.
#[test]
fn behind_fq_codel_with_a_threshold_prague_has_half_and_hardly_a_queue() {
    let codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: true, ce_threshold_ns: Some(MS) };
    let selector = Some((ECT1, ECT1));
    let qdisc = FqCodel { codel, flows: 1_024, quantum_bytes: 1_514, ce_threshold_selector: selector };
    let run = prague(QueueDiscipline::FqCodel(qdisc), 10_240, 100 * MBIT, 10 * MS);
    let run = with_cubic(run, Ecn::Off);
    let measurement = measure(&run);
    let (ratio, [mean_ms, _]) = (ratio(&measurement), delays_ms(&run, &measurement));
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
    assert!(mean_ms < 1.5, "{mean_ms} ms");
}

/// One queue for all that marks by its length, and a classic flow that fills it: every packet of Prague's is marked. (An `fq` at
/// a router, to which the kernel's hash of packets without a socket gives one queue with `orphan_mask 0`.)
#[test]
fn behind_one_queue_with_a_threshold_cubic_starves_prague() {
    let fq = Fq {
        flow_limit_packets: 1_000,
        quantum_bytes: 2 * 1_514,
        initial_quantum_bytes: 10 * 1_514,
        ce_threshold_ns: Some(5 * MS),
        orphan_mask: 0,
    };
    let run = |orphan_mask| {
        let run = prague(QueueDiscipline::Fq(Fq { orphan_mask, ..fq }), 1_000, 100 * MBIT, 10 * MS);
        measure(&with_cubic(run, Ecn::Off))
    };
    let starved = goodput_bps(&run(0), 0) / 1e6;
    assert!(starved < 4.0, "{starved} Mbit/s");
    let queues_apart = goodput_bps(&run(1_023), 0) / 1e6;
    assert!((45.0..50.0).contains(&queues_apart), "{queues_apart} Mbit/s");
}

/// What the classic ECN fallback is for: behind a queue of RFC 3168 Prague takes a mark for less than CUBIC does.
#[test]
fn in_a_queue_of_rfc_3168_the_fallback_lets_cubic_live() {
    let codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: true, ce_threshold_ns: None };
    let shares = [0.0, 1.0].map(|fallback| {
        let mut run = prague(QueueDiscipline::Codel(codel), 10_000, 40 * MBIT, 20 * MS);
        scenario::set(&mut run.flows[0], &[("ecn_fallback", fallback)]);
        ratio(&measure(&with_cubic(run, Ecn::Classic)))
    });
    assert!(shares[0] > 4.0 && shares[1] < shares[0] / 2.0, "{shares:?}");
}

/// RFC 9768 section 3.2.2: after a run's last ACK a sender knows of each mark, whatever hosts merge or delay.
#[test]
fn the_count_of_marks_arrives() {
    for (cc, ecn) in [("prague", Ecn::Off), ("cubic", Ecn::Accurate), ("dctcp", Ecn::Accurate)] {
        let mut run = prague(DUAL_PI2, 10_000, 40 * MBIT, 20 * MS);
        (run.flows[0].cc.algorithm, run.flows[0].ecn) = (cc.to_owned(), ecn);
        let counters = measure(&run).flows[0].at_end;
        let (marked, counted) = (counters.marked_packets, counters.delivered_ce);
        assert!(marked > 20, "{cc}: {marked}");
        assert!(counted <= marked && marked - counted < 50, "{cc}: {marked} marked, {counted} counted");
        assert!(counters.cwr_reductions > 10, "{cc}");
    }
}

/// Each frame of a run.
fn frames(run: &Run) -> Vec<Frame> {
    let mut frames = Vec::new();
    let run = Run { measure: Measure { snap_bytes: Some(96), ..run.measure }, ..run.clone() };
    sim::capture(&run, &mut |seen| {
        frames.extend(seen.filter_map(|seen| if let Seen::Passed(frame) = seen { Some(frame) } else { None }));
        true
    })
    .expect("a valid run");
    frames
}

/// RFC 9768 section 3 and RFC 9331 section 4.1 as captures show them: the offer, its answer, ECT(1) on all, and a field that
/// counts what came with CE.
#[test]
fn captures_show_ect1_and_the_count_of_marks() {
    for offload in [false, true] {
        let mut run = prague(DUAL_PI2, 10_000, 40 * MBIT, 20 * MS);
        (run.duration_ns, run.measure.window_end_ns, run.measure.window_begin_ns) = (3 * SECOND, 3 * SECOND, SECOND);
        (run.path.offload, run.path.burst_bytes) = (offload, 70_000);
        let frames = frames(&run);
        let at = |point| frames.iter().filter(move |frame: &&Frame| frame.point == point);
        let ace = |frame: &Frame| {
            [flag::AE, flag::CWR, flag::ECE].iter().fold(0, |ace, bit| 2 * ace + u64::from(frame.flags & bit != 0))
        };
        let first: Vec<_> = at(CapturePoint::Senders).take(4).map(|frame| (ace(frame), frame.ecn)).collect();
        assert_eq!(first, [(0b111, ECT1), (0b011, ECT1), (0b011, ECT1), (5, ECT1)]);
        assert!(at(CapturePoint::Senders).all(|frame| frame.ecn == ECT1 || frame.to_sender));
        let mut marked = 0;
        for frame in at(CapturePoint::Receivers).skip(2) {
            if frame.to_sender {
                assert_eq!(ace(frame), (5 + marked) & 0b111, "{frame:?}");
            } else {
                marked += u64::from(frame.ecn == CE);
            }
        }
        assert!(marked > 20, "{marked}");
    }
}
