//! Queueing disciplines: which frames wait before a shaper, and which one leaves next.

mod ack_filter;
mod codel;
mod drop_tail;
mod dual_pi2;
mod fq;
mod fq_codel;
mod frames;
mod pie;
mod police;
#[cfg(test)]
mod random_drop;
mod red;
mod rounds;
mod staged;
mod tally;

use super::packet::Packet;
use crate::engine::{stream, stream_seed};
use ack_filter::AckFilter;
use codel::{Codel, Settings};
pub use drop_tail::DropTail;
use dual_pi2::DualPi2;
use fq::Fq;
use fq_codel::FqCodel;
use pie::Pie;
use police::Policer;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::SplitMix64;
#[cfg(test)]
pub use random_drop::{DropAt, RandomDrop};
use red::Red;
pub use rounds::{Credit, Rounds};
use run::{Buffer, ETHERNET_HEADER_BYTES, Histogram, Hop, QueueCounters, QueueDiscipline, ShaperKind};
use staged::{Management, Staged};
use units::{Bytes, Rate, Time, low_bits};

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
    /// What.
    pub outcome: Outcome,
}

/// What has become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was dropped.
    Dropped,
    /// It was marked and goes on.
    Marked,
    /// It was an ACK that a later one takes the place of.
    Superseded,
}

impl Fate {
    /// It was dropped.
    pub const fn dropped(packet: Packet) -> Self {
        Self { packet, outcome: Outcome::Dropped }
    }

    /// It was marked.
    pub const fn marked(packet: Packet) -> Self {
        Self { packet, outcome: Outcome::Marked }
    }

    /// A later ACK takes its place.
    pub const fn superseded(packet: Packet) -> Self {
        Self { packet, outcome: Outcome::Superseded }
    }

    /// It was marked and goes on.
    pub const fn is_marked(&self) -> bool {
        matches!(self.outcome, Outcome::Marked)
    }
}

/// Which of a discipline's own queues a frame is in; a discipline that has one queue has number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubQueue {
    pub number: u32,
    /// It is among those that have just begun (RFC 8290 section 4.1).
    pub is_new: bool,
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
pub trait Discipline: std::fmt::Debug {
    /// A frame arrives. What becomes of others is added to `fates`.
    fn enqueue(&mut self, packet: Packet, now: Time, fates: &mut Vec<Fate>) -> Verdict;

    /// What decides about the next frame at its shaper's first look at it does so.
    fn stage(&mut self, _now: Time, _fates: &mut Vec<Fate>) {}

    /// The next frame leaves, if there is one, and is put into `out`; then the one behind it is [staged](Self::stage). Those
    /// that are dropped instead, or marked, are added to `fates`.
    fn dequeue(&mut self, now: Time, out: &mut Packet, fates: &mut Vec<Fate>) -> bool;

    /// Size of the next frame to leave.
    fn head_bytes(&self) -> Option<u32>;

    /// From now on there is so much room. What waits stays, also where that is more.
    fn set_room(&mut self, room: Buffer);

    /// From now on another rate is policed; false: nothing is, and the rate is the line's.
    fn police(&mut self, _rate: Rate, _now: Time) -> bool {
        false
    }

    /// The frame behind `index` others, if nothing is dropped until it leaves.
    fn peek(&self, index: usize) -> Option<&Packet>;

    /// Packets, bytes and segments now and so far.
    fn counters(&self, now: Time) -> QueueCounters;

    /// How long frames were here that have left, where something manages it.
    fn sojourn(&self) -> Option<&Histogram> {
        None
    }

    /// Which of its own queues a frame is in, or would be.
    fn queue_of(&self, _packet: &Packet) -> SubQueue {
        SubQueue::default()
    }

    /// Every frame that waits, the next one to leave first where that is decided.
    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet));
}

/// A queue of a link.
#[derive(Debug)]
pub enum Queue {
    /// Drop-tail, which costs less than a virtual call.
    DropTail(DropTail),
    /// Under any other discipline, and where ACKs are thinned.
    Managed(Box<dyn Discipline>),
}

/// What the discipline of a queue says.
macro_rules! of {
    ($queue:expr, $discipline:ident => $what:expr) => {
        match $queue {
            Queue::DropTail($discipline) => $what,
            Queue::Managed($discipline) => $what,
        }
    };
}

