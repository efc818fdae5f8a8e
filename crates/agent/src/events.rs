//! [`Schedule`]: what a run fixes in advance, in one total order.

use run::{Milestone, Run};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that the agent does at an instant. Declared in the order of events at the same instant, which is the
/// simulator's: the path changes, applications act, flows start and stop, and the observers come last, who see all of
/// it. Within a kind, flows act in the run's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The path changes.
    Change(usize),
    /// The application of a flow acts.
    Write(usize),
    /// A flow connects.
    Start(usize),
    /// A flow stops.
    Stop(usize),
    /// The gauges are read.
    Sample,
    /// The summary's window begins.
    WindowBegin,
    /// The summary's window ends.
    WindowEnd,
    /// The run ends.
    End,
}

impl From<Milestone> for Event {
    fn from(milestone: Milestone) -> Self {
        match milestone {
            Milestone::Change(i) => Self::Change(i),
            Milestone::Start(i) => Self::Start(i),
            Milestone::Stop(i) => Self::Stop(i),
            Milestone::Sample => Self::Sample,
            Milestone::WindowBegin => Self::WindowBegin,
            Milestone::WindowEnd => Self::WindowEnd,
            Milestone::End => Self::End,
        }
    }
}

/// Future events.
#[derive(Debug)]
pub struct Schedule {
    due: BinaryHeap<Reverse<(u64, Event)>>,
    sample_ns: u64,
}

impl Schedule {
    /// What the run fixes in advance.
    pub fn new(run: &Run) -> Self {
        let mut schedule = Self { due: BinaryHeap::new(), sample_ns: run.measure.sample_ns.max(1) };
        for (at_ns, milestone) in run::milestones(run) {
            schedule.add(at_ns, milestone.into());
        }
        schedule
    }

    /// Adds an event.
    pub fn add(&mut self, at_ns: u64, event: Event) {
        self.due.push(Reverse((at_ns, event)));
    }

    /// Adds the sample after one that was due at `due_ns` and taken at `now_ns`: one sample interval later, or, when
    /// real time has passed that already, the first one still to come.
    pub fn add_next_sample(&mut self, due_ns: u64, now_ns: u64) {
        let missed = now_ns.saturating_sub(due_ns) / self.sample_ns;
        self.add(due_ns + (missed + 1) * self.sample_ns, Event::Sample);
    }

    /// When the next event is due. There always is one until the run's end was taken: nothing can wait for ever.
    pub fn next_ns(&self) -> Option<u64> {
        self.due.peek().map(|Reverse((at_ns, _))| *at_ns)
    }

    /// The next event, when it is due by `now_ns`, and when it was due.
    pub fn take_due(&mut self, now_ns: u64) -> Option<(u64, Event)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        self.due.pop().map(|Reverse(event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn drain(schedule: &mut Schedule) -> Vec<(u64, Event)> {
        std::iter::from_fn(|| schedule.take_due(u64::MAX)).collect()
    }

    #[test]
    fn observers_see_all_that_happens_at_their_instant() {
        let mut run = samples::run(2);
        run.flows[0].stop_ns = Some(10);
        run.flows[1].start_ns = 10;
        run.path.changes = vec![run::Change { at_ns: 10, rate_bps: 1 }];
        run.measure = run::Measure { window_begin_ns: 10, window_end_ns: 10, sample_ns: 10, ..run.measure };
        run.duration_ns = 10;
        let mut schedule = Schedule::new(&run);
        schedule.add(10, Event::Write(0));
        let order = [
            Event::Change(0),
            Event::Write(0),
            Event::Start(1),
            Event::Stop(0),
            Event::Sample,
            Event::WindowBegin,
            Event::WindowEnd,
            Event::End,
        ];
        assert_eq!(schedule.take_due(0), Some((0, Event::Start(0))));
        assert_eq!(schedule.take_due(9), None);
        assert_eq!(drain(&mut schedule), order.map(|event| (10, event)));
    }

    #[test]
    fn samples_that_were_missed_are_left_out() {
        let mut schedule = Schedule { due: BinaryHeap::new(), sample_ns: 50 };
        schedule.add_next_sample(100, 100);
        schedule.add_next_sample(100, 149);
        schedule.add_next_sample(100, 260);
        let at_ns: Vec<u64> = drain(&mut schedule).iter().map(|(at_ns, _)| *at_ns).collect();
        assert_eq!(at_ns, [150, 150, 300]);
    }
}
