//! A link: a queue before a shaper, and random loss before the one or behind the other.

use super::loss::RandomLoss;
use super::packet::Packet;
use super::queue::{Discipline, Fate, Queue, SubQueue, Verdict};
use super::shaper::Shaper;
use crate::index::FlowId;
use run::{Buffer, Histogram, LossAt, QueueCounters};
use std::collections::VecDeque;
use std::hint::cold_path;
use units::{Rate, Time};

/// A queue, a shaper, and random loss.
///
/// What the shaper admits at an instant leaves the queue at that instant, before anything else is offered: Linux dequeues
/// after each enqueue (6.1 `__dev_xmit_skb`, `qdisc_run`), so that a burst finds the tokens that are there. It is handed
/// over at an event of its own all the same: nothing reaches a receiver while a sender is still at work.
#[derive(Debug)]
pub struct Link {
    queue: Queue,
    shaper: Shaper,
    /// When the first frame that waits leaves; `NEVER` while none does.
    departure: Time,
    /// What its queue and its line count a frame more than lines of hosts do.
    extra_bytes: i32,
    /// Frames that have left the queue and were not handed over yet. In between lies no time, only the rest of what happens
    /// at the same instant.
    released: VecDeque<Packet>,
    /// What has become of frames that waited, beside leaving.
    fates: Vec<Fate>,
    loss: RandomLoss,
}

/// What becomes of a frame that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It is in the queue.
    Queued {
        /// A departure that is to be scheduled: the one after which others follow by themselves.
        departure: Option<Time>,
    },
    /// The queue dropped it.
    Dropped,
    /// Lost at random.
    Lost,
}

impl Link {
    /// An idle link that counts a frame so much more than lines of hosts do.
    pub fn new(queue: Queue, shaper: Shaper, extra_bytes: i32, loss: RandomLoss) -> Self {
        Self { queue, shaper, departure: Time::NEVER, extra_bytes, released: VecDeque::new(), fates: Vec::new(), loss }
    }

    /// The link has this discipline from now on.
    #[cfg(test)]
    pub fn set_queue(&mut self, queue: Queue) {
        self.queue = queue;
    }

    /// A frame arrives.
    #[inline(always)]
    pub fn offer(&mut self, packet: Packet, now: Time) -> Offered {
        if self.loss.takes(&packet, LossAt::Before) {
            return Offered::Lost;
        }
        if self.departure <= now {
            self.release_all_due(now);
        }
        let packet = packet.longer(self.extra_bytes);
        if self.queue.enqueue(packet, now, &mut self.fates) == Verdict::Dropped {
            return Offered::Dropped;
        }
        if self.departure != Time::NEVER {
            return Offered::Queued { departure: None };
        }
        self.queue.stage(now, &mut self.fates);
        self.departure = self.shaper.departure(packet.frame_bytes, now);
        Offered::Queued { departure: self.released.is_empty().then_some(self.departure) }
    }

    /// The first frame that waits leaves the queue, if its time has come; [`Self::depart`] hands it over.
    #[inline]
    pub fn release_due(&mut self, now: Time) -> Option<Packet> {
        if self.departure > now {
            return None;
        }
        let mut packet = Packet::default();
        self.leave_queue(now, &mut packet).then(|| {
            self.released.push_back(packet);
            packet.longer(-self.extra_bytes)
        })
    }

    #[inline(never)]
    fn release_all_due(&mut self, now: Time) {
        while self.release_due(now).is_some() {}
    }

    /// The next frame leaves the queue, if there is one: the shaper charges it, and says when the one behind it leaves.
    #[inline(always)]
    fn leave_queue(&mut self, now: Time, out: &mut Packet) -> bool {
        let left = self.queue.dequeue(now, out, &mut self.fates);
        if left {
            self.shaper.on_departure(out.frame_bytes, now);
        }
        self.departure = self.queue.head_bytes().map_or(Time::NEVER, |bytes| self.shaper.departure(bytes, now));
        left
    }

    /// A departure's time has come: hands over the first frame that has left, as the link counts it, to `out`. False when the
    /// event is void, being of before a change of rate.
    #[inline(always)]
    pub fn depart(&mut self, now: Time, out: &mut Packet) -> bool {
        if self.released.is_empty() {
            // Nearly every frame: it leaves and is handed over in one step.
            return self.departure <= now && self.leave_queue(now, out);
        }
        cold_path();
        self.released.pop_front().is_some_and(|packet| {
            *out = packet;
            true
        })
    }

    /// After a departure, the next one; `NEVER` when there is none.
    #[inline(always)]
    pub fn next(&self, now: Time) -> Time {
        if self.released.is_empty() { self.departure } else { now }
    }

    /// Whether random loss takes a frame that has left.
    #[inline(always)]
    pub fn loses(&mut self, packet: &Packet) -> bool {
        self.loss.takes(packet, LossAt::After)
    }

    /// What this link counts a frame more than lines of hosts do.
    #[inline(always)]
    pub const fn extra_bytes(&self) -> i32 {
        self.extra_bytes
    }

