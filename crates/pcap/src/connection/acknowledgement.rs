//! What an ACK says about the data of the other end.

use super::{Acknowledged, Event, is_duplicate};
use crate::direction::{Arrival, Direction, Hole, Marks};
use crate::header::SackBlock;
use crate::sink::{Proof, Sink};

/// An acknowledgement of more than this that was not seen is none: no window is as large (RFC 7323 section 2.3).
const MOST_AHEAD: u64 = 1 << 30;

impl<S: Sink> Event<'_, '_, S> {
    /// Enters an ACK of `from`'s, for the data of `to`'s.
    #[inline]
    pub(super) fn acknowledged(&mut self, from: &mut Direction, to: &mut Direction, marks: Marks) -> Acknowledged {
        let now_ns = self.moment.now_ns;
        let ack = to.sequence.position(self.packet.ack);
        let echo_ns = self.packet.options.timestamps.and_then(|(_, echo)| to.echo(echo, now_ns));
        let mut acknowledged = Acknowledged::default();
        if ack > to.sequence.most() && !self.acknowledges_unseen(to, ack) {
            return acknowledged;
        }
        if ack > to.sequence.acked() {
            acknowledged = self.advance(to, ack, echo_ns);
        } else if is_duplicate(marks) && ack == to.sequence.acked() && !to.outstanding.is_empty() {
            to.recovery.duplicates = to.recovery.duplicates.saturating_add(1);
        }
        if !self.packet.options.sack().is_empty() {
            let reported_ns = self.selective(from, to, ack);
            acknowledged.newest_ns = reported_ns.or(acknowledged.newest_ns);
        }
        self.limit(to, from);
        acknowledged
    }

    /// An ACK of data that the capture lacks, at least so far.
    fn acknowledges_unseen(&self, to: &mut Direction, ack: u64) -> bool {
        let most = to.sequence.most();
        if ack - most > MOST_AHEAD {
            return false;
        }
        if to.counts.packets > 0 {
            to.counts.unseen_bytes += to.holes.push(Hole {
                start: most,
                end: ack,
                since_ns: self.moment.now_ns,
                packets: to.counts.data_packets,
                stamp: None,
            });
        }
        to.sequence.raise(ack);
        true
    }

    fn advance(&mut self, to: &mut Direction, ack: u64, echo_ns: Option<i64>) -> Acknowledged {
        let now_ns = self.moment.now_ns;
        let bytes = to.sequence.acknowledge(ack);
        if !to.holes.is_empty() {
            to.counts.unseen_bytes += to.holes.acknowledge(ack);
        }
        to.counts.acked_bytes += bytes;
        to.recovery.duplicates = 0;
        to.recovery.progress_ns = Some(now_ns);
        let echo = self.packet.options.timestamps.map(|(_, echo)| echo);
        let mut needless = Vec::new();
        let covered = to.outstanding.acknowledge(ack, self.arrival(to.rtt.by_ack.least()), |sent| {
            // RFC 3522: the ACK was sent for what was sent before the retransmission.
            if let (Some(again), Some(echo)) = (sent.again_stamp, echo)
                && (echo.wrapping_sub(again) as i32) < 0
                && echo != 0
            {
                needless.push(sent.again_frame);
            }
        });
        // A retransmission may cover several segments.
        needless.dedup();
        for frame in needless {
            to.recovery.forget(frame);
            to.recovery.count_spurious(Proof::Timestamp);
            self.report(self.sender.other(), frame, Proof::Timestamp);
        }
        let sent_ns = covered.sent_ns.filter(|_| covered.sound);
        let rtt_ns = sent_ns.map(|sent_ns| now_ns.saturating_sub(sent_ns));
        if bytes > 0 {
            to.counts.last_acked_ns = Some(now_ns);
            if let Some(rtt_ns) = rtt_ns.filter(|rtt_ns| *rtt_ns >= 0) {
                to.rtt.by_ack.insert(rtt_ns as u64);
            }
            if let Some(echo_ns) = echo_ns.filter(|echo_ns| *echo_ns >= 0) {
                to.rtt.by_timestamp.insert(echo_ns as u64);
            }
        }
        if let Some(rtt_ns) = rtt_ns {
            to.rtt.sample(rtt_ns);
        }
        Acknowledged { bytes, rtt_ns, newest_ns: covered.newest_ns, timestamp_rtt_ns: echo_ns.filter(|_| bytes > 0) }
    }

    /// SACK blocks; the first may report a duplicate (RFC 2883 section 4): it lies below the acknowledgement, or inside
    /// the second. When the last segment was sent that is newly reported, of those sent once.
    fn selective(&mut self, from: &mut Direction, to: &mut Direction, ack: u64) -> Option<i64> {
        let blocks = self.packet.options.sack();
        let mut positions = [(0, 0); 4];
        let most = to.sequence.most();
        for (place, SackBlock { start, end }) in positions.iter_mut().zip(blocks) {
            *place = (to.sequence.position(*start), to.sequence.position(*end));
        }
        let positions = &positions[..blocks.len()];
        let first = positions[0];
        let inside = positions.get(1).is_some_and(|second| second.0 <= first.0 && first.1 <= second.1);
        let duplicate = first.0 < first.1 && (first.1 <= ack || inside);
        if duplicate {
            from.counts.dsacks += 1;
            let mut needless = Vec::new();
            to.recovery.named(first.0, first.1, |frame| needless.push(frame));
            for frame in needless {
                to.recovery.count_spurious(Proof::DuplicateSack);
                self.report(self.sender.other(), frame, Proof::DuplicateSack);
            }
        }
        let acked = to.sequence.acked();
        let sound = positions[usize::from(duplicate)..]
            .iter()
            .copied()
            .filter(|(start, end)| start < end && *start >= acked && *end <= most);
        to.outstanding.report(sound, self.arrival(to.rtt.by_ack.least()))
    }

    fn arrival(&self, least_rtt_ns: Option<u64>) -> Arrival {
        Arrival { now_ns: self.moment.now_ns, least_rtt_ns: least_rtt_ns.unwrap_or(0) as i64 }
    }
}
