//! Managed queues from end to end: what their specifications claim of them.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, flows, one_flow};
use run::{
    Buffer, Codel, DualPi2, Fq, FqCodel, Histogram, Measurement, Pie, QueueDiscipline, QueueEvent, QueueLog, Red, Run,
    ShaperKind, Workload,
};
use scenario::{MBIT, MS, SECOND, goodput_bps, measure, utilization};

const RATE_BPS: u64 = 50 * MBIT;
const RTT_NS: u64 = 40 * MS;
const CODEL: Codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: false, ce_threshold_ns: None };

/// So many bulk flows behind a queue, by `tc`'s default burst of a bucket; the window begins after a third.
fn behind(qdisc: QueueDiscipline, packets: u64, cc: &str, count: usize) -> Run {
    let mut run = one_flow(cc, RATE_BPS, RTT_NS, 1, 60);
    run.flows = flows(count, cc, RTT_NS);
    (run.path.qdisc, run.path.buffer, run.path.burst_bytes) = (qdisc, Buffer::Packets(packets), 5_000);
    run.path.jitter_ns = Some(50_000);
    run.measure.window_begin_ns = 20 * SECOND;
    run
}

fn fq_codel(flows: u32) -> QueueDiscipline {
    QueueDiscipline::FqCodel(FqCodel { codel: CODEL, flows, quantum_bytes: 1_514, ce_threshold_selector: None })
}

/// The sojourn time that this share of the frames does not exceed, ms.
fn sojourn_ms(measurement: &Measurement, share: f64) -> f64 {
    let Histogram { first_bin, counts, count, .. } = measurement.bottleneck.sojourn.as_ref().expect("seen");
    let mut left = (share * *count as f64) as u64;
    let bin = counts.iter().position(|here| {
        let is_here = left < u64::from(*here);
        left = left.saturating_sub(u64::from(*here));
        is_here
    });
    Histogram::lower_bound(*first_bin as usize + bin.expect("frames have left")) as f64 / 1e6
}

/// The goodput of each flow, Mbit/s.
fn rates_mbps(run: &Run) -> Vec<f64> {
    let measurement = measure(run);
    (0..run.flows.len()).map(|flow| goodput_bps(&measurement, flow) / 1e6).collect()
}

/// What the queue holds at the least in an interval of CoDel's, in time of its line: the standing queue. Of all intervals the
/// middle one, ms.
fn standing_ms(run: &Run, measurement: &Measurement) -> f64 {
    let series = &measurement.bottleneck.series;
    let within = series.at_ns.iter().zip(&series.backlog_bytes).filter(|(at, _)| **at > run.measure.window_begin_ns);
    let backlogs: Vec<u64> = within.map(|(_, bytes)| *bytes).collect();
    let samples = (CODEL.interval_ns / run.measure.sample_ns) as usize;
    let mut least: Vec<u64> = backlogs.chunks(samples).filter_map(|chunk| chunk.iter().min().copied()).collect();
    least.sort_unstable();
    least[least.len() / 2] as f64 * 8e3 / run.path.rate_bps as f64
}

/// RFC 8289 section 3.2: what stands is what is there at the least for an interval, and is to be the target.
#[test]
fn codel_keeps_the_standing_queue_at_its_target() {
    for shaper in [ShaperKind::Tbf, ShaperKind::Htb] {
        let mut run = behind(QueueDiscipline::Codel(CODEL), 10_000, "reno", 10);
        run.path.shaper = shaper;
        let measurement = measure(&run);
        let standing = standing_ms(&run, &measurement);
        assert!((3.0..7.0).contains(&standing), "{shaper:?}: {standing} ms");
        assert!(utilization(&run, &measurement) > 0.93, "{}", utilization(&run, &measurement));
        let queue = &measurement.bottleneck.at_end;
        assert!(queue.dropped_packets > 100 && queue.marked_packets == 0, "{queue:?}");
    }
}

#[test]
fn fq_codel_shares_evenly_whatever_the_algorithms() {
    let mut run = behind(fq_codel(1_024), 10_240, "cubic", 2);
    run.flows.push(flow("bbr", "bbr", RTT_NS));
    run.flows.push(flow("reno", "reno", RTT_NS));
    let rates = rates_mbps(&run);
    // One flow's queue loses half a window at a time, and another one takes what it leaves.
    assert!(rates.iter().all(|rate| (9.5..14.0).contains(rate)), "{rates:?}");
    run.path.qdisc = fq_codel(1);
    let together = rates_mbps(&run);
    assert!(
        together.iter().any(|rate| !(9.5..14.0).contains(rate)),
        "one queue for all shares as it likes: {together:?}"
    );
}

