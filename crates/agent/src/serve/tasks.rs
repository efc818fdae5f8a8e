//! [`TaskRequest`]: what can be asked about tasks.

use crate::failure::Failure;
use crate::job::Job;
use crate::lead::{COMPLETE, FINISH, GO, READY};
use crate::task::{CAPTURES, OUTCOME, TaskFolder};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use run::CapturePoint;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where the folders of all tasks are, from the home folder of the SSH user.
const HOME: &str = ".dumbbell/tasks";
const AGENTS: &str = ".dumbbell";
/// A piece of a file has at most so many.
const PIECE_BYTES: usize = 1 << 20;
const LIVE: &str = "live.jsonl";

/// A request about a task.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TaskRequest {
    /// Begins a job, unless it has begun.
    Start {
        /// What it is called from now on.
        id: String,
        /// Where it says that captures are to be, they are in the task's folder.
        job: Box<Job>,
    },
    /// Says when the run's time 0 is, on CLOCK_MONOTONIC.
    Go {
        /// Of which task.
        id: String,
        /// The instant.
        zero_ns: u64,
    },
    /// The run is over everywhere.
    Finish {
        /// Of which task.
        id: String,
    },
    /// How a task stands.
    State {
        /// Which.
        id: String,
    },
    /// A piece of what it leaves.
    Collect {
        /// Of which task.
        id: String,
        /// Of which file.
        file: TaskFile,
        /// Where the piece begins.
        offset: u64,
    },
    /// Ends it, and removes what it leaves.
    Remove {
        /// Which.
        id: String,
    },
    /// All that there are.
    Tasks,
    /// Takes away what was left without a task, and agents with their folder.
    Clean,
}

/// What a task leaves.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskFile {
    Outcome,
    /// What its flows do while it runs.
    Live,
    #[serde(untagged)]
    Capture(CapturePoint),
}

/// What is answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskAnswer {
    /// It has begun now.
    Start(bool),
    Go(()),
    Finish(()),
    State(Box<State>),
    /// In base64 (RFC 4648); empty: there is no more.
    Collect(String),
    Remove(()),
    Tasks(Vec<String>),
    Clean(()),
}

/// How a task stands.
#[derive(Debug, Serialize)]
pub struct State {
    /// There is one.
    exists: bool,
    runs: bool,
    /// All is set up for time 0.
    ready: bool,
    /// When time 0 is has been said.
    begun: bool,
    /// All finite workloads are complete of which it has an end.
    complete: bool,
    /// Sizes of what it has left.
    outcome_bytes: Option<u64>,
    captures: Vec<(CapturePoint, u64)>,
    /// The end of what it said.
    console: String,
}

impl TaskRequest {
    /// Does what is asked for.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn answer(&self) -> Result<TaskAnswer, Failure> {
        Ok(match self {
            Self::Start { id, job } => {
                let mut job = job.clone();
                job.captures = job.captures.as_ref().map(|_| PathBuf::from(CAPTURES));
                job.live = job.live.as_ref().map(|_| PathBuf::from(LIVE));
                TaskAnswer::Start(folder(id)?.begin(&job)?)
            }
            Self::Go { id, zero_ns } => TaskAnswer::Go(folder(id)?.say(GO, &zero_ns.to_string())?),
            Self::Finish { id } => TaskAnswer::Finish(folder(id)?.say(FINISH, "")?),
            Self::State { id } => TaskAnswer::State(Box::new(state(&folder(id)?))),
            Self::Collect { id, file, offset } => {
                TaskAnswer::Collect(STANDARD.encode(folder(id)?.read(&file.name(), *offset, PIECE_BYTES)?))
            }
            Self::Remove { id } => TaskAnswer::Remove(folder(id)?.remove()?),
            Self::Tasks => TaskAnswer::Tasks(TaskFolder::ids(Path::new(HOME))?),
            Self::Clean => TaskAnswer::Clean(clean()?),
        })
    }
}

fn folder(id: &str) -> Result<TaskFolder, Failure> {
    TaskFolder::new(Path::new(HOME), id)
        .ok_or_else(|| Failure("a task's id has 1 to 64 letters, digits and hyphens".to_owned()))
}

/// What is in the folder of agents is theirs and their tasks'; where something else is there, the folder stays.
fn clean() -> Result<(), Failure> {
    let failed = |error| Failure::of(format!("remove {AGENTS}"), error);
    if !TaskFolder::ids(Path::new(HOME))?.is_empty() {
        return Err(Failure(format!("remove {AGENTS}: tasks are left")));
    }
    for folder in [HOME, AGENTS] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("agent-") {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        match fs::remove_dir(folder) {
            Err(error) if ![ErrorKind::NotFound, ErrorKind::DirectoryNotEmpty].contains(&error.kind()) => {
                return Err(failed(error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn state(folder: &TaskFolder) -> State {
    // In this order: one that has ended since has left all by now.
    let runs = folder.keeper().is_some();
    let size = |point: CapturePoint| folder.size(&TaskFile::Capture(point).name()).map(|bytes| (point, bytes));
    State {
        exists: folder.exists(),
        runs,
        ready: folder.has(READY),
        begun: folder.has(GO),
        complete: folder.has(COMPLETE),
        outcome_bytes: folder.size(OUTCOME),
        captures: CapturePoint::ALL.into_iter().filter_map(size).collect(),
        console: folder.console(),
    }
}

impl TaskFile {
    fn name(self) -> String {
        match self {
            Self::Outcome => OUTCOME.to_owned(),
            Self::Live => LIVE.to_owned(),
            Self::Capture(point) => format!("{CAPTURES}/{}.pcapng.zst", point.name()),
        }
    }
}
