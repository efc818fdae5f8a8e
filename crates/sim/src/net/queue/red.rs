//! Random Early Detection (Floyd and Jacobson 1993): packets that come are dropped, or marked, the more often the longer the
//! queue has been in the mean.
//!
//! As Linux has it (6.1 `sch_red.c`, `red.h`): the mean follows the backlog in bytes at each arrival, by a weight that is a
//! power of two. Below a shaper the discipline never learns that its queue was empty, so that the mean does not fall then.

use super::frames::{Frames, Queued};
use super::staged::{Management, Stage, mark};
use super::{Fate, Verdict};
use crate::engine::Stream;
use crate::net::packet::Packet;
use run::Red as Parameters;
use units::Time;

/// A queue, and its mean.
#[derive(Debug)]
pub struct Red {
    parameters: Parameters,
    limit_bytes: u64,
    /// Of the mean's weight, as a power of two.
    weight: u32,
    stream: Stream,
    frames: Frames,
    /// The mean backlog, in 2^-weight bytes.
    mean: u64,
    /// Packets since the last that chance struck; none: the mean was below the least threshold.
    since_last: Option<u64>,
    /// Chance strikes when packets times bytes beyond the least threshold are as many.
    draw: u64,
}

impl Red {
    /// An empty queue for so many bytes, of frames of so many bytes in the mean.
    pub fn new(parameters: Parameters, limit_bytes: u64, frame_bytes: u64, stream: Stream) -> Self {
        let weight = parameters.weight(frame_bytes);
        Self { parameters, limit_bytes, weight, stream, frames: Frames::default(), mean: 0, since_last: None, draw: 0 }
    }

    /// Uniform below (max - min) / probability.
    fn draw_anew(&mut self) {
        let Parameters { min_bytes, max_bytes, probability_ppb, .. } = self.parameters;
        let most = u128::from(max_bytes - min_bytes) * 1_000_000_000 / u128::from(probability_ppb.max(1));
        self.draw = self.stream.below(u64::try_from(most).unwrap_or(u64::MAX).max(1));
    }

    /// Whether a packet that comes is struck, and whether that is since the mean is above both thresholds.
    fn strikes(&mut self) -> bool {
        self.mean = (self.mean + self.frames.bytes()).saturating_sub(self.mean >> self.weight);
        let Parameters { min_bytes, max_bytes, .. } = self.parameters;
        if self.mean < min_bytes << self.weight {
            self.since_last = None;
            return false;
        }
        if self.mean >= max_bytes << self.weight {
            self.since_last = None;
            return true;
        }
        let Some(count) = self.since_last.map(|count| count + 1) else {
            self.since_last = Some(0);
            self.draw_anew();
            return false;
        };
        self.since_last = Some(count);
        let beyond_bytes = (self.mean - (min_bytes << self.weight)) >> self.weight;
        let strikes = beyond_bytes * count >= self.draw;
        if strikes {
            self.since_last = Some(0);
            self.draw_anew();
        }
        strikes
    }
}

impl Management for Red {
    const IS_TAKEN_TO_LOOK_AT: bool = false;

    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, _: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        if self.strikes() && !(self.parameters.ecn && mark(packet, fates)) {
            return Verdict::Dropped;
        }
        let bytes = u64::from(packet.frame_bytes);
        if self.frames.bytes() + bytes > self.limit_bytes {
            return Verdict::Dropped;
        }
        self.frames.push(packet, now);
        Verdict::Queued
    }

    fn dequeue(&mut self, _: Time, out: &mut Queued, _: &mut Vec<Fate>) -> bool {
        self.frames.pop(out)
    }

    fn set_limit(&mut self, limit: u64) {
        self.limit_bytes = limit;
    }

    fn waiting(&self) -> usize {
        self.frames.len()
    }

    fn first(&self) -> Option<&Queued> {
        self.frames.first()
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.frames.packets().for_each(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::stream;

    /// `tc-red(8)`'s example: a burst of (2 min + max) / (3 avpkt) packets meets an empty queue, and the mean stays below
    /// min; half of its weight would leave the mean at half of that.
    #[test]
    fn the_mean_lets_the_burst_through_that_it_is_reckoned_for() {
        let parameters = Parameters { min_bytes: 30_000, max_bytes: 90_000, probability_ppb: 20_000_000, ecn: false };
        assert_eq!(parameters.burst_packets(1_000), 50);
        let mut red = Red::new(parameters, 400_000, 1_000, stream(1, "red"));
        let mut packet = Packet { frame_bytes: 1_000, segments: 1, ..Packet::default() };
        for _ in 0..50 {
            let verdict = red.enqueue(&mut packet, Time::ZERO, &Stage::default(), &mut Vec::new());
            assert_eq!(verdict, Verdict::Queued);
        }
        let mean_bytes = red.mean >> red.weight;
        assert!((22_000..30_000).contains(&mean_bytes), "{mean_bytes}");
    }
}
