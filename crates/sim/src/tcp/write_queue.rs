//! The write queue: what the socket takes of what its application writes, and when the application goes on (Linux 6.1
//! `tcp_sendmsg_locked`, `tcp_check_space`, `tcp_sndbuf_expand`).
//!
//! A full buffer lets the application write again when a third of it is free, so that data comes in lumps. Memory counts
//! with its descriptors: each super-packet of the write queue has one, and each burst that it was sent as.

use super::limits::Limit;
use super::sender::{Output, SendReason, Sender};
use super::transmit::chunk_segments;
use super::truesize::{EMPTY_BYTES, segment};
use super::window::TIMESTAMP_BYTES;
use cc::CongestionControl;
use units::Time;

/// `TCP_INIT_CWND`: room for so many segments at least.
const LEAST_SEGMENTS: u32 = 10;
/// The application hands over so much with one call at most, as on the engine `linux`; the end of each is pushed.
const WRITE_BYTES: u64 = 1 << 20;

impl Sender {
    /// Room for twice the window, for BBR three times, if every segment were sent by itself (`tcp_sndbuf_expand`).
    pub(super) fn expand_send_buffer(&mut self) {
        if let Some(limit) = self.send_buffer.limit_bytes {
            let most = self.control.window.cwnd.max(self.recovery.rack.reordering() + 1);
            let reserved = segment(u64::from(self.mss_bytes) + TIMESTAMP_BYTES);
            let factor = u64::from(self.control.cc.send_buffer_factor());
            let wanted = u64::from(most.max(LEAST_SEGMENTS)) * reserved * factor;
            self.send_buffer.bytes = self.send_buffer.bytes.max(wanted.min(limit));
        }
    }

    /// Takes what there is room for of what the application has written, and sends what may be sent.
    pub(super) fn take_writes(&mut self, now: Time, out: &mut impl Output) {
        if self.send_buffer.limit_bytes.is_none() {
            self.taken_bytes = self.written_bytes;
            self.send_new(SendReason::Normal, now, out);
            return;
        }
        while self.taken_bytes < self.written_bytes && !self.send_buffer.is_full {
            let call_end = self.written_bytes.min(self.taken_bytes + WRITE_BYTES);
            while self.taken_bytes < call_end {
                let (room, first) = match self.room_at_the_tail() {
                    0 if self.memory_bytes() >= self.send_buffer.bytes => {
                        self.send_buffer.is_full = true;
                        break;
                    }
                    0 => (self.chunk_bytes(), self.unsent_bytes() == 0),
                    room => (room, self.unsent_bytes() <= u64::from(self.chunk_left) * u64::from(self.mss_bytes)),
                };
                let taken = room.min(call_end - self.taken_bytes);
                self.taken_bytes += taken;
                let pushes = self.taken_bytes > self.send_buffer.pushed_bytes + self.receive_window_bytes() / 2;
                if taken == room && self.taken_bytes < call_end && (pushes || first) {
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
    }

    /// An ACK has freed memory: a buffer that is full grows with the window unless that is full too, and the application
    /// goes on when a third is free (`tcp_new_space`, `sk_stream_write_space`).
    pub(super) fn free_send_buffer(&mut self, now: Time, out: &mut impl Output) {
        if !self.send_buffer.is_full {
            return;
        }
        if self.board.in_flight() < self.control.window.cwnd {
            self.expand_send_buffer();
            self.validation.renew(now);
        }
        let used = self.memory_bytes();
        if used + used / 2 > self.send_buffer.bytes {
            return;
        }
        self.send_buffer.is_full = false;
        if self.limits.state() == Limit::SendBuffer {
            let idle = self.board.out() == 0 && self.unsent_bytes() == 0;
            self.limits.enter(if idle { Limit::Application } else { Limit::Network }, now);
        }
        self.check_app_limited();
        self.restart_after_idle(now);
        self.take_writes(now, out);
    }

    /// Memory of what is taken and not acknowledged (`sk_wmem_queued`).
    fn memory_bytes(&self) -> u64 {
        let unsent = self.unsent_bytes();
        let head = u64::from(self.chunk_left) * u64::from(self.mss_bytes);
        let waiting = u64::from(unsent > 0 && head > 0) + unsent.saturating_sub(head).div_ceil(self.chunk_bytes());
        let buffers = u64::from(self.board.buffers()) + waiting + self.cuts.len() as u64;
        self.taken_bytes - self.board.una_bytes() + buffers * EMPTY_BYTES
    }

    /// What the last super-packet of the write queue has room for.
    fn room_at_the_tail(&self) -> u64 {
        let unsent = self.unsent_bytes();
        let head = u64::from(self.chunk_left) * u64::from(self.mss_bytes);
        match unsent.checked_sub(head) {
            _ if unsent == 0 => 0,
            None => head - unsent,
            Some(rest) => rest.next_multiple_of(self.chunk_bytes()) - rest,
        }
    }

    fn chunk_bytes(&self) -> u64 {
        u64::from(chunk_segments(self.mss_bytes)) * u64::from(self.mss_bytes)
    }

    const fn receive_window_bytes(&self) -> u64 {
        self.edge_bytes.saturating_sub(self.board.una_bytes())
    }
}
