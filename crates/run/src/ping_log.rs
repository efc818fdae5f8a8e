//! [`PingLog`]: what a flow of pings has sent and what came back. The same on every engine.

use crate::{Histogram, Measure, Pings};

/// The pings of one flow, by their numbers.
#[derive(Debug, Default)]
pub struct PingLog {
    window_begin_ns: u64,
    window_end_ns: u64,
    pings: Vec<Ping>,
    answered: u64,
    /// One more than the largest number that was answered.
    resolved: usize,
    last_rtt_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Ping {
    sent_ns: u64,
    rtt_ns: Option<u64>,
}

impl PingLog {
    /// Nothing is sent yet.
    pub fn new(measure: &Measure) -> Self {
        let &Measure { window_begin_ns, window_end_ns, .. } = measure;
        Self { window_begin_ns, window_end_ns, ..Self::default() }
    }

    /// One is sent. Gives its number.
    pub fn send(&mut self, at_ns: u64) -> u32 {
        self.pings.push(Ping { sent_ns: at_ns, rtt_ns: None });
        (self.pings.len() - 1) as u32
    }

    /// The answer to one has come. Gives its round-trip time, the first time.
    pub fn answer(&mut self, number: u32, at_ns: u64) -> Option<u64> {
        let number = number as usize;
        let ping = self.pings.get_mut(number).filter(|ping| ping.rtt_ns.is_none())?;
        let rtt_ns = at_ns.saturating_sub(ping.sent_ns);
        ping.rtt_ns = Some(rtt_ns);
        self.answered += 1;
        self.resolved = self.resolved.max(number + 1);
        self.last_rtt_ns = rtt_ns;
        Some(rtt_ns)
    }

    /// How many were sent, and how many of them answered.
    pub fn counts(&self) -> (u64, u64) {
        (self.pings.len() as u64, self.answered)
    }

    /// Round-trip time of the one whose answer came last; 0: none has.
    pub const fn last_rtt_ns(&self) -> u64 {
        self.last_rtt_ns
    }

    /// Those that were sent in the window: how many, up to the last one that was answered, and the round-trip times.
    pub fn in_window(&self) -> (Pings, Histogram) {
        let (mut pings, mut rtts) = (Pings::default(), Histogram::default());
        let window = self.window_begin_ns..self.window_end_ns;
        for ping in self.pings[..self.resolved].iter().filter(|ping| window.contains(&ping.sent_ns)) {
            pings.sent += 1;
            match ping.rtt_ns {
                Some(rtt_ns) => rtts.record(rtt_ns),
                None => pings.lost += 1,
            }
        }
        (pings, rtts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> PingLog {
        PingLog { window_begin_ns: 100, window_end_ns: 200, ..PingLog::default() }
    }

    #[test]
    fn the_window_has_what_is_sent_in_it() {
        let mut log = log();
        for (at_ns, rtt_ns) in [(90, 50), (100, 20), (199, 30), (200, 40)] {
            let number = log.send(at_ns);
            assert_eq!(log.answer(number, at_ns + rtt_ns), Some(rtt_ns));
        }
        let (pings, rtts) = log.in_window();
        assert_eq!((pings, rtts.count, rtts.sum), (Pings { sent: 2, lost: 0 }, 2, 50));
        assert_eq!((log.counts(), log.last_rtt_ns()), ((4, 4), 40));
    }

    #[test]
    fn one_is_lost_when_a_later_one_is_answered_and_under_way_until_then() {
        let mut log = log();
        let numbers = [100, 110, 120, 130].map(|at_ns| log.send(at_ns));
        assert_eq!(log.in_window().0, Pings { sent: 0, lost: 0 });
        assert_eq!(log.answer(numbers[2], 150), Some(30));
        assert_eq!(log.in_window().0, Pings { sent: 3, lost: 2 });
        assert_eq!(log.answer(numbers[2], 160), None, "a second answer");
        assert_eq!(log.answer(7, 160), None, "to none of ours");
        assert_eq!(log.answer(numbers[0], 170), Some(70));
        assert_eq!(log.in_window().0, Pings { sent: 3, lost: 1 });
    }
}
