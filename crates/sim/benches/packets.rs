//! Cost per packet: data packets simulated per second on one core.
//!
//! `cargo bench -p sim` prints one plain table (median of several runs). `cargo bench -p sim -- row N` runs its row N
//! once and prints packets and seconds of processor time, for comparing two builds in turns on a machine that does
//! other work; `-- row N jitter` does so with hosts that are as punctual as real ones, and `-- rows` prints what each row
//! is. From row 10 on each flow has the same share of the path, whatever their number, and packets are those delivered in
//! order: what is dropped and sent again costs time and counts for nothing. `-- shares` prints these rows, `-- hops` what each added hop costs a packet,
//! `-- queues` what one that something manages costs more than drop-tail, `-- versions` BBR version 3's packets/s of version 1's,
//! `-- impairments` packets/s where packets overtake others, of those without, `-- trace` those of a line that changes every 10 ms, of
//! a constant one's.

use run::samples::{flows, one_flow};
use run::{
    Buffer, Change, Codel, Direction, Distribution, DualPi2, FlowCounters, FqCodel, Hop, Pie, Qdisc, QueueDiscipline,
    Record, Reorder, Run, Trace,
};

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

/// Rows of before [`share`]'s.
const PATHS: usize = 10;

const CONDITIONS: [Condition; PATHS + 8] = [
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
    share("cubic", 2, 600),
    share("cubic", 100, 30),
    share("cubic", 1_000, 2),
    share("cubic", 10_000, 1),
    share("bbr", 2, 600),
    share("bbr", 100, 30),
    share("bbr", 1_000, 2),
    share("bbr", 10_000, 1),
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

/// So many flows with 10 Mbit/s each.
const fn share(cc: &'static str, flows: u32, seconds: u64) -> Condition {
    const RATE_MBPS: u64 = 10;
    const RTT_MS: u64 = 50;
    const BDP_BYTES: u64 = RATE_MBPS * RTT_MS * 1_000 / 8;
    let count = flows as u64;
    condition("10 Mbit/s a flow, 50 ms", cc, flows, count * RATE_MBPS, RTT_MS, count * BDP_BYTES, seconds, None)
}

/// What a run did.
struct Work {
    sent: u64,
    delivered: u64,
    dropped: u64,
    acks: u64,
}

impl Condition {
    fn run(&self) -> Run {
        let rtt_ns = self.rtt_ms * 1_000_000;
        let mut run = one_flow(self.cc, self.rate_mbps * 1_000_000, rtt_ns, self.buffer_bytes, self.seconds);
        run.path.burst_bytes = 5_000;
        run.host.qdisc = self.qdisc;
        run.flows = flows(self.flows as usize, self.cc, rtt_ns);
        let starts_ns = 1_000_000_000.min(run.duration_ns / 4);
        for (index, flow) in (0..).zip(&mut run.flows) {
            flow.start_ns = index * starts_ns / u64::from(self.flows);
        }
        run.measure.sample_ns = 1_000_000_000;
        run.measure.record = Record::Summary;
        run
    }
}

fn work(run: &Run) -> Work {
    let measurement = sim::measure(run).expect("a valid run");
    let sum = |count: fn(&FlowCounters) -> u64| measurement.flows.iter().map(|flow| count(&flow.at_end)).sum::<u64>();
    Work {
        sent: sum(|counters| counters.segments_sent),
        delivered: sum(|counters| counters.delivered_bytes) / u64::from(run.path.mss_bytes()),
        dropped: sum(|counters| counters.dropped_packets),
        acks: sum(|counters| counters.acks),
    }
}

#[expect(clippy::disallowed_methods, reason = "a bench measures the wall clock")]
fn timed(run: &Run) -> (Work, f64) {
    let start = std::time::Instant::now();
    let work = work(run);
    (work, start.elapsed().as_secs_f64())
}

/// Runs a condition so often. Gives the median of the wall times.
fn repeated(condition: &Condition, repeats: usize) -> (Work, f64) {
    let run = condition.run();
    let mut runs: Vec<(Work, f64)> = (0..repeats).map(|_| timed(&run)).collect();
    runs.sort_by(|a, b| a.1.total_cmp(&b.1));
    runs.swap_remove(repeats / 2)
}

/// Processor time that this process has used, s; none where the system does not say.
fn processor_s() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// What each row is, a line a row.
#[expect(clippy::print_stdout, reason = "the names are what it is for")]
fn names() {
    for Condition { name, cc, flows, .. } in &CONDITIONS {
        println!("{cc:<6} {flows:>6}  {name}");
    }
}

/// What a run did, and the processor time that it took, s: wall time where the system does not say it.
fn spent(run: &Run) -> (Work, f64) {
    let before = processor_s();
    let (work, wall) = timed(run);
    (work, before.zip(processor_s()).map_or(wall, |(before, after)| after - before))
}

/// Runs one condition once.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn row(index: usize, jitter: bool) {
    let mut run = CONDITIONS[index].run();
    run.path.jitter_ns = Some(if jitter { JITTER_NS } else { 0 });
    let (work, spent) = spent(&run);
    let packets = if index < PATHS { work.sent } else { work.delivered };
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
    for condition in &CONDITIONS[..PATHS] {
        let (Work { sent, .. }, wall) = repeated(condition, repeats);
        let bar = condition.bar.map_or(String::new(), |bar| format!("{:.0} M", bar / 1e6));
        println!(
            "{:<6} {:>6}  {:<26} {:>11} {:>8.3} {:>10.2} M {:>8}",
            condition.cc,
            condition.flows,
            condition.name,
            sent,
            wall,
            sent as f64 / wall / 1e6,
            bar
        );
    }
}

