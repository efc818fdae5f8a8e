//! Paths of several hops, ways back with queues, and flows that go up them or pass a part of them.

mod random;
#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use random::{any_run, impairments};
use run::samples::{FRAME_BYTES, flow, one_flow};
use run::{Buffer, Change, Direction, Hop, HopMeasurement, LossAt, Measurement, Route, Run, ShaperKind, UNSEEN};
use scenario::{MBIT, MS, MSS_BYTES, SECOND, bdp_bytes, goodput_bps};

/// An ACK on the wire as links count it: Ethernet 14, IP 20, TCP 20, timestamps 12 bytes.
const ACK_BYTES: u64 = 66;

fn hop(name: &str, rate_bps: u64, buffer_bytes: u64) -> Hop {
    Hop {
        name: name.to_owned(),
        rate_bps,
        buffer: Buffer::Bytes(buffer_bytes),
        ..one_flow("reno", 8, 1, 1, 1).path.hops(Direction::Down).remove(0)
    }
}

fn measure(run: &Run) -> Measurement {
    let measurement = sim::measure(run).expect("valid");
    check(run, &measurement);
    measurement
}

/// What holds at every hop of every run. That no packet vanishes within the network, the simulator itself checks at each
/// sample of a build with debug assertions, as tests are.
fn check(run: &Run, measurement: &Measurement) {
    let hops: Vec<Hop> = Direction::BOTH.into_iter().flat_map(|direction| run.path.hops(direction)).collect();
    if !run.path.has_several_hops() {
        assert!(measurement.hops.is_empty());
        return;
    }
    assert_eq!(hops.len(), measurement.hops.len());
    assert_eq!(measurement.hops[run.path.bottleneck].queue, measurement.bottleneck);
    for (hop, HopMeasurement { name, queue }) in hops.iter().zip(&measurement.hops) {
        assert_eq!(&hop.name, name);
        for at in [queue.at_window_begin, queue.at_window_end, queue.at_end] {
            assert_eq!(at.offered_packets, at.sent_packets + at.dropped_packets + at.queued_packets, "{name}: {at:?}");
            assert_eq!(at.queued_bytes == 0, at.queued_packets == 0, "{name}: {at:?}");
        }
        let fastest_bps = u128::from(hop.rates_bps().max().unwrap_or(0));
        let most = fastest_bps * u128::from(measurement.ended_ns) / 8_000_000_000 + u128::from(hop.burst_bytes);
        let super_packet = if run.path.offload { 1 << 17 } else { 1 << 16 };
        assert!(u128::from(queue.at_end.sent_bytes) <= most + super_packet, "{name} was faster than its line");
    }
    for flow in &measurement.flows {
        assert!(![flow.at_end.dropped_packets, flow.at_end.random_lost_packets].contains(&UNSEEN));
    }
}

fn queue_of<'a>(measurement: &'a Measurement, name: &str) -> &'a run::QueueMeasurement {
    &measurement.hops.iter().find(|hop| hop.name == name).expect("a hop of this name").queue
}

#[test]
fn a_list_of_the_one_hop_is_the_short_form() {
    let mut short = one_flow("bbr", 40 * MBIT, 20 * MS, 60_000, 5);
    short.flows.push(flow("cubic", "cubic", 30 * MS));
    (short.path.burst_bytes, short.path.shaper, short.path.jitter_ns) = (5_000, ShaperKind::Htb, Some(50_000));
    short.path.changes = vec![Change::of_rate(2 * SECOND, 10 * MBIT)];
    let mut listed = short.clone();
    listed.path.hops = short.path.hops(Direction::Down);
    assert_eq!(measure(&listed), measure(&short));
    // Delay behind the last hop, and what is left over of the way, are one line.
    for run in [&mut short, &mut listed] {
        for flow in &mut run.flows {
            (flow.forward_delay_ns, flow.return_delay_ns) = (9 * MS, flow.return_delay_ns - 9 * MS);
        }
    }
    listed.path.hops[0].delay_ns = 4 * MS;
    assert_eq!(measure(&listed), measure(&short));
}

