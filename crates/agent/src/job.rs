//! [`Job`]: what the agent is told to do, and [`Outcome`]: what came of it. Both are JSON files in the folder that it
//! can see.

use crate::network::{Machine, StepDescription};
use crate::part::Part;
use run::{Histogram, Measurement, Run};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The path to build, and the flows on it.
    pub run: Run,
    /// The kernel's name of each flow's congestion control, in the run's order.
    pub controls: Vec<String>,
    /// What to do on that path.
    pub task: Task,
    /// Whose kernel it is.
    #[serde(default)]
    pub machine: Machine,
    /// The process whose end is this job's end, where the kernel is a machine's; none: whoever started the agent.
    #[serde(default)]
    pub controller: Option<i32>,
    /// Where programs start, and where those are that are named by a relative path; none: at the root.
    #[serde(default)]
    pub folder: Option<String>,
    /// Where captures go, a folder that is there; none: nothing is captured.
    #[serde(default)]
    pub captures: Option<PathBuf>,
    /// The file that gets lines about the flows while they run; none: nobody watches.
    #[serde(default)]
    pub live: Option<PathBuf>,
    /// Who programs run as, unless the run says root; none: whoever the agent is.
    #[serde(default)]
    pub caller: Option<Caller>,
    /// What of the run this machine does, where several do it together; none: all of it.
    #[serde(default)]
    pub part: Option<Part>,
}

/// The user who calls, by the machine's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// The user's number.
    pub uid: u32,
    /// That of the user's first group.
    pub gid: u32,
    /// Those of all groups.
    pub groups: Vec<u32>,
    /// The home folder; none: programs have no other than the engine gives them.
    #[serde(default)]
    pub home: Option<String>,
}

/// What a job is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// Carry out the run.
    Measure,
    /// Probe the path with packet trains instead, no congestion control involved.
    Probe {
        /// Packets that the path is made to reorder, in parts per billion: a fault that no run has, for tests of
        /// whoever judges the report.
        reorder_ppb: u32,
    },
    /// Carry out the run, and tell what the machine's timing did to its packets.
    Noise,
    /// Tell the steps that would build the path, and build nothing.
    Plan {
        /// What the names of namespaces have in common.
        id: String,
    },
}

impl Task {
    /// In a word.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::Probe { .. } => "probe",
            Self::Noise => "noise",
            Self::Plan { .. } => "plan",
        }
    }
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The run was carried out.
    Measured(Box<Measurement>),
    /// The path was probed.
    Probed(PathReport),
    /// The machine's noise.
    Noise(NoiseReport),
    /// What would build the path, in order.
    Planned(Vec<StepDescription>),
    /// Neither: what went wrong, and where.
    Failed(String),
}

/// A path as packet trains saw it. It holds what was seen; whether that is right is not the agent's to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathReport {
    /// Rate of the bottleneck, charged on Ethernet frames, from the dispersion of a train.
    pub rate_bps: u64,
    /// Round-trip time of a small packet on the idle path, for each flow.
    pub rtt_ns: Vec<u64>,
    /// Bytes of frames that the queue took before it dropped, what the token bucket let through at once not counted.
    pub queue_bytes: u64,
    /// The same in frames.
    pub queue_packets: u64,
    /// Frames sent below the bottleneck's rate, so that only random loss could take them.
    pub spaced_packets: u64,
    /// Of these, those that did not arrive.
    pub lost_packets: u64,
    /// Frames that arrived after one that was sent later, in all trains.
    pub reordered_packets: u64,
}

/// What a machine's timing does to packets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseReport {
    /// How long after its time, and beyond what the fastest took, each packet came that was sent by the clock, in
    /// nanoseconds.
    pub release_late: Histogram,
    /// Times between two packets that came to the senders, ACKs, in nanoseconds.
    pub ack_gaps: Histogram,
}