/// The rows of a constant share, with what else the runs did.
#[expect(clippy::print_stdout, reason = "the table is what the bench is for")]
fn shares(repeats: usize) {
    println!(
        "{:<6} {:>6}  {:<26} {:>11} {:>8} {:>12} {:>11} {:>11} {:>11}",
        "cc", "flows", "path", "delivered", "wall s", "delivered/s", "sent", "dropped", "ACKs"
    );
    for condition in &CONDITIONS[PATHS..] {
        let (Work { sent, delivered, dropped, acks }, wall) = repeated(condition, repeats);
        println!(
            "{:<6} {:>6}  {:<26} {delivered:>11} {wall:>8.3} {:>10.2} M {sent:>11} {dropped:>11} {acks:>11}",
            condition.cc,
            condition.flows,
            condition.name,
            delivered as f64 / wall / 1e6,
        );
    }
}

/// Packets/s of BBR version 3 by those of version 1, one flow and a hundred: the median of runs in turns.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn versions(repeats: usize) {
    for flows in [1, 100] {
        let runs =
            ["bbr", "bbr3"].map(|cc| condition("500 Mbit/s, 30 ms", cc, flows, 500, 30, 1_875_000, 20, None).run());
        let speed = |run| {
            let (work, spent) = spent(run);
            work.sent as f64 / spent
        };
        let mut ratios: Vec<f64> =
            (0..repeats).map(|_| runs.each_ref().map(speed)).map(|[one, three]| three / one).collect();
        ratios.sort_by(f64::total_cmp);
        println!("flows {flows}: {:.3} of version 1's packets/s (bar 0.9)", ratios[repeats / 2]);
    }
}

/// What each link behind the bottleneck, as fast as that, adds to a packet, without a delay of its own and with one: the
/// least of several runs, in turns with the bottleneck alone.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn added_hops(repeats: usize) {
    const ADDED: u32 = 4;
    for (about, delay_ns) in [("", 0), (", 1 ms behind each", 1_000_000)] {
        let mut alone = CONDITIONS[1].run();
        for flow in &mut alone.flows {
            flow.forward_delay_ns = u64::from(ADDED) * delay_ns;
            flow.return_delay_ns -= flow.forward_delay_ns;
        }
        let mut several = alone.clone();
        let first = alone.path.hops(Direction::Down).remove(0);
        several.path.hops = (0..=ADDED)
            .map(|place| {
                let delay_ns = if place == 0 { 0 } else { delay_ns };
                Hop { name: format!("hop {place}"), delay_ns, ..first.clone() }
            })
            .collect();
        let mut least = [f64::INFINITY; 2];
        let mut packets = 0;
        for _ in 0..repeats {
            for (least, run) in least.iter_mut().zip([&alone, &several]) {
                let (work, spent) = spent(run);
                (*least, packets) = (least.min(spent), work.sent);
            }
        }
        let added_ns = (least[1] - least[0]) * 1e9 / packets as f64 / f64::from(ADDED);
        println!("an added hop{about}: {added_ns:.1} ns a packet (bar 25)");
    }
}

