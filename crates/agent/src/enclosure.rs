//! An enclosure for a job on a machine that others use: a process that nothing outlives.
//!
//! The job is done by process 1 of a PID namespace of its own. When that ends, for whatever reason, the kernel kills all that
//! it has started, and network namespaces, devices and queues go with the last process that holds them. It is itself
//! killed with the process that made the enclosure, and that with the thread that started it: whichever is killed, at
//! whatever moment, nothing stays.

use crate::failure::Failure;
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getppid};
use std::process::exit;

/// Does `work` in an enclosure, whose status is this process's. There must be no other thread yet. `controller`: the
/// process that has started this one, if it is known to have: it may be gone already.
///
/// # Errors
/// Only root may make one; or the kernel has none.
pub fn enclosed(controller: Option<i32>, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    die_with(controller.map_or_else(getppid, Pid::from_raw))?;
    let failed = |errno| Failure::of("a PID namespace, for which one must be root", errno);
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS).map_err(failed)?;
    // Its parent is in another PID namespace, and has no number there.
    match split()? {
        ForkResult::Parent { child } => wait(child),
        ForkResult::Child => {
            die_with(Pid::from_raw(0))?;
            let quiet = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
            mount(None::<&str>, "/", None::<&str>, quiet, None::<&str>)
                .and_then(|()| mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), None::<&str>))
                .map_err(|errno| Failure::of("mount /proc", errno))?;
            work()
        }
    }
}

/// This process is killed when the thread that started it ends.
fn die_with(parent: Pid) -> Result<(), Failure> {
    set_pdeathsig(Signal::SIGKILL).map_err(|errno| Failure::of("ask to be killed with the parent", errno))?;
    // A parent that ended in between sends no signal any more.
    if getppid() == parent { Ok(()) } else { Err(Failure("whoever started this is gone".to_owned())) }
}

#[expect(unsafe_code, reason = "a process cannot move itself into a PID namespace: only a child can be born there")]
fn split() -> Result<ForkResult, Failure> {
    // SAFETY: this process has one thread, so that the child finds no lock taken.
    unsafe { fork() }.map_err(|errno| Failure::of("start a process", errno))
}

/// Waits for the first process of the enclosure, and ends as it did.
fn wait(child: Pid) -> Result<(), Failure> {
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, 0)) => return Ok(()),
            Ok(WaitStatus::Exited(_, status)) => exit(status),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                return Err(Failure(format!("the process that did the job was ended by {signal}")));
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(Failure::of("wait for the job", errno)),
        }
    }
}
