//! Flows whose connections are given up, and what a measurement says of them.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use run::samples::{flow, one_flow};
use run::{Arrival, Run, Workload};
use scenario::{MBIT, MS, SECOND, measure};

/// A flow on a path that loses all but one of 10^9 packets once the handshake is over.
fn dead(workload: Workload) -> Run {
    let mut run = one_flow("cubic", 10 * MBIT, 20 * MS, 100_000, 1_200);
    (run.path.loss_ppb, run.measure.sample_ns) = (999_999_999, SECOND);
    run.flows[0].workload = workload;
    run
}

fn given_up(run: &Run) -> (Option<String>, u64) {
    let measurement = measure(run);
    assert_eq!(measurement.flows[0].completed_ns, None);
    (measurement.facts.get("flows[0].given_up").cloned(), measurement.ended_ns)
}

/// Linux 6.1 `tcp_retries2`: 924.6 s after the first repetition, and up to a timeout of 120 s more, in granules of 4 s.
#[test]
fn a_flow_is_given_up_stops_for_good_and_says_so() {
    let mut run = dead(Workload::Bulk);
    run.flows.push(flow("late", "cubic", 20 * MS));
    run.flows[1].start_ns = 1_100 * SECOND;
    let measurement = measure(&run);
    let end = measurement.flows[0].at_end;
    assert!((924 * SECOND..1_049 * SECOND).contains(&end.at_ns), "{end:?}");
    assert_eq!((end.timeouts, end.delivered_bytes), (16, 0));
    let fact = format!("1 from {}.{:03} s on", end.at_ns / SECOND, end.at_ns % SECOND / MS);
    assert_eq!(Vec::from_iter(&measurement.facts), [(&"flows[0].given_up".to_owned(), &fact)]);
    // The run goes on with the others.
    assert_eq!(measurement.ended_ns, 1_200 * SECOND);
    assert!(measurement.flows[1].at_end.segments_sent > 0);
}

#[test]
fn a_run_until_all_is_done_ends_with_what_is_given_up() {
    let mut run = dead(Workload::Transfer { bytes: 100_000 });
    run.until_done = true;
    let (fact, ended_ns) = given_up(&run);
    assert_eq!(fact, Some(format!("1 from {}.{:03} s on", ended_ns / SECOND, ended_ns % SECOND / MS)));
    let arrivals = [0, 10 * SECOND].map(|at_ns| Arrival { at_ns, bytes: 100_000 }).to_vec();
    run.flows[0].workload = Workload::Arrivals { arrivals };
    let (fact, ended_ns) = given_up(&run);
    assert!(fact.is_some_and(|fact| fact.starts_with("2 from 9")) && ended_ns < 1_100 * SECOND);
}
