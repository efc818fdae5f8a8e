//! When a receiver acknowledges what has come, and with what.

use super::Receiver;
use crate::engine::on_wheel;
use crate::net::{Ack, NO_OPTION};
use units::{Span, Time, window_segments};

/// `tcp_comp_sack_nr`.
const COMPRESSED_ACKS: u32 = 44;
/// `TCP_FASTRETRANS_THRESH`: so many duplicate ACKs are sent before compression begins.
const UNCOMPRESSED_ACKS: u32 = 3;
/// `tcp_comp_sack_delay_ns`.
const COMPRESSION_MAX: Span = Span::from_millis(1);
/// `tcp_comp_sack_slack_ns`: the kernel may be so much later, to wake up once for several timers, and a host with no
/// other timer of this kind (a "soft" one, as only pacing has) always is: Linux 6.1 `hrtimer_interrupt` runs them when
/// the latest time of one has come.
const COMPRESSION_SLACK: Span = Span::from_micros(100);

impl Receiver {
    /// `tcp_enter_quickack_mode`
    pub(super) fn enter_quick_acks(&mut self, most: u32) {
        self.add_quick_acks(most);
        self.is_interactive = false;
        self.delay.shorten();
    }

    /// `tcp_incr_quickack`
    #[cold]
    pub(super) fn add_quick_acks(&mut self, most: u32) {
        let window = self.window.left_bytes(self.acked_bytes);
        let wanted = u32::try_from(window / (2 * self.mss_bytes)).unwrap_or(u32::MAX).max(2);
        self.quick = self.quick.max(wanted.min(most));
    }

    /// Segments of a lump that the application cannot have read yet.
    #[inline]
    pub(super) fn unread_segments(&self) -> u32 {
        if self.in_lump { self.unread_segments_of_lump() } else { 0 }
    }

    #[cold]
    fn unread_segments_of_lump(&self) -> u32 {
        window_segments((self.delivered_bytes - self.read_bytes) / self.mss_bytes)
    }

    #[inline]
    pub(super) const fn unacknowledged_bytes(&self) -> u64 {
        self.delivered_bytes - self.acked_bytes
    }

    /// The peer has said what it had to say now, and nothing else is there: when the application reads that, it is
    /// acknowledged (Linux 6.1 `__tcp_cleanup_rbuf`).
    #[inline(always)]
    pub(super) const fn has_said_all(&self) -> bool {
        self.pushed && !self.is_interactive && self.data.waiting() == 0
    }

    /// `tcp_in_quickack_mode`
    #[inline(always)]
    pub(super) const fn acks_quickly(&self) -> bool {
        self.quick > 0 && !self.is_interactive
    }

    /// More than a segment has come since the last ACK. One that the application will read at once is acknowledged
    /// then, if until then the window would have to be announced as narrower than it was.
    #[inline(always)]
    pub(super) fn has_enough(&self) -> bool {
        self.unacknowledged_bytes() > self.mss_bytes
            && (!self.in_lump
                || self.delivered_bytes - self.read_bytes < self.low_water_bytes
                || !self.window.would_shrink(self.acked_bytes, self.data.waiting() + self.unread_segments()))
    }

    /// `__tcp_ack_snd_check`. RFC 5681 section 4.2: what fills a gap is acknowledged at once.
    #[inline(always)]
    pub(super) fn respond(&mut self, filled: bool, reads: bool, now: Time) -> Option<Ack> {
        if filled || (reads && self.has_said_all()) || self.has_enough() || self.acks_quickly() || self.at_once {
            return Some(self.acknowledge(now));
        }
        if self.data.waiting() == 0 {
            if reads && self.window.has_doubled(self.delivered_bytes) {
                return Some(self.acknowledge(now));
            }
            self.delay_ack(now);
            return None;
        }
        self.respond_to_hole(now)
    }

    #[inline(always)]
    pub(super) fn delay_ack(&mut self, now: Time) {
        if !self.delayed_ack.is_set() {
            self.delayed_ack.set(on_wheel(now, self.delay.ms()));
        }
    }

    /// Data behind a hole: acknowledge, or wait to acknowledge several segments at once.
    fn respond_to_hole(&mut self, now: Time) -> Option<Ack> {
        if !self.compresses || self.compressed >= COMPRESSED_ACKS {
            return Some(self.acknowledge(now));
        }
        if self.compression_next != self.data.next() {
            self.compression_next = self.data.next();
            self.uncompressed = 0;
        }
        if self.uncompressed < UNCOMPRESSED_ACKS {
            self.uncompressed += 1;
            return Some(self.acknowledge(now));
        }
        self.compressed += 1;
        if !self.compressed_ack.is_set() {
            // 5 % of the RTT, that of the handshake where the data's is longer; the estimates are kept eightfold
            let handshake_us8 = self.delay.handshake_ms().map_or(u64::MAX, |rtt_ms| 8_000 * rtt_ms);
            let share = Span::from_nanos(self.window.rtt_us8().min(handshake_us8) * (1_000 / 8) / 20);
            self.compressed_ack.set(now + share.min(COMPRESSION_MAX) + COMPRESSION_SLACK);
        }
        None
    }

    /// The delayed ACK is due: nothing came in time, and the next one waits longer (`tcp_delack_timer_handler`).
    pub fn on_delayed_ack(&mut self, now: Time) -> Option<Ack> {
        (self.data.next() > self.acked_seq).then(|| {
            if std::mem::take(&mut self.is_interactive) {
                self.delay.shorten();
            } else {
                self.delay.back_off();
            }
            self.acknowledge(now)
        })
    }

    /// The compressed SACK is due.
    pub fn on_compressed_ack(&mut self, now: Time) -> Option<Ack> {
        (self.compressed > 0).then(|| self.acknowledge(now))
    }

    pub(super) fn acknowledge(&mut self, now: Time) -> Ack {
        if self.window.announce(self.delivered_bytes, self.data.waiting() + self.unread_segments()) {
            self.quick = 0; // `__tcp_select_window`
        } else if self.quick > 0 && self.owed {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay.shorten(); // `tcp_dec_quickack_mode`
            }
        }
        self.owed = false;
        self.pushed = false;
        self.at_once = false;
        self.ecn.on_ack();
        self.acked_bytes = self.delivered_bytes;
        self.acked_seq = self.data.next();
        self.end_compression();
        self.delayed_ack.clear();
        self.ack(now)
    }

    pub(super) fn end_compression(&mut self) {
        self.compressed = 0;
        self.compressed_ack.clear();
    }

    /// An ACK of what has arrived, which reports a duplicate, if there is one, once.
    pub(super) fn ack(&mut self, now: Time) -> Ack {
        let duplicate = Some(std::mem::take(&mut self.duplicate)).filter(|block| block.start < block.end);
        let mut ack = Ack {
            una: self.data.next(),
            window_edge_bytes: self.window.edge_bytes(),
            flow: self.flow,
            stamp_ms: now.stamp_ms(),
            echo_ms: self.recent.ms(),
            block_count: 0,
            duplicate: duplicate.is_some(),
            syn: false,
            marks: self.ecn.marks(),
            marked_bytes: NO_OPTION,
            blocks: Default::default(),
        };
        if duplicate.is_some() || self.data.waiting() > 0 {
            let blocks = duplicate.iter().chain(self.data.blocks());
            for (slot, block) in ack.blocks.iter_mut().zip(blocks) {
                *slot = block.packed();
                ack.block_count += 1;
            }
        }
        if self.ecn.mode().is_accurate() {
            self.ecn.add_option(&mut ack);
        }
        ack
    }
}
