//! Lines that change in time: outages, ramps, changes of loss and of buffers, recorded lines; and policers.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{FRAME_BYTES, one_flow, pings};
use run::{
    Buffer, Change, Codel, Ecn, Fq, FqCodel, Measurement, Police, QueueDiscipline, Run, ShaperKind, Trace, Workload,
};
use scenario::{MBIT, MS, SECOND, measure};

/// What a full frame has beyond a ping's payload: Ethernet 14, IP 20, UDP 8 bytes.
const HEADERS_BYTES: u64 = 42;
const BIT_NS: u64 = 8 * SECOND;

/// A source that answers to nothing: full frames at even intervals over a line, for so many seconds.
fn unresponsive(every_ns: u64, rate_bps: u64, seconds: u64) -> Run {
    let mut run = one_flow("reno", rate_bps, 20 * MS, 1 << 20, seconds);
    run.path.buffer = Buffer::Packets(600);
    run.flows = vec![source(every_ns, FRAME_BYTES)];
    run
}

fn source(every_ns: u64, frame_bytes: u64) -> run::Flow {
    let workload = Workload::Ping { every_ns, bytes: frame_bytes - HEADERS_BYTES };
    run::Flow { workload, ..pings("source", every_ns, 20 * MS) }
}

/// When each sample was, and frames that had left until then.
fn sent(measurement: &Measurement) -> impl Iterator<Item = (u64, u64)> {
    let series = &measurement.bottleneck.series;
    series.at_ns.iter().copied().zip(series.sent_packets.iter().copied())
}

/// Frames that a line which is never idle has sent, or a bucket that is never full again.
fn frames(rate_bps: u64, time_ns: u64, burst_bytes: u64) -> u64 {
    let burst = u128::from(burst_bytes) * u128::from(BIT_NS);
    let all = (u128::from(rate_bps) * u128::from(time_ns) + burst) / u128::from(FRAME_BYTES * BIT_NS);
    u64::try_from(all).expect("few")
}

#[test]
fn in_an_outage_nothing_leaves_and_then_all_goes_on() {
    for (outage_s, burst_bytes) in [(1, FRAME_BYTES), (10, FRAME_BYTES), (1, 5_000), (10, 5_000)] {
        let saved_bytes = if burst_bytes == FRAME_BYTES { 0 } else { burst_bytes };
        let mut run = unresponsive(MS, 10 * MBIT, outage_s + 3);
        run.path.burst_bytes = burst_bytes;
        let end_ns = (2 + outage_s) * SECOND;
        run.path.changes = vec![Change::of_rate(2 * SECOND, 0), Change::of_rate(end_ns, 10 * MBIT)];
        let measurement = measure(&run);
        for (at_ns, sent) in sent(&measurement) {
            // The source is faster than the line, but for its first millisecond.
            let line_ns = at_ns.min(2 * SECOND) + at_ns.saturating_sub(end_ns);
            let expected = frames(10 * MBIT, line_ns, saved_bytes).min(at_ns / MS);
            assert!(at_ns < 20 * MS || sent == expected, "{burst_bytes}, {at_ns}: {sent}, {expected}");
        }
        let series = &measurement.bottleneck.series;
        let backlog = |at_ms: u64| series.backlog_packets[usize::try_from(at_ms / 10).expect("few") - 1];
        assert!((340..360).contains(&backlog(2_000)), "{}", backlog(2_000));
        assert_eq!((backlog(2_600), backlog((2 + outage_s) * 1_000)), (600, 600), "the queue is full");
        assert!(series.dropped_packets.last().is_some_and(|dropped| *dropped > 700 * outage_s));
    }
}

/// What comes to an idle line waits; the tokens that were there before are there afterwards, and no more.
#[test]
fn a_line_that_is_out_when_the_first_frame_comes_begins_at_the_end_of_the_outage() {
    for (burst_bytes, at_once) in [(FRAME_BYTES, 0), (5_000, 3)] {
        let mut run = unresponsive(MS, 10 * MBIT, 4);
        run.path.burst_bytes = burst_bytes;
        run.flows[0].start_ns = 2 * SECOND + 500 * MS;
        run.path.changes = vec![Change::of_rate(2 * SECOND, 0), Change::of_rate(3 * SECOND, 10 * MBIT)];
        let saved_bytes = if at_once == 0 { 0 } else { burst_bytes };
        for (at_ns, sent) in sent(&measure(&run)) {
            let expected = at_ns.checked_sub(3 * SECOND).map_or(0, |ns| frames(10 * MBIT, ns, saved_bytes));
            assert_eq!(sent, expected, "{at_ns}");
        }
    }
    // So does one that has no rate at first.
    let mut run = unresponsive(MS, 0, 4);
    run.path.changes = vec![Change::of_rate(3 * SECOND, 10 * MBIT)];
    assert_eq!(sent(&measure(&run)).last(), Some((4 * SECOND, frames(10 * MBIT, SECOND, 0))));
}

