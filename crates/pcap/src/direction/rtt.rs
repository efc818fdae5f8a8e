//! Round-trip times, and the retransmission timer that follows from them.

use crate::quantile::Quantiles;

/// Linux' least retransmission timeout on top of the smoothed RTT (`TCP_RTO_MIN`).
const LEAST_VARIATION_NS: i64 = 200_000_000;
/// Before any sample (RFC 6298 section 2).
const INITIAL_NS: i64 = 1_000_000_000;

/// Of one end's data.
#[derive(Default)]
pub struct Rtt {
    /// By acknowledgements, by Karn's rule.
    pub by_ack: Quantiles,
    /// By echoed timestamps.
    pub by_timestamp: Quantiles,
    /// The delay of the first echo of each timestamp, also of segments without data: the way from the capture to the
    /// other end and back, and how long that took to answer.
    pub echo: Quantiles,
    smoothed_ns: Option<i64>,
    variation_ns: i64,
}

impl Rtt {
    /// Bytes of memory.
    #[inline]
    pub const fn memory_bytes(&self) -> usize {
        self.by_ack.memory_bytes() + self.by_timestamp.memory_bytes() + self.echo.memory_bytes()
    }

    /// A sample of the timer's (RFC 6298 section 2), whose gains are 1/8 and 1/4.
    #[inline]
    pub fn sample(&mut self, rtt_ns: i64) {
        let rtt_ns = rtt_ns.clamp(0, 1 << 40);
        match self.smoothed_ns {
            None => {
                self.smoothed_ns = Some(rtt_ns);
                self.variation_ns = rtt_ns / 2;
            }
            Some(smoothed_ns) => {
                self.variation_ns += ((smoothed_ns - rtt_ns).abs() - self.variation_ns) / 4;
                self.smoothed_ns = Some(smoothed_ns + (rtt_ns - smoothed_ns) / 8);
            }
        }
    }

    /// The smoothed RTT, where there was a sample.
    pub const fn smoothed_ns(&self) -> Option<i64> {
        self.smoothed_ns
    }

    /// The retransmission timeout as Linux has it, without a back-off.
    pub fn timeout_ns(&self) -> i64 {
        self.smoothed_ns.map_or(INITIAL_NS, |smoothed| smoothed + (4 * self.variation_ns).max(LEAST_VARIATION_NS))
    }
}
