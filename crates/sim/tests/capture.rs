//! Captures: they change nothing, and what they show is what happened.

mod random;
#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::any_run;
use run::samples::{flow, one_flow};
use run::{
    CapturePoint, Direction, Flow, Frame, Measure, Measurement, Record, Run, Seen, SocketMemory, Workload, flag,
};
use scenario::{MBIT, MS, bdp_bytes};

fn seen(run: &Run, snap_bytes: Option<u32>, qlog: bool) -> (Measurement, Vec<Seen>) {
    let mut seen = Vec::new();
    let run = Run { measure: Measure { snap_bytes, qlog, ..run.measure }, ..run.clone() };
    let measurement = sim::capture(&run, &mut |more| {
        seen.extend(more);
        true
    });
    (measurement.expect("a valid run"), seen)
}

fn frames(seen: &[Seen]) -> Vec<Frame> {
    let frame = |seen: &Seen| if let Seen::Passed(frame) = seen { Some(*frame) } else { None };
    seen.iter().filter_map(frame).collect()
}

fn captured(run: &Run) -> (Measurement, Vec<Frame>) {
    let (measurement, seen) = seen(run, Some(96), false);
    (measurement, frames(&seen))
}

fn at(frames: &[Frame], point: CapturePoint) -> impl Iterator<Item = &Frame> {
    frames.iter().filter(move |frame| frame.point == point)
}

/// The payload of a connection that has arrived without a gap.
fn in_order(frames: &[Frame], connection: u32) -> u64 {
    let data = |frame: &&Frame| frame.connection == connection && frame.payload_bytes > 0;
    let mut parts: Vec<(u64, u64)> = at(frames, CapturePoint::Receivers)
        .filter(data)
        .map(|frame| (frame.seq, frame.seq + u64::from(frame.payload_bytes)))
        .collect();
    parts.sort_unstable();
    let mut next = 1;
    for (start, end) in parts {
        if start <= next {
            next = next.max(end);
        }
    }
    next - 1
}

fn check(run: &Run) {
    let measurement = sim::measure(run).expect("valid");
    let has_log = run.flows.iter().any(|flow| !flow.is_source());
    let (of_both, seen) = seen(run, Some(96), has_log);
    assert_eq!(of_both, measurement, "to look changes nothing");
    let frames = frames(&seen);
    assert_eq!(captured(run), (measurement.clone(), frames.clone()), "a log changes no capture");
    if has_log {
        check_log(run, &seen, &measurement);
    }
    for point in CapturePoint::ALL {
        assert!(at(&frames, point).is_sorted_by_key(|frame| frame.at_ns), "{point:?}");
    }
    let sent = |frame: &&Frame| !frame.to_sender;
    let has_lines = run.flows.iter().any(|flow| flow.access.is_some());
    let has_loss = run.path.loss_ppb > 0 || run.path.impairments.burst_loss.is_some();
    if run.path.hops(Direction::Up).is_empty() && !has_loss && !has_lines {
        let offered = at(&frames, CapturePoint::Senders).filter(sent).count() as u64;
        assert_eq!(offered, measurement.bottleneck.at_end.offered_packets);
        let left = at(&frames, CapturePoint::Bottleneck).count() as u64;
        assert_eq!(left, measurement.bottleneck.at_end.sent_packets);
    }
    for (index, (flow, measured)) in (0..).zip(run.flows.iter().zip(&measurement.flows)) {
        // What was under way when a connection was given up still arrives.
        let is_given_up = measurement.facts.contains_key(&format!("flows[{index}].given_up"));
        if flow.arrivals().is_empty() && flow.stop_ns.is_none() && !is_given_up {
            let (arrived, delivered) = (in_order(&frames, index), measured.at_end.delivered_bytes);
            assert!(arrived >= delivered, "{arrived} for {delivered}");
            let takes_all = run.host.socket_memory == SocketMemory::Max && run.host.receive_window_bytes.is_none();
            assert!(!takes_all || arrived == delivered || measured.completed_ns.is_some(), "{arrived} for {delivered}");
        }
    }
}

/// What a log has of senders is what was counted and sampled of them, and needs no captures.
fn check_log(run: &Run, all: &[Seen], measurement: &Measurement) {
    assert!(all.is_sorted_by_key(Seen::at_ns));
    let (of_log, alone) = seen(run, None, true);
    assert_eq!(of_log, *measurement);
    assert_eq!(logged(all), logged(&alone));
    for (flow, measured) in (0..).zip(&measurement.flows) {
        if run.flows[flow as usize].is_source() {
            continue;
        }
        // A flow that is complete may yet send again what has arrived.
        let end_ns = measured.at_end.at_ns;
        let sent = |by_ns| {
            let of_flow = |seen: &&Seen| matches!(seen, Seen::Sent { frame, .. } if frame.connection == flow);
            all.iter().filter(of_flow).filter(|seen| seen.at_ns() < by_ns).count() as u64
        };
        assert!((sent(end_ns)..=sent(end_ns + 1)).contains(&measured.at_end.segments_sent));
        let mut states = all
            .iter()
            .filter_map(|seen| match seen {
                Seen::Sender(state) if state.flow == flow => Some(state),
                _ => None,
            })
            .peekable();
        let mut last = states.next();
        let series = &measured.series;
        for (index, (at_ns, srtt_us)) in series.at_ns.iter().zip(&series.srtt_us).enumerate() {
            while let Some(next) = states.next_if(|next| next.at_ns <= *at_ns) {
                last = Some(next);
            }
            let state = last.expect("one of before");
            assert_eq!(state.srtt_us, *srtt_us, "at {at_ns}");
            if run.measure.record > Record::Summary {
                assert_eq!(state.gauges.cwnd_segments, series.cwnd_segments[index], "at {at_ns}");
                assert_eq!(state.gauges.inflight_segments, series.inflight_segments[index], "at {at_ns}");
            }
        }
    }
}

