//! Whether the congestion window is used: growth must be earned, and what was not used for long is given back
//! (RFC 2861 and RFC 5681 section 4.1, as Linux 6.1 has them).

use super::limits::Limit;
use super::sender::Sender;
use cc::{CongestionControl, RecoveryState};
use units::{Segments, Span, Time};

/// Use of the window, over the last round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
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

impl Usage {
    /// The connection begins, or an ACK lets the algorithm judge its window (Linux 6.1 `tcp_cong_avoid`): it is up to
    /// date.
    pub const fn renew(&mut self, now: Time) {
        self.stamp_ms = now.as_millis();
    }
}

impl Sender {
    /// The flight fills the window: growth is earned (Linux 6.1 `tcp_is_cwnd_limited`).
    #[inline]
    pub(super) fn is_cwnd_limited(&self) -> bool {
        // In slow start the window may grow to twice what was used.
        self.usage.is_limit || (self.window.in_slow_start() && self.window.cwnd < 2 * self.usage.max_out)
    }

    /// Linux 6.1 `tcp_cwnd_validate`: keeps the strongest sign of use over a round, and shrinks a window that the
    /// application has not used for a timeout (RFC 2861).
    pub(super) fn validate_window(&mut self, cwnd_limited: bool, now: Time) {
        let out = self.board.out();
        if self.board.una() >= self.usage.round_end
            || cwnd_limited
            || (!self.usage.is_limit && out > self.usage.max_out)
        {
            self.usage.is_limit = cwnd_limited;
            self.usage.max_out = out;
            self.usage.round_end = self.board.next();
        }
        let now_ms = now.as_millis();
        if self.is_cwnd_limited() {
            self.usage.used = 0;
            self.usage.stamp_ms = now_ms;
            return;
        }
        self.usage.used = self.usage.used.max(out);
        if self.cc.owns_window() || now_ms - self.usage.stamp_ms < self.rtt.rto_ms() {
            return;
        }
        if self.recovery.state == RecoveryState::Open && self.limits.state() != Limit::SendBuffer {
            let used = self.usage.used.max(self.initial_window);
            if used < self.window.cwnd {
                self.window.ssthresh = self.current_ssthresh();
                self.window.cwnd = (self.window.cwnd + used) >> 1;
            }
            self.usage.used = 0;
        }
        self.usage.stamp_ms = now_ms;
    }

    /// RFC 5681 section 4.1 as Linux 6.1 `tcp_cwnd_restart`: after an idle timeout the window shrinks.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        if self.board.out() > 0 || self.cc.owns_window() || !self.established {
            return;
        }
        let rto = Span::from_millis(self.rtt.rto_ms());
        let mut idle = now.saturating_since(self.last_sent);
        if self.last_sent == Time::ZERO || idle <= rto {
            return;
        }
        self.window.ssthresh = self.current_ssthresh();
        let floor = self.initial_window.min(self.window.cwnd);
        idle = idle.saturating_sub(rto);
        while idle > Span::ZERO && self.window.cwnd > floor {
            self.window.cwnd >>= 1;
            idle = idle.saturating_sub(rto);
        }
        self.window.cwnd = self.window.cwnd.max(floor);
        self.usage.stamp_ms = now.as_millis();
        self.usage.used = 0;
    }
}
