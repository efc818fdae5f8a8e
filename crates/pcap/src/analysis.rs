//! A capture from its first frame to its last.

use crate::connection::{Connection, Key, Table};
use crate::estimate::PathEstimate;
use crate::file::{Cut, FileError, Frame, Reader};
use crate::header::{Parsed, Segment, parse};
use crate::output::Output;
use crate::path::Path;
use crate::sink::Sink;
use crate::summary::Ended;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Read;

/// How a capture is analysed.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The width of a bin, ns.
    pub bin_ns: u64,
    /// How many connections are followed at a time; over it the one that is silent for the longest time is given up.
    pub most_connections: usize,
    /// How many bytes the connections may have in memory; over it the one that is silent for the longest time is given up.
    pub most_bytes: usize,
    /// How many segments of a direction may be outstanding; over it the first one is forgotten.
    pub most_outstanding: usize,
    /// How long a connection that is over is remembered for late packets, ns.
    pub linger_ns: i64,
}

impl Default for Options {
    fn default() -> Self {
        // Two maximum segment lifetimes of 30 s, as Linux' TIME-WAIT lasts.
        let linger_ns = 60_000_000_000;
        Self {
            bin_ns: 500_000_000,
            most_connections: 16_384,
            most_bytes: 128_000_000,
            most_outstanding: 65_536,
            linger_ns,
        }
    }
}

/// What the frames of a capture are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FrameCounts {
    /// All.
    pub frames: u64,
    /// Their bytes on the wire.
    pub wire_bytes: u64,
    /// TCP segments, all of them analysed.
    pub tcp: u64,
    /// Pieces of IP packets, which are not put together.
    pub fragments: u64,
    /// Frames of which too little was captured.
    pub short: u64,
    /// TCP segments of whose options a part was not captured.
    pub cut_options: u64,
    /// Frames with a header that contradicts itself, by what is wrong.
    pub malformed: BTreeMap<&'static str, u64>,
    /// Frames of tunnels that were not looked into, by the tunnel.
    pub tunnels: BTreeMap<&'static str, u64>,
    /// Frames of other protocols, by the protocol.
    pub others: BTreeMap<&'static str, u64>,
    /// Frames of link types that are not known, by the number of `LINKTYPE_`.
    pub unknown_links: BTreeMap<u32, u64>,
    /// Frames captured before the one before them.
    pub time_reversals: u64,
    /// Frames without a time.
    pub untimed: u64,
}

impl FrameCounts {
    /// Counts a frame for what it is, and gives the TCP segment that it may be.
    #[inline]
    pub(crate) fn count<'a>(&mut self, parsed: &'a Parsed) -> Option<&'a Segment> {
        let name = match parsed {
            Parsed::Tcp(packet) => {
                self.tcp += 1;
                self.cut_options += u64::from(packet.options.cut);
                return Some(packet);
            }
            Parsed::Named(name) => self.others.entry(*name),
            Parsed::Tunnel(name) => self.tunnels.entry(*name),
            Parsed::Malformed(what) => self.malformed.entry(*what),
            Parsed::Fragment => {
                self.fragments += 1;
                return None;
            }
            Parsed::Short => {
                self.short += 1;
                return None;
            }
            Parsed::UnknownLink(number) => {
                *self.unknown_links.entry(*number).or_default() += 1;
                return None;
            }
        };
        *name.or_default() += 1;
        None
    }
}

/// What is known of a capture at its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// What its frames are.
    pub frames: FrameCounts,
    /// Its connections.
    pub connections: u64,
    /// Those that were given up because there were too many.
    pub connections_given_up: u64,
    /// When its first frame was captured, ns since 1970: bin 0 begins then.
    pub start_ns: Option<i64>,
    /// When its last frame was captured, ns since 1970.
    pub end_ns: Option<i64>,
    /// Where it breaks off.
    pub cut: Option<Cut>,
    /// Whether the sink wanted no more before its end.
    pub stopped: bool,
    /// Where it is damaged: what came before is in the report.
    pub damage: Option<String>,
    /// The paths of the clients' data, and of the servers'; none where none was acknowledged.
    pub paths: [Option<PathEstimate>; 2],
}

/// Takes frames one after the other.
pub struct Analysis<'a, S> {
    options: Options,
    output: Output<'a, S>,
    table: Table,
    report: Report,
    paths: [Path; 2],
    bytes: usize,
}

impl<'a, S: Sink> Analysis<'a, S> {
    /// Begins.
    pub fn new(options: Options, sink: &'a mut S) -> Self {
        let output = Output::new(sink, options.most_outstanding);
        Self { options, output, table: Table::new(), report: Report::default(), paths: Default::default(), bytes: 0 }
    }

