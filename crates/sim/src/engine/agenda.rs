//! The agenda: every future event in one total order `(time, priority, sequence)`, and the clock that it moves.
//!
//! A 4-ary heap. Two things keep it off the cost per packet: lines of constant delay and timers hold one entry each,
//! however many packets are under way, and the usual pattern "take the first event, schedule its successor" leaves
//! the root vacant and fills it again in place, where it seldom sinks.

use units::Time;

/// Something that happens at an instant. The index is that of the flow, line or list entry concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The path changes.
    Change(u32),
    /// The frame at the bottleneck's head leaves.
    Departure,
    /// The frame at the head of a flow's access line leaves.
    AccessDeparture(u32),
    /// The oldest packet on a forward line arrives.
    Data(u32),
    /// The oldest ACK on a return line arrives.
    Ack(u32),
    /// Timers that fall on this millisecond may be due.
    Tick,
    /// A timer of a flow may be due.
    Timer(u32, Timer),
    /// A flow connects.
    Start(u32),
    /// A flow stops sending.
    Stop(u32),
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
    /// The order of events at the same instant: first what frees room, then what arrives, then what timers and
    /// applications start, last the observers, who see all of it.
    const fn priority(self) -> u64 {
        match self {
            Self::Change(_) => 0,
            Self::Departure | Self::AccessDeparture(_) => 1,
            Self::Data(_) => 2,
            Self::Ack(_) => 3,
            Self::Tick => 4,
            Self::Timer(..) => 5,
            Self::Start(_) | Self::Stop(_) => 6,
            Self::Sample => 7,
            Self::WindowBegin | Self::WindowEnd => 8,
            Self::End => 9,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: Time,
    /// Priority in the top 8 bits, then a sequence number: 2^56 events before it overflows.
    order: u64,
    event: Event,
}

impl Entry {
    const fn before(&self, other: &Self) -> bool {
        let (a, b) = (self.time.as_nanos(), other.time.as_nanos());
        a < b || (a == b && self.order < other.order)
    }
}

const ARITY: usize = 4;

/// The future events of a run.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: Vec<Entry>,
    /// The root was taken and may be overwritten.
    vacant: bool,
    now: Time,
    sequence: u64,
}

impl Agenda {
    /// The present: the time of the event taken last.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Adds an event. Panics when its time has passed: time never moves backward.
    pub fn schedule(&mut self, time: Time, event: Event) {
        assert!(time >= self.now, "{event:?} at {time:?} is before {:?}", self.now);
        self.sequence += 1;
        let entry = Entry { time, order: event.priority() << 56 | self.sequence, event };
        if self.vacant {
            self.vacant = false;
            self.sink(entry);
        } else {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Takes the first event and moves the clock to it.
    pub fn next(&mut self) -> Option<Event> {
        if self.vacant {
            self.vacant = false;
            let last = self.heap.pop()?;
            if !self.heap.is_empty() {
                self.sink(last);
            }
        }
        let first = self.heap.first()?;
        debug_assert!(first.time >= self.now);
        self.now = first.time;
        self.vacant = true;
        Some(first.event)
    }

    /// Puts `entry` where the root was and lets it sink to its place.
    fn sink(&mut self, entry: Entry) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let first_child = hole * ARITY + 1;
            if first_child >= heap.len() {
                break;
            }
            let mut least = first_child;
            for child in first_child + 1..(first_child + ARITY).min(heap.len()) {
                if heap[child].before(&heap[least]) {
                    least = child;
                }
            }
            if !heap[least].before(&entry) {
                break;
            }
            heap[hole] = heap[least];
            hole = least;
        }
        heap[hole] = entry;
    }

    fn rise(&mut self, mut hole: usize) {
        let entry = self.heap[hole];
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
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
        let mut agenda = Agenda::default();
        for event in [Event::End, Event::Ack(1), Event::Data(2), Event::Data(1), Event::Departure, Event::Sample] {
            agenda.schedule(at(5), event);
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.next()).collect();
        let expected =
            [Event::Departure, Event::Data(2), Event::Data(1), Event::Ack(1), Event::Sample, Event::End].to_vec();
        assert_eq!(order, expected);
    }

    #[test]
    #[should_panic(expected = "is before")]
    fn the_past_cannot_be_scheduled() {
        let mut agenda = Agenda::default();
        agenda.schedule(at(5), Event::Sample);
        agenda.next();
        agenda.schedule(at(4), Event::Sample);
    }

    proptest! {
        #[test]
        fn events_come_in_order_whatever_is_taken_and_scheduled_between(steps in prop::collection::vec((0_u64..50, 0_u32..4), 1..300)) {
            let mut agenda = Agenda::default();
            let mut pending: Vec<(u64, u64, u32)> = Vec::new();
            for (sequence, (delay, takes)) in steps.into_iter().enumerate() {
                let time = agenda.now().as_nanos() + delay;
                let index = u32::try_from(sequence).expect("small");
                agenda.schedule(at(time), Event::Data(index));
                pending.push((time, u64::from(index), index));
                for _ in 0..takes {
                    pending.sort_unstable();
                    let expected = (!pending.is_empty()).then(|| Event::Data(pending.remove(0).2));
                    prop_assert_eq!(agenda.next(), expected);
                }
            }
        }
    }
}
