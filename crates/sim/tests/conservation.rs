//! Nothing appears and nothing vanishes: packet by packet where it can be counted.
//!
//! The [laws](scenario::measure) that every test holds its measurements against say this of every sample of every run
//! as inequalities, because what is under way is not counted. Here every packet has an account.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{FRAME_BYTES, flow, one_flow};
use run::{Buffer, LossAt, Record, Run, SocketMemory, Workload, Write};
use scenario::{MBIT, MS, MSS_BYTES, SECOND};
use scenario::{bdp_bytes, goodput_bps, measure, since};

const ALGORITHMS: [&str; 3] = ["reno", "cubic", "bbr"];
/// Frames of a handshake: the SYN, and the bare ACK that answers its answer.
const HANDSHAKE_FRAMES: u64 = 2;
const HANDSHAKE_BYTES: u64 = 74 + 66;
const SEGMENTS: u64 = 5_000;

/// A transfer of full segments on a path that drops some of them by overflow and loses others at random, until all of
/// it is delivered.
fn lossy_transfer(cc: &str, loss_at: LossAt) -> Run {
    let (rate_bps, rtt_ns) = (20 * MBIT, 30 * MS);
    let mut run = one_flow(cc, rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns) / 2, 60);
    run.until_done = true;
    run.path.loss_ppb = 5_000_000;
    run.path.loss_at = loss_at;
    run.flows[0].workload = Workload::Transfer { bytes: SEGMENTS * MSS_BYTES };
    run
}

#[test]
fn every_segment_sent_was_delivered_dropped_or_lost() {
    for cc in ALGORITHMS {
        for (loss_at, jitter_ns) in
            [(LossAt::Before, 0), (LossAt::After, 0), (LossAt::Before, 2 * MS), (LossAt::After, 2 * MS)]
        {
            let mut run = lossy_transfer(cc, loss_at);
            run.path.jitter_ns = Some(jitter_ns);
            let measurement = measure(&run);
            let (flow, queue) = (&measurement.flows[0].at_end, &measurement.bottleneck.at_end);
            assert_eq!(flow.delivered_bytes, SEGMENTS * MSS_BYTES, "{cc}: {flow:?}");
            assert!(flow.dropped_packets > 0 && flow.random_lost_packets > 0, "{cc}: {flow:?}");
            // All other repetitions had a reason.
            assert_eq!(flow.segments_sent, SEGMENTS + flow.segments_retransmitted, "{cc}");
            let lost_before = if loss_at == LossAt::Before { flow.random_lost_packets } else { 0 };
            // What has not reached the path is in the host, where it waits for its departure.
            let in_host = (flow.segments_sent + HANDSHAKE_FRAMES).checked_sub(queue.offered_packets + lost_before);
            let in_host = in_host.expect("no more came than were sent");
            assert!(in_host == 0 || jitter_ns > 0, "{cc}: {in_host} in a punctual host");
            // The last segment to arrive completes the transfer. Those sent in vain are needless repetitions: after it,
            // or before it by a tail loss probe.
            let vain = flow.segments_sent - SEGMENTS - flow.dropped_packets - flow.random_lost_packets;
            assert!(vain <= flow.probes + queue.queued_packets + in_host, "{cc}: {vain} in vain, {flow:?}");
            // Every frame that left was full, but for the handshake's.
            let data = queue.sent_packets - HANDSHAKE_FRAMES;
            assert_eq!(queue.sent_bytes, data * FRAME_BYTES + HANDSHAKE_BYTES, "{cc}");
            let behind = data + queue.queued_packets + flow.dropped_packets + lost_before;
            assert_eq!(behind + in_host, flow.segments_sent, "{cc}");
        }
    }
}

