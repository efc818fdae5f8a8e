//! The path that flows share: the bottleneck's rate, by how fast data is delivered while a queue stands.

use crate::estimate::{Estimate, PathEstimate};
use crate::quantile::Quantiles;

/// Of an RTT this part is no wait, nor is this time: hosts' own delays.
const NO_WAIT_PART: i64 = 64;
const NO_WAIT_NS: i64 = 50_000;
/// A train is as long as this many round trips, so that the returns of flows with different RTTs even out,
const TRAIN_ROUNDS: i64 = 4;
/// and has so many segments: one that is counted with the wrong train changes the rate by 1/128.
const TRAIN_SEGMENTS: u64 = 128;
/// One that ended before says something from here on.
const LEAST_SEGMENTS: u64 = 16;
/// What all trains together need to have.
const LEAST_TOTAL_SEGMENTS: u64 = 64;
/// The longest queues of the last time, in steps of this: half a second in all.
const STEP_NS: i64 = 16_000_000;
const STEPS: usize = 32;

/// What an acknowledgement says.
pub struct Delivery {
    pub now_ns: i64,
    /// Bytes of frames that were newly acknowledged or reported.
    pub wire_bytes: u64,
    /// A full segment's frame.
    pub frame_bytes: u64,
    /// The RTT that it gives, and the least of this flow.
    pub rtt_ns: Option<(i64, i64)>,
}

/// The path of one side's data.
#[derive(Default)]
pub struct Path {
    train: Option<Train>,
    /// Rates of trains, bit/s, by their segments.
    rates: Quantiles,
    segments: u64,
    busy_bytes: u64,
    busy_ns: i64,
    first_ns: Option<i64>,
    last_ns: i64,
    wire_bytes: u64,
    queues: Queues,
}

/// The longest queue that any flow saw, in each of the last steps of time.
#[derive(Default)]
struct Queues {
    /// Which step the present one is.
    step: i64,
    /// By the step's number; none without an RTT.
    longest_ns: [Option<i64>; STEPS],
    /// The longest since so many steps ago, without the present one.
    since_ns: [Option<i64>; STEPS],
}

impl Queues {
    #[inline]
    fn enter(&mut self, now_ns: i64, queue_ns: i64) {
        self.advance(now_ns / STEP_NS);
        let longest_ns = &mut self.longest_ns[self.step.rem_euclid(STEPS as i64) as usize];
        *longest_ns = Some(longest_ns.map_or(queue_ns, |longest_ns| longest_ns.max(queue_ns)));
    }

    fn advance(&mut self, step: i64) {
        if step <= self.step {
            return;
        }
        for empty in (step.saturating_sub(STEPS as i64 - 1).max(self.step + 1))..=step {
            self.longest_ns[empty.rem_euclid(STEPS as i64) as usize] = None;
        }
        self.step = step;
        let mut longest_ns = None;
        for (back, since_ns) in self.since_ns.iter_mut().enumerate() {
            *since_ns = longest_ns;
            longest_ns = longest_ns.max(self.longest_ns[(step - 1 - back as i64).rem_euclid(STEPS as i64) as usize]);
        }
    }

    /// The longest within this time; none without an RTT in it, or where it is too long ago.
    #[inline]
    fn longest(&self, now_ns: i64, within_ns: i64) -> Option<i64> {
        let back = (self.step - (now_ns.saturating_sub(within_ns)) / STEP_NS).max(0) as usize;
        let present_ns = self.longest_ns[self.step.rem_euclid(STEPS as i64) as usize];
        let since_ns = *self.since_ns.get(back)?;
        since_ns.max(present_ns)
    }
}

/// Deliveries while a queue stands.
struct Train {
    since_ns: i64,
    /// When the last packet that had waited was acknowledged, and the bytes until then.
    until_ns: i64,
    bytes: u64,
    /// Bytes since.
    unsure_bytes: u64,
    round_ns: i64,
    frame_bytes: u64,
}

impl Path {
    /// Enters an acknowledgement.
    #[inline]
    pub fn delivered(&mut self, delivery: &Delivery) {
        let now_ns = delivery.now_ns;
        self.first_ns.get_or_insert(now_ns);
        self.last_ns = now_ns;
        self.wire_bytes += delivery.wire_bytes;
        if let Some(train) = &mut self.train {
            train.unsure_bytes += delivery.wire_bytes;
        }
        let Some((rtt_ns, least_ns)) = delivery.rtt_ns else { return };
        let excess_ns = rtt_ns.saturating_sub(least_ns);
        self.queues.enter(now_ns, excess_ns);
        // A packet that stood in the queue already when the one before it left it: the line was busy in between.
        let waited_ns = excess_ns - least_ns / NO_WAIT_PART - NO_WAIT_NS;
        if let Some(train) = &mut self.train
            && waited_ns >= now_ns.saturating_sub(train.until_ns)
        {
            train.bytes += std::mem::take(&mut train.unsure_bytes);
            train.until_ns = now_ns;
            train.round_ns = train.round_ns.max(rtt_ns);
            let long = now_ns.saturating_sub(train.since_ns) >= TRAIN_ROUNDS.saturating_mul(train.round_ns);
            if !long || train.bytes < TRAIN_SEGMENTS * train.frame_bytes {
                return;
            }
        }
        self.close();
        self.train = Some(Train {
            since_ns: now_ns,
            until_ns: now_ns,
            bytes: 0,
            unsure_bytes: 0,
            round_ns: rtt_ns,
            frame_bytes: delivery.frame_bytes.max(1),
        });
    }

    fn close(&mut self) {
        let Some(train) = self.train.take() else { return };
        let segments = train.bytes / train.frame_bytes;
        let elapsed_ns = train.until_ns.saturating_sub(train.since_ns);
        if segments < LEAST_SEGMENTS || elapsed_ns <= 0 {
            return;
        }
        self.segments += segments;
        self.busy_bytes += train.bytes;
        self.busy_ns = self.busy_ns.saturating_add(elapsed_ns);
        let rate_bps = u128::from(train.bytes) * 8_000_000_000 / elapsed_ns as u128;
        self.rates
            .insert_many(u64::try_from(rate_bps).unwrap_or(u64::MAX), u32::try_from(segments).unwrap_or(u32::MAX));
    }

    /// The longest queue that any flow saw within the last `within_ns`, ns; none where there was no RTT.
    #[inline]
    pub fn queue_ns(&self, now_ns: i64, within_ns: i64) -> Option<i64> {
        self.queues.longest(now_ns, within_ns)
    }

    /// The rate, where it is known.
    pub fn rate_bps(&self) -> Option<f64> {
        (self.segments >= LEAST_TOTAL_SEGMENTS).then(|| self.rates.median()).flatten().map(|rate| rate as f64)
    }

    /// What is known.
    pub fn estimate(&mut self) -> Option<PathEstimate> {
        self.close();
        let elapsed_ns = self.last_ns.saturating_sub(self.first_ns?);
        let rate_bps = if let Some(rate_bps) = self.rate_bps() {
            let [low, high] = [10, 90].map(|percent| self.rates.quantile(percent) as f64);
            // The classes of quantiles are so wide.
            let (low, high) = (low * 0.992, high * 1.008);
            Estimate::between(low, rate_bps, high, "data was delivered so fast while a queue stood")
        } else {
            let mean = (elapsed_ns > 0).then(|| self.wire_bytes as f64 * 8e9 / elapsed_ns as f64);
            Estimate::at_least(mean, "no queue stood for long enough: the flows may not have filled the path")
        };
        Some(PathEstimate { rate_bps, busy_bytes: self.busy_bytes, busy_ns: self.busy_ns })
    }
}
