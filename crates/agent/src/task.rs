//! [`TaskFolder`]: a job that goes on when its controller is gone, and the role `task`, its keeper.
//!
//! A task is a folder with a job in it. Its keeper is a process of a session of its own, which does nothing but start who does
//! the job, wait for its end, and take away what that could leave on the machine. As long as one of both lives it has the
//! folder's lock: that tells whether the task runs, whatever its number is by then.

use crate::clock::sleep;
use crate::failure::Failure;
use crate::init;
use crate::job::Job;
use crate::network;
use run::Ecn;
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, getpid, kill_process, setsid};
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// This program, whatever its name is by now.
const EXECUTABLE: &str = "/proc/self/exe";
const JOB: &str = "job.json";
pub const OUTCOME: &str = "outcome.json";
/// In it are the captures.
pub const CAPTURES: &str = "captures";
const CONSOLE: &str = "console.log";
const LOCK: &str = "lock";
/// What is given of the end of what it said.
const CONSOLE_BYTES: u64 = 4_000;
/// Until a process that was killed is gone.
const LOOK: Duration = Duration::from_millis(10);
const LOOKS: u32 = 500;

/// The folder of a task.
#[derive(Clone, Debug)]
pub struct TaskFolder(PathBuf);

impl TaskFolder {
    /// The one of this id, which need not be there. `None`: an id has 1 to 64 letters and digits, and hyphens within.
    pub fn new(home: &Path, id: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_one = (1..=64).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with('-');
        is_one.then(|| Self(home.join(id)))
    }

    /// All ids that have a folder, in order.
    ///
    /// # Errors
    /// The folder of all cannot be read.
    pub fn ids(home: &Path) -> Result<Vec<String>, Failure> {
        let entries = match fs::read_dir(home) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| Failure::of("list the tasks", error))?,
        };
        let named = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> = named.filter(|name| Self::new(home, name).is_some()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Begins a job, if it has not begun; true: it has now.
    ///
    /// # Errors
    /// There is no room for it, or another job of that id.
    pub fn begin(&self, job: &Job) -> Result<bool, Failure> {
        let failed = |what: &str, error: std::io::Error| Failure::of(format!("begin a task: {what}"), error);
        let spelt = serde_json::to_vec(job).map_err(|error| Failure::of("spell the job", error))?;
        if self.0.exists() {
            let is_same = fs::read(self.0.join(JOB)).is_ok_and(|known| known == spelt);
            return if is_same { Ok(false) } else { Err(Failure("begin a task: another one has its id".to_owned())) };
        }
        let home = self.0.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(home).map_err(|error| failed("its folder", error))?;
        DirBuilder::new().mode(0o700).create(&self.0).map_err(|error| failed("its folder", error))?;
        self.start(&spelt, job).inspect_err(|_| fs::remove_dir_all(&self.0).unwrap_or_default())?;
        Ok(true)
    }

    fn start(&self, spelt: &[u8], job: &Job) -> Result<(), Failure> {
        let attempt = || -> std::io::Result<Child> {
            if job.captures.is_some() {
                fs::create_dir(self.0.join(CAPTURES))?;
            }
            let mut file = File::create_new(self.0.join(JOB))?;
            file.write_all(spelt)?;
            // A full disk is only felt here.
            file.sync_all()?;
            let console = File::create_new(self.0.join(CONSOLE))?;
            let mut keeper = Command::new(EXECUTABLE);
            keeper.arg("task").current_dir(&self.0).stdin(Stdio::null());
            keeper.stdout(console.try_clone()?).stderr(console);
            keeper.spawn()
        };
        let mut keeper = attempt().map_err(|error| Failure::of("begin a task", error))?;
        // It is known to run when it has the lock.
        for _ in 0..LOOKS {
            if self.keeper().is_some() || self.has(OUTCOME) || keeper.try_wait().is_ok_and(|ended| ended.is_some()) {
                break;
            }
            pause()?;
        }
        Ok(())
    }

    /// Whether it is there.
    pub fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Its keeper's number, while that lives, or who does the job.
    pub fn keeper(&self) -> Option<Pid> {
        let lock = File::options().read(true).write(true).open(self.0.join(LOCK)).ok()?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).err()?;
        let mut text = String::new();
        (&lock).read_to_string(&mut text).ok()?;
        Pid::from_raw(text.trim().parse().ok()?)
    }

    /// Whether it has a file.
    pub fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Says when time 0 is, or that the run is over elsewhere.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn say(&self, name: &str, text: &str) -> Result<(), Failure> {
        let partial = self.0.join(format!("{name}.part"));
        fs::write(&partial, text)
            .and_then(|()| fs::rename(&partial, self.0.join(name)))
            .map_err(|error| Failure::of("lead a task", error))
    }

    /// Size of a file that it leaves; none: it is not there.
    pub fn size(&self, name: &str) -> Option<u64> {
        let about = fs::symlink_metadata(self.0.join(name)).ok()?;
        about.is_file().then_some(about.len())
    }

    /// A piece of such a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, name: &str, offset: u64, most: usize) -> Result<Vec<u8>, Failure> {
        let failed = |error| Failure::of(format!("read {name}"), error);
        let file = File::open(self.0.join(name)).map_err(failed)?;
        let mut piece = vec![0; most];
        let mut length = 0;
        while length < most {
            match file.read_at(&mut piece[length..], offset + length as u64).map_err(failed)? {
                0 => break,
                read => length += read,
            }
        }
        piece.truncate(length);
        Ok(piece)
    }

    /// The end of what it said.
    pub fn console(&self) -> String {
        let Ok(mut file) = File::open(self.0.join(CONSOLE)) else { return String::new() };
        let length = file.metadata().map_or(0, |about| about.len());
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(length.saturating_sub(CONSOLE_BYTES)))
            .and_then(|_| file.read_to_end(&mut bytes))
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Ends it if it runs, and takes away all that is left of it.
    ///
    /// # Errors
    /// It does not end, or something cannot be taken away.
    pub fn remove(&self) -> Result<(), Failure> {
        if let Some(keeper) = self.keeper() {
            // All that it started is in its session, but who does the job ends with it.
            for process in session(keeper) {
                kill_process(process, Signal::KILL).unwrap_or_default();
            }
            let mut looks = 0;
            while self.keeper().is_some() {
                if looks == LOOKS {
                    return Err(Failure("a task was killed, and does not end".to_owned()));
                }
                looks += 1;
                pause()?;
            }
        }
        take_away(&self.0.join(JOB))?;
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::of("remove a task's folder", error)),
            _ => Ok(()),
        }
    }
}

