//! A discipline of tests: each frame is dropped with the same probability,
//! when it comes or when it is about to leave.

use super::tally::Tally;
use super::{Discipline, Fate, Verdict};
use crate::engine::{Stream, stream};
use crate::net::packet::Packet;
use run::{Buffer, QueueCounters};
use std::collections::VecDeque;
use units::Time;

/// Where frames are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropAt {
    /// When they come.
    Enqueue,
    /// When they are about to leave.
    Dequeue,
}

/// Frames in the order they came, without a limit.
#[derive(Debug)]
pub struct RandomDrop {
    at: DropAt,
    ppb: u32,
    stream: Stream,
    frames: VecDeque<Packet>,
    tally: Tally,
}

impl RandomDrop {
    /// An empty queue that drops `ppb` of a billion frames.
    pub fn new(at: DropAt, ppb: u32, seed: u64) -> Self {
        let stream = stream(seed, "random drop");
        Self { at, ppb, stream, frames: VecDeque::new(), tally: Tally::default() }
    }

    fn drops(&mut self, at: DropAt) -> bool {
        at == self.at && self.stream.happens(self.ppb)
    }
}

impl Discipline for RandomDrop {
    fn enqueue(&mut self, packet: Packet, _: Time, _: &mut Vec<Fate>) -> Verdict {
        let verdict = if self.drops(DropAt::Enqueue) { Verdict::Dropped } else { Verdict::Queued };
        self.tally.count_arrival(&packet, verdict);
        if verdict == Verdict::Queued {
            self.frames.push_back(packet);
        }
        verdict
    }

    fn dequeue(&mut self, _: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool {
        while let Some(packet) = self.frames.pop_front() {
            if self.drops(DropAt::Dequeue) {
                let fate = Fate::dropped(packet);
                self.tally.count_fate(&fate);
                fates.push(fate);
                continue;
            }
            self.tally.count_departure(&packet);
            *out = packet;
            return true;
        }
        false
    }

    fn head_bytes(&self) -> Option<u32> {
        self.frames.front().map(|head| head.frame_bytes)
    }

    fn peek(&self, index: usize) -> Option<&Packet> {
        self.frames.get(index)
    }

    fn set_room(&mut self, _: Buffer) {}

    fn counters(&self, now: Time) -> QueueCounters {
        self.tally.at(now)
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.frames.iter().for_each(see);
    }
}
