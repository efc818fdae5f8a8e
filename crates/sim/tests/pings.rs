//! Pings beside other flows: what a sparse flow meets.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{one_flow, pings};
use run::{Access, AccessKind, Buffer, Codel, FlowMeasurement, FqCodel, Qdisc, QueueDiscipline, Run, SentDatagrams};
use scenario::{MBIT, MS, SECOND, measure};

const RTT_NS: u64 = 40 * MS;

/// A CUBIC flow and pings of 64 bytes, ten a second, for 20 s; the buffer is 1 BDP of 10 Mbit/s.
fn with_cubic() -> Run {
    let mut run = one_flow("cubic", 10 * MBIT, RTT_NS, 50_000, 20);
    run.flows.push(pings("ping", 100 * MS, RTT_NS));
    run.measure.window_begin_ns = 5 * SECOND;
    run
}

fn alone() -> Run {
    let mut run = with_cubic();
    run.flows.remove(0);
    run
}

fn pinged(run: &Run) -> FlowMeasurement {
    measure(run).flows.pop().expect("the last one is pings")
}

fn mean_ns(measured: &FlowMeasurement) -> u64 {
    measured.ack_rtt.sum / measured.ack_rtt.count
}

#[test]
fn alone_a_ping_takes_the_path_and_its_own_time_on_the_line() {
    let ping = pinged(&alone());
    // 64 bytes, 28 of IP and UDP, 14 of Ethernet at 10 Mbit/s.
    assert_eq!((mean_ns(&ping), ping.rtt_min_ns), (RTT_NS + 84_800, Some(RTT_NS + 84_800)));
    assert_eq!(ping.datagrams, Some(SentDatagrams { sent: 150, lost: 0 }));
    // The last one is sent at the run's end.
    assert_eq!((ping.at_end.segments_sent, ping.at_end.acks, ping.at_end.delivered_bytes), (201, 200, 0));
    assert_eq!(ping.at_end.bottleneck_bytes, 200 * 106);
    assert_eq!(ping.series.srtt_us.last(), Some(&40_084));
}

#[test]
fn behind_a_fifo_a_ping_waits_with_the_others_and_behind_fq_codel_it_does_not() {
    let mut run = with_cubic();
    let fifo_ns = mean_ns(&pinged(&run)) - RTT_NS;
    // Most of a buffer of 40 ms.
    assert!((20 * MS..=41 * MS).contains(&fifo_ns), "{fifo_ns}");
    let codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: false, ce_threshold_ns: None };
    let fq_codel = FqCodel { codel, flows: 1_024, quantum_bytes: 1_514, ce_threshold_selector: None };
    (run.path.qdisc, run.path.buffer) = (QueueDiscipline::FqCodel(fq_codel), Buffer::Packets(1_000));
    let fq_codel_ns = mean_ns(&pinged(&run)) - RTT_NS;
    // A frame of the other flow is on the line, half of it in the mean, or two.
    assert!((85_000..=2_500_000).contains(&fq_codel_ns), "{fq_codel_ns}");
}

#[test]
fn what_is_lost_is_counted_in_its_window() {
    let mut run = alone();
    run.flows[0] = pings("ping", MS, RTT_NS);
    run.path.loss_ppb = 100_000_000;
    let ping = pinged(&run);
    let SentDatagrams { sent, lost } = ping.datagrams.expect("pings");
    // Those of the last round trip are under way, and perhaps those before them lost.
    assert!((14_950..=14_965).contains(&sent), "{sent}");
    // One in ten; four standard deviations are 0.01.
    assert!((lost as f64 / sent as f64 - 0.1).abs() < 0.01, "{lost} of {sent}");
    let open = ping.at_end.segments_sent - ping.at_end.random_lost_packets - ping.at_end.acks;
    assert!(open <= 41, "{open}");
}

#[test]
fn pings_stop_when_their_flow_does() {
    let mut run = alone();
    run.flows[0].stop_ns = Some(10 * SECOND);
    let ping = pinged(&run);
    assert_eq!((ping.at_end.segments_sent, ping.datagrams), (101, Some(SentDatagrams { sent: 51, lost: 0 })));
}

/// A device and `fq` at the sender, and NICs that hand over lumps, are on the way like everything else.
#[test]
fn pings_pass_what_hosts_have() {
    for kind in [AccessKind::Device, AccessKind::Router] {
        for qdisc in [Qdisc::None, Qdisc::Fq] {
            let mut run = with_cubic();
            (run.host.qdisc, run.host.gro, run.path.jitter_ns) = (qdisc, true, Some(50_000));
            for flow in &mut run.flows {
                flow.access = Some(Access { rate_bps: 8 * MBIT, buffer: Buffer::Bytes(20_000), kind });
            }
            let ping = pinged(&run);
            assert_eq!(ping.datagrams.expect("pings").lost, 0);
            assert!(mean_ns(&ping) >= RTT_NS + 84_800 + 106_000);
        }
    }
}