/// The role `task`: does the job of the folder that it is started in.
///
/// # Errors
/// The folder is none of a task; what went wrong with the job is in its outcome.
pub fn task() -> Result<(), Failure> {
    let failed = |error: rustix::io::Errno| Failure::of("keep a task", std::io::Error::from(error));
    setsid().map_err(failed)?;
    let lock = File::options().create(true).truncate(false).read(true).write(true).open(LOCK);
    let mut lock = lock.map_err(|error| Failure::of("keep a task", error))?;
    // A look whether it runs takes the lock for a moment.
    flock(&lock, FlockOperation::LockExclusive).map_err(failed)?;
    write!(lock, "{}", getpid().as_raw_nonzero()).map_err(|error| Failure::of("keep a task", error))?;
    let mut worker = Command::new(EXECUTABLE);
    // The process that does the job has the lock as long as it lives, too.
    let shared = lock.try_clone().map_err(|error| Failure::of("keep a task", error))?;
    worker.args(["run", JOB, OUTCOME]).stdin(shared);
    let status = worker.status().map_err(|error| Failure::of("start a task", error))?;
    take_away(Path::new(JOB))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("who did the job ended with {status}"))) }
}

/// Takes away what a path that led packets of other machines may have left, and what had flows offer ECN.
fn take_away(job: &Path) -> Result<(), Failure> {
    let offers = |job: &Job| job.run.flows.iter().any(|flow| flow.ecn != Ecn::Off);
    let passage = |job: Job| {
        let leaves = job.part.as_ref().is_some_and(|part| part.passage.is_some()) || offers(&job);
        job.part.filter(|_| leaves)
    };
    let Some(part) = fs::read(job).ok().and_then(|job| init::parse(&job).ok()).and_then(passage) else { return Ok(()) };
    network::take_away(&part.interface).map_err(|error| Failure::of("take away what led packets into the path", error))
}

fn pause() -> Result<(), Failure> {
    sleep(LOOK).map_err(|error| Failure(error.to_string()))
}

/// The processes of a session: the sixth word of `/proc/PID/stat`, the second of which may have spaces.
fn session(leader: Pid) -> Vec<Pid> {
    let of = |entry: fs::DirEntry| {
        let pid = entry.file_name().into_string().ok()?.parse().ok()?;
        let text = fs::read_to_string(entry.path().join("stat")).ok()?;
        let session: i32 = text.rsplit_once(')')?.1.split_ascii_whitespace().nth(3)?.parse().ok()?;
        (session == leader.as_raw_nonzero().get()).then(|| Pid::from_raw(pid))?
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_no_path() {
        let home = Path::new("/home/tasks");
        for id in ["", "-x", "a/b", "..", ".", "a b", "a\nb", "a\0b", "\u{e9}", &"a".repeat(65)] {
            assert!(TaskFolder::new(home, id).is_none(), "{id:?}");
        }
        let folder = TaskFolder::new(home, "0a-B9").expect("an id");
        assert!(!folder.exists() && folder.keeper().is_none() && folder.size(OUTCOME).is_none());
        assert_eq!(TaskFolder::ids(home), Ok(Vec::new()));
    }

    #[test]
    fn a_session_has_its_leader_and_its_children() {
        // A session of our own: that of this test may have its leader outside of this PID namespace.
        let mut leader = Command::new("setsid").args(["sh", "-c", "sleep 60 & wait"]).spawn().expect("util-linux");
        let pid = Pid::from_child(&leader);
        let members = (0..LOOKS).find_map(|_| {
            pause().expect("a pause");
            Some(session(pid)).filter(|members| members.len() == 2)
        });
        for member in session(pid) {
            kill_process(member, Signal::KILL).expect("a process of this test");
        }
        leader.wait().expect("a child of this test");
        assert!(members.expect("a leader and its child").contains(&pid));
    }
}
