//! `fq`, a host's own queue that lets each burst wait for its departure (Linux 6.1 `sch_fq.c` with its defaults).
//!
//! TCP stamps what it hands over with its earliest departure; the queue keeps each flow's bursts in order and sends one
//! when its time has come. Among flows whose time has come it serves in rounds, by credits of bytes, those first that
//! have just begun. A timer wakes it for the next departure. That timer may be late by its slack: on a machine that has
//! nothing else to do at that time it is late by all of it, and so it is here. A burst that arrives wakes the queue too.
//!
//! A burst is what the kernel has in one `sk_buff`: one or several frames that leave together. Left out: `SO_PRIORITY`,
//! a flow's own largest rate and ECN's threshold, which nothing sets here, and the collection of idle flows. That a
//! flow's bursts come in the order of their departures is taken for granted; TCP's do.

use super::packet::Packet;
use super::queue::{Credit, Rounds};
use super::waiting::Waiting;
use crate::index::FlowId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use units::{Span, Time};

/// Bursts of all flows, and of one (`fq_init`: `limit`, `flow_plimit`).
const LIMIT: usize = 10_000;
const FLOW_LIMIT: usize = 100;
/// Frames of credit for a round, and at the beginning (`quantum`, `initial_quantum`).
const QUANTUM_FRAMES: u32 = 2;
const INITIAL_QUANTUM_FRAMES: u32 = 10;
/// A flow that was idle for so long begins with a round's credit at least (`flow_refill_delay`), ms.
const REFILL_MS: u64 = 40;
/// Nothing may wait for longer (`horizon`, with `horizon_drop`).
const HORIZON: Span = Span::from_millis(10_000);
/// By so much the timer may be late (`timer_slack`).
const TIMER_SLACK: Span = Span::from_micros(10);

/// One host's queue.
#[derive(Debug)]
pub struct FairQueue {
    quantum_bytes: u32,
    initial_bytes: u32,
    flows: BTreeMap<FlowId, Flow>,
    rounds: Rounds<FlowId>,
    /// Flows whose head is not due, by when it is, then in the order they came.
    throttled: BTreeSet<(Time, u64, FlowId)>,
    sequence: u64,
    /// Bursts that wait.
    waiting: usize,
    /// The burst that is being handed over.
    staged: Vec<Packet>,
    /// What the timer was set for.
    armed: Option<Time>,
}

/// One connection's bursts.
#[derive(Debug)]
struct Flow {
    bursts: VecDeque<Burst>,
    packets: VecDeque<Packet>,
    credit: Credit,
    place: Place,
    /// Not before this is it served again.
    next: Time,
}

/// Where a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nowhere: it has nothing to send since so many milliseconds of the clock.
    Idle(u64),
    /// In one of the two lists, or throttled.
    Waiting,
}

/// What the kernel has in one `sk_buff`.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// Whose it is.
    pub flow: FlowId,
    departure: Time,
    packets: u32,
    bytes: u32,
    payload_bytes: u32,
}

impl Burst {
    /// As a buffer of its socket.
    pub const fn buffer(&self) -> Waiting {
        Waiting::one(self.payload_bytes)
    }
}

/// A burst for which there was no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its packets.
    pub packets: usize,
    /// Its segments.
    pub segments: u16,
}

impl FairQueue {
    /// An empty queue of a device with such largest frames.
    pub fn new(frame_bytes: u64) -> Self {
        let frame_bytes = u32::try_from(frame_bytes).expect("a frame's length");
        Self {
            quantum_bytes: QUANTUM_FRAMES * frame_bytes,
            initial_bytes: INITIAL_QUANTUM_FRAMES * frame_bytes,
            flows: BTreeMap::new(),
            rounds: Rounds::new(),
            throttled: BTreeSet::new(),
            sequence: 0,
            waiting: 0,
            staged: Vec::new(),
            armed: None,
        }
    }

