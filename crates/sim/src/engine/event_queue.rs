//! The event queue: every future event in one total order `(time, priority, sequence)`, and the clock that it moves.
//!
//! Three things keep the cost per packet small. Hops and timers hold one entry each, however many packets are under way.
//! The hops that nearly all events come from have a place each, outside of everything. And what else falls into the next
//! 34 ms lies in buckets of 8 µs, which are sorted when their time comes; only the rest is in a heap.

use crate::index::{FlowId, HopId};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use units::{Time, list_place, ring_slot};

/// Something that happens at an instant. The index is that of the flow, hop or list entry concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The path changes.
    Change,
    /// The next frame leaves a link.
    Departure(HopId),
    /// The next frame leaves a host's own line.
    OutOfHost(HopId),
    /// The timer of a host's own queue rings.
    Watchdog(FlowId),
    /// Bursts leave their hosts.
    Burst,
    /// The oldest packet on a line arrives, on the way down.
    Down(HopId),
    /// Likewise on the way up.
    Up(HopId),
    /// Timers that fall on this millisecond may be due.
    Tick,
    /// A timer of a flow may be due.
    Timer(FlowId, Timer),
    /// A flow connects.
    Start(FlowId),
    /// The next transfer of a source arrives.
    Arrival(FlowId),
    /// A flow stops sending.
    Stop(FlowId),
    /// The gauges are read.
    Sample,
    /// The summary's window begins.
    WindowBegin,
    /// The summary's window ends.
    WindowEnd,
    /// The run ends.
    End,
}

/// The timers of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Retransmission: RTO, tail loss probe, reordering or zero-window probe, whichever is pending.
    Retransmission,
    /// The next paced departure.
    Pacing,
    /// A delayed ACK.
    DelayedAck,
    /// A compressed SACK.
    CompressedAck,
    /// The application's next write.
    Write,
}

impl Event {
    /// The hop that it comes from, if it does. None has more than one event ahead that counts: a departure of before a
    /// change of rate is void and may be forgotten, and so may what a NIC had planned before it planned anew.
    const fn hop(self) -> Option<HopId> {
        match self {
            Self::Departure(hop) | Self::Down(hop) | Self::Up(hop) => Some(hop),
            _ => None,
        }
    }

    /// The order of events at the same instant: first what frees room, then what arrives, then what timers and
    /// applications start, last the observers, who see all of it.
    const fn priority(self) -> u64 {
        match self {
            Self::Change => 0,
            Self::Departure(_) | Self::OutOfHost(_) | Self::Watchdog(_) => 1,
            Self::Burst | Self::Down(_) => 2,
            Self::Up(_) => 3,
            Self::Tick => 4,
            Self::Timer(..) => 5,
            Self::Start(_) | Self::Arrival(_) | Self::Stop(_) => 6,
            Self::Sample => 7,
            Self::WindowBegin | Self::WindowEnd => 8,
            Self::End => 9,
        }
    }
}

/// When an event comes, and which of one instant is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    time: Time,
    /// Priority in the top 8 bits, then a sequence number: 2^56 events before it overflows.
    order: u64,
}

impl Key {
    /// After every other.
    const NEVER: Self = Self { time: Time::NEVER, order: u64::MAX };

    /// Time and order as one number: compared without a branch.
    const fn number(self) -> u128 {
        (self.time.as_nanos() as u128) << 64 | self.order as u128
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    event: Event,
}

impl Entry {
    /// After every other.
    const NONE: Self = Self { key: Key::NEVER, event: Event::End };
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

/// The most hops whose events have a place of their own.
const MOST_PLACES: usize = 8;

/// The future events of a run.
#[derive(Debug)]
pub struct EventQueue {
    now: Time,
    sequence: u64,
    /// The events of the first hops, by hop, and when they come; of them so many are in use.
    placed: [Event; MOST_PLACES],
    keys: [Key; MOST_PLACES],
    places: usize,
    /// Nothing in `near` and `far` comes before this.
    others: Time,
    near: Calendar,
    far: BinaryHeap<Reverse<Entry>>,
}

impl EventQueue {
    /// An empty queue, in which the events of the first hops have a place each, as many as there are.
    pub fn new(first_hops: &[Event]) -> Self {
        let places = first_hops.len().min(MOST_PLACES);
        let mut placed = [Event::End; MOST_PLACES];
        placed[..places].copy_from_slice(&first_hops[..places]);
        Self {
            now: Time::ZERO,
            sequence: 0,
            placed,
            keys: [Key::NEVER; MOST_PLACES],
            places,
            others: Time::NEVER,
            near: Calendar::new(),
            far: BinaryHeap::new(),
        }
    }

    /// The present: the time of the event taken last.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Adds an event. Panics when its time has passed: time never moves backward.
    #[inline]
    pub fn schedule(&mut self, time: Time, event: Event) {
        if time < self.now {
            self.refuse(time, event);
        }
        self.sequence += 1;
        let key = Key { time, order: event.priority() << 56 | self.sequence };
        match event.hop() {
            Some(hop) if hop.index() < self.places => self.keys[hop.index() % MOST_PLACES] = key,
            _ => self.add(Entry { key, event }),
        }
    }

