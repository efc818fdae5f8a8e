//! Specs of tests, out of their text.

#![allow(dead_code, reason = "each file of tests uses a part of it")]

use run::Run;
use spec::{Experiment, Files, Problem, Refusal, Registry, Resolved, parse};

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &str) -> Result<String, Refusal> {
        Err(Refusal::new("no such file", ""))
    }
}

/// An experiment, or what is wrong with it.
pub fn load(text: &str) -> Result<Experiment, Vec<Problem>> {
    let fields = parse(text, "spec").expect("TOML");
    Experiment::load(&fields, &NoFiles, Registry::known())
}

pub fn experiment(text: &str) -> Experiment {
    load(text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

pub fn resolved(experiment: &Experiment, point: usize) -> Resolved {
    experiment.point(point).resolve(1, false).expect("a run")
}

pub fn run(text: &str) -> Run {
    resolved(&experiment(text), 0).run
}

/// Every problem as a line.
pub fn problems(text: &str) -> Vec<String> {
    load(text).map(|_| ()).expect_err(text).iter().map(ToString::to_string).collect()
}
