//! The bottleneck from end to end: frames leave exactly when rate and burst say, to the nanosecond.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{FRAME_BYTES, flows, one_flow};
use run::{Access, AccessKind, Buffer, Change, Measurement, Record, Run, Workload};
use scenario::laws::capacity;
use scenario::{MBIT, MS, MSS_BYTES, SECOND};
use scenario::{bdp_bytes, goodput_bps, measure, since, utilization};

/// Frames of a handshake: the SYN, and the bare ACK right before the data.
const SYN_BYTES: u64 = 74;
const BARE_BYTES: u64 = 66;
/// Full segments that fit the first window of a receiver (65 535 bytes), and so leave at once.
const AT_ONCE: u64 = 45;

const RTT_NS: u64 = 100 * MS;
const FLOWS: u64 = 100;

/// Flows that all send [`AT_ONCE`] segments when their handshakes are over, and nothing else: 4500 segments in one
/// burst, gone before the first probe or timeout. Each is complete when its last frame has left the bottleneck.
fn one_burst(rate_bps: u64, burst_bytes: u64) -> Run {
    let mut run = one_flow("cubic", rate_bps, RTT_NS, 1 << 30, 2);
    run.until_done = true;
    run.path.burst_bytes = burst_bytes;
    run.host.initial_window_segments = 100;
    run.measure.record = Record::Summary;
    run.flows = flows(FLOWS as usize, "cubic", RTT_NS);
    for flow in &mut run.flows {
        flow.workload = Workload::Transfer { bytes: AT_ONCE * MSS_BYTES };
    }
    run
}

/// When each flow's last byte had left, ns.
fn completions(run: &Run) -> Vec<u64> {
    let measurement = measure(run);
    let needless = |counters: run::FlowCounters| counters.segments_sent > AT_ONCE || counters.dropped_packets > 0;
    assert!(!measurement.flows.iter().any(|flow| needless(flow.at_end)), "only one transmission each");
    measurement.flows.iter().map(|flow| flow.completed_ns.expect("complete")).collect()
}

/// The bytes that have left when a flow's last byte has: a FIN is behind that of each flow before it.
fn bytes_until(flow: u64) -> u64 {
    (flow + 1) * (BARE_BYTES + AT_ONCE * FRAME_BYTES) + flow * BARE_BYTES
}

/// The time that bytes take, in whole ns: a frame has left when its last bit has.
fn time_for(bytes: u64, rate_bps: u64) -> u64 {
    u64::try_from((u128::from(bytes) * 8_000_000_000).div_ceil(u128::from(rate_bps))).expect("soon")
}

#[test]
fn with_a_burst_of_one_frame_packets_take_size_over_rate_exactly() {
    for (rate_bps, burst_bytes) in [(1_000 * MBIT, 1), (999_999_937, FRAME_BYTES), (700_000_001, 0)] {
        // The first SYN takes its time, its answer the path's; then the line is never idle.
        let begun_ns = time_for(SYN_BYTES, rate_bps) + RTT_NS;
        let expected: Vec<_> = (0..FLOWS).map(|index| begun_ns + time_for(bytes_until(index), rate_bps)).collect();
        assert_eq!(completions(&one_burst(rate_bps, burst_bytes)), expected, "{rate_bps} bit/s");
    }
}

#[test]
fn a_bucket_saves_the_time_of_its_burst_exactly() {
    for (rate_bps, burst_bytes) in [(1_000 * MBIT, 5_000), (999_999_937, 5_000), (700_000_001, 100_000)] {
        // The SYN goes through at once, and when it is answered the bucket is full again.
        let expected = (0..FLOWS).map(|index| {
            let beyond_the_burst = bytes_until(index).saturating_sub(burst_bytes);
            RTT_NS + time_for(beyond_the_burst, rate_bps)
        });
        assert_eq!(completions(&one_burst(rate_bps, burst_bytes)), expected.collect::<Vec<_>>(), "{rate_bps} bit/s");
    }
}