    /// Something has become of frames that waited, which was not [taken](Self::take_fates) yet.
    #[inline(always)]
    pub const fn has_fates(&self) -> bool {
        !self.fates.is_empty()
    }

    /// What.
    pub fn take_fates(&mut self) -> Vec<Fate> {
        std::mem::take(&mut self.fates)
    }

    /// How long frames were in the queue that have left, where something manages it.
    pub fn sojourn(&self) -> Option<&Histogram> {
        self.queue.sojourn()
    }

    /// From now on the rate is another one. Gives the departure to be scheduled instead of the one that was.
    pub fn change_rate(&mut self, rate: Rate, now: Time) -> Option<Time> {
        if self.queue.police(rate, now) {
            return None;
        }
        let head_bytes = self.queue.head_bytes();
        self.departure = self.shaper.change_rate(rate, head_bytes, now).unwrap_or(Time::NEVER);
        head_bytes.filter(|_| self.released.is_empty()).map(|_| self.departure)
    }

    /// From now on the queue has so much room.
    pub fn change_room(&mut self, room: Buffer) {
        self.queue.set_room(room);
    }

    /// A departure is scheduled.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.departure != Time::NEVER || !self.released.is_empty()
    }

    /// Random loss.
    pub const fn loss(&mut self) -> &mut RandomLoss {
        &mut self.loss
    }

    /// Packets, bytes and segments now and so far.
    pub fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters { random_lost_packets: self.loss.lost(), ..self.queue.counters(now) }
    }

    /// Segments that were lost at random before the queue, an ACK being one.
    pub fn lost_before(&self) -> u64 {
        self.loss.lost_at(LossAt::Before)
    }

    /// Segments of a flow's data that were lost at random.
    pub fn lost_of(&self, flow: FlowId) -> u64 {
        self.loss.lost_of(flow)
    }

    /// The frame behind `ahead` others.
    #[inline]
    pub fn peek(&self, ahead: usize) -> Option<&Packet> {
        self.queue.peek(ahead)
    }

    /// Which of the queue's own queues a frame is in, or would be.
    pub fn queue_of(&self, packet: &Packet) -> SubQueue {
        self.queue.queue_of(packet)
    }

    /// Frames that wait or were not handed over yet.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mut frames = Vec::new();
        self.queue.for_each(&mut |packet| frames.push(packet));
        frames.into_iter().chain(&self.released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::PacketKind;
    use crate::net::queue::DropTail;
    use run::{Buffer, ShaperKind};
    use units::Bytes;

    fn frame(bytes: u32) -> Packet {
        Packet { frame_bytes: bytes, segments: 1, kind: PacketKind::Data, ..Packet::default() }
    }

    fn drain(link: &mut Link, count: usize, begin: Time) -> Vec<u64> {
        // What has left already is handed over at the instant of the burst.
        let mut next = if !link.released.is_empty() { begin } else { link.departure };
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(next.as_nanos());
            assert!(link.depart(next, &mut Packet::default()), "a frame is due");
            next = link.next(next);
        }
        times
    }

    fn link(rate: u64, burst: u64, room: Buffer) -> Link {
        link_of(ShaperKind::Tbf, rate, burst, room)
    }

    fn link_of(kind: ShaperKind, rate: u64, burst: u64, room: Buffer) -> Link {
        let shaper = Shaper::new(kind, Rate::from_bps(rate), Bytes::new(burst), Bytes::new(1514));
        Link::new(Queue::DropTail(DropTail::new(room)), shaper, 0, RandomLoss::none())
    }

    fn fill(link: &mut Link, count: u64, bytes: u32) {
        for _ in 0..count {
            assert!(matches!(link.offer(frame(bytes), Time::ZERO), Offered::Queued { .. }), "room");
        }
    }

    #[test]
    fn a_burst_of_one_frame_takes_size_over_rate_for_each() {
        let mut link = link(7_000_000, 1514, Buffer::Packets(10_000));
        fill(&mut link, 7_000, 1514);
        let times = drain(&mut link, 7_000, Time::ZERO);
        assert_eq!(times[0], 1_730_286); // 1 730 285.7 rounded up
        assert_eq!(*times.last().expect("times"), 7_000 * 1514 * 8 * 1_000 / 7);
    }

    #[test]
    fn a_bucket_saves_exactly_its_burst() {
        for (rate, count) in [(7_000_000_u64, 7_000_u64), (80_000_000, 1_000), (999_999_937, 12_345)] {
            let mut link = link(rate, 5_000, Buffer::Packets(20_000));
            fill(&mut link, count, 1514);
            let last = *drain(&mut link, usize::try_from(count).expect("small"), Time::ZERO).last().expect("times");
            let exact = u128::from(count * 1514 - 5_000) * 8_000_000_000;
            assert_eq!(u128::from(last), exact.div_ceil(u128::from(rate)), "{rate}");
        }
    }

    #[test]
    fn a_burst_leaves_at_once() {
        let mut link = link(80_000_000, 5_000, Buffer::Packets(10));
        fill(&mut link, 4, 1514);
        assert_eq!(drain(&mut link, 4, Time::ZERO), [0, 0, 0, (4 * 1514 - 5_000) * 100]);
    }

    #[test]
    fn a_bucket_that_may_owe_releases_a_frame_as_soon_as_it_owes_nothing() {
        // 100 ns a byte. Two frames leave a bucket of 1600 bytes, which then owes 1428; one of a byte owes 1513 after one.
        for (burst, times) in [(1_600, [0, 0, 142_800, 294_200]), (1, [0, 151_300, 302_700, 454_100])] {
            let mut link = link_of(ShaperKind::Htb, 80_000_000, burst, Buffer::Packets(10));
            fill(&mut link, 4, 1514);
            assert_eq!(drain(&mut link, 4, Time::ZERO), times, "{burst}");
        }
        let mut link = link_of(ShaperKind::Htb, 80_000_000, 1_600, Buffer::Packets(10));
        fill(&mut link, 3, 60_560);
        assert_eq!(drain(&mut link, 3, Time::ZERO), [0, 5_896_000, 11_952_000], "super-packets, too");
    }

    #[test]
    fn the_queue_drops_what_does_not_fit() {
        let mut link = link(8, 0, Buffer::Bytes(3_000));
        assert!(matches!(link.offer(frame(1514), Time::ZERO), Offered::Queued { departure: Some(_) }));
        assert_eq!(link.offer(frame(1514), Time::ZERO), Offered::Dropped);
        assert_eq!(link.offer(frame(1486), Time::ZERO), Offered::Queued { departure: None });
        let counters = link.counters(Time::ZERO);
        assert_eq!((counters.offered_packets, counters.dropped_packets, counters.queued_bytes), (3, 1, 3_000));
    }

    #[test]
    fn a_change_of_rate_keeps_the_bytes_that_remain() {
        let mut link = link(8_000, 0, Buffer::Packets(10)); // a byte a millisecond
        fill(&mut link, 2, 1_000);
        let half = Time::from_nanos(500_000_000);
        let due = link.change_rate(Rate::from_bps(16_000), half).expect("a head");
        assert_eq!(due.as_nanos(), 750_000_000);
        assert_eq!(drain(&mut link, 1, half), [750_000_000]);
        let void = !link.depart(Time::from_nanos(1_000_000_000), &mut Packet::default());
        assert!(void, "the old event is void");
        assert_eq!(drain(&mut link, 1, half), [1_250_000_000]);
    }

    #[test]
    fn an_idle_bucket_fills_to_its_burst_and_no_further() {
        let mut link = link(80_000_000, 5_000, Buffer::Packets(10));
        fill(&mut link, 3, 1514);
        drain(&mut link, 3, Time::ZERO);
        let later = Time::from_nanos(1_000_000_000);
        for _ in 0..4 {
            assert!(matches!(link.offer(frame(1514), later), Offered::Queued { .. }), "room");
        }
        let times = drain(&mut link, 4, later);
        assert_eq!(times[3] - later.as_nanos(), (4 * 1514 - 5_000) * 100);
    }

    /// Frames of one burst that find room, by what leaves when.
    fn survivors(link: &mut Link, burst: u32, now: Time) -> usize {
        (0..burst).filter(|_| link.offer(frame(1514), now) != Offered::Dropped).count()
    }

    #[test]
    fn what_the_tokens_admit_takes_no_room_of_the_burst_behind_it() {
        // Linux's `tbf` with a queue of 6: a burst fits it and as many frames as the full bucket has tokens for.
        for (burst_bytes, admitted) in [(1_600, 1), (5_000, 3), (15_000, 9)] {
            let mut link = link(200_000_000, burst_bytes, Buffer::Packets(6));
            assert_eq!(survivors(&mut link, 40, Time::ZERO), 6 + admitted);
            assert_eq!(link.counters(Time::ZERO).queued_packets, 6);
            let times = drain(&mut link, 6 + admitted, Time::ZERO);
            assert!(times[..admitted].iter().all(|time| *time == 0), "at once: {times:?}");
            assert!(
                times[admitted..].windows(2).all(|pair| 0 < pair[0] && pair[0] < pair[1]),
                "then one by one: {times:?}"
            );
        }
    }

    #[test]
    fn the_frame_that_a_plain_line_transmits_keeps_its_room() {
        let mut link = link(200_000_000, 1_514, Buffer::Packets(6));
        assert_eq!(survivors(&mut link, 40, Time::ZERO), 6);
    }

    #[test]
    fn a_frame_that_is_due_makes_room_for_one_that_comes_at_the_same_instant() {
        let mut link = link(8_000_000, 0, Buffer::Packets(1));
        assert_eq!(survivors(&mut link, 2, Time::ZERO), 1);
        let due = link.departure;
        assert_eq!(
            link.offer(frame(1_000), due),
            Offered::Queued { departure: None },
            "its event hands the first one over"
        );
        let mut left = Packet::default();
        assert!(link.depart(due, &mut left), "the first one");
        assert_eq!((left.frame_bytes, link.next(due)), (1_514, due + units::Span::from_micros(1_000)));
    }
}
