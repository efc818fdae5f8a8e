//! The timers of all flows, and their entries in the agenda.
//!
//! Most timers are moved into the future by every ACK and never fire. Moving one only notes when it is due; the
//! entry that is already in the agenda finds out when its time comes, and goes back for the rest. The notes lie
//! together, apart from the flows: an entry that comes too early costs no look at a flow whose state has left the
//! caches.

use super::agenda::{Agenda, Event, Timer};
use super::prefetch::prefetch;
use units::Time;

/// Number of timers of a flow.
const TIMERS: usize = 5;
/// Those that every packet may set come first, and fill one line of the cache.
const BUSY: usize = 4;

/// When a timer is due, and when its entry in the agenda will look at it.
#[derive(Clone, Copy, Debug)]
struct Note {
    due: Time,
    entry: Time,
}

const UNSET: Note = Note { due: Time::NEVER, entry: Time::NEVER };

#[derive(Clone, Debug)]
#[repr(align(64))]
struct BusyNotes([Note; BUSY]);

/// The notes of all timers.
#[derive(Debug)]
pub struct Timers {
    busy: Vec<BusyNotes>,
    idle: Vec<[Note; TIMERS - BUSY]>,
}

impl Timers {
    /// No timer is set.
    pub fn new(flows: usize) -> Self {
        Self { busy: vec![BusyNotes([UNSET; BUSY]); flows], idle: vec![[UNSET; TIMERS - BUSY]; flows] }
    }

    /// Asks for a flow's notes ahead of time.
    #[inline]
    pub fn prefetch(&self, flow: u32) {
        prefetch(&self.busy[flow as usize]);
    }

    #[inline]
    fn note(&mut self, flow: u32, timer: Timer) -> &mut Note {
        match timer as usize {
            index @ 0..BUSY => &mut self.busy[flow as usize].0[index],
            index => &mut self.idle[flow as usize][index - BUSY],
        }
    }

    /// Notes that a timer is due at `due`, or with [`Time::NEVER`] that it is stopped.
    #[inline]
    pub fn set(&mut self, flow: u32, timer: Timer, due: Time, agenda: &mut Agenda) {
        let note = self.note(flow, timer);
        note.due = due;
        if due < note.entry {
            note.entry = due;
            agenda.schedule(due, Event::Timer(flow, timer));
        }
    }

    /// An entry's time has come: true when the timer is due.
    #[inline]
    pub fn fires(&mut self, flow: u32, timer: Timer, agenda: &mut Agenda) -> bool {
        let now = agenda.now();
        let note = self.note(flow, timer);
        if note.entry != now {
            return false; // an entry of before the timer was moved forward
        }
        note.entry = Time::NEVER;
        if note.due <= now {
            note.due = Time::NEVER;
            return true;
        }
        if note.due != Time::NEVER {
            note.entry = note.due;
            agenda.schedule(note.due, Event::Timer(flow, timer));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// Times at which the timer fired.
    fn run(timers: &mut Timers, agenda: &mut Agenda) -> Vec<u64> {
        let mut fired = Vec::new();
        while let Some(Event::Timer(flow, timer)) = agenda.next() {
            if timers.fires(flow, timer, agenda) {
                fired.push(agenda.now().as_nanos());
            }
        }
        fired
    }

    #[test]
    fn a_timer_moved_later_keeps_its_entry_and_fires_once_when_due() {
        let (mut timers, mut agenda) = (Timers::new(1), Agenda::default());
        for due in [5, 9, 30] {
            timers.set(0, Timer::Pacing, at(due), &mut agenda);
        }
        assert_eq!(run(&mut timers, &mut agenda), [30]);
    }

    #[test]
    fn a_timer_moved_earlier_fires_then_and_its_old_entry_is_void() {
        let (mut timers, mut agenda) = (Timers::new(1), Agenda::default());
        timers.set(0, Timer::Pacing, at(9), &mut agenda);
        timers.set(0, Timer::Pacing, at(5), &mut agenda);
        assert_eq!(run(&mut timers, &mut agenda), [5]);
    }

    #[test]
    fn a_stopped_timer_does_not_fire() {
        let (mut timers, mut agenda) = (Timers::new(2), Agenda::default());
        timers.set(1, Timer::Write, at(9), &mut agenda);
        timers.set(1, Timer::Write, Time::NEVER, &mut agenda);
        assert_eq!(run(&mut timers, &mut agenda), [0; 0]);
        timers.set(1, Timer::Write, at(12), &mut agenda);
        assert_eq!(run(&mut timers, &mut agenda), [12]);
    }
}