#[test]
fn a_connection_survives_an_outage() {
    for cc in ["reno", "cubic", "bbr"] {
        let mut run = one_flow(cc, 10 * MBIT, 20 * MS, 50_000, 20);
        run.path.changes = vec![Change::of_rate(5 * SECOND, 0), Change::of_rate(8 * SECOND, 10 * MBIT)];
        let measurement = measure(&run);
        let delivered = &measurement.flows[0].series.delivered_bytes;
        let gained = |from_s: usize, to_s: usize| delivered[to_s * 100 - 1] - delivered[from_s * 100 - 1];
        // What was on its way back is acknowledged, no more; a timeout after the outage's end at the latest it goes on.
        assert!(gained(6, 8) == 0 && gained(12, 20) > 8 * 1_100_000, "{cc}: {} {}", gained(6, 8), gained(12, 20));
    }
}

/// A ramp from 5 to 15 Mbit/s in steps of 10 ms, as changes and as a trace.
#[test]
fn a_ramp_delivers_its_integral() {
    let steps: Vec<Change> = (0..400).map(|i| Change::of_rate(i * 10 * MS, 5 * MBIT + i * MBIT / 40)).collect();
    let mut run = unresponsive(400_000, 5 * MBIT, 4);
    run.path.changes = steps.clone();
    let changed = measure(&run);
    for (at_ns, sent) in sent(&changed) {
        let done = at_ns / (10 * MS);
        let bits = (0..done).map(|i| (5 * MBIT + i * MBIT / 40) / 100).sum::<u64>();
        let expected = bits / 8 / FRAME_BYTES;
        assert!(sent.abs_diff(expected) <= 1, "{at_ns}: {sent}, {expected}");
    }
    (run.path.changes, run.path.trace) = (Vec::new(), Some(Trace::Changes(steps.into())));
    assert_eq!(measure(&run), changed);
}

#[test]
fn loss_changes() {
    let mut run = unresponsive(2 * MS, 10 * MBIT, 6);
    let loss = |at_s, loss_ppb| Change { loss_ppb: Some(loss_ppb), ..Change::at(at_s * SECOND) };
    run.path.changes = vec![loss(2, 100_000_000), loss(4, 0)];
    (run.measure.window_begin_ns, run.measure.window_end_ns) = (2 * SECOND, 4 * SECOND);
    let queue = measure(&run).bottleneck;
    let lost = [queue.at_window_begin, queue.at_window_end, queue.at_end].map(|now| now.random_lost_packets);
    // A tenth of a thousand, within five standard deviations, and each in these two seconds.
    assert!(lost[0] == 0 && (53..=147).contains(&lost[1]) && lost[2] == lost[1], "{lost:?}");
}

#[test]
fn the_buffer_changes() {
    let codel = Codel { target_ns: SECOND, interval_ns: SECOND, ecn: false, ce_threshold_ns: None };
    let fq_codel = FqCodel { codel, flows: 16, quantum_bytes: 1_514, ce_threshold_selector: None };
    let fq = Fq {
        flow_limit_packets: 10_000,
        quantum_bytes: 3_028,
        initial_quantum_bytes: 15_140,
        ce_threshold_ns: None,
        orphan_mask: 1_023,
    };
    let disciplines = [
        QueueDiscipline::Fifo,
        QueueDiscipline::Codel(codel),
        QueueDiscipline::FqCodel(fq_codel),
        QueueDiscipline::Fq(fq),
    ];
    for qdisc in disciplines {
        let mut run = unresponsive(400_000, 10 * MBIT, 3);
        (run.path.buffer, run.path.qdisc) = (Buffer::Packets(100), qdisc);
        let room = |at_s, packets| Change { buffer: Some(Buffer::Packets(packets)), ..Change::at(at_s * SECOND) };
        run.path.changes = vec![room(1, 300), room(2, 50)];
        let backlog = measure(&run).bottleneck.series.backlog_packets;
        let most = [&backlog[..99], &backlog[100..199], &backlog[270..]].map(|part| *part.iter().max().expect("some"));
        // The fattest flow of a full FQ-CoDel loses many at once, before it is as full.
        let slack = if matches!(qdisc, QueueDiscipline::FqCodel(_)) { 64 } else { 0 };
        for (most, room) in most.into_iter().zip([100, 300, 50]) {
            assert!(most <= room && most + slack >= room, "{qdisc:?}: {most} of {room}");
        }
        // What waits stays: it leaves as the line lets it.
        assert!(slack > 0 || (280..300).contains(&backlog[200]), "{qdisc:?}: {}", backlog[200]);
    }
}

