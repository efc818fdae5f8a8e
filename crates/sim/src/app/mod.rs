//! What applications write, and when.

use run::{Workload, Write};
use units::{Rate, Span, Time};

/// One flow's application.
#[derive(Debug)]
pub struct Source {
    writes: Writes,
    /// Bytes that make it complete; none: it never is.
    total_bytes: Option<u64>,
}

#[derive(Debug)]
enum Writes {
    /// One write at the start.
    Once(u64),
    /// Equal pieces of a stream; the last one ends with it.
    Stream { rate: Rate, every: Span, length: Span, begun: Option<Time>, written: u64 },
    /// A list.
    Trace { writes: Vec<Write>, begun: Option<Time>, next: usize },
}

/// What an application does at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// Bytes to write now.
    pub bytes: u64,
    /// When to act again; none: it has written everything.
    pub again: Option<Time>,
}

/// More than any run can send.
const ENDLESS_BYTES: u64 = 1 << 62;

impl Source {
    /// The application of a workload.
    pub fn new(workload: &Workload) -> Self {
        let (writes, total_bytes) = match workload {
            Workload::Bulk => (Writes::Once(ENDLESS_BYTES), None),
            Workload::Transfer { bytes } => (Writes::Once(*bytes), Some(*bytes)),
            Workload::Stream { rate_bps, for_ns, every_ns } => {
                let (rate, length) = (Rate::from_bps(*rate_bps), Span::from_nanos(*for_ns));
                let every = Span::from_nanos(*every_ns);
                (Writes::Stream { rate, every, length, begun: None, written: 0 }, Some(rate.bytes_in(length).get()))
            }
            Workload::Trace { writes } => (
                Writes::Trace { writes: writes.clone(), begun: None, next: 0 },
                Some(writes.iter().map(|write| write.bytes).sum()),
            ),
        };
        Self { writes, total_bytes }
    }

    /// Bytes that make it complete.
    pub const fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// The connection is established, or a moment that was asked for has come.
    pub fn act(&mut self, now: Time) -> Act {
        match &mut self.writes {
            Writes::Once(bytes) => Act { bytes: std::mem::take(bytes), again: None },
            Writes::Stream { rate, every, length, begun, written } => {
                let begun = *begun.get_or_insert(now);
                // By what should be written until the next write, so that no fraction of a byte is lost.
                let until = (now.since(begun) + *every).min(*length);
                let bytes = rate.bytes_in(until).get() - *written;
                *written += bytes;
                Act { bytes, again: (until < *length).then(|| now + *every) }
            }
            Writes::Trace { writes, begun, next } => {
                let begun = *begun.get_or_insert(now);
                let mut bytes = 0;
                while let Some(write) = writes.get(*next)
                    && begun + Span::from_nanos(write.at_ns) <= now
                {
                    bytes += write.bytes;
                    *next += 1;
                }
                let again = writes.get(*next).map(|write| begun + Span::from_nanos(write.at_ns));
                Act { bytes, again }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(source: &mut Source, mut now: Time) -> Vec<(u64, u64)> {
        let mut acts = Vec::new();
        loop {
            let act = source.act(now);
            acts.push((now.as_millis(), act.bytes));
            match act.again {
                Some(again) => now = again,
                None => return acts,
            }
        }
    }

    #[test]
    fn a_stream_writes_its_rate_to_the_byte() {
        let workload = Workload::Stream { rate_bps: 2_916_800, for_ns: 1_010_000_000, every_ns: 40_000_000 };
        let mut source = Source::new(&workload);
        let acts = acts(&mut source, Time::from_nanos(5_000_000));
        assert_eq!((acts.len(), acts[0], acts[1]), (26, (5, 14_584), (45, 14_584)));
        assert_eq!(acts.iter().map(|act| act.1).sum::<u64>(), 368_246);
        assert_eq!(source.total_bytes(), Some(368_246));
    }

    #[test]
    fn a_trace_writes_what_is_due() {
        let writes = [(0, 10), (0, 5), (3_000_000, 7)].map(|(at_ns, bytes)| Write { at_ns, bytes }).to_vec();
        let mut source = Source::new(&Workload::Trace { writes });
        assert_eq!(acts(&mut source, Time::from_nanos(1_000_000)), [(1, 15), (4, 7)]);
        assert_eq!(source.total_bytes(), Some(22));
    }
}
