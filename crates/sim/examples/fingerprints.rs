//! One line a run: its name, the length of its measurement's JSON, and a hash of it. Two checkouts that print the same
//! lines measure the same to the byte: `cargo run --release -p sim --example fingerprints > before`, and `diff`.
//! With a number N behind `--` it runs the first of each N of them.
//!
//! The runs: flows from one to ten thousand of each algorithm and of all of them, over paths with and without random
//! loss, changes of rate, offload, access lines, `fq`, and tight memory; and a thousand drawn from all that specs may
//! ask for.

#[path = "../tests/random/mod.rs"]
mod random;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use run::samples::{flow, flows, one_flow};
use run::{Access, AccessKind, Buffer, Change, Flow, LossAt, Qdisc, Record, Run, SocketMemory, Workload};
use std::env::args;
use std::io::{Error, Write, stdout};
use std::num::NonZeroUsize;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MBIT: u64 = 1_000_000;
const DRAWN: usize = 1_000;

/// Flows over one path, that start in turn within a second.
fn sharing(flows: Vec<Flow>, rate_mbps: u64, rtt_ms: u64, buffer_bytes: u64, seconds: u64, record: Record) -> Run {
    let mut run = one_flow("reno", rate_mbps * MBIT, rtt_ms * MS, buffer_bytes, seconds);
    let count = flows.len() as u64;
    run.flows = flows;
    for (index, flow) in (0..).zip(&mut run.flows) {
        flow.start_ns = index * SECOND / count;
    }
    run.path.burst_bytes = 5_000;
    run.measure.window_begin_ns = run.duration_ns / 4;
    run.measure.sample_ns = if record == Record::Summary { SECOND } else { 10 * MS };
    run.measure.record = record;
    run
}

/// So many flows of each algorithm in turn.
fn mixed(count: usize, rtt_ns: u64) -> Vec<Flow> {
    (0..count).map(|index| flow(&format!("flow-{index}"), ["bbr", "cubic", "reno"][index % 3], rtt_ns)).collect()
}

/// The name of a variant, and what it changes.
type Variant = (&'static str, fn(&mut Run));

/// The same run over other paths and hosts.
fn variants(name: &str, run: &Run) -> Vec<(String, Run)> {
    let changes: [Variant; 10] = [
        ("plain", |_| ()),
        ("lossy", |run| run.path.loss_ppb = 2_000_000),
        ("lossy-behind", |run| (run.path.loss_ppb, run.path.loss_at) = (10_000_000, LossAt::After)),
        ("changes", |run| {
            let rate_bps = run.path.rate_bps;
            run.path.changes = (1..8).map(|i| Change::of_rate(i * run.duration_ns / 8, rate_bps >> (i % 3))).collect();
        }),
        ("offload", |run| (run.path.offload, run.path.burst_bytes) = (true, 100_000)),
        ("access", |run| {
            let rate_bps = run.path.rate_bps / 2;
            for flow in run.flows.iter_mut().step_by(2) {
                flow.access = Some(Access { rate_bps, buffer: Buffer::Packets(100), kind: AccessKind::Device });
                flow.forward_delay_ns = 3 * MS;
            }
        }),
        ("fq", |run| run.host.qdisc = Qdisc::Fq),
        ("memory", |run| run.host.socket_memory = SocketMemory::Bytes(200_000)),
        ("no-compression", |run| run.host.sack_compression = false),
        ("transfers", |run| {
            run.until_done = true;
            for (index, flow) in (0..).zip(&mut run.flows) {
                flow.workload = match index % 3 {
                    0 => Workload::Transfer { bytes: 500_000 + 10_000 * index },
                    1 => Workload::Stream { rate_bps: 2 * MBIT, for_ns: 3 * SECOND, every_ns: 40 * MS },
                    _ => Workload::Bulk,
                };
                flow.stop_ns = (index % 5 == 4).then_some(2 * SECOND);
            }
        }),
    ];
    changes
        .map(|(variant, change)| {
            let mut run = run.clone();
            change(&mut run);
            (format!("{name} {variant}"), run)
        })
        .to_vec()
}

fn listed() -> Vec<(String, Run)> {
    let mut runs = Vec::new();
    for cc in ["bbr", "cubic", "reno"] {
        let one = sharing(flows(1, cc, 25 * MS), 80, 25, 250_000, 20, Record::Acks);
        runs.extend(variants(&format!("1 {cc}"), &one));
        let shallow = sharing(flows(4, cc, 25 * MS), 80, 25, 60_000, 20, Record::Series);
        runs.extend(variants(&format!("4 {cc}"), &shallow));
        let hundred = sharing(flows(100, cc, 50 * MS), 1_000, 50, 6_250_000, 4, Record::Series);
        runs.extend(variants(&format!("100 {cc}"), &hundred));
        let thousand = sharing(flows(1_000, cc, 50 * MS), 1_000, 50, 3_000_000, 4, Record::Summary);
        runs.push((format!("1000 {cc}"), thousand));
    }
    runs.extend(variants("10 mixed", &sharing(mixed(10, 40 * MS), 100, 40, 500_000, 10, Record::Acks)));
    runs.extend(variants("60 mixed", &sharing(mixed(60, 40 * MS), 400, 40, 1_000_000, 5, Record::Series)));
    runs.push((
        "10000 cubic".into(),
        sharing(flows(10_000, "cubic", 50 * MS), 1_000, 50, 6_250_000, 5, Record::Summary),
    ));
    runs.push(("10000 mixed".into(), sharing(mixed(10_000, 50 * MS), 1_000, 50, 6_250_000, 3, Record::Summary)));
    runs.push((
        "1 cubic deep".into(),
        sharing(flows(1, "cubic", 200 * MS), 1_000, 200, 50_000_000, 10, Record::Series),
    ));
    runs
}

fn drawn() -> impl Iterator<Item = (String, Run)> {
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[1; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    (0..DRAWN).map(move |index| {
        let run = random::any_run().new_tree(&mut runner).expect("a run").current();
        (format!("drawn {index}"), run)
    })
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo).
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn main() -> Result<(), Error> {
    let every = args().nth(1).map_or(Ok(NonZeroUsize::MIN), |text| text.parse()).map_err(Error::other)?;
    for (name, run) in listed().into_iter().chain(drawn()).step_by(every.get()) {
        let measurement = sim::measure(&run).map_err(|problems| Error::other(format!("{name}: {problems:?}")))?;
        let bytes = serde_json::to_vec(&measurement)?;
        writeln!(stdout(), "{name}: {} {:016x}", bytes.len(), hash(&bytes))?;
    }
    Ok(())
}
