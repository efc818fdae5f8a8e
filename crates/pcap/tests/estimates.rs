//! What is concluded from the packets of simulated flows; `cargo run --example evaluation` does so for random ones.

mod simulated;

use pcap::summary::ConnectionSummary;
use pcap::{Algorithm, Report};
use run::samples::{flow, one_flow};
use run::{CapturePoint, Run};
use simulated::analysed_from;

const RATE_BPS: u64 = 20_000_000;
const RTT_NS: u64 = 40_000_000;
const BUFFER_BYTES: u64 = 100_000;

fn analysed(run: &Run, place: CapturePoint) -> (Vec<ConnectionSummary>, Report) {
    analysed_from(run, place, 0)
}

fn near(value: Option<f64>, truth: u64, part: f64) -> bool {
    value.is_some_and(|value| (value / truth as f64 - 1.0).abs() < part)
}

#[test]
fn a_flow_tells_its_algorithm_its_path_and_its_buffer() {
    for (name, algorithm) in [("bbr", Algorithm::Bbr), ("cubic", Algorithm::Cubic), ("reno", Algorithm::Reno)] {
        let mut run = one_flow(name, RATE_BPS, RTT_NS, BUFFER_BYTES, 32);
        run.measure.record = run::Record::Summary;
        let (connections, report) = analysed(&run, CapturePoint::Senders);
        let sender = &connections[0].directions[0];
        let estimate = sender.algorithm.as_ref().expect("it sent data");
        assert_eq!(estimate.algorithm, algorithm, "{estimate:?}");
        let path = report.paths[0].expect("data was acknowledged");
        assert!(near(path.rate_bps.value, RATE_BPS, 0.02), "{name} {path:?}");
        let flow = sender.flow.expect("it sent data");
        assert!(near(flow.base_rtt_ns.value, RTT_NS, 0.01), "{name} {flow:?}");
        assert!(flow.random_loss.value.is_none_or(|loss| loss < 1e-4), "{name} {flow:?}");
        if name != "bbr" {
            assert!(near(flow.buffer_bytes.value, BUFFER_BYTES, 0.05), "{name} {flow:?}");
        }
        assert!(report.paths[1].is_none(), "the receivers sent no data");
    }
}

#[test]
fn without_the_handshake_the_base_rtt_is_that_of_data_less_its_frame() {
    let mut run = one_flow("reno", RATE_BPS, RTT_NS, BUFFER_BYTES / 4, 32);
    run.measure.record = run::Record::Summary;
    let (connections, _) = analysed_from(&run, CapturePoint::Senders, 1_000_000_000);
    assert!(connections[0].midstream);
    // Who sent the first packet is the client.
    let rtt = connections[0].directions.iter().find_map(|direction| direction.flow).expect("one sent data").base_rtt_ns;
    assert!(rtt.low.zip(rtt.high).is_some_and(|(low, high)| low <= RTT_NS as f64 && RTT_NS as f64 <= high), "{rtt:?}");
    assert!(near(rtt.value, RTT_NS, 0.01), "{rtt:?}");
}

#[test]
fn random_loss_is_no_full_buffer() {
    let mut run = one_flow("cubic", RATE_BPS, RTT_NS, 4 * BUFFER_BYTES, 40);
    run.measure.record = run::Record::Summary;
    run.path.loss_ppb = 2_000_000;
    let (connections, _) = analysed(&run, CapturePoint::Senders);
    let flow = connections[0].directions[0].flow.expect("it sent data");
    assert!(near(flow.random_loss.value, 1, 1.0), "{flow:?}");
    assert!(flow.random_loss.low.is_some_and(|low| low < 0.002), "{flow:?}");
    assert!(flow.random_loss.high.is_some_and(|high| high > 0.002), "{flow:?}");
    assert_eq!(flow.buffer_bytes.value, None, "{flow:?}");
}

#[test]
fn a_flow_that_begins_in_a_queue_has_its_rtt_by_the_other_or_an_interval() {
    let mut run = one_flow("cubic", RATE_BPS, RTT_NS, 4 * BUFFER_BYTES, 40);
    run.measure.record = run::Record::Summary;
    run.flows.push(flow("later", "reno", 2 * RTT_NS));
    run.flows[1].start_ns = 3_000_000_000;
    let (connections, _) = analysed(&run, CapturePoint::Senders);
    for (connection, truth) in connections.iter().zip([RTT_NS, 2 * RTT_NS]) {
        let rtt = connection.directions[0].flow.expect("it sent data").base_rtt_ns;
        assert!(rtt.value.is_none() || near(rtt.value, truth, 0.01), "{rtt:?}");
        assert!(
            rtt.low.zip(rtt.high).is_some_and(|(low, high)| low <= truth as f64 && truth as f64 <= high),
            "{rtt:?}"
        );
    }
}

#[test]
fn a_capture_far_from_the_sender_does_not_name_it() {
    let mut run = one_flow("reno", RATE_BPS, RTT_NS, BUFFER_BYTES, 32);
    run.measure.record = run::Record::Summary;
    run.flows[0].forward_delay_ns = RTT_NS / 2;
    run.flows[0].return_delay_ns = RTT_NS / 2;
    let (connections, report) = analysed(&run, CapturePoint::Receivers);
    assert!(report.paths.iter().all(Option::is_none), "{report:?}");
    let sender = &connections[0].directions[0];
    assert_eq!(sender.algorithm.as_ref().map(|estimate| estimate.algorithm), Some(Algorithm::Unknown));
    assert_eq!(sender.flow.map(|flow| flow.queue_bytes.value), Some(None));
}
