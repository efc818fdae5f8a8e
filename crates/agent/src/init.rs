//! The role of process 1 in a kernel of its own, and the roles `run`, `hold` and `means` on a kernel that others use too:
//! reads a job, does it, writes its outcome.

use crate::console;
use crate::enclosure::{die_with, enclosed, reap_until, split};
use crate::failure::Failure;
use crate::job::{Job, Outcome, Task};
use crate::lead::Lead;
use crate::network::{self, Machine, Means, Network};
use crate::traffic::Surroundings;
use crate::{noise, probe, traffic};
use nix::mount::{MsFlags, mount};
use nix::sys::prctl::set_timerslack;
use nix::sys::reboot::{RebootMode, reboot};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{ForkResult, getppid};
use run::Flow;
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// Where the job is, in the folder that is this kernel's root.
const JOB: &str = "/job.json";
/// Where its outcome goes.
const OUTCOME: &str = "/outcome.json";
/// Open files: a flow has up to three. The kernel's own limit (`fs.nr_open`).
const FILES: u64 = 1 << 20;

/// Process 1: does the job and switches the kernel off, whatever happens. Where programs may leave orphans it reaps
/// them, and only a child, which does the job, returns. A run without programs has no such child: that would take some
/// of the numbers that this kernel has for random ones, and so make another run of it.
///
/// # Errors
/// The child cannot write the outcome; what went wrong with the job is in the outcome.
pub fn init() -> Result<(), Failure> {
    let job = Path::new(JOB);
    let has_programs = || read(job).is_ok_and(|job| job.run.flows.iter().any(Flow::is_program));
    let failed = |failure: Failure| leave(&Outcome::Failed(failure.0));
    let left = match mount_all().and_then(|()| has_programs().then(split).transpose()) {
        Ok(None) => leave(&outcome_of(job)),
        Ok(Some(ForkResult::Child)) => return leave(&outcome_of(job)),
        Ok(Some(ForkResult::Parent { child })) => reap_until(child).map(|_| ()).or_else(failed),
        Err(failure) => failed(failure),
    };
    if let Err(failure) = left {
        console::print_line(&format!("dumbbell-agent: {failure}"));
    }
    // Only a process that may not can fail to; then the kernel panics as process 1 ends, which ends it too.
    match reboot(RebootMode::RB_POWER_OFF) {
        Err(errno) => panic!("cannot switch off: {errno}"),
    }
}

/// Leaves the outcome where it is looked for. If that fails nobody but the console can be told.
fn leave(outcome: &Outcome) -> Result<(), Failure> {
    let cause = if let Outcome::Failed(message) = outcome { message } else { "the job was done" };
    write(outcome, Path::new(OUTCOME)).map_err(|failure| Failure(format!("{failure}; before that: {cause}")))
}

/// The role `run`: the same on a kernel that goes on.
///
/// # Errors
/// The outcome cannot be written; what went wrong with the job is in the outcome.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let (Some(job), Some(outcome), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err(Failure("run takes two arguments: JOB OUTCOME".to_owned()));
    };
    let (job, outcome) = (Path::new(&job), Path::new(&outcome));
    // What is wrong with a job is found again, and told, where it is done.
    match read(job) {
        Ok(Job {
            machine: Machine::Shared,
            task: Task::Measure | Task::Noise | Task::Probe { .. },
            controller,
            part,
            ..
        }) if part.is_none() || geteuid().is_root() => enclosed(controller, || write(&outcome_of(job), outcome)),
        // A user who is not root makes nothing that could stay.
        Ok(Job { part: Some(_), .. }) => {
            die_with(getppid())?;
            write(&outcome_of(job), outcome)
        }
        _ => write(&outcome_of(job), outcome),
    }
}

/// The role `hold`: builds the path of a job on the machine's own kernel, prints where its namespaces are, as a JSON object
/// (`nsenter --net=PATH` enters one), and keeps it until its standard input ends.
///
/// # Errors
/// The path cannot be built.
pub fn hold(mut arguments: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let (Some(job), None) = (arguments.next(), arguments.next()) else {
        return Err(Failure("hold takes one argument: JOB".to_owned()));
    };
    let job = read(Path::new(&job))?;
    enclosed(job.controller, || {
        let network = build(&job)?;
        // Numbers of processes are those of the enclosure here: others find it by its descriptors' targets.
        let text = serde_json::to_string(&network.namespaces()).map_err(|error| Failure::of("spell them", error))?;
        writeln!(std::io::stdout(), "{text}").map_err(|error| Failure::of("write them", error))?;
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).map_err(|error| Failure::of("wait", error))?;
        Ok(())
    })
}

/// The role `means`: prints what this machine's kernel can do, as JSON.
///
/// # Errors
/// One must be root to find out.
pub fn means() -> Result<(), Failure> {
    let means =
        Means::find().map_err(|error| Failure::of("try queueing disciplines, for which one must be root", error))?;
    let text = serde_json::to_string(&means).map_err(|error| Failure::of("spell them", error))?;
    writeln!(std::io::stdout(), "{text}").map_err(|error| Failure::of("write them", error))
}

/// Does a job.
fn outcome_of(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("/"));
    guarded(|| read(path).and_then(|job| execute_job(&job, folder)))
}