/// What a packet takes more through a link that something manages than through one with a drop-tail queue: such links stand
/// behind the bottleneck, as fast as that, so that all have the same to do. The least of several runs, in turns.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn managed_queues(repeats: usize) {
    const ADDED: u32 = 4;
    let codel = Codel { target_ns: 5_000_000, interval_ns: 100_000_000, ecn: true, ce_threshold_ns: None };
    let pie = Pie { target_ns: 15_000_000, tupdate_ns: 15_000_000, alpha: 2, beta: 20, ecn: true };
    let dual_pi2 = DualPi2 {
        target_ns: 15_000_000,
        tupdate_ns: 16_000_000,
        alpha: 41,
        beta: 819,
        coupling: 2,
        step_ns: 1_000_000,
    };
    let fq_codel = FqCodel { codel, flows: 1_024, quantum_bytes: 1_514, ce_threshold_selector: None };
    let first = CONDITIONS[2].run().path.hops(Direction::Down).remove(0);
    let row = |qdisc| {
        let mut run = CONDITIONS[2].run();
        let behind =
            |place| Hop { name: format!("hop {place}"), qdisc, buffer: Buffer::Packets(10_000), ..first.clone() };
        run.path.hops = std::iter::once(first.clone()).chain((1..=ADDED).map(behind)).collect();
        run
    };
    let disciplines = [
        (QueueDiscipline::Fifo, ""),
        (QueueDiscipline::Codel(codel), " (bar 15)"),
        (QueueDiscipline::Pie(pie), " (bar 20)"),
        (QueueDiscipline::Dualpi2(dual_pi2), " (bar 20)"),
        (QueueDiscipline::FqCodel(fq_codel), " (bar 40)"),
    ];
    let runs = disciplines.map(|(qdisc, _)| row(qdisc));
    let mut least = [f64::INFINITY; 5];
    let mut packets = 0;
    for _ in 0..repeats {
        for (least, run) in least.iter_mut().zip(&runs) {
            let (work, spent) = spent(run);
            (*least, packets) = (least.min(spent), work.sent);
        }
    }
    for ((qdisc, bar), spent) in disciplines.iter().zip(least).skip(1) {
        let more_ns = (spent - least[0]) * 1e9 / packets as f64 / f64::from(ADDED);
        println!("{}: {more_ns:.1} ns a packet more than fifo{bar}", qdisc.name());
    }
}

/// Packets/s where packets overtake others, of those where none does: a share is late by eight frames' time, or each packet has a
/// delay of its own, with a spread by which none overtakes another, or many do. Such a delay takes an event of each packet, so that
/// the bench prints these as a part of what a constant delay of their mean leaves, too. The medians of runs in turns.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn reordering(repeats: usize) {
    const MEAN_NS: u64 = 2_000_000;
    let late = |share_ppb| Reorder::Late { share_ppb, by_ns: 1_000_000 };
    let spread = |spread_ns| Reorder::Spread {
        delay_ns: MEAN_NS,
        spread_ns,
        distribution: Distribution::Uniform,
        correlation_ppb: 0,
    };
    let alone = condition("100 Mbit/s, 25 ms, 1 BDP", "cubic", 1, 100, 25, 312_500, 300, None).run();
    let mut delayed = alone.clone();
    delayed.flows[0].return_delay_ns -= MEAN_NS;
    let mut constant = delayed.clone();
    constant.flows[0].forward_delay_ns += MEAN_NS;
    for (about, reorder) in [
        ("0.1 % late by 1 ms", late(1_000_000)),
        ("1 % late by 1 ms", late(10_000_000)),
        ("delays of 2 ± 0.05 ms, none overtakes", spread(50_000)),
        ("delays of 2 ± 1 ms, many overtake", spread(1_000_000)),
    ] {
        let is_spread = matches!(reorder, Reorder::Spread { .. });
        let mut drawn = if is_spread { &delayed } else { &alone }.clone();
        drawn.path.impairments.reorder = Some(reorder);
        let speed = |run| {
            let (work, spent) = spent(run);
            work.sent as f64 / spent
        };
        let speeds: Vec<[f64; 3]> = (0..repeats).map(|_| [&alone, &constant, &drawn].map(speed)).collect();
        let [of_alone, of_constant] = [0, 1].map(|reference| {
            let mut ratios: Vec<f64> = speeds.iter().map(|speeds| speeds[2] / speeds[reference]).collect();
            ratios.sort_by(f64::total_cmp);
            ratios[repeats / 2]
        });
        let rest = if is_spread { format!("; {of_constant:.3} of a constant delay's") } else { String::new() };
        println!("{about}: {of_alone:.3} (bar 0.8){rest}");
    }
}

