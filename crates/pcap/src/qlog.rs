//! [`QlogFiles`]: what the senders of a simulated run did, a file for each flow, as qvis opens it.
//!
//! qlog 0.3 (draft-ietf-quic-qlog-main-schema-02, draft-ietf-quic-qlog-quic-events-02), which is made for QUIC. TCP has no
//! packet numbers: each transmission of a segment counts as a packet of its own, and an ACK acknowledges the transmission
//! that arrived first. Data alone is shown; a source of transfers has no file.

mod event;
mod ledger;

use event::{Data, Event, Header, Metrics, PacketFrame, Raw, Trigger};
use ledger::Ledger;
use run::{CapturePoint, Frame, ResendCause, Run, Seen, SenderState, flag};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use zstd::Encoder;

/// Behind the flow's name in the file's: `flow-0`.
const SUFFIX: &str = ".qlog.zst";
/// Fast, and a twentieth of the size.
const LEVEL: i32 = 1;
/// So far back it looks for what it has seen: the memory of each file follows from it.
const WINDOW_LOG: u32 = 17;

/// Of Linux with `CONFIG_HZ=1000`, as the simulator has it.
const JIFFY_MS: u32 = 1;

/// The files that are being written.
pub struct QlogFiles {
    /// By flow of the run; of a source none.
    logs: Vec<Option<Log>>,
}

impl QlogFiles {
    /// Begins those of a run in a folder that is there: `flow-0.qlog.zst` and others.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn create(folder: &Path, run: &Run) -> io::Result<Self> {
        let log = |index: usize| (!run.flows[index].is_source()).then(|| Log::create(folder, run, index)).transpose();
        Ok(Self { logs: (0..run.flows.len()).map(log).collect::<io::Result<_>>()? })
    }

    /// Writes what is seen of a flow's sender.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn seen(&mut self, seen: &Seen) -> io::Result<()> {
        let flow = match seen {
            Seen::Passed(frame) | Seen::Sent { frame, .. } => frame.flow,
            Seen::Sender(state) => state.flow,
        };
        match (&mut self.logs[flow as usize], seen) {
            (None, _) => Ok(()),
            (Some(log), Seen::Sent { frame, cause }) => log.sent(frame, *cause),
            (Some(log), Seen::Passed(frame)) => log.passed(frame),
            (Some(log), Seen::Sender(state)) => log.acted(state),
        }
    }

    /// Ends the files, and gives their names.
    ///
    /// # Errors
    /// One cannot be written.
    pub fn finish(self) -> io::Result<Vec<PathBuf>> {
        self.logs.into_iter().flatten().map(Log::finish).collect()
    }
}

/// The log of a sender.
struct Log {
    path: PathBuf,
    out: Encoder<'static, BufWriter<File>>,
    line: Vec<u8>,
    mss_bytes: u32,
    ledger: Ledger,
    acks: u64,
    metrics: Metrics,
    phase: &'static str,
}

/// What stands before the events.
#[derive(Serialize)]
struct Preamble<'a> {
    qlog_version: &'static str,
    qlog_format: &'static str,
    title: &'a str,
    traces: [Trace<'a>; 1],
}

#[derive(Serialize)]
struct Trace<'a> {
    vantage_point: Vantage<'a>,
    title: &'a str,
    common_fields: Common,
    /// The last key, so that a list may follow instead.
    events: [(); 0],
}

