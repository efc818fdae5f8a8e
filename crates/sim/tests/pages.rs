//! Clients that load pages: closed forms of an empty path, requests that are lost, and what ends a page.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, hop, one_flow, pages};
use run::{Buffer, Change, Flow, Hop, NEVER_NS, PageLoads, Run, Sizes, Think, Workload};
use scenario::{MBIT, MS, SECOND, measure};

const RTT_NS: u64 = 40 * MS;
const RATE_BPS: u64 = 10 * MBIT;
/// 1000 bytes of payload and 66 of headers at 10 Mbit/s.
const FRAME_NS: u64 = 1_066 * 8 * 100;
const LOAD_NS: u64 = RTT_NS + FRAME_NS;

fn client(connections: u32, objects: u64, sizes: Sizes, think: Think) -> Flow {
    let workload = Workload::Pages { connections, objects, sizes, request_bytes: 400, think };
    Flow { workload, ..pages("web", "cubic", connections, RTT_NS) }
}

fn segments(connections: u32, objects: u64) -> Flow {
    client(connections, objects, Sizes::Fixed(1_000), Think::Fixed(SECOND))
}

/// A flow alone for so many seconds.
fn alone(flow: Flow, seconds: u64) -> Run {
    let mut run = one_flow("cubic", RATE_BPS, RTT_NS, 1 << 24, seconds);
    run.measure.sample_ns = SECOND;
    run.flows = vec![flow];
    run
}

/// A way back of so much, which loses all from one instant to another.
fn back(rate_bps: u64, lossy_ns: Option<[u64; 2]>) -> Hop {
    let change =
        |at_ns, loss_ppb| Change { at_ns, rate_bps: None, delay_ns: None, buffer: None, loss_ppb: Some(loss_ppb) };
    let changes = lossy_ns.map(|[from, to]| vec![change(from, 1_000_000_000), change(to, 0)]).unwrap_or_default();
    Hop { changes, ..hop("back", rate_bps, 1 << 24) }
}

fn loads(run: &Run) -> PageLoads {
    measure(run).flows[0].pages.clone()
}

/// How long each page took that was loaded.
fn times_ns(loads: &PageLoads) -> Vec<u64> {
    let pairs = loads.started_ns.iter().zip(&loads.loaded_ns).filter(|(_, loaded_ns)| **loaded_ns != NEVER_NS);
    pairs.map(|(started_ns, loaded_ns)| loaded_ns - started_ns).collect()
}

#[test]
fn an_object_of_a_segment_takes_a_round_trip_and_its_time_on_the_line() {
    let measured = loads(&alone(segments(1, 1), 10));
    // The handshake takes two round trips until its third packet is there, and then a page comes each 1.04 s.
    assert_eq!(measured.started_ns.len(), 10);
    assert_eq!(times_ns(&measured), [LOAD_NS; 10]);
    assert!(measured.started_ns.windows(2).all(|pair| pair[1] - pair[0] == SECOND + LOAD_NS));
    assert_eq!(measured.bytes, [1_000; 10]);
}

#[test]
fn one_connection_requests_one_object_after_the_other_and_six_a_sixth_each() {
    assert_eq!(times_ns(&loads(&alone(segments(1, 60), 20)))[1], 60 * LOAD_NS);
    let six = times_ns(&loads(&alone(segments(6, 60), 20)));
    // All six begin at once: the first answers wait for each other, and are apart from then on.
    assert_eq!(six[1..4], [10 * LOAD_NS + 5 * FRAME_NS; 3]);
}

#[test]
fn a_request_takes_its_time_on_the_way_back() {
    let mut run = alone(segments(1, 1), 10);
    run.path.back = vec![back(MBIT, None)];
    // 466 bytes at 1 Mbit/s.
    assert_eq!(times_ns(&loads(&run)), [LOAD_NS + 466 * 8_000; 10]);
}

/// 30 segments in slow start from 10: 10, and the other 20 when the first are acknowledged.
#[test]
fn an_object_beyond_the_initial_window_takes_a_second_round_trip() {
    let object = client(1, 1, Sizes::Fixed(30 * 1_448), Think::Fixed(100 * MS));
    let mut run = alone(object, 10);
    run.path.rate_bps = 1_000 * MBIT;
    let times = times_ns(&loads(&run));
    let frame_ns = 1_514 * 8;
    assert!(times[0] >= 2 * RTT_NS + 20 * frame_ns && times[0] < 2 * RTT_NS + 30 * frame_ns, "{}", times[0]);
    // The window is there for the next page.
    assert_eq!(times[1], RTT_NS + 30 * frame_ns);
}