#[test]
fn bytes_through_are_the_integral_of_the_rate() {
    let rates = [300 * MBIT, 2_000_000_011, 999_999_937, 77_777_777, 3_000 * MBIT, 500 * MBIT];
    for burst_bytes in [FRAME_BYTES, 5_000] {
        let mut run = one_burst(1_000 * MBIT, burst_bytes);
        // Changes in the middle of frames: none of these times is a multiple of anything.
        let change = |(index, rate_bps): (u64, u64)| Change::of_rate(101_234_567 + index * 4_654_321, rate_bps);
        run.path.changes = (0..).zip(rates).map(change).collect();
        let (begun_ns, saved_bytes) = match burst_bytes {
            FRAME_BYTES => (time_for(SYN_BYTES, run.path.rate_bps) + RTT_NS, 0),
            burst_bytes => (RTT_NS, burst_bytes),
        };
        let completions = completions(&run);
        let last_ns = completions.last().expect("flows");
        assert!(run.path.changes.iter().all(|change| change.at_ns < *last_ns), "every change counts: {last_ns}");
        // A change may cut off a nanosecond of the old rate and one of the new; a departure is rounded up to the next.
        let fastest = u128::from(*rates.iter().max().expect("rates"));
        let slack = fastest * (2 * rates.len() as u128 + 1);
        for (index, completed_ns) in (0..).zip(completions) {
            let carried = capacity(&run.path, begun_ns, completed_ns);
            let work = u128::from(bytes_until(index) - saved_bytes) * 8_000_000_000;
            assert!(carried.abs_diff(work) <= slack, "flow {index}, done at {completed_ns}: {carried} for {work}");
        }
    }
}

#[test]
fn of_a_burst_survive_as_many_frames_as_the_queue_holds_and_the_tokens_admit() {
    // As Linux's `tbf` before a `pfifo` of 6 packets: it dequeues after each enqueue. A plain line has the frame that it
    // transmits in its queue.
    for (burst_bytes, admitted) in [(FRAME_BYTES, 0), (1_600, 1), (5_000, 3), (15_000, 9)] {
        let mut run = one_flow("cubic", 200 * MBIT, 20 * MS, 1 << 20, 1);
        run.path.burst_bytes = burst_bytes;
        run.path.buffer = Buffer::Packets(6);
        run.host.initial_window_segments = 100;
        let handshake_ns = if admitted == 0 { time_for(SYN_BYTES, run.path.rate_bps) } else { 0 } + 20 * MS;
        run.measure.window_begin_ns = handshake_ns + 1;
        let queue = measure(&run).bottleneck.at_window_begin;
        assert_eq!(queue.offered_packets, 2 + AT_ONCE, "handshake and one burst, {burst_bytes}");
        // The bare ACK right before it takes its own bytes of the bucket; the line is still busy with it.
        let survivors = queue.offered_packets - queue.dropped_packets - 2;
        assert_eq!(survivors, if admitted == 0 { 5 } else { 6 + admitted }, "{burst_bytes}");
        assert_eq!(queue.queued_packets, 6, "{burst_bytes}");
    }
}

/// An Ethernet wire takes 38 bytes a frame: checksum, preamble and gap beside the header that hosts count.
#[test]
fn line_and_queue_count_each_frame_with_the_paths_overhead() {
    for overhead_bytes in [0, 14, 38] {
        let mut run = one_flow("cubic", 100 * MBIT, 10 * MS, 200_000, 10);
        run.path.overhead_bytes = overhead_bytes;
        run.measure.window_begin_ns = 2 * SECOND;
        let measurement = measure(&run);
        let queue = &measurement.bottleneck;
        let frame = run.path.frame_bytes();
        assert_eq!(frame, 1_500 + u64::from(overhead_bytes));
        let goodput = goodput_bps(&measurement, 0) / (run.path.rate_bps * MSS_BYTES / frame) as f64;
        assert!((goodput - 1.0).abs() < 1e-3, "{overhead_bytes}: {goodput}");
        let longest = queue.series.backlog_packets.iter().max().expect("samples");
        assert!((200_000 / frame - 3..=200_000 / frame).contains(&u64::from(*longest)), "{overhead_bytes}: {longest}");
        assert!(queue.series.backlog_bytes.iter().all(|bytes| bytes % frame == 0), "{overhead_bytes}");
        assert_eq!(measurement.flows[0].at_end.bottleneck_bytes, queue.at_end.sent_bytes, "{overhead_bytes}");
    }
}