#[test]
fn what_is_under_way_is_what_was_sent_and_is_not_there_yet() {
    // The queue overflows late; until then nothing is lost. All of the delay is before the receiver, so that what is
    // neither queued nor delivered is on the line.
    for cc in ALGORITHMS {
        let (rate_bps, rtt_ns) = (10 * MBIT, 100 * MS);
        let mut run = one_flow(cc, rate_bps, rtt_ns, 100 * bdp_bytes(rate_bps, rtt_ns), 4);
        (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (rtt_ns, 0);
        let measurement = measure(&run);
        let (flow, queue) = (&measurement.flows[0].series, &measurement.bottleneck.series);
        assert_eq!(flow.at_ns, queue.at_ns);
        assert_eq!(measurement.flows[0].at_end.segments_retransmitted, 0, "{cc}");
        // As many as the line holds at once: its length times its rate, when it is always busy.
        let most = rate_bps * rtt_ns / SECOND / 8 / FRAME_BYTES + 1;
        let mut fullest = 0;
        for (i, delivered_bytes) in flow.delivered_bytes.iter().enumerate() {
            let left = queue.sent_packets[i].saturating_sub(HANDSHAKE_FRAMES);
            let under_way = left - delivered_bytes / MSS_BYTES;
            assert!(under_way <= most, "{cc}: {under_way} of {most} on the line at {} ns", flow.at_ns[i]);
            // The sender knows of each: what it believes in flight is queued, on the line, or its ACK held back (one).
            let in_flight = u64::from(flow.inflight_segments[i]);
            let present = under_way + u64::from(queue.backlog_packets[i]);
            let delayed_acks = in_flight.checked_sub(present);
            assert!(
                left == 0 || delayed_acks.is_some_and(|count| count <= 1),
                "{cc}: {in_flight} in flight, {present} present"
            );
            fullest = fullest.max(under_way);
        }
        assert!(fullest + 1 >= most, "{cc}: {fullest} of {most}");
    }
}

#[test]
fn random_loss_takes_its_share_before_the_queue_and_after() {
    const LOSS: f64 = 0.02;
    for loss_at in [LossAt::Before, LossAt::After] {
        let mut run = one_flow("bbr", 100 * MBIT, 20 * MS, 1_000_000, 8);
        run.path.loss_ppb = (LOSS * 1e9) as u32;
        run.path.loss_at = loss_at;
        run.measure.window_begin_ns = SECOND;
        let measurement = measure(&run);
        let end = &measurement.flows[0].at_end;
        // Every data segment has the same chance: the number lost is binomial, here within five standard deviations.
        let sent = end.segments_sent as f64;
        let deviations = (end.random_lost_packets as f64 - sent * LOSS) / (sent * LOSS * (1.0 - LOSS)).sqrt();
        assert!(sent > 50_000.0 && deviations.abs() < 5.0, "{loss_at:?}: {deviations} deviations of {sent}");
        // Lost before the queue, a packet costs the line nothing; lost after it, it has used the line.
        let share = goodput_bps(&measurement, 0) / (run.path.rate_bps as f64 * MSS_BYTES as f64 / FRAME_BYTES as f64);
        let most = if loss_at == LossAt::Before { 1.0 } else { 1.0 - LOSS };
        assert!(share > most - 0.03 && share < most + 0.005, "{loss_at:?}: {share}");
    }
}

#[test]
fn flows_share_a_queue_and_each_keeps_its_own_account() {
    let (rate_bps, rtt_ns) = (50 * MBIT, 20 * MS);
    let mut run = one_flow("bbr", rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns), 12);
    run.flows = ALGORITHMS.map(|cc| flow(cc, cc, rtt_ns)).to_vec();
    run.flows[1].forward_delay_ns = 7 * MS;
    run.flows[2].start_ns = 3 * SECOND;
    run.flows[2].stop_ns = Some(9 * SECOND);
    let measurement = measure(&run);
    // The sums are laws; here, that each flow was really there and lost packets.
    for (flow, measured) in run.flows.iter().zip(&measurement.flows) {
        assert!(measured.at_end.dropped_packets > 0 && measured.at_end.delivered_bytes > 1_000_000, "{}", flow.name);
        assert_eq!(measured.started_ns, flow.start_ns);
        assert_eq!(measured.at_end.at_ns, flow.stop_ns.unwrap_or(run.duration_ns));
    }
    let stopped = &measurement.flows[2];
    // What was under way when it stopped still arrives, and no more than that.
    let arrived_after = stopped.at_window_end.delivered_bytes - stopped.at_end.delivered_bytes;
    let under_way = u64::from(*stopped.series.inflight_segments.last().expect("samples")) * MSS_BYTES;
    assert!(arrived_after > 0 && arrived_after <= under_way + 100 * MSS_BYTES, "{arrived_after} of {under_way}");
    let backlog = since(&measurement.bottleneck.series.at_ns, &measurement.bottleneck.series.backlog_bytes, SECOND);
    assert!(backlog.iter().any(|bytes| *bytes > 0));
}