#[test]
fn after_a_long_pause_the_window_is_the_initial_one() {
    let object = client(1, 1, Sizes::Fixed(30 * 1_448), Think::Fixed(2 * SECOND));
    let mut run = alone(object, 10);
    run.path.rate_bps = 1_000 * MBIT;
    assert!(times_ns(&loads(&run)).iter().all(|time_ns| *time_ns > 2 * RTT_NS));
}

#[test]
fn a_request_that_is_lost_is_sent_again_after_the_timeout() {
    let mut run = alone(segments(1, 1), 10);
    let second_ns = loads(&run).started_ns[1];
    // The way back has a queue now, but no packet takes a time of its own there.
    run.path.back = vec![back(1_000_000 * MBIT, Some([second_ns - 10 * MS, second_ns + 10 * MS]))];
    let times = times_ns(&loads(&run));
    // SRTT, in whole milliseconds above, and 200 ms.
    let timeout_ns = times[1] - times[0];
    assert!(timeout_ns.is_multiple_of(MS) && (240 * MS..=242 * MS).contains(&timeout_ns), "{timeout_ns}");
    assert_eq!((times[0], times[2]), (times[3], times[3]));
    // Until after the second time: the timeout doubles.
    run.path.back = vec![back(1_000_000 * MBIT, Some([second_ns - 10 * MS, second_ns + 300 * MS]))];
    assert_eq!(times_ns(&loads(&run))[1] - times[0], 3 * timeout_ns);
}

#[test]
fn requests_and_answers_get_through_loss_both_ways() {
    let mut run = alone(client(6, 20, Sizes::lognormal_of_mean(20_000.0, 1.0), Think::Exponential(100 * MS)), 60);
    run.path.loss_ppb = 20_000_000;
    run.path.back = vec![back(10 * MBIT, None)];
    run.path.back[0].loss_ppb = 100_000_000;
    let measured = loads(&run);
    let loaded = times_ns(&measured).len();
    assert!(loaded > 15 && loaded + 1 >= measured.started_ns.len(), "{loaded}: only the last is under way");
    assert_eq!(measured, loads(&run), "the same again");
    run.seed = 2;
    assert_ne!(measured, loads(&run));
}

/// A request that waits longer than its timeout is sent again, and answered once.
#[test]
fn requests_that_come_twice_are_answered_once() {
    let mut run = alone(segments(1, 1), 30);
    // Data upwards fills the way back for seconds.
    run.path.back = vec![back(MBIT, None)];
    run.path.back[0].buffer = Buffer::Bytes(250_000);
    let mut up = flow("up", "cubic", RTT_NS);
    up.direction = run::Direction::Up;
    run.flows.push(up);
    let measurement = sim::measure(&run).expect("a valid run");
    let web = &measurement.flows[0];
    let times = times_ns(&web.pages);
    assert!(times.iter().any(|time_ns| *time_ns > SECOND), "{times:?}");
    assert_eq!(web.at_end.delivered_bytes / 1_000, times.len() as u64);
}

#[test]
fn a_stop_in_a_page_ends_it_unloaded() {
    let mut run = alone(client(6, 100, Sizes::Fixed(20_000), Think::Fixed(SECOND)), 10);
    run.flows[0].stop_ns = Some(500 * MS);
    let measurement = measure(&run);
    let web = &measurement.flows[0];
    assert_eq!((web.pages.loaded_ns.as_slice(), web.pages.started_ns.len()), (&[NEVER_NS][..], 1));
    assert_eq!((web.at_end.at_ns, web.completed_ns), (500 * MS, None));
    let bottleneck = measurement.bottleneck.at_end;
    assert!(bottleneck.sent_bytes < 600_000 && bottleneck.queued_packets == 0, "{bottleneck:?}");
}

#[test]
fn clients_have_streams_of_their_own() {
    let chance = || client(2, 10, Sizes::lognormal_of_mean(20_000.0, 1.0), Think::Exponential(SECOND));
    let mut run = alone(chance(), 10);
    let lone = loads(&run);
    run.flows.push(Flow { name: "web-2".to_owned(), ..chance() });
    let both = measure(&run);
    assert_eq!(both.flows[0].pages.bytes[..2], lone.bytes[..2]);
    assert_ne!(both.flows[0].pages.bytes[..2], both.flows[1].pages.bytes[..2]);
}

#[test]
fn a_capture_of_clients_is_refused() {
    let mut run = alone(segments(1, 1), 1);
    run.measure.snap_bytes = Some(96);
    let problems = sim::problems(&run);
    assert!(problems.len() == 1 && problems[0].path == "flows[0].workload", "{problems:?}");
}
