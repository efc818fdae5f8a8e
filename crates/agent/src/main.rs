//! The agent: the only code that builds a network or moves real traffic, on every engine.
//!
//! As process 1 of a kernel it does the job that lies in its root folder ([`init`]). Other roles have names: `boot`
//! becomes such a kernel, `run` does a job on the machine's own kernel, `hold` only builds its path for others to use,
//! `means` tells which queueing disciplines the kernel has, `serve` answers requests from another machine, `task` does one job of theirs, and `relay` is
//! one line of a path, for people who build one by hand.

mod boot;
mod capture;
mod clock;
mod confinement;
mod console;
mod enclosure;
mod error;
mod failure;
mod init;
mod job;
mod lead;
mod namespace;
mod netlink;
mod network;
mod noise;
mod part;
mod path;
mod phase;
mod probe;
mod record;
#[cfg(test)]
mod samples;
mod schedule;
mod serve;
#[cfg(test)]
mod skipped;
mod sockets;
mod task;
mod traffic;
mod watch;

use failure::Failure;
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: dumbbell-agent boot PARENT KERNEL ARGUMENT... | run JOB OUTCOME | hold JOB | means | serve | task | \
    relay MTU SEED FROM_NAMESPACE FROM_DEVICE FROM_NUMBER TO_NAMESPACE TO_DEVICE TO_NUMBER \
    delay NS REORDER_PPB SLOT_NS|jitter NS|loss PPB|loss-of-all PPB | --version";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let role = arguments.next();
    let result = match role.as_deref().and_then(|role| role.to_str()) {
        Some("boot") => match (process(arguments.next()), arguments.next()) {
            (Some(parent), Some(kernel)) => boot::boot(parent, kernel, arguments).map(|never| match never {}),
            _ => Err(Failure(USAGE.to_owned())),
        },
        Some("run") => init::run(arguments),
        Some("hold") => init::hold(arguments),
        Some("means") => init::means(),
        Some("serve") => serve::serve(),
        Some("task") => task::task(),
        Some("relay") => network::carry(arguments).unwrap_or_else(|| Err(Failure(USAGE.to_owned()))),
        Some("--version") => writeln!(std::io::stdout(), "dumbbell-agent {}", env!("CARGO_PKG_VERSION"))
            .map_err(|error| Failure::of("write the version", error)),
        // A kernel gives its first process whatever it does not know itself.
        _ if std::process::id() == 1 => init::init(),
        _ => Err(Failure(USAGE.to_owned())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            console::print_line(&format!("dumbbell-agent: {failure}"));
            ExitCode::FAILURE
        }
    }
}

/// The process with the number that a word spells.
fn process(word: Option<OsString>) -> Option<Pid> {
    word?.to_str()?.parse().ok().map(Pid::from_raw)
}
