//! Packets analysed per second of processor time, of captures in memory; the same files by `tshark` and `tcptrace`.
//!
//! `cargo bench -p pcap` prints one plain table, the median of several runs. `-- others` has the other programs run,
//! too, if they are installed, and `-- write FLOWS FILE` writes a capture. It is a sender's capture of flows with SACK
//! and timestamps whose every 500th segment is lost and sent again.

#![expect(clippy::print_stdout, reason = "the table is what the bench is for")]
#![expect(clippy::disallowed_methods, reason = "a bench measures the wall clock")]

use pcap::{Options, PacketRow, Sink, analyze};
use std::io::{Cursor, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

const PACKETS: usize = 2_000_000;
const RUNS: usize = 7;
/// What it must reach, packets a second.
const BAR: f64 = 5e6;
const SNAP: usize = 96;
const PAYLOAD: u32 = 1448;
/// Segments that are outstanding.
const WINDOW: u32 = 100;
const LOST: u32 = 500;

/// Takes what a summary needs.
struct Summaries(u64);

impl Sink for Summaries {
    fn connection(&mut self, summary: pcap::summary::ConnectionSummary) {
        self.0 += summary.directions[0].packets + summary.directions[1].packets;
    }
}

/// Takes each row, too.
struct Rows(u64);

impl Sink for Rows {
    fn wants_packets(&self) -> bool {
        true
    }

    fn packets(&mut self, rows: &[PacketRow]) {
        self.0 += rows.len() as u64;
    }
}

/// One end's packets, and what it has sent.
struct Flow {
    port: u16,
    next: u32,
    acked: u32,
}

struct Capture {
    bytes: Vec<u8>,
    packets: usize,
    us: u64,
}

impl Capture {
    fn push(
        &mut self,
        port: u16,
        from_client: bool,
        numbers: (u32, u32),
        flags: u8,
        payload: u32,
        sack: &[(u32, u32)],
    ) {
        self.us += 1;
        self.packets += 1;
        let stamp = (self.us / 1000) as u32;
        let mut tcp = Vec::with_capacity(60);
        let ports = if from_client { [port, 443] } else { [443, port] };
        ports.iter().for_each(|port| tcp.extend(port.to_be_bytes()));
        tcp.extend(numbers.0.to_be_bytes());
        tcp.extend(numbers.1.to_be_bytes());
        let sack_bytes = if sack.is_empty() { 0 } else { 4 + 8 * sack.len() };
        let options = if flags & 2 != 0 { 20 } else { 12 + sack_bytes };
        tcp.extend([((20 + options) / 4 * 16) as u8, flags, 0xff, 0xff, 0, 0, 0, 0]);
        if flags & 2 != 0 {
            tcp.extend([2, 4, 5, 180, 4, 2, 8, 10]);
        } else {
            tcp.extend([1, 1, 8, 10]);
        }
        tcp.extend(stamp.to_be_bytes());
        tcp.extend(stamp.saturating_sub(10).to_be_bytes());
        if flags & 2 != 0 {
            tcp.extend([1, 3, 3, 9]);
        }
        if !sack.is_empty() {
            tcp.extend([1, 1, 5, sack_bytes as u8 - 2]);
            for (start, end) in sack {
                tcp.extend(start.to_be_bytes());
                tcp.extend(end.to_be_bytes());
            }
        }
        let total = 20 + tcp.len() as u32 + payload;
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0];
        frame.extend((total as u16).to_be_bytes());
        frame.extend((self.packets as u16).to_be_bytes());
        frame.extend([0x40, 0, 64, 6, 0, 0]);
        let hosts = [[10, 0, 0, 1], [10, 0, 0, 2]];
        frame.extend(hosts[usize::from(!from_client)]);
        frame.extend(hosts[usize::from(from_client)]);
        frame.extend(tcp);
        let captured = (14 + total as usize).min(SNAP);
        frame.resize(captured, 0);
        for word in [(self.us / 1_000_000) as u32 + 1, (self.us % 1_000_000) as u32, captured as u32, 14 + total] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(frame);
    }

    /// Two segments, and what they cause of an ACK a window earlier.
    fn step(&mut self, flow: &mut Flow) {
        let at = |segment: u32| 1 + segment * PAYLOAD;
        for _ in 0..2 {
            self.push(flow.port, true, (at(flow.next), 1), 0x10, PAYLOAD, &[]);
            flow.next += 1;
        }
        let Some(arrived) = flow.next.checked_sub(WINDOW) else { return };
        // The last multiple of LOST is missing for two windows; its retransmission leaves a window after it was sent.
        let hole = arrived / LOST * LOST;
        let since = arrived - hole;
        if hole > 0 && since == 4 {
            self.push(flow.port, true, (at(hole), 1), 0x10, PAYLOAD, &[]);
        }
        if hole > 0 && (1..WINDOW).contains(&since) {
            self.push(flow.port, false, (1, at(hole)), 0x10, 0, &[(at(hole + 1), at(arrived))]);
        } else {
            flow.acked = arrived;
            self.push(flow.port, false, (1, at(arrived)), 0x10, 0, &[]);
        }
    }
}

