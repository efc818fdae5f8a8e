//! What keeps a sender from sending more.

use crate::summary::Limits;

/// What a sender's limit is decided by.
pub struct Limited {
    /// Sent and not acknowledged, bytes.
    pub in_flight_bytes: u64,
    /// What the receiver offers, bytes, where its scale is known.
    pub window_bytes: Option<u64>,
    /// A full segment, bytes.
    pub segment_bytes: u32,
    /// Whether the sender recovers from a loss.
    pub recovers: bool,
}

/// What limits a sender at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum By {
    /// It has not sent data yet, or all is acknowledged.
    #[default]
    Idle,
    /// The last new segment was a short one: the application had no more.
    Application,
    /// The receiver's window.
    Receiver,
    /// The congestion window, or pacing.
    Congestion,
}

/// Adds up times.
#[derive(Default)]
pub struct Limit {
    by: By,
    short: bool,
    since_ns: i64,
    begun: bool,
    /// Idle time, which counts when data follows it.
    idle_ns: i64,
    limits: Limits,
}

impl Limit {
    /// Notes a new segment, and whether it was a short one.
    #[inline]
    pub const fn sent(&mut self, short: bool) {
        self.short = short;
    }

    /// Notes what limits from now on.
    #[inline]
    pub fn update(&mut self, limited: &Limited, now_ns: i64) {
        let edge = limited.in_flight_bytes.saturating_add(u64::from(limited.segment_bytes));
        let by = if limited.in_flight_bytes == 0 {
            By::Idle
        } else if limited.recovers {
            By::Congestion
        } else if limited.window_bytes.is_some_and(|window| window < edge) {
            By::Receiver
        } else if self.short {
            By::Application
        } else {
            By::Congestion
        };
        self.change(by, now_ns);
    }

    /// Gives the time until now to what limited, and notes what limits from now on.
    #[inline]
    fn change(&mut self, by: By, now_ns: i64) {
        if !self.begun {
            if by == By::Idle {
                return;
            }
            self.begun = true;
        } else {
            let elapsed_ns = now_ns.saturating_sub(self.since_ns).max(0);
            let sum = match self.by {
                By::Idle => &mut self.idle_ns,
                By::Application => &mut self.limits.application_ns,
                By::Receiver => &mut self.limits.receiver_ns,
                By::Congestion => &mut self.limits.congestion_ns,
            };
            *sum = sum.saturating_add(elapsed_ns);
            if by != By::Idle {
                self.limits.application_ns = self.limits.application_ns.saturating_add(self.idle_ns);
                self.idle_ns = 0;
            }
        }
        self.by = by;
        self.since_ns = now_ns;
    }

    /// The sums.
    pub const fn limits(&self) -> Limits {
        self.limits
    }
}
