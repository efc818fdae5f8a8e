//! Drop-tail: frames leave in the order in which they came, and what finds no room is dropped.

use super::tally::Tally;
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
    tally: Tally,
}

impl DropTail {
    /// An empty queue.
    pub fn new(room: Buffer) -> Self {
        Self { room, frames: VecDeque::new(), tally: Tally::default() }
    }

    /// Takes out the last frame of which this is true, if there is one, as though it had not come: the first frame stays, as the
    /// shaper may look at it already.
    pub fn supersede(&mut self, is_superfluous: impl Fn(&Packet) -> bool) -> Option<Packet> {
        let place = self.frames.iter().rposition(is_superfluous).filter(|place| *place > 0)?;
        let packet = self.frames.remove(place)?;
        self.tally.count_superseded(&packet);
        Some(packet)
    }
}

impl Discipline for DropTail {
    #[inline]
    fn enqueue(&mut self, packet: Packet, _: Time, _: &mut Vec<Fate>) -> Verdict {
        let fits = match self.room {
            Buffer::Bytes(limit) => self.tally.queued_bytes() + u64::from(packet.frame_bytes) <= limit,
            Buffer::Packets(limit) => (self.frames.len() as u64) < limit,
        };
        let verdict = if fits { Verdict::Queued } else { Verdict::Dropped };
        self.tally.count_arrival(&packet, verdict);
        if fits {
            make_room(&mut self.frames);
            self.frames.push_back(packet);
        }
        verdict
    }

    #[inline]
    fn dequeue(&mut self, _: Time, out: &mut Packet, _: &mut Vec<Fate>) -> bool {
        let Some(head) = self.frames.front() else { return false };
        // Copied as it lies: an option of a packet is taken apart and put together again, which costs as much as a queue.
        *out = *head;
        self.frames.pop_front();
        self.tally.count_departure(out);
        true
    }

    #[inline]
    fn head_bytes(&self) -> Option<u32> {
        self.frames.front().map(|head| head.frame_bytes)
    }

    #[inline]
    fn peek(&self, index: usize) -> Option<&Packet> {
        self.frames.get(index)
    }

    fn set_room(&mut self, room: Buffer) {
        self.room = room;
    }

    fn counters(&self, now: Time) -> QueueCounters {
        self.tally.at(now)
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.frames.iter().for_each(see);
    }
}
