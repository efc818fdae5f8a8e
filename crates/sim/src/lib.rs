//! The default engine: a packet-level model of Linux TCP over one bottleneck, in virtual time.
//!
//! `engine` orders events, `net` moves packets, `tcp` sends and receives them, `trace` counts and
//! samples, and `simulation` is one run of all of them.

// A number is cut off in `units::conversion`, where its name says what bounds it, and nowhere else.
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod attempt;
mod engine;
mod index;
mod net;
mod serial;
mod simulation;
mod tcp;
mod trace;

pub use attempt::Attempt;
use run::{Direction, Measurement, Problem, QueueDiscipline, QueueLog, Run, Seen};
use simulation::Simulation;
use std::vec::Drain;
use units::Time;

/// So many files are open at once while senders are logged.
const MOST_LOGS: usize = 256;

/// Measures one run.
///
/// # Errors
/// Every field that this engine or an algorithm cannot honour.
pub fn measure(run: &Run) -> Result<Measurement, Vec<Problem>> {
    checked(run)?;
    Ok(Simulation::new(run, false).measure(&mut || true).0)
}

/// Measures one run, and gives what is to be [captured and logged](run::Measure) of it, in order of time, until `take` says
/// that it wants no more: then what was measured is no whole run.
///
/// # Errors
/// As [`measure`].
pub fn capture(run: &Run, take: &mut dyn FnMut(Drain<'_, Seen>) -> bool) -> Result<Measurement, Vec<Problem>> {
    checked(run)?;
    Ok(Simulation::new(run, true).capture(take))
}

/// Measures one run, and logs what becomes of each frame at the bottleneck's queue from an instant on.
///
/// # Errors
/// As [`measure`].
pub fn watch(run: &Run, from_ns: u64) -> Result<(Measurement, QueueLog), Vec<Problem>> {
    checked(run)?;
    Ok(Simulation::new(run, true).watch(Time::from_nanos(from_ns)))
}

/// Measures one run to its end, or until `goes_on` says no, which is asked after every few events.
///
/// # Errors
/// As [`measure`].
pub fn attempt(run: &Run, goes_on: &mut dyn FnMut() -> bool) -> Result<Attempt, Vec<Problem>> {
    checked(run)?;
    let (measurement, ended) = Simulation::new(run, false).measure(goes_on);
    Ok(Attempt::of(measurement, ended))
}

fn checked(run: &Run) -> Result<(), Vec<Problem>> {
    let problems = problems(run);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Every field of `run` that this engine or an algorithm cannot honour; empty when it can measure it.
pub fn problems(run: &Run) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    if run.path.jitter_ns.is_none() {
        problems.push(Problem {
            path: "path.jitter".to_owned(),
            message: "null, a machine's own noise: the simulator has none, and is to be told how much".to_owned(),
        });
    }
    for direction in Direction::BOTH {
        for (table, hop) in run.path.tables(direction).zip(run.path.hops(direction)) {
            if hop.qdisc == QueueDiscipline::Cake {
                let name = hop.qdisc.name();
                let message = format!(
                    "the simulator has no {name}; the engines \"netns\" and \"linux\" have, where the kernel has"
                );
                problems.push(Problem { path: format!("{table}.qdisc"), message });
            }
        }
    }
    if run.measure.ss_ns.is_some() {
        problems.push(Problem {
            path: "measure.ss".to_owned(),
            message: "the simulator has no sockets that ss could look at; the engines \"netns\" and \"linux\" have"
                .to_owned(),
        });
    }
    let logs = run.flows.iter().filter(|flow| !flow.is_source() && !flow.has_datagrams()).count();
    if run.measure.qlog && !(1..=MOST_LOGS).contains(&logs) {
        let message = if logs == 0 {
            "\"qlog\" has a file for each flow that is no source of short transfers, and there is none".to_owned()
        } else {
            format!("\"qlog\" has a file for each flow, and {logs} are too many; at most {MOST_LOGS}")
        };
        problems.push(Problem { path: "measure.record".to_owned(), message });
    }
    for (index, flow) in run.flows.iter().enumerate() {
        if flow.is_program() {
            problems.push(Problem {
                path: format!("flows[{index}].workload"),
                message: "a command: the simulator runs no programs; the engines \"netns\" and \"linux\" do".to_owned(),
            });
        }
        if run.measure.snap_bytes.is_some() && flow.has_pages() {
            problems.push(Problem {
                path: format!("flows[{index}].workload"),
                message: "pages: the simulator's captures have no data of receivers; the engines \"netns\" and \"linux\" have"
                    .to_owned(),
            });
        }
        if run.measure.snap_bytes.is_some() && flow.has_datagrams() {
            problems.push(Problem {
                path: format!("flows[{index}].workload"),
                message:
                    "datagrams: the simulator's captures have TCP only; the engines \"netns\" and \"linux\" have all"
                        .to_owned(),
            });
        }
        for error in flow.cc.iter().flat_map(|cc| cc::check(&cc.algorithm, &cc.parameters)) {
            problems.push(Problem { path: format!("flows[{index}].cc"), message: error.to_string() });
        }
    }
    problems
}
