//! A line of constant delay: first in, first out, so that only its oldest packet needs an event.

use super::packet::Packet;
use std::collections::VecDeque;
use units::{Span, Time};

/// Packets under way on a line.
#[derive(Debug)]
pub struct Line {
    delay: Span,
    under_way: VecDeque<(Time, Packet)>,
}

/// Makes room for one more by a quarter at a time, not by doubling: a ring goes round through all of its memory, and
/// what it does not need would only displace other data from the caches.
#[inline]
pub fn make_room<T>(ring: &mut VecDeque<T>) {
    if ring.len() == ring.capacity() {
        grow(ring);
    }
}

#[cold]
fn grow<T>(ring: &mut VecDeque<T>) {
    ring.reserve_exact((ring.len() / 4).max(4));
}

impl Line {
    /// A line that takes `delay`.
    pub const fn new(delay: Span) -> Self {
        Self { delay, under_way: VecDeque::new() }
    }

    /// Puts a packet on the line. Gives its arrival when it is alone: the caller schedules that.
    pub fn push(&mut self, now: Time, packet: Packet) -> Option<Time> {
        let arrival = now + self.delay;
        debug_assert!(self.under_way.back().is_none_or(|(last, _)| *last <= arrival));
        make_room(&mut self.under_way);
        self.under_way.push_back((arrival, packet));
        (self.under_way.len() == 1).then_some(arrival)
    }

    /// Takes the oldest packet, which arrives now, into `out`. Gives the arrival of the next one.
    #[inline]
    pub fn pop(&mut self, out: &mut Packet) -> Option<Time> {
        let (_, packet) = self.under_way.front().expect("an arrival is scheduled only for a packet under way");
        *out = *packet;
        self.under_way.pop_front();
        self.under_way.front().map(|(arrival, _)| *arrival)
    }

    /// The packet behind `index` others.
    #[inline]
    pub fn peek(&self, index: usize) -> Option<&Packet> {
        self.under_way.get(index).map(|(_, packet)| packet)
    }

    /// Packets under way.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.under_way.iter().map(|(_, packet)| packet)
    }
}
