//! Random Early Detection (Floyd and Jacobson 1993): packets that come are dropped, or marked, the more often the longer the
//! queue has been in the mean.
//!
//! As Linux has it (6.1 `sch_red.c`, `red.h`): the mean follows the backlog in bytes at each arrival, by a weight that is a
//! power of two. Below a shaper the discipline never learns that its queue was empty, so that the mean does not fall then.

use super::staged::{Management, Queued, Stage, mark};
use super::{Fate, Verdict};
use crate::engine::Stream;
use crate::net::packet::Packet;
use run::Red as Parameters;
use std::collections::VecDeque;
use units::Time;

/// A queue, and its mean.
#[derive(Debug)]
pub struct Red {
    parameters: Parameters,
    limit_bytes: u64,
    /// Of the mean's weight, as a power of two.
    weight: u32,
    stream: Stream,
    frames: VecDeque<Queued>,
    bytes: u64,
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
        let frames = VecDeque::new();
        Self { parameters, limit_bytes, weight, stream, frames, bytes: 0, mean: 0, since_last: None, draw: 0 }
    }

    /// Uniform below (max - min) / probability.
    fn draw_anew(&mut self) {
        let Parameters { min_bytes, max_bytes, probability_ppb, .. } = self.parameters;
        let most = u128::from(max_bytes - min_bytes) * 1_000_000_000 / u128::from(probability_ppb.max(1));
        self.draw = self.stream.below(u64::try_from(most).unwrap_or(u64::MAX).max(1));
    }

    /// Whether a packet that comes is struck, and whether that is since the mean is above both thresholds.
    fn strikes(&mut self) -> bool {
        self.mean = (self.mean + self.bytes).saturating_sub(self.mean >> self.weight);
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

    fn enqueue(&mut self, mut frame: Queued, _: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        if self.strikes() && !(self.parameters.ecn && mark(&mut frame.packet, fates)) {
            return Verdict::Dropped;
        }
        let bytes = u64::from(frame.packet.frame_bytes);
        if self.bytes + bytes > self.limit_bytes {
            return Verdict::Dropped;
        }
        self.bytes += bytes;
        self.frames.push_back(frame);
        Verdict::Queued
    }

    fn dequeue(&mut self, _: Time, _: &mut Vec<Fate>) -> Option<Queued> {
        let frame = self.frames.pop_front()?;
        self.bytes -= u64::from(frame.packet.frame_bytes);
        Some(frame)
    }

    fn waiting(&self) -> usize {
        self.frames.len()
    }

    fn first(&self) -> Option<&Queued> {
        self.frames.front()
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.frames.iter().for_each(|frame| see(&frame.packet));
    }
}
