//! Specs of tests, out of their text.

#![allow(dead_code, reason = "each file of tests uses a part of it")]

use run::Run;
use spec::{Experiment, Files, Problem, Refusal, Registry, Resolved, parse};

/// The files that there are.
const FILES: [(&str, &str); 3] = [
    ("rates", "time,rate,delay,loss\n0,8000000,0.02,\n2,0,,\n3,16000000,0.01,0.1\n"),
    ("losses", "time,loss\n1,0.1\n"),
    ("deliveries", "0\n1\n1\n2\n"),
];

struct SomeFiles;

impl Files for SomeFiles {
    fn text(&self, name: &str) -> Result<String, Refusal> {
        let known = FILES.iter().find(|(known, _)| *known == name);
        known.map(|(_, text)| (*text).to_owned()).ok_or_else(|| Refusal::new("no such file", ""))
    }
}

/// An experiment, or what is wrong with it.
pub fn load(text: &str) -> Result<Experiment, Vec<Problem>> {
    let fields = parse(text, "spec").expect("TOML");
    Experiment::load(&fields, &SomeFiles, Registry::known())
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
