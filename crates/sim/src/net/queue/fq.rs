//! Linux's `fq` at a router (6.1 `sch_fq.c`): a queue for each flow, served in rounds of bytes. Packets have no departure times
//! there, so that nothing is paced; a sending host's own is [`crate::net::fair_queue`].

use super::frames::{Frames, Queued};
use super::rounds::{Credit, Rounds};
use super::staged::{Management, Stage, mark};
use super::{Fate, FlowHash, SubQueue, Verdict, room_for};
use crate::net::packet::Packet;
use run::Fq as Parameters;
use units::Time;

/// A flow that was idle for longer begins with a round's credit at least (`flow_refill_delay`), ms.
const REFILL_MS: u64 = 40;

/// Queues by a hash.
#[derive(Debug)]
pub struct Fq {
    parameters: Parameters,
    limit: usize,
    hash: FlowHash,
    queues: Vec<FlowQueue>,
    rounds: Rounds<u32>,
    waiting: usize,
}

/// That of the flows with one hash.
#[derive(Debug)]
struct FlowQueue {
    frames: Frames,
    credit: Credit,
    /// Since when it is in no list, ms; none: it is in one.
    idle_since_ms: Option<u64>,
}

impl Fq {
    /// Empty queues for so many frames together.
    pub fn new(parameters: Parameters, limit: usize, hash: FlowHash) -> Self {
        let empty = || FlowQueue {
            frames: Frames::default(),
            credit: Credit::of(parameters.initial_quantum_bytes),
            idle_since_ms: Some(0),
        };
        let queues = (0..=parameters.orphan_mask).map(|_| empty()).collect();
        Self { parameters, limit, hash, queues, rounds: Rounds::new(), waiting: 0 }
    }
}

impl Management for Fq {
    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, _: &mut Vec<Fate>) -> Verdict {
        let place = self.hash.bits(packet, self.parameters.orphan_mask);
        let queue = &mut self.queues[place as usize];
        let is_full = self.waiting + stage.frames() >= self.limit;
        if is_full || queue.frames.len() >= self.parameters.flow_limit_packets as usize {
            return Verdict::Dropped;
        }
        if let Some(since_ms) = queue.idle_since_ms.take() {
            if now.as_millis() > since_ms + REFILL_MS {
                queue.credit = queue.credit.at_least(self.parameters.quantum_bytes);
            }
            self.rounds.begin(place);
        }
        queue.frames.push(packet, now);
        self.waiting += 1;
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Queued, fates: &mut Vec<Fate>) -> bool {
        let Self { queues, rounds, parameters, .. } = self;
        while let Some(place) = rounds.first(|place| queues[place as usize].credit.may_send(parameters.quantum_bytes)) {
            let queue = &mut queues[place as usize];
            if queue.frames.pop(out) {
                if parameters.ce_threshold_ns.is_some_and(|most_ns| now.since(out.since).as_nanos() > most_ns) {
                    mark(&mut out.packet, fates);
                }
                queue.credit.spend(out.packet.frame_bytes);
                self.waiting -= 1;
                return true;
            }
            if rounds.retire() {
                queue.idle_since_ms = Some(now.as_millis());
            }
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
        let number = self.hash.bits(packet, self.parameters.orphan_mask);
        SubQueue { number, is_new: self.rounds.is_new(number) }
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.queues.iter().flat_map(|queue| queue.frames.packets()).for_each(see);
    }
}
