//! A discipline of tests: each frame is dropped with the same probability,
//! when it comes or when it is about to leave.

use super::{Discipline, Fate, Verdict};
use crate::engine::{Stream, stream};
use crate::net::packet::Packet;
use run::QueueCounters;
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
    counters: QueueCounters,
}

impl RandomDrop {
    /// An empty queue that drops `ppb` of a billion frames.
    pub fn new(at: DropAt, ppb: u32, seed: u64) -> Self {
        let stream = stream(seed, "random drop");
        Self { at, ppb, stream, frames: VecDeque::new(), counters: QueueCounters::default() }
    }

    fn drops(&mut self, at: DropAt, packet: &Packet) -> bool {
        let drops = at == self.at && self.stream.happens(self.ppb);
        if drops {
            self.counters.dropped_packets += packet.wire_segments();
        }
        drops
    }
}

impl Discipline for RandomDrop {
    fn enqueue(&mut self, packet: Packet, _: Time, _: &mut Vec<Fate>) -> Verdict {
        self.counters.offered_packets += packet.wire_segments();
        if self.drops(DropAt::Enqueue, &packet) {
            return Verdict::Dropped;
        }
        self.counters.queued_packets += packet.wire_segments();
        self.counters.queued_bytes += u64::from(packet.frame_bytes);
        self.frames.push_back(packet);
        Verdict::Queued
    }

    fn dequeue(&mut self, _: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool {
        while let Some(packet) = self.frames.pop_front() {
            self.counters.queued_packets -= packet.wire_segments();
            self.counters.queued_bytes -= u64::from(packet.frame_bytes);
            if self.drops(DropAt::Dequeue, &packet) {
                fates.push(Fate::dropped(packet));
                continue;
            }
            self.counters.sent_packets += packet.wire_segments();
            self.counters.sent_bytes += u64::from(packet.frame_bytes);
            *out = packet;
            return true;
        }
        false
    }

    fn head_bytes(&self) -> Option<u32> {
        self.frames.front().map(|head| head.frame_bytes)
    }

    fn waiting(&self) -> usize {
        self.frames.len()
    }

    fn peek(&self, index: usize) -> Option<&Packet> {
        self.frames.get(index)
    }

    fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters { at_ns: now.as_nanos(), ..self.counters }
    }
}
