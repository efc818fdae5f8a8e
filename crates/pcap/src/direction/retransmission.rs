//! Why a sender sends again, and whether it need not have.

use super::outstanding::Sent;
use crate::sink::{Class, Proof};
use crate::summary::Retransmissions;
use std::collections::VecDeque;

/// What began a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fast,
    Timeout,
}

/// A range that was sent again lately.
#[derive(Clone, Copy)]
struct Again {
    start: u64,
    end: u64,
    frame: u64,
}

/// Those that a D-SACK may still name: it comes a round trip later.
const MOST_AGAIN: usize = 512;

/// The state of one sender, its own view estimated.
#[derive(Default)]
pub struct Recovery {
    pub counts: Retransmissions,
    kind: Option<Kind>,
    /// Where the recovery ends: what had been sent when it began (RFC 6582).
    point: u64,
    /// Duplicate ACKs since the last advance.
    pub duplicates: u32,
    /// When the last acknowledgement of new data came.
    pub progress_ns: Option<i64>,
    again: VecDeque<Again>,
}

/// What a retransmission is judged by.
pub struct Retransmitted<'a> {
    pub start: u64,
    pub end: u64,
    pub now_ns: i64,
    /// Behind the last number sent.
    pub most: u64,
    /// Behind the last number acknowledged.
    pub acked: u64,
    /// Behind the last number that the receiver reported by SACK.
    pub highest_sacked: u64,
    /// When the latest transmission was sent that the receiver acknowledged or reported.
    pub delivered_sent_ns: Option<i64>,
    /// The segment as it was last sent, where the capture saw that; else the time of the hole that it fills.
    pub before: Option<&'a Sent>,
    pub hole_ns: Option<i64>,
    pub timeout_ns: i64,
    pub smoothed_ns: Option<i64>,
    /// Whether both ends allow selective acknowledgements, which tail loss probes need (RFC 8985 section 3).
    pub sack: bool,
    pub syn: bool,
}

impl Recovery {
    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.again.capacity() * size_of::<Again>()
    }

    /// Whether the sender recovers from a loss.
    #[inline]
    pub fn is_on(&self, acked: u64) -> bool {
        self.kind.is_some() && acked < self.point
    }

    /// Classes a retransmission, and counts it.
    pub fn classify(&mut self, of: &Retransmitted<'_>, payload_bytes: u32) -> Class {
        let class = self.class(of);
        self.counts.packets += 1;
        self.counts.bytes += u64::from(payload_bytes);
        *match class {
            Class::Fast => &mut self.counts.fast,
            Class::Timeout => &mut self.counts.timeout,
            Class::TailProbe => &mut self.counts.tail_probe,
            _ => &mut self.counts.plain,
        } += 1;
        class
    }

    fn class(&mut self, of: &Retransmitted<'_>) -> Class {
        if self.kind.is_some() && of.acked >= self.point {
            self.kind = None;
        }
        let sent_ns = of.before.map(|sent| sent.last_ns).or(of.hole_ns);
        // The timer starts anew with each transmission of the segment and each advance (RFC 6298 section 5).
        let timer_ns = sent_ns.max(self.progress_ns).map(|since_ns| of.now_ns.saturating_sub(since_ns));
        let first = of.start <= of.acked;
        // A timer of a kernel runs out late rather than early; the estimate of it is a coarse one.
        let expired = first && timer_ns.is_some_and(|waited| waited / 7 >= of.timeout_ns / 8);
        if of.syn {
            return self.begin(Kind::Timeout, of.most);
        }
        // RFC 6675, RFC 5681, and RFC 8985 section 6.2: something sent later has arrived.
        let later = sent_ns.zip(of.delivered_sent_ns).is_some_and(|(own, other)| own < other);
        let reported = of.highest_sacked > of.start || self.duplicates >= 2 || later;
        if self.kind.is_none() && of.end == of.most && !reported && of.sack && self.is_probe(of, first, timer_ns) {
            return Class::TailProbe;
        }
        if expired {
            return self.begin(Kind::Timeout, of.most);
        }
        match self.kind {
            Some(Kind::Fast) => Class::Fast,
            Some(Kind::Timeout) => Class::Timeout,
            None if reported => self.begin(Kind::Fast, of.most),
            None => Class::Plain,
        }
    }

    /// RFC 8985 section 7.2: the probe comes two smoothed RTTs after the last transmission. With one segment
    /// outstanding, the timer's and the probe's time are nearly the same, and the first is the probe.
    fn is_probe(&self, of: &Retransmitted<'_>, first: bool, timer_ns: Option<i64>) -> bool {
        let Some(smoothed_ns) = of.smoothed_ns else { return false };
        let once = of.before.is_none_or(|sent| sent.times == 1);
        let soon = timer_ns.is_some_and(|waited| waited <= of.timeout_ns.saturating_mul(3) / 2);
        once && timer_ns.is_some_and(|waited| waited >= smoothed_ns.saturating_mul(3) / 2) && (!first || soon)
    }

    /// Begins a fast recovery.
    #[cfg(test)]
    pub const fn begin_fast(&mut self, most: u64) {
        self.begin(Kind::Fast, most);
    }

    const fn begin(&mut self, kind: Kind, most: u64) -> Class {
        self.kind = Some(kind);
        self.point = most;
        match kind {
            Kind::Fast => {
                self.counts.recoveries += 1;
                Class::Fast
            }
            Kind::Timeout => {
                self.counts.timeouts += 1;
                Class::Timeout
            }
        }
    }

    /// Remembers a range that was sent again, for a D-SACK to name.
    pub fn remember(&mut self, start: u64, end: u64, frame: u64) {
        if self.again.len() >= MOST_AGAIN {
            self.again.pop_front();
        }
        self.again.push_back(Again { start, end, frame });
    }

    /// The frames of the retransmissions that a D-SACK names, each once. Of several of one range it is the last one:
    /// an earlier one may have filled the hole.
    pub fn named(&mut self, start: u64, end: u64, mut each: impl FnMut(u64)) {
        let mut named: Vec<u64> = Vec::new();
        let mut place = self.again.len();
        while place > 0 {
            place -= 1;
            let again = self.again[place];
            let inside = start <= again.start && again.end <= end || again.start <= start && end <= again.end;
            if inside && !named.contains(&again.start) {
                named.push(again.start);
                each(again.frame);
                self.again.remove(place);
            }
        }
    }

    /// Forgets a retransmission that is proved needless already.
    pub fn forget(&mut self, frame: u64) {
        self.again.retain(|again| again.frame != frame);
    }

    /// Counts a needless retransmission.
    pub const fn count_spurious(&mut self, proof: Proof) {
        self.counts.spurious += 1;
        match proof {
            Proof::Acknowledged => self.counts.spurious_acknowledged += 1,
            Proof::DuplicateSack => self.counts.spurious_dsack += 1,
            Proof::Timestamp => self.counts.spurious_timestamp += 1,
        }
    }
}
