//! A drop-tail queue: frames that wait before a shaper, and their counters.

use super::line::make_room;
use super::packet::Packet;
use run::{Buffer, QueueCounters};
use std::collections::VecDeque;
use units::Time;

/// Frames in the order they came, as many as there is room for.
///
/// A frame leaves the queue in two steps: [`Self::release`] frees its room and counts it as sent, [`Self::take`] hands it
/// over. In between lies no time, only the rest of what happens at the same instant.
#[derive(Debug)]
pub struct DropTail {
    room: Buffer,
    /// First the released ones, then those that wait.
    frames: VecDeque<Packet>,
    released: usize,
    queued_bytes: u64,
    queued_segments: u64,
    counters: QueueCounters,
}

impl DropTail {
    /// An empty queue.
    pub fn new(room: Buffer) -> Self {
        Self {
            room,
            frames: VecDeque::new(),
            released: 0,
            queued_bytes: 0,
            queued_segments: 0,
            counters: QueueCounters::default(),
        }
    }

    /// A frame arrives; `false` when it does not fit and is dropped.
    #[inline]
    pub fn offer(&mut self, packet: Packet) -> bool {
        let segments = packet.wire_segments();
        self.counters.offered_packets += segments;
        let fits = match self.room {
            Buffer::Bytes(limit) => self.queued_bytes + u64::from(packet.frame_bytes) <= limit,
            Buffer::Packets(limit) => (self.waiting() as u64) < limit,
        };
        if !fits {
            self.counters.dropped_packets += segments;
            return false;
        }
        self.queued_bytes += u64::from(packet.frame_bytes);
        self.queued_segments += segments;
        make_room(&mut self.frames);
        self.frames.push_back(packet);
        true
    }

    /// Frames that wait.
    #[inline]
    pub fn waiting(&self) -> usize {
        self.frames.len() - self.released
    }

    /// Frames that have left and were not handed over yet.
    #[inline]
    pub const fn released(&self) -> usize {
        self.released
    }

    /// Size of the first frame that waits.
    #[inline]
    pub fn head_bytes(&self) -> Option<u32> {
        self.frames.get(self.released).map(|head| head.frame_bytes)
    }

    /// The first frame that waits leaves.
    #[inline]
    pub fn release(&mut self) -> Packet {
        let packet = self.frames[self.released];
        self.released += 1;
        self.count_sent(&packet);
        packet
    }

    /// The first frame that waits leaves and is handed over at once: both steps in one, where none is in between.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        debug_assert!(self.released == 0);
        let packet = self.frames.pop_front()?;
        self.count_sent(&packet);
        Some(packet)
    }

    #[inline]
    fn count_sent(&mut self, packet: &Packet) {
        let segments = packet.wire_segments();
        self.queued_bytes -= u64::from(packet.frame_bytes);
        self.queued_segments -= segments;
        self.counters.sent_packets += segments;
        self.counters.sent_bytes += u64::from(packet.frame_bytes);
    }

    /// Hands over the first of those that have left.
    #[inline]
    pub fn take(&mut self) -> Option<Packet> {
        self.released = self.released.checked_sub(1)?;
        self.frames.pop_front()
    }

    /// The frame behind `index` others.
    #[inline]
    pub fn peek(&self, index: usize) -> Option<&Packet> {
        self.frames.get(index)
    }

    /// Frames that wait or were not handed over yet.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.frames.iter()
    }

    /// Packets, bytes and segments now and so far.
    pub fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters {
            at_ns: now.as_nanos(),
            queued_packets: self.queued_segments,
            queued_bytes: self.queued_bytes,
            ..self.counters
        }
    }
}
