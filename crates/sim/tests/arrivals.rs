//! Sources of short transfers: what each of their connections does, and what they take.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{FRAME_BYTES, flow, one_flow};
use run::{Access, AccessKind, Arrival, Buffer, Flow, NEVER_NS, Qdisc, Run, Workload};
use scenario::{MBIT, MS, SECOND, measure};

const MSS_BYTES: u64 = 1_448;

/// A source of transfers on an otherwise empty path of 10 Mbit/s.
fn source(arrivals: Vec<Arrival>) -> Run {
    let mut run = one_flow("cubic", 10 * MBIT, 20 * MS, 1_000_000, 20);
    run.flows[0].workload = Workload::Arrivals { arrivals };
    run
}

fn every(gap_ns: u64, bytes: u64, count: u64) -> Vec<Arrival> {
    (0..count).map(|index| Arrival { at_ns: index * gap_ns, bytes }).collect()
}

#[test]
fn transfers_that_do_not_meet_take_as_long_as_a_single_one() {
    let bytes = 40 * MSS_BYTES;
    let mut single = one_flow("cubic", 10 * MBIT, 20 * MS, 1_000_000, 20);
    single.flows[0].workload = Workload::Transfer { bytes };
    let alone = measure(&single);
    let together = measure(&source(every(SECOND, bytes, 10)));
    let transfers = &together.flows[0].transfers;
    for (index, (started_ns, completed_ns)) in transfers.started_ns.iter().zip(&transfers.completed_ns).enumerate() {
        assert_eq!(*started_ns, index as u64 * SECOND);
        // The clocks of timestamps and timers tick in whole milliseconds, and seconds are whole numbers of them.
        assert_eq!(completed_ns - started_ns, alone.flows[0].completed_ns.expect("done"), "{index}");
    }
    let (one, ten) = (alone.flows[0].at_end, together.flows[0].at_end);
    assert_eq!((ten.delivered_bytes, ten.segments_sent), (10 * one.delivered_bytes, 10 * one.segments_sent));
    assert_eq!(together.flows[0].completed_ns, transfers.completed_ns.last().copied());
}

#[test]
fn a_run_is_done_with_the_last_transfer_and_a_stop_leaves_the_rest() {
    let mut run = source(every(100 * MS, 50_000, 20));
    run.until_done = true;
    let done = measure(&run);
    assert_eq!(Some(done.ended_ns), done.flows[0].transfers.completed_ns.iter().max().copied());
    run.flows[0].stop_ns = Some(1_005 * MS);
    let stopped = measure(&run);
    let transfers = &stopped.flows[0].transfers;
    let come = transfers.started_ns.iter().filter(|at_ns| **at_ns != NEVER_NS).count();
    let complete = transfers.completed_ns.iter().filter(|at_ns| **at_ns != NEVER_NS).count();
    assert_eq!((come, complete, stopped.ended_ns), (11, 10, 1_005 * MS));
    assert_eq!(stopped.flows[0].completed_ns, None);
}

#[test]
fn a_source_of_nothing_sends_nothing() {
    let idle = measure(&source(Vec::new()));
    assert_eq!(
        (idle.ended_ns, idle.flows[0].completed_ns, idle.bottleneck.at_end.offered_packets),
        (20 * SECOND, None, 0)
    );
}

#[test]
fn a_connection_draws_its_own_losses() {
    let lossy = |count| {
        let mut run = source(every(SECOND, 100 * MSS_BYTES, count));
        run.path.loss_ppb = 50_000_000;
        measure(&run).flows[0].transfers.segments_retransmitted.clone()
    };
    let ten = lossy(10);
    assert_eq!(ten[..5], lossy(5)[..], "those to come change nothing");
    assert!(ten.iter().any(|count| *count != ten[0]), "{ten:?}");
}

#[test]
fn connections_of_a_source_share_its_access_line() {
    let mut run = source(every(MS, 100 * MSS_BYTES, 10));
    run.flows[0].access =
        Some(Access { rate_bps: 5 * MBIT, buffer: Buffer::Bytes(10 * MBIT), kind: AccessKind::Device });
    let shared = measure(&run);
    let last_ns = shared.flows[0].completed_ns.expect("done");
    let line_ns = 1_000 * FRAME_BYTES * 8 * SECOND / (5 * MBIT);
    assert!(last_ns > line_ns && last_ns < line_ns + 100 * MS, "{last_ns} of {line_ns}");
}

#[test]
fn gauges_and_counters_are_of_all_connections() {
    let mut run = source(every(500 * MS, 400_000, 20));
    run.flows.push(flow("reno", "reno", 20 * MS));
    let measured = measure(&run);
    let (source, series) = (&measured.flows[0], &measured.flows[0].series);
    assert!(series.cwnd_segments.iter().max() > Some(&60), "several at once");
    assert!(source.rtt_min_ns >= Some(20 * MS) && source.ack_rtt.count > 1_000);
    assert!(series.min_rtt_us.iter().zip(&series.srtt_us).all(|(least, srtt)| *srtt == 0 || least <= srtt));
    let last = series.delivered_bytes.last().copied().expect("samples");
    assert!(last > 7_600_000 && series.delivered_bytes.is_sorted(), "closed connections count");
    assert_eq!(source.at_end.delivered_bytes, 8_000_000);
    assert!(source.phases.is_empty());
}

#[test]
fn a_connection_whose_reset_is_dropped_at_once_is_closed_once() {
    // Behind fq and without jitter a reset reaches the bottleneck while the ACK is handled that it answers.
    for step in 170..180 {
        let mut run = source(every(2 * MS, 2 * MSS_BYTES, 2_000));
        run.host.qdisc = Qdisc::Fq;
        run.path.buffer = Buffer::Packets(10);
        run.flows[0].stop_ns = Some(SECOND + step * MS / 7);
        let crowd = Workload::Arrivals { arrivals: every(MS, 10 * MSS_BYTES, 2_000) };
        run.flows.push(Flow { workload: crowd, ..flow("crowd", "reno", 20 * MS) });
        run.duration_ns = 2 * SECOND;
        run.measure.window_end_ns = run.duration_ns;
        measure(&run);
    }
}
