//! Captures: those of a run are written, and what `pcap` says of one goes to Python as it comes, in batches, so that memory does not grow with the file.

use crate::column::ToPython;
use crate::failure;
use numpy::IntoPyArray;
use pcap::file::FileError;
use pcap::pair::{self, PairError};
use pcap::summary::ConnectionSummary;
use pcap::{BinRow, Options, PacketRow, Sink, Spurious, analyze};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use run::{Measurement, Problem, Run, Seen};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Rows of packets, or bins, that go to Python at once.
const ROWS: usize = 1 << 16;
/// Connections likewise.
const CONNECTIONS: usize = 1 << 8;

/// Measures one run, and writes its captures into a folder that is there.
///
/// # Errors
/// `OSError`: a file cannot be written.
#[pyfunction]
pub(crate) fn capture<'py>(py: Python<'py>, run_json: &str, folder: PathBuf) -> PyResult<Bound<'py, PyAny>> {
    let run = super::parse(run_json)?;
    let (measured, written) = failure::guarded(py, || captured(&run, &folder))?;
    written?;
    measured.map_err(|problems| failure::refused(&problems))?.to_python(py)
}

fn captured(run: &Run, folder: &Path) -> (Result<Measurement, Vec<Problem>>, io::Result<()>) {
    let captures = run.measure.snap_bytes.map(|_| pcap::RunFiles::create(folder, run)).transpose();
    let logs = run.measure.qlog.then(|| pcap::QlogFiles::create(folder, run)).transpose();
    let (mut captures, mut logs) = match (captures, logs) {
        (Ok(captures), Ok(logs)) => (captures, logs),
        (Err(error), _) | (_, Err(error)) => return (Err(Vec::new()), Err(error)),
    };
    let mut written = Ok(());
    let mut measured = sim::capture(run, &mut |mut seen| {
        written = seen.try_for_each(|seen| {
            if let (Some(captures), Seen::Passed(frame)) = (&mut captures, &seen) {
                captures.frame(frame)?;
            }
            logs.as_mut().map_or(Ok(()), |logs| logs.seen(&seen))
        });
        written.is_ok()
    });
    if let Ok(measured) = &mut measured
        && run.measure.snap_bytes.is_some()
    {
        measured.facts.extend(pcap::RunFiles::senders(run));
    }
    let finish = || {
        captures.map_or(Ok(Vec::new()), pcap::RunFiles::finish)?;
        logs.map_or(Ok(Vec::new()), pcap::QlogFiles::finish).map(drop)
    };
    (measured, written.and_then(|()| finish()))
}

/// Of each flow of a run, by its sender, the round-trip time of each ACK in a capture: what `FlowMeasurement` has of
/// them, `acks` and `ack_rtt`, the latter within a window.
#[pyfunction]
pub(crate) fn ack_samples<'py>(
    py: Python<'py>,
    file: PathBuf,
    senders: Vec<String>,
    window_ns: (u64, u64),
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let flows = failure::guarded(py, || {
        let read = File::open(&file).map_err(|error| FileError::Read { offset: 0, error })?;
        pcap::ack_samples(read, &senders, window_ns.0..window_ns.1)
    })?;
    let flows = flows.map_err(|error| failure::error(error.to_string()))?;
    flows.into_iter().map(|flow| Ok((flow.samples.to_python(py)?, flow.within.to_python(py)?))).collect()
}

/// Analyses a capture; `-` is standard input. `sink` has methods that take batches: `connections` JSON, `bins` and
/// `needless` columns, and unless it is None `packets` columns. Gives the JSON of the report.
#[pyfunction]
pub(crate) fn analyze_capture(py: Python<'_>, file: PathBuf, bin_ns: u64, sink: Py<PyAny>) -> PyResult<String> {
    let wants_packets = !sink.getattr(py, "packets")?.is_none(py);
    let mut batches = Batches {
        sink,
        wants_packets,
        connections: Vec::new(),
        bins: Vec::new(),
        packets: Vec::new(),
        needless: Vec::new(),
        error: RefCell::new(None),
    };
    let report = failure::guarded(py, || {
        let report = match opened(&file) {
            Ok(read) => analyze(read, Options { bin_ns, ..Options::default() }, &mut batches),
            Err(error) => Err(FileError::Read { offset: 0, error }),
        };
        batches.flush();
        report
    })?;
    if let Some(error) = batches.error.take() {
        return Err(error);
    }
    let report = report.map_err(raised)?;
    serde_json::to_string(&report).map_err(|error| failure::error(error.to_string()))
}

fn raised(error: FileError) -> PyErr {
    match error {
        FileError::Read { error, .. } => error.into(),
        FileError::Unknown { .. } | FileError::Empty | FileError::Damaged { .. } => {
            PyValueError::new_err(error.to_string())
        }
    }
}

/// Compares two captures of the same traffic; gives the JSON of `pcap::pair::PairReport`. What is wrong with a file is
/// raised with its name as a note.
#[pyfunction]
pub(crate) fn compare_captures(
    py: Python<'_>,
    first: PathBuf,
    second: PathBuf,
    bin_ns: u64,
    same_clock: bool,
) -> PyResult<String> {
    let mut interrupt = None;
    let opens = [&first, &second].map(|file| move || opened(file));
    let report = failure::guarded(py, || {
        let options = pair::Options { bin_ns, same_clock, ..pair::Options::default() };
        pair::compare([&opens[0], &opens[1]], &options, &mut || {
            interrupt = Python::attach(|py| py.check_signals()).err();
            interrupt.is_none()
        })
    })?;
    if let Some(error) = interrupt {
        return Err(error);
    }
    let report = report.map_err(|error| match error {
        PairError::File { place, error } => {
            let raised = raised(error);
            let name = [&first, &second][place].display().to_string();
            raised.add_note(py, &name).err().unwrap_or(raised)
        }
        PairError::NothingInCommon | PairError::Stopped => PyValueError::new_err(error.to_string()),
    })?;
    serde_json::to_string(&report).map_err(|error| failure::error(error.to_string()))
}

