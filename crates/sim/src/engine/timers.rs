//! The timers of all flows, and their entries in the event queue or on a wheel of milliseconds.
//!
//! Most timers are moved into the future by every ACK and never fire. Moving one only sets when it is due; the
//! entry that is already in the queue finds out when its time comes, and goes back for the rest. The slots lie
//! together, apart from the flows: an entry that comes too early costs no look at a flow whose state has left the
//! caches.

use super::event_queue::{Event, EventQueue, Timer};
use super::prefetch::prefetch;
use crate::index::FlowId;
use units::{Time, ring_slot};

/// Number of timers of a flow.
const TIMERS: usize = 5;
/// Those that every packet may set come first, and fill one line of the cache.
const BUSY: usize = 4;

/// When a timer is due, and when its entry in the queue will look at it.
#[derive(Clone, Copy, Debug)]
struct TimerSlot {
    due: Time,
    entry: Time,
}

const UNSET: TimerSlot = TimerSlot { due: Time::NEVER, entry: Time::NEVER };

#[derive(Clone, Debug)]
#[repr(align(64))]
struct BusySlots([TimerSlot; BUSY]);

/// All timers.
#[derive(Debug)]
pub struct Timers {
    busy: Vec<BusySlots>,
    idle: Vec<[TimerSlot; TIMERS - BUSY]>,
    wheel: Wheel,
}

impl Timers {
    /// No timer is set.
    pub fn new(flows: usize) -> Self {
        Self {
            busy: vec![BusySlots([UNSET; BUSY]); flows],
            idle: vec![[UNSET; TIMERS - BUSY]; flows],
            wheel: Wheel::new(),
        }
    }

    /// Makes room for one flow more.
    pub fn add_flow(&mut self) {
        self.busy.push(BusySlots([UNSET; BUSY]));
        self.idle.push([UNSET; TIMERS - BUSY]);
    }

    /// Stops all timers of a flow.
    pub fn stop(&mut self, flow: FlowId) {
        self.busy[flow.index()]
            .0
            .iter_mut()
            .chain(&mut self.idle[flow.index()])
            .for_each(|slot| slot.due = Time::NEVER);
    }

    /// Asks for a flow's slots ahead of time.
    #[inline]
    pub fn prefetch(&self, flow: FlowId) {
        prefetch(&self.busy[flow.index()]);
    }

    #[inline]
    fn slot(&self, flow: FlowId, timer: Timer) -> &TimerSlot {
        match timer as usize {
            index @ 0..BUSY => &self.busy[flow.index()].0[index],
            index => &self.idle[flow.index()][index - BUSY],
        }
    }

    #[inline]
    fn slot_mut(&mut self, flow: FlowId, timer: Timer) -> &mut TimerSlot {
        match timer as usize {
            index @ 0..BUSY => &mut self.busy[flow.index()].0[index],
            index => &mut self.idle[flow.index()][index - BUSY],
        }
    }

    /// Sets a timer to be due at `due`, or with [`Time::NEVER`] stops it.
    #[inline]
    pub fn set(&mut self, flow: FlowId, timer: Timer, due: Time, events: &mut EventQueue) {
        let slot = self.slot_mut(flow, timer);
        slot.due = due;
        if due < slot.entry {
            slot.entry = due;
            self.enter(flow, timer, due, events);
        }
    }

    /// Rare: most timers only move. Kept out of the way of those.
    #[inline(never)]
    fn enter(&mut self, flow: FlowId, timer: Timer, due: Time, events: &mut EventQueue) {
        if !self.wheel.add(flow, timer, due, events) {
            events.schedule(due, Event::Timer(flow, timer));
        }
    }

    /// Whether the timer is due, so that its entry will not come in vain.
    #[inline]
    pub fn is_due(&self, flow: FlowId, timer: Timer, now: Time) -> bool {
        self.slot(flow, timer).due <= now
    }

    /// An entry's time has come: true when the timer is due.
    #[inline]
    pub fn fires(&mut self, flow: FlowId, timer: Timer, events: &mut EventQueue) -> bool {
        let now = events.now();
        let slot = self.slot_mut(flow, timer);
        if slot.entry != now {
            return false; // an entry of before the timer was moved forward
        }
        slot.entry = Time::NEVER;
        let due = slot.due;
        if due <= now {
            slot.due = Time::NEVER;
            return true;
        }
        if due != Time::NEVER {
            slot.entry = due;
            self.enter(flow, timer, due, events);
        }
        false
    }

    /// The entries of this millisecond, at [`Event::Tick`]. To be given back with [`Self::end_tick`].
    pub fn begin_tick(&mut self, events: &EventQueue) -> Vec<(FlowId, Timer)> {
        self.wheel.take(events.now())
    }

    /// The entries of a tick were looked at.
    pub fn end_tick(&mut self, entries: Vec<(FlowId, Timer)>, events: &mut EventQueue) {
        self.wheel.give_back(entries, events);
    }
}

/// Entries of the next second that fall on whole milliseconds, as those of Linux's coarse timers do: one list a
/// millisecond, in the order they came, and one entry in the queue for the first of these lists.
#[derive(Debug)]
struct Wheel {
    lists: Vec<Vec<(FlowId, Timer)>>,
    /// A bit a list: it has entries.
    filled: [u64; LISTS / 64],
    /// The millisecond whose [`Event::Tick`] is in the queue; `u64::MAX`: none.
    next_ms: u64,
}

