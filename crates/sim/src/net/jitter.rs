//! Timing noise of the sending hosts: a burst leaves its host later than TCP handed it over, by a time drawn at random,
//! and never before the burst ahead of it.
//!
//! The bursts of all hosts wait in one queue, in the order in which they leave, and their packets in one pool. Few wait at
//! a time: what the hosts send within the jitter. A pool gives the place that became free last, so that what waits stays
//! in the caches, however many hosts there are.

use super::packet::Packet;
use crate::engine::{Stream, prefetch, stream};
use crate::index::FlowId;
use std::collections::VecDeque;
use units::{Span, Time, list_place};

/// The end of a list.
const NIL: u32 = u32::MAX;

/// Bursts on their way out of their hosts.
#[derive(Debug)]
pub struct Jitter {
    /// Delays are uniform below this.
    range: Span,
    hosts: Vec<Departures>,
    /// By departure; of equals, as handed over.
    waiting: VecDeque<Burst>,
    /// When the first of those that wait leaves; `NEVER` when none does.
    next: Time,
    pool: Vec<Packet>,
    /// One ahead of the pool: the place of the first packet of the burst in hand, which is not handed over yet; then, for
    /// each place, that of the next packet of its burst, or the next place that is free.
    links: Vec<u32>,
    /// Which link the burst in hand goes on with.
    tail: u32,
    /// The first of the places that are free.
    free: u32,
}

/// One host's past.
#[derive(Debug)]
struct Departures {
    last: Time,
    stream: Stream,
}

#[derive(Clone, Copy, Debug)]
struct Burst {
    departure: Time,
    first: u32,
}

