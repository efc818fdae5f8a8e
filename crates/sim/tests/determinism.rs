//! The same run gives the same bytes, wherever and beside whatever it is measured; `docs/determinism.md` says what is
//! promised.

#[expect(dead_code, reason = "shared by all tests, of which each uses a part")]
mod scenario;

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};
use run::samples::{flow, one_flow};
use run::{Arrival, Change, FlowMeasurement, LossAt, Measurement, Qdisc, Record, Run, Workload};
use scenario::{MBIT, MS, SECOND};
use scenario::{bdp_bytes, measure};

/// All algorithms beside each other, with random loss, a change of rate and every kind of workload that repeats.
fn eventful(seed: u64) -> Run {
    let (rate_bps, rtt_ns) = (30 * MBIT, 25 * MS);
    let mut run = one_flow("bbr", rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns), 6);
    run.seed = seed;
    run.path.loss_ppb = 3_000_000;
    run.path.changes = vec![Change::of_rate(2 * SECOND, 20 * MBIT)];
    run.measure.record = Record::Acks;
    run.flows = ["bbr", "cubic", "reno"].map(|cc| flow(cc, cc, rtt_ns)).to_vec();
    run.flows[1].forward_delay_ns = 5 * MS;
    run.flows[2].start_ns = SECOND;
    let mut transfer = flow("transfer", "bbr", 40 * MS);
    transfer.workload = Workload::Transfer { bytes: 2_000_000 };
    let mut stream = flow("stream", "cubic", rtt_ns);
    stream.workload = Workload::Stream { rate_bps: 2 * MBIT, for_ns: 4 * SECOND, every_ns: 40 * MS };
    let mut source = flow("source", "cubic", 30 * MS);
    source.workload = Workload::Arrivals {
        arrivals: (0..200)
            .map(|i| Arrival { at_ns: i * i % 37 + i * 20 * MS, bytes: 1 + i * i * i % 60_000 })
            .collect(),
    };
    run.flows.extend([transfer, stream, source]);
    run
}

fn runs() -> Vec<Run> {
    let mut runs: Vec<Run> = (1..=4).map(eventful).collect();
    runs[1].path.loss_at = LossAt::After;
    runs[1].path.jitter_ns = Some(300_000);
    runs[2].host.qdisc = Qdisc::Fq;
    runs[2].path.jitter_ns = Some(50_000);
    (runs[3].path.offload, runs[3].path.burst_bytes) = (true, 100_000);
    runs
}

/// What a result is made from.
fn bytes(measurement: &Measurement) -> Vec<u8> {
    serde_json::to_vec(measurement).expect("integers and names")
}

#[test]
fn a_run_gives_the_same_bytes_each_time() {
    for run in runs() {
        let first = bytes(&measure(&run));
        assert!(first.len() > 100_000, "enough to differ in");
        assert!(first == bytes(&measure(&run)), "seed {}", run.seed);
        // Also when it went through its own JSON, as on the way from Python.
        let again: Run = serde_json::from_slice(&serde_json::to_vec(&run).expect("a run")).expect("the same");
        assert!(first == bytes(&measure(&again)), "seed {}", run.seed);
    }
}

#[test]
fn threads_change_nothing() {
    let runs = runs();
    let alone: Vec<_> = runs.iter().map(|run| bytes(&measure(run))).collect();
    // Two threads, the runs in opposite orders, so that at any time both measure something else.
    let concurrent = std::thread::scope(|scope| {
        let all = |order: Vec<usize>| {
            let runs = &runs;
            scope.spawn(move || order.into_iter().map(|i| (i, bytes(&measure(&runs[i])))).collect::<Vec<_>>())
        };
        [all((0..runs.len()).collect()), all((0..runs.len()).rev().collect())]
            .map(|thread| thread.join().expect("done"))
    });
    for (index, measured) in concurrent.into_iter().flatten() {
        assert!(measured == alone[index], "run {index}");
    }
}

#[test]
fn the_seed_changes_what_is_random_and_nothing_else() {
    let of_seed = |cc: &str, loss_ppb: u32, seed: u64| {
        let mut run = one_flow(cc, 20 * MBIT, 30 * MS, 100_000, 5);
        (run.seed, run.path.loss_ppb) = (seed, loss_ppb);
        bytes(&measure(&run))
    };
    for cc in ["reno", "cubic", "bbr"] {
        assert!(of_seed(cc, 5_000_000, 1) != of_seed(cc, 5_000_000, 2), "{cc}: loss");
    }
    let phases: Vec<_> = (1..=8).map(|seed| of_seed("bbr", 0, seed)).collect();
    assert!(phases.iter().any(|bytes| *bytes != phases[0]), "BBR's cycle begins in one of seven phases");
    for cc in ["reno", "cubic"] {
        assert!(of_seed(cc, 0, 1) == of_seed(cc, 0, 2), "{cc} draws nothing");
    }
}

