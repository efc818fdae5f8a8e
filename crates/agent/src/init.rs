//! The role of process 1 in a kernel of its own, and the role `run` on a kernel that others use too: reads a job, does
//! it, writes its outcome.

use crate::failure::Failure;
use crate::job::{Job, Outcome, Task};
use crate::network::Network;
use crate::{probe, traffic};
use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use nix::sys::resource::{Resource, setrlimit};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

/// Where the job is, in the folder that is this kernel's root.
const JOB: &str = "/job.json";
/// Where its outcome goes.
const OUTCOME: &str = "/outcome.json";
/// Open files: a flow has up to three. The kernel's own limit (`fs.nr_open`).
const FILES: u64 = 1 << 20;

/// Process 1: does the job and switches the kernel off, whatever happens.
pub fn init() -> ! {
    let outcome = mount_all().map_or_else(|failure| Outcome::Failed(failure.0), |()| outcome_of(Path::new(JOB)));
    if let Err(failure) = write(&outcome, Path::new(OUTCOME)) {
        // Nobody but the console can be told.
        let cause = if let Outcome::Failed(words) = &outcome { words } else { "the job was done" };
        eprintln!("dumbbell-agent: {failure}; before that: {cause}");
    }
    // Only a process that may not can fail to; then the kernel panics as process 1 ends, which ends it too.
    match reboot(RebootMode::RB_POWER_OFF) {
        Err(errno) => panic!("cannot switch off: {errno}"),
    }
}

/// The role `run`: the same on a kernel that goes on.
///
/// # Errors
/// The outcome cannot be written; what went wrong with the job is in the outcome.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let (Some(job), Some(outcome), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err(Failure("run takes two arguments: JOB OUTCOME".to_owned()));
    };
    write(&outcome_of(Path::new(&job)), Path::new(&outcome))
}

/// Does a job.
fn outcome_of(job: &Path) -> Outcome {
    guarded(|| read(job).and_then(|job| carry_out(&job)))
}

/// What goes wrong is an outcome too, a panic included.
fn guarded(work: impl FnOnce() -> Result<Outcome, Failure>) -> Outcome {
    let (sender, words) = std::sync::mpsc::channel();
    panic::set_hook(Box::new(move |info| sender.send(info.to_string()).unwrap_or_default()));
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(failure)) => Outcome::Failed(failure.0),
        Err(_) => Outcome::Failed(words.try_iter().last().unwrap_or_else(|| "a panic without words".to_owned())),
    }
}

fn read(path: &Path) -> Result<Job, Failure> {
    let attempt = || format!("read {}", path.display());
    let bytes = fs::read(path).map_err(|error| Failure::of(attempt(), error))?;
    serde_json::from_slice(&bytes).map_err(|error| Failure::of(attempt(), error))
}

fn carry_out(job: &Job) -> Result<Outcome, Failure> {
    // One who may not raise it may have enough.
    setrlimit(Resource::RLIMIT_NOFILE, FILES, FILES).unwrap_or_default();
    let reorder_ppb = if let Task::Probe { reorder_ppb } = job.task { reorder_ppb } else { 0 };
    let mut network = Network::build(&job.run, reorder_ppb).map_err(|error| Failure::of("build the network", error))?;
    match job.task {
        Task::Measure => {
            traffic::measure(&job.run, &job.controls, &mut network).map(|it| Outcome::Measured(Box::new(it)))
        }
        Task::Probe { .. } => probe::probe(&mut network, &job.run)
            .map(Outcome::Probed)
            .map_err(|error| Failure::of("probe the path", error)),
    }
}

/// Writes an outcome under a temporary name and renames it: what has the name is whole.
fn write(outcome: &Outcome, path: &Path) -> Result<(), Failure> {
    let bytes = serde_json::to_vec(outcome).map_err(|error| Failure::of("spell the outcome", error))?;
    let part = path.with_extension("part");
    let attempt = || {
        let mut file = File::create(&part)?;
        file.write_all(&bytes)?;
        // A full disk of the host is only felt here.
        file.sync_all()?;
        fs::rename(&part, path)
    };
    attempt().map_err(|error| {
        fs::remove_file(&part).unwrap_or_default();
        Failure::of(format!("write {}", path.display()), error)
    })
}

/// The file systems that describe the kernel; the root is there.
fn mount_all() -> Result<(), Failure> {
    for (kind, at) in [("proc", "/proc"), ("sysfs", "/sys")] {
        mount(Some(kind), at, Some(kind), MsFlags::empty(), None::<&str>)
            .map_err(|errno| Failure::of(format!("mount {at}"), errno))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_outcome_with_its_words() {
        let outcome = guarded(|| panic!("flows[3] has no end"));
        drop(panic::take_hook());
        let Outcome::Failed(words) = outcome else { panic!("{outcome:?}") };
        assert!(words.contains("flows[3] has no end") && words.contains("init.rs"), "{words}");
    }
}
