//! FQ-CoDel (RFC 8290): a queue for each flow, served in rounds of bytes, each under a CoDel of its own. When all are full, the
//! fattest loses half of its bytes (Linux 6.1 `fq_codel_drop`).

use super::codel::{Law, Settings, Source};
use super::rounds::{Credit, Rounds};
use super::staged::{Management, Queued, Stage};
use super::{Fate, FlowHash, SubQueue, Verdict};
use crate::net::packet::Packet;
use run::FqCodel as Parameters;
use std::collections::VecDeque;
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
    frames: VecDeque<Queued>,
    bytes: u64,
    law: Law,
    credit: Credit,
    is_listed: bool,
}

/// A flow's frames, as the law takes them.
struct Pulled<'a> {
    frames: &'a mut VecDeque<Queued>,
    own_bytes: &'a mut u64,
    waiting: &'a mut usize,
    bytes: &'a mut u64,
}

impl Source for Pulled<'_> {
    fn pull(&mut self) -> Option<Queued> {
        let frame = self.frames.pop_front()?;
        let bytes = u64::from(frame.packet.frame_bytes);
        *self.own_bytes -= bytes;
        *self.bytes -= bytes;
        *self.waiting -= 1;
        Some(frame)
    }

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
        let fattest = (0..self.queues.len()).rev().max_by_key(|place| self.queues[*place].bytes);
        let Some(queue) = fattest.map(|place| &mut self.queues[place]) else { return };
        let half_bytes = queue.bytes / 2;
        let (mut dropped, mut dropped_bytes) = (0, 0);
        while dropped < MOST_DROPPED && (dropped == 0 || dropped_bytes < half_bytes) {
            let Some(frame) = queue.frames.pop_front() else { break };
            (dropped, dropped_bytes) = (dropped + 1, dropped_bytes + u64::from(frame.packet.frame_bytes));
            fates.push(Fate::dropped(frame.packet));
        }
        queue.law.count = queue.law.count.wrapping_add(list_place(dropped));
        queue.bytes -= dropped_bytes;
        self.bytes -= dropped_bytes;
        self.waiting -= dropped;
    }
}

impl Management for FqCodel {
    fn enqueue(&mut self, frame: Queued, stage: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        let place = self.hash.of(&frame.packet, list_place(self.queues.len()));
        let queue = &mut self.queues[place as usize];
        let bytes = u64::from(frame.packet.frame_bytes);
        queue.frames.push_back(frame);
        queue.bytes += bytes;
        if !queue.is_listed {
            (queue.is_listed, queue.credit) = (true, Credit::of(self.quantum_bytes));
            self.rounds.begin(place);
        }
        self.bytes += bytes;
        self.waiting += 1;
        if self.waiting + stage.frames() > self.limit {
            self.drop_of_fattest(fates);
        }
        Verdict::Queued
    }

    fn dequeue(&mut self, now: Time, fates: &mut Vec<Fate>) -> Option<Queued> {
        let Self { queues, rounds, quantum_bytes, .. } = self;
        loop {
            let place = rounds.first(|place| queues[place as usize].credit.may_send(*quantum_bytes))?;
            let FlowQueue { frames, bytes: own_bytes, law, credit, is_listed } = &mut queues[place as usize];
            let mut pulled = Pulled { frames, own_bytes, waiting: &mut self.waiting, bytes: &mut self.bytes };
            if let Some(frame) = law.take(&self.settings, &mut pulled, now, fates) {
                credit.spend(frame.packet.frame_bytes);
                return Some(frame);
            }
            *is_listed = !rounds.retire();
        }
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn queue_of(&self, packet: &Packet) -> SubQueue {
        let number = self.hash.of(packet, list_place(self.queues.len()));
        SubQueue { number, is_new: self.rounds.is_new(number) }
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.queues.iter().flat_map(|queue| &queue.frames).for_each(|frame| see(&frame.packet));
    }
}
