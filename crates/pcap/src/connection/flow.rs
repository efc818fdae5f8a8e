//! What one sender's data says about the path and the sender itself.

use super::Connection;
use crate::direction::{Direction, is_empty};
use crate::estimate::{Estimate, FlowEstimate};
use crate::path::Path;
use crate::sink::Side;
use crate::summary::Ended;

/// A SYN's frame with the options that hosts use, bytes.
const SYN_FRAME_BYTES: f64 = 74.0;
/// Segments that a queue has at least that is one.
const LEAST_QUEUE_SEGMENTS: f64 = 3.0;
/// RTTs that are needed to compare those of two flows.
const LEAST_SAMPLES: u64 = 100;
/// They say nothing where they differ by more than this part between their quartiles.
const MOST_SPREAD: f64 = 0.05;
/// Losses come with a queue of this part of the longest at least, where they are of a buffer.
const FULL_PART: f64 = 0.8;
/// Losses that are needed to know the buffer.
const LEAST_LOSSES: u64 = 3;

impl Connection {
    /// Concludes it, `near` the sender or not, with the path's rate as far as it is known by now.
    pub(super) fn flow_estimate(&self, side: Side, ended: Ended, near: bool, path: &Path) -> Option<FlowEstimate> {
        let direction = &self.directions[side.index()];
        if direction.counts.data_packets == 0 {
            return None;
        }
        let rate_bps = path.rate_bps();
        let at_once = path.frame_beyond_syn_ns() == Some(0);
        let base_rtt_ns = direction.base_rtt(near, rate_bps, at_once);
        let Queue { queue_bytes, buffer_bytes, random_loss } = direction.queue(near, rate_bps, &base_rtt_ns);
        Some(FlowEstimate {
            size_bytes: size(direction, self.ended.unwrap_or(ended)),
            base_rtt_ns,
            queue_bytes,
            buffer_bytes,
            random_loss,
            application_limited: direction.application_limited(near),
        })
    }
}

fn size(direction: &Direction, ended: Ended) -> Estimate {
    let bytes = direction.counts.acked_bytes as f64;
    if direction.counts.fin > 0 && ended == Ended::Closed {
        Estimate::between(bytes, bytes, bytes, "it sent a FIN, and all was acknowledged")
    } else {
        Estimate::at_least(Some(bytes), "it was not at its end when its packets ceased")
    }
}

/// What the RTTs say about a queue.
#[derive(Default)]
struct Queue {
    queue_bytes: Estimate,
    buffer_bytes: Estimate,
    random_loss: Estimate,
}

impl Direction {
    /// The least RTT of data has the time in it that a full frame takes at the bottleneck, the handshake's that of a SYN.
    /// Both are as they are without a queue, unless other flows keep one for as long as this flow lives: then the RTT at
    /// the time of the shortest queue, less that queue, is as near as one comes. Neither has any such time in it where the
    /// bottleneck lets the first frames through `at_once`.
    fn base_rtt(&self, near: bool, rate_bps: Option<f64>, at_once: bool) -> Estimate {
        let frame = f64::from(self.frame_bytes);
        let data_ns = self.rtt.by_ack.least().filter(|_| near).map(|ns| ns as f64);
        let opening_ns = self.queueing.opening().map(|(ns, _)| ns as f64);
        // Where the rate is not known, the difference of both says how long a byte takes, if no queue stood.
        let byte_ns = rate_bps.map(|rate_bps| 8e9 / rate_bps).or_else(|| {
            let more = frame - SYN_FRAME_BYTES;
            data_ns.zip(opening_ns).map(|(data, opening)| ((data - opening) / more).max(0.0)).filter(|_| more > 0.0)
        });
        let byte_ns = byte_ns.filter(|_| !at_once).unwrap_or(0.0);
        let least = [data_ns.map(|ns| ns - byte_ns * frame), opening_ns.map(|ns| ns - byte_ns * SYN_FRAME_BYTES)];
        let Some(most) = least.into_iter().flatten().reduce(f64::min).map(|ns| ns.max(0.0)) else {
            return Estimate::at_least(None, "neither its handshake nor an RTT of its data was captured");
        };
        let in_queue = [
            self.queueing
                .opening()
                .map(|(ns, queue_ns)| (ns as f64 - byte_ns * SYN_FRAME_BYTES, queue_ns.unwrap_or(0))),
            self.queueing.shortest().filter(|_| near).map(|(ns, queue_ns)| (ns as f64 - byte_ns * frame, queue_ns)),
        ];
        let shortest = in_queue.into_iter().flatten().min_by_key(|(_, queue_ns)| *queue_ns);
        let spread = byte_ns * frame;
        let high = data_ns.into_iter().chain(opening_ns).fold(f64::MAX, f64::min);
        let Some((rtt, queue)) = shortest.map(|(rtt, queue_ns)| (rtt, queue_ns as f64)) else {
            let reason = "the least RTT, less the time that its frame takes";
            return Estimate::between((most - spread).max(0.0), most, high, reason);
        };
        if is_empty(queue as i64, most as i64) && rate_bps.is_some() {
            let low = (most - queue - spread).max(0.0);
            let reason = if at_once {
                "the least RTT: the bottleneck lets first frames through at once; no flow saw a queue at a time"
            } else {
                "the least RTT, less the time that its frame takes; no flow saw a queue at a time"
            };
            return Estimate::between(low, most, high, reason);
        }
        // Over many round trips the queue of one time and that of another even out.
        let relative = &self.queueing.relative;
        if relative.count() >= LEAST_SAMPLES && near {
            let [low, value, high] = [25, 50, 75].map(|percent| relative.quantile(percent) as f64 - spread);
            if value > 0.0 && high - low <= MOST_SPREAD * value {
                let reason = "the median of its RTTs, less the queue that another flow saw at the time";
                return Estimate::between(low.min(most), value.min(most), high.max(most), reason);
            }
        }
        let low = (rtt.min(most) - queue - spread).max(0.0);
        let reason = if rate_bps.is_none() {
            "the rate is not known, nor how much of the least RTT a frame takes"
        } else {
            "other flows kept a queue as long as it lived"
        };
        Estimate { value: None, low: Some(low), high: Some(high), reason }
    }

