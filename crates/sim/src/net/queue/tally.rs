//! [`Tally`]: what a queue counts. At every instant `offered = sent + dropped + queued`, in packets as they are on a line.

use super::{Fate, Verdict};
use crate::net::packet::Packet;
use run::QueueCounters;
use units::Time;

/// What one queue has counted so far; and of the dropped packets those that were to leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally(QueueCounters, u64);

impl Tally {
    /// Bytes of frames that are in it now.
    #[inline]
    pub const fn queued_bytes(&self) -> u64 {
        self.0.queued_bytes
    }

    /// A frame has come, and this was decided about it.
    #[inline]
    pub fn count_arrival(&mut self, packet: &Packet, verdict: Verdict) {
        let segments = packet.wire_segments();
        self.0.offered_packets += segments;
        match verdict {
            Verdict::Queued => {
                self.0.queued_packets += segments;
                self.0.queued_bytes += u64::from(packet.frame_bytes);
            }
            Verdict::Dropped => self.0.dropped_packets += segments,
        }
    }

    /// A frame has left.
    #[inline]
    pub fn count_departure(&mut self, packet: &Packet) {
        self.0.sent_packets += self.remove(packet);
        self.0.sent_bytes += u64::from(packet.frame_bytes);
    }

    /// A frame that waited was marked or dropped.
    pub fn count_fate(&mut self, fate: &Fate) {
        if fate.is_marked() {
            self.0.marked_packets += fate.packet.wire_segments();
        } else {
            self.0.dropped_packets += self.remove(&fate.packet);
        }
    }

    /// As one that was to leave, it was marked or dropped.
    pub fn count_late_fate(&mut self, fate: &Fate) {
        self.count_fate(fate);
        self.1 += if fate.is_marked() { 0 } else { fate.packet.wire_segments() };
    }

    /// A frame that waited leaves its place to one that comes, and both are offered as one.
    pub fn count_superseded(&mut self, packet: &Packet) {
        self.0.offered_packets -= self.remove(packet);
    }

    /// So far.
    pub fn at(&self, now: Time) -> QueueCounters {
        QueueCounters { at_ns: now.as_nanos(), dequeue_dropped_packets: Some(self.1), ..self.0 }
    }

    #[inline]
    fn remove(&mut self, packet: &Packet) -> u64 {
        let segments = packet.wire_segments();
        self.0.queued_packets -= segments;
        self.0.queued_bytes -= u64::from(packet.frame_bytes);
        segments
    }
}
