//! Runs whose links have a discipline that drops at random, as frames come or as they leave. That no packet and no SACK block
//! vanishes the network checks itself, at each sample of a build with debug assertions, as tests are.

use super::Simulation;
use crate::index::FlowId;
use crate::net::{DropAt, Packet, PacketKind, Queue, RandomDrop};
use run::samples::{flow, hop, one_flow};
use run::{Arrival, Direction, Measurement, QueueCounters, Run, Workload};

const MBIT: u64 = 1_000_000;
const MS: u64 = 1_000_000;

/// Flows down and up, so that each direction has data and ACKs, through a link each.
fn both_ways() -> Run {
    let mut run = one_flow("cubic", 20 * MBIT, 20 * MS, 250_000, 10);
    run.flows.push(flow("bbr", "bbr", 20 * MS));
    let mut up = flow("up", "reno", 20 * MS);
    up.direction = Direction::Up;
    run.flows.push(up);
    run.path.back = vec![hop("back", 10 * MBIT, 125_000)];
    run.measure.sample_ns = 50 * MS;
    run
}

/// A flow with jitter, which alone reaches the one link there is, so that its bursts need no event while frames wait there.
fn one_way() -> Run {
    let mut run = one_flow("cubic", 20 * MBIT, 20 * MS, 250_000, 10);
    run.path.jitter_ns = Some(50_000);
    run.measure.sample_ns = 50 * MS;
    run
}

/// Short transfers, whose connections are closed when nothing of them is under way.
fn transfers() -> Run {
    let mut run = one_way();
    let arrivals = (0..150).map(|index| Arrival { at_ns: index * 50 * MS, bytes: 30_000 }).collect();
    run.flows[0].workload = Workload::Arrivals { arrivals };
    run
}

fn measured(run: &Run, at: DropAt, percent: u32) -> Measurement {
    let mut simulation = Simulation::new(run, false);
    simulation.network.set_queues(|seed| Queue::Managed(Box::new(RandomDrop::new(at, percent * 10_000_000, seed))));
    simulation.measure(&mut || true).0
}

fn check(run: &Run, at: DropAt, percent: u32) -> Measurement {
    let measurement = measured(run, at, percent);
    assert_eq!(measurement.ended_ns, run.duration_ns);
    let case = format!("{at:?} {percent} %");
    let queues: Vec<QueueCounters> = if measurement.hops.is_empty() {
        vec![measurement.bottleneck.at_end]
    } else {
        measurement.hops.iter().map(|hop| hop.queue.at_end).collect()
    };
    for queue in &queues {
        let QueueCounters { offered_packets, sent_packets, dropped_packets, queued_packets, .. } = *queue;
        assert_eq!(offered_packets, sent_packets + dropped_packets + queued_packets, "{case}");
        let (share, expected) = (dropped_packets as f64 / offered_packets as f64, f64::from(percent) / 100.0);
        let deviation = (expected * (1.0 - expected) / offered_packets as f64).sqrt();
        assert!((share - expected).abs() < 5.0 * deviation, "{case}: dropped {share} of {offered_packets}");
    }
    measurement
}

/// Segments of data that queues dropped, by what flows count and by what queues count.
fn dropped(measurement: &Measurement) -> (u64, u64) {
    let of_flows = measurement.flows.iter().map(|flow| flow.at_end.dropped_packets).sum();
    (of_flows, measurement.bottleneck.at_end.dropped_packets)
}

#[test]
fn what_queues_drop_flows_count_and_flows_go_on() {
    for at in [DropAt::Enqueue, DropAt::Dequeue] {
        for percent in [1, 10, 40] {
            let measurement = check(&one_way(), at, percent);
            let (of_flows, of_queue) = dropped(&measurement);
            // The handshake's packets are no data of the flow; at most a few of them are dropped.
            assert!(of_queue >= 3 && of_flows.abs_diff(of_queue) == 0, "{at:?} {percent}: {of_flows}, {of_queue}");
            let flow = measurement.flows[0].at_end;
            assert!(flow.segments_retransmitted + 5 >= of_flows, "{at:?} {percent}: what was dropped is sent again");
            assert!(flow.delivered_bytes > 30_000, "{at:?} {percent}: {}", flow.delivered_bytes);
        }
    }
}

/// A bucket has tokens for the first frame and for a short one, which the discipline may drop as the third one comes. Then
/// no frame leaves for a while.
#[test]
fn what_is_dropped_while_a_burst_arrives_is_accounted_for_at_once() {
    let mut run = one_way();
    (run.path.jitter_ns, run.path.burst_bytes) = (Some(0), 1_600);
    let mut counts = [0; 3];
    for seed in 0..32 {
        let mut network = Simulation::new(&run, false).network;
        network.set_queues(|_| Queue::Managed(Box::new(RandomDrop::new(DropAt::Dequeue, 500_000_000, seed))));
        for (seq, frame_bytes) in [(0, 1_514), (1, 66), (2, 1_514)] {
            network.emit(Packet { seq, frame_bytes, segments: 1, kind: PacketKind::Data, ..Packet::default() });
            network.assert_conservation();
        }
        let of_queue: u64 = network.counters().map(|queue| queue.dropped_packets).sum();
        assert_eq!(network.losses(FlowId::new(0)).0, of_queue);
        counts[usize::try_from(of_queue).expect("few")] += 1;
    }
    assert!(counts.iter().all(|count| *count > 0), "none, one and both were dropped: {counts:?}");
}

#[test]
fn acks_that_queues_drop_give_their_sack_blocks_back() {
    for at in [DropAt::Enqueue, DropAt::Dequeue] {
        let measurement = check(&both_ways(), at, 5);
        let queues: u64 = measurement.hops.iter().map(|hop| hop.queue.at_end.dropped_packets).sum();
        let (of_flows, _) = dropped(&measurement);
        assert!(0 < of_flows && of_flows < queues, "{of_flows} of {queues}: the others were ACKs");
    }
}

#[test]
fn transfers_of_which_queues_dropped_packets_end_and_their_places_are_used_again() {
    for at in [DropAt::Enqueue, DropAt::Dequeue] {
        let measurement = check(&transfers(), at, 5);
        let completed = measurement.flows[0].transfers.completed_ns.iter().filter(|at| **at < 10_000 * MS).count();
        assert!(completed > 140, "{at:?}: {completed}");
    }
}

#[test]
fn a_queue_that_drops_everything_as_it_leaves_goes_on_dropping() {
    let measurement = measured(&one_way(), DropAt::Dequeue, 100);
    let queue = measurement.bottleneck.at_end;
    assert!(queue.offered_packets > 1, "SYNs are repeated");
    assert_eq!((queue.sent_packets, queue.dropped_packets), (0, queue.offered_packets));
}
