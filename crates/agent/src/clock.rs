//! [`Clock`]: nanoseconds since the run's time 0, and the one alarm that wakes the agent.

use crate::error::{Error, Subject};
use crate::failure::Failure;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::{ClockNanosleepFlags, clock_nanosleep};
use run::Histogram;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Between the set-up and time 0 lies at least this much, so that nothing of the set-up is left to do.
const SETTLING_NS: u64 = 100_000_000;

/// A reading so little after a deadline is the deadline: the clock of User-Mode Linux has steps of 256 ns
/// (`TIMER_MULTIPLIER` in arch/um/kernel/time.c), and nothing else happens in between.
const GRAIN_NS: u64 = 1_000;

/// The run's clock. In virtual time it stands still while anything computes, but that to read it takes one of its steps
/// (`timer_read` in arch/um/kernel/time.c): it is read as seldom as can be.
#[derive(Debug)]
pub struct Clock {
    /// Time 0 on CLOCK_MONOTONIC.
    zero_ns: u64,
    alarm: TimerFd,
    /// What the alarm is set to.
    armed_ns: Option<u64>,
    /// Time is virtual: the clock jumps from event to event, and an alarm rings when it is due.
    jumps: bool,
    /// How late it was read after it had rung, where time is real.
    late: Histogram,
}

impl Clock {
    /// A clock whose time 0 is `zero_ns` on CLOCK_MONOTONIC; none: the first whole second that is far enough away, so that every run
    /// is aligned alike to the kernel's ticks, and before which the kernel was up for `memory_ns`: what a queue remembers.
    ///
    /// # Errors
    /// The kernel has no timers to give.
    pub fn begin(zero_ns: Option<u64>, memory_ns: u64) -> Result<Self, Failure> {
        let alarm = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK)
            .map_err(|errno| Failure::of("create a timer", errno))?;
        let jumps = time_is_virtual();
        let zero_ns = zero_ns.map_or_else(|| monotonic_ns().map(|now_ns| time_zero(now_ns, memory_ns)), Ok)?;
        Ok(Self { zero_ns, alarm, armed_ns: None, jumps, late: Histogram::default() })
    }

    /// Time is virtual: nothing else happens while the run does.
    pub const fn jumps(&self) -> bool {
        self.jumps
    }

    /// Time 0 on CLOCK_MONOTONIC.
    pub const fn zero_ns(&self) -> u64 {
        self.zero_ns
    }

    /// Nanoseconds since time 0; 0 before it.
    ///
    /// # Errors
    /// The kernel has no such clock.
    pub fn now(&self) -> Result<u64, Failure> {
        Ok(monotonic_ns()?.saturating_sub(self.zero_ns))
    }

    /// The instant at which the alarm rang; none when it was not set.
    ///
    /// # Errors
    /// The kernel has no such clock.
    pub fn rang(&mut self) -> Result<Option<u64>, Failure> {
        let Some(armed_ns) = self.armed_ns.take() else { return Ok(None) };
        if self.jumps {
            return Ok(Some(armed_ns));
        }
        let now_ns = self.now()?;
        self.late.record(now_ns.saturating_sub(armed_ns));
        Ok(Some(instant(armed_ns, now_ns)))
    }

    /// How late each ring was heard, in nanoseconds; empty in virtual time.
    pub const fn late(&self) -> &Histogram {
        &self.late
    }

    /// Lets the alarm ring at `at_ns`. A ring wakes an edge-triggered poll once; it needs no reading.
    ///
    /// # Errors
    /// The kernel refuses the timer.
    pub fn arm(&mut self, at_ns: u64) -> Result<(), Failure> {
        if self.armed_ns != Some(at_ns) {
            let at = TimeSpec::from_duration(Duration::from_nanos(self.zero_ns + at_ns));
            self.alarm
                .set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
                .map_err(|errno| Failure::of("set the timer", errno))?;
            self.armed_ns = Some(at_ns);
        }
        Ok(())
    }
}

