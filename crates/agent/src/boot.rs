//! The role `boot`: becomes the kernel, as a process that dies with whoever started it, is the same every time, and
//! writes nowhere but in its own folders.

use crate::confinement::confine;
use crate::enclosure::die_with;
use crate::failure::Failure;
use nix::sys::personality::{self, Persona};
use nix::unistd::{Pid, setpgid};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The run's own folder: the kernel's root, which is where this process is, lies in it.
const FOLDER: &str = "..";
/// A file there, in which the role says whether the kernel is confined. What is on a kernel's command line or in its
/// environment would show in its hashes.
const NOTE: &str = "../confinement";

/// Executes `kernel` in this process's place, with its addresses unrandomised (they would show in the kernel's hashes),
/// in a process group of its own, killed when the thread that started this process ends, one of the process `parent`;
/// confined to the folder around the current one and to `TMPDIR`, where the kernel has its memory.
///
/// # Errors
/// The parent is gone already, or the kernel cannot be confined or executed.
pub fn boot(parent: Pid, kernel: OsString, arguments: impl Iterator<Item = OsString>) -> Result<Infallible, Failure> {
    die_with(parent)?;
    personality::get()
        .and_then(|persona| personality::set(persona | Persona::ADDR_NO_RANDOMIZE))
        .map_err(|errno| Failure::of("turn off address randomisation", errno))?;
    setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(|errno| Failure::of("leave the process group", errno))?;
    let memory = std::env::var_os("TMPDIR").map(PathBuf::from);
    let confinement = confine([Path::new(FOLDER)].into_iter().chain(memory.as_deref()))?;
    File::create_new(NOTE)
        .and_then(|mut note| note.write_all(confinement.to_string().as_bytes()))
        .map_err(|error| Failure::of(format!("write {NOTE}"), error))?;
    let error = Command::new(&kernel).args(arguments).exec();
    Err(Failure::of(format!("execute {}", Path::new(&kernel).display()), error))
}
