//! Cost per packet: data packets simulated per second on one core.
//!
//! `cargo bench -p sim` prints one plain table (median of several runs). `cargo bench -p sim -- row N` runs its row N
//! once and prints packets and seconds of processor time, for comparing two builds in turns on a machine that does
//! other work; `-- row N jitter` does so with hosts that are as punctual as real ones.

use run::samples::{flows, one_flow};
use run::{Qdisc, Record, Run};

/// What is measured, and the least it must reach, packets/s.
struct Condition {
    name: &'static str,
    cc: &'static str,
    flows: u32,
    rate_mbps: u64,
    rtt_ms: u64,
    buffer_bytes: u64,
    seconds: u64,
    qdisc: Qdisc,
    bar: Option<f64>,
}

const CONDITIONS: [Condition; 10] = [
    condition("80 Mbit/s, 25 ms, 1 BDP", "cubic", 1, 80, 25, 250_000, 300, Some(5e6)),
    condition("1 Gbit/s, 50 ms, 1 BDP", "cubic", 1, 1_000, 50, 6_250_000, 30, Some(5e6)),
    condition("1 Gbit/s, 50 ms, 1 BDP", "cubic", 100, 1_000, 50, 6_250_000, 30, Some(4e6)),
    condition("1 Gbit/s, 50 ms, 1 BDP", "cubic", 10_000, 1_000, 50, 6_250_000, 30, None),
    condition("80 Mbit/s, 25 ms, 1 BDP", "reno", 1, 80, 25, 250_000, 300, None),
    condition("80 Mbit/s, 25 ms, 1 BDP", "bbr", 1, 80, 25, 250_000, 300, None),
    condition("80 Mbit/s, 25 ms, 1/2 BDP", "bbr", 4, 80, 25, 125_000, 300, None),
    Condition { qdisc: Qdisc::Fq, ..condition("80 Mbit/s, 25 ms, 1 BDP, fq", "bbr", 1, 80, 25, 250_000, 300, None) },
    condition("1 Gbit/s, 50 ms, 1 BDP", "bbr", 100, 1_000, 50, 6_250_000, 30, None),
    condition("1 Gbit/s, 200 ms, 50 MB", "cubic", 1, 1_000, 200, 50_000_000, 60, None),
];

/// About what hosts have, the default of a spec's `path.jitter`.
const JITTER_NS: u64 = 50_000;

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn condition(
    name: &'static str,
    cc: &'static str,
    flows: u32,
    rate_mbps: u64,
    rtt_ms: u64,
    buffer_bytes: u64,
    seconds: u64,
    bar: Option<f64>,
) -> Condition {
    Condition { name, cc, flows, rate_mbps, rtt_ms, buffer_bytes, seconds, qdisc: Qdisc::None, bar }
}

impl Condition {
    fn run(&self) -> Run {
        let rtt_ns = self.rtt_ms * 1_000_000;
        let mut run = one_flow(self.cc, self.rate_mbps * 1_000_000, rtt_ns, self.buffer_bytes, self.seconds);
        run.path.burst_bytes = 5_000;
        run.host.qdisc = self.qdisc;
        run.flows = flows(self.flows as usize, self.cc, rtt_ns);
        for (index, flow) in (0..).zip(&mut run.flows) {
            flow.start_ns = index * 1_000_000_000 / u64::from(self.flows);
        }
        run.measure.sample_ns = 1_000_000_000;
        run.measure.record = Record::Summary;
        run
    }
}

fn packets(run: &Run) -> u64 {
    let measurement = sim::measure(run).expect("a valid run");
    measurement.flows.iter().map(|flow| flow.at_end.segments_sent).sum()
}

#[expect(clippy::disallowed_methods, reason = "a bench measures the wall clock")]
fn timed(run: &Run) -> (u64, f64) {
    let start = std::time::Instant::now();
    let packets = packets(run);
    (packets, start.elapsed().as_secs_f64())
}

/// Processor time that this process has used, s; none where the system does not say.
fn processor_s() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Runs one condition once.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn row(index: usize, jitter: bool) {
    let mut run = CONDITIONS[index].run();
    run.path.jitter_ns = Some(if jitter { JITTER_NS } else { 0 });
    let before = processor_s();
    let (packets, wall) = timed(&run);
    let spent = before.zip(processor_s()).map_or(wall, |(before, after)| after - before);
    println!("{packets} {spent:.4}");
}

/// The largest memory that this process has had, MB; none where the system does not say.
fn peak_memory_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1_000)
}

#[expect(clippy::print_stdout, reason = "the table is what the bench is for")]
fn table(repeats: usize) {
    println!(
        "{:<6} {:>6}  {:<26} {:>11} {:>8} {:>12} {:>8}",
        "cc", "flows", "path", "packets", "wall s", "packets/s", "bar"
    );
    for condition in &CONDITIONS {
        let run = condition.run();
        let mut walls: Vec<(f64, u64)> = (0..repeats)
            .map(|_| {
                let (packets, wall) = timed(&run);
                (wall, packets)
            })
            .collect();
        walls.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (wall, packets) = walls[repeats / 2];
        let bar = condition.bar.map_or(String::new(), |bar| format!("{:.0} M", bar / 1e6));
        println!(
            "{:<6} {:>6}  {:<26} {:>11} {:>8.3} {:>10.2} M {:>8}",
            condition.cc,
            condition.flows,
            condition.name,
            packets,
            wall,
            packets as f64 / wall / 1e6,
            bar
        );
    }
}

/// Runs the last condition alone, in a process of its own, and prints its peak memory.
#[expect(clippy::print_stdout, reason = "the figure is what it is for")]
fn memory() {
    let condition = CONDITIONS.last().expect("conditions");
    packets(&condition.run());
    let peak = peak_memory_mb().map_or("unknown".to_owned(), |mb| format!("{mb} MB"));
    println!("peak memory, one {} flow, {}: {peak} (bar 100 MB)", condition.cc, condition.name);
}

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument == "memory" {
        return memory();
    }
    if argument == "row" {
        let index = std::env::args().nth(2).and_then(|index| index.parse().ok()).expect("a row's number, from 0");
        return row(index, std::env::args().nth(3).is_some_and(|argument| argument == "jitter"));
    }
    table(5);
    let this = std::env::current_exe().expect("a path");
    std::process::Command::new(this).arg("memory").status().expect("this program runs");
}
