//! Queueing disciplines: which frames wait before a shaper, and which one leaves next.

mod codel;
mod drop_tail;
mod dual_pi2;
mod fair;
mod fq_codel;
mod pie;
#[cfg(test)]
mod random_drop;
mod red;
mod rounds;
mod staged;

use super::packet::Packet;
use crate::engine::{stream, stream_seed};
use codel::{Codel, Settings};
pub use drop_tail::DropTail;
use dual_pi2::DualPi2;
use fair::Fair;
use fq_codel::FqCodel;
use pie::Pie;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::SplitMix64;
#[cfg(test)]
pub use random_drop::{DropAt, RandomDrop};
use red::Red;
pub use rounds::Rounds;
use run::{Buffer, ETHERNET_HEADER_BYTES, Histogram, Hop, QueueCounters, QueueDiscipline};
use staged::Staged;
use units::{Time, low_bits};

/// What becomes of a frame that arrives at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits.
    Queued,
    /// It is dropped.
    Dropped,
}

/// What has become of a frame that waited.
#[derive(Clone, Copy, Debug)]
pub struct Fate {
    pub packet: Packet,
    /// It was marked and goes on; else it was dropped.
    pub is_marked: bool,
}

impl Fate {
    /// It was dropped.
    pub const fn dropped(packet: Packet) -> Self {
        Self { packet, is_marked: false }
    }

    /// It was marked.
    pub const fn marked(packet: Packet) -> Self {
        Self { packet, is_marked: true }
    }
}

/// A flow's hash, by its addresses and ports: the same for all of its packets one way.
#[derive(Clone, Copy, Debug)]
pub struct FlowHash(u64);

impl FlowHash {
    fn hash(self, packet: &Packet) -> u64 {
        let way = (packet.flow.index() as u64) << 1 | u64::from(packet.kind.is_ack());
        SplitMix64::seed_from_u64(self.0 ^ way).next_u64()
    }

    /// One of so many places.
    fn of(self, packet: &Packet, places: u32) -> u32 {
        low_bits(((self.hash(packet) >> 32) * u64::from(places)) >> 32)
    }

    /// Those of its bits.
    fn bits(self, packet: &Packet, mask: u32) -> u32 {
        low_bits(self.hash(packet)) & mask
    }
}

/// A queueing discipline. It counts what it does: at every instant `offered = sent + dropped + queued`.
pub trait Discipline {
    /// A frame arrives. What becomes of others is added to `fates`.
    fn enqueue(&mut self, packet: Packet, now: Time, fates: &mut Vec<Fate>) -> Verdict;

    /// What decides about the next frame at its shaper's first look at it does so.
    fn stage(&mut self, _now: Time, _fates: &mut Vec<Fate>) {}

