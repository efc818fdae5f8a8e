//! What a segment sends: new data, or old, and then why.

use super::Event;
use crate::direction::{Direction, Hole, Limited, Marks, Retransmitted};
use crate::header::{FIN, PSH, RST, SYN};
use crate::sink::{Class, Proof, Side, Sink, Spurious};

/// A segment that fills a hole sooner than this was overtaken, where the path's RTT is not known: Wireshark's limit.
const OVERTAKEN_NS: i64 = 3_000_000;
/// The longest tick of a clock for timestamps that is in use (RFC 7323 section 5.4 allows a second).
const TICK_NS: i64 = 10_000_000;

impl<S: Sink> Event<'_, '_, S> {
    /// Enters what the packet sends: its class, and how many bytes of data were not seen before.
    #[inline]
    pub(super) fn sent(&mut self, from: &mut Direction, to: &mut Direction, marks: Marks) -> (Class, u64) {
        let packet = self.packet;
        let length = u64::from(packet.sequence_length());
        let start = from.sequence.position(packet.seq);
        let repeats = from.repeats(packet);
        if repeats {
            from.counts.repeated_packets += 1;
        }
        if length == 0 || packet.has(RST) {
            if !packet.has(RST) && !marks.has(Marks::KEEP_ALIVE) {
                from.sequence.begin(start);
            }
            if marks.has(Marks::KEEP_ALIVE) {
                from.counts.keep_alives += 1;
                return (Class::KeepAlive, 0);
            }
            return (Class::NoData, 0);
        }
        if repeats {
            return (Class::Repeated, 0);
        }
        let begun = from.sequence.begin(start);
        let most = from.sequence.most();
        if begun && marks.has(Marks::KEEP_ALIVE) {
            from.counts.keep_alives += 1;
            return (Class::KeepAlive, 0);
        }
        let (syn, fin) = self.flag_positions(start);
        from.sequence.flags(syn, fin);
        let end = start + length;
        let flags = u64::from(packet.has(SYN)) + u64::from(packet.has(FIN));
        let (class, new_numbers) = if !begun || start >= most {
            (Class::New, self.new_data(from, start, end))
        } else {
            self.old_data(from, most, start, end)
        };
        let new_bytes = new_numbers.saturating_sub(if class == Class::New { flags } else { 0 });
        from.counts.unique_bytes += new_bytes;
        if class == Class::New {
            from.limit.sent(self.is_short());
        }
        self.limit(from, to);
        (class, new_bytes)
    }

    /// The application had no more: the segment is not full, or not a multiple of full ones, and asks to be handed over.
    fn is_short(&self) -> bool {
        let short = |mss| self.packet.has(PSH) && !self.packet.payload_bytes.is_multiple_of(mss);
        self.packet.has(FIN) || self.mss.is_some_and(short)
    }

    /// Enters new data, and the hole before it.
    fn new_data(&mut self, from: &mut Direction, start: u64, end: u64) -> u64 {
        if start > from.sequence.most() {
            let hole = Hole {
                start: from.sequence.most(),
                end: start,
                since_ns: self.moment.now_ns,
                packets: from.counts.data_packets,
                stamp: self.packet.options.timestamps.map(|(value, _)| value),
            };
            from.counts.unseen_bytes += from.holes.push(hole);
        }
        // The first packet of an end may come behind ACKs of it.
        if end > from.sequence.acked() {
            from.outstanding.push(start, end, self.moment.now_ns, self.output.most_outstanding());
        }
        from.sequence.raise(end);
        end - start
    }