/// RFC 8290 section 5.1: a flow that sends less than a round's bytes at a time is served before those that queue.
#[test]
fn a_sparse_flow_does_not_wait_for_the_others() {
    let sparse = |qdisc| {
        let mut run = behind(qdisc, 10_240, "cubic", 10);
        run.flows.push(flow("sparse", "cubic", RTT_NS));
        run.flows[10].workload = Workload::Stream { rate_bps: 80_000, for_ns: 60 * SECOND, every_ns: 100 * MS };
        let measurement = measure(&run);
        let rtts = &measurement.flows[10].ack_rtt;
        rtts.sum as f64 / rtts.count as f64 / 1e6
    };
    let (alone, among) = (sparse(fq_codel(1_024)), sparse(QueueDiscipline::Codel(CODEL)));
    assert!((40.0..41.5).contains(&alone), "{alone} ms");
    assert!(among > 43.0, "{among} ms");
}

#[test]
fn a_full_fq_codel_drops_of_the_fattest_flow() {
    let mut run = behind(fq_codel(1_024), 60, "cubic", 3);
    run.flows.push(flow("sparse", "cubic", RTT_NS));
    run.flows[3].workload = Workload::Stream { rate_bps: 400_000, for_ns: 60 * SECOND, every_ns: 20 * MS };
    let measurement = measure(&run);
    let dropped: Vec<u64> = measurement.flows.iter().map(|flow| flow.at_end.dropped_packets).collect();
    assert!(dropped[..3].iter().all(|count| *count > 30) && dropped[3] == 0, "{dropped:?}");
    assert!(measurement.bottleneck.at_end.queued_packets <= 60);
}

#[test]
fn fq_shares_evenly_and_with_one_queue_for_all_does_not() {
    let fq = |orphan_mask| {
        QueueDiscipline::Fq(Fq {
            flow_limit_packets: 100,
            quantum_bytes: 3_028,
            initial_quantum_bytes: 15_140,
            ce_threshold_ns: None,
            orphan_mask,
        })
    };
    let rates = |orphan_mask| {
        let mut run = behind(fq(orphan_mask), 10_000, "cubic", 1);
        run.flows.push(flow("reno", "reno", 4 * RTT_NS));
        rates_mbps(&run)
    };
    let apart = rates(1_023);
    assert!(apart.iter().all(|rate| (21.0..27.0).contains(rate)), "{apart:?}");
    let together = rates(0);
    assert!(together[0] > 1.5 * together[1], "{together:?}");
}

const PIE: Pie = Pie { target_ns: 15 * MS, tupdate_ns: 15 * MS, alpha: 2, beta: 20, ecn: false };

#[test]
fn pie_keeps_the_delay_at_its_target() {
    let run = behind(QueueDiscipline::Pie(PIE), 10_000, "reno", 20);
    let measurement = measure(&run);
    let median = sojourn_ms(&measurement, 0.5);
    assert!((10.0..20.0).contains(&median), "{median} ms");
    assert!(utilization(&run, &measurement) > 0.97);
}

/// RFC 8033 section 4.4: what comes within 150 ms of an idle queue is let through, however long it waits.
#[test]
fn pie_lets_a_burst_through() {
    let mut run = behind(QueueDiscipline::Pie(PIE), 10_000, "cubic", 1);
    run.host.initial_window_segments = 500;
    run.flows[0].workload = Workload::Transfer { bytes: 500 * 1_448 };
    (run.measure.window_begin_ns, run.until_done) = (0, true);
    let queue = measure(&run).bottleneck.at_end;
    assert_eq!((queue.dropped_packets, queue.queued_packets), (0, 0), "500 frames wait for up to 120 ms");
}

#[test]
fn red_keeps_the_mean_between_its_thresholds() {
    let red = Red { min_bytes: 30_000, max_bytes: 180_000, probability_ppb: 100_000_000, ecn: false };
    let mut run = behind(QueueDiscipline::Red(red), 1, "reno", 20);
    run.path.buffer = Buffer::Bytes(500_000);
    let measurement = measure(&run);
    let backlog = &measurement.bottleneck.series.backlog_bytes;
    let late = &backlog[backlog.len() / 3..];
    let mean = late.iter().sum::<u64>() / late.len() as u64;
    assert!((red.min_bytes..red.max_bytes).contains(&mean), "{mean} B");
    assert!(utilization(&run, &measurement) > 0.97);
    assert!(measurement.bottleneck.series.backlog_bytes.iter().all(|bytes| *bytes <= 500_000));
}

