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
/// The longest queues of the last time, in so many steps: half a second in all, and more where an RTT is longer.
const STEP_NS: i64 = 16_000_000;
const STEPS: usize = 32;
/// A flow that gives no RTT for so long tells the queue no more.
const SILENT_NS: i64 = 1_000_000_000;
/// By so much a full frame of Ethernet is longer than a SYN's.
const MORE_THAN_SYN_BITS: f64 = (1514.0 - 74.0) * 8.0;

/// What an acknowledgement says.
pub struct Delivery {
    pub now_ns: i64,
    pub connection: u64,
    /// The RTT of the flow's handshake, where that met no queue that was seen.
    pub opening_ns: Option<i64>,
    /// Bytes of data that were newly acknowledged or reported.
    pub bytes: u64,
    /// A full segment, and its frame.
    pub segment_bytes: u32,
    pub frame_bytes: u32,
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
    /// Data delivered in all.
    bytes: u64,
    queues: Queues,
    /// As those flows saw them that began without one.
    sure_queues: Queues,
    reference: Option<Reference>,
    /// By how much the least RTT of data is longer than that of its handshake, ns: of the flow of which it is least.
    longer_ns: Option<i64>,
}

/// The flow that knows the queue best: the first that began without one.
#[derive(Clone, Copy)]
struct Reference {
    connection: u64,
    at_ns: i64,
    queue_ns: i64,
}

/// The longest queue that any flow saw, in each of the last steps of time.
struct Queues {
    step_ns: i64,
    /// Which step the present one is.
    step: i64,
    /// By the step's number; none without an RTT.
    longest_ns: [Option<i64>; STEPS],
    /// The longest since so many steps ago, without the present one.
    since_ns: [Option<i64>; STEPS],
}

impl Default for Queues {
    fn default() -> Self {
        Self { step_ns: STEP_NS, step: 0, longest_ns: [None; STEPS], since_ns: [None; STEPS] }
    }
}

impl Queues {
    #[inline]
    fn enter(&mut self, now_ns: i64, rtt_ns: i64, queue_ns: i64) {
        while rtt_ns / STEPS as i64 >= self.step_ns {
            self.coarsen();
        }
        let step = now_ns / self.step_ns;
        if step > self.step {
            self.advance(step);
        }
        let longest_ns = &mut self.longest_ns[place(self.step)];
        *longest_ns = Some(longest_ns.map_or(queue_ns, |longest_ns| longest_ns.max(queue_ns)));
    }

    #[cold]
    fn advance(&mut self, step: i64) {
        for empty in (step.saturating_sub(STEPS as i64 - 1).max(self.step + 1))..=step {
            self.longest_ns[place(empty)] = None;
        }
        self.step = step;
        self.sum_up();
    }

    /// Makes steps twice as long.
    #[cold]
    fn coarsen(&mut self) {
        let finer_ns = std::mem::take(&mut self.longest_ns);
        for step in self.step - (STEPS as i64 - 1)..=self.step {
            let longest_ns = &mut self.longest_ns[place(step.div_euclid(2))];
            *longest_ns = (*longest_ns).max(finer_ns[place(step)]);
        }
        self.step_ns = self.step_ns.saturating_mul(2);
        self.step = self.step.div_euclid(2);
        self.sum_up();
    }

    fn sum_up(&mut self) {
        let mut longest_ns = None;
        for (back, since_ns) in self.since_ns.iter_mut().enumerate() {
            *since_ns = longest_ns;
            longest_ns = longest_ns.max(self.longest_ns[place(self.step - 1 - back as i64)]);
        }
    }

    /// The longest within this time, or within as much of it as is remembered; none without an RTT in it.
    #[inline]
    fn longest(&self, now_ns: i64, within_ns: i64) -> Option<i64> {
        let back = usize::try_from(self.step - now_ns.saturating_sub(within_ns) / self.step_ns).ok()?;
        let present_ns = self.longest_ns[place(self.step)];
        self.since_ns[back.min(STEPS - 1)].max(present_ns)
    }
}

