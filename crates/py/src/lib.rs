//! `dumbbell._core`: the simulator as Python calls it. Conversions and errors, no logic.
//!
//! A run comes as JSON, because it is small and hashed in that form; a measurement goes back as dictionaries with the
//! names of [`run::Measurement`]'s fields, its series as numpy arrays that take over the memory of the columns.

mod captures;
mod column;
mod failure;
mod specification;

use column::ToPython;
use failure::guarded;
use pyo3::prelude::*;
use run::{Measurement, Problem, Run};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{algorithms, attempt, check_parameters, identity, measure, measure_json, measurement, panic, problems};

    #[pymodule_export]
    use super::captures::{ack_samples, analyze_capture, capture, compare_captures};

    #[pymodule_export]
    use super::specification::{
        Experiment, amounts, assignment, choose, instead_of, is_path, keys, links, linux_controls, magnitude,
        number_and_unit, placeholders, quantity, quantity_kinds, quoted, red_mean_bits, rtt_offset_ns, run_id, schema,
        show_quantity, start_jitter_ns, suggestion, tc_lines, to_toml, variants, visible,
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Measures one run, given as the JSON of `run::Run`. The interpreter is free meanwhile.
#[pyfunction]
fn measure<'py>(py: Python<'py>, run_json: &str) -> PyResult<Bound<'py, PyAny>> {
    let run = parse(run_json)?;
    guarded(py, || sim::measure(&run))?.map_err(|problems| failure::refused(&problems))?.to_python(py)
}

/// Measures one run for so many seconds at most, and tells how far it came.
#[pyfunction]
#[expect(clippy::disallowed_methods, reason = "somebody waits in real time; how far it came is no result")]
fn attempt<'py>(py: Python<'py>, run_json: &str, most_s: f64) -> PyResult<Bound<'py, PyAny>> {
    let run = parse(run_json)?;
    let most = Duration::try_from_secs_f64(most_s).map_err(|error| failure::error(error.to_string()))?;
    let began = Instant::now();
    guarded(py, || sim::attempt(&run, &mut || began.elapsed() < most))?
        .map_err(|problems| failure::refused(&problems))?
        .to_python(py)
}

/// Measures one run; gives the JSON of `run::Measurement`: the bytes that the page in a browser computes too.
#[pyfunction]
fn measure_json(py: Python<'_>, run_json: &str) -> PyResult<Vec<u8>> {
    let run = parse(run_json)?;
    let measurement = guarded(py, || sim::measure(&run))?.map_err(|problems| failure::refused(&problems))?;
    serde_json::to_vec(&measurement).map_err(|error| failure::error(error.to_string()))
}

/// A measurement that another process made, given as the JSON of `run::Measurement`.
#[pyfunction]
fn measurement<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let measurement: Measurement =
        serde_json::from_slice(json).map_err(|error| failure::error(format!("not a measurement: {error}")))?;
    measurement.to_python(py)
}

/// `(path, message)` of every field that the simulator cannot honour.
#[pyfunction]
fn problems(py: Python<'_>, run_json: &str) -> PyResult<Vec<(String, String)>> {
    let run = parse(run_json)?;
    let problems = guarded(py, || sim::problems(&run))?;
    Ok(problems.into_iter().map(|Problem { path, message }| (path, message)).collect())
}

/// Every algorithm of the registry, with its parameters.
#[pyfunction]
fn algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    cc::algorithms().iter().map(|algorithm| algorithm.to_python(py)).collect()
}

/// What is wrong with these parameters of this algorithm; empty when nothing is.
#[pyfunction]
fn check_parameters(py: Python<'_>, algorithm: &str, parameters: BTreeMap<String, f64>) -> PyResult<Vec<String>> {
    guarded(py, || cc::check(algorithm, &parameters).into_iter().map(|error| error.to_string()).collect())
}

/// Hash of what decides a measurement's bytes: the model's code and the locked packages that it uses.
#[pyfunction]
fn identity() -> &'static str {
    env!("DUMBBELL_IDENTITY")
}

/// Panics, so that a test can see what a panic becomes.
#[pyfunction]
#[pyo3(name = "_panic")]
fn panic(py: Python<'_>, message: &str) -> PyResult<()> {
    guarded(py, || panic!("{message}"))
}

fn parse(run_json: &str) -> PyResult<Run> {
    serde_json::from_str(run_json).map_err(|error| failure::error(format!("not a run: {error}")))
}