    #[cold]
    fn refuse(&self, time: Time, event: Event) -> ! {
        panic!("{event:?} at {time:?} is before {:?}", self.now)
    }

    fn add(&mut self, entry: Entry) {
        self.others = self.others.min(entry.key.time);
        if !self.near.add(entry, self.now) {
            self.add_far(entry);
        }
    }

    #[inline(never)]
    fn add_far(&mut self, entry: Entry) {
        self.far.push(Reverse(entry));
    }

    /// Takes the first event and moves the clock to it.
    #[inline]
    pub fn next(&mut self) -> Option<Event> {
        let (mut least, mut first) = (0, self.keys[0]);
        for (place, key) in self.keys[..self.places].iter().enumerate().skip(1) {
            if *key < first {
                (least, first) = (place, *key);
            }
        }
        let time = first.time;
        if time >= self.others {
            return self.next_of_all(least);
        }
        debug_assert!(time >= self.now);
        self.now = time;
        self.keys[least % MOST_PLACES] = Key::NEVER;
        Some(self.placed[least % MOST_PLACES])
    }

    /// The first of all entries, of which that at `place` is the first with a place of its own.
    fn next_of_all(&mut self, place: usize) -> Option<Event> {
        let mut first = Entry { key: self.keys[place], event: self.placed[place] };
        let far = self.far.peek().map_or(Entry::NONE, |entry| entry.0);
        let near = *self.near.first(first.key.time.min(far.key.time)).unwrap_or(&Entry::NONE);
        if first < near && first < far {
            self.keys[place] = Key::NEVER;
        } else if near < far {
            first = near;
            self.near.open.pop();
        } else {
            first = self.far.pop()?.0;
        }
        self.others = self.far.peek().map_or(Time::NEVER, |entry| entry.0.key.time).min(self.near.earliest());
        debug_assert!(first.key.time >= self.now);
        self.now = first.key.time;
        Some(first.event)
    }

    /// A flow whose timer comes soon, if the next event but departures and arrivals is one.
    #[inline]
    pub fn upcoming_timer(&self) -> Option<FlowId> {
        match self.near.glimpse()?.event {
            Event::Timer(flow, _) => Some(flow),
            _ => None,
        }
    }
}

/// A bucket is 2^13 ns long.
const BUCKET_SHIFT: u32 = 13;
const BUCKETS: usize = 64 * 64;
/// The end of a list.
const NIL: u32 = u32::MAX;

/// The entries of the near future in buckets of time: lists in a common pool. The first bucket is opened, that is
/// sorted, when its time comes.
#[derive(Debug)]
struct Calendar {
    /// Entries of the open bucket and of before it, the first one at the end.
    open: Vec<Entry>,
    open_bucket: u64,
    /// The first bucket that is not empty, the open one apart; `u64::MAX`: none.
    first_bucket: u64,
    /// A bit a bucket: it is not empty; and a bit for 64 of these.
    filled: [u64; BUCKETS / 64],
    filled_groups: u64,
    /// The first entry of each bucket's list.
    heads: Vec<u32>,
    /// Entries, and the next one's place in the same list.
    pool: Vec<(Entry, u32)>,
    /// The first of the places that are free.
    free: u32,
}

const fn bucket_of(time: Time) -> u64 {
    time.as_nanos() >> BUCKET_SHIFT
}

impl Calendar {
    fn new() -> Self {
        Self {
            open: Vec::new(),
            open_bucket: 0,
            first_bucket: u64::MAX,
            filled: [0; BUCKETS / 64],
            filled_groups: 0,
            heads: vec![NIL; BUCKETS],
            pool: Vec::new(),
            free: NIL,
        }
    }

    /// Adds an entry; false when it is too far away.
    fn add(&mut self, entry: Entry, now: Time) -> bool {
        let bucket = bucket_of(entry.key.time);
        if bucket <= self.open_bucket && !self.open.is_empty() {
            self.insert_open(entry);
            return true;
        }
        if bucket - bucket_of(now) >= BUCKETS as u64 {
            return false;
        }
        let index = ring_slot(bucket, BUCKETS);
        let next = std::mem::replace(&mut self.heads[index], self.free);
        if self.free == NIL {
            self.heads[index] = self.grow(entry, next);
        } else {
            let place = &mut self.pool[self.free as usize];
            self.free = place.1;
            *place = (entry, next);
        }
        self.filled[index / 64] |= 1 << (index % 64);
        self.filled_groups |= 1 << (index / 64);
        self.first_bucket = self.first_bucket.min(bucket);
        true
    }

    #[inline(never)]
    fn insert_open(&mut self, entry: Entry) {
        let place = self.open.partition_point(|other| *other > entry);
        self.open.insert(place, entry);
    }

    /// No place is free: makes one more.
    #[cold]
    fn grow(&mut self, entry: Entry, next: u32) -> u32 {
        self.pool.push((entry, next));
        list_place(self.pool.len()) - 1
    }

