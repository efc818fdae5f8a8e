//! [`Segment`]: what a sender remembers of one that it sent.

use units::low_bits;

/// One segment that was sent. 32 bytes, two to a cache line: with many flows, what a packet costs is reading it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// When it was last sent, µs.
    pub sent_us: u64,
    /// Payload bytes of the connection up to its end; the low bits.
    pub(super) end_bytes: u32,
    /// Snapshot of the delivery account when it was sent, see [`super::rate`]: segments delivered; the low bits.
    pub delivered: u32,
    /// Part of that snapshot: time from the last delivery until then, µs.
    pub since_delivery_us: u32,
    /// Part of that snapshot: length of the send phase that it ends, µs.
    pub send_phase_us: u32,
    /// In a SACKed run: at its first segment the last one's number, at its last the first one's; the low bits.
    pub(super) run: u32,
    pub(super) flags: u8,
}

pub(super) const SACKED: u8 = 1;
pub(super) const LOST: u8 = 2;
/// A retransmission is in flight.
pub(super) const RETRANSMITTED: u8 = 4;
pub(super) const EVER_RETRANSMITTED: u8 = 8;
const APP_LIMITED: u8 = 16;
const PUSHED: u8 = 32;
/// The last one of a buffer of the kernel.
pub(super) const ENDS_BUFFER: u8 = 64;
/// RACK has marked it lost and looks at it no more until it is sent again, also where an undo takes the mark back: it is off the
/// list that RACK reads (Linux 6.1 `tcp_rack_detect_loss`, `tsorted_sent_queue`).
pub(super) const DETECTED: u8 = 128;

impl Segment {
    /// A new one that ends with the connection's `end_bytes`.
    #[inline]
    pub fn ending_with(end_bytes: u64) -> Self {
        Self { end_bytes: low_bits(end_bytes), ..Self::default() }
    }

    /// Acknowledged by SACK.
    pub const fn is_sacked(&self) -> bool {
        self.flags & SACKED != 0
    }

    /// Marked lost.
    pub const fn is_lost(&self) -> bool {
        self.flags & LOST != 0
    }

    /// A retransmission of it is in flight.
    pub const fn is_retransmitted(&self) -> bool {
        self.flags & RETRANSMITTED != 0
    }

    /// It was retransmitted at least once.
    pub const fn was_retransmitted(&self) -> bool {
        self.flags & EVER_RETRANSMITTED != 0
    }

    /// Sent while the application limited the sender.
    pub const fn is_app_limited(&self) -> bool {
        self.flags & APP_LIMITED != 0
    }

    /// It carries PSH whenever it is sent, as the last that the application had written (Linux 6.1 `tcp_mark_push`).
    /// That it ends a burst is no mark of it: `__tcp_transmit_skb` sets PSH on the copy that leaves.
    pub const fn is_pushed(&self) -> bool {
        self.flags & PUSHED != 0
    }

    /// See [`Self::is_pushed`].
    pub const fn set_pushed(&mut self) {
        self.flags |= PUSHED;
    }

    /// See [`Self::is_app_limited`].
    pub const fn set_app_limited(&mut self, limited: bool) {
        self.flags = self.flags & !APP_LIMITED | if limited { APP_LIMITED } else { 0 };
    }
}
