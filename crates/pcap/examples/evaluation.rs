//! How often the analysis is right about what it estimates: `evaluation RUNS FIRST_SEED [PLACE]` makes random runs of the
//! simulator, analyses their packets as captured at a place (`senders`, `bottleneck`, `receivers`), and prints tables.
//! `-v` as the last argument prints each flow.

#![expect(clippy::print_stdout, reason = "the tables are what it is for")]

#[path = "../tests/simulated/mod.rs"]
mod simulated;

use pcap::{Algorithm, Estimate};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use run::samples::{flow, one_flow};
use run::{Buffer, CapturePoint, Run};
use simulated::analysed_from;
use std::collections::BTreeMap;
use std::process::ExitCode;

const MS: u64 = 1_000_000;
/// Each flow has 35 s and more.
const SECONDS: u64 = 40;
const ALGORITHMS: [&str; 3] = ["bbr", "cubic", "reno"];

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Each octave is as likely as any other.
    fn octaves(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
}

/// A run of one to six flows of 35 s and more; half of the runs have one flow, half random loss, and half one RTT for all.
fn any_run(seed: u64) -> Run {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
    let rate_bps = random.octaves(2e6, 200e6) as u64;
    let mut rtt_ns = || (random.octaves(5.0, 200.0) * MS as f64) as u64;
    let rtts: Vec<u64> = (0..6).map(|_| rtt_ns()).collect();
    let bdp_bytes = rate_bps as f64 * rtts[0] as f64 / 8e9;
    let buffer_bytes = (bdp_bytes * random.octaves(0.25, 8.0)).max(1_514.0) as u64;
    let mut run = one_flow("reno", rate_bps, rtts[0], buffer_bytes, SECONDS);
    run.path.buffer = Buffer::Bytes(buffer_bytes);
    run.seed = seed;
    run.measure.record = run::Record::Summary;
    let count = if random.below(2) == 0 { 1 } else { 2 + random.below(5) };
    let same = random.below(2) == 0;
    run.flows = (0..count)
        .map(|index| {
            let name = ALGORITHMS[random.below(ALGORITHMS.len())];
            let mut flow = flow(&format!("{name}-{index}"), name, if same { rtts[0] } else { rtts[index] });
            flow.start_ns = if index == 0 { 0 } else { (random.unit() * 5e9) as u64 };
            flow
        })
        .collect();
    if random.below(2) == 0 {
        run.path.loss_ppb = random.octaves(1e5, 5e6) as u32;
    }
    run
}

const fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Bbr => "bbr",
        Algorithm::Cubic => "cubic",
        Algorithm::Reno => "reno",
        Algorithm::Vegas => "vegas",
        Algorithm::Unknown => "cannot tell",
    }
}