const LISTS: usize = 1024;
const NANOS_PER_MS: u64 = 1_000_000;

impl Wheel {
    fn new() -> Self {
        Self { lists: vec![Vec::new(); LISTS], filled: [0; LISTS / 64], next_ms: u64::MAX }
    }

    /// Adds an entry; false when it is not one for the wheel.
    fn add(&mut self, flow: FlowId, timer: Timer, due: Time, events: &mut EventQueue) -> bool {
        let due_ms = due.as_millis();
        let now = events.now();
        // An entry of this very millisecond would join the list that is being taken.
        if due_ms * NANOS_PER_MS != due.as_nanos() || due <= now || due_ms - now.as_millis() >= LISTS as u64 {
            return false;
        }
        let list = ring_slot(due_ms, LISTS);
        self.lists[list].push((flow, timer));
        self.filled[list / 64] |= 1 << (list % 64);
        if due_ms < self.next_ms {
            self.next_ms = due_ms;
            events.schedule(due, Event::Tick);
        }
        true
    }

    fn take(&mut self, now: Time) -> Vec<(FlowId, Timer)> {
        let now_ms = now.as_millis();
        if now_ms != self.next_ms {
            return Vec::new(); // its list was looked at before this one, and is empty
        }
        let list = ring_slot(now_ms, LISTS);
        self.filled[list / 64] &= !(1 << (list % 64));
        self.next_ms = u64::MAX;
        std::mem::take(&mut self.lists[list])
    }

    fn give_back(&mut self, mut entries: Vec<(FlowId, Timer)>, events: &mut EventQueue) {
        let now_ms = events.now().as_millis();
        entries.clear();
        let list = &mut self.lists[ring_slot(now_ms, LISTS)];
        if list.capacity() == 0 {
            *list = entries; // its memory serves again in a second
        }
        if let Some(ms) = self.first_after(now_ms)
            && ms < self.next_ms
        {
            self.next_ms = ms;
            events.schedule(Time::from_nanos(ms * NANOS_PER_MS), Event::Tick);
        }
    }

    /// The first millisecond after `now_ms` that has entries.
    fn first_after(&self, now_ms: u64) -> Option<u64> {
        let mut ms = now_ms + 1;
        let end = now_ms + LISTS as u64;
        while ms < end {
            let list = ring_slot(ms, LISTS);
            let word = self.filled[list / 64] >> (list % 64);
            if word != 0 {
                return Some(ms + u64::from(word.trailing_zeros()));
            }
            ms += 64 - list as u64 % 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// Times at which the timer fired.
    fn run(timers: &mut Timers, events: &mut EventQueue) -> Vec<u64> {
        let mut fired = Vec::new();
        while let Some(event) = events.next() {
            let entries = match event {
                Event::Timer(flow, timer) => vec![(flow, timer)],
                _ => timers.begin_tick(events),
            };
            for &(flow, timer) in &entries {
                if timers.fires(flow, timer, events) {
                    fired.push(events.now().as_nanos());
                }
            }
            if event == Event::Tick {
                timers.end_tick(entries, events);
            }
        }
        fired
    }

    #[test]
    fn a_timer_moved_later_keeps_its_entry_and_fires_once_when_due() {
        let (mut timers, mut events) = (Timers::new(1), EventQueue::new(&[]));
        for due in [5, 9, 30] {
            timers.set(FlowId::new(0), Timer::Pacing, at(due), &mut events);
        }
        assert_eq!(run(&mut timers, &mut events), [30]);
    }

    #[test]
    fn a_timer_moved_earlier_fires_then_and_its_old_entry_is_void() {
        let (mut timers, mut events) = (Timers::new(1), EventQueue::new(&[]));
        timers.set(FlowId::new(0), Timer::Pacing, at(9), &mut events);
        timers.set(FlowId::new(0), Timer::Pacing, at(5), &mut events);
        assert_eq!(run(&mut timers, &mut events), [5]);
    }

    #[test]
    fn a_stopped_timer_does_not_fire() {
        let (mut timers, mut events) = (Timers::new(2), EventQueue::new(&[]));
        timers.set(FlowId::new(1), Timer::Write, at(9), &mut events);
        timers.set(FlowId::new(1), Timer::Write, Time::NEVER, &mut events);
        assert_eq!(run(&mut timers, &mut events), [0; 0]);
        timers.set(FlowId::new(1), Timer::Write, at(12), &mut events);
        assert_eq!(run(&mut timers, &mut events), [12]);
    }

    #[test]
    fn coarse_timers_share_a_tick_and_fire_at_their_times_whatever_their_distance() {
        let (mut timers, mut events) = (Timers::new(3_000), EventQueue::new(&[]));
        let mut expected = Vec::new();
        for flow in FlowId::first(3_000) {
            let due = (flow.index() as u64 * 7_919 % 2_500 + 1) * NANOS_PER_MS;
            timers.set(flow, Timer::Retransmission, at(due + NANOS_PER_MS), &mut events);
            timers.set(flow, Timer::Retransmission, at(due), &mut events);
            expected.push(due);
        }
        expected.sort_unstable();
        assert_eq!(run(&mut timers, &mut events), expected);
    }
}