/// Where a step is remembered.
const fn place(step: i64) -> usize {
    step.rem_euclid(STEPS as i64) as usize
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
    segment_bytes: u32,
    frame_bytes: u32,
}

impl Path {
    /// Enters an acknowledgement.
    #[inline]
    pub fn delivered(&mut self, delivery: &Delivery) {
        let now_ns = delivery.now_ns;
        self.first_ns.get_or_insert(now_ns);
        self.last_ns = now_ns;
        self.bytes += delivery.bytes;
        if let Some(train) = &mut self.train {
            train.unsure_bytes += delivery.bytes;
        }
        let Some((rtt_ns, least_ns)) = delivery.rtt_ns else { return };
        let excess_ns = rtt_ns.saturating_sub(least_ns);
        self.queues.enter(now_ns, rtt_ns, excess_ns);
        if let Some(opening_ns) = delivery.opening_ns {
            self.sure_queues.enter(now_ns, rtt_ns, excess_ns);
            let longer_ns = least_ns.saturating_sub(opening_ns);
            self.longer_ns = Some(self.longer_ns.map_or(longer_ns, |other_ns| other_ns.min(longer_ns)));
            if self.reference.is_none_or(|reference| {
                reference.connection >= delivery.connection || now_ns.saturating_sub(reference.at_ns) > SILENT_NS
            }) {
                self.reference =
                    Some(Reference { connection: delivery.connection, at_ns: now_ns, queue_ns: excess_ns });
            }
        }
        // A packet that stood in the queue already when the one before it left it: the line was busy in between.
        let waited_ns = excess_ns.saturating_sub(least_ns / NO_WAIT_PART).saturating_sub(NO_WAIT_NS);
        if let Some(train) = &mut self.train
            && waited_ns >= now_ns.saturating_sub(train.until_ns)
        {
            train.bytes += std::mem::take(&mut train.unsure_bytes);
            train.until_ns = now_ns;
            train.round_ns = train.round_ns.max(rtt_ns);
            let long = now_ns.saturating_sub(train.since_ns) >= TRAIN_ROUNDS.saturating_mul(train.round_ns);
            if !long || train.bytes < TRAIN_SEGMENTS * u64::from(train.segment_bytes) {
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
            segment_bytes: delivery.segment_bytes.max(1),
            frame_bytes: delivery.frame_bytes,
        });
    }

    #[inline(never)]
    fn close(&mut self) {
        let Some(train) = self.train.take() else { return };
        let segment_bytes = u64::from(train.segment_bytes);
        let segments = train.bytes / segment_bytes;
        let elapsed_ns = train.until_ns.saturating_sub(train.since_ns);
        if segments < LEAST_SEGMENTS || elapsed_ns <= 0 {
            return;
        }
        let wire_bytes = train.bytes.saturating_mul(train.frame_bytes.into()) / segment_bytes;
        self.segments += segments;
        self.busy_bytes += wire_bytes;
        self.busy_ns = self.busy_ns.saturating_add(elapsed_ns);
        let rate_bps = u128::from(wire_bytes) * 8_000_000_000 / elapsed_ns as u128;
        self.rates
            .insert_many(u64::try_from(rate_bps).unwrap_or(u64::MAX), u32::try_from(segments).unwrap_or(u32::MAX));
    }

    /// The longest queue that any flow saw within the last `within_ns`, ns; none where there was no RTT. And whether it was no
    /// longer: a flow that began in a queue does not see it, unless all did.
    #[inline]
    pub fn queue(&self, now_ns: i64, within_ns: i64) -> Option<(i64, bool)> {
        let is_sure = || self.reference.is_none() || self.sure_queues.longest(now_ns, within_ns).is_some();
        self.queues.longest(now_ns, within_ns).map(|queue_ns| (queue_ns, is_sure()))
    }

