//! What is sent again: what is marked lost, as far as windows, pacing and queues allow (Linux 6.1
//! `tcp_xmit_retransmit_queue`), and probes.

use super::sender::{Fin, Output, Sender, TimerPurpose};
use super::transmit::Unsent;
use crate::net::{Packet, PacketKind};
use units::{Time, low_bits, window_segments};

impl Sender {
    /// Sends again what is marked lost, as far as the window allows (Linux 6.1 `tcp_xmit_retransmit_queue`).
    pub(super) fn resend_lost(&mut self, now: Time, out: &mut impl Output) {
        let mut max_burst = None;
        let mut rearm = false;
        while let Some(first) = self.board.first_waiting() {
            if self.pacing.holds(now) {
                self.pacing_timer.set(self.pacing.next());
                break;
            }
            let room = self.control.window.cwnd.saturating_sub(self.board.in_flight());
            if room == 0 {
                break;
            }
            let head = self.board.una();
            let max_burst = *max_burst.get_or_insert_with(|| self.burst_segments());
            let end = self.lost_run(first, room.min(max_burst));
            if self.small_queue_holds(self.board.end_bytes(end - 1) - self.board.start_bytes(first), true) {
                self.host_queue_holds = true;
                break;
            }
            let Ok(segments) = self.retransmit(first, end, true, now, out) else { break };
            self.recovery.on_sent(segments);
            rearm |= first == head && self.timer_purpose != TimerPurpose::Reordering;
        }
        if rearm {
            self.set_timeout(now);
        }
    }

    /// One past the last of `first` and what is lost right behind it, up to `most` segments. A short segment ends it, as
    /// it ended the burst that it was first sent in.
    fn lost_run(&self, first: u64, most: u32) -> u64 {
        let mut end = first + 1;
        while end < self.board.next() && window_segments(end - first) < most {
            let segment = self.board.segment(end);
            let is_short = self.board.end_bytes(end - 1) - self.board.start_bytes(end - 1) < u64::from(self.mss_bytes);
            if is_short
                || self.fin == Fin::Sent(end)
                || !segment.is_lost()
                || segment.is_retransmitted()
                || segment.is_sacked()
            {
                break;
            }
            end += 1;
        }
        end
    }

    /// Sends `first..end` again, as one burst. `counted`: in the counts of what is in flight (a tail loss probe is not).
    pub(super) fn retransmit(
        &mut self,
        first: u64,
        end: u64,
        counted: bool,
        now: Time,
        out: &mut impl Output,
    ) -> Result<u32, Unsent> {
        if self.board.segment(first).sent_us > now.as_micros() {
            self.host_queue_holds = true; // it is stamped with a departure to come
            return Err(Unsent::Waiting);
        }
        let start_bytes = self.board.start_bytes(first);
        let segments = window_segments(end - first);
        let bytes = self.board.end_bytes(end - 1) - start_bytes;
        let kind = if self.fin == Fin::Sent(first) { PacketKind::Fin } else { PacketKind::Data };
        self.before_transmission(kind, segments, now);
        if kind == PacketKind::Data {
            self.counters.segments_retransmitted += u64::from(segments);
        }
        let departure = self.pacing.stamp(now);
        let pushed = segments > 1 || self.board.segment(end - 1).is_pushed();
        if self.offload {
            let packet = self.packet(kind, first, bytes, segments, departure);
            let marks = packet.marks.pushing(pushed);
            out.send(Packet { end_bytes: low_bits(start_bytes + bytes), marks, ..packet });
        } else {
            for seq in first..end {
                let (start, end_bytes) = (self.board.start_bytes(seq), self.board.end_bytes(seq));
                let pushed = if seq + 1 == end { pushed } else { self.board.segment(seq).is_pushed() };
                let packet = self.packet(kind, seq, end_bytes - start, 1, departure);
                let marks = packet.marks.pushing(pushed);
                out.send(Packet { end_bytes: low_bits(end_bytes), marks, ..packet });
            }
        }
        if counted {
            // Even if the host drops it (`tcp_retransmit_skb`).
            self.recovery.undo.on_retransmission(segments, departure.stamp_ms());
        }
        let handed_over = self.hand_over(self.board.next(), bytes, departure, now, out);
        let departure_us = departure.as_micros();
        for seq in first..end {
            if handed_over.is_ok() {
                let segment = self.board.retransmit(seq, departure_us, counted);
                self.rate.on_sent(segment, departure_us, false);
                self.board.note_flight(seq, self.counters.delivered_ce);
            } else {
                self.board.note_retransmission(seq);
            }
        }
        handed_over.map(|()| segments)
    }
}
