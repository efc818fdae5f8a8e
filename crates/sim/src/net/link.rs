//! A link: a drop-tail queue before a token bucket.
//!
//! The bucket is kept as the instant at which it would be full again (the virtual scheduling of ATM's GCRA, ITU-T
//! I.371): one addition a frame instead of counting tokens in time, and exact, because what a nanosecond cannot
//! express is carried as a fraction of the rate. With a burst of at most one frame the link is a plain line that
//! takes size/rate for each frame; with more it releases a frame as soon as the tokens suffice, as Linux's `tbf`.

use super::line::make_room;
use super::packet::Packet;
use run::{Buffer, QueueCounters};
use std::collections::VecDeque;
use units::{Bytes, ExactSpan, Rate, Span, Time};

/// A queue and the line behind it.
#[derive(Debug)]
pub struct Link {
    rate: Rate,
    burst: Bytes,
    room: Buffer,
    queue: VecDeque<Packet>,
    queued_bytes: u64,
    queued_segments: u64,
    /// When the bucket will be full again: `full_at + rest/rate` ns. In the past: it is full.
    full_at: Time,
    rest: u64,
    /// When the head leaves; `NEVER` while the queue is empty.
    departure: Time,
    cost: Cost,
    counters: QueueCounters,
}

/// Times for frames of one size. Nearly all frames of a run have the same size, and a 128-bit division costs as
/// much as the rest of a link's work.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: u32,
    /// On the line: size/rate.
    line: ExactSpan,
    /// How long before the bucket is full such a frame may leave: (burst - size)/rate. A plain line: `None`.
    slack: Option<ExactSpan>,
}

impl Link {
    /// An idle link with a full bucket. `frame` is the largest frame: a burst of no more makes a plain line.
    pub fn new(rate: Rate, burst: Bytes, frame: Bytes, room: Buffer) -> Self {
        let burst = if burst <= frame { Bytes::ZERO } else { burst };
        Self {
            rate,
            burst,
            room,
            queue: VecDeque::new(),
            queued_bytes: 0,
            queued_segments: 0,
            full_at: Time::ZERO,
            rest: 0,
            departure: Time::NEVER,
            cost: Cost::default(),
            counters: QueueCounters::default(),
        }
    }

    /// A frame arrives. Gives the departure to schedule when the queue was empty; `Err` when it is dropped.
    #[inline]
    pub fn offer(&mut self, packet: Packet, now: Time) -> Result<Option<Time>, Packet> {
        let segments = wire_segments(&packet);
        self.counters.offered_packets += segments;
        let fits = match self.room {
            Buffer::Bytes(limit) => self.queued_bytes + u64::from(packet.frame_bytes) <= limit,
            Buffer::Packets(limit) => (self.queue.len() as u64) < limit,
        };
        if !fits {
            self.counters.dropped_packets += segments;
            return Err(packet);
        }
        self.queued_bytes += u64::from(packet.frame_bytes);
        self.queued_segments += segments;
        make_room(&mut self.queue);
        self.queue.push_back(packet);
        if self.queue.len() > 1 {
            return Ok(None);
        }
        self.departure = self.head_departure(packet.frame_bytes, now);
        Ok(Some(self.departure))
    }

    /// The head leaves now, if `now` is its time (an event of before a change of rate is void). Gives it and the
    /// departure of the next one.
    #[inline(always)]
    pub fn depart(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        if self.departure != now {
            return None;
        }
        let packet = self.queue.pop_front().expect("a departure is scheduled only while a frame is queued");
        let segments = wire_segments(&packet);
        self.queued_bytes -= u64::from(packet.frame_bytes);
        self.queued_segments -= segments;
        self.counters.sent_packets += segments;
        self.counters.sent_bytes += u64::from(packet.frame_bytes);
        if self.cost.slack.is_some() {
            self.charge(packet.frame_bytes, now);
        }
        let next = self.queue.front().map(|head| head.frame_bytes);
        self.departure = next.map_or(Time::NEVER, |bytes| self.head_departure(bytes, now));
        Some((packet, next.map(|_| self.departure)))
    }

    /// From now on the rate is another one. Tokens and what remains of a frame keep their bytes. Gives the head's
    /// new departure.
    pub fn change_rate(&mut self, rate: Rate, now: Time) -> Option<Time> {
        let debt = self.full_at.saturating_since(now);
        let scaled = u128::from(debt.as_nanos()) * u128::from(self.rate.as_bps()) / u128::from(rate.as_bps());
        self.full_at = now + Span::from_nanos(scaled as u64);
        self.rest = 0;
        self.rate = rate;
        self.cost = Cost::default();
        let head = self.queue.front()?.frame_bytes;
        self.price(head);
        // A plain line has charged its head when its transmission began; a bucket charges on departure.
        self.departure = if self.cost.slack.is_some() { self.head_departure(head, now) } else { self.full_at };
        Some(self.departure)
    }