fn capture(flows: u16) -> Capture {
    let mut capture = Capture { bytes: Vec::with_capacity(PACKETS * (SNAP + 16)), packets: 0, us: 0 };
    for word in [0xa1b2_c3d4_u32, 2 | 4 << 16, 0, 0, SNAP as u32, 1] {
        capture.bytes.extend(word.to_le_bytes());
    }
    let mut states: Vec<_> = (0..flows).map(|index| Flow { port: 10_000 + index, next: 0, acked: 0 }).collect();
    for flow in &states {
        capture.push(flow.port, true, (0, 0), 0x02, 0, &[]);
        capture.push(flow.port, false, (0, 1), 0x12, 0, &[]);
        capture.push(flow.port, true, (1, 1), 0x10, 0, &[]);
    }
    while capture.packets < PACKETS {
        for flow in &mut states {
            capture.step(flow);
        }
    }
    capture
}

/// The processor's time that this program has had (the first field, ns), where the kernel says so.
fn processor_s() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|ns| ns / 1e9)
}

/// The processor's time that programs have had that this one has waited for, in ticks of 10 ms (proc(5), fields 16, 17).
fn children_s() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields = line.rsplit_once(')')?.1.split_whitespace().skip(13).take(2);
    Some(fields.map(|ticks| ticks.parse::<f64>().unwrap_or(0.0)).sum::<f64>() / 100.0)
}

fn spent_s(clock: fn() -> Option<f64>, run: impl FnOnce()) -> f64 {
    let (begin, before) = (Instant::now(), clock());
    run();
    before.zip(clock()).map_or(begin.elapsed().as_secs_f64(), |(before, after)| after - before)
}

fn median_s(mut run: impl FnMut()) -> f64 {
    let mut seconds: Vec<_> = (0..RUNS).map(|_| spent_s(processor_s, &mut run)).collect();
    seconds.sort_by(f64::total_cmp);
    seconds[RUNS / 2]
}

fn row(name: &str, packets: usize, seconds: f64, bar: Option<f64>) {
    let rate = packets as f64 / seconds;
    let verdict = bar.map_or("", |bar| if rate >= bar { "  reaches 5 million" } else { "  BELOW 5 million" });
    println!("{name:<44} {:>8.2} million packets/s{verdict}", rate / 1e6);
}

/// Another program's time for a file, once.
fn other_s(program: &str, arguments: &[&str], file: &str) -> Option<f64> {
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    let mut status = None;
    let seconds = spent_s(children_s, || status = command.status().ok());
    status?.success().then_some(seconds)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [command, flows, file] = &arguments[..]
        && command == "write"
    {
        let capture = capture(flows.parse().expect("a number of flows"));
        std::fs::File::create(file).and_then(|mut out| out.write_all(&capture.bytes)).expect("a file to write");
        return;
    }
    for flows in [1, 100] {
        let capture = capture(flows);
        let (bytes, packets): (Arc<[u8]>, _) = (capture.bytes.into(), capture.packets);
        let seconds = median_s(|| {
            let mut sink = Summaries(0);
            analyze(Cursor::new(Arc::clone(&bytes)), Options::default(), &mut sink).expect("a capture");
            assert_eq!(sink.0, packets as u64);
        });
        row(&format!("{flows} flows, summaries and bins"), packets, seconds, Some(BAR));
        let seconds = median_s(|| {
            let mut sink = Rows(0);
            analyze(Cursor::new(Arc::clone(&bytes)), Options::default(), &mut sink).expect("a capture");
            assert_eq!(sink.0, packets as u64);
        });
        row(&format!("{flows} flows, a row for each packet, too"), packets, seconds, Some(BAR));
        if arguments.first().is_some_and(|argument| argument == "others") {
            let path = std::env::temp_dir().join(format!("dumbbell-bench-{}-{flows}.pcap", std::process::id()));
            std::fs::write(&path, &bytes).expect("room for a file");
            let file = path.to_string_lossy();
            let fields = ["-T", "fields", "-e", "tcp.analysis.ack_rtt", "-e", "tcp.analysis.bytes_in_flight", "-r"];
            for (program, arguments) in [("tcptrace", &["-n", "-l", "-r"][..]), ("tshark", &fields[..])] {
                match other_s(program, arguments, &file) {
                    Some(seconds) => row(&format!("{flows} flows, {program}"), packets, seconds, None),
                    None => println!("{program} is not there or fails"),
                }
            }
            std::fs::remove_file(&path).expect("the file to be there");
        }
    }
}
