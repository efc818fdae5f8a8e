//! Timers of a connection.

use units::Time;

/// When a timer of a sender or receiver is due.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Time);

impl Default for Deadline {
    fn default() -> Self {
        Self(Time::NEVER)
    }
}

impl Deadline {
    /// Sets the timer, in place of what it was set to.
    pub const fn set(&mut self, due: Time) {
        self.0 = due;
    }

    /// Stops the timer.
    pub const fn clear(&mut self) {
        self.0 = Time::NEVER;
    }

    /// When the timer is due; `NEVER` when it is stopped.
    pub const fn due(&self) -> Time {
        self.0
    }

    /// True when the timer runs.
    pub fn is_set(&self) -> bool {
        self.0 != Time::NEVER
    }
}