impl Jitter {
    /// Noise below `range` of the hosts with these names.
    pub fn new<'a>(range: Span, seed: u64, hosts: impl Iterator<Item = &'a str>) -> Self {
        let departures = |name| Departures { last: Time::ZERO, stream: stream(seed, &format!("jitter/{name}")) };
        Self {
            range,
            hosts: hosts.map(departures).collect(),
            waiting: VecDeque::new(),
            next: Time::NEVER,
            pool: Vec::new(),
            links: vec![NIL],
            tail: 0,
            free: NIL,
        }
    }

    /// There is some.
    pub fn is_any(&self) -> bool {
        self.range > Span::ZERO
    }

    /// Adds a packet to the burst in hand.
    #[inline]
    pub fn add(&mut self, packet: Packet) {
        let place = self.free;
        let place = if place == NIL {
            self.grow(packet)
        } else {
            self.pool[place as usize] = packet;
            self.free = std::mem::replace(&mut self.links[place as usize + 1], NIL);
            place
        };
        self.links[self.tail as usize] = place;
        self.tail = place + 1;
    }

    /// No place is free: makes one more.
    #[cold]
    fn grow(&mut self, packet: Packet) -> u32 {
        self.pool.push(packet);
        self.links.push(NIL);
        list_place(self.links.len()) - 2
    }

    /// A host hands over the burst in hand.
    #[inline]
    pub fn hand_over(&mut self, host: FlowId, now: Time) {
        let first = std::mem::replace(&mut self.links[0], NIL);
        if first == NIL {
            return;
        }
        self.tail = 0;
        let host = &mut self.hosts[host.index()];
        host.last = host.last.max(now + Span::from_nanos(host.stream.below(self.range.as_nanos())));
        let burst = Burst { departure: host.last, first };
        if self.waiting.back().is_none_or(|last| last.departure <= burst.departure) {
            self.waiting.push_back(burst);
        } else {
            self.overtake(burst);
        }
        self.next = self.next.min(burst.departure);
    }

    /// A burst leaves before others that were handed over before it.
    #[inline(never)]
    fn overtake(&mut self, burst: Burst) {
        let place = self.waiting.partition_point(|other| other.departure <= burst.departure);
        self.waiting.insert(place, burst);
    }

    /// When the next burst leaves; `NEVER` when none waits.
    #[inline]
    pub const fn next(&self) -> Time {
        self.next
    }

    /// Takes the next burst out: when it leaves, and its first packet's place for [`Self::take`].
    #[inline]
    pub fn leave(&mut self) -> Option<(Time, u32)> {
        let burst = self.waiting.pop_front()?;
        self.next = self.waiting.front().map_or(Time::NEVER, |burst| burst.departure);
        Some((burst.departure, burst.first))
    }

    /// Takes a packet of a burst that has left out of its place and puts it into `out`. Gives the place of the next one; none
    /// where there was no packet.
    #[inline(always)]
    pub fn take(&mut self, place: u32, out: &mut Packet) -> Option<u32> {
        *out = *self.pool.get(place as usize)?;
        let next = std::mem::replace(&mut self.links[place as usize + 1], self.free);
        self.free = place;
        Some(next)
    }

    /// Asks for a host's state ahead of time.
    #[inline]
    pub fn prefetch(&self, host: FlowId) {
        if let Some(departures) = self.hosts.get(host.index()) {
            prefetch(departures);
        }
    }

    /// Packets that wait.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let place = |place: u32| (place != NIL).then_some(place);
        let bursts = self.waiting.iter().map(|burst| burst.first).chain([self.links[0]]);
        bursts
            .flat_map(move |first| {
                std::iter::successors(place(first), move |before| place(self.links[*before as usize + 1]))
            })
            .map(|at| &self.pool[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::PacketKind;
    use units::low_bits;

    fn packet(flow: usize, seq: u64) -> Packet {
        Packet {
            seq: low_bits(seq),
            flow: FlowId::new(flow),
            frame_bytes: 1_514,
            segments: 1,
            kind: PacketKind::Data,
            ..Packet::default()
        }
    }

    /// A packet, the number of the burst that it was handed over with, and when it left.
    struct Leaving {
        packet: Packet,
        burst: u64,
        at: Time,
    }

    /// Bursts of one to three packets from two hosts every 10 µs, numbered so; their packets in the order they left.
    fn departures(range: Span) -> Vec<Leaving> {
        let mut jitter = Jitter::new(range, 7, ["a", "b"].into_iter());
        let mut left = Vec::new();
        let mut seq = [0_u64; 2];
        let mut bursts = [Vec::new(), Vec::new()];
        for step in 0..10_000_u64 {
            let now = Time::from_nanos(step * 10_000);
            let host = (step * step % 5 % 2) as usize;
            for _ in 0..=step % 3 {
                jitter.add(packet(host, seq[host]));
                bursts[host].push(step);
                seq[host] += 1;
            }
            jitter.hand_over(FlowId::new(host), now);
            while jitter.next() <= now {
                let ((at, mut place), mut packet) = (jitter.leave().expect("due"), Packet::default());
                while let Some(next) = jitter.take(place, &mut packet) {
                    left.push(Leaving { packet, burst: bursts[packet.flow.index()][packet.seq as usize], at });
                    place = next;
                }
            }
        }
        let waiting = jitter.packets().count() as u64;
        assert_eq!(left.len() as u64 + waiting, seq[0] + seq[1], "all are somewhere");
        assert!(jitter.pool.len() as u64 <= waiting + 200, "places are used again");
        left
    }

    #[test]
    fn bursts_leave_undivided_and_in_order_and_within_the_range() {
        let range = Span::from_micros(200);
        let left = departures(range);
        assert!(left.windows(2).all(|pair| pair[0].at <= pair[1].at), "as time goes");
        for flow in FlowId::first(2) {
            let own: Vec<&Leaving> = left.iter().filter(|each| each.packet.flow == flow).collect();
            assert!(own.iter().zip(0..).all(|(each, seq)| each.packet.number() == seq), "in order");
            assert!(own.windows(2).all(|pair| pair[0].burst != pair[1].burst || pair[0].at == pair[1].at), "whole");
            let mut before = Time::ZERO;
            for each in own {
                let handed_over = Time::from_nanos(each.burst * 10_000);
                assert!(each.at >= handed_over && (each.at < handed_over + range || each.at == before));
                before = each.at;
            }
        }
        // Of two hosts some overtake one another.
        let flows: Vec<FlowId> = left.iter().map(|each| each.packet.flow).collect();
        assert!(flows.windows(3).any(|three| three[0] != three[1] && three[1] != three[2]));
    }

    #[test]
    fn a_burst_far_behind_the_one_before_leaves_uniformly_below_the_range() {
        let (range, pause) = (Span::from_micros(50), Span::from_millis(1));
        let mut jitter = Jitter::new(range, 3, ["a"].into_iter());
        let (count, mut sum, mut squares) = (20_000, 0.0, 0.0);
        for step in 0..count {
            let now = Time::ZERO + Span::from_nanos(pause.as_nanos() * step);
            jitter.add(packet(0, step));
            jitter.hand_over(FlowId::new(0), now);
            let (at, place) = jitter.leave().expect("a burst");
            jitter.take(place, &mut Packet::default()).expect("its packet");
            let delay = at.since(now);
            assert!(delay < range);
            let share = delay.as_nanos() as f64 / range.as_nanos() as f64;
            sum += share;
            squares += share * share;
        }
        // Moments of a uniform variable, within five standard deviations of their estimates.
        let n = count as f64;
        assert!((sum / n - 0.5).abs() < 5.0 * (1.0 / 12.0 / n).sqrt(), "{}", sum / n);
        assert!((squares / n - 1.0 / 3.0).abs() < 5.0 * (4.0 / 45.0 / n).sqrt(), "{}", squares / n);
    }
}
