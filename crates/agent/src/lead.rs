//! [`Lead`]: how the machines of a run are led that do it together.
//!
//! The controller starts all of them, waits until the folder of each has [`READY`], and then leaves in each what its own
//! clock reads at the run's time 0: so no machine begins before another has set up, however long that takes.

use crate::clock::{monotonic_ns, sleep};
use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// In the job's folder, an empty file: all is set up.
pub const READY: &str = "ready";
/// Time 0 in nanoseconds of this machine's CLOCK_MONOTONIC, in decimal digits.
pub const GO: &str = "go";
/// An empty file: all finite workloads that begin or end here are complete.
pub const COMPLETE: &str = "complete";
/// An empty file: the run is over everywhere.
pub const FINISH: &str = "finish";
/// So long a machine that is ready waits for the others.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(10);

/// The folder through which this machine's part is led.
#[derive(Clone, Debug)]
pub struct Lead(PathBuf);

impl Lead {
    /// That of a job.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Says that all is set up, and waits for time 0 on CLOCK_MONOTONIC.
    ///
    /// # Errors
    /// Nobody says it, or it is over already.
    pub fn zero_ns(&self) -> Result<u64, Failure> {
        fs::write(self.0.join(READY), "").map_err(|error| Failure::of("say that all is set up", error))?;
        for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
            if let Some(zero_ns) = fs::read_to_string(self.0.join(GO)).ok().and_then(|text| text.trim().parse().ok()) {
                let now_ns = monotonic_ns()?;
                let late = |ns: u64| Failure(format!("the run's time 0 came {} ms too late", ns / 1_000_000));
                return now_ns.checked_sub(zero_ns).map_or(Ok(zero_ns), |ns| Err(late(ns)));
            }
            sleep(LOOK).map_err(|error| Failure(error.to_string()))?;
        }
        Err(Failure(format!("all is set up, and nobody has said when to begin within {} s", PATIENCE.as_secs())))
    }

    /// Says that all finite workloads of this machine are complete.
    ///
    /// # Errors
    /// It cannot be said.
    pub fn complete(&self) -> Result<(), Failure> {
        fs::write(self.0.join(COMPLETE), "").map_err(|error| Failure::of("say that all is complete", error))
    }

    /// The run is over everywhere.
    pub fn is_to_finish(&self) -> bool {
        self.0.join(FINISH).exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_0_is_what_the_lead_says_unless_it_is_over() {
        let folder = std::env::temp_dir().join(format!("lead-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let lead = Lead::new(&folder);
        fs::write(folder.join(GO), "17\n").expect("written");
        assert!(lead.zero_ns().expect_err("over").0.contains("too late"));
        assert!(folder.join(READY).exists() && !lead.is_to_finish());
        fs::write(folder.join(GO), (u64::MAX - 1).to_string()).expect("written");
        assert_eq!(lead.zero_ns(), Ok(u64::MAX - 1));
        fs::write(folder.join(FINISH), "").expect("written");
        assert!(lead.is_to_finish());
        fs::remove_dir_all(folder).expect("removed");
    }
}