#[test]
fn short_segments_that_are_lost_together_are_delivered_completely() {
    // A tail loss probe may send a short segment while another is out. Where both are lost they are repeated, but not
    // as one super-packet: that would be taken apart into full segments and a last one.
    let mut repeated = 0;
    for seed in 1..=60 {
        let mut run = one_flow("cubic", 10 * MBIT, 20 * MS, 1_000_000, 600);
        (run.seed, run.path.loss_ppb, run.until_done) = (seed, 300_000_000, true);
        (run.path.offload, run.path.burst_bytes) = (true, 64_000);
        // Two full segments and a short one, and while they are out a short one more.
        let pair = |round: u64| [(round * 400 * MS, 2 * MSS_BYTES + 100), (round * 400 * MS + MS, 200)];
        let writes = (0..10).flat_map(pair).map(|(at_ns, bytes)| Write { at_ns, bytes });
        run.flows[0].workload = Workload::Trace { writes: writes.collect() };
        let end = measure(&run).flows[0].at_end;
        assert_eq!(end.delivered_bytes, 10 * (2 * MSS_BYTES + 300), "seed {seed}");
        repeated += end.segments_retransmitted;
    }
    assert!(repeated > 500, "{repeated} segments repeated");
}

#[test]
fn a_run_that_is_done_when_its_window_ends_has_counted_until_then() {
    let mut run = one_flow("cubic", 10 * MBIT, 20 * MS, 100_000, 60);
    run.until_done = true;
    run.flows[0].workload = Workload::Transfer { bytes: SEGMENTS * MSS_BYTES };
    let done_ns = measure(&run).ended_ns;
    // The window ends after the run, with it, and (as the last instant of the time that it may take) together with
    // both.
    for (duration_ns, window_end_ns) in [(60 * SECOND, done_ns + 1), (60 * SECOND, done_ns), (done_ns, done_ns)] {
        (run.duration_ns, run.measure.window_end_ns) = (duration_ns, window_end_ns);
        let measurement = measure(&run);
        assert_eq!(measurement.ended_ns, done_ns);
        assert_eq!(measurement.flows[0].at_window_end, measurement.flows[0].at_end);
        assert_eq!(measurement.bottleneck.at_window_end, measurement.bottleneck.at_end);
    }
}

#[test]
fn a_connection_that_never_opens_sends_seven_syns_and_is_given_up() {
    // At 1 kbit/s a frame takes 12 s, and the queue has room for one: it is never free when a SYN comes.
    let mut run = one_flow("cubic", 1_000, MS, FRAME_BYTES, 20_000);
    (run.measure.record, run.measure.sample_ns) = (Record::Summary, 100 * SECOND);
    run.path.buffer = Buffer::Packets(1);
    run.flows.push(flow("late", "cubic", MS));
    run.flows[1].start_ns = SECOND;
    let measurement = measure(&run);
    let late = &measurement.flows[1].at_end;
    // After 1, 2, … 32 s, and it is over 64 s later, all of which the timer wheel makes a little longer (`tcp_syn_retries`).
    assert_eq!((late.segments_sent, late.dropped_packets), (0, 7));
    assert!((128 * SECOND..133 * SECOND).contains(&late.at_ns), "{}", late.at_ns);
    assert!(measurement.facts["flows[1].given_up"].starts_with("1 from 1"), "{:?}", measurement.facts);
}

/// Segments of 8,948 bytes in a buffer of 128 kB: the first window has room for six, and grows only if no more
/// than those is expected of the first round trip (Linux 6.1 `tcp_init_buffer_space`).
#[test]
fn a_receivers_buffer_grows_whenever_its_flow_starts() {
    for start_ns in [0, 1, 50 * MS + 100_000, 7 * SECOND] {
        let mut run = one_flow("cubic", 400_000_000, 200 * MS, 10_000_000, 20);
        (run.path.mtu_bytes, run.path.burst_bytes) = (9_000, 10_000);
        run.host.socket_memory = SocketMemory::Default;
        run.flows[0].start_ns = start_ns;
        run.measure.window_begin_ns = 15 * SECOND;
        let goodput = goodput_bps(&measure(&run), 0);
        assert!(goodput > 1e8, "start {start_ns}: {goodput}");
    }
}
