//! Prints what the crate says of a capture: `capture FILE` as JSON, one object a line; `capture --packets FILE` the
//! columns of `tshark -T fields` that have the same name, then the crate's own. `-` is standard input.

use pcap::summary::ConnectionSummary;
use pcap::{BinRow, Marks, Options, PacketRow, Sink, Spurious, analyze};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

struct Lines<W> {
    out: W,
    packets: bool,
}

impl<W: Write> Sink for Lines<W> {
    fn wants_packets(&self) -> bool {
        self.packets
    }

    fn packets(&mut self, rows: &[PacketRow]) {
        for row in rows {
            let mark = |mark: Marks| if row.marks.has(mark) { "1" } else { "" };
            let retransmission = if row.marks.retransmitted() { "1" } else { "" };
            let rtt = row.ack_rtt_ns.map(|ns| format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000));
            let duplicate = if row.duplicate_ack > 0 { row.duplicate_ack.to_string() } else { String::new() };
            let in_flight = row.bytes_in_flight.map(|bytes| bytes.to_string());
            let _ = writeln!(
                self.out,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:?}\t{}\t{}\t{:?}\t{}\t{:?}\t{}",
                row.frame,
                row.connection,
                rtt.unwrap_or_default(),
                retransmission,
                mark(Marks::FAST_RETRANSMISSION),
                mark(Marks::SPURIOUS_RETRANSMISSION),
                mark(Marks::OUT_OF_ORDER),
                duplicate,
                in_flight.unwrap_or_default(),
                row.payload_bytes,
                row.class,
                row.outstanding_bytes,
                row.ack_rtt_sound,
                row.timestamp_rtt_ns,
                row.sequence_bytes,
                row.window_bytes,
                row.marks.0,
            );
        }
    }

    fn bin(&mut self, row: &BinRow) {
        self.json(row);
    }

    fn spurious(&mut self, spurious: &Spurious) {
        self.json(spurious);
    }

    fn connection(&mut self, summary: ConnectionSummary) {
        self.json(&summary);
    }
}

impl<W: Write> Lines<W> {
    fn json(&mut self, value: &impl serde::Serialize) {
        if !self.packets {
            let _ = serde_json::to_writer(&mut self.out, value);
            let _ = writeln!(self.out);
        }
    }
}

fn main() -> ExitCode {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let packets = names.first().is_some_and(|name| name == "--packets");
    if packets {
        names.remove(0);
    }
    let name = names.pop().unwrap_or_else(|| "-".into());
    let read: Box<dyn Read + Send> = match name.as_str() {
        "-" => Box::new(io::stdin()),
        path => match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) => {
                let _ = writeln!(io::stderr(), "{path}: {error}");
                return ExitCode::FAILURE;
            }
        },
    };
    let mut sink = Lines { out: BufWriter::new(io::stdout()), packets };
    match analyze(read, Options::default(), &mut sink) {
        Ok(report) => {
            sink.json(&report);
            for note in report.cut.iter().map(ToString::to_string).chain(report.damage) {
                let _ = writeln!(io::stderr(), "note: {note}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "{name}: {error}");
            ExitCode::FAILURE
        }
    }
}
