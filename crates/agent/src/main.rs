//! The agent: the only code that builds a network or moves real traffic, on every engine.
//!
//! As process 1 of a kernel it does the job that lies in its root folder ([`init`]). Other roles have names: `boot`
//! becomes such a kernel, `run` does a job on the machine's own kernel.

mod boot;
mod clock;
mod error;
mod failure;
mod init;
mod job;
mod namespace;
mod netlink;
mod network;
mod phase;
mod probe;
mod record;
#[cfg(test)]
mod samples;
mod schedule;
mod sockets;
mod traffic;

use failure::Failure;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: dumbbell-agent boot KERNEL ARGUMENT... | run JOB OUTCOME | --version";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let role = arguments.next();
    let result = match role.as_deref().and_then(|role| role.to_str()) {
        Some("boot") => match arguments.next() {
            Some(kernel) => boot::boot(kernel, arguments).map(|never| match never {}),
            None => Err(Failure(USAGE.to_owned())),
        },
        Some("run") => init::run(arguments),
        Some("--version") => writeln!(std::io::stdout(), "dumbbell-agent {}", env!("CARGO_PKG_VERSION"))
            .map_err(|error| Failure::of("write the version", error)),
        // A kernel gives its first process whatever it does not know itself.
        _ if std::process::id() == 1 => init::init(),
        _ => Err(Failure(USAGE.to_owned())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("dumbbell-agent: {failure}");
            ExitCode::FAILURE
        }
    }
}