    /// The queue as the reference saw it last, within the last `within_ns`, if that is another flow, ns.
    #[inline]
    pub fn reference_ns(&self, connection: u64, now_ns: i64, within_ns: i64) -> Option<i64> {
        let reference = self.reference?;
        let other = reference.connection != connection && now_ns.saturating_sub(reference.at_ns) <= within_ns;
        other.then_some(reference.queue_ns)
    }

    /// The rate, where it is known.
    pub fn rate_bps(&self) -> Option<f64> {
        (self.segments >= LEAST_TOTAL_SEGMENTS).then(|| self.rates.median()).flatten().map(|rate| rate as f64)
    }

    /// By how much the least RTT of a full frame is longer than that of a SYN, ns: by the time that its bytes take, or, where
    /// a token bucket lets the first frames through at once, not at all. None: the rate is not known.
    pub fn frame_beyond_syn_ns(&self) -> Option<i64> {
        let takes_ns = (MORE_THAN_SYN_BITS * 1e9 / self.rate_bps()?) as i64;
        let at_once = self.longer_ns.is_some_and(|longer_ns| longer_ns < takes_ns / 2);
        Some(if at_once { 0 } else { takes_ns })
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
            let mean = (elapsed_ns > 0).then(|| self.bytes as f64 * 8e9 / elapsed_ns as f64);
            Estimate::at_least(mean, "no queue stood for long enough: the flows may not have filled the path")
        };
        Some(PathEstimate { rate_bps, busy_bytes: self.busy_bytes, busy_ns: self.busy_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, Path};

    const US: i64 = 1_000;
    const SEGMENT: u32 = 1_448;

    /// ACKs of two segments, each so long after the one before, with an RTT over a least one of 20 ms.
    fn acknowledge(path: &mut Path, from_us: i64, count: i64, every_us: i64, excess_us: i64) {
        for index in 0..count {
            path.delivered(&Delivery {
                now_ns: (from_us + index * every_us) * US,
                connection: 0,
                opening_ns: Some(20_000 * US),
                bytes: 2 * u64::from(SEGMENT),
                segment_bytes: SEGMENT,
                frame_bytes: SEGMENT + 66,
                rtt_ns: Some(((20_000 + excess_us) * US, 20_000 * US)),
            });
        }
    }

    #[test]
    fn the_rate_is_that_of_data_behind_a_queue() {
        let mut path = Path::default();
        acknowledge(&mut path, 0, 2_000, 2_000, 10_000);
        // Faster than the line is only what did not wait for it.
        acknowledge(&mut path, 5_000_000, 500, 1_000, 0);
        let rate = path.estimate().unwrap().rate_bps;
        let truth = 2.0 * 1_514.0 * 8.0 / 2e-3;
        assert!((rate.value.unwrap() / truth - 1.0).abs() < 0.005, "{rate:?} {truth}");
        assert!(rate.low.unwrap() <= truth && truth <= rate.high.unwrap(), "{rate:?} {truth}");
    }

    #[test]
    fn without_a_queue_the_rate_is_not_known() {
        let mut path = Path::default();
        acknowledge(&mut path, 0, 2_000, 2_000, 100);
        let rate = path.estimate().unwrap().rate_bps;
        assert_eq!((rate.value, rate.high), (None, None), "{rate:?}");
        assert!(rate.low.is_some_and(|low| low > 11e6), "{rate:?}");
        assert!(Path::default().estimate().is_none());
    }

    #[test]
    fn time_in_which_nothing_waited_does_not_count() {
        let mut path = Path::default();
        for burst in 0..200 {
            // 40 segments at the line's rate, and then nothing for 30 ms: the first waits for none of the burst before.
            acknowledge(&mut path, burst * 70_000, 1, 0, 0);
            acknowledge(&mut path, burst * 70_000 + 2_000, 19, 2_000, 5_000);
        }
        let path = path.estimate().unwrap();
        let truth = 2.0 * 1_514.0 * 8.0 / 2e-3;
        assert!((path.rate_bps.value.unwrap() / truth - 1.0).abs() < 0.005, "{path:?}");
        assert!(path.busy_ns < 200 * 40_000 * US, "{path:?}");
    }

    #[test]
    fn the_longest_queue_of_a_time_is_that_of_all_flows() {
        let mut path = Path::default();
        acknowledge(&mut path, 0, 1, 0, 7_000);
        acknowledge(&mut path, 100_000, 1, 0, 1_000);
        assert_eq!(path.queue(100_000 * US, 20_000 * US), Some((1_000 * US, true)));
        assert_eq!(path.queue(100_000 * US, 110_000 * US), Some((7_000 * US, true)));
        assert_eq!(path.queue(100_000 * US, 900_000 * US), Some((7_000 * US, true)), "as far as it is remembered");
        acknowledge(&mut path, 1_000_000, 1, 0, 2_000);
        assert_eq!(path.queue(1_000_000 * US, 900_000 * US), Some((2_000 * US, true)), "for half a second");
        assert_eq!(path.queue(5_000_000 * US, 900_000 * US), None);
    }

    #[test]
    fn a_frame_that_passes_as_a_syn_does_went_through_a_bucket() {
        let frame_ns = (1_440.0 * 8.0 / 12.112e6 * 1e9) as i64;
        for (opening_ns, expected_ns) in [(20_000 * US, 0), (20_000 * US - frame_ns, frame_ns)] {
            let mut path = Path::default();
            assert_eq!(path.frame_beyond_syn_ns(), None, "the rate is not known");
            for index in 0..2_000 {
                path.delivered(&Delivery {
                    now_ns: index * 2_000 * US,
                    connection: 0,
                    opening_ns: Some(opening_ns),
                    bytes: 2 * u64::from(SEGMENT),
                    segment_bytes: SEGMENT,
                    frame_bytes: SEGMENT + 66,
                    rtt_ns: Some((30_000 * US, 20_000 * US)),
                });
            }
            path.estimate();
            let beyond_ns = path.frame_beyond_syn_ns().unwrap();
            assert!((beyond_ns - expected_ns).abs() < frame_ns / 50, "{beyond_ns} {expected_ns}");
        }
    }

    #[test]
    fn a_flow_that_began_in_a_queue_does_not_know_that_there_is_none() {
        let delivery = |now_us: i64, opening_ns: Option<i64>| Delivery {
            now_ns: now_us * US,
            connection: u64::from(opening_ns.is_none()),
            opening_ns,
            bytes: SEGMENT.into(),
            segment_bytes: SEGMENT,
            frame_bytes: SEGMENT + 66,
            rtt_ns: Some((20_000 * US, 20_000 * US)),
        };
        let mut path = Path::default();
        path.delivered(&delivery(1_000_000, None));
        assert_eq!(path.queue(1_000_000 * US, 20_000 * US), Some((0, true)), "nobody knows better");
        path.delivered(&delivery(1_000_000, Some(20_000 * US)));
        path.delivered(&delivery(1_200_000, None));
        assert_eq!(path.queue(1_200_000 * US, 20_000 * US), Some((0, false)), "the other one was silent");
        path.delivered(&delivery(1_200_000, Some(20_000 * US)));
        assert_eq!(path.queue(1_200_000 * US, 20_000 * US), Some((0, true)));
    }

    #[test]
    fn queues_are_remembered_for_as_long_as_an_rtt_takes() {
        let mut path = Path::default();
        acknowledge(&mut path, 0, 1, 0, 1_500_000);
        acknowledge(&mut path, 1_400_000, 1, 0, 7_000);
        assert_eq!(path.queue(1_400_000 * US, 1_500_000 * US), Some((1_500_000 * US, true)));
        assert_eq!(path.queue(1_400_000 * US, 20_000 * US), Some((7_000 * US, true)));
    }
}
