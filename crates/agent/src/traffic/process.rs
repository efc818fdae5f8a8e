//! [`Process`]: a program of the user's own at one end of a flow.

use super::entry::Entry;
use crate::failure::Failure;
use crate::job::Caller;
use crate::lead::Lead;
use crate::namespace::Namespace;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use run::{ProgramEnd, User};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Of what it writes so much is kept, the end of it.
const MOST_BYTES: u64 = 16 << 20;
/// It may write so much: whatever it is, a disk has an end.
const MOST_WRITTEN_BYTES: u64 = 256 << 20;
/// What stands in a failure of what it said last.
const LAST_LINES: usize = 5;
/// Waits for the program's end; its stack needs little more than that system call.
const STACK_BYTES: usize = 1 << 16;
/// Where programs may write whose root may not be written to.
const WRITABLE: &str = "/dev/shm";
/// Where programs are looked for that are named without a folder, if the agent was not told.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The command at the sender.
    Client,
    /// The server at the receiver.
    Server,
}

/// Where programs run, and as whom.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The folder that is their root, of a kernel of their own; none: the agent's.
    pub root: Option<PathBuf>,
    /// The folder in which they start, as they see it.
    pub start_in: PathBuf,
    /// Where what they write is kept until they end.
    pub folder: PathBuf,
    /// Who they are, unless a run says root; none: who the agent is.
    pub caller: Option<Caller>,
    /// Who leads this machine and others that do a run together; none: this one does all of it.
    pub lead: Option<Lead>,
}

impl Surroundings {
    /// A program of the agent's own that is to be started there, with its powers.
    pub fn own_command(&self, name: &str) -> Command {
        self.entered(name, Entry::new(self.root.as_deref(), &self.start_in))
    }

    /// A program of a user's that is to be started there. In a kernel of its own it has no powers, whoever it is: it
    /// could change what is measured, and what keeps it from this machine's files.
    fn command(&self, name: &str, user: User) -> Command {
        let mut entry = Entry::new(self.root.as_deref(), &self.start_in);
        let caller = self.caller.as_ref().filter(|_| user.is_caller());
        if let Some(caller) = caller {
            entry = entry.becoming(caller);
        }
        if self.root.is_some() {
            entry = entry.without_powers();
        }
        let mut command = self.entered(name, entry);
        if let (None, Some(home)) = (&self.root, caller.and_then(|it| it.home.as_ref())) {
            command.env("HOME", home);
        }
        command
    }

    fn entered(&self, name: &str, entry: Entry) -> Command {
        let mut command = Command::new(name);
        if std::env::var_os("PATH").is_none() {
            command.env("PATH", PATH);
        }
        if self.root.is_some() {
            command.env("HOME", WRITABLE).env("TMPDIR", WRITABLE);
        }
        entry.before(&mut command);
        command
    }
}

/// Programs that have ended: each wakes the agent.
#[derive(Debug)]
pub struct Endings {
    bell: EventFd,
    pending: Mutex<Vec<(usize, End, ExitStatus)>>,
}

/// A program that was started.
#[derive(Debug)]
pub struct Process {
    said: ProgramEnd,
    group: Pid,
    is_over: bool,
    is_stopped: bool,
    stdout: File,
    stderr: File,
}

impl Endings {
    /// None yet.
    ///
    /// # Errors
    /// The kernel has no descriptors to give.
    pub fn new() -> Result<Arc<Self>, Failure> {
        let bell = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)
            .map_err(|errno| Failure::of("create a bell", errno))?;
        Ok(Arc::new(Self { bell, pending: Mutex::default() }))
    }

    /// Which have ended since the last time, of which flow, and how.
    pub fn take(&self) -> Vec<(usize, End, ExitStatus)> {
        // It is read so that it can ring again.
        self.bell.read().unwrap_or_default();
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The end of one of a flow's programs, if one has ended since the last time.
    pub fn take_of(&self, flow: usize) -> Option<(End, ExitStatus)> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let place = pending.iter().position(|(other, ..)| *other == flow)?;
        let (_, end, status) = pending.remove(place);
        Some((end, status))
    }

    fn report(&self, flow: usize, end: End, status: ExitStatus) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push((flow, end, status));
        self.bell.write(1).unwrap_or_default();
    }
}