fn opened(file: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(if file.as_os_str() == "-" { Box::new(io::stdin()) } else { Box::new(File::open(file)?) })
}

struct Batches {
    sink: Py<PyAny>,
    wants_packets: bool,
    connections: Vec<ConnectionSummary>,
    bins: Vec<BinRow>,
    packets: Vec<PacketRow>,
    needless: Vec<Spurious>,
    /// What Python raised: nothing more goes to it.
    error: RefCell<Option<PyErr>>,
}

impl Sink for Batches {
    fn wants_packets(&self) -> bool {
        self.wants_packets
    }

    fn wants_more(&self) -> bool {
        let mut error = self.error.borrow_mut();
        if error.is_none() {
            *error = Python::attach(|py| py.check_signals()).err();
        }
        error.is_none()
    }

    fn packets(&mut self, rows: &[PacketRow]) {
        self.packets.extend(rows);
        if self.packets.len() >= ROWS {
            self.flush();
        }
    }

    fn bin(&mut self, row: &BinRow) {
        self.bins.push(*row);
        if self.bins.len() >= ROWS {
            self.flush();
        }
    }

    fn spurious(&mut self, spurious: &Spurious) {
        self.needless.push(*spurious);
        if self.needless.len() >= ROWS {
            self.flush();
        }
    }

    fn connection(&mut self, summary: ConnectionSummary) {
        self.connections.push(summary);
        if self.connections.len() >= CONNECTIONS {
            self.flush();
        }
    }
}

/// Columns of rows: the name of each, and what a row has there.
macro_rules! columns {
    ($py:ident, $rows:ident, $row:ident => { $($name:ident: $value:expr),* $(,)? }) => {{
        let columns = PyDict::new($py);
        $(columns.set_item(stringify!($name), $rows.iter().map(|$row| $value).collect::<Vec<_>>().into_pyarray($py))?;)*
        columns
    }};
}

/// What is not known, in a column of whole numbers.
const UNKNOWN: i64 = -1;

impl Batches {
    /// Gives Python what there is.
    fn flush(&mut self) {
        if self.error.get_mut().is_none() {
            *self.error.get_mut() = Python::attach(|py| self.give(py)).err();
        }
        self.connections.clear();
        self.bins.clear();
        self.packets.clear();
        self.needless.clear();
    }

    fn give(&self, py: Python<'_>) -> PyResult<()> {
        let Self { sink, connections, bins, packets, needless, .. } = self;
        if !packets.is_empty() {
            let columns = columns!(py, packets, row => {
                frame: row.frame,
                time_ns: row.time_ns,
                connection: row.connection,
                from_server: row.sender.index() as u8,
                flags: row.flags,
                wire_bytes: row.wire_bytes,
                payload_bytes: row.payload_bytes,
                sequence_bytes: row.sequence_bytes,
                class: row.class as u8,
                duplicate_ack: row.duplicate_ack,
                ack_rtt_ns: row.ack_rtt_ns.unwrap_or(UNKNOWN),
                ack_rtt_sound: row.ack_rtt_sound,
                sender_rtt_ns: row.sender_rtt_ns.unwrap_or(UNKNOWN),
                timestamp_rtt_ns: row.timestamp_rtt_ns.unwrap_or(UNKNOWN),
                bytes_in_flight: row.bytes_in_flight.map_or(UNKNOWN, i64::from),
                outstanding_bytes: row.outstanding_bytes,
                window_bytes: row.window_bytes.map_or(UNKNOWN, u64::cast_signed),
            });
            sink.call_method1(py, "packets", (columns,))?;
        }
        if !bins.is_empty() {
            let columns = columns!(py, bins, row => {
                connection: row.connection,
                from_server: row.sender.index() as u8,
                bin: row.bin,
                packets: row.counts.packets,
                wire_bytes: row.counts.wire_bytes,
                payload_bytes: row.counts.payload_bytes,
                new_bytes: row.counts.new_bytes,
                acked_bytes: row.counts.acked_bytes,
                retransmissions: row.counts.retransmissions,
                most_outstanding_bytes: row.counts.most_outstanding_bytes,
                rtt_samples: row.counts.rtt_samples,
                rtt_sum_ns: row.counts.rtt_sum_ns,
            });
            sink.call_method1(py, "bins", (columns,))?;
        }
        if !needless.is_empty() {
            let columns = columns!(py, needless, row => {
                connection: row.connection,
                from_server: row.sender.index() as u8,
                frame: row.frame,
                proof_frame: row.proof_frame,
                proof: row.proof as u8,
            });
            sink.call_method1(py, "needless", (columns,))?;
        }
        if !connections.is_empty() {
            let json = serde_json::to_string(connections).map_err(|error| failure::error(error.to_string()))?;
            sink.call_method1(py, "connections", (json,))?;
        }
        Ok(())
    }
}