    /// Takes a frame.
    #[inline]
    pub fn frame(&mut self, frame: &Frame<'_>) {
        let counts = &mut self.report.frames;
        counts.frames += 1;
        counts.wire_bytes += u64::from(frame.wire_bytes);
        self.report.start_ns.get_or_insert(frame.time_ns);
        counts.time_reversals += u64::from(self.report.end_ns.is_some_and(|last| frame.time_ns < last));
        self.report.end_ns = Some(frame.time_ns);
        let parsed = parse(frame.link_type, frame.captured, frame.wire_bytes);
        if let Some(packet) = counts.count(&parsed) {
            self.packet(packet, frame);
        }
    }

    #[inline]
    fn packet(&mut self, packet: &Segment, frame: &Frame<'_>) {
        let key = Key::of_segment(packet);
        let mut slot = self.table.find(key);
        let mut reused = false;
        if let Some(used) = slot {
            let connection = self.table.touch(used);
            reused = connection.restarts_with(packet);
            if reused || connection.is_over() && self.has_lingered(used, frame.time_ns) {
                self.give_out(used, Ended::PortsReused);
                slot = None;
            }
        }
        let slot = slot.unwrap_or_else(|| self.begin(key, packet, frame));
        let start_ns = self.report.start_ns.unwrap_or(frame.time_ns);
        let bin = frame.time_ns.saturating_sub(start_ns).max(0) as u64 / self.options.bin_ns.max(1);
        let connection = self.table.touch(slot);
        let bytes = connection.memory_bytes();
        connection.packet(packet, frame, bin, reused, &mut self.paths, &mut self.output);
        self.bytes += connection.memory_bytes();
        self.bytes -= bytes;
        if connection.is_over() {
            self.table.end(slot);
        }
        while self.bytes > self.options.most_bytes && self.table.len() > 1 {
            self.give_one_up();
        }
    }

    fn has_lingered(&mut self, slot: u32, now_ns: i64) -> bool {
        now_ns.saturating_sub(self.table.touch(slot).end_ns()) > self.options.linger_ns
    }

    fn begin(&mut self, key: Key, packet: &Segment, frame: &Frame<'_>) -> u32 {
        while let Some((slot, connection)) = self.table.first_over()
            && frame.time_ns.saturating_sub(connection.end_ns()) > self.options.linger_ns
        {
            self.give_out(slot, Ended::Closed);
        }
        while self.table.len() >= self.options.most_connections.max(1) {
            self.give_one_up();
        }
        let id = self.report.connections;
        self.report.connections += 1;
        let connection = Connection::new(id, packet, frame);
        self.bytes += connection.memory_bytes();
        self.table.insert(key, connection)
    }

    /// Gives out the connection that matters least: one that is over, else one that is not, silent for the longest time.
    fn give_one_up(&mut self) {
        if let Some((slot, _)) = self.table.first_over() {
            self.give_out(slot, Ended::Closed);
        } else if let Some((slot, _)) = self.table.first_open() {
            self.report.connections_given_up += 1;
            self.give_out(slot, Ended::GivenUp);
        }
    }

    /// Takes a connection out of the table and gives its summary to the sink.
    fn give_out(&mut self, slot: u32, ended: Ended) {
        let mut connection = self.table.remove(slot);
        self.bytes -= connection.memory_bytes();
        connection.close_bins(&mut self.output);
        self.output.flush().connection(connection.summary(ended, &self.paths));
    }

    /// Ends: gives out the connections that are left, the longest silent first.
    pub fn finish(mut self) -> Report {
        while let Some((slot, _)) = self.table.first_over().or_else(|| self.table.first_open()) {
            self.give_out(slot, Ended::CaptureEnded);
        }
        self.output.flush();
        self.report.paths = self.paths.each_mut().map(Path::estimate);
        self.report
    }
}

/// Frames between two questions whether to go on.
const STRIDE: u64 = 4096;

/// Analyses a capture from a stream: a file or a pipe, plain or compressed.
///
/// # Errors
///
/// When the stream is no capture. One that is cut or damaged further on gives what came before, and the report says so.
pub fn analyze<S: Sink>(read: impl Read + Send + 'static, options: Options, sink: &mut S) -> Result<Report, FileError> {
    let mut reader = Reader::new(read)?;
    let mut analysis = Analysis::new(options, sink);
    let mut stopped = false;
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                analysis.frame(&frame);
                if frame.number.is_multiple_of(STRIDE) && !analysis.output.wants_more() {
                    stopped = true;
                    break None;
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let mut report = analysis.finish();
    match damage {
        Some(error) if report.frames.frames == 0 => return Err(error),
        damage => report.damage = damage.map(|error| error.to_string()),
    }
    report.stopped = stopped;
    report.frames.untimed = reader.untimed_frames();
    report.cut = reader.cut().cloned();
    Ok(report)
}
