//! [`Schedule`]: a run's milestones to come, in one total order.

use run::{Milestone, Run};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Future milestones.
#[derive(Debug)]
pub struct Schedule {
    due: BinaryHeap<Reverse<(u64, Milestone)>>,
    sample_ns: u64,
}

impl Schedule {
    /// What the run fixes in advance.
    pub fn new(run: &Run) -> Self {
        let mut schedule = Self { due: BinaryHeap::new(), sample_ns: run.measure.sample_ns.max(1) };
        for (at_ns, milestone) in run::milestones(run) {
            schedule.add(at_ns, milestone);
        }
        schedule
    }

    /// Adds a milestone.
    pub fn add(&mut self, at_ns: u64, milestone: Milestone) {
        self.due.push(Reverse((at_ns, milestone)));
    }

    /// Adds the sample after one that was due at `due_ns` and taken at `now_ns`: one sample interval later, or, when
    /// real time has passed that already, the first one still to come.
    pub fn add_next_sample(&mut self, due_ns: u64, now_ns: u64) {
        let missed = now_ns.saturating_sub(due_ns) / self.sample_ns;
        self.add(due_ns + (missed + 1) * self.sample_ns, Milestone::Sample);
    }

    /// When the next one is due. There always is one until the run's end was taken: nothing can wait for ever.
    pub fn next_ns(&self) -> Option<u64> {
        self.due.peek().map(|Reverse((at_ns, _))| *at_ns)
    }

    /// The next one, when it is due by `now_ns`, and when it was due.
    pub fn take_due(&mut self, now_ns: u64) -> Option<(u64, Milestone)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        self.due.pop().map(|Reverse(milestone)| milestone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn drain(schedule: &mut Schedule) -> Vec<(u64, Milestone)> {
        std::iter::from_fn(|| schedule.take_due(u64::MAX)).collect()
    }

    #[test]
    fn observers_see_all_that_happens_at_their_instant() {
        let mut run = samples::run(2);
        run.flows[0].stop_ns = Some(10);
        run.flows[1].start_ns = 10;
        run.path.changes = vec![run::Change::of_rate(10, 1)];
        run.measure = run::Measure { window_begin_ns: 10, window_end_ns: 10, sample_ns: 10, ..run.measure };
        run.duration_ns = 10;
        let mut schedule = Schedule::new(&run);
        schedule.add(10, Milestone::Write(0));
        let order = [
            Milestone::Change,
            Milestone::Write(0),
            Milestone::Start(1),
            Milestone::Stop(0),
            Milestone::Sample,
            Milestone::WindowBegin,
            Milestone::WindowEnd,
            Milestone::End,
        ];
        assert_eq!(schedule.take_due(0), Some((0, Milestone::Start(0))));
        assert_eq!(schedule.take_due(9), None);
        assert_eq!(drain(&mut schedule), order.map(|milestone| (10, milestone)));
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