#[derive(Serialize)]
struct Vantage<'a> {
    name: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct Common {
    protocol_type: [&'static str; 1],
    time_format: &'static str,
    reference_time: u64,
}

/// How a file without events ends, and what of that stands behind the events.
const END: &[u8] = b"]}]}";

impl Log {
    fn create(folder: &Path, run: &Run, index: usize) -> io::Result<Self> {
        let flow = &run.flows[index];
        let path = folder.join(format!("flow-{index}{SUFFIX}"));
        let mut out = Encoder::new(BufWriter::new(File::create(&path)?), LEVEL)?;
        out.window_log(WINDOW_LOG)?;
        let trace = Trace {
            vantage_point: Vantage { name: &flow.name, r#type: "client" },
            title: &flow.name,
            common_fields: Common { protocol_type: ["TCP"], time_format: "relative", reference_time: 0 },
            events: [],
        };
        let preamble = Preamble { qlog_version: "0.3", qlog_format: "JSON", title: &flow.name, traces: [trace] };
        let text = serde_json::to_vec(&preamble)?;
        out.write_all(text.strip_suffix(END).expect("the events are last"))?;
        let mss_bytes = run.path.mss_bytes();
        let first = Data::Parameters {
            timer_granularity: JIFFY_MS,
            max_datagram_size: mss_bytes,
            initial_congestion_window: u64::from(run.host.initial_window_segments) * u64::from(mss_bytes),
        };
        serde_json::to_writer(&mut out, &Event::at(flow.start_ns, first))?;
        let (ledger, metrics) = (Ledger::default(), Metrics::default());
        Ok(Self { path, out, line: Vec::new(), mss_bytes, ledger, acks: 0, metrics, phase: "" })
    }

    fn write(&mut self, at_ns: u64, data: Data<'_>) -> io::Result<()> {
        self.line.clear();
        self.line.extend(b",\n");
        serde_json::to_writer(&mut self.line, &Event::at(at_ns, data))?;
        self.out.write_all(&self.line)
    }

    fn sent(&mut self, frame: &Frame, cause: ResendCause) -> io::Result<()> {
        let (number, lost) = self.ledger.sent(frame.seq, frame.payload_bytes, frame.stamps_ms[0]);
        for number in lost {
            let trigger = match cause {
                ResendCause::Acks => Trigger::ReorderingThreshold,
                ResendCause::ReorderingTimer => Trigger::TimeThreshold,
                ResendCause::Timeout => Trigger::PtoExpired,
            };
            self.write(frame.at_ns, Data::Lost { header: Header::of(number), trigger })?;
        }
        let length = frame.payload_bytes;
        let stream = PacketFrame::Stream { stream_id: 0, offset: frame.seq - 1, length };
        let raw = Raw { length: frame.frame_bytes(), payload_length: length };
        self.write(
            frame.at_ns,
            Data::Packet { name: "transport:packet_sent", header: Header::of(number), raw, frames: [stream] },
        )
    }

    /// Data is where it is for, or an ACK is.
    fn passed(&mut self, frame: &Frame) -> io::Result<()> {
        match frame.point {
            CapturePoint::Receivers if !frame.to_sender && frame.payload_bytes > 0 => {
                self.ledger.arrived(frame.seq, frame.stamps_ms[0]);
                Ok(())
            }
            CapturePoint::Senders if frame.to_sender && frame.flags & flag::SYN == 0 => self.acknowledged(frame),
            _ => Ok(()),
        }
    }

    fn acknowledged(&mut self, frame: &Frame) -> io::Result<()> {
        let acked = self.ledger.acknowledged(frame.ack, &frame.blocks[..frame.block_count.into()]);
        let header = Header::of(self.acks);
        self.acks += 1;
        let raw = Raw { length: frame.frame_bytes(), payload_length: 0 };
        let frames = [PacketFrame::Ack { acked_ranges: &acked }];
        self.write(frame.at_ns, Data::Packet { name: "transport:packet_received", header, raw, frames })
    }

    fn acted(&mut self, state: &SenderState) -> io::Result<()> {
        let metrics = Metrics::of(state, self.mss_bytes, &self.metrics);
        if metrics != self.metrics {
            let changed = metrics.since(&self.metrics);
            self.metrics = metrics;
            self.write(state.at_ns, Data::Metrics(changed))?;
        }
        if state.phase != self.phase {
            let old = (!self.phase.is_empty()).then_some(self.phase);
            self.phase = state.phase;
            self.write(state.at_ns, Data::Phase { old, new: state.phase })?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<PathBuf> {
        self.out.write_all(END)?;
        self.out.finish()?.into_inner()?.sync_data()?;
        Ok(self.path)
    }
}