    /// A connection begins at this place, where one may have been before.
    pub fn open(&mut self, flow: FlowId) {
        if let Some(known) = self.flows.get_mut(&flow) {
            known.credit = Credit::of(self.initial_bytes);
            known.next = Time::ZERO;
        }
    }

    /// The next packet of the burst that is being handed over.
    #[inline]
    pub fn stage(&mut self, packet: Packet) {
        self.staged.push(packet);
    }

    /// The packets staged, if they are to leave before what waits of their flow. A socket's never are; they are of none (a
    /// reset that answers for a connection which is no more), which in the kernel is another flow, and leave at once.
    pub fn overtaking(&mut self, flow: FlowId, departure: Time) -> Option<Vec<Packet>> {
        let last = self.flows.get(&flow)?.bursts.back()?;
        (last.departure > departure).then(|| std::mem::take(&mut self.staged))
    }

    /// The packets staged are a burst, not to leave before `departure`. Gives its buffer (`fq_enqueue`).
    pub fn offer(&mut self, flow: FlowId, departure: Time, now: Time) -> Result<Waiting, Dropped> {
        let initial_bytes = self.initial_bytes;
        let entry = self.flows.entry(flow).or_insert_with(|| Flow::new(initial_bytes, now));
        if self.waiting >= LIMIT || departure > now + HORIZON || entry.bursts.len() >= FLOW_LIMIT {
            let segments = self.staged.iter().map(|packet| packet.segments.max(1)).sum();
            let packets = self.staged.len();
            self.staged.clear();
            return Err(Dropped { packets, segments });
        }
        if let Place::Idle(since_ms) = entry.place {
            if now.as_millis() > since_ms + REFILL_MS {
                entry.credit = entry.credit.at_least(self.quantum_bytes);
            }
            entry.place = Place::Waiting;
            self.rounds.begin(flow);
        }
        debug_assert!(entry.bursts.back().is_none_or(|last| last.departure <= departure));
        let bytes = self.staged.iter().map(|packet| packet.frame_bytes).sum();
        let payload_bytes = self.staged.iter().map(|packet| Waiting::packet(packet).payload_bytes).sum();
        let burst = Burst {
            flow,
            departure,
            packets: u32::try_from(self.staged.len()).expect("few packets"),
            bytes,
            payload_bytes,
        };
        entry.bursts.push_back(burst);
        entry.packets.extend(self.staged.drain(..));
        self.waiting += 1;
        Ok(burst.buffer())
    }

    /// The next burst that may leave now (`fq_dequeue`). Its [packets](Self::packets) must be taken before the next one.
    pub fn take(&mut self, now: Time) -> Option<Burst> {
        while let Some(&(due, _, flow)) = self.throttled.first()
            && due <= now
        {
            self.throttled.pop_first();
            self.rounds.return_to_others(flow);
        }
        loop {
            let Self { flows, rounds, quantum_bytes, .. } = self;
            let id =
                rounds.first(|id| flows.get_mut(&id).expect("a flow in a list").credit.may_send(*quantum_bytes))?;
            let flow = flows.get_mut(&id).expect("a flow in a list");
            let Some(burst) = flow.bursts.front() else {
                if rounds.retire() {
                    flow.place = Place::Idle(now.as_millis());
                }
                continue;
            };
            flow.next = flow.next.max(burst.departure);
            if flow.next <= now {
                let burst = flow.bursts.pop_front()?;
                flow.credit.spend(burst.bytes);
                self.waiting -= 1;
                return Some(burst);
            }
            self.sequence += 1;
            self.throttled.insert((flow.next, self.sequence, id));
            self.rounds.take_away();
        }
    }

    /// The packets of a burst that was just taken.
    pub fn packets(&mut self, burst: &Burst) -> impl Iterator<Item = Packet> {
        let flow = self.flows.get_mut(&burst.flow).expect("a flow of which a burst was taken");
        flow.packets.drain(..burst.packets as usize)
    }

