//! Whether the congestion window is used: growth must be earned, and what was not used for long is given back
//! (RFC 2861 and RFC 5681 section 4.1, as Linux 6.1 has them; RFC 7661).

use super::scoreboard::Scoreboard;
use cc::Window;
use units::{Segments, Span, Time};

/// Use of the window, over the last round.
#[derive(Clone, Copy, Debug, Default)]
pub struct CwndValidation {
    /// The flight filled the window.
    is_limit: bool,
    /// The most segments out, when it did not.
    max_out: u32,
    /// First segment of the next round.
    round_end: u64,
    /// The most segments out since the window was last full, and when that was, ms.
    used: Segments,
    stamp_ms: u64,
}

impl CwndValidation {
    /// The connection begins, or an ACK lets the algorithm judge its window (Linux 6.1 `tcp_cong_avoid`): it is up to
    /// date.
    pub const fn renew(&mut self, now: Time) {
        self.stamp_ms = now.as_millis();
    }

    /// The flight fills the window: growth is earned (Linux 6.1 `tcp_is_cwnd_limited`).
    #[inline]
    pub fn is_cwnd_limited(&self, window: &Window) -> bool {
        // In slow start the window may grow to twice what was used.
        self.is_limit || (window.in_slow_start() && window.cwnd < 2 * self.max_out)
    }

    /// Something was sent, and the window has room for more: keeps the strongest sign of use over a round (Linux 6.1
    /// `tcp_cwnd_validate`).
    pub fn observe(&mut self, board: &Scoreboard, window: &Window, now: Time) {
        let out = board.out();
        if board.una() >= self.round_end || (!self.is_limit && out > self.max_out) {
            self.is_limit = false;
            self.max_out = out;
            self.round_end = board.next();
        }
        if self.is_cwnd_limited(window) {
            self.used = 0;
            self.renew(now);
        } else {
            self.used = self.used.max(out);
        }
    }

    /// The window is full, or has too little room for what is to be sent.
    #[inline]
    pub const fn observe_full(&mut self, board: &Scoreboard, now: Time) {
        self.is_limit = true;
        self.max_out = board.out();
        self.round_end = board.next();
        self.used = 0;
        self.renew(now);
    }

    /// The window has not been full for a timeout.
    pub const fn has_expired(&self, rto_ms: u64, now: Time) -> bool {
        now.as_millis() - self.stamp_ms >= rto_ms
    }

    /// Takes back half of what the application left unused (RFC 2861; Linux 6.1 `tcp_cwnd_application_limited`).
    /// `ssthresh`: the threshold that remembers the window.
    pub fn give_back(&mut self, window: &mut Window, ssthresh: Segments, initial_window: Segments) {
        let used = self.used.max(initial_window);
        if used < window.cwnd {
            window.ssthresh = ssthresh;
            window.cwnd = (window.cwnd + used) >> 1;
        }
        self.used = 0;
    }

    /// RFC 5681 section 4.1 as Linux 6.1 `tcp_cwnd_restart`: the window is halved for each timeout of an idle time
    /// beyond the first.
    pub fn restart(&mut self, window: &mut Window, initial_window: Segments, mut idle: Span, rto: Span, now: Time) {
        let floor = initial_window.min(window.cwnd);
        idle = idle.saturating_sub(rto);
        while idle > Span::ZERO && window.cwnd > floor {
            window.cwnd >>= 1;
            idle = idle.saturating_sub(rto);
        }
        window.cwnd = window.cwnd.max(floor);
        self.renew(now);
        self.used = 0;
    }
}
