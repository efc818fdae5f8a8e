//! [`Machine`], and its [`Means`]: which queueing disciplines its kernel has, and which ECN. Many kernels of the cloud lack some.

use serde::{Deserialize, Serialize};

/// Whose kernel the path is built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Machine {
    /// One that runs for this job alone, in virtual time: the agent is its first process.
    #[default]
    Own,
    /// A machine's, on which others work too. Nothing but what the agent makes is touched.
    Shared,
}

/// What a kernel can do. Where it cannot delay, spread or lose packets, the agent's relay does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Means {
    /// `tbf` with a `bfifo`: without it there is no bottleneck.
    pub tbf: bool,
    /// `htb` with a `bfifo`: a bottleneck whose bucket may owe.
    pub htb: bool,
    /// A bottleneck at the receivers' ingress: `ifb`, `ingress`, the filter `u32` and its action `mirred`.
    pub ifb: bool,
    /// Delays and timing noise.
    pub netem: bool,
    /// Random loss that spares handshakes: `prio`, `netem` and the filter `u32`.
    pub loss: bool,
    /// The senders' pacing queue, and one of a path.
    pub fq: bool,
    /// A path's queue by CoDel; and by the others.
    pub codel: bool,
    /// FQ-CoDel.
    pub fq_codel: bool,
    /// PIE.
    pub pie: bool,
    /// RED.
    pub red: bool,
    /// DualPI2, since Linux 6.17.
    pub dualpi2: bool,
    /// CAKE.
    pub cake: bool,
    /// Policers: `clsact`, the filter `u32` and its action `police`.
    pub police: bool,
    /// Its TCP knows accurate ECN, since Linux 7.0.
    pub accurate_ecn: bool,
}

impl Means {
    /// All of it.
    pub const ALL: Self = Self {
        tbf: true,
        htb: true,
        ifb: true,
        netem: true,
        loss: true,
        fq: true,
        codel: true,
        fq_codel: true,
        pie: true,
        red: true,
        dualpi2: true,
        cake: true,
        police: true,
        accurate_ecn: true,
    };
}
