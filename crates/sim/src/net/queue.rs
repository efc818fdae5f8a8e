//! Queueing disciplines: which frames wait before a shaper, and which one leaves next.

mod drop_tail;
#[cfg(test)]
mod random_drop;

use super::packet::Packet;
pub use drop_tail::DropTail;
#[cfg(test)]
pub use random_drop::{DropAt, RandomDrop};
use run::QueueCounters;
use units::Time;

/// What becomes of a frame that arrives at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits.
    Queued,
    /// It is dropped.
    Dropped,
}

/// A queueing discipline. It counts what it does: at every instant `offered = sent + dropped + queued`.
pub trait Discipline {
    /// A frame arrives.
    fn enqueue(&mut self, packet: Packet, now: Time) -> Verdict;

    /// The next frame leaves, if there is one, and is put into `out`; those that the discipline drops instead, before it, it
    /// adds to `dropped`.
    fn dequeue(&mut self, now: Time, out: &mut Packet, dropped: &mut Vec<Packet>) -> bool;

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
    /// Drops at random.
    #[cfg(test)]
    RandomDrop(RandomDrop),
}

/// What the discipline of a queue says.
macro_rules! of {
    ($queue:expr, $discipline:ident => $what:expr) => {
        match $queue {
            Queue::DropTail($discipline) => $what,
            #[cfg(test)]
            Queue::RandomDrop($discipline) => $what,
        }
    };
}

impl Discipline for Queue {
    #[inline]
    fn enqueue(&mut self, packet: Packet, now: Time) -> Verdict {
        of!(self, own => own.enqueue(packet, now))
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Packet, dropped: &mut Vec<Packet>) -> bool {
        of!(self, own => own.dequeue(now, out, dropped))
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