    /// Packets, bytes and segments now and so far.
    pub fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters {
            at_ns: now.as_nanos(),
            queued_packets: self.queued_segments,
            queued_bytes: self.queued_bytes,
            ..self.counters
        }
    }

    /// The packet behind `index` others in the queue.
    #[inline]
    pub fn peek(&self, index: usize) -> Option<&Packet> {
        self.queue.get(index)
    }

    /// When a frame that has just reached the head leaves.
    #[inline]
    fn head_departure(&mut self, bytes: u32, now: Time) -> Time {
        self.price(bytes);
        let Some(slack) = self.cost.slack else {
            self.charge(bytes, now);
            return self.full_at + Span::from_nanos(u64::from(self.rest > 0));
        };
        // ceil(full_at + rest/rate - slack), not before now
        let round_up = Span::from_nanos(u64::from(self.rest > slack.rest));
        let earliest = (self.full_at + round_up).as_nanos().saturating_sub(slack.span.as_nanos());
        now.max(Time::from_nanos(earliest))
    }

    /// Takes a frame's tokens out of the bucket at `now`.
    #[inline]
    fn charge(&mut self, bytes: u32, now: Time) {
        self.price(bytes);
        // Full within this nanosecond is not yet idle: its fraction belongs to the frames before.
        if self.full_at + Span::from_nanos(u64::from(self.rest > 0)) < now {
            self.full_at = now;
            self.rest = 0;
        }
        self.full_at += self.cost.line.span;
        self.rest += self.cost.line.rest;
        if self.rest >= self.rate.as_bps() {
            self.rest -= self.rate.as_bps();
            self.full_at += Span::from_nanos(1);
        }
    }

    #[inline]
    fn price(&mut self, bytes: u32) {
        if self.cost.bytes != bytes {
            self.price_anew(bytes);
        }
    }

    #[cold]
    fn price_anew(&mut self, bytes: u32) {
        let frame = Bytes::from(bytes);
        let slack = (self.burst > Bytes::ZERO).then(|| self.rate.exact_time_for(self.burst.saturating_sub(frame)));
        self.cost = Cost { bytes, line: self.rate.exact_time_for(frame), slack };
    }
}

/// Frames that a packet counts for: a super-packet counts each of its segments.
fn wire_segments(packet: &Packet) -> u64 {
    u64::from(packet.segments.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use crate::net::PacketKind;

    fn frame(bytes: u32) -> Packet {
        Packet {
            seq: 0,
            end_bytes: 0,
            flow: FlowId::new(0),
            frame_bytes: bytes,
            segments: 1,
            kind: PacketKind::Data,
            pushed: false,
            stamp_ms: 0,
            echo_ms: 0,
        }
    }

    fn drain(link: &mut Link, count: usize) -> Vec<u64> {
        let mut next = link.departure;
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(next.as_nanos());
            let (_, following) = link.depart(next).expect("a frame is due");
            next = following.unwrap_or(Time::NEVER);
        }
        times
    }

    fn link(rate: u64, burst: u64, packets: u64) -> Link {
        Link::new(Rate::from_bps(rate), Bytes::new(burst), Bytes::new(1514), Buffer::Packets(packets))
    }

    fn fill(link: &mut Link, count: u64, bytes: u32) {
        for _ in 0..count {
            link.offer(frame(bytes), Time::ZERO).expect("room");
        }
    }

    #[test]
    fn a_burst_of_one_frame_takes_size_over_rate_for_each() {
        let mut link = link(7_000_000, 1514, 10_000);
        fill(&mut link, 7_000, 1514);
        let times = drain(&mut link, 7_000);
        assert_eq!(times[0], 1_730_286); // 1 730 285.7 rounded up
        assert_eq!(*times.last().expect("times"), 7_000 * 1514 * 8 * 1_000 / 7);
    }

    #[test]
    fn a_bucket_saves_exactly_its_burst() {
        for (rate, count) in [(7_000_000_u64, 7_000_u64), (80_000_000, 1_000), (999_999_937, 12_345)] {
            let mut link = link(rate, 5_000, 20_000);
            fill(&mut link, count, 1514);
            let last = *drain(&mut link, usize::try_from(count).expect("small")).last().expect("times");
            let exact = u128::from(count * 1514 - 5_000) * 8_000_000_000;
            assert_eq!(u128::from(last), exact.div_ceil(u128::from(rate)), "{rate}");
        }
    }

    #[test]
    fn a_burst_leaves_at_once() {
        let mut link = link(80_000_000, 5_000, 10);
        fill(&mut link, 4, 1514);
        assert_eq!(drain(&mut link, 4), [0, 0, 0, (4 * 1514 - 5_000) * 100]);
    }

    #[test]
    fn the_queue_drops_what_does_not_fit() {
        let mut link = Link::new(Rate::from_bps(8), Bytes::ZERO, Bytes::new(1514), Buffer::Bytes(3_000));
        assert!(link.offer(frame(1514), Time::ZERO).is_ok());
        assert!(link.offer(frame(1514), Time::ZERO).is_err());
        assert!(link.offer(frame(1486), Time::ZERO).is_ok());
        let counters = link.counters(Time::ZERO);
        assert_eq!((counters.offered_packets, counters.dropped_packets, counters.queued_bytes), (3, 1, 3_000));
    }

    #[test]
    fn a_change_of_rate_keeps_the_bytes_that_remain() {
        let mut link = link(8_000, 0, 10); // a byte a millisecond
        fill(&mut link, 2, 1_000);
        let half = Time::from_nanos(500_000_000);
        let due = link.change_rate(Rate::from_bps(16_000), half).expect("a head");
        assert_eq!(due.as_nanos(), 750_000_000);
        assert!(link.depart(Time::from_nanos(1_000_000_000)).is_none(), "the old event is void");
        assert_eq!(drain(&mut link, 2), [750_000_000, 1_250_000_000]);
    }

    #[test]
    fn an_idle_bucket_fills_to_its_burst_and_no_further() {
        let mut link = link(80_000_000, 5_000, 10);
        fill(&mut link, 3, 1514);
        drain(&mut link, 3);
        let later = Time::from_nanos(1_000_000_000);
        for _ in 0..4 {
            link.offer(frame(1514), later).expect("room");
        }
        let times = drain(&mut link, 4);
        assert_eq!(times[3] - later.as_nanos(), (4 * 1514 - 5_000) * 100);
    }
}
