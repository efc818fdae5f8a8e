//! Media that adapt to the path by NADA (RFC 8698): its equilibrium, and what they leave to others.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, media, one_flow};
use run::{Buffer, Change, Direction, FlowMeasurement, Hop, MEDIA_PHASES, Run, Workload};
use scenario::{MBIT, MS, SECOND, goodput_bps, measure};

const RTT_NS: u64 = 100 * MS;
/// Of each packet of 1200 bytes a line carries 1242.
const PAYLOAD: f64 = 1_200.0 / 1_242.0;

/// One such source for so long over a line with room for 300 ms; half of the delay is on the way.
fn alone(rate_bps: u64, seconds: u64) -> Run {
    let mut run = one_flow("reno", rate_bps, RTT_NS, rate_bps / 8 * 3 / 10, seconds);
    run.measure.sample_ns = 100 * MS;
    run.flows = vec![media("video", RTT_NS)];
    (run.flows[0].forward_delay_ns, run.flows[0].return_delay_ns) = (RTT_NS / 2, RTT_NS / 2);
    run
}

/// The same, measured once it has settled.
fn settled(rate_bps: u64) -> Run {
    let mut run = alone(rate_bps, 120);
    run.measure.window_begin_ns = 30 * SECOND;
    run
}

fn lost(flow: &FlowMeasurement) -> u64 {
    flow.datagrams.expect("datagrams").lost
}

fn mean_delay_ns(flow: &FlowMeasurement) -> u64 {
    let delay = flow.delay.as_ref().expect("delays");
    delay.sum / delay.count
}

#[test]
fn where_there_is_room_it_has_its_most() {
    let measurement = measure(&settled(10 * MBIT));
    let video = &measurement.flows[0];
    let reference_bps = &video.series.bandwidth_bps;
    // RFC 8698 section 6.1 of the test cases: within seconds.
    assert!(reference_bps[..100].contains(&1_500_000), "{reference_bps:?}");
    assert!(reference_bps[300..].iter().all(|bps| *bps == 1_500_000));
    assert!((1.4e6..1.5e6).contains(&goodput_bps(&measurement, 0)), "{}", goodput_bps(&measurement, 0));
    assert_eq!((lost(video), video.phases.as_slice()), (0, MEDIA_PHASES.map(str::to_owned).as_slice()));
    // A report every 100 ms, the last ones under way; frames every 33 ms.
    assert!((1_195..=1_199).contains(&video.at_end.acks), "{}", video.at_end.acks);
    let frames = video.frames.as_ref().expect("frames");
    assert!((2_650..2_750).contains(&frames.captured), "{frames:?}");
}

/// At equilibrium the queueing delay is XREF * RMAX / r_ref (RFC 8698 section 4.3), and the rate that of the line. The delay is
/// the least of 15 packets: the mean one waits a few ms longer, for those of its own frame.
#[test]
fn on_a_narrow_line_the_queue_is_that_of_the_equilibrium() {
    for rate_bps in [600_000, MBIT] {
        let measurement = measure(&settled(rate_bps));
        let video = &measurement.flows[0];
        let reference = |series: &[u64]| series.iter().sum::<u64>() as f64 / series.len() as f64;
        let reference_bps = reference(&video.series.bandwidth_bps[300..]);
        let line_bps = rate_bps as f64 * PAYLOAD;
        assert!((0.90..1.05).contains(&(reference_bps / line_bps)), "{reference_bps} of {line_bps}");
        assert!((0.88..1.0).contains(&(goodput_bps(&measurement, 0) / line_bps)));
        assert_eq!(lost(video), 0);
        let service_ns = 1_242 * 8 * SECOND / rate_bps;
        let queueing_ns = mean_delay_ns(video) - RTT_NS / 2 - service_ns;
        let equilibrium_ns = (10e6 * 1.5e6 / reference_bps) as u64;
        assert!((equilibrium_ns / 2..equilibrium_ns * 3).contains(&queueing_ns), "{queueing_ns}, {equilibrium_ns}");
    }
}

