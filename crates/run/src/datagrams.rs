//! [`Datagrams`]: when a flow of UDP datagrams sends, and how much. The same on every engine.

use crate::stream::{Stream, stream};
use crate::{Flow, Spacing, Workload, Write};

const BITS_PER_BYTE: u64 = 8;
const NANOS_PER_SEC: u64 = 1_000_000_000;
/// Later than any run.
const NEVER_NS: u64 = 1 << 62;

/// One datagram that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// After the flow's start.
    pub at_ns: u64,
    /// Payload, to which come [`crate::UDP_HEADERS_BYTES`].
    pub bytes: u32,
}

/// The datagrams of one flow, in order of time; but for those of a trace they never end.
#[derive(Debug)]
pub struct Datagrams(Kind);

#[derive(Debug)]
enum Kind {
    /// So far apart.
    Every { every_ns: u64, bytes: u32, count: u64 },
    /// At a rate, while it is on.
    Rated { gaps: Gaps, bytes: u32, on_ns: u64, off_ns: u64 },
    /// As listed.
    Listed { datagrams: Vec<Write>, next: usize },
}

/// The time from one datagram to the next, without pauses.
#[derive(Debug)]
enum Gaps {
    /// All alike: each is due when the rate has earned those before it, so that no fraction of a nanosecond adds up.
    Even { rate_bps: u64, bits: u64, count: u64 },
    /// By chance, exponential with this mean.
    Exponential { stream: Stream, mean_ns: f64, at_ns: u64 },
}

impl Datagrams {
    /// Those of a flow of the run with this seed; none: it is no datagrams, or they follow from what the
    /// path does.
    pub fn of(seed: u64, flow: &Flow) -> Option<Self> {
        Some(Self(match &flow.workload {
            &Workload::Ping { every_ns, bytes } => Kind::Every { every_ns, bytes: bytes as u32, count: 0 },
            &Workload::Datagrams { rate_bps, bytes, spacing, on_ns, off_ns } => {
                let bits = bytes * BITS_PER_BYTE;
                let gaps = match spacing {
                    Spacing::Even => Gaps::Even { rate_bps, bits, count: 0 },
                    Spacing::Poisson => Gaps::Exponential {
                        stream: stream(seed, &format!("datagrams/{}", flow.name)),
                        mean_ns: bits as f64 * NANOS_PER_SEC as f64 / rate_bps as f64,
                        at_ns: 0,
                    },
                };
                Kind::Rated { gaps, bytes: bytes as u32, on_ns, off_ns }
            }
            Workload::DatagramTrace { datagrams } => Kind::Listed { datagrams: datagrams.clone(), next: 0 },
            Workload::Bulk
            | Workload::Transfer { .. }
            | Workload::Stream { .. }
            | Workload::Trace { .. }
            | Workload::Arrivals { .. }
            | Workload::Pages { .. }
            | Workload::Command { .. }
            | Workload::Media { .. } => return None,
        }))
    }
}

impl Gaps {
    /// When the next one is due.
    fn next_ns(&mut self) -> u64 {
        match self {
            Self::Even { rate_bps, bits, count } => {
                let earned = u128::from(*count) * u128::from(*bits) * u128::from(NANOS_PER_SEC);
                *count += 1;
                earned.div_ceil(u128::from(*rate_bps)) as u64
            }
            // The first one, too, comes by chance: a process without a beginning.
            Self::Exponential { stream, mean_ns, at_ns } => {
                *at_ns += stream.exponential(*mean_ns);
                *at_ns
            }
        }
    }
}

impl Iterator for Datagrams {
    type Item = Datagram;

    fn next(&mut self) -> Option<Datagram> {
        match &mut self.0 {
            Kind::Every { every_ns, bytes, count } => {
                let at_ns = *every_ns * *count;
                *count += 1;
                Some(Datagram { at_ns, bytes: *bytes })
            }
            Kind::Rated { gaps, bytes, on_ns, off_ns } => {
                let sending_ns = gaps.next_ns();
                let paused_ns = sending_ns.checked_div(*on_ns).map_or(0, |pauses| pauses.saturating_mul(*off_ns));
                let at_ns = sending_ns.saturating_add(paused_ns);
                (at_ns < NEVER_NS).then_some(Datagram { at_ns, bytes: *bytes })
            }
            Kind::Listed { datagrams, next } => {
                let &Write { at_ns, bytes } = datagrams.get(*next)?;
                *next += 1;
                Some(Datagram { at_ns, bytes: bytes as u32 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::datagrams;

    fn of(seed: u64, spacing: Spacing, [on_ns, off_ns]: [u64; 2]) -> Datagrams {
        let workload = Workload::Datagrams { rate_bps: 9_600_000, bytes: 1_200, spacing, on_ns, off_ns };
        Datagrams::of(seed, &Flow { workload, ..datagrams("udp", 1, 0) }).unwrap()
    }

    fn times(datagrams: Datagrams, count: usize) -> Vec<u64> {
        datagrams.take(count).map(|each| each.at_ns).collect()
    }

    #[test]
    fn an_even_rate_is_exact_and_pauses_between() {
        assert_eq!(times(of(1, Spacing::Even, [0, 0]), 3), [0, 1_000_000, 2_000_000]);
        let paused = [2_000_000, 5_000_000];
        assert_eq!(times(of(1, Spacing::Even, paused), 5), [0, 1_000_000, 7_000_000, 8_000_000, 14_000_000]);
        let mut odd = of(1, Spacing::Even, [0, 0]);
        odd.0 = Kind::Rated { gaps: Gaps::Even { rate_bps: 7, bits: 8, count: 0 }, bytes: 1, on_ns: 0, off_ns: 0 };
        // The second comes behind more pauses than any run has time for.
        let mut slow = of(1, Spacing::Even, [0, 0]);
        let gaps = Gaps::Even { rate_bps: 1, bits: 64, count: 0 };
        slow.0 = Kind::Rated { gaps, bytes: 8, on_ns: 1_000, off_ns: 1 << 45 };
        assert_eq!(times(slow, 8), [0]);
        // Seven of eight bits take eight seconds, to the nanosecond.
        assert_eq!(times(odd, 8)[7], 8 * NANOS_PER_SEC);
    }

    #[test]
    fn chance_follows_from_the_seed_and_has_the_rate() {
        let drawn = times(of(1, Spacing::Poisson, [0, 0]), 100_000);
        assert_eq!(drawn, times(of(1, Spacing::Poisson, [0, 0]), 100_000));
        assert_ne!(drawn[..10], times(of(2, Spacing::Poisson, [0, 0]), 10));
        assert!(drawn.is_sorted());
        // The mean gap is 1 ms; its standard error 1 ms / sqrt(100 000).
        let mean_ns = drawn[99_999] as f64 / 1e5;
        assert!((mean_ns / 1e6 - 1.0).abs() < 5.0 / 1e5_f64.sqrt(), "{mean_ns}");
        let paused = times(of(1, Spacing::Poisson, [3_000_000, 9_000_000]), 100_000);
        assert!(paused.iter().all(|at_ns| at_ns % 12_000_000 < 3_000_000));
        assert_eq!(paused[99_999], drawn[99_999] + drawn[99_999] / 3_000_000 * 9_000_000);
    }
}