impl AsFd for Clock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.alarm.as_fd()
    }
}

/// The instant at which something that was `due_ns` is done, when the clock reads `now_ns`.
pub const fn instant(due_ns: u64, now_ns: u64) -> u64 {
    if now_ns.saturating_sub(due_ns) < GRAIN_NS { due_ns } else { now_ns }
}

/// Whether time stands still here while anything computes.
pub fn time_is_virtual() -> bool {
    std::fs::read_to_string("/proc/cmdline").is_ok_and(|line| is_virtual(&line))
}

/// Whether a kernel's command line says that its time is virtual and computing takes none.
fn is_virtual(line: &str) -> bool {
    line.split_whitespace().any(|word| word == "time-travel=inf-cpu")
}

fn time_zero(now_ns: u64, memory_ns: u64) -> u64 {
    (now_ns.max(memory_ns) + SETTLING_NS).next_multiple_of(NANOS_PER_SEC)
}

/// What CLOCK_MONOTONIC reads.
///
/// # Errors
/// The kernel has no such clock.
pub fn monotonic_ns() -> Result<u64, Failure> {
    read(nix::time::ClockId::CLOCK_MONOTONIC)
}

/// What CLOCK_REALTIME reads, on which the kernel stamps packets.
///
/// # Errors
/// The kernel has no such clock.
pub fn realtime_ns() -> Result<u64, Failure> {
    read(nix::time::ClockId::CLOCK_REALTIME)
}

/// How far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC: of the one it is half way between two readings of the other, also where to
/// read them takes time.
///
/// # Errors
/// The kernel has no such clocks.
pub fn realtime_ahead_ns() -> Result<u64, Failure> {
    let (before_ns, real_ns, after_ns) = (monotonic_ns()?, realtime_ns()?, monotonic_ns()?);
    Ok(real_ns - u64::midpoint(before_ns, after_ns))
}

fn read(clock: nix::time::ClockId) -> Result<u64, Failure> {
    let now = nix::time::clock_gettime(clock).map_err(|errno| Failure::of("read the clock", errno))?;
    Ok(now.tv_sec() as u64 * NANOS_PER_SEC + now.tv_nsec() as u64)
}

/// Lets time pass until an instant on CLOCK_MONOTONIC.
pub fn sleep_until(at_ns: u64) -> Result<(), Error> {
    let at = TimeSpec::from_duration(Duration::from_nanos(at_ns));
    clock_nanosleep(nix::time::ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at)
        .map(drop)
        .about("sleep")
}

/// Lets time pass: all others run meanwhile.
pub fn sleep(span: Duration) -> Result<(), Error> {
    clock_nanosleep(nix::time::ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::empty(), &TimeSpec::from_duration(span))
        .map(drop)
        .about("sleep")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_0_is_a_full_second_that_leaves_room() {
        assert_eq!(time_zero(0, 0), NANOS_PER_SEC);
        assert_eq!(time_zero(900_000_000, 0), NANOS_PER_SEC);
        assert_eq!(time_zero(900_000_001, 0), 2 * NANOS_PER_SEC);
    }

    #[test]
    fn time_0_waits_until_a_queue_takes_the_kernels_beginning_for_no_drop() {
        assert_eq!(time_zero(10_000_000, 1_600_000_000), 2 * NANOS_PER_SEC);
        assert_eq!(time_zero(5_000_000_000, 1_600_000_000), 6 * NANOS_PER_SEC);
    }

    #[test]
    fn virtual_time_is_known_by_the_command_line() {
        assert!(is_virtual("root=98:0 time-travel=inf-cpu time-travel-start=0 quiet"));
        assert!(!is_virtual("root=98:0 time-travel-start=0"));
    }

    #[test]
    fn a_step_of_the_clock_is_no_delay() {
        assert_eq!(instant(50_000_000, 50_000_128), 50_000_000);
        assert_eq!(instant(50_000_000, 50_001_000), 50_001_000);
        assert_eq!(instant(50_000_000, 49_999_999), 50_000_000);
    }
}