    /// Enters data of which at least the first byte lies before what was sent already.
    fn old_data(&mut self, from: &mut Direction, most: u64, start: u64, end: u64) -> (Class, u64) {
        let (now_ns, most_outstanding) = (self.moment.now_ns, self.output.most_outstanding());
        let stamp = self.packet.options.timestamps.map(|(value, _)| value);
        let (outstanding, holes) = (&mut from.outstanding, &mut from.holes);
        let old_end = end.min(most);
        let (mut unseen, hole) = if holes.is_empty() {
            (0, None)
        } else {
            holes.fill(start, old_end, |part_start, part_end| {
                outstanding.push(part_start, part_end, now_ns, most_outstanding);
            })
        };
        // The capture began behind it.
        unseen += from.sequence.first().min(old_end).saturating_sub(start);
        let overtaken = unseen > 0 && self.was_overtaken(hole.as_ref());
        let class = if overtaken {
            let reordering = &mut from.counts.reordering;
            reordering.packets += 1;
            reordering.most_bytes = reordering.most_bytes.max(most - start);
            if let Some(hole) = hole {
                reordering.most_packets = reordering.most_packets.max(from.counts.data_packets - hole.packets);
                reordering.most_ns = reordering.most_ns.max(now_ns.saturating_sub(hole.since_ns));
            }
            Class::OutOfOrder
        } else {
            self.again(from, &Range { start, end: old_end, most, unseen: unseen > 0, hole, stamp })
        };
        if end > most {
            from.outstanding.push(most, end, now_ns, most_outstanding);
            from.sequence.raise(end);
        }
        (class, unseen + end.saturating_sub(most))
    }

    /// Whether what fills a hole was sent before what revealed it. Timestamps tell: a retransmission leaves an RTT after
    /// what it follows, and has a later one. Without them it comes an RTT later.
    fn was_overtaken(&self, hole: Option<&Hole>) -> bool {
        let Some(hole) = hole else { return true };
        let stamps = self.packet.options.timestamps.map(|(value, _)| value).zip(hole.stamp);
        let later = stamps.map(|(own, revealing)| own.wrapping_sub(revealing) as i32);
        match later {
            Some(ticks) if ticks != 0 => ticks < 0,
            Some(_) if self.path_rtt_ns.is_some_and(|rtt_ns| rtt_ns > TICK_NS) => true,
            _ => self.moment.now_ns.saturating_sub(hole.since_ns) < self.path_rtt_ns.unwrap_or(OVERTAKEN_NS),
        }
    }

    fn again(&mut self, from: &mut Direction, range: &Range) -> Class {
        let (now_ns, frame) = (self.moment.now_ns, self.moment.frame);
        let acked = from.sequence.acked();
        let before = from.outstanding.send_again(range.start, range.end, now_ns, frame, range.stamp);
        let circumstances = Retransmitted {
            start: range.start,
            end: range.end,
            now_ns,
            most: range.most,
            acked,
            highest_sacked: from.outstanding.highest_sacked(),
            delivered_sent_ns: from.outstanding.delivered_sent_ns(),
            before: before.as_ref(),
            hole_ns: range.hole.map(|hole| hole.since_ns),
            timeout_ns: from.rtt.timeout_ns(),
            smoothed_ns: from.rtt.smoothed_ns(),
            sack: self.sack,
            syn: self.packet.has(SYN),
        };
        let class = from.recovery.classify(&circumstances, self.packet.payload_bytes);
        if class == Class::Fast {
            from.queueing.lost();
        }
        from.recovery.counts.first_unseen += u64::from(range.unseen);
        if range.end <= acked {
            from.recovery.count_spurious(Proof::Acknowledged);
            self.report(self.sender, frame, Proof::Acknowledged);
        } else {
            from.recovery.remember(range.start, range.end, frame);
        }
        class
    }

    pub(super) fn report(&mut self, sender: Side, frame: u64, proof: Proof) {
        let proof_frame = self.moment.frame;
        self.output.spurious(&Spurious { connection: self.id, sender, frame, proof_frame, proof });
    }

    /// Notes what limits `data`'s sender from now on; `other` is the receiver.
    pub(super) fn limit(&self, data: &mut Direction, other: &Direction) {
        let acked = data.sequence.acked();
        let in_flight = data.sequence.most() - acked;
        let limited = Limited {
            in_flight_bytes: if data.counts.data_packets == 0 { 0 } else { in_flight },
            window_bytes: other.window.bytes,
            segment_bytes: self.mss.unwrap_or(1),
            recovers: data.recovery.is_on(acked),
        };
        data.limit.update(&limited, self.moment.now_ns);
    }
}

/// A range that is sent again.
struct Range {
    start: u64,
    end: u64,
    most: u64,
    unseen: bool,
    hole: Option<Hole>,
    stamp: Option<u32>,
}