impl Queue {
    /// An empty one of a hop whose largest packets are so long. What it leaves to chance follows from a seed and `scope`.
    pub fn new(hop: &Hop, mtu_bytes: u32, seed: u64, scope: &str) -> Self {
        let (Buffer::Packets(limit) | Buffer::Bytes(limit)) = hop.buffer;
        let limit_packets = room_for(limit);
        if hop.shaper == ShaperKind::Police {
            let frame = Bytes::from(mtu_bytes + hop.overhead_bytes);
            return Self::managed(Policer::new(hop, frame), hop);
        }
        // What the device's largest frame is does not depend on what the queue counts a frame beyond it.
        let frame_bytes = u64::from(mtu_bytes + ETHERNET_HEADER_BYTES);
        let hash = FlowHash(stream_seed(seed, &format!("{scope}flow hash")));
        let chance = |name: &str| stream(seed, &format!("{scope}{name}"));
        debug_assert!(hop.qdisc.is_fifo() || !hop.impairments.thins_acks, "a drop-tail queue thins ACKs");
        match hop.qdisc {
            QueueDiscipline::Codel(codel) => {
                Self::managed(Codel::new(Settings::new(&codel, None, frame_bytes), limit_packets), hop)
            }
            QueueDiscipline::FqCodel(parameters) => {
                Self::managed(FqCodel::new(&parameters, limit_packets, frame_bytes, hash), hop)
            }
            QueueDiscipline::Fq(parameters) => Self::managed(Fq::new(parameters, limit_packets, hash), hop),
            QueueDiscipline::Pie(parameters) => {
                Self::managed(Pie::new(&parameters, limit_packets, frame_bytes, chance("pie")), hop)
            }
            QueueDiscipline::Red(parameters) => {
                Self::managed(Red::new(parameters, limit, frame_bytes, chance("red")), hop)
            }
            QueueDiscipline::Dualpi2(parameters) => {
                Self::managed(DualPi2::new(&parameters, limit_packets, frame_bytes, chance("dualpi2")), hop)
            }
            QueueDiscipline::Fifo if hop.impairments.thins_acks => {
                Self::Managed(Box::new(AckFilter::new(DropTail::new(hop.buffer))))
            }
            // CAKE is refused before.
            QueueDiscipline::Fifo | QueueDiscipline::Cake => Self::DropTail(DropTail::new(hop.buffer)),
        }
    }

    fn managed(management: impl Management + 'static, hop: &Hop) -> Self {
        Self::Managed(Box::new(Staged::new(management, hop.shaper)))
    }
}

/// A limit of frames.
fn room_for(frames: u64) -> usize {
    usize::try_from(frames).unwrap_or(usize::MAX)
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

    fn set_room(&mut self, room: Buffer) {
        of!(self, own => own.set_room(room));
    }

    fn police(&mut self, rate: Rate, now: Time) -> bool {
        of!(self, own => own.police(rate, now))
    }

    #[inline]
    fn peek(&self, index: usize) -> Option<&Packet> {
        of!(self, own => own.peek(index))
    }

    fn counters(&self, now: Time) -> QueueCounters {
        of!(self, own => own.counters(now))
    }

    fn sojourn(&self) -> Option<&Histogram> {
        of!(self, own => own.sojourn())
    }

    fn queue_of(&self, packet: &Packet) -> SubQueue {
        of!(self, own => own.queue_of(packet))
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        of!(self, own => own.for_each(see));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use run::ShaperKind;

    const FRAME_BYTES: u32 = 1_514;
    const HASH: FlowHash = FlowHash(1);

    fn fq_codel(limit: usize) -> Staged<FqCodel> {
        let codel = run::Codel { target_ns: 5_000_000, interval_ns: 100_000_000, ecn: false, ce_threshold_ns: None };
        let parameters = run::FqCodel { codel, flows: 1_024, quantum_bytes: FRAME_BYTES, ce_threshold_selector: None };
        Staged::new(FqCodel::new(&parameters, limit, u64::from(FRAME_BYTES), HASH), ShaperKind::Htb)
    }

    fn fq() -> Staged<Fq> {
        let parameters = run::Fq {
            flow_limit_packets: 100,
            quantum_bytes: 2 * FRAME_BYTES,
            initial_quantum_bytes: 10 * FRAME_BYTES,
            ce_threshold_ns: None,
            orphan_mask: 1_023,
        };
        Staged::new(Fq::new(parameters, 1_000, HASH), ShaperKind::Htb)
    }

    /// So many frames of a flow come: of which flows frames are dropped.
    fn come(queue: &mut impl Discipline, flow: usize, count: usize) -> Vec<usize> {
        let mut fates = Vec::new();
        let frame = Packet { flow: FlowId::new(flow), frame_bytes: FRAME_BYTES, segments: 1, ..Packet::default() };
        for _ in 0..count {
            assert_eq!(queue.enqueue(frame, Time::ZERO, &mut fates), Verdict::Queued);
        }
        fates.iter().map(|fate| fate.packet.flow.index()).collect()
    }

    /// The flows whose frames leave next.
    fn leave(queue: &mut impl Discipline, count: usize) -> Vec<usize> {
        let (mut out, mut fates) = (Packet::default(), Vec::new());
        let mut next = || queue.dequeue(Time::ZERO, &mut out, &mut fates).then(|| out.flow.index());
        (0..count).filter_map(|_| next()).collect()
    }

    /// RFC 8290 section 4.1.2: half of the fattest flow's bytes go, 64 frames at most (`fq_codel_drop`).
    #[test]
    fn a_full_fq_codel_drops_half_of_the_fattest_flow() {
        let mut queue = fq_codel(30);
        assert!(come(&mut queue, 1, 4).is_empty() && come(&mut queue, 2, 20).is_empty());
        assert!(come(&mut queue, 3, 6).is_empty());
        assert_eq!(come(&mut queue, 3, 1), [2; 10]);
        assert_eq!(queue.counters(Time::ZERO).queued_packets, 21);
    }

    /// RFC 8290 section 4.1: a flow that begins is served before those that have had their turn.
    #[test]
    fn a_flow_that_begins_does_not_wait_for_others() {
        fn assert_first(mut queue: impl Discipline, turn: usize) {
            come(&mut queue, 1, 3 * turn);
            come(&mut queue, 2, 3 * turn);
            assert_eq!(leave(&mut queue, 2 * turn), [vec![1; turn], vec![2; turn]].concat());
            come(&mut queue, 3, 1);
            assert_eq!(leave(&mut queue, 2), [3, 1]);
        }
        assert_first(fq_codel(1_000), 1);
        assert_first(fq(), 10);
    }
}
