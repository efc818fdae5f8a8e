//! [`AckDelay`]: how long an ACK may wait (RFC 5681 section 4.2; `icsk_ack.ato` of Linux 6.1).

use super::rtt::{RTO_INITIAL_MS, RttEstimator, sample_us};

/// `TCP_ATO_MIN` = `TCP_DELACK_MIN`, ms: the least that an ACK is delayed.
const MIN_MS: u64 = 40;
/// `TCP_DELACK_MAX`, ms.
const MAX_MS: u64 = 200;

/// What one receiver makes of the gaps between the segments that come.
#[derive(Clone, Copy, Debug)]
pub struct AckDelay {
    /// As the gaps suggest; 0 before the first data.
    wanted_ms: u64,
    last_data_ms: u64,
    /// Its own round-trip time and retransmission timeout, which data never moves: those of the handshake.
    rtt_ms: u64,
    timeout_ms: u64,
}

impl AckDelay {
    /// Of a connection that has not begun.
    pub const fn new() -> Self {
        Self { wanted_ms: 0, last_data_ms: 0, rtt_ms: 0, timeout_ms: RTO_INITIAL_MS }
    }

    /// The handshake took so many ticks of the timestamps' clock.
    pub fn sample_handshake(&mut self, ticks: u32) {
        let mut rtt = RttEstimator::default();
        rtt.update(sample_us(u64::from(ticks) * 1_000), 0, 0);
        self.rtt_ms = u64::from(ticks);
        self.timeout_ms = rtt.rto_ms();
    }

    /// The handshake's round trip, if it was sampled.
    pub const fn handshake_ms(&self) -> Option<u64> {
        if self.rtt_ms > 0 { Some(self.rtt_ms) } else { None }
    }

    /// New data comes (`tcp_event_data_recv`). Whether it is the first, or comes after a pause longer than a timeout: its
    /// sender is in slow start.
    #[inline(always)]
    pub fn on_data(&mut self, now_ms: u64) -> bool {
        let gap_ms = now_ms - self.last_data_ms;
        self.last_data_ms = now_ms;
        if self.wanted_ms == 0 {
            self.wanted_ms = MIN_MS;
            return true;
        }
        if gap_ms <= MIN_MS / 2 {
            self.wanted_ms = self.wanted_ms / 2 + MIN_MS / 2;
        } else if gap_ms < self.wanted_ms {
            self.wanted_ms = (self.wanted_ms / 2 + gap_ms).min(self.timeout_ms);
        } else {
            return gap_ms > self.timeout_ms;
        }
        false
    }

    /// What is sent now is so soon after data that it is its answer.
    pub const fn is_soon(&self, now_ms: u64) -> bool {
        now_ms - self.last_data_ms < self.wanted_ms
    }

    /// Quick ACKs begin or end.
    #[inline]
    pub const fn shorten(&mut self) {
        self.wanted_ms = MIN_MS;
    }

    /// An ACK waited in vain (`tcp_delack_timer_handler`).
    pub fn back_off(&mut self) {
        self.wanted_ms = (2 * self.wanted_ms).min(self.timeout_ms);
    }

    /// How long the next one waits: beyond the least only where the round trip is as long (`tcp_send_delayed_ack`).
    pub fn ms(&self) -> u64 {
        if self.wanted_ms <= MIN_MS {
            return self.wanted_ms;
        }
        let most_ms = self.handshake_ms().map_or(MAX_MS, |rtt_ms| rtt_ms.max(MIN_MS));
        self.wanted_ms.min(most_ms).min(MAX_MS)
    }
}