fn policed(run: &mut Run, burst_bytes: u64, police: Police) {
    (run.path.shaper, run.path.burst_bytes, run.path.police) = (ShaperKind::Police, burst_bytes, police);
}

#[test]
fn a_policer_passes_its_rate_and_its_burst() {
    let mut run = unresponsive(400_000, 10 * MBIT, 4);
    policed(&mut run, 20_000, Police::default());
    run.path.changes = vec![Change::of_rate(2 * SECOND, 0), Change::of_rate(3 * SECOND, 5 * MBIT)];
    let measurement = measure(&run);
    for (at_ns, sent) in sent(&measurement).filter(|(at_ns, _)| *at_ns > 50 * MS) {
        let until = |ns: u64| 10 * MBIT * ns.min(2 * SECOND) + 5 * MBIT * ns.saturating_sub(3 * SECOND);
        let most_bytes = 20_000 + until(at_ns) / BIT_NS;
        let bytes = sent * FRAME_BYTES;
        // A frame comes every 0.4 ms, and takes its tokens when all are there.
        assert!(bytes <= most_bytes && bytes + FRAME_BYTES + 500 > most_bytes, "{at_ns}: {bytes} of {most_bytes}");
    }
    let end = measurement.bottleneck.at_end;
    assert_eq!((end.offered_packets, end.queued_packets), (10_001, 0));
    assert_eq!(measurement.flows[0].rtt_min_ns, Some(20 * MS), "without time on a line");
}

#[test]
fn a_policers_peak_has_a_bucket_of_one_frame() {
    let mut run = unresponsive(100_000, 10 * MBIT, 1);
    policed(&mut run, 100_000, Police { peak_bps: Some(15 * MBIT), marks: false });
    for (at_ns, sent) in sent(&measure(&run)) {
        // The tokens of a frame are there after 0.807 ms, and the next frame that comes passes; more are not saved.
        let by_peak = 1 + at_ns / 900_000;
        assert!(sent == by_peak || at_ns > 200 * MS, "{at_ns}: {sent} of {by_peak}");
        assert!(sent * FRAME_BYTES <= 100_000 + 10 * MBIT * at_ns / BIT_NS, "{at_ns}: {sent}");
    }
}

#[test]
fn tcp_gets_no_more_from_a_policer() {
    for cc in ["reno", "bbr"] {
        let mut run = one_flow(cc, 10 * MBIT, 20 * MS, 1, 10);
        policed(&mut run, 30_000, Police::default());
        // That no more passes than rate and burst is one of the laws.
        let queue = measure(&run).bottleneck;
        let share = queue.at_end.sent_bytes as f64 * 0.8 / (10 * MBIT) as f64;
        assert!(share > 0.5 && queue.at_end.dropped_packets > 0, "{cc}: {share}");
    }
}

#[test]
fn a_policer_that_marks_drops_only_what_does_not_understand() {
    let mut run = one_flow("reno", 10 * MBIT, 20 * MS, 1, 10);
    policed(&mut run, 30_000, Police { peak_bps: None, marks: true });
    run.flows[0].ecn = Ecn::Classic;
    let measurement = measure(&run);
    let (end, queue) = (measurement.flows[0].at_end, measurement.bottleneck.at_end);
    assert!(queue.marked_packets > 10 && queue.dropped_packets == 0, "{queue:?}");
    assert!(end.cwr_reductions > 10 && end.segments_retransmitted == 0, "{end:?}");
    run.flows[0].ecn = Ecn::Off;
    let queue = measure(&run).bottleneck.at_end;
    assert!(queue.marked_packets == 0 && queue.dropped_packets > 10, "{queue:?}");
}