impl AsFd for Endings {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Process {
    /// Starts a program in a namespace, in a process group of its own.
    ///
    /// # Errors
    /// There is no such program, or the machine has no room for it.
    pub fn start(
        (flow, end, user): (usize, End, User),
        argv: Vec<String>,
        namespace: &Namespace,
        surroundings: &Surroundings,
        began_ns: u64,
        endings: &Arc<Endings>,
    ) -> Result<Self, Failure> {
        let name = argv.first().cloned().unwrap_or_default();
        let attempt = || match (&surroundings.caller, user) {
            (Some(Caller { uid, .. }), User::Caller) => {
                format!("start {name} in {} as user {uid}", surroundings.start_in.display())
            }
            _ => format!("start {name} in {}", surroundings.start_in.display()),
        };
        let stream_file = |stream: &str| {
            let path = surroundings.folder.join(format!("flow{flow}.{end:?}.{stream}").to_lowercase());
            unlinked_file(&path)
                .map_err(|error| Failure::of(format!("keep what {name} writes in {}", path.display()), error))
        };
        // A kernel of our own has no /dev/null: what is empty will do.
        let (stdin, stdout, stderr) = (stream_file("stdin")?, stream_file("stdout")?, stream_file("stderr")?);
        let copy = |file: &File| file.try_clone().map(Stdio::from).map_err(|error| Failure::of(attempt(), error));
        let mut command = surroundings.command(&name, user);
        command.args(&argv[1..]).process_group(0).stdin(stdin).stdout(copy(&stdout)?).stderr(copy(&stderr)?);
        let spawned = namespace.within(|| command.spawn()).map_err(|error| Failure::of(attempt(), error))?;
        let mut child = spawned.map_err(|error| Failure::of(attempt(), error))?;
        let group = Pid::from_raw(child.id() as i32);
        let endings = Arc::clone(endings);
        let wait = move || {
            if let Ok(status) = child.wait() {
                endings.report(flow, end, status);
            }
        };
        let waiting = thread::Builder::new().stack_size(STACK_BYTES).spawn(wait);
        waiting.map_err(|error| Failure::of(format!("wait for {name}"), error))?;
        let said = ProgramEnd { argv, began_ns, ..ProgramEnd::default() };
        Ok(Self { said, group, is_over: false, is_stopped: false, stdout, stderr })
    }

