//! Runs for tests.

use run::Run;
use run::samples::{flows, one_flow};

/// So many bulk flows of Reno on 80 Mbit/s and 25 ms with a buffer of one BDP, for 10 s.
pub fn run(count: usize) -> Run {
    let rtt_ns = 25_000_000;
    let mut run = one_flow("reno", 80_000_000, rtt_ns, 250_000, 10);
    run.path.burst_bytes = 5_000;
    run.flows = flows(count, "reno", rtt_ns);
    run.measure.sample_ns = 50_000_000;
    run
}