fn deliveries(run: &mut Run, at_ms: &[u32]) {
    run.path.trace = Some(Trace::Deliveries(at_ms.into()));
}

#[test]
fn a_recorded_line_delivers_a_frame_at_each_of_its_instants() {
    // 1514 bytes a millisecond are 12.112 Mbit/s.
    let mut run = unresponsive(500_000, 12_112_000, 4);
    let line: Vec<_> = sent(&measure(&run)).collect();
    for at_ms in [&[1][..], &[0, 1, 2, 2, 4], &(1..=1_000).collect::<Vec<u32>>()] {
        deliveries(&mut run, at_ms);
        // A frame that comes at 0 is too late for what is then.
        let missed = if at_ms[0] == 0 { 1 } else { 0 };
        for ((at_ns, sent), (_, by_line)) in sent(&measure(&run)).zip(&line) {
            let expected = capacity(at_ms, at_ns / MS) - missed;
            assert_eq!(sent, expected, "{at_ns}");
            assert!(at_ms.len() == 5 || sent.abs_diff(*by_line) <= 1, "{at_ns}: {sent}, {by_line}");
        }
    }
}

/// Opportunities until an instant, with it.
fn capacity(at_ms: &[u32], until_ms: u64) -> u64 {
    let last_ms = u64::from(*at_ms.last().expect("some"));
    let all = (0..=until_ms / last_ms).flat_map(|i| at_ms.iter().map(move |at_ms| i * last_ms + u64::from(*at_ms)));
    all.filter(|at_ms| *at_ms <= until_ms).count() as u64
}

#[test]
fn small_packets_share_an_instant_and_idle_time_is_lost() {
    let mut run = unresponsive(MS, 12_112_000, 2);
    deliveries(&mut run, &[1]);
    // Fourteen of 106 bytes every millisecond, together 1484 bytes: all pass at the next instant.
    run.flows = (0..14).map(|i| run::Flow { start_ns: 100_000 + i, ..source(MS, 106) }).collect();
    for (index, flow) in run.flows.iter_mut().enumerate() {
        flow.name = format!("source {index}");
    }
    let measurement = measure(&run);
    assert!(sent(&measurement).all(|(at_ns, sent)| sent == 14 * (at_ns / MS)));
    // After a second without packets the line has saved nothing.
    let mut run = unresponsive(500_000, 12_112_000, 2);
    deliveries(&mut run, &[1]);
    run.flows[0].start_ns = SECOND;
    assert!(sent(&measure(&run)).all(|(at_ns, sent)| sent == (at_ns / MS).saturating_sub(1_000)));
}

#[test]
fn tcp_fills_a_recorded_line_as_any_other() {
    for cc in ["cubic", "bbr"] {
        let mut run = one_flow(cc, 12_112_000, 20 * MS, 60_000, 10);
        (run.measure.window_begin_ns, run.measure.window_end_ns) = (2 * SECOND, 10 * SECOND);
        let share = |run: &Run| {
            let queue = measure(run).bottleneck;
            (queue.at_window_end.sent_bytes - queue.at_window_begin.sent_bytes) as f64 / (8.0 * 1_514_000.0)
        };
        let line = share(&run);
        deliveries(&mut run, &[1]);
        let recorded = share(&run);
        assert!(recorded > 0.97 && (recorded - line).abs() < 0.02, "{cc}: {recorded}, {line}");
    }
}

/// 360,000 changes; and they come where they came when all of them were events from the beginning.
#[test]
fn an_hour_of_a_trace_runs() {
    let rate_bps = |i: u64| (100_000 + i * 7_919 % 400_000) * u64::from(i % 100 >= 5);
    let changes: Vec<Change> = (0..360_000).map(|i| Change::of_rate(i * 10 * MS, rate_bps(i))).collect();
    let mut run = unresponsive(20 * MS, MBIT, 3_600);
    (run.measure.sample_ns, run.path.trace) = (SECOND, Some(Trace::Changes(changes.into())));
    let bits = (0..360_000).map(|i| rate_bps(i) / 100).sum::<u64>();
    let sent_bytes = measure(&run).bottleneck.at_end.sent_bytes;
    // Of each change's bits a fraction is cut off, and at most a nanosecond of either rate.
    assert!((bits / 8).abs_diff(sent_bytes) < FRAME_BYTES + 360_000, "{sent_bytes} of {}", bits / 8);
}