#[test]
fn two_of_them_share_a_line() {
    let mut run = settled(2 * MBIT);
    run.flows.push(run::Flow { name: "other".to_owned(), ..run.flows[0].clone() });
    let measurement = measure(&run);
    let [one_bps, other_bps] = [0, 1].map(|flow| goodput_bps(&measurement, flow));
    assert!((0.8..1.25).contains(&(one_bps / other_bps)), "{one_bps}, {other_bps}");
    assert!((one_bps + other_bps) / (2e6 * PAYLOAD) > 0.85);
}

/// RFC 8867 section 5.1.
#[test]
fn it_follows_the_lines_rate() {
    let mut run = alone(MBIT, 100);
    run.path.changes = [(40, 2_500_000), (60, 600_000), (80, MBIT)]
        .map(|(at_s, rate_bps)| Change::of_rate(at_s * SECOND, rate_bps))
        .to_vec();
    let measurement = measure(&run);
    let series = &measurement.flows[0].series.delivered_bytes;
    let mean_bps = |from_s: usize, to_s: usize| {
        (series[10 * to_s - 1] - series[10 * from_s - 1]) as f64 * 8.0 / (to_s - from_s) as f64
    };
    for ([from_s, to_s], most_bps) in [([20, 40], 1e6), ([50, 60], 1.5e6), ([65, 80], 6e5), ([90, 99], 1e6)] {
        let share = mean_bps(from_s, to_s) / (most_bps * PAYLOAD);
        assert!((0.80..1.05).contains(&share), "from {from_s} s: {share}");
    }
}

/// RFC 8867 section 5.6: beside a long TCP flow it keeps more than its least, and TCP has the rest.
#[test]
fn a_long_tcp_flow_leaves_it_something() {
    let mut run = alone(2 * MBIT, 120);
    run.measure.window_begin_ns = 20 * SECOND;
    run.flows.push(flow("reno", "reno", RTT_NS));
    let measurement = measure(&run);
    let [video_bps, tcp_bps] = [0, 1].map(|flow| goodput_bps(&measurement, flow));
    assert!(video_bps > 150e3 && video_bps < 1.5e6, "{video_bps}");
    assert!(video_bps + tcp_bps > 0.9 * 2e6 * PAYLOAD, "{video_bps}, {tcp_bps}");
}

/// Reports are packets: on a way back that loses half of them, half of them come.
#[test]
fn reports_can_be_lost() {
    let mut run = alone(MBIT, 60);
    let line = one_flow("", 10 * MBIT, 0, 100_000, 1).path.hops(Direction::Down).remove(0);
    run.path.back = vec![Hop { name: "back".to_owned(), loss_ppb: 500_000_000, ..line }];
    let acks = measure(&run).flows[0].at_end.acks;
    // Of 599, by chance: four standard deviations are 49.
    assert!((250..=348).contains(&acks), "{acks}");
}

#[test]
fn it_stops_when_its_flow_does() {
    let mut run = alone(10 * MBIT, 10);
    run.flows[0].stop_ns = Some(5 * SECOND);
    let video = &measure(&run).flows[0];
    assert_eq!(video.at_end.at_ns, 5 * SECOND);
    let frames = video.frames.as_ref().expect("frames");
    assert!((130..165).contains(&frames.captured), "{frames:?}");
}

#[test]
fn frames_that_are_lost_are_late() {
    let mut run = alone(10 * MBIT, 60);
    run.flows[0].workload = Workload::Media { least_bps: 150_000, most_bps: 150_000, frames: 30, deadline_ns: SECOND };
    (run.path.loss_ppb, run.path.buffer) = (100_000_000, Buffer::Packets(1_000));
    let frames = measure(&run).flows[0].frames.clone().expect("frames");
    let share = frames.late as f64 / frames.captured as f64;
    // 625 bytes are one packet: one in ten is lost.
    assert!((share - 0.1).abs() < 0.03, "{share}");
    assert_eq!(frames.captured - frames.late, frames.delay.count);
}
