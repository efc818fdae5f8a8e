//! What held the sender back, as Linux's `tcp_chrono` counts it: one state at a time, in nanoseconds.

use units::{Span, Time};

/// Why nothing more is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Nothing to send and nothing unacknowledged.
    #[default]
    Application,
    /// The network: data is under way or waits for the congestion window.
    Network,
    /// The receiver's window is full.
    ReceiveWindow,
    /// The send buffer is full of unacknowledged data.
    SendBuffer,
}

/// Time spent in each state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    state: Limit,
    since: Time,
    application: Span,
    receive_window: Span,
    send_buffer: Span,
}

impl Limits {
    /// From `now` on the sender is limited by `state`.
    #[inline]
    pub fn enter(&mut self, state: Limit, now: Time) {
        if state != self.state {
            self.settle(now);
            self.state = state;
        }
    }

    /// The present state.
    pub const fn state(&self) -> Limit {
        self.state
    }

    /// Starts the account.
    pub const fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// Times limited by application, receive window and send buffer until `now`.
    pub fn until(mut self, now: Time) -> (Span, Span, Span) {
        self.settle(now);
        (self.application, self.receive_window, self.send_buffer)
    }

    fn settle(&mut self, now: Time) {
        let spent = now.since(self.since);
        self.since = now;
        match self.state {
            Limit::Application => self.application += spent,
            Limit::ReceiveWindow => self.receive_window += spent,
            Limit::SendBuffer => self.send_buffer += spent,
            Limit::Network => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_charged_with_its_own_time() {
        let at = Time::from_nanos;
        let mut limits = Limits::default();
        limits.begin(at(10));
        limits.enter(Limit::Network, at(15));
        limits.enter(Limit::ReceiveWindow, at(20));
        limits.enter(Limit::ReceiveWindow, at(21));
        limits.enter(Limit::SendBuffer, at(27));
        let spans = limits.until(at(30));
        assert_eq!(spans, (Span::from_nanos(5), Span::from_nanos(7), Span::from_nanos(3)));
    }
}