/// A line that changes every 10 ms: between half of a rate and one and a half.
fn trace(rate_bps: u64, seconds: u64) -> Trace {
    let rate = |index: u64| rate_bps / 2 + index * 7_919 % 1_000 * rate_bps / 1_000;
    Trace::Changes((0..seconds * 100).map(|index| Change::of_rate(index * 10_000_000, rate(index))).collect())
}

/// Packets/s over such a line by those over a constant one: the median of runs in turns. And the memory that an hour of it
/// takes, each in a process of its own.
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn traces(repeats: usize) {
    for row in [0, 2] {
        let constant = CONDITIONS[row].run();
        let mut recorded = constant.clone();
        recorded.path.trace = Some(trace(constant.path.rate_bps, CONDITIONS[row].seconds));
        let speed = |run| {
            let (work, spent) = spent(run);
            work.sent as f64 / spent
        };
        let mut ratios: Vec<f64> =
            (0..repeats).map(|_| [&constant, &recorded].map(speed)).map(|[one, other]| other / one).collect();
        ratios.sort_by(f64::total_cmp);
        let Condition { flows, name, .. } = CONDITIONS[row];
        println!("{flows} flows, {name}: {:.3} of a constant line's packets/s (bar 0.8)", ratios[repeats / 2]);
    }
    let this = std::env::current_exe().expect("a path");
    for hours in ["0", "1"] {
        std::process::Command::new(&this).args(["hour", hours]).status().expect("this program runs");
    }
}

/// The peak memory of an hour at 1 Mbit/s: constant, or recorded.
#[expect(clippy::print_stdout, reason = "the figure is what it is for")]
fn hour(is_recorded: bool) {
    let mut run = condition("1 Mbit/s, 50 ms", "cubic", 1, 1, 50, 12_500, 3_600, None).run();
    run.path.trace = is_recorded.then(|| trace(run.path.rate_bps, 3_600));
    work(&run);
    let peak = peak_memory_mb().map_or("unknown".to_owned(), |mb| format!("{mb} MB"));
    println!("peak memory, an hour, {} changes: {peak}", if is_recorded { "360,000" } else { "no" });
}

/// Runs the row with the largest window alone, in a process of its own, and prints its peak memory.
#[expect(clippy::print_stdout, reason = "the figure is what it is for")]
fn memory() {
    let condition = &CONDITIONS[PATHS - 1];
    work(&condition.run());
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
    if argument == "rows" {
        return names();
    }
    if argument == "shares" {
        return shares(3);
    }
    if argument == "hops" {
        return added_hops(9);
    }
    if argument == "queues" {
        return managed_queues(5);
    }
    if argument == "impairments" {
        return reordering(9);
    }
    if argument == "trace" {
        return traces(9);
    }
    if argument == "hour" {
        return hour(std::env::args().nth(2).is_some_and(|hours| hours == "1"));
    }
    if argument == "versions" {
        return versions(9);
    }
    table(5);
    shares(3);
    added_hops(9);
    let this = std::env::current_exe().expect("a path");
    std::process::Command::new(this).arg("memory").status().expect("this program runs");
}