/// Flows by what they run and the verdict.
#[derive(Default)]
struct Confusion(BTreeMap<(String, &'static str), u32>);

impl Confusion {
    fn print(&self) {
        let verdict = ["bbr", "cubic", "reno", "vegas", "cannot tell"];
        println!("| runs \\ said | {} |", verdict.join(" | "));
        println!("|---|{}", "---|".repeat(verdict.len()));
        for runs in ALGORITHMS {
            let counts =
                verdict.map(|verdict| self.0.get(&(runs.to_owned(), verdict)).copied().unwrap_or(0).to_string());
            println!("| {runs} | {} |", counts.join(" | "));
        }
        let sum = |keep: &dyn Fn(&str, &str) -> bool| -> u32 {
            self.0.iter().filter(|((runs, verdict), _)| keep(runs, verdict)).map(|(_, count)| count).sum()
        };
        let (all, silent, right) =
            (sum(&|_, _| true), sum(&|_, verdict| verdict == "cannot tell"), sum(&|runs, verdict| runs == verdict));
        println!(
            "right in {:.1} % of {}; cannot tell {:.1} % of {all}",
            100.0 * f64::from(right) / f64::from(all - silent),
            all - silent,
            100.0 * f64::from(silent) / f64::from(all)
        );
    }
}

/// Errors of what was estimated, as parts of the truth, and how often nothing was.
#[derive(Default)]
struct Errors {
    parts: Vec<f64>,
    outside: u32,
    unknown: u32,
}

impl Errors {
    fn enter(&mut self, estimate: Estimate, truth: f64) -> Option<f64> {
        let Some(value) = estimate.value else {
            self.unknown += 1;
            return None;
        };
        let inside = estimate.low.is_none_or(|low| low <= truth * 1.001)
            && estimate.high.is_none_or(|high| high >= truth * 0.999);
        self.outside += u32::from(!inside);
        self.parts.push(value / truth - 1.0);
        self.parts.last().copied()
    }

    fn print(&self, name: &str, bar: f64) {
        let mut sizes: Vec<f64> = self.parts.iter().map(|part| part.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let at = |part: f64| sizes.get((sizes.len() as f64 * part) as usize).map_or(f64::NAN, |size| size * 100.0);
        let within = sizes.iter().filter(|size| **size <= bar).count();
        println!(
            "| {name} | {} | {} | {:.3} % | {:.3} % | {:.1} % within {:.0} % | {} |",
            sizes.len(),
            self.unknown,
            at(0.5),
            at(0.95),
            100.0 * within as f64 / sizes.len() as f64,
            bar * 100.0,
            self.outside
        );
    }
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.last().is_some_and(|argument| argument == "-v");
    if verbose {
        arguments.pop();
    }
    let number = |index: usize, default: u64| arguments.get(index).map_or(Some(default), |text| text.parse().ok());
    let place = CapturePoint::ALL.into_iter().find(|place| Some(place.name()) == arguments.get(2).map(String::as_str));
    let (Some(runs), Some(first)) = (number(0, 100), number(1, 1)) else {
        println!("usage: evaluation RUNS FIRST_SEED [PLACE] [-v]");
        return ExitCode::FAILURE;
    };
    let mut confusion = Confusion::default();
    let (mut rates, mut rtts, mut buffers) =
        ([Errors::default(), Errors::default()], [Errors::default(), Errors::default()], Errors::default());
    for seed in first..first + runs {
        let run = any_run(seed);
        let (connections, report) = analysed_from(&run, place.unwrap_or(CapturePoint::Senders), 0);
        let bdp_segments = run.path.rate_bps as f64 * run.flows[0].base_rtt_ns() as f64 / 8e9 / 1514.0;
        let many = usize::from(run.flows.len() > 1);
        if let Some(path) = report.paths[0] {
            let error = rates[many].enter(path.rate_bps, run.path.rate_bps as f64);
            if verbose {
                let mark = if error.is_none_or(|error| error.abs() > 0.02) { "RATE!" } else { "RATE" };
                println!("{mark} {seed} of {}: {error:?} {path:?} loss {}", run.flows.len(), run.path.loss_ppb);
            }
        }
        for (flow, connection) in run.flows.iter().zip(&connections) {
            if let Some(estimate) = &connection.directions[0].flow {
                let error = rtts[many].enter(estimate.base_rtt_ns, flow.base_rtt_ns() as f64);
                let Buffer::Bytes(room) = run.path.buffer else { continue };
                let buffer = buffers.enter(estimate.buffer_bytes, room as f64);
                if verbose {
                    let mark = if error.is_none_or(|error| error.abs() > 0.01) { "RTT!" } else { "RTT" };
                    println!(
                        "{mark} {seed} {} {error:?} {} start {:.1}: {:?}; loss {:.3} %; buffer {buffer:?} {room}: {estimate:?}",
                        flow.name,
                        flow.base_rtt_ns(),
                        flow.start_ns as f64 * 1e-9,
                        estimate.base_rtt_ns,
                        f64::from(run.path.loss_ppb) * 1e-7
                    );
                }
            }
            let (Some(estimate), Some(cc)) = (&connection.directions[0].algorithm, &flow.cc) else { continue };
            let verdict = name(estimate.algorithm);
            *confusion.0.entry((cc.algorithm.clone(), verdict)).or_default() += 1;
            if verbose {
                let mark = if verdict == cc.algorithm {
                    ' '
                } else if verdict == "cannot tell" {
                    '?'
                } else {
                    '!'
                };
                println!(
                    "{mark} {seed} {} of {}: {verdict} {:.2}; {:.1} Mbit/s, {:.1} ms, bdp {bdp_segments:.0}, loss {:.3} %; {:?}",
                    flow.name,
                    run.flows.len(),
                    estimate.confidence,
                    run.path.rate_bps as f64 * 1e-6,
                    flow.base_rtt_ns() as f64 * 1e-6,
                    f64::from(run.path.loss_ppb) * 1e-7,
                    estimate.evidence
                );
            }
        }
    }
    confusion.print();
    println!(
        "\n| estimate | known | not known | median error | 95 % | | outside its interval |\n|---|---|---|---|---|---|---|"
    );
    for (place, name) in ["one flow", "several flows"].iter().enumerate() {
        rates[place].print(&format!("rate, {name}"), 0.02);
        rtts[place].print(&format!("base RTT, {name}"), 0.01);
    }
    buffers.print("buffer", 0.1);
    ExitCode::SUCCESS
}
