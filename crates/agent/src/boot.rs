//! The role `boot`: becomes the kernel, as a process that dies with whoever started it and is the same every time.

use crate::enclosure::die_with;
use crate::failure::Failure;
use nix::sys::personality::{self, Persona};
use nix::unistd::{Pid, setpgid};
use std::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Executes `kernel` in this process's place, with its addresses unrandomised (they would show in the kernel's hashes),
/// in a process group of its own, killed when the thread that started this process ends, one of the process `parent`.
///
/// # Errors
/// The parent is gone already, or the kernel cannot be executed.
pub fn boot(parent: Pid, kernel: OsString, arguments: impl Iterator<Item = OsString>) -> Result<Infallible, Failure> {
    die_with(parent)?;
    personality::get()
        .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE))
        .map_err(|errno| Failure::of("turn off address randomisation", errno))?;
    setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(|errno| Failure::of("leave the process group", errno))?;
    let error = Command::new(&kernel).args(arguments).exec();
    Err(Failure::of(format!("execute {}", Path::new(&kernel).display()), error))
}
