//! [`Source`]: what a connection's application writes, and when. The same on every engine.

use crate::{Workload, Write};
use units::{Rate, Span};

/// One flow's application. It counts time from when its connection was established.
#[derive(Debug)]
pub struct Source {
    writes: Writes,
    /// Bytes that make it complete; none: it never is, or they are not known.
    total_bytes: Option<u64>,
}

#[derive(Debug)]
enum Writes {
    /// One write at the start.
    Once(u64),
    /// Equal pieces of a stream; the last one ends with it.
    Stream { rate: Rate, every: Span, length: Span, written: u64 },
    /// A list.
    Trace { writes: Vec<Write>, next: usize },
}

/// What an application does at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// Bytes to write now.
    pub bytes: u64,
    /// When to act again; none: it has written everything.
    pub again: Option<Span>,
}

/// More than any run can send.
const ENDLESS_BYTES: u64 = 1 << 62;

/// All of them together, where they are more than any run can send as much as that.
fn sum_bytes(each: impl Iterator<Item = u64>) -> u64 {
    each.fold(0, u64::saturating_add).min(ENDLESS_BYTES)
}

impl Source {
    /// The application of a workload.
    pub fn new(workload: &Workload) -> Self {
        let (writes, total_bytes) = match workload {
            Workload::Bulk => (Writes::Once(ENDLESS_BYTES), None),
            Workload::Transfer { bytes } => (Writes::Once(*bytes), Some(*bytes)),
            &Workload::Stream { rate_bps, for_ns, every_ns } => {
                let (rate, length) = (Rate::from_bps(rate_bps), Span::from_nanos(for_ns));
                let every = Span::from_nanos(every_ns);
                (Writes::Stream { rate, every, length, written: 0 }, Some(rate.bytes_in(length).get()))
            }
            Workload::Trace { writes } => {
                let total_bytes = sum_bytes(writes.iter().map(|write| write.bytes));
                (Writes::Trace { writes: writes.clone(), next: 0 }, Some(total_bytes))
            }
            // Each arrival is a transfer of its own; the source writes nothing, and is complete when they are.
            Workload::Arrivals { arrivals } => {
                let total_bytes = sum_bytes(arrivals.iter().map(|arrival| arrival.bytes));
                (Writes::Once(0), Some(total_bytes).filter(|_| !arrivals.is_empty()))
            }
            // What a program writes is not known, nor how much a client requests. Datagrams are no connection's: see
            // `Datagrams`.
            Workload::Command { .. }
            | Workload::Pages { .. }
            | Workload::Ping { .. }
            | Workload::Datagrams { .. }
            | Workload::DatagramTrace { .. }
            | Workload::Media { .. } => (Writes::Once(0), None),
        };
        Self { writes, total_bytes }
    }

    /// Bytes that make it complete.
    pub const fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// The connection is established, or an instant that was asked for has come.
    pub fn act(&mut self, since_established: Span) -> Act {
        match &mut self.writes {
            Writes::Once(bytes) => Act { bytes: std::mem::take(bytes), again: None },
            Writes::Stream { rate, every, length, written } => {
                // By what should be written until the next write, so that no fraction of a byte is lost.
                let until = (since_established + *every).min(*length);
                let bytes = rate.bytes_in(until).get() - *written;
                *written += bytes;
                Act { bytes, again: (until < *length).then_some(until) }
            }
            Writes::Trace { writes, next } => {
                let mut bytes = 0;
                while let Some(write) = writes.get(*next)
                    && write.at_ns <= since_established.as_nanos()
                {
                    bytes = sum_bytes([bytes, write.bytes].into_iter());
                    *next += 1;
                }
                Act { bytes, again: writes.get(*next).map(|write| Span::from_nanos(write.at_ns)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrival;

    /// When it acts, ms, and what it writes then.
    fn acts(source: &mut Source) -> Vec<(u64, u64)> {
        let (mut acts, mut next) = (Vec::new(), Some(Span::ZERO));
        while let Some(now) = next {
            let act = source.act(now);
            acts.push((now.as_millis(), act.bytes));
            next = act.again;
        }
        acts
    }

    #[test]
    fn a_stream_writes_its_rate_to_the_byte() {
        let workload = Workload::Stream { rate_bps: 2_916_800, for_ns: 1_010_000_000, every_ns: 40_000_000 };
        let mut source = Source::new(&workload);
        let acts = acts(&mut source);
        assert_eq!((acts.len(), acts[0], acts[1]), (26, (0, 14_584), (40, 14_584)));
        assert_eq!(acts.iter().map(|act| act.1).sum::<u64>(), 368_246);
        assert_eq!(source.total_bytes(), Some(368_246));
    }

    #[test]
    fn more_than_any_run_can_send_does_not_wrap() {
        let arrivals = vec![Arrival { at_ns: 0, bytes: u64::MAX / 3 }; 4];
        assert_eq!(Source::new(&Workload::Arrivals { arrivals }).total_bytes(), Some(ENDLESS_BYTES));
        let writes = vec![Write { at_ns: 0, bytes: u64::MAX / 3 }; 4];
        let mut source = Source::new(&Workload::Trace { writes });
        assert_eq!(source.total_bytes(), Some(ENDLESS_BYTES));
        assert_eq!(acts(&mut source), [(0, ENDLESS_BYTES)]);
    }

    #[test]
    fn a_trace_writes_what_is_due() {
        let writes = [(0, 10), (0, 5), (3_000_000, 7)].map(|(at_ns, bytes)| Write { at_ns, bytes }).to_vec();
        let mut source = Source::new(&Workload::Trace { writes });
        assert_eq!(acts(&mut source), [(0, 15), (3, 7)]);
        assert_eq!(source.total_bytes(), Some(22));
    }
}
