//! [`Ledger`]: the transmissions of a connection's segments, each with a number of its own.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

/// What was sent and is not acknowledged.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The next number.
    next: u64,
    /// From the first byte that is not acknowledged on, in order.
    segments: VecDeque<Segment>,
    /// Of segments that have arrived and that the sender does not know of: first byte, and the transmission that did.
    arrived: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Segment {
    start: u64,
    end: u64,
    first: Transmission,
    again: Vec<Transmission>,
    has_arrived: bool,
}

/// One time that a segment was sent. Its timestamp tells it from the others where it arrives.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    number: u64,
    stamp_ms: u32,
}

impl Segment {
    fn last(&self) -> u64 {
        self.again.last().unwrap_or(&self.first).number
    }
}

impl Ledger {
    /// A segment is sent: gives its number, and those of transmissions that it makes up for. What a host dropped may be cut in
    /// another way when it is sent anew.
    pub fn sent(&mut self, start: u64, bytes: u32, stamp_ms: u32) -> (u64, Vec<u64>) {
        let transmission = Transmission { number: self.next, stamp_ms };
        self.next += 1;
        let end = start + u64::from(bytes);
        let place = self.segments.partition_point(|segment| segment.start < start);
        if let Some(segment) =
            self.segments.get_mut(place).filter(|segment| (segment.start, segment.end) == (start, end))
        {
            let lost = segment.last();
            segment.again.push(transmission);
            return (transmission.number, vec![lost]);
        }
        let lost = self.segments.drain(place..).map(|segment| segment.last()).collect();
        self.segments.push_back(Segment { start, end, first: transmission, again: Vec::new(), has_arrived: false });
        (transmission.number, lost)
    }

    /// A segment arrives; only the first time counts.
    pub fn arrived(&mut self, start: u64, stamp_ms: u32) {
        let place = self.segments.partition_point(|segment| segment.start < start);
        let segment = self.segments.get_mut(place).filter(|segment| segment.start == start && !segment.has_arrived);
        if let Some(segment) = segment {
            segment.has_arrived = true;
            let mut sent = [segment.first].into_iter().chain(segment.again.iter().copied());
            let number = sent.find(|each| each.stamp_ms == stamp_ms).map_or(segment.last(), |each| each.number);
            self.arrived.insert(start, number);
        }
    }

    /// An ACK comes, with these SACK blocks: gives the transmissions that it is the first to tell of.
    pub fn acknowledged(&mut self, ack: u64, blocks: &[[u64; 2]]) -> Vec<RangeInclusive<u64>> {
        let below = self.segments.partition_point(|segment| segment.end <= ack);
        self.segments.drain(..below);
        let mut numbers = Vec::new();
        for &[start, end] in [[0, ack]].iter().chain(blocks) {
            numbers.extend(self.arrived.extract_if(start..end, |_, _| true).map(|(_, number)| number));
        }
        numbers.sort_unstable();
        ranges(&numbers)
    }
}

fn ranges(numbers: &[u64]) -> Vec<RangeInclusive<u64>> {
    numbers.chunk_by(|before, number| before + 1 == *number).map(|run| run[0]..=run[run.len() - 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_tells_of_the_transmission_that_arrived() {
        let mut ledger = Ledger::default();
        for start in [1, 101, 201, 301] {
            assert!(ledger.sent(start, 100, 5).1.is_empty());
        }
        ledger.arrived(1, 5);
        ledger.arrived(201, 5);
        assert_eq!(ledger.acknowledged(101, &[[201, 301]]), [0..=0, 2..=2]);
        assert_eq!(ledger.sent(101, 100, 9), (4, vec![1]));
        assert_eq!(ledger.sent(301, 100, 9), (5, vec![3]));
        assert_eq!(ledger.sent(301, 100, 12), (6, vec![5]), "once more");
        ledger.arrived(101, 9);
        ledger.arrived(301, 5);
        ledger.arrived(301, 12);
        assert_eq!(ledger.acknowledged(401, &[[301, 401]]), [3..=4], "the second one was lost, the fourth late");
        assert_eq!(ledger.acknowledged(401, &[[301, 401]]), [], "nothing is news twice");
    }

    #[test]
    fn what_a_host_dropped_may_be_cut_anew() {
        let mut ledger = Ledger::default();
        ledger.sent(1, 100, 5);
        ledger.sent(101, 100, 5);
        ledger.sent(201, 40, 5);
        assert_eq!(ledger.sent(101, 80, 6), (3, vec![1, 2]));
        ledger.arrived(1, 5);
        ledger.arrived(101, 6);
        assert_eq!(ledger.acknowledged(181, &[]), [0..=0, 3..=3]);
    }
}