    fn queue(&self, near: bool, rate_bps: Option<f64>, base_rtt: &Estimate) -> Queue {
        let all = |reason| Queue {
            queue_bytes: Estimate::at_least(None, reason),
            buffer_bytes: Estimate::at_least(None, reason),
            random_loss: Estimate::at_least(None, reason),
        };
        if !near {
            return all("the capture was made far from the sender, and RTTs lack a part");
        }
        let Some(rtt) = self.rtt.by_ack.distribution() else { return all("there is no RTT of its data") };
        let Some(rate_bps) = rate_bps else { return all("the bottleneck's rate is not known") };
        let frame = f64::from(self.frame_bytes);
        // Without a queue, the RTT of a full frame.
        let empty_ns = base_rtt.value.map_or(rtt.least_ns, |ns| (ns + frame * 8e9 / rate_bps) as u64).min(rtt.least_ns);
        let bytes = |ns: u64| ns.saturating_sub(empty_ns) as f64 * rate_bps / 8e9;
        let queue_bytes = Estimate::at_least(Some(bytes(rtt.p99_ns)), "the 99th percentile of its RTTs less the least");
        let half_ns = empty_ns + rtt.p99_ns.saturating_sub(empty_ns) / 2;
        let stands = bytes(rtt.p99_ns) >= LEAST_QUEUE_SEGMENTS * frame;
        let at_loss = &self.queueing.at_loss;
        let (low_losses, low_samples) = if stands {
            (at_loss.below(half_ns), self.rtt.by_ack.below(half_ns))
        } else {
            (at_loss.count(), rtt.samples)
        };
        let full = at_loss.count() - low_losses;
        let [quarter, median] =
            [25, 50].map(|percent| at_loss.quantile((low_losses * 100 + full * percent) / at_loss.count().max(1)));
        // Losses with a short queue, of the packets that met one.
        let packets = self.counts.data_packets as f64 * low_samples as f64 / rtt.samples.max(1) as f64;
        let random_loss = if packets < 100.0 {
            Estimate::at_least(Some(0.0), "a long queue stood nearly all the time")
        } else {
            let lost = low_losses as f64;
            let spread = 2.0 * lost.sqrt();
            Estimate::between(
                (lost - spread).max(0.0) / packets,
                lost / packets,
                (lost + spread + 3.0) / packets,
                "packets lost with less than half of the queue, of those that met no more",
            )
        };
        // A full buffer drops more of those that meet it than are lost anyway.
        let part = 1.0 - self.rtt.by_ack.below(half_ns) as f64 / rtt.samples.max(1) as f64;
        let by_chance = random_loss.value.unwrap_or(0.0) * self.counts.data_packets as f64 * part;
        let buffer_bytes = if full < LEAST_LOSSES || full as f64 - 2.0 * (full as f64).sqrt() <= by_chance {
            Estimate::at_least(
                Some(bytes(rtt.p99_ns)),
                "too few losses came with a queue, beside those by chance, to know where it ends",
            )
        } else if bytes(quarter) < bytes(rtt.p99_ns) * FULL_PART - frame {
            Estimate::at_least(Some(bytes(rtt.p99_ns)), "losses came with queues of many lengths")
        } else {
            // A frame that is lost finds no room of its own behind what waits.
            let value = bytes(rtt.p99_ns.max(median)) + frame;
            Estimate::between(
                bytes(quarter),
                value,
                value.max(bytes(rtt.most_ns)) + 2.0 * frame,
                "losses came when the queue was so long, and it was never longer",
            )
        };
        Queue { queue_bytes, buffer_bytes, random_loss }
    }

    fn application_limited(&self, near: bool) -> Estimate {
        let limits = self.limit.limits();
        let total = limits.application_ns.saturating_add(limits.receiver_ns).saturating_add(limits.congestion_ns);
        if !near || total == 0 {
            return Estimate::at_least(None, "the capture does not show what limited it");
        }
        let part = limits.application_ns as f64 / total as f64;
        Estimate::between(part, part, part, "the time with nothing to send, of all its time")
    }
}
