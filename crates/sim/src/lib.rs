//! The default engine: a packet-level model of Linux TCP over one bottleneck, in virtual time.

use run::{Measurement, Problem, Run};

/// Measures one run.
///
/// # Errors
/// Every field that this engine or an algorithm cannot honour.
pub fn measure(run: &Run) -> Result<Measurement, Vec<Problem>> {
    let _ = run;
    Ok(Measurement::default())
}

/// Every field of `run` that this engine or an algorithm cannot honour; empty when it can measure it.
pub fn problems(run: &Run) -> Vec<Problem> {
    let _ = run;
    Vec::new()
}
