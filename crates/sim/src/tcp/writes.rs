//! Writes: what the socket takes of what its application writes, and when the application goes on (Linux 6.1
//! `tcp_sendmsg_locked`, `tcp_check_space`, `tcp_sndbuf_expand`).
//!
//! A full buffer lets the application write again when a third of it is free, so that data comes in lumps. Memory counts
//! with its descriptors: each super-packet of the write queue has one, and each burst that it was sent as.

use super::burst::SUPER_PACKET_BYTES;
use super::limits::Limit;
use super::sender::{Output, SendReason, Sender};
use super::truesize::{EMPTY_BYTES, HEADROOM_BYTES, segment};
use super::window::TIMESTAMP_BYTES;
use cc::CongestionControl;
use units::Time;

/// `TCP_INIT_CWND`: room for so many segments at least.
const LEAST_SEGMENTS: u32 = 10;
/// The application hands over so much with one call at most, as on the engine `linux`; the end of each is pushed.
const WRITE_BYTES: u64 = 1 << 20;
/// `TCP_MSS_DEFAULT`: the window of a peer that offers no more than this is not halved.
const TINY_WINDOW_BYTES: u64 = 536;

impl Sender {
    /// Room for twice the window, for BBR three times, if every segment were sent by itself (`tcp_sndbuf_expand`).
    pub(super) fn expand_send_buffer(&mut self) {
        let most = self.control.window.cwnd.max(self.recovery.rack.reordering() + 1);
        let reserved = segment(u64::from(self.mss_bytes) + TIMESTAMP_BYTES);
        let factor = u64::from(self.control.cc.send_buffer_factor());
        let wanted = u64::from(most.max(LEAST_SEGMENTS)) * reserved * factor;
        self.send_buffer.bytes = self.send_buffer.bytes.max(wanted.min(self.send_buffer.limit_bytes));
    }

    /// Takes what there is room for of what the application has written, and sends what may be sent.
    pub(super) fn take_writes(&mut self, now: Time, out: &mut impl Output) {
        let size = self.buffer_bytes();
        if self.send_buffer.takes_all {
            self.take_all(size);
            self.send_new(SendReason::Normal, now, out);
            self.send_fin(now, out);
            return;
        }
        while self.taken_bytes < self.written_bytes && !self.send_buffer.is_full {
            let call_end = self.written_bytes.min(self.taken_bytes + WRITE_BYTES);
            while self.taken_bytes < call_end {
                let room = self.write_queue.room(size);
                if room == 0 && self.memory_bytes() >= self.send_buffer.bytes {
                    self.send_buffer.is_full = true;
                    break;
                }
                let fits = if room > 0 { room } else { size };
                let taken = fits.min(call_end - self.taken_bytes);
                self.write_queue.append(taken, room > 0);
                self.taken_bytes += taken;
                let pushes = self.taken_bytes > self.send_buffer.pushed_bytes + self.largest_window_bytes / 2;
                let is_head = self.write_queue.len() == 1;
                if taken == fits && self.taken_bytes < call_end && (pushes || is_head) {
                    if pushes {
                        self.send_buffer.pushed_bytes = self.taken_bytes;
                    }
                    let reason = if pushes { SendReason::Normal } else { SendReason::One };
                    self.send_new(reason, now, out);
                }
            }
            self.send_buffer.pushed_bytes = self.taken_bytes;
            self.send_new(SendReason::Normal, now, out);
        }
        self.send_fin(now, out);
    }

    /// An ACK has freed memory: a buffer that is full grows with the window unless that is full too, and the application
    /// goes on when a third is free (`tcp_new_space`, `sk_stream_write_space`).
    pub(super) fn free_send_buffer(&mut self, now: Time, out: &mut impl Output) {
        if self.send_buffer.is_full {
            self.refill_send_buffer(now, out);
        }
    }

    #[inline(never)]
    fn refill_send_buffer(&mut self, now: Time, out: &mut impl Output) {
        if self.board.in_flight() < self.control.window.cwnd {
            self.expand_send_buffer();
            self.validation.renew(now);
        }
        let used = self.memory_bytes();
        if used + used / 2 > self.send_buffer.bytes {
            return;
        }
        self.send_buffer.is_full = false;
        self.send_buffer.takes_all = self.send_buffer.limit_bytes == u64::MAX;
        if self.limits.state() == Limit::SendBuffer {
            let idle = self.board.out() == 0 && self.unsent_bytes() == 0;
            self.limits.enter(if idle { Limit::Application } else { Limit::Network }, now);
        }
        self.check_app_limited();
        self.restart_after_idle(now);
        self.take_writes(now, out);
    }

    /// Memory never is the limit: takes all that is written. Its buffers are made as they are sent.
    fn take_all(&mut self, size_bytes: u64) {
        let room = self.write_queue.room(size_bytes);
        if room > 0 && self.write_queue.bytes() == self.unsent_bytes() {
            self.write_queue.append(room.min(self.written_bytes - self.taken_bytes), true);
        }
        self.taken_bytes = self.written_bytes;
    }

    /// The buffer at the head of the write queue, of which `unsent` bytes are not sent.
    #[inline]
    pub(super) fn head_bytes(&mut self, unsent: u64) -> u64 {
        if self.write_queue.head == 0 {
            self.write_queue.head = unsent.min(self.buffer_bytes());
        }
        self.write_queue.head
    }

    /// Memory of what is taken and not acknowledged (`sk_wmem_queued`).
    fn memory_bytes(&self) -> u64 {
        let buffers = u64::from(self.board.buffers()) + self.write_queue.len() as u64;
        self.taken_bytes - self.board.una_bytes() + buffers * EMPTY_BYTES
    }

    /// What a buffer of the write queue has room for: whole segments of a super-packet, and of half the largest window
    /// that the receiver has offered, so that at the beginning it is 22 segments and not 45 (`tcp_xmit_size_goal`,
    /// `tcp_bound_to_half_wnd`).
    fn buffer_bytes(&mut self) -> u64 {
        let window = self.edge_bytes.saturating_sub(self.board.una_bytes());
        self.largest_window_bytes = self.largest_window_bytes.max(window);
        let tiny = self.largest_window_bytes <= TINY_WINDOW_BYTES;
        let half = if tiny { self.largest_window_bytes } else { self.largest_window_bytes / 2 };
        let mss = u64::from(self.mss_bytes);
        (half.min(SUPER_PACKET_BYTES - 1 - HEADROOM_BYTES) / mss).max(1) * mss
    }
}
