//! FQ-CoDel (RFC 8290): a queue for each flow, served in rounds of bytes, each under a CoDel of its own. When all are full, the
//! fattest loses half of its bytes (Linux 6.1 `fq_codel_drop`).

use super::codel::{Law, Settings, Source};
use super::frames::{Frames, Queued};
use super::rounds::{Credit, Rounds};
use super::staged::{Management, Stage};
use super::{Fate, FlowHash, SubQueue, Verdict, room_for};
use crate::net::packet::Packet;
use run::FqCodel as Parameters;
use units::{Time, list_place};

/// Most frames that the fattest flow loses at once (`drop_batch_size`).
const MOST_DROPPED: usize = 64;

/// Queues by a hash.
#[derive(Debug)]
pub struct FqCodel {
    settings: Settings,
    limit: usize,
    quantum_bytes: u32,
    hash: FlowHash,
    queues: Vec<FlowQueue>,
    rounds: Rounds<u32>,
    waiting: usize,
    bytes: u64,
}

/// That of the flows with one hash.
#[derive(Debug, Default)]
struct FlowQueue {
    frames: Frames,
    law: Law,
    credit: Credit,
    is_listed: bool,
}

/// A flow's frames, as the law takes them.
struct Pulled<'a> {
    frames: &'a mut Frames,
    waiting: &'a mut usize,
    bytes: &'a mut u64,
}

impl Source for Pulled<'_> {
    #[inline]
    fn pull(&mut self, out: &mut Queued) -> bool {
        let is_there = self.frames.pop(out);
        if is_there {
            *self.bytes -= u64::from(out.packet.frame_bytes);
            *self.waiting -= 1;
        }
        is_there
    }

    #[inline]
    fn bytes(&self) -> u64 {
        *self.bytes
    }
}

impl FqCodel {
    /// Empty queues for so many frames together.
    pub fn new(parameters: &Parameters, limit: usize, frame_bytes: u64, hash: FlowHash) -> Self {
        let count = parameters.flows as usize;
        Self {
            settings: Settings::new(&parameters.codel, parameters.ce_threshold_selector, frame_bytes),
            limit,
            quantum_bytes: parameters.quantum_bytes,
            hash,
            queues: (0..count).map(|_| FlowQueue::default()).collect(),
            rounds: Rounds::new(),
            waiting: 0,
            bytes: 0,
        }
    }

    /// Frames of the fattest flow are dropped, the oldest first.
    #[cold]
    fn drop_of_fattest(&mut self, fates: &mut Vec<Fate>) {
        let fattest = (0..self.queues.len()).rev().max_by_key(|place| self.queues[*place].frames.bytes());
        let Some(queue) = fattest.map(|place| &mut self.queues[place]) else { return };
        let (all_bytes, mut frame, mut dropped) = (queue.frames.bytes(), Queued::default(), 0);
        let half_bytes = all_bytes - all_bytes / 2;
        while dropped < MOST_DROPPED
            && (dropped == 0 || queue.frames.bytes() > half_bytes)
            && queue.frames.pop(&mut frame)
        {
            dropped += 1;
            fates.push(Fate::dropped(frame.packet));
        }
        queue.law.count = queue.law.count.wrapping_add(list_place(dropped));
        self.bytes -= all_bytes - queue.frames.bytes();
        self.waiting -= dropped;
    }
}

impl Management for FqCodel {
    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        let place = self.hash.of(packet, list_place(self.queues.len()));
        let queue = &mut self.queues[place as usize];
        self.bytes += u64::from(packet.frame_bytes);
        queue.frames.push(packet, now);
        if !queue.is_listed {
            (queue.is_listed, queue.credit) = (true, Credit::of(self.quantum_bytes));
            self.rounds.begin(place);
        }
        self.waiting += 1;
        if self.waiting + stage.frames() > self.limit {
            self.drop_of_fattest(fates);
        }
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Queued, fates: &mut Vec<Fate>) -> bool {
        let Self { queues, rounds, quantum_bytes, .. } = self;
        while let Some(place) = rounds.first(|place| queues[place as usize].credit.may_send(*quantum_bytes)) {
            let FlowQueue { frames, law, credit, is_listed } = &mut queues[place as usize];
            let mut pulled = Pulled { frames, waiting: &mut self.waiting, bytes: &mut self.bytes };
            if law.take(&self.settings, &mut pulled, now, out, fates) {
                credit.spend(out.packet.frame_bytes);
                return true;
            }
            *is_listed = !rounds.retire();
        }
        false
    }

    fn set_limit(&mut self, limit: u64) {
        self.limit = room_for(limit);
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn queue_of(&self, packet: &Packet) -> SubQueue {
        let number = self.hash.of(packet, list_place(self.queues.len()));
        SubQueue { number, is_new: self.rounds.is_new(number) }
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.queues.iter().flat_map(|queue| queue.frames.packets()).for_each(see);
    }
}
