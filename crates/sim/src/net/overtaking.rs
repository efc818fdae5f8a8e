//! [`Overtaking`]: packets under way, of which some overtake others.
//!
//! As in Linux 6.1's `netem`, which has a list and a tree (`tfifo_enqueue`): a ring for those that come in order, or nearly so,
//! and a heap for those that overtake many.

use super::line::make_room;
use super::packet::Packet;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use units::Time;

/// Who overtakes more than so many is put into the heap: to move as many in the ring costs about as much.
const NEAR: usize = 32;

/// Packets by when they are due; those of one instant in the order in which they came.
#[derive(Debug, Default)]
pub struct Overtaking {
    ring: VecDeque<UnderWay>,
    heap: BinaryHeap<UnderWay>,
    came: u64,
}

/// A packet, when it is due, and how many came before it.
#[derive(Debug)]
struct UnderWay {
    due: Time,
    number: u64,
    packet: Packet,
}

impl UnderWay {
    /// Due and number as one: compared without a branch.
    const fn order(&self) -> u128 {
        (self.due.as_nanos() as u128) << 64 | self.number as u128
    }
}

/// The largest one leaves first.
impl Ord for UnderWay {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

impl PartialOrd for UnderWay {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for UnderWay {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for UnderWay {}

impl Overtaking {
    /// A packet comes.
    #[inline]
    pub fn push(&mut self, due: Time, packet: &Packet) {
        let number = self.came;
        self.came += 1;
        if self.ring.back().is_none_or(|last| last.due <= due) {
            make_room(&mut self.ring);
            self.ring.push_back(UnderWay { due, number, packet: *packet });
        } else {
            self.overtake(due, number, packet);
        }
    }

    #[inline(never)]
    fn overtake(&mut self, due: Time, number: u64, packet: &Packet) {
        let new = UnderWay { due, number, packet: *packet };
        let (end, near) = (self.ring.len(), self.ring.len().saturating_sub(NEAR));
        if near > 0 && self.ring[near - 1].due > new.due {
            return self.heap.push(new);
        }
        let others = self.ring.range(near..end).rev().take_while(|other| other.due > new.due).count();
        make_room(&mut self.ring);
        self.ring.insert(end - others, new);
    }

    /// When the first one is due.
    #[inline]
    pub fn first_due(&self) -> Option<Time> {
        let ring = self.ring.front().map(|first| first.due);
        if self.heap.is_empty() {
            return ring;
        }
        let heap = self.heap.peek().map(|first| first.due);
        ring.into_iter().chain(heap).min()
    }

    /// The first one leaves, if it is due.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<Packet> {
        let first = self.ring.front();
        // The larger one leaves first, and none is less than any.
        if !self.heap.is_empty() && self.heap.peek() > first {
            return self
                .heap
                .peek()
                .is_some_and(|first| first.due <= now)
                .then(|| self.heap.pop())?
                .map(|first| first.packet);
        }
        let packet = first.filter(|first| first.due <= now)?.packet;
        self.ring.pop_front();
        Some(packet)
    }

    /// The first one leaves, if it is due and no other is; none does while some are here that have overtaken many.
    #[inline]
    pub fn pop_alone(&mut self, now: Time) -> Option<Packet> {
        let are_two = self.ring.get(1).is_some_and(|second| second.due <= now) || !self.heap.is_empty();
        let packet = self.ring.front().filter(|first| first.due <= now && !are_two)?.packet;
        self.ring.pop_front();
        Some(packet)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.ring.iter().chain(&self.heap).map(|under_way| &under_way.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::stream;
    use units::low_bits;

    /// Against a list that is sorted anew each time, with few and with many that are overtaken.
    #[test]
    fn packets_leave_as_they_are_due() {
        for range in [1, 10, 100, 5_000] {
            let mut random = stream(range, "overtaking");
            let (mut packets, mut list) = (Overtaking::default(), Vec::new());
            let mut heaped = 0;
            for step in 0..5_000_u64 {
                let (now, due) = (Time::from_nanos(step), Time::from_nanos(step + random.below(range)));
                packets.push(due, &Packet { seq: low_bits(step), ..Packet::default() });
                list.push((due, low_bits(step)));
                list.sort_unstable();
                heaped = heaped.max(packets.heap.len());
                assert_eq!(packets.first_due(), list.first().map(|(due, _)| *due));
                let are_due = list.iter().take_while(|(due, _)| *due <= now).count();
                let alone = (are_due == 1 && packets.heap.is_empty()).then(|| list.remove(0).1);
                assert_eq!(packets.pop_alone(now).map(|packet| packet.seq), alone);
                while list.first().is_some_and(|(due, _)| *due <= now) {
                    assert_eq!(packets.pop(now).map(|packet| packet.seq), Some(list.remove(0).1));
                }
                assert_eq!((packets.pop(now), packets.iter().count()), (None, list.len()));
            }
            assert_eq!(heaped > 0, range > 50, "{range}: {heaped}");
        }
    }
}
