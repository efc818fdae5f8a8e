//! What is asked of an engine, [`Run`], and what it gives back, [`Measurement`]; and of what is asked, what every engine
//! has to read and write alike: a workload's [`Source`], the [`Places`] in the words of a program, and the [`Recorder`].
//!
//! Everything is an integer in a base unit that its name carries (`_ns`, `_bps`, `_bytes`), so that a run has one
//! spelling and one hash. Engines measure: there is no mean, no percentile and no verdict here.

mod capture_point;
mod frame;
mod hop;
mod measurement;
mod path;
mod ping_log;
mod placeholder;
mod queue_discipline;
mod queue_log;
mod recorder;
mod request;
#[cfg(feature = "samples")]
pub mod samples;
mod source;

pub use capture_point::{CapturePoint, CapturePoints};
pub use frame::{Frame, ResendCause, Seen, SenderState, flag};
pub use hop::{Buffer, Change, Direction, ETHERNET_HEADER_BYTES, Hop, LossAt, Route, ShaperKind};
pub use measurement::{
    AckSample, FlowCounters, FlowMeasurement, FlowSeries, Histogram, HopMeasurement, Measurement, NEVER_NS, Pings,
    Program, ProgramEnd, QueueCounters, QueueMeasurement, QueueSeries, SsSample, Transfers, UNSEEN,
};
pub use path::{FRAME_HEADERS_BYTES, PING_HEADERS_BYTES, SEGMENT_HEADERS_BYTES, changes};
pub use ping_log::PingLog;
pub use placeholder::Places;
pub use queue_discipline::{Codel, DualPi2, Fq, FqCodel, Pie, QueueDiscipline, Red};
pub use queue_log::{QueueEvent, QueueLog};
pub use recorder::{Gauges, Mark, Milestone, Recorder, SharedGauges, arrival, milestones};
pub use request::{
    Access, AccessKind, AlgorithmChoice, Arrival, Ecn, Flow, Host, Measure, Path, Problem, Qdisc, Record, Run,
    ShaperAt, SocketMemory, User, Workload, Write,
};
pub use source::{Act, Source};