    /// The first entry, unless it is later than `limit`: then it may be missed.
    fn first(&mut self, limit: Time) -> Option<&Entry> {
        if self.open.is_empty() && self.first_bucket <= bucket_of(limit) && self.first_bucket != u64::MAX {
            self.open_first();
        }
        self.open.last()
    }

    fn open_first(&mut self) {
        let bucket = self.first_bucket;
        let index = ring_slot(bucket, BUCKETS);
        let mut place = std::mem::replace(&mut self.heads[index], NIL);
        while place != NIL {
            let (entry, next) = self.pool[place as usize];
            self.open.push(entry);
            self.pool[place as usize].1 = self.free;
            self.free = place;
            place = next;
        }
        if self.open.len() > 1 {
            self.open.sort_unstable_by_key(|entry| Reverse(*entry));
        }
        self.open_bucket = bucket;
        self.filled[index / 64] &= !(1 << (index % 64));
        if self.filled[index / 64] == 0 {
            self.filled_groups &= !(1 << (index / 64));
        }
        self.first_bucket = self.first_filled_from(bucket + 1);
    }

    /// The first bucket from this one on that is not empty; all lie within one turn of the calendar.
    fn first_filled_from(&self, bucket: u64) -> u64 {
        let index = ring_slot(bucket, BUCKETS);
        let (group, bit) = (index / 64, index % 64);
        let rest = self.filled[group] >> bit;
        if rest != 0 {
            return bucket + u64::from(rest.trailing_zeros());
        }
        // The groups behind this one, and the lower bits of itself last.
        let groups = self.filled_groups.rotate_right(list_place(group) + 1);
        if groups == 0 {
            return u64::MAX;
        }
        let filled_group = (group + 1 + groups.trailing_zeros() as usize) % 64;
        let filled_index = filled_group * 64 + self.filled[filled_group].trailing_zeros() as usize;
        bucket + ((filled_index + BUCKETS - index) % BUCKETS) as u64
    }

    /// No entry comes before this.
    fn earliest(&self) -> Time {
        match self.open.last() {
            Some(first) => first.key.time,
            None if self.first_bucket == u64::MAX => Time::NEVER,
            None => Time::from_nanos(self.first_bucket << BUCKET_SHIFT),
        }
    }

    /// One of the first entries.
    fn glimpse(&self) -> Option<&Entry> {
        self.open.last().or_else(|| match self.first_bucket {
            u64::MAX => None,
            bucket => Some(&self.pool[self.heads[ring_slot(bucket, BUCKETS)] as usize].0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn ties_are_broken_by_priority_and_then_by_order_of_scheduling() {
        let [link, first, second, back] = [0, 1, 2, 3].map(HopId::new);
        let first_hops = [Event::Departure(link), Event::Down(first), Event::Down(second), Event::Up(back)];
        for places in 0..=4 {
            let mut events = EventQueue::new(&first_hops[..places]);
            let scheduled = [
                Event::End,
                Event::Up(back),
                Event::Down(second),
                Event::Down(first),
                Event::Departure(link),
                Event::Sample,
            ];
            scheduled.into_iter().for_each(|event| events.schedule(at(5), event));
            let order: Vec<_> = std::iter::from_fn(|| events.next()).collect();
            let expected = [
                Event::Departure(link),
                Event::Down(second),
                Event::Down(first),
                Event::Up(back),
                Event::Sample,
                Event::End,
            ];
            assert_eq!(order, expected, "{places} places");
        }
    }

    #[test]
    fn what_a_hop_with_a_place_plans_anew_comes_once() {
        let departure = Event::Departure(HopId::new(0));
        let mut events = EventQueue::new(&[departure]);
        events.schedule(at(5), departure);
        events.schedule(at(3), departure);
        assert_eq!((events.next(), events.now()), (Some(departure), at(3)));
        assert_eq!(events.next(), None);
    }

    #[test]
    #[should_panic(expected = "is before")]
    fn the_past_cannot_be_scheduled() {
        let mut events = EventQueue::new(&[]);
        events.schedule(at(5), Event::Sample);
        events.next();
        events.schedule(at(4), Event::Sample);
    }

    /// Within a bucket, within the calendar, and beyond.
    fn delay() -> impl Strategy<Value = u64> {
        prop_oneof![0_u64..50, 0_u64..100_000, 0_u64..40_000_000, 0_u64..10_000_000_000]
    }

    proptest! {
        #[test]
        fn events_come_in_order_whatever_is_taken_and_scheduled_between(steps in prop::collection::vec((delay(), 0_u32..4), 1..300)) {
            let mut events = EventQueue::new(&[]);
            let mut pending: Vec<(u64, usize)> = Vec::new();
            for (sequence, (delay, takes)) in steps.into_iter().enumerate() {
                let time = events.now().as_nanos() + delay;
                // Hops with a place have one event ahead each.
                let hop = |sequence| HopId::new(MOST_PLACES + sequence);
                events.schedule(at(time), Event::Down(hop(sequence)));
                pending.push((time, sequence));
                for _ in 0..takes {
                    pending.sort_unstable();
                    let expected = (!pending.is_empty()).then(|| Event::Down(hop(pending.remove(0).1)));
                    prop_assert_eq!(events.next(), expected);
                }
            }
        }
    }
}