#[test]
fn the_second_of_two_equal_links_has_no_queue() {
    for cc in ["cubic", "bbr"] {
        let alone = one_flow(cc, 50 * MBIT, 20 * MS, bdp_bytes(50 * MBIT, 20 * MS), 10);
        let mut run = alone.clone();
        let first = hop("first", 50 * MBIT, bdp_bytes(50 * MBIT, 20 * MS));
        run.path.hops = vec![Hop { delay_ns: 5 * MS, ..first.clone() }, Hop { name: "second".to_owned(), ..first }];
        (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (5 * MS, 15 * MS);
        let measurement = measure(&run);
        let second = &queue_of(&measurement, "second").series;
        assert!(second.backlog_packets.iter().all(|packets| *packets <= 1), "{cc}");
        assert_eq!(second.dropped_packets.last(), Some(&0));
        // One frame more on the way is all that the second link adds.
        let (two, one) = (goodput_bps(&measurement, 0), goodput_bps(&sim::measure(&alone).expect("valid"), 0));
        assert!((two / one - 1.0).abs() < 0.005, "{cc}: {two} instead of {one}");
        let rtt = |m: &Measurement| m.flows[0].ack_rtt.sum as f64 / m.flows[0].ack_rtt.count as f64;
        let more_ns = rtt(&measurement) - rtt(&sim::measure(&alone).expect("valid"));
        let frame_ns = (FRAME_BYTES * 8 * SECOND / (50 * MBIT)) as f64;
        assert!((more_ns / frame_ns - 1.0).abs() < 3.0, "{cc}: {more_ns} ns");
    }
}

#[test]
fn a_narrow_way_back_limits_data_to_what_its_acks_stand_for() {
    // A window that holds more than the path, and less than makes the queue of ACKs overflow: one ACK for two segments.
    for (back_bps, segments_an_ack) in [(100_000, 2.0), (300_000, 2.0)] {
        let mut run = one_flow("reno", 100 * MBIT, 20 * MS, 1 << 24, 20);
        run.path.back = vec![hop("back", back_bps, 1 << 20)];
        run.host.receive_window_bytes = Some(400_000);
        run.measure.window_begin_ns = 10 * SECOND;
        let measurement = measure(&run);
        let expected = back_bps as f64 * MSS_BYTES as f64 * segments_an_ack / ACK_BYTES as f64;
        let goodput = goodput_bps(&measurement, 0);
        assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} instead of {expected}");
        let back = queue_of(&measurement, "back");
        assert!(back.at_end.dropped_packets == 0 && back.at_end.queued_packets > 100, "{back:?}");
        assert_eq!(back.at_end.sent_bytes / back.at_end.sent_packets, ACK_BYTES);
    }
}

#[test]
fn acks_that_are_dropped_or_lost_are_counted_where_that_happens() {
    let mut run = one_flow("cubic", 50 * MBIT, 20 * MS, 1 << 20, 10);
    let lossy = Hop { loss_ppb: 100_000_000, ..hop("lossy", 50 * MBIT, 1 << 20) };
    run.path.back = vec![hop("narrow", MBIT / 2, 3_000), lossy];
    let measurement = measure(&run);
    let (narrow, lossy) = (queue_of(&measurement, "narrow").at_end, queue_of(&measurement, "lossy").at_end);
    assert!(narrow.dropped_packets > 1_000, "{narrow:?}");
    let share = lossy.random_lost_packets as f64 / narrow.sent_packets as f64;
    assert!((share - 0.1).abs() < 0.01, "{share}");
    let flow = &measurement.flows[0].at_end;
    assert_eq!((flow.dropped_packets, flow.random_lost_packets), (measurement.bottleneck.at_end.dropped_packets, 0));
    assert!(
        flow.acks <= lossy.sent_packets && goodput_bps(&measurement, 0) > 10e6,
        "a later ACK stands for earlier ones"
    );
}

#[test]
fn data_both_ways_meets_the_acks_of_the_other_way() {
    let mut run = one_flow("cubic", 20 * MBIT, 40 * MS, bdp_bytes(20 * MBIT, 40 * MS), 30);
    run.path.back = vec![hop("back", 20 * MBIT, bdp_bytes(20 * MBIT, 40 * MS))];
    run.flows.push(run::Flow { direction: Direction::Up, ..flow("up", "cubic", 40 * MS) });
    run.measure.window_begin_ns = 10 * SECOND;
    let measurement = measure(&run);
    let shares = [0, 1].map(|flow| goodput_bps(&measurement, flow) / 20e6);
    // Each link carries one way's data, and the ACKs of the other's.
    assert!(shares.iter().all(|share| (0.75..0.96).contains(share)), "{shares:?}");
    for (flow, queue) in measurement.flows.iter().zip(&measurement.hops) {
        let acks = queue.queue.at_end.sent_bytes - flow.at_end.bottleneck_bytes;
        assert!(acks > 1_000 * ACK_BYTES, "{}: {acks} bytes of ACKs", queue.name);
        assert!(flow.at_end.bottleneck_bytes > flow.at_end.delivered_bytes);
    }
    // Without ACKs on the way, the data of one way alone.
    run.flows.pop();
    assert!(goodput_bps(&measure(&run), 0) / 20e6 > shares[0]);
}

