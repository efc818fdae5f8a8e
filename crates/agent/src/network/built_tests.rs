//! Networks built for real: as root, on a kernel that has what they need, in namespaces of their own.

use super::*;
use crate::job::PathReport;
use crate::probe::probe;
use crate::samples;
use run::{Access, AccessKind, Buffer, Direction, QueueCounters, ShaperAt, ShaperKind};
use std::net::UdpSocket;
use std::path::PathBuf;

fn home() -> PathBuf {
    std::fs::read_link("/proc/thread-self/ns/net").expect("procfs")
}

/// Whether this user or this kernel cannot do it at all: then a test has nothing to say.
pub fn unavailable(error: &Error) -> bool {
    let lacking = ["EPERM", "ENOENT", "EOPNOTSUPP"].iter().any(|name| error.to_string().contains(name));
    if lacking {
        crate::skipped::skip(error);
    }
    lacking
}

/// A path of 40 Mbit/s without delays: that needs no `netem`. None where it cannot be built.
fn built(change: impl FnOnce(&mut Run)) -> Option<(Network, Run)> {
    let mut run = samples::run(1);
    run.path.rate_bps = 40_000_000;
    run.path.buffer = Buffer::Packets(40);
    run.flows[0].return_delay_ns = 0;
    change(&mut run);
    match Means::find().and_then(|means| Network::build(&run, &[], 0, Machine::Shared, means)) {
        Ok(network) => Some((network, run)),
        Err(error) if unavailable(&error) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_calling_thread_stays_in_its_namespace() {
    let before = home();
    let namespace = match Namespace::create() {
        Err(error) if unavailable(&error) => return,
        created => created.expect("a namespace"),
    };
    assert_eq!(home(), before);
    assert_ne!(namespace.within(home).expect("a way there and back"), before);
    assert_eq!(home(), before);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| namespace.within(|| panic!("on purpose"))));
    assert!(panicked.is_err());
    assert_eq!(home(), before);
}

pub fn socket(end: &Endpoint) -> UdpSocket {
    end.namespace.within(|| UdpSocket::bind((end.address, 0))).expect("a way there and back").expect("a socket")
}

#[test]
fn a_new_path_is_silent_and_counts_each_frame() {
    let Some((mut network, _)) = built(|_| {}) else { return };
    assert_eq!(network.counters(), Ok(vec![QueueCounters::default()]));
    let (sender, receiver) = (socket(network.sender(0)), socket(network.receiver(0)));
    for _ in 0..3 {
        sender.send_to(&[0; 72], receiver.local_addr().expect("address")).expect("sent");
    }
    let mut bytes = [0; 100];
    assert_eq!(receiver.recv(&mut bytes).expect("received"), 72);
    let counters = network.counters().expect("counters")[0];
    assert_eq!((counters.offered_packets, counters.sent_packets, counters.sent_bytes), (3, 3, 3 * 114));
    assert_eq!(network.facts()["offloads (sender)"], "tso off gso off gro off");
    assert_eq!(network.facts()["net.ipv4.ip_forward (near)"], "1");
}

/// The first probe that sees 20 Mbit/s and a queue of 40 packets, or of as many as 60 kB are. The clock is real: a busy
/// machine disturbs one probe, but no machine makes another path look like this one. In virtual time both are exact.
fn measured(network: &mut Network, run: &Run, what: &str) -> PathReport {
    const MOST: usize = 50;
    let mut seen = Vec::new();
    while seen.len() < MOST {
        let report = probe(network, run).expect("a report");
        if (16_000_000..24_000_000).contains(&report.rate_bps) && (25..=80).contains(&report.queue_packets) {
            return report;
        }
        seen.push((report.rate_bps, report.queue_packets));
    }
    panic!("{what}: {seen:?}")
}

/// Both kinds of bucket, in both places: what passes is counted there, and its rate is the one that it was given last.
#[test]
fn every_bottleneck_counts_and_holds_its_rate() {
    let (packets, bytes) = (Buffer::Packets(40), Buffer::Bytes(60_000));
    let cases = [
        (ShaperKind::Htb, ShaperAt::Router, packets),
        (ShaperKind::Tbf, ShaperAt::Receiver, bytes),
        (ShaperKind::Htb, ShaperAt::Receiver, bytes),
    ];
    for (kind, at, room) in cases {
        let change = |run: &mut Run| (run.path.shaper, run.path.shaper_at, run.path.buffer) = (kind, at, room);
        let Some((mut network, run)) = built(change) else { return };
        network.change(Direction::Down, 0, &run::Change::of_rate(0, 20_000_000)).expect("a change of rate");
        measured(&mut network, &run, &format!("{kind:?} {at:?}"));
        let counters = network.counters().expect("counters")[0];
        assert!(counters.sent_packets > 0 && counters.dropped_packets > 0, "{kind:?} {at:?}: {counters:?}");
    }
}

/// After so long a test that waits is given up; no bar.
const HANG: std::time::Duration = std::time::Duration::from_secs(300);

/// More devices than the kernel brings up at once.
#[test]
fn every_one_of_many_lines_carries_frames() {
    let lines = |run: &mut Run| {
        run.flows = vec![run.flows[0].clone(); 60];
        for flow in &mut run.flows {
            flow.access =
                Some(Access { rate_bps: 1_000_000_000, buffer: Buffer::Packets(10), kind: AccessKind::Router });
        }
    };
    let Some((network, _)) = built(lines) else { return };
    for flow in 0..60 {
        let (sender, receiver) = (socket(network.sender(flow)), socket(network.receiver(flow)));
        sender.send_to(&[1], receiver.local_addr().expect("address")).expect("sent");
        receiver.set_read_timeout(Some(HANG)).expect("a timeout");
        assert_eq!(receiver.recv(&mut [0; 10]).expect("received"), 1, "{flow}");
    }
}

#[test]
fn a_probe_sees_the_path_that_is_there_and_not_the_one_that_was_requested() {
    let Some((mut network, mut run)) = built(|_| {}) else { return };
    network.change(Direction::Down, 0, &run::Change::of_rate(0, 20_000_000)).expect("a change of rate");
    run.path.buffer = Buffer::Packets(200);
    let report = measured(&mut network, &run, "changed");
    assert_eq!((report.lost_packets, report.reordered_packets, report.rtt_ns.len()), (0, 0, 1), "{report:?}");
}

#[test]
fn with_offloads_the_gate_counts_what_is_offered() {
    let offload = |run: &mut Run| {
        run.path.offload = true;
        run.path.burst_bytes = 65_536;
    };
    let Some((mut network, run)) = built(offload) else { return };
    probe(&mut network, &run).expect("a report");
    let counters = network.counters().expect("counters")[0];
    assert!(counters.dropped_packets > 0);
    assert_eq!(counters.offered_packets, counters.sent_packets + counters.dropped_packets + counters.queued_packets);
}

#[test]
fn an_error_names_what_was_refused() {
    let Some(_) = built(|_| {}) else { return };
    let mut run = samples::run(1);
    run.path.mtu_bytes = 1_000_000;
    let error =
        Network::build(&run, &[], 0, Machine::Shared, Means::find().expect("means")).expect_err("no such device");
    assert!(error.to_string().starts_with("veth sender100: EINVAL"), "{error}");
}
