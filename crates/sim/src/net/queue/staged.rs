//! [`Staged`]: a queue that something manages, and the frame that its token bucket has already looked at.
//!
//! Linux's `tbf` looks at the next frame by taking it out (`qdisc_peek_dequeued`), as soon as the one before it has left. So
//! whatever decides at that moment decides about a frame that then waits for its tokens. An `htb` takes a frame out when it
//! may leave.

use super::frames::Queued;
use super::tally::Tally;
use super::{Discipline, Fate, SubQueue, Verdict};
use crate::net::packet::{Ecn, Packet};
use run::{Buffer, Histogram, QueueCounters, ShaperKind};
use units::{Rate, Time};

/// What decides which frames of a queue leave, and in which order.
pub trait Management: std::fmt::Debug {
    /// A bucket takes the next frame out to look at it.
    const IS_TAKEN_TO_LOOK_AT: bool = true;

    /// A frame arrives, and may be marked; `stage` has been taken out and has not left. What becomes of frames that wait is
    /// added to `fates`.
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, fates: &mut Vec<Fate>) -> Verdict;

    /// The next frame is taken into `out`, if there is one.
    fn dequeue(&mut self, now: Time, out: &mut Queued, fates: &mut Vec<Fate>) -> bool;

    /// Frames that wait.
    fn waiting(&self) -> usize;

    /// Packets in a queue of their own that is to be short; none: there is no such queue.
    fn low_latency_packets(&self) -> Option<u64> {
        None
    }

    /// From now on there is room for so much, in what it counts. What waits stays.
    fn set_limit(&mut self, limit: u64);

    /// From now on another rate is policed; false: it polices none.
    fn police(&mut self, _rate: Rate, _now: Time) -> bool {
        false
    }

    /// The next frame, of what need not be asked to decide.
    fn first(&self) -> Option<&Queued> {
        None
    }

    /// Which of its own queues a frame is in, or would be.
    fn queue_of(&self, _packet: &Packet) -> SubQueue {
        SubQueue::default()
    }

    /// All of them.
    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet));
}

/// What has been taken out and waits for its tokens.
#[derive(Debug, Default)]
pub struct Stage {
    frame: Queued,
    is_taken: bool,
}

/// A managed queue before a shaper.
#[derive(Debug)]
pub struct Staged<M> {
    management: M,
    stage: Stage,
    looks: bool,
    tally: Tally,
    /// How long frames were here that have left, ns.
    sojourn: Histogram,
    /// Size of the last frame that came: an `htb` need not know that of the next one to leave.
    last_bytes: u32,
}

impl Stage {
    /// Frames in it.
    pub fn frames(&self) -> usize {
        usize::from(self.is_taken)
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.frame().map_or(0, |frame| u64::from(frame.packet.frame_bytes))
    }

    fn frame(&self) -> Option<&Queued> {
        self.is_taken.then_some(&self.frame)
    }
}

impl<M: Management> Staged<M> {
    /// An empty queue before a shaper of this kind.
    pub fn new(management: M, shaper: ShaperKind) -> Self {
        Self {
            management,
            stage: Stage::default(),
            looks: M::IS_TAKEN_TO_LOOK_AT && shaper == ShaperKind::Tbf,
            tally: Tally::default(),
            sojourn: Histogram::default(),
            last_bytes: 0,
        }
    }

    /// The next frame is taken out, if none is and there is one.
    #[inline(always)]
    fn take(&mut self, now: Time, fates: &mut Vec<Fate>) {
        if !self.stage.is_taken {
            let known = fates.len();
            self.stage.is_taken = self.management.dequeue(now, &mut self.stage.frame, fates);
            fates[known..].iter().for_each(|fate| self.tally.count_late_fate(fate));
        }
    }
}

impl<M: Management> Discipline for Staged<M> {
    fn enqueue(&mut self, mut packet: Packet, now: Time, fates: &mut Vec<Fate>) -> Verdict {
        let known = fates.len();
        let verdict = self.management.enqueue(&mut packet, now, &self.stage, fates);
        if verdict == Verdict::Queued {
            self.last_bytes = packet.frame_bytes;
        }
        self.tally.count_arrival(&packet, verdict);
        fates[known..].iter().for_each(|fate| self.tally.count_fate(fate));
        verdict
    }

    fn stage(&mut self, now: Time, fates: &mut Vec<Fate>) {
        if self.looks {
            self.take(now, fates);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool {
        self.take(now, fates);
        let Some(frame) = self.stage.frame() else { return false };
        *out = frame.packet;
        self.tally.count_departure(out);
        self.sojourn.record(now.since(frame.since).as_nanos());
        self.stage.is_taken = false;
        self.stage(now, fates);
        true
    }

    fn head_bytes(&self) -> Option<u32> {
        let known = self.stage.frame().or_else(|| self.management.first());
        let known = known.map(|frame| frame.packet.frame_bytes);
        known.or_else(|| (!self.looks && self.management.waiting() > 0).then_some(self.last_bytes))
    }

    fn peek(&self, _: usize) -> Option<&Packet> {
        None
    }

    fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters { low_latency_packets: self.management.low_latency_packets(), ..self.tally.at(now) }
    }

    fn set_room(&mut self, room: Buffer) {
        let (Buffer::Packets(limit) | Buffer::Bytes(limit)) = room;
        self.management.set_limit(limit);
    }

    fn police(&mut self, rate: Rate, now: Time) -> bool {
        self.management.police(rate, now)
    }

    fn queue_of(&self, packet: &Packet) -> SubQueue {
        self.management.queue_of(packet)
    }

    fn sojourn(&self) -> Option<&Histogram> {
        Some(&self.sojourn)
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.stage.frame().into_iter().for_each(|frame| see(&frame.packet));
        self.management.for_each(see);
    }
}

/// Marks a packet, if it understands that or is marked already (`INET_ECN_set_ce`); whether it did.
pub fn mark(packet: &mut Packet, fates: &mut Vec<Fate>) -> bool {
    if packet.marks.ecn() == Ecn::NotEct as u8 {
        return false;
    }
    if !packet.marks.is_congested() {
        packet.marks = packet.marks.congested();
        fates.push(Fate::marked(*packet));
    }
    true
}

#[cfg(test)]
mod recorded;