/// Of two flows, one of which uses ECN, for a second.
fn mixed(qdisc: QueueDiscipline) -> Run {
    let mut run = behind(qdisc, 400, "cubic", 2);
    run.flows[1].ecn = run::Ecn::Classic;
    run.duration_ns = 3 * SECOND;
    (run.measure.window_begin_ns, run.measure.window_end_ns) = (0, run.duration_ns);
    run
}

fn packets(log: &QueueLog, event: QueueEvent) -> u64 {
    let of_event = |(own, packets): (&u8, &u32)| if *own == event as u8 { u64::from(*packets) } else { 0 };
    log.event.iter().zip(&log.packets).map(of_event).sum()
}

fn disciplines() -> [QueueDiscipline; 6] {
    let codel = Codel { ecn: true, ..CODEL };
    let pie = Pie { target_ns: 5 * MS, tupdate_ns: 15 * MS, alpha: 2, beta: 20, ecn: true };
    let dualpi2 = DualPi2 { target_ns: 5 * MS, tupdate_ns: 16 * MS, alpha: 41, beta: 819, coupling: 2, step_ns: MS };
    [
        QueueDiscipline::Fifo,
        QueueDiscipline::Codel(codel),
        QueueDiscipline::FqCodel(FqCodel { codel, flows: 1_024, quantum_bytes: 1_514, ce_threshold_selector: None }),
        QueueDiscipline::Fq(Fq {
            flow_limit_packets: 100,
            quantum_bytes: 3_028,
            initial_quantum_bytes: 15_140,
            ce_threshold_ns: Some(2 * MS),
            orphan_mask: 1_023,
        }),
        QueueDiscipline::Pie(pie),
        QueueDiscipline::Dualpi2(dualpi2),
    ]
}

#[test]
fn a_log_of_a_queue_has_every_frame_that_the_queue_counts() {
    for qdisc in disciplines() {
        let run = mixed(qdisc);
        let (measurement, log) = sim::watch(&run, 0).expect("a run");
        assert_eq!(measurement, measure(&run), "{}: to watch changes nothing", qdisc.name());
        let end = measurement.bottleneck.at_end;
        let counted = [
            end.sent_packets + end.dropped_packets + end.queued_packets,
            end.sent_packets,
            end.dropped_packets,
            end.marked_packets,
        ];
        let refused = packets(&log, QueueEvent::Refused);
        let logged = [
            packets(&log, QueueEvent::Came) + refused,
            packets(&log, QueueEvent::Left),
            packets(&log, QueueEvent::Dropped) + refused,
            packets(&log, QueueEvent::Marked),
        ];
        assert_eq!(logged, counted, "{}", qdisc.name());
        assert!(log.at_ns.is_sorted(), "{}", qdisc.name());
        assert_eq!(end.marked_packets > 0, !qdisc.is_fifo(), "{}", qdisc.name());
    }
}

#[test]
fn a_log_that_begins_later_begins_with_what_waits() {
    for qdisc in disciplines() {
        let run = mixed(qdisc);
        let (measurement, log) = sim::watch(&run, SECOND).expect("a run");
        let end = measurement.bottleneck.at_end;
        assert!(log.at_ns.first().is_some_and(|first| *first >= SECOND), "{}", qdisc.name());
        let gone = packets(&log, QueueEvent::Left) + packets(&log, QueueEvent::Dropped);
        assert_eq!(packets(&log, QueueEvent::Came), gone + end.queued_packets, "{}", qdisc.name());
    }
}

#[test]
fn flows_have_queues_of_their_own_and_begin_as_new_ones() {
    for qdisc in [fq_codel(1_024), disciplines()[3]] {
        let (_, log) = sim::watch(&mixed(qdisc), 0).expect("a run");
        let queue_of = |flow: u32| {
            let own = (0..log.flow.len()).filter(|at| log.flow[*at] == flow && !log.is_ack[*at]);
            own.map(|at| log.queue[at]).collect::<std::collections::BTreeSet<u32>>()
        };
        assert_eq!((queue_of(0).len(), queue_of(1).len()), (1, 1), "{}", qdisc.name());
        assert_ne!(queue_of(0), queue_of(1), "{}", qdisc.name());
        assert!(log.is_new[0] && !log.is_new.iter().all(|is_new| *is_new), "{}", qdisc.name());
    }
}