/// The draws of a named stream: a generator that is specified to the bit (xoshiro256++), with a seed that is too
/// (FNV-1a over the name, one step of SplitMix64).
struct Losses {
    random: Xoshiro256PlusPlus,
    ppb: u32,
}

impl Losses {
    fn of(run: &Run, flow: &str) -> Self {
        let name = format!("loss/{flow}");
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let seed = SplitMix64::seed_from_u64(hash ^ run.seed).next_u64();
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), ppb: run.path.loss_ppb }
    }

    /// How many of the next packets are lost.
    fn among(&mut self, packets: u64) -> u64 {
        let mut lost = || (u128::from(self.random.next_u64()) * 1_000_000_000) >> 64 < u128::from(self.ppb);
        (0..packets).map(|_| u64::from(lost())).sum()
    }
}

/// Every data packet of a flow takes the next draw of the flow's own stream, and nothing else does: the number lost
/// among the first n packets follows from the seed and the name alone.
fn assert_draws_its_own(run: &Run, name: &str, measured: &FlowMeasurement) {
    let mut stream = Losses::of(run, name);
    let (mut packets, mut lost) = (0, 0);
    for counters in [measured.at_window_begin, measured.at_window_end] {
        lost += stream.among(counters.segments_sent - packets);
        packets = counters.segments_sent;
        assert_eq!(counters.random_lost_packets, lost, "{name}, of {packets}");
    }
    assert!(lost > 20, "{name}: enough to tell");
}

#[test]
fn another_flow_does_not_change_a_flows_random_stream() {
    for seed in 1..=3 {
        let (rate_bps, rtt_ns) = (50 * MBIT, 20 * MS);
        let mut run = one_flow("bbr", rate_bps, rtt_ns, bdp_bytes(rate_bps, rtt_ns), 6);
        run.flows[0].name = "a".to_owned();
        (run.seed, run.path.loss_ppb) = (seed, 5_000_000);
        (run.measure.window_begin_ns, run.measure.window_end_ns) = (3 * SECOND, 6 * SECOND);
        let alone = measure(&run);
        assert_draws_its_own(&run, "a", &alone.flows[0]);

        // A neighbour comes at 3 s: until then nothing differs to the bit, and after that the draws are still its own.
        let mut with_neighbour = run.clone();
        with_neighbour.flows.push(flow("b", "cubic", rtt_ns));
        with_neighbour.flows[1].start_ns = 3 * SECOND + 1;
        let together = measure(&with_neighbour);
        assert_eq!(together.flows[0].at_window_begin, alone.flows[0].at_window_begin);
        let until = alone.flows[0].series.at_ns.iter().take_while(|at_ns| **at_ns <= 3 * SECOND).count();
        assert_eq!(together.flows[0].series.delivered_bytes[..until], alone.flows[0].series.delivered_bytes[..until]);
        assert_eq!(together.flows[0].series.cwnd_segments[..until], alone.flows[0].series.cwnd_segments[..until]);
        assert_ne!(together.flows[0].at_window_end, alone.flows[0].at_window_end, "the neighbour is felt");
        assert_draws_its_own(&with_neighbour, "a", &together.flows[0]);

        // Nor does it matter that a neighbour is there from the beginning, comes first in the spec, or draws much.
        let mut before = run.clone();
        before.flows.insert(0, flow("b", "bbr", rtt_ns));
        let together = measure(&before);
        for (flow, measured) in before.flows.iter().zip(&together.flows) {
            assert_draws_its_own(&before, &flow.name, measured);
        }
    }
}

#[test]
fn a_flows_own_randomness_is_its_own_too() {
    // BBR's phase follows from seed and name. Neighbours that call connect() in the last nanosecond are beside it in
    // the spec only, and before it there.
    let mut run = one_flow("bbr", 20 * MBIT, 30 * MS, 200_000, 6);
    run.flows[0].name = "a".to_owned();
    let alone = measure(&run);
    let mut with_neighbours = run.clone();
    for name in ["b", "c"] {
        let mut late = flow(name, "bbr", 30 * MS);
        late.start_ns = run.duration_ns - 1;
        with_neighbours.flows.insert(0, late);
    }
    let together = measure(&with_neighbours);
    assert_eq!(together.flows[2], alone.flows[0]);
    let mut renamed = run.clone();
    renamed.flows[0].name = "d".to_owned();
    assert_ne!(measure(&renamed).flows[0], alone.flows[0], "another name, another phase");
}
