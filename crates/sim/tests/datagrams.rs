//! UDP datagrams that nothing answers: closed forms of queues, and what they leave to others.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{datagrams, flow, one_flow};
use run::{Buffer, Flow, FlowMeasurement, SentDatagrams, Spacing, Workload, Write};
use scenario::{MBIT, MS, SECOND, goodput_bps, measure};

const RTT_NS: u64 = 40 * MS;
const RATE_BPS: u64 = 10 * MBIT;
/// 1200 bytes of payload, 28 of IP and UDP, 14 of Ethernet.
const FRAME_BYTES: u64 = 1_242;
/// What such a frame takes at 10 Mbit/s.
const SERVICE_NS: f64 = 993_600.0;

fn spaced(rate_bps: u64, spacing: Spacing, [on_ns, off_ns]: [u64; 2]) -> Flow {
    let workload = Workload::Datagrams { rate_bps, bytes: 1_200, spacing, on_ns, off_ns };
    Flow { workload, ..datagrams("udp", rate_bps, RTT_NS) }
}

/// One such flow alone for so many seconds.
fn alone(flow: Flow, seconds: u64) -> run::Run {
    let mut run = one_flow("reno", RATE_BPS, RTT_NS, 1 << 24, seconds);
    run.measure.sample_ns = SECOND;
    run.flows = vec![flow];
    run
}

fn mean_delay_ns(measured: &FlowMeasurement) -> f64 {
    let delay = measured.delay.as_ref().expect("datagrams");
    delay.sum as f64 / delay.count as f64
}

/// Mean and its standard error.
fn estimated(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (square / (count - 1.0) / count).sqrt())
}

/// Pollaczek and Khinchine's mean for M/D/1: who arrives by chance waits rho / (2 (1 - rho)) service times.
#[test]
fn by_chance_they_wait_as_in_an_m_d_1_queue() {
    for load in [0.5, 0.8, 0.9] {
        let rate_bps = (load * RATE_BPS as f64 * 1_200.0 / FRAME_BYTES as f64) as u64;
        let waits = (1..=30).map(|seed| {
            let mut run = alone(spaced(rate_bps, Spacing::Poisson, [0, 0]), 60);
            (run.seed, run.measure.window_begin_ns) = (seed, 5 * SECOND);
            (mean_delay_ns(&measure(&run).flows[0]) - SERVICE_NS) / SERVICE_NS
        });
        let (mean, error) = estimated(&waits.collect::<Vec<f64>>());
        let expected = load / (2.0 * (1.0 - load));
        assert!(error < 0.03 * expected, "{load}: {error} of {mean} tells nothing");
        assert!((mean - expected).abs() < 5.0 * error, "{load}: {mean} +- {error}, expected {expected}");
    }
}

#[test]
fn at_even_intervals_none_waits_and_the_rate_is_that_of_payload() {
    let measurement = measure(&alone(spaced(5 * MBIT, Spacing::Even, [0, 0]), 20));
    let udp = &measurement.flows[0];
    // One every 1.92 ms.
    assert_eq!(udp.at_end.segments_sent, 20 * SECOND / 1_920_000 + 1);
    assert_eq!(mean_delay_ns(udp), SERVICE_NS);
    assert_eq!(udp.datagrams.map(|datagrams| datagrams.lost), Some(0));
    assert!((goodput_bps(&measurement, 0) / 5e6 - 1.0).abs() < 1e-3);
    assert_eq!(udp.at_end.bottleneck_bytes, udp.at_end.delivered_bytes / 1_200 * FRAME_BYTES);
    assert_eq!((udp.at_end.acks, udp.ack_rtt.count, udp.rtt_min_ns), (0, 0, None));
}