#[test]
fn an_access_line_and_the_propagation_add_their_own_times() {
    let (line_bps, rate_bps) = (7_000_003, 999_999_937);
    let (forward_ns, return_ns) = (12_345_678, 30 * MS);
    for kind in [AccessKind::Device, AccessKind::Router] {
        let mut run = one_flow("cubic", rate_bps, RTT_NS, 1 << 20, 2);
        run.host.initial_window_segments = 100;
        run.flows[0].workload = Workload::Transfer { bytes: AT_ONCE * MSS_BYTES };
        let line = Access { rate_bps: line_bps, buffer: Buffer::Packets(100), kind };
        run.flows[0].access = Some(line);
        (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (forward_ns, return_ns);
        // The line is a token bucket: the SYN finds it full and passes at once, and so does the data its depth later.
        let handshake_ns = time_for(SYN_BYTES, rate_bps) + forward_ns + return_ns;
        // The access line is the slower one: the bottleneck adds one frame's time.
        let beyond_the_burst = BARE_BYTES + AT_ONCE * FRAME_BYTES - line.burst_bytes(&run.path);
        let data_ns = time_for(beyond_the_burst, line_bps) + time_for(FRAME_BYTES, rate_bps);
        let flow = &measure(&run).flows[0];
        assert_eq!(flow.completed_ns, Some(handshake_ns + data_ns + forward_ns), "{kind:?}");
        // No frame is smaller than the SYN, nor is any sample: the clock of samples has whole microseconds.
        assert!(flow.rtt_min_ns.is_some_and(|rtt_ns| rtt_ns.abs_diff(handshake_ns) <= 1_000), "{:?}", flow.rtt_min_ns);
    }
}

#[test]
fn small_queues_hold_a_sender_back_before_its_own_device_and_not_before_a_router() {
    // The same line of 30 Mbit/s with room for 100 kB: a router's fills and overflows; the device's holds two bursts or a
    // millisecond's worth of them, and drops nothing.
    let [device, router] = [AccessKind::Device, AccessKind::Router].map(|kind| {
        let mut run = one_flow("cubic", 80 * MBIT, 25 * MS, 250_000, 20);
        run.path.burst_bytes = 5_000;
        run.flows[0].access = Some(Access { rate_bps: 30 * MBIT, buffer: Buffer::Bytes(100_000), kind });
        run.measure.window_begin_ns = 5 * SECOND;
        measure(&run)
    });
    let worst_ms = |measurement: &Measurement| {
        let flow = &measurement.flows[0].series;
        let srtt = since(&flow.at_ns, &flow.srtt_us, 5 * SECOND);
        srtt.into_iter().max().expect("samples") / 1_000
    };
    // 100 kB take 26.7 ms on the line.
    assert!((48..=52).contains(&worst_ms(&router)), "{}", worst_ms(&router));
    assert!((25..=30).contains(&worst_ms(&device)), "{}", worst_ms(&device));
    assert!(router.flows[0].at_end.segments_retransmitted > 0);
    assert_eq!(device.flows[0].at_end.segments_retransmitted, 0);
}

/// Segments that a sender has in one super-packet before it knows of a window that does not fit 16 bits.
const BURST_SEGMENTS: u64 = 22;

/// A flow that hands over [`BURST_SEGMENTS`] segments in one burst when its handshake is over, on a path so short that
/// bursts are not cut (the shift of `tcp_tso_rtt_log`).
fn single_burst(rate_bps: u64) -> Run {
    let mut run = one_flow("cubic", rate_bps, 200_000, 1 << 20, 2);
    run.until_done = true;
    run.host.initial_window_segments = 100;
    run.flows[0].workload = Workload::Transfer { bytes: BURST_SEGMENTS * MSS_BYTES };
    run
}

#[test]
fn with_jitter_a_burst_leaves_its_host_late_and_undivided() {
    // A SYN late by U1, a bare ACK by U2, and 22 segments of one burst by max(U2, U3), each uniform below the jitter: in
    // the mean 1/2 + 2/3 of it. Were each packet late by itself, the last one would be late by nearly all of it.
    let (jitter_ns, seeds) = (100_000, 400);
    let mut run = single_burst(1_000_000 * MBIT);
    let punctual_ns = measure(&run).flows[0].completed_ns.expect("complete");
    run.path.jitter_ns = Some(jitter_ns);
    let late_ns: Vec<u64> = (1..=seeds)
        .map(|seed| {
            run.seed = seed;
            measure(&run).flows[0].completed_ns.expect("complete") - punctual_ns
        })
        .collect();
    assert!(late_ns.iter().all(|ns| *ns < 2 * jitter_ns), "{late_ns:?}");
    let mean = late_ns.iter().sum::<u64>() as f64 / (seeds * jitter_ns) as f64;
    // Variances 1/12 and 1/18; five standard deviations of the mean.
    let deviation = ((1.0 / 12.0 + 1.0 / 18.0) / seeds as f64).sqrt();
    assert!((mean - 7.0 / 6.0).abs() < 5.0 * deviation, "{mean} of the jitter");
    let (least, most) = (late_ns.iter().min().expect("seeds"), late_ns.iter().max().expect("seeds"));
    assert!(*least < jitter_ns / 2 && *most > 3 * jitter_ns / 2, "each seed has its own: {late_ns:?}");
}

#[test]
fn jitter_is_behind_a_device_and_before_a_router() {
    // A burst of 22 frames comes out of a slow line as from a pipe: a device's frames are each late by themselves, and
    // the last one in the mean by nearly half of the jitter; a router's wait for the host's lateness once, at the head.
    const SEEDS: u64 = 1_000;
    let jitter_ns = 20_000;
    let late = [AccessKind::Device, AccessKind::Router].map(|kind| {
        let mut run = single_burst(1_000_000 * MBIT);
        // A frame a microsecond: with jitter there are twenty frames of a device on their way out of the host.
        run.flows[0].access = Some(Access { rate_bps: 12_000 * MBIT, buffer: Buffer::Packets(100), kind });
        let punctual_ns = measure(&run).flows[0].completed_ns.expect("complete");
        run.path.jitter_ns = Some(jitter_ns);
        let late_ns: Vec<u64> = (1..=SEEDS)
            .map(|seed| {
                run.seed = seed;
                measure(&run).flows[0].completed_ns.expect("complete") - punctual_ns
            })
            .collect();
        late_ns.iter().sum::<u64>() as f64 / (SEEDS * jitter_ns) as f64
    });
    let [device, router] = late;
    // The SYN's lateness comes first, in the mean 1/2 of the jitter. Of a device's frames the last one leaves with the
    // latest so far: E max(U - i t), where t is a frame's time on the line as a share of the jitter, is 0.759 of it (by
    // a million draws). Five standard deviations of each mean.
    assert!((device - 1.259).abs() < 0.050, "{device}");
    assert!((router - 7.0 / 6.0).abs() < 0.059, "{router}");
}

#[test]
fn a_saturating_flow_uses_all_of_the_line() {
    let (rate_bps, rtt_ns) = (50 * MBIT, 40 * MS);
    for cc in ["reno", "cubic"] {
        for burst_bytes in [FRAME_BYTES, 5_000, 60_000] {
            let mut run = one_flow(cc, rate_bps, rtt_ns, 4 * bdp_bytes(rate_bps, rtt_ns), 15);
            run.path.burst_bytes = burst_bytes;
            run.measure.window_begin_ns = 5 * SECOND;
            // That it is no more than 1 + burst/(rate x window) is one of the laws.
            let utilization = utilization(&run, &measure(&run));
            assert!(utilization > 0.999, "{cc}, burst {burst_bytes}: {utilization}");
        }
    }
}

#[test]
fn a_queue_that_never_empties_follows_every_change_of_rate() {
    let mut run = one_flow("reno", 10 * MBIT, 20 * MS, 20_000_000, 10);
    let change = |(at_s, rate_mbps): (u64, u64)| Change::of_rate(at_s * SECOND + 123_457, rate_mbps * MBIT);
    run.path.changes = [(3, 20), (4, 5), (5, 40), (6, 1), (7, 13)].map(change).to_vec();
    (run.measure.window_begin_ns, run.measure.window_end_ns) = (2 * SECOND, 8 * SECOND);
    let measurement = measure(&run);
    let queue = &measurement.bottleneck;
    let backlog = since(&queue.series.at_ns, &queue.series.backlog_packets, 2 * SECOND);
    assert!(backlog.iter().all(|packets| *packets > 0));
    let bytes = queue.at_window_end.sent_bytes - queue.at_window_begin.sent_bytes;
    let carried = u64::try_from(capacity(&run.path, 2 * SECOND, 8 * SECOND) / 8_000_000_000).expect("bytes");
    // One frame is on the line at each end of the window.
    assert!(bytes.abs_diff(carried) <= FRAME_BYTES, "{bytes} for {carried}");
}
