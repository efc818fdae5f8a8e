//! An enclosure for a job on a machine that others use: a process that nothing outlives.
//!
//! The job is done below process 1 of a PID namespace of its own. When that ends, for whatever reason, the kernel kills
//! all that it has, and network namespaces, devices and queues go with the last process that holds them. It is itself
//! killed with the process that made the enclosure, and that with the thread that started it: whichever is killed, at
//! whatever moment, nothing stays.
//!
//! What a program leaves behind becomes a child of process 1 (`pid_namespaces(7)`), and a zombie when it ends, unless
//! that takes its status. So process 1 does nothing but wait, for whatever ends; the job is another process, whose
//! children the programs are, so that nobody else takes their statuses.

use crate::failure::Failure;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{ForkResult, Pid, fork, getppid, pipe2, read};
use std::os::fd::OwnedFd;
use std::process::exit;

/// Does `work` in an enclosure, whose status is this process's. There must be no other thread yet. `controller`: the
/// process that has started this one, if it is known to have: it may be gone already.
///
/// # Errors
/// Only root may make one; or the kernel has none.
pub fn enclosed(controller: Option<i32>, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    die_with(controller.map_or_else(getppid, Pid::from_raw))?;
    let (ours, parents) =
        pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).map_err(|errno| Failure::of("make a pipe", errno))?;
    let failed = |errno| Failure::of("a PID namespace, for which one must be root", errno);
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS).map_err(failed)?;
    match split()? {
        ForkResult::Parent { child } => end_as(child),
        ForkResult::Child => {
            drop(parents);
            ask_to_be_killed()?;
            // Whoever is its parent is in another PID namespace, and has the number 0 here: `getppid` tells nothing.
            if is_closed(&ours) {
                return Err(gone());
            }
            let quiet = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
            mount(None::<&str>, "/", None::<&str>, quiet, None::<&str>)
                .and_then(|()| mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), None::<&str>))
                .map_err(|errno| Failure::of("mount /proc", errno))?;
            match split()? {
                ForkResult::Parent { child } => end_as(child),
                ForkResult::Child => work(),
            }
        }
    }
}

/// This process is killed when the thread that started it ends, one of the process `parent`.
///
/// # Errors
/// That process is gone already.
pub fn die_with(parent: Pid) -> Result<(), Failure> {
    ask_to_be_killed()?;
    // A parent that ended before sends no signal any more, and somebody else is it by now.
    if getppid() == parent { Ok(()) } else { Err(gone()) }
}

fn ask_to_be_killed() -> Result<(), Failure> {
    set_pdeathsig(Signal::SIGKILL).map_err(|errno| Failure::of("ask to be killed with the parent", errno))
}

fn gone() -> Failure {
    Failure("whoever started this is gone".to_owned())
}

/// Whether nobody has the other end of a pipe any more. A process that ends closes it before its children get their
/// signal (`do_exit`: `exit_task_work`, then `exit_notify`): who asked too late for that finds it closed.
fn is_closed(pipe: &OwnedFd) -> bool {
    read(pipe, &mut [0]) == Ok(0)
}

/// Goes on as two processes. There must be no other thread yet.
///
/// # Errors
/// The machine has no room for another.
#[expect(unsafe_code, reason = "a process cannot move itself into a PID namespace: only a child can be born there")]
pub fn split() -> Result<ForkResult, Failure> {
    // SAFETY: this process has one thread, so that the child finds no lock taken.
    unsafe { fork() }.map_err(|errno| Failure::of("start a process", errno))
}

/// Waits for a child, and ends with its status.
fn end_as(child: Pid) -> Result<(), Failure> {
    match reap_until(child)? {
        0 => Ok(()),
        status => exit(status),
    }
}

/// Waits for a child that does the job, and gives its status. Whatever else ends in the meantime was orphaned.
///
/// # Errors
/// A signal has ended it.
pub fn reap_until(child: Pid) -> Result<i32, Failure> {
    loop {
        match wait() {
            Ok(WaitStatus::Exited(ended, status)) if ended == child => return Ok(status),
            Ok(WaitStatus::Signaled(ended, signal, _)) if ended == child => {
                return Err(Failure(format!("the process that did the job was ended by {signal}")));
            }
            // `nix` has no names for real-time signals, and makes EINVAL of a status that has one.
            Ok(_) | Err(Errno::EINTR | Errno::EINVAL) => {}
            Err(errno) => return Err(Failure::of("wait for the job", errno)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_tells_whether_its_other_end_is_closed() {
        let (ours, parents) = pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).expect("a pipe");
        assert!(!is_closed(&ours));
        drop(parents);
        assert!(is_closed(&ours));
    }
}
