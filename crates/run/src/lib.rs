//! What is asked of an engine, [`Run`], and what it gives back, [`Measurement`]; and of what is asked, what every engine
//! has to read and write alike: a workload's [`Source`], [`Datagrams`] or [`Pages`], the [`Places`] in the words of a program, and the [`Recorder`].
//!
//! Everything is an integer in a base unit that its name carries (`_ns`, `_bps`, `_bytes`), so that a run has one
//! spelling and one hash. Engines measure: there is no mean, no percentile and no verdict here.

mod buffer;
mod capture_point;
mod change;
mod datagram_log;
mod datagrams;
mod default;
mod frame;
mod gauges;
mod hop;
mod impairment;
mod measurement;
mod media;
mod normal;
mod pages;
mod path;
mod placeholder;
mod queue_discipline;
mod queue_log;
mod recorder;
mod request;
#[cfg(feature = "samples")]
pub mod samples;
mod sizes;
mod source;
mod stream;
mod trace;

pub use buffer::Buffer;
pub use capture_point::{CapturePoint, CapturePoints};
pub use change::Change;
pub use datagram_log::DatagramLog;
pub use datagrams::{Datagram, Datagrams};
pub use frame::{Frame, ResendCause, Seen, SenderState, flag};
pub use gauges::{Gauges, SharedGauges};
pub use hop::{Direction, ETHERNET_HEADER_BYTES, Hop, LossAt, Route, ShaperKind};
pub use impairment::{Distribution, GilbertElliott, Impairments, Police, Reorder};
pub use measurement::{
    AckSample, FlowCounters, FlowMeasurement, FlowSeries, Histogram, HopMeasurement, Measurement, MediaFrames,
    NEVER_NS, PageLoads, Program, ProgramEnd, QueueCounters, QueueMeasurement, QueueSeries, SentDatagrams, SsSample,
    Transfers, UNSEEN,
};
pub use media::{MEDIA_PHASES, Media, MediaSettings, REPORT_BYTES};
pub use pages::Pages;
pub use path::{Changes, FRAME_HEADERS_BYTES, SEGMENT_HEADERS_BYTES, UDP_HEADERS_BYTES};
pub use placeholder::Places;
pub use queue_discipline::{Codel, DualPi2, Fq, FqCodel, Pie, QueueDiscipline, Red};
pub use queue_log::{QueueEvent, QueueLog};
pub use recorder::{Mark, Milestone, Recorder, arrival, milestones};
pub use request::{
    Access, AccessKind, AlgorithmChoice, Arrival, Ecn, Flow, Host, Measure, Path, Problem, Qdisc, Record, Run,
    ShaperAt, SocketMemory, Spacing, Think, User, Workload, Write,
};
pub use sizes::Sizes;
pub use source::{Act, Source};
pub use stream::{Stream, stream, stream_seed};
pub use trace::Trace;
