//! What a sender has sent and nobody acknowledged: each segment once, in order, on 64-bit sequence numbers.

use std::collections::VecDeque;

/// A range of sequence numbers that was sent.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    pub start: u64,
    pub end: u64,
    pub first_ns: i64,
    pub last_ns: i64,
    /// The frame that sent it again, the last one.
    pub again_frame: u64,
    /// TSval of the frame that sent it again first.
    pub again_stamp: Option<u32>,
    pub times: u16,
    pub sacked: bool,
}

/// What an acknowledgement covers.
#[derive(Default)]
pub struct Covered {
    /// When the segment was sent that ends where the acknowledgement does.
    pub sent_ns: Option<i64>,
    /// Whether a sample of the RTT is sound: nothing covered was sent twice, and that segment was not reported before.
    pub sound: bool,
    /// When the last segment was sent that is newly covered and had not been reported; none where any was sent twice.
    pub newest_ns: Option<i64>,
}

#[derive(Default)]
pub struct Outstanding {
    segments: VecDeque<Sent>,
    sacked_bytes: u64,
    highest_sacked: u64,
    /// The blocks of the last option, which the next repeats for the most part.
    blocks: [(u64, u64); 4],
    delivered_sent_ns: Option<i64>,
    reported_sent_ns: Option<i64>,
    given_up: u64,
}

/// When an acknowledgement comes, and the least RTT that was measured.
#[derive(Clone, Copy)]
pub struct Arrival {
    pub now_ns: i64,
    pub least_rtt_ns: i64,
}

impl Sent {
    /// When the transmission was sent that an acknowledgement is for (RFC 8985 section 6.2 step 2): of several the last,
    /// unless it was sent less than an RTT ago.
    fn delivered_ns(&self, arrival: Arrival) -> Option<i64> {
        let sound = self.times == 1 || arrival.now_ns.saturating_sub(self.last_ns) >= arrival.least_rtt_ns;
        sound.then_some(self.last_ns)
    }
}

impl Outstanding {
    /// Bytes that the receiver reported out of order.
    #[inline]
    pub const fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Where the last range ends that the receiver reported.
    #[inline]
    pub const fn highest_sacked(&self) -> u64 {
        self.highest_sacked
    }

    /// When the latest transmission was sent that the receiver has acknowledged or reported.
    #[inline]
    pub const fn delivered_sent_ns(&self) -> Option<i64> {
        self.delivered_sent_ns
    }

    /// When the latest segment was sent, once, that the receiver has reported since the last question.
    #[inline]
    pub const fn take_reported(&mut self) -> Option<i64> {
        self.reported_sent_ns.take()
    }

    /// Segments that were forgotten because there were too many.
    pub const fn given_up(&self) -> u64 {
        self.given_up
    }

    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.segments.capacity() * size_of::<Sent>()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// A range that was not sent before as far as anybody saw.
    #[inline]
    pub fn push(&mut self, start: u64, end: u64, now_ns: i64, most: usize) {
        let sent = Sent {
            start,
            end,
            first_ns: now_ns,
            last_ns: now_ns,
            again_frame: 0,
            again_stamp: None,
            times: 1,
            sacked: false,
        };
        if self.segments.len() >= most.max(1) {
            self.drop_front();
            self.given_up += 1;
        }
        if self.segments.back().is_none_or(|last| last.end <= start) {
            self.segments.push_back(sent);
        } else {
            let place = self.segments.partition_point(|other| other.end <= start);
            self.segments.insert(place, sent);
        }
    }

    fn drop_front(&mut self) {
        if let Some(sent) = self.segments.pop_front()
            && sent.sacked
        {
            self.sacked_bytes -= sent.end - sent.start;
        }
    }

    /// Notes that a range is sent again; the first of the segments in it as it was before, and whether there was one.
    pub fn send_again(&mut self, start: u64, end: u64, now_ns: i64, frame: u64, stamp: Option<u32>) -> Option<Sent> {
        let place = self.segments.partition_point(|sent| sent.end <= start);
        let mut first = None;
        for sent in self.segments.range_mut(place..).take_while(|sent| sent.start < end) {
            first.get_or_insert(*sent);
            if sent.times == 1 {
                sent.again_stamp = stamp;
            }
            sent.times = sent.times.saturating_add(1);
            sent.last_ns = now_ns;
            sent.again_frame = frame;
        }
        first
    }

    /// Takes off what lies before `ack`, showing each segment.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64, arrival: Arrival, mut each: impl FnMut(&Sent)) -> Covered {
        let mut covered = Covered { sent_ns: None, sound: true, newest_ns: None };
        let mut is_resent = false;
        while let Some(sent) = self.segments.front_mut() {
            if sent.start >= ack {
                break;
            }
            covered.sound &= sent.times == 1;
            if sent.end > ack {
                if sent.sacked {
                    self.sacked_bytes -= ack - sent.start;
                }
                sent.start = ack;
                break;
            }
            is_resent |= sent.times > 1;
            if !sent.sacked {
                covered.newest_ns = Some(sent.first_ns);
            }
            if sent.end == ack {
                covered.sent_ns = Some(sent.first_ns);
                covered.sound &= !sent.sacked;
            }
            if !sent.sacked {
                self.delivered_sent_ns = self.delivered_sent_ns.max(sent.delivered_ns(arrival));
            }
            each(sent);
            self.drop_front();
        }
        covered.newest_ns = covered.newest_ns.filter(|_| !is_resent);
        covered
    }

    /// Notes the ranges that the receiver reports; when the last segment was sent that is news, of those sent once.
    pub fn report(&mut self, blocks: impl Iterator<Item = (u64, u64)>, arrival: Arrival) -> Option<i64> {
        let mut newest: Option<(u64, i64)> = None;
        let mut present = [(0, 0); 4];
        let mut bytes = 0;
        for (place, (start, end)) in present.iter_mut().zip(blocks) {
            *place = (start, end);
            self.highest_sacked = self.highest_sacked.max(end);
            // Only what the last option did not say is looked at.
            let (mut from, mut until) = (start, end);
            for (known_start, known_end) in self.blocks {
                if known_start <= from && from < known_end {
                    from = known_end.min(until);
                }
                if known_start < until && until <= known_end {
                    until = known_start.max(from);
                }
            }
            if from >= until {
                continue;
            }
            let first = self.segments.partition_point(|sent| sent.end <= from);
            for sent in self.segments.range_mut(first..).take_while(|sent| sent.start < until) {
                if !sent.sacked && sent.start >= start && sent.end <= end {
                    sent.sacked = true;
                    if sent.times == 1 {
                        newest = newest.max(Some((sent.start, sent.first_ns)));
                        self.reported_sent_ns = self.reported_sent_ns.max(Some(sent.first_ns));
                    }
                    bytes += sent.end - sent.start;
                    self.delivered_sent_ns = self.delivered_sent_ns.max(sent.delivered_ns(arrival));
                }
            }
        }
        self.blocks = present;
        self.sacked_bytes += bytes;
        newest.map(|(_, sent_ns)| sent_ns)
    }
}
