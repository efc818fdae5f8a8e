//! [`Requester`]: the sending side of a connection's receiver, of which one segment is under way at most: a request.
//!
//! It is sent again after the retransmission timeout, which doubles each time (RFC 6298 section 5), and acknowledged by the first
//! data that answers it: a server answers at once.

use super::rtt::{RttEstimator, sample_us};
use units::{Span, Time};

/// Sends one segment at a time.
#[derive(Debug, Default)]
pub struct Requester {
    rtt: RttEstimator,
    /// When the segment that is under way was sent first; none: none is.
    sent_at: Option<Time>,
    is_resent: bool,
    count: u64,
}

impl Requester {
    /// The handshake took so many milliseconds, if that is known.
    pub fn begin(&mut self, handshake_ms: Option<u64>) {
        if let Some(rtt_ms) = handshake_ms {
            self.rtt.update(sample_us(rtt_ms * 1_000), 0, 0);
        }
    }

    /// A segment is sent. Gives when it is to be sent again.
    pub fn send(&mut self, now: Time) -> Time {
        (self.sent_at, self.is_resent) = (Some(now), false);
        self.count += 1;
        self.due(now)
    }

    /// It is sent again. Gives when the next time.
    pub fn resend(&mut self, now: Time) -> Time {
        self.is_resent = true;
        self.rtt.back_off();
        self.due(now)
    }

    /// It has been acknowledged: a sample, unless it was sent twice (Karn's algorithm, RFC 6298 section 3).
    pub fn acknowledge(&mut self, now: Time) {
        if let Some(sent_at) = self.sent_at.take().filter(|_| !self.is_resent) {
            self.rtt.update(sample_us(now.since(sent_at).as_micros()), self.count, self.count + 1);
        }
    }

    /// A segment is under way.
    pub const fn is_waiting(&self) -> bool {
        self.sent_at.is_some()
    }

    fn due(&self, now: Time) -> Time {
        now + Span::from_millis(self.rtt.rto_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_request_is_sent_again_after_a_timeout_that_doubles() {
        let mut requester = Requester::default();
        assert_eq!(requester.send(at(0)), at(1_000), "before the first sample");
        requester.acknowledge(at(50));
        // 50 ms and 200 ms at least.
        assert_eq!(requester.send(at(100)), at(350));
        assert_eq!([requester.resend(at(350)), requester.resend(at(850))], [at(850), at(1_850)]);
        requester.acknowledge(at(900));
        assert!(!requester.is_waiting());
        assert_eq!(requester.send(at(1_000)), at(2_000), "the ACK of what was sent twice is no sample");
        requester.acknowledge(at(1_050));
        assert_eq!(requester.send(at(1_100)), at(1_350));
    }

    #[test]
    fn the_handshake_is_a_sample() {
        let mut requester = Requester::default();
        requester.begin(Some(40));
        assert_eq!(requester.send(at(0)), at(240));
    }
}
