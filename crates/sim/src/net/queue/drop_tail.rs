//! Drop-tail: frames leave in the order in which they came, and what finds no room is dropped.

use super::{Discipline, Fate, Verdict};
use crate::net::line::make_room;
use crate::net::packet::Packet;
use run::{Buffer, QueueCounters};
use std::collections::VecDeque;
use units::Time;

/// Frames in the order they came, as many as there is room for.
#[derive(Debug)]
pub struct DropTail {
    room: Buffer,
    frames: VecDeque<Packet>,
    queued_bytes: u64,
    queued_segments: u64,
    counters: QueueCounters,
}

impl DropTail {
    /// An empty queue.
    pub fn new(room: Buffer) -> Self {
        let counters = QueueCounters::default();
        Self { room, frames: VecDeque::new(), queued_bytes: 0, queued_segments: 0, counters }
    }
}

impl Discipline for DropTail {
    #[inline]
    fn enqueue(&mut self, packet: Packet, _: Time, _: &mut Vec<Fate>) -> Verdict {
        let segments = packet.wire_segments();
        self.counters.offered_packets += segments;
        let fits = match self.room {
            Buffer::Bytes(limit) => self.queued_bytes + u64::from(packet.frame_bytes) <= limit,
            Buffer::Packets(limit) => (self.frames.len() as u64) < limit,
        };
        if !fits {
            self.counters.dropped_packets += segments;
            return Verdict::Dropped;
        }
        self.queued_bytes += u64::from(packet.frame_bytes);
        self.queued_segments += segments;
        make_room(&mut self.frames);
        self.frames.push_back(packet);
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, _: Time, out: &mut Packet, _: &mut Vec<Fate>) -> bool {
        let Some(head) = self.frames.front() else { return false };
        // Copied as it lies: an option of a packet is taken apart and put together again, which costs as much as a queue.
        *out = *head;
        self.frames.pop_front();
        let segments = out.wire_segments();
        self.queued_bytes -= u64::from(out.frame_bytes);
        self.queued_segments -= segments;
        self.counters.sent_packets += segments;
        self.counters.sent_bytes += u64::from(out.frame_bytes);
        true
    }

    #[inline]
    fn head_bytes(&self) -> Option<u32> {
        self.frames.front().map(|head| head.frame_bytes)
    }

    #[inline]
    fn waiting(&self) -> usize {
        self.frames.len()
    }

    #[inline]
    fn peek(&self, index: usize) -> Option<&Packet> {
        self.frames.get(index)
    }

    fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters {
            at_ns: now.as_nanos(),
            queued_packets: self.queued_segments,
            queued_bytes: self.queued_bytes,
            ..self.counters
        }
    }
}