    /// After nothing more may leave: when the timer is to ring, if it was not set for about that time before
    /// (`qdisc_watchdog_schedule_range_ns`).
    pub fn arm(&mut self) -> Option<Time> {
        let due = self.throttled.first()?.0;
        if self.armed.is_some_and(|armed| armed >= due && armed.since(due) <= TIMER_SLACK) {
            return None;
        }
        self.armed = Some(due);
        Some(due + TIMER_SLACK)
    }

    /// Packets that wait.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.flows.values().flat_map(|flow| &flow.packets)
    }

    /// The timer rings: false when it was set anew since.
    pub fn rings(&mut self, now: Time) -> bool {
        let rings = self.armed.is_some_and(|armed| armed + TIMER_SLACK == now);
        if rings {
            self.armed = None;
        }
        rings
    }
}

impl Flow {
    fn new(credit_bytes: u32, now: Time) -> Self {
        Self {
            bursts: VecDeque::new(),
            packets: VecDeque::new(),
            credit: Credit::of(credit_bytes),
            place: Place::Idle(now.as_millis()),
            next: Time::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::PacketKind;
    use units::low_bits;

    const FRAME_BYTES: u32 = 1_514;

    const fn us(micros: u64) -> Time {
        Time::from_nanos(micros * 1_000)
    }

    /// Hands over a burst of so many full frames.
    fn offer(queue: &mut FairQueue, flow: usize, frames: u64, departure: Time, now: Time) -> Result<Waiting, Dropped> {
        let flow = FlowId::new(flow);
        for seq in 0..frames {
            queue.stage(Packet {
                seq: low_bits(seq),
                flow,
                frame_bytes: FRAME_BYTES,
                segments: 1,
                kind: PacketKind::Data,
                ..Packet::default()
            });
        }
        queue.offer(flow, departure, now)
    }

    /// Takes everything that may leave now: its flows, and numbers of frames.
    fn take(queue: &mut FairQueue, now: Time) -> Vec<(usize, usize)> {
        std::iter::from_fn(|| {
            let burst = queue.take(now)?;
            Some((burst.flow.index(), queue.packets(&burst).count()))
        })
        .collect()
    }

    fn queue() -> FairQueue {
        FairQueue::new(u64::from(FRAME_BYTES))
    }

    #[test]
    fn a_burst_leaves_when_it_is_due_and_the_timer_may_be_late_by_its_slack() {
        let mut queue = queue();
        assert_eq!(offer(&mut queue, 0, 2, us(0), us(0)), Ok(Waiting::one(2 * 1_448)));
        offer(&mut queue, 0, 1, us(300), us(0)).unwrap();
        offer(&mut queue, 0, 3, us(600), us(0)).unwrap();
        assert_eq!(take(&mut queue, us(0)), [(0, 2)]);
        assert_eq!(queue.arm(), Some(us(310)));
        assert!(!queue.rings(us(305)) && queue.rings(us(310)));
        assert_eq!(take(&mut queue, us(310)), [(0, 1)]);
        assert_eq!(queue.arm(), Some(us(610)));
        // What arrives after the time has come wakes the queue before the timer does.
        offer(&mut queue, 0, 1, us(900), us(601)).unwrap();
        assert_eq!(take(&mut queue, us(601)), [(0, 3)]);
    }

    #[test]
    fn the_timer_is_set_anew_only_if_that_makes_it_ring_more_than_its_slack_earlier() {
        let mut queue = queue();
        offer(&mut queue, 0, 1, us(300), us(0)).unwrap();
        assert_eq!((take(&mut queue, us(0)), queue.arm()), (vec![], Some(us(310))));
        offer(&mut queue, 1, 1, us(295), us(0)).unwrap();
        assert_eq!((take(&mut queue, us(0)), queue.arm()), (vec![], None));
        offer(&mut queue, 2, 1, us(200), us(0)).unwrap();
        assert_eq!((take(&mut queue, us(0)), queue.arm()), (vec![], Some(us(210))));
        assert!(queue.rings(us(210)) && !queue.rings(us(310)));
    }

    #[test]
    fn flows_that_have_just_begun_go_first_and_then_all_in_rounds_of_two_frames() {
        let mut queue = queue();
        for _ in 0..12 {
            offer(&mut queue, 0, 1, us(0), us(0)).unwrap();
        }
        // Ten frames of credit are more than nothing until they are used up; then the flow is an old one.
        let mut order: Vec<_> = (0..11).map(|_| queue.take(us(0)).map(|burst| burst.flow.index())).collect();
        assert_eq!(order, [Some(0); 11]);
        offer(&mut queue, 1, 2, us(0), us(0)).unwrap();
        offer(&mut queue, 1, 2, us(0), us(0)).unwrap();
        order = (0..3).map(|_| queue.take(us(0)).map(|burst| burst.flow.index())).collect();
        assert_eq!(order, [Some(1), Some(1), Some(0)]);

        let mut queue = FairQueue::new(u64::from(FRAME_BYTES));
        for flow in [0, 1] {
            for _ in 0..12 {
                offer(&mut queue, flow, 2, us(0), us(0)).unwrap();
            }
        }
        let order: Vec<_> = take(&mut queue, us(0)).iter().map(|(flow, _)| *flow).collect();
        // Five bursts each of the first ten frames, then one burst of two frames a round.
        assert_eq!(order, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn what_is_of_no_socket_does_not_wait_behind_a_connections_bursts() {
        let mut queue = queue();
        offer(&mut queue, 0, 1, us(300), us(0)).unwrap();
        let packet = queue.flows[&FlowId::new(0)].packets[0];
        queue.stage(packet);
        assert_eq!(queue.overtaking(FlowId::new(0), us(300)), None);
        assert_eq!(queue.overtaking(FlowId::new(0), us(1)), Some(vec![packet]));
        assert_eq!(queue.overtaking(FlowId::new(1), us(1)), None);
    }

    #[test]
    fn a_flow_may_have_a_hundred_bursts_and_none_may_wait_for_ten_seconds() {
        let mut queue = queue();
        for _ in 0..FLOW_LIMIT {
            offer(&mut queue, 0, 2, us(10), us(0)).unwrap();
        }
        assert_eq!(offer(&mut queue, 0, 2, us(10), us(0)), Err(Dropped { packets: 2, segments: 2 }));
        assert!(offer(&mut queue, 1, 2, us(10_000_000), us(0)).is_ok());
        assert!(offer(&mut queue, 1, 2, us(10_000_001), us(0)).is_err());
        assert_eq!(take(&mut queue, us(10)).len(), FLOW_LIMIT);
    }

    #[test]
    fn credit_is_used_up_by_bytes_and_comes_again_after_a_pause() {
        let mut queue = queue();
        // Twelve frames: two more than the credit.
        offer(&mut queue, 0, 12, us(0), us(0)).unwrap();
        assert_eq!(take(&mut queue, us(0)), [(0, 12)]);
        let credit = |queue: &FairQueue| queue.flows[&FlowId::new(0)].credit;
        let round = 2 * FRAME_BYTES;
        assert_eq!(
            credit(&queue),
            Credit::of(round),
            "a round's credit makes up for what is missing, and another is there to use"
        );
        for (at, before) in [(us(0), round), (us(40_000), round / 2), (us(40_000), round), (us(81_000), round)] {
            offer(&mut queue, 0, 1, at, at).unwrap();
            assert_eq!(credit(&queue), Credit::of(before), "{at:?}");
            assert_eq!(take(&mut queue, at), [(0, 1)]);
        }
        queue.open(FlowId::new(0));
        assert_eq!(credit(&queue), Credit::of(10 * FRAME_BYTES));
    }
}