/// What goes wrong is an outcome too, a panic included.
fn guarded(work: impl FnOnce() -> Result<Outcome, Failure>) -> Outcome {
    let (sender, messages) = std::sync::mpsc::channel();
    panic::set_hook(Box::new(move |info| sender.send(info.to_string()).unwrap_or_default()));
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(failure)) => Outcome::Failed(failure.0),
        Err(_) => Outcome::Failed(messages.try_iter().last().unwrap_or_else(|| "a panic without words".to_owned())),
    }
}

fn read(path: &Path) -> Result<Job, Failure> {
    let attempt = || format!("read {}", path.display());
    let bytes = fs::read(path).map_err(|error| Failure::of(attempt(), error))?;
    parse(&bytes).map_err(|error| Failure::of(attempt(), error))
}

/// A job as it is spelt.
pub fn parse(bytes: &[u8]) -> serde_json::Result<Job> {
    serde_json::from_slice(bytes)
}

/// `folder`: there is room in it for what programs write.
fn execute_job(job: &Job, folder: &Path) -> Result<Outcome, Failure> {
    if let Task::Plan { id } = &job.task {
        // Where that cannot be found out, as most kernels.
        let means = if job.machine == Machine::Shared { Means::find_unprivileged() } else { Means::ALL };
        return network::describe_steps(&job.run, &job.controls, job.machine, means, id)
            .map(Outcome::Planned)
            .map_err(|error| Failure::of("plan the network", error));
    }
    let mut network = build(job)?;
    if job.machine == Machine::Shared {
        console::print_line(&format!("the network is built: {}", job.task.name()));
    }
    if matches!(job.task, Task::Probe { .. }) {
        return probe::probe(&mut network, &job.run)
            .map(Outcome::Probed)
            .map_err(|error| Failure::of("probe the path", error));
    }
    let root = if job.machine == Machine::Own
        && (job.run.measure.ss_ns.is_some() || job.run.flows.iter().any(Flow::is_program))
    {
        Some(host_root()?)
    } else {
        None
    };
    let start_in = PathBuf::from(job.folder.as_deref().unwrap_or("/"));
    let lead = job.part.as_ref().map(|_| Lead::new(folder));
    let surroundings = Surroundings { root, start_in, folder: folder.to_owned(), caller: job.caller.clone(), lead };
    if matches!(job.task, Task::Noise) {
        return noise::measure(&job.run, &job.controls, &mut network, &surroundings).map(Outcome::Noise);
    }
    let files = traffic::Files { captures: job.captures.as_deref(), live: job.live.as_deref() };
    let mut measurement = traffic::measure(&job.run, &job.controls, &mut network, &surroundings, files)?;
    if surroundings.root.is_some() {
        let description = "this machine's, mounted to be read; /dev/shm is memory of theirs";
        measurement.facts.insert("root of programs".to_owned(), description.to_owned());
    }
    Ok(Outcome::Measured(Box::new(measurement)))
}

/// The path of a job.
fn build(job: &Job) -> Result<Network, Failure> {
    // One who may not raise it may have enough.
    setrlimit(Resource::RLIMIT_NOFILE, FILES, FILES).unwrap_or_default();
    if matches!(job.task, Task::Probe { .. }) && job.run.path.has_several_hops() {
        return Err(Failure(
            "probe the path: packet trains can judge a path of one queue, and this one has several".to_owned(),
        ));
    }
    let reorder_ppb = if let Task::Probe { reorder_ppb } = job.task { reorder_ppb } else { 0 };
    let building = |error| Failure::of("build the network", error);
    let means = match job.machine {
        Machine::Own => Means::ALL,
        Machine::Shared => {
            // Sleeps would take up to 50 us longer.
            set_timerslack(1).map_err(|errno| Failure::of("timer slack", errno))?;
            // To find it takes namespaces, which only root may make; without a path nothing is asked of it.
            let needs = job.part.as_ref().is_none_or(|part| part.passage.is_some());
            if needs { Means::find().map_err(building)? } else { Means::ALL }
        }
    };
    if let Some(part) = &job.part {
        return Network::of_part(&job.run, part, means).map_err(building);
    }
    Network::build(&job.run, &job.controls, reorder_ppb, job.machine, means).map_err(building)
}

/// The root of the machine that this kernel is a process of, for its programs. That they cannot mount it again, to be
/// written to, is because they have no capabilities; that nothing in this kernel can write to it, whatever it has, is
/// because its process is confined (`boot`), where the machine's kernel can do that.
fn host_root() -> Result<PathBuf, Failure> {
    const ROOT: &str = "/host";
    let plain = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    fs::create_dir_all(ROOT).map_err(|error| Failure::of(format!("make {ROOT}"), error))?;
    for (kind, at, flags, data) in [
        // Its devices are this kernel's: /dev/null is one.
        ("hostfs", ROOT, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID, Some("/")),
        // Settings of what measures are there too, and root's to change without any capability.
        ("proc", "/host/proc", MsFlags::MS_RDONLY | plain, None),
        // What is in /tmp may be what a program is to read: this is its place to write.
        ("tmpfs", "/host/dev/shm", plain, None),
    ] {
        mount(Some("none"), at, Some(kind), flags, data).map_err(|error| Failure::of(format!("mount {at}"), error))?;
    }
    Ok(ROOT.into())
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
    fn a_panic_is_an_outcome_with_its_message() {
        let outcome = guarded(|| panic!("flows[3] has no end"));
        drop(panic::take_hook());
        let Outcome::Failed(message) = outcome else { panic!("{outcome:?}") };
        assert!(message.contains("flows[3] has no end") && message.contains("init.rs"), "{message}");
    }
}