    /// The next frame leaves, if there is one, and is put into `out`; then the one behind it is [staged](Self::stage). Those
    /// that are dropped instead, or marked, are added to `fates`.
    fn dequeue(&mut self, now: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool;

    /// Size of the next frame to leave.
    fn head_bytes(&self) -> Option<u32>;

    /// Frames that wait.
    fn waiting(&self) -> usize;

    /// The frame behind `index` others, if nothing is dropped until it leaves.
    fn peek(&self, index: usize) -> Option<&Packet>;

    /// Packets, bytes and segments now and so far.
    fn counters(&self, now: Time) -> QueueCounters;
}

/// The disciplines that a link may have.
#[derive(Debug)]
pub enum Queue {
    /// Drop-tail.
    DropTail(DropTail),
    /// CoDel.
    Codel(Box<Staged<Codel>>),
    /// FQ-CoDel.
    FqCodel(Box<Staged<FqCodel>>),
    /// `fq`.
    Fair(Box<Staged<Fair>>),
    /// PIE.
    Pie(Box<Staged<Pie>>),
    /// RED.
    Red(Box<Staged<Red>>),
    /// DualPI2.
    DualPi2(Box<Staged<DualPi2>>),
    /// Drops at random.
    #[cfg(test)]
    RandomDrop(RandomDrop),
}

/// What the discipline of a queue says.
macro_rules! of {
    ($queue:expr, $discipline:ident => $what:expr) => {
        match $queue {
            Queue::DropTail($discipline) => $what,
            Queue::Codel($discipline) => $what,
            Queue::FqCodel($discipline) => $what,
            Queue::Fair($discipline) => $what,
            Queue::Pie($discipline) => $what,
            Queue::Red($discipline) => $what,
            Queue::DualPi2($discipline) => $what,
            #[cfg(test)]
            Queue::RandomDrop($discipline) => $what,
        }
    };
}

impl Queue {
    /// An empty one of a hop whose largest packets are so long. What it leaves to chance follows from a seed and `scope`.
    pub fn new(hop: &Hop, mtu_bytes: u32, seed: u64, scope: &str) -> Self {
        let (Buffer::Packets(limit) | Buffer::Bytes(limit)) = hop.buffer;
        let limit_packets = usize::try_from(limit).unwrap_or(usize::MAX);
        // What the device's largest frame is does not depend on what the queue counts a frame beyond it.
        let frame_bytes = u64::from(mtu_bytes + ETHERNET_HEADER_BYTES);
        let hash = FlowHash(stream_seed(seed, &format!("{scope}flow hash")));
        let chance = |name: &str| stream(seed, &format!("{scope}{name}"));
        match hop.qdisc {
            QueueDiscipline::Codel(codel) => {
                let codel = Codel::new(Settings::new(&codel, None, frame_bytes), limit_packets);
                Self::Codel(Box::new(Staged::new(codel, hop.shaper)))
            }
            QueueDiscipline::FqCodel(parameters) => {
                let queues = FqCodel::new(&parameters, limit_packets, frame_bytes, hash);
                Self::FqCodel(Box::new(Staged::new(queues, hop.shaper)))
            }
            QueueDiscipline::Fq(parameters) => {
                Self::Fair(Box::new(Staged::new(Fair::new(parameters, limit_packets, hash), hop.shaper)))
            }
            QueueDiscipline::Pie(parameters) => {
                let pie = Pie::new(&parameters, limit_packets, frame_bytes, chance("pie"));
                Self::Pie(Box::new(Staged::new(pie, hop.shaper)))
            }
            QueueDiscipline::Red(parameters) => {
                let red = Red::new(parameters, limit, frame_bytes, chance("red"));
                Self::Red(Box::new(Staged::new(red, hop.shaper)))
            }
            QueueDiscipline::Dualpi2(parameters) => {
                let queues = DualPi2::new(&parameters, limit_packets, frame_bytes, chance("dualpi2"));
                Self::DualPi2(Box::new(Staged::new(queues, hop.shaper)))
            }
            // CAKE is refused before.
            QueueDiscipline::Fifo | QueueDiscipline::Cake => Self::DropTail(DropTail::new(hop.buffer)),
        }
    }

    /// How long frames were here that have left, where something manages it.
    pub fn sojourn(&self) -> Option<&Histogram> {
        match self {
            Self::DropTail(_) => None,
            Self::Codel(own) => Some(own.sojourn()),
            Self::FqCodel(own) => Some(own.sojourn()),
            Self::Fair(own) => Some(own.sojourn()),
            Self::Pie(own) => Some(own.sojourn()),
            Self::Red(own) => Some(own.sojourn()),
            Self::DualPi2(own) => Some(own.sojourn()),
            #[cfg(test)]
            Self::RandomDrop(_) => None,
        }
    }

    /// Every frame that waits.
    pub fn frames(&self) -> Vec<&Packet> {
        let mut frames = Vec::new();
        match self {
            Self::DropTail(own) => frames.extend((0..own.waiting()).filter_map(|place| own.peek(place))),
            Self::Codel(own) => own.for_each(&mut |packet| frames.push(packet)),
            Self::FqCodel(own) => own.for_each(&mut |packet| frames.push(packet)),
            Self::Fair(own) => own.for_each(&mut |packet| frames.push(packet)),
            Self::Pie(own) => own.for_each(&mut |packet| frames.push(packet)),
            Self::Red(own) => own.for_each(&mut |packet| frames.push(packet)),
            Self::DualPi2(own) => own.for_each(&mut |packet| frames.push(packet)),
            #[cfg(test)]
            Self::RandomDrop(own) => frames.extend((0..own.waiting()).filter_map(|place| own.peek(place))),
        }
        frames
    }
}

impl Discipline for Queue {
    #[inline]
    fn enqueue(&mut self, packet: Packet, now: Time, fates: &mut Vec<Fate>) -> Verdict {
        of!(self, own => own.enqueue(packet, now, fates))
    }

    #[inline]
    fn stage(&mut self, now: Time, fates: &mut Vec<Fate>) {
        of!(self, own => own.stage(now, fates));
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool {
        of!(self, own => own.dequeue(now, out, fates))
    }

    #[inline]
    fn head_bytes(&self) -> Option<u32> {
        of!(self, own => own.head_bytes())
    }

    #[inline]
    fn waiting(&self) -> usize {
        of!(self, own => own.waiting())
    }

    #[inline]
    fn peek(&self, index: usize) -> Option<&Packet> {
        of!(self, own => own.peek(index))
    }

    fn counters(&self, now: Time) -> QueueCounters {
        of!(self, own => own.counters(now))
    }
}
