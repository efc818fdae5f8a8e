//! [`Ss`]: looks at the senders' connections with `ss`, as people do, beside the agent's own samples.

use super::process::Surroundings;
use crate::clock::sleep_until;
use crate::failure::Failure;
use crate::network::Network;
use run::{Run, SsSample};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What it is told: TCP, what TCP knows, numbers.
const ARGUMENTS: [&str; 1] = ["-tin"];

/// Somebody who looks until the run's latest end.
#[derive(Debug)]
pub struct Ss {
    seen: Arc<Mutex<Result<Vec<SsSample>, Failure>>>,
}

impl Ss {
    /// Begins to look; none: the run does not ask for it. Time 0 is `zero_ns` on CLOCK_MONOTONIC.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn begin(
        run: &Run,
        network: &Network,
        surroundings: &Surroundings,
        zero_ns: u64,
    ) -> Result<Option<Self>, Failure> {
        let Some(every_ns) = run.measure.ss_ns.filter(|ns| *ns > 0) else { return Ok(None) };
        let (seen, duration_ns) = (Arc::new(Mutex::new(Ok(Vec::new()))), run.duration_ns);
        let (noted, surroundings) = (Arc::clone(&seen), surroundings.clone());
        let look = move || {
            for at_ns in (every_ns..=duration_ns).step_by(every_ns as usize) {
                let looked = sleep_until(zero_ns + at_ns)
                    .map_err(|error| Failure(error.to_string()))
                    .and_then(|()| output(&surroundings));
                let mut seen = noted.lock().unwrap_or_else(PoisonError::into_inner);
                match (&mut *seen, looked) {
                    (Ok(samples), Ok(text)) => samples.push(SsSample { at_ns, text }),
                    (_, Ok(_)) => return,
                    (_, Err(failure)) => {
                        *seen = Err(failure);
                        return;
                    }
                }
            }
        };
        // A thread is born in its maker's namespace; all senders are in one.
        let started = network.sender(0).namespace.within(|| thread::Builder::new().spawn(look));
        started
            .map_err(|error| Failure(error.to_string()))?
            .map_err(|error| Failure::of("start a thread for ss", error))?;
        Ok(Some(Self { seen }))
    }

    /// What it has seen.
    ///
    /// # Errors
    /// It failed.
    pub fn seen(&self) -> Result<Vec<SsSample>, Failure> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn output(surroundings: &Surroundings) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::of("run ss -tin", error);
    // No new input is opened: a kernel of our own has no /dev/null.
    let mut command = surroundings.own_command("ss");
    let done = command.args(ARGUMENTS).stdin(Stdio::inherit()).output().map_err(|error| failed(&error))?;
    if !done.status.success() {
        return Err(failed(&format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim())));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