/// What a log is made of, in words that compare.
fn logged(seen: &[Seen]) -> Vec<String> {
    let is_needed = |seen: &&Seen| match seen {
        Seen::Passed(frame) if frame.to_sender => frame.point == CapturePoint::Senders,
        Seen::Passed(frame) => frame.point == CapturePoint::Receivers,
        Seen::Sent { .. } | Seen::Sender(_) => true,
    };
    seen.iter().filter(is_needed).map(|seen| format!("{seen:?}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn captures_of_any_run_show_what_happened(run in any_run()) {
        // The simulator captures TCP whose data goes one way.
        let is_captured = |flow: &&Flow| flow.cc.is_some() && !matches!(flow.workload, Workload::Pages { .. });
        let flows: Vec<Flow> = run.flows.iter().filter(is_captured).cloned().collect();
        if !flows.is_empty() {
            check(&Run { flows, ..run });
        }
    }
}

#[test]
fn a_connection_begins_and_ends_as_tcp_does() {
    let (rate_bps, rtt_ns) = (10 * MBIT, 20 * MS);
    let mut run = one_flow("reno", rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns) / 4, 5);
    run.flows[0].workload = Workload::Transfer { bytes: 2_000_001 };
    let (_, frames) = captured(&run);
    let first: Vec<&Frame> = at(&frames, CapturePoint::Senders).take(4).collect();
    let flags: Vec<u16> = first.iter().map(|frame| frame.flags).collect();
    assert_eq!(flags[..3], [flag::SYN, flag::SYN | flag::ACK, flag::ACK]);
    assert_eq!((first[0].seq, first[1].ack, first[2].seq, first[3].seq), (0, 1, 1, 1));
    assert_eq!(first[1].at_ns - first[0].at_ns, rtt_ns + 74 * 8 * 100, "the SYN is 74 bytes long");
    let last = at(&frames, CapturePoint::Senders).last().expect("an ACK");
    assert_eq!((last.to_sender, last.ack - 1), (true, 2_000_001));
    let resent: u64 = at(&frames, CapturePoint::Senders)
        .filter(|frame| frame.payload_bytes > 0)
        .scan(0, |most, frame| {
            let is_old = frame.seq < *most;
            *most = (*most).max(frame.seq + u64::from(frame.payload_bytes));
            Some(u64::from(is_old))
        })
        .sum();
    let (measurement, _) = captured(&run);
    assert!(resent > 0, "its queue is short");
    assert_eq!(resent, measurement.flows[0].at_end.segments_retransmitted);
    assert!(frames.iter().any(|frame| frame.block_count > 0), "with SACKs");
}

#[test]
fn a_source_has_a_connection_for_each_transfer() {
    let (rate_bps, rtt_ns) = (10 * MBIT, 20 * MS);
    let mut run = one_flow("cubic", rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns), 3);
    let mut source = flow("source", "cubic", rtt_ns);
    let arrivals = (0..50).map(|index| run::Arrival { at_ns: index * 40 * MS, bytes: 10_000 + index }).collect();
    source.workload = Workload::Arrivals { arrivals };
    run.flows.push(source);
    check(&run);
    let (_, frames) = captured(&run);
    for index in 0..50 {
        assert_eq!(in_order(&frames, 2 + index), 10_000 + u64::from(index), "transfer {index}");
        assert!(frames.iter().filter(|frame| frame.connection == 2 + index).all(|frame| frame.flow == 1));
    }
}
#[test]
fn a_second_answer_to_the_handshake_ends_nothing_twice() {
    // Of a round trip that is longer than the first timeout of a SYN.
    let mut run = one_flow("bbr", MBIT, 2_500 * MS, 100_000, 30);
    run.flows[0].workload = Workload::Transfer { bytes: 3_098 };
    let (_, frames) = captured(&run);
    let answers = at(&frames, CapturePoint::Senders).filter(|frame| frame.flags & flag::SYN != 0 && frame.to_sender);
    assert!(answers.count() > 1);
    let fins = at(&frames, CapturePoint::Senders).filter(|frame| frame.flags & flag::FIN != 0).map(|frame| frame.seq);
    assert!(fins.fold(0, u64::max) <= 3_099, "one FIN, however often it is sent");
}

#[test]
fn frames_are_captured_where_a_run_says() {
    let mut run = one_flow("cubic", 20 * MBIT, 20 * MS, 50_000, 2);
    let (_, every) = captured(&run);
    for point in CapturePoint::ALL {
        run.measure.capture_at = vec![point].into();
        let expected: Vec<Frame> = at(&every, point).copied().collect();
        assert!(expected.len() > 1_000);
        assert_eq!(captured(&run).1, expected, "{point:?}");
    }
}