#[test]
fn flows_enter_and_leave_in_the_middle() {
    let mut run = one_flow("cubic", 30 * MBIT, 30 * MS, 200_000, 20);
    run.path.hops =
        ["first", "core", "last"].map(|name| Hop { delay_ns: 5 * MS, ..hop(name, 30 * MBIT, 200_000) }).to_vec();
    run.path.bottleneck = 1;
    (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (15 * MS, 15 * MS);
    for place in 0..3 {
        let mut cross = flow(&format!("cross-{place}"), "cubic", 30 * MS);
        cross.route = Route { data: Some((place, place)), acks: None };
        (cross.forward_delay_ns, cross.return_delay_ns) = (5 * MS, 25 * MS);
        run.flows.push(cross);
    }
    let measurement = measure(&run);
    let end = |flow: usize| measurement.flows[flow].at_end;
    for (place, hop) in measurement.hops.iter().enumerate() {
        let sent = hop.queue.at_end.sent_bytes;
        let own = goodput_bps(&measurement, place + 1) * 20.0 / 8.0;
        assert!(sent as f64 > own * 1.04 && sent > 60_000_000, "{}: {sent} bytes, {own} of its own flow", hop.name);
    }
    // Of each flow the bytes that left the bottleneck, which two of the cross flows do not pass.
    let core = measurement.hops[1].queue.at_end.sent_bytes;
    assert_eq!(end(0).bottleneck_bytes + end(2).bottleneck_bytes, core);
    assert_eq!((end(1).bottleneck_bytes, end(3).bottleneck_bytes), (0, 0));
    // The flow that passes all three gets less than any that passes one.
    assert!((1..4).all(|cross| goodput_bps(&measurement, cross) > 1.5 * goodput_bps(&measurement, 0)));
}

#[test]
fn each_hop_has_its_own_changes_of_rate() {
    let mut run = one_flow("bbr", 100 * MBIT, 20 * MS, 1 << 18, 20);
    let slows = vec![Change::of_rate(10 * SECOND, 10 * MBIT)];
    run.path.hops = vec![hop("wide", 100 * MBIT, 1 << 18), Hop { changes: slows, ..hop("slows", 100 * MBIT, 1 << 18) }];
    let measurement = measure(&run);
    let sent = &queue_of(&measurement, "slows").series.sent_packets;
    let (half, all) = (sent[sent.len() / 2], *sent.last().expect("samples"));
    assert!(half > 70_000 && (7_000..9_500).contains(&(all - half)), "{half}, {all}");
    // That of the only hop of the way back is not one of the path's.
    run.path.hops[1].changes.clear();
    run.path.back =
        vec![Hop { changes: vec![Change::of_rate(10 * SECOND, MBIT / 10)], ..hop("back", 10 * MBIT, 1 << 20) }];
    let measurement = measure(&run);
    let acks = &queue_of(&measurement, "back").series.sent_packets;
    let (half, all) = (acks[acks.len() / 2], *acks.last().expect("samples"));
    assert!(half > 20_000 && (1_000..2_000).contains(&(all - half)), "{half}, {all} ACKs");
}

#[test]
fn many_connections_come_and_go_over_several_hops() {
    let mut run = one_flow("cubic", 20 * MBIT, 20 * MS, 60_000, 10);
    run.path.hops =
        vec![hop("first", 40 * MBIT, 30_000), Hop { loss_ppb: 5_000_000, ..hop("second", 20 * MBIT, 30_000) }];
    run.path.bottleneck = 1;
    run.path.back = vec![Hop { loss_ppb: 20_000_000, ..hop("back", MBIT, 2_000) }];
    let arrivals = (0..900).map(|place| run::Arrival { at_ns: place * 10 * MS, bytes: 1 + 37 * place });
    run.flows.push(run::Flow {
        workload: run::Workload::Arrivals { arrivals: arrivals.collect() },
        ..flow("crowd", "reno", 20 * MS)
    });
    let measurement = measure(&run);
    let done = measurement.flows[1].transfers.completed_ns.iter().filter(|at_ns| **at_ns < run.duration_ns).count();
    assert!(done > 400, "{done}");
}

fn config() -> ProptestConfig {
    let from_environment = ProptestConfig::default();
    let rng_seed = match from_environment.rng_seed {
        RngSeed::Random => RngSeed::Fixed(2),
        fixed => fixed,
    };
    ProptestConfig { rng_seed, failure_persistence: None, ..from_environment }
}

/// A hop beside one that has this rate: wider, or narrower; `delays` of a way of so long.
fn any_hop(rate_bps: u64, delay_ns: u64) -> impl Strategy<Value = Hop> {
    let buffer = prop_oneof![(1_514_u64..1 << 20).prop_map(Buffer::Bytes), (1_u64..1_000).prop_map(Buffer::Packets)];
    let loss_ppb = prop_oneof![2 => Just(0), 1 => 1..=300_000_000_u32];
    let shaper = (select(vec![ShaperKind::Tbf, ShaperKind::Htb]), 64_000..200_000_u64);
    let loss = (loss_ppb, select(vec![LossAt::Before, LossAt::After]));
    (-3_i32..3, buffer, 0..=delay_ns, loss, shaper, 0..60_u32, impairments(delay_ns)).prop_map(
        move |(octaves, buffer, delay_ns, (loss_ppb, loss_at), (shaper, burst_bytes), overhead_bytes, impairments)| {
            Hop {
                name: String::new(),
                rate_bps: ((rate_bps as f64 * f64::from(octaves).exp2()) as u64).max(1_000),
                buffer,
                delay_ns,
                overhead_bytes,
                burst_bytes,
                shaper,
                loss_ppb,
                loss_at,
                impairments,
                ..hop("", 8, 1)
            }
        },
    )
}

/// A run over random hops, of which its flows pass random parts, some of them upwards.
fn any_network() -> impl Strategy<Value = Run> {
    any_run().prop_flat_map(|run| {
        let least_ns = run.flows.iter().map(|flow| flow.base_rtt_ns()).min().unwrap_or(0);
        let hops = prop::collection::vec(any_hop(run.path.rate_bps, least_ns / 16), 1..=4);
        let back = prop::collection::vec(any_hop(run.path.rate_bps, least_ns / 16), 1..=3);
        let flows = prop::collection::vec((any::<bool>(), any::<[prop::sample::Index; 4]>()), run.flows.len());
        (Just(run), hops, back, flows, any::<prop::sample::Index>()).prop_map(
            |(mut run, hops, back, flows, bottleneck)| {
                run.path.bottleneck = bottleneck.index(hops.len());
                (run.path.hops, run.path.back) = (hops, back);
                for (place, hop) in run.path.hops.iter_mut().chain(&mut run.path.back).enumerate() {
                    hop.name = format!("hop-{place}");
                }
                for (flow, (up, places)) in run.flows.iter_mut().zip(flows) {
                    flow.direction = if up { Direction::Up } else { Direction::Down };
                    let part = |direction, [a, b]: [&prop::sample::Index; 2]| {
                        let count = run.path.hops(direction).len();
                        let (a, b) = (a.index(count), b.index(count));
                        Some((a.min(b), a.max(b)))
                    };
                    let (data, acks) = (flow.direction, flow.direction.reversed());
                    flow.route = Route {
                        data: part(data, [&places[0], &places[1]]),
                        acks: part(acks, [&places[2], &places[3]]),
                    };
                    let delay_ns = |direction, passed: std::ops::Range<usize>| -> u64 {
                        run.path.hops(direction)[passed].iter().map(|hop| hop.delay_ns).sum()
                    };
                    flow.forward_delay_ns += delay_ns(data, flow.data_hops(&run.path));
                    flow.return_delay_ns += delay_ns(acks, flow.ack_hops(&run.path));
                }
                run
            },
        )
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_vanishes_in_any_network(run in any_network()) {
        prop_assert_eq!(sim::problems(&run), []);
        let measurement = measure(&run);
        prop_assert_eq!(measurement, sim::measure(&run).expect("valid"));
    }
}