    /// It has ended at this instant.
    ///
    /// # Errors
    /// It has failed, in its own words.
    pub fn end(&mut self, now_ns: u64, status: ExitStatus) -> Result<(), Failure> {
        self.is_over = true;
        if self.is_stopped {
            return Ok(());
        }
        self.said.ended_ns = Some(now_ns);
        self.said.status = status.code();
        if status.success() {
            return Ok(());
        }
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with status {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        Err(Failure(format!("{} {how}{}", self.said.argv.join(" "), self.last_lines())))
    }

    /// The program.
    pub fn name(&self) -> &str {
        self.said.argv.first().map_or("", String::as_str)
    }

    /// Whether it runs no more.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether what it has written so far can be kept.
    ///
    /// # Errors
    /// It is too much.
    pub fn check_written(&self) -> Result<(), Failure> {
        for (file, name) in [(&self.stdout, "output"), (&self.stderr, "error")] {
            if file.metadata().is_ok_and(|it| it.len() > MOST_WRITTEN_BYTES) {
                let (program, most) = (self.name(), MOST_WRITTEN_BYTES >> 20);
                return Err(Failure(format!(
                    "{program} has written more than {most} MiB to its standard {name}, which is kept; have it write \
                     to /dev/null"
                )));
            }
        }
        Ok(())
    }

    /// Asks it to end, or makes it.
    pub fn signal(&mut self, signal: Signal) {
        if !self.is_over {
            self.is_stopped = true;
            // It may have ended in this moment.
            killpg(self.group, signal).unwrap_or_default();
        }
    }

    /// What it said, and how it ended.
    pub fn said(mut self) -> ProgramEnd {
        (self.said.stdout, self.said.stderr) = (text(&mut self.stdout), text(&mut self.stderr));
        self.said
    }

    /// What it wrote at last: to its standard error, or else to its standard output.
    fn last_lines(&mut self) -> String {
        let written = [text(&mut self.stderr), text(&mut self.stdout)];
        let Some(text) = written.iter().find(|text| !text.trim().is_empty()) else { return String::new() };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        format!(": {}", lines[lines.len().saturating_sub(LAST_LINES)..].join("\n"))
    }
}

/// A file that nobody else sees: it goes when it is closed.
fn unlinked_file(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create_new(true).open(path)?;
    fs::remove_file(path)?;
    Ok(file)
}

/// The end of what a file has.
fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let length = file.metadata().map_or(0, |it| it.len());
    // A file that cannot be read any more has said nothing.
    let read = file.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES))).and_then(|_| file.read_to_end(&mut bytes));
    read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skipped::skip;
    use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

    /// A program in a new namespace; none where one must not be made.
    fn started(arguments: &[&str]) -> Option<(Process, Arc<Endings>)> {
        let namespace = Namespace::create().map_err(|error| skip(&error)).ok()?;
        let folder = std::env::temp_dir().join(format!("process-{}-{:?}", std::process::id(), thread::current().id()));
        fs::create_dir_all(&folder).expect("a folder");
        let endings = Endings::new().expect("endings");
        let argv = arguments.iter().map(|word| (*word).to_owned()).collect();
        let surroundings =
            Surroundings { root: None, start_in: "/".into(), folder: folder.clone(), caller: None, lead: None };
        let process = Process::start((3, End::Client, User::Caller), argv, &namespace, &surroundings, 5, &endings);
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "nothing is left there");
        fs::remove_dir(&folder).expect("removed");
        Some((process.expect("a process"), endings))
    }

    fn ended(process: &mut Process, endings: &Endings) -> Result<(), Failure> {
        let poll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).expect("a poll");
        poll.add(endings, EpollEvent::new(EpollFlags::EPOLLIN, 0)).expect("a watch");
        assert_eq!(poll.wait(&mut [EpollEvent::empty()], EpollTimeout::NONE), Ok(1));
        let reports = endings.take();
        assert_eq!((reports.len(), reports[0].0, reports[0].1), (1, 3, End::Client));
        process.end(9, reports[0].2)
    }

    #[test]
    fn what_a_program_says_and_how_it_ends_is_recorded() {
        let Some((mut process, endings)) = started(&["sh", "-c", "echo out; echo err >&2"]) else { return };
        assert_eq!(ended(&mut process, &endings), Ok(()));
        let said = process.said();
        assert_eq!((said.began_ns, said.ended_ns, said.status), (5, Some(9), Some(0)));
        assert_eq!((&*said.stdout, &*said.stderr), ("out\n", "err\n"));
    }

    #[test]
    fn the_failure_of_a_program_quotes_what_it_wrote() {
        let Some((mut process, endings)) = started(&["sh", "-c", "echo no route >&2; exit 3"]) else { return };
        let message = ended(&mut process, &endings).expect_err("it failed").0;
        assert_eq!(message, "sh -c echo no route >&2; exit 3 ended with status 3: no route");
    }

    #[test]
    fn one_that_we_end_has_not_failed() {
        let Some((mut process, endings)) = started(&["sleep", "600"]) else { return };
        process.signal(Signal::SIGTERM);
        assert_eq!(ended(&mut process, &endings), Ok(()));
        assert_eq!((process.is_over(), process.said().status), (true, None));
    }
}
