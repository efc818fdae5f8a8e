//! Explicit congestion notification (RFC 3168) and DCTCP (RFC 8257) over whole paths.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, one_flow};
use run::{Buffer, CapturePoint, Codel, Ecn, Frame, Measure, Measurement, QueueDiscipline, Run, Seen, flag};
use scenario::{MBIT, MS, gained, mean, measure, since, utilization};

const CE: u8 = 0b11;
const ECT0: u8 = 0b10;

/// CoDel with `tc`'s defaults, but for the largest limit.
fn codel() -> Codel {
    Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: true, ce_threshold_ns: None }
}

/// One flow behind CoDel with room for all that may be in flight.
fn behind_codel(cc: &str, rate_bps: u64, rtt_ns: u64, codel: Codel) -> Run {
    let mut run = one_flow(cc, rate_bps, rtt_ns, 1, 20);
    run.path.buffer = Buffer::Packets(10_000);
    run.path.qdisc = QueueDiscipline::Codel(codel);
    run.flows[0].ecn = Ecn::Classic;
    run
}

/// Dropped, marked, ECE seen, reductions for it, of a flow within the window.
fn congestion(measurement: &Measurement, flow: usize) -> [u64; 4] {
    let flow = &measurement.flows[flow];
    [
        gained(flow, |c| c.dropped_packets),
        gained(flow, |c| c.marked_packets),
        gained(flow, |c| c.delivered_ce),
        gained(flow, |c| c.cwr_reductions),
    ]
}

#[test]
fn codel_drops_nothing_of_a_flow_with_ecn_and_the_line_is_full() {
    for cc in ["reno", "cubic", "dctcp", "bbr"] {
        let mut run = behind_codel(cc, 20 * MBIT, 20 * MS, codel());
        let measurement = measure(&run);
        let [dropped, marked, echoed, reductions] = congestion(&measurement, 0);
        assert_eq!(dropped, 0, "{cc}");
        assert_eq!(measurement.flows[0].at_end.segments_retransmitted, 0, "{cc}");
        assert!(utilization(&run, &measurement) > 0.9, "{cc}: {}", utilization(&run, &measurement));
        if cc == "bbr" {
            continue; // its queue is shorter than CoDel's target
        }
        assert!(marked > 5 && echoed + 20 > marked, "{cc}: {marked} marked, {echoed} echoed");
        assert!(reductions > 0 && reductions <= marked, "{cc}: {reductions} for {marked}");
        if cc == "dctcp" {
            continue; // it has ECN in any case
        }
        run.flows[0].ecn = Ecn::Off;
        let [dropped, marked, echoed, reductions] = congestion(&measure(&run), 0);
        assert!(dropped > 5, "{cc}: {dropped}");
        assert_eq!([marked, echoed, reductions], [0; 3], "{cc}");
    }
}

#[test]
fn a_queue_marks_what_understands_it_and_drops_the_rest() {
    let mut run = behind_codel("cubic", 20 * MBIT, 20 * MS, codel());
    run.flows.push(flow("plain", "cubic", 20 * MS));
    let measurement = measure(&run);
    let [[marked_dropped, marked, ..], [dropped, unmarked, ..]] = [0, 1].map(|flow| congestion(&measurement, flow));
    assert_eq!((marked_dropped, unmarked), (0, 0));
    assert!(marked > 5 && dropped > 5, "{marked} marked, {dropped} dropped");
}

/// A queue that marks from a threshold on stays near it, if that is more than a sixth of the path holds (Alizadeh et al.,
/// "Data Center TCP", SIGCOMM 2010, section 3.4) and more than a burst: Linux's are 1 ms long at most, and 64 kB.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold_of_its_marks() {
    let threshold_ns = MS;
    let behind = |cc| {
        let codel = Codel { ce_threshold_ns: Some(threshold_ns), ..codel() };
        let mut run = behind_codel(cc, 1_000 * MBIT, 3 * MS, codel);
        (run.duration_ns, run.measure.window_end_ns, run.measure.window_begin_ns) =
            (5_000 * MS, 5_000 * MS, 1_000 * MS);
        run
    };
    let run = behind("dctcp");
    let measurement = measure(&run);
    let series = &measurement.bottleneck.series;
    let backlog = since(&series.at_ns, &series.backlog_bytes, run.measure.window_begin_ns);
    let wait_ns = mean(backlog.iter().map(|bytes| *bytes as f64)) * 8e9 / run.path.rate_bps as f64;
    let thresholds = wait_ns / threshold_ns as f64;
    assert!((0.5..1.5).contains(&thresholds), "{thresholds} thresholds");
    assert!(utilization(&run, &measurement) > 0.99, "{}", utilization(&run, &measurement));
    assert_eq!(measurement.flows[0].at_end.segments_retransmitted, 0);
    let reno = behind("reno");
    assert!(utilization(&reno, &measure(&reno)) < 0.9, "half of its window does not fill the path");
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

/// RFC 3168 section 6.1 from end to end, as captures show it; super-packets and merged ones included.
#[test]
fn captures_show_the_negotiation_the_marks_their_echo_and_the_answer() {
    for (offload, gro) in [(false, false), (true, false), (false, true)] {
        let mut run = behind_codel("reno", 20 * MBIT, 20 * MS, codel());
        (run.path.offload, run.host.gro) = (offload, gro);
        if offload {
            run.path.burst_bytes = 70_000;
        }
        run.host.ack_aggregation_ns = if gro { MS } else { 0 };
        let frames = frames(&run);
        let at = |point| frames.iter().filter(move |frame: &&Frame| frame.point == point);
        let syns: Vec<u16> = at(CapturePoint::Senders).take(2).map(|frame| frame.flags).collect();
        let offer = flag::SYN | flag::ECE | flag::CWR;
        assert_eq!(syns, [offer, flag::SYN | flag::ACK | flag::ECE]);
        let is_data = |frame: &&Frame| frame.payload_bytes > 0;
        assert!(at(CapturePoint::Senders).filter(is_data).all(|frame| frame.ecn == ECT0), "nothing is sent again");
        assert!(at(CapturePoint::Senders).all(|frame| frame.payload_bytes > 0 || frame.ecn == 0));

        // Every mark is echoed until CWR comes, at the receiver.
        let (mut echoes, mut marks, mut answers) = (false, 0, 0);
        for frame in at(CapturePoint::Receivers).skip(2) {
            if frame.to_sender && !gro {
                assert_eq!(frame.flags & flag::ECE != 0, echoes, "{frame:?}");
            } else if !frame.to_sender {
                answers += u64::from(frame.flags & flag::CWR != 0);
                marks += u64::from(frame.ecn == CE);
                echoes = frame.ecn == CE || echoes && frame.flags & flag::CWR == 0;
            }
        }
        assert!(marks > 5 && answers > 3 && answers <= marks, "{marks} marks, {answers} answers");
    }
}

/// Loss halves either's window; but that CWR is acknowledged at once they differ in nothing.
#[test]
fn behind_a_queue_that_does_not_mark_dctcp_is_reno() {
    let [dctcp, reno] = ["dctcp", "reno"].map(|cc| {
        let counters = measure(&one_flow(cc, 20 * MBIT, 20 * MS, 50_000, 20)).flows[0].at_end;
        assert_eq!(counters.marked_packets, 0);
        counters
    });
    assert_eq!(dctcp.dropped_packets, reno.dropped_packets);
    assert!(dctcp.segments_sent.abs_diff(reno.segments_sent) < 20, "{dctcp:?} {reno:?}");
}
