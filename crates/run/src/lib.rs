//! What is asked of an engine, [`Run`], and what it gives back, [`Measurement`]; and of what is asked, what every engine
//! has to read alike: a workload's [`Source`].
//!
//! Everything is an integer in a base unit that its name carries (`_ns`, `_bps`, `_bytes`), so that a run has one
//! spelling and one hash. Engines measure: there is no mean, no percentile and no verdict here.

mod measurement;
mod request;
#[cfg(feature = "samples")]
pub mod samples;
mod source;

pub use measurement::{
    AckSample, FlowCounters, FlowMeasurement, FlowSeries, Histogram, Measurement, QueueCounters, QueueMeasurement,
    QueueSeries, UNSEEN,
};
pub use request::{
    Access, Buffer, Change, Controller, Flow, Host, LossAt, Measure, Path, Problem, Qdisc, Record, Run, SocketMemory,
    Workload, Write,
};
pub use source::{Act, Source};