#[test]
fn too_fast_for_the_line_the_excess_is_lost() {
    let mut run = alone(spaced(2 * RATE_BPS, Spacing::Even, [0, 0]), 20);
    (run.path.buffer, run.measure.window_begin_ns) = (Buffer::Packets(50), 2 * SECOND);
    let measurement = measure(&run);
    let SentDatagrams { sent, lost } = measurement.flows[0].datagrams.expect("datagrams");
    // The line carries 1200 of 1242 bytes; the last ones to be lost are before one that arrives.
    let expected = 1.0 - 1_200.0 / FRAME_BYTES as f64 / 2.0;
    assert!((lost as f64 / sent as f64 - expected).abs() < 1e-3, "{lost} of {sent}, {expected}");
    let udp = &measurement.flows[0].at_end;
    let queue = &measurement.bottleneck.at_end;
    assert_eq!(udp.dropped_packets, queue.dropped_packets);
    assert_eq!(udp.segments_sent, queue.dropped_packets + queue.queued_packets + udp.delivered_bytes / 1_200);
}

#[test]
fn on_and_off_has_the_mean_of_both() {
    for spacing in [Spacing::Even, Spacing::Poisson] {
        let measurement = measure(&alone(spaced(6 * MBIT, spacing, [SECOND, 2 * SECOND]), 60));
        let mean_bps = goodput_bps(&measurement, 0);
        // 20 s of 6 Mbit/s: 12 500 datagrams, of which chance has sqrt(12 500) more or less.
        let deviation = if spacing == Spacing::Even { 1e-3 } else { 5.0 / 12_500_f64.sqrt() };
        assert!((mean_bps / 2e6 - 1.0).abs() < deviation, "{spacing:?}: {mean_bps}");
        let series = &measurement.flows[0].series.delivered_bytes;
        assert_eq!(series[1], series[2], "the second pause");
    }
}

/// Nothing slows them down: they have their rate, and TCP has the rest.
#[test]
fn they_do_not_answer_to_congestion() {
    for cc in ["reno", "cubic", "bbr"] {
        let mut run = alone(spaced(5 * MBIT, Spacing::Even, [0, 0]), 60);
        (run.path.buffer, run.measure.window_begin_ns) = (Buffer::Bytes(50_000), 20 * SECOND);
        run.flows.push(flow(cc, cc, RTT_NS));
        let measurement = measure(&run);
        let SentDatagrams { sent, lost } = measurement.flows[0].datagrams.expect("datagrams");
        let [udp_bps, tcp_bps] = [0, 1].map(|flow| goodput_bps(&measurement, flow));
        assert!((udp_bps / (5e6 * (1.0 - lost as f64 / sent as f64)) - 1.0).abs() < 2e-3, "{cc}: {udp_bps}");
        assert!(udp_bps > 4.7e6, "{cc}: {udp_bps}");
        let carried_bps = udp_bps * FRAME_BYTES as f64 / 1_200.0 + tcp_bps * 1_514.0 / 1_448.0;
        assert!((0.9..1.001).contains(&(carried_bps / RATE_BPS as f64)), "{cc}: {carried_bps}");
    }
}

#[test]
fn a_trace_is_sent_as_listed_and_ends() {
    let datagrams = [(0, 100), (0, 1_472), (7 * MS, 200)].map(|(at_ns, bytes)| Write { at_ns, bytes }).to_vec();
    let listed = Flow { workload: Workload::DatagramTrace { datagrams }, ..spaced(1, Spacing::Even, [0, 0]) };
    let mut run = alone(listed, 2);
    run.flows[0].start_ns = 300 * MS;
    let measurement = measure(&run);
    let udp = &measurement.flows[0];
    assert_eq!((udp.at_end.segments_sent, udp.at_end.delivered_bytes, udp.started_ns), (3, 1_772, 300 * MS));
    assert_eq!(udp.datagrams, Some(SentDatagrams { sent: 3, lost: 0 }));
    // 142, 142 + 1514, and 242 bytes at 10 Mbit/s.
    assert_eq!(udp.delay.as_ref().expect("delays").sum, 800 * (142 + 142 + 1_514 + 242));
}

#[test]
fn a_stop_ends_them() {
    let mut run = alone(spaced(960_000, Spacing::Even, [0, 0]), 4);
    run.flows[0].stop_ns = Some(SECOND);
    let udp = &measure(&run).flows[0];
    assert_eq!((udp.at_end.segments_sent, udp.at_end.at_ns), (101, SECOND));
}
