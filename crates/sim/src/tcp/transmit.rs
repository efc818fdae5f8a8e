//! When new data leaves, as far as windows, pacing and queues allow (Linux 6.1 `tcp_write_xmit`), and what every burst does
//! as it leaves, also one that is sent again.

use super::limits::Limit;
use super::sender::{Fin, HandedOver, Output, SendReason, Sender, TimerPurpose};
use crate::net::{Ecn, Marks, Packet, PacketKind, ReportId, Waiting};
use cc::{CongestionControl, RecoveryState, Restart};
use run::FRAME_HEADERS_BYTES;
use units::{Segments, Span, Time, burst_bytes, low_bits, window_segments};

/// Why a burst did not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The host's own queue dropped it.
    Dropped,
    /// What it repeats has not left the host's own queue yet (Linux 6.1 `skb_still_in_host_queue`).
    Waiting,
}

/// What new data waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// The congestion window has no room for it.
    CongestionWindow,
    /// The receiver's window has none.
    ReceiveWindow,
    /// There is none, or pacing, Nagle's rule, the host, or another burst of the same window holds it.
    Otherwise,
}

impl Sender {
    #[inline]
    pub(super) fn burst_segments(&self) -> Segments {
        let cc = &self.control.cc;
        self.pacing.burst_segments(self.mss_bytes, self.rtt.min_us(), cc.min_burst()).min(cc.max_burst())
    }

    /// Sends what windows, pacing and queues allow. True when something was sent. Every other call has nothing to send: it
    /// does no more than find that out.
    pub(super) fn send_new(&mut self, reason: SendReason, now: Time, out: &mut impl Output) -> bool {
        match self.next_burst(reason, None, now) {
            Ok((bytes, max_burst)) => self.send_bursts(bytes, max_burst, reason, now, out),
            Err(pause) => self.after_sending(reason, 0, pause, now),
        }
    }

    /// Sends a burst of `bytes`, and those that may leave behind it.
    #[inline(never)]
    fn send_bursts(
        &mut self,
        mut bytes: u64,
        max_burst: Segments,
        reason: SendReason,
        now: Time,
        out: &mut impl Output,
    ) -> bool {
        let mut sent = 0;
        let pause = loop {
            // A burst is cut off its buffer before it is known whether it leaves: however much more may be sent later,
            // that is the next burst (Linux 6.1 `tcp_write_xmit` asks `tcp_small_queue_check` after `tso_fragment`).
            if self.small_queue_holds(bytes, false) {
                self.host_queue_holds = true;
                self.write_queue.cut(bytes);
                break Pause::Otherwise;
            }
            let Ok(segments) = self.transmit_new(bytes, reason, now, out) else {
                self.write_queue.cut(bytes);
                break Pause::Otherwise;
            };
            self.write_queue.take_off(bytes);
            sent += segments;
            if matches!(reason, SendReason::Probe | SendReason::One) {
                break Pause::Otherwise;
            }
            match self.next_burst(reason, Some(max_burst), now) {
                Ok((next, _)) => bytes = next,
                Err(pause) => break pause,
            }
        };
        self.after_sending(reason, sent, pause, now)
    }

    /// Bytes of the burst that windows and pacing allow now, none for a FIN, and the most segments that one may have:
    /// `max_burst`, unless that is to be computed.
    #[inline(always)]
    fn next_burst(
        &mut self,
        reason: SendReason,
        max_burst: Option<Segments>,
        now: Time,
    ) -> Result<(u64, Segments), Pause> {
        if !self.has_unsent() {
            return Err(Pause::Otherwise);
        }
        let (unsent, mss) = (self.unsent_bytes(), u64::from(self.mss_bytes));
        if self.pacing.holds(now) {
            self.pacing_timer.set(self.pacing.next());
            return Err(Pause::Otherwise);
        }
        let quota = match (self.cwnd_quota(), reason) {
            (0, SendReason::Probe) => 1,
            (0, _) if self.is_last(unsent) => 1,
            (0, _) => return Err(Pause::Otherwise),
            (quota, _) => quota,
        };
        let window = self.edge_bytes.saturating_sub(self.sent_bytes);
        if window < self.least_bytes() {
            return Err(Pause::ReceiveWindow);
        }
        let chunk = self.head_bytes(unsent);
        let max_burst = max_burst.unwrap_or_else(|| self.burst_segments());
        let entire_queue = chunk == unsent;
        if chunk <= mss {
            if entire_queue && self.nagle_holds(chunk, reason) {
                return Err(Pause::Otherwise);
            }
            return Ok((chunk, max_burst));
        }
        if !matches!(reason, SendReason::Probe | SendReason::One)
            && let Some(pause) = self.defers_burst(chunk, entire_queue, window, max_burst, now)
        {
            return Err(pause);
        }
        let limit = u64::from(quota.min(max_burst)) * mss;
        let needed = chunk.min(window).min(limit);
        let short = needed % mss;
        // A short segment at the end goes along only if Nagle's rule lets it.
        if short > 0 && needed > mss && (needed < chunk || self.nagle_holds(short, reason)) {
            return Ok((needed - short, max_burst));
        }
        Ok((needed, max_burst))
    }

    #[inline(always)]
    fn after_sending(&mut self, reason: SendReason, sent: u32, pause: Pause, now: Time) -> bool {
        let limit = if self.board.out() == 0 && self.unsent_bytes() == 0 {
            Limit::Application
        } else if self.limits.state() == Limit::SendBuffer {
            Limit::SendBuffer // until there is room again
        } else if pause == Pause::ReceiveWindow {
            Limit::ReceiveWindow
        } else {
            Limit::Network
        };
        self.limits.enter(limit, now);
        if pause == Pause::CongestionWindow || self.board.in_flight() >= self.control.window.cwnd {
            self.validation.observe_full(&self.board, now);
        } else if sent > 0 {
            self.validate_window(now);
            if self.send_buffer.is_full()
                && self.unsent_bytes() == 0
                && !self.validation.is_cwnd_limited(&self.control.window)
            {
                self.limits.enter(Limit::SendBuffer, now);
            }
        }
        if sent > 0 {
            self.recovery.on_sent(sent);
            if reason != SendReason::Probe {
                self.schedule_probe(false, now);
            }
        }
        sent > 0
    }

    /// The use of the window, and what it takes to keep it (RFC 2861).
    fn validate_window(&mut self, now: Time) {
        self.validation.observe(&self.board, &self.control.window, now);
        if !self.control.cc.owns_window() && self.validation.has_expired(self.rtt.rto_ms(), now) {
            self.give_window_back(now);
        }
    }

    #[cold]
    fn give_window_back(&mut self, now: Time) {
        if self.recovery.state() == RecoveryState::Open && !self.send_buffer.is_full() {
            let ssthresh = self.recovery.current_ssthresh(&self.control.window);
            self.validation.give_back(&mut self.control.window, ssthresh, self.initial_window);
        }
        self.validation.renew(now);
    }

    /// New data after a pause: a window that has not been used for long is not to be trusted.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        if self.board.out() > 0 || self.control.cc.owns_window() || !self.established {
            return;
        }
        let rto = Span::from_millis(self.rtt.rto_ms());
        let idle = now.saturating_since(self.last_sent);
        if self.last_sent == Time::ZERO || idle <= rto {
            return;
        }
        let window = &mut self.control.window;
        window.ssthresh = self.recovery.current_ssthresh(window);
        self.validation.restart(window, self.initial_window, idle, rto, now);
    }

    /// Segments that the congestion window admits now; at most half the window, so that two bursts are in flight
    /// (Linux 6.1 `tcp_cwnd_test`).
    #[inline]
    fn cwnd_quota(&self) -> Segments {
        let room = self.control.window.cwnd.saturating_sub(self.board.in_flight());
        room.min((self.control.window.cwnd >> 1).max(1))
    }

    /// `unsent` is the last segment of all: it carries the FIN or is it, for which the window is not strict (Linux 6.1
    /// `tcp_cwnd_test`).
    fn is_last(&self, unsent: u64) -> bool {
        self.closed && unsent <= u64::from(self.mss_bytes)
    }

    /// Nagle's rule with Minshall's amendment: a short segment waits while one is unacknowledged.
    fn nagle_holds(&self, bytes: u64, reason: SendReason) -> bool {
        reason == SendReason::Normal
            && bytes < u64::from(self.mss_bytes)
            && !self.closed
            && self.board.out() > 0
            && self.short_end > self.board.una()
    }

    /// Whether to wait for the next ACK and send a larger burst then (Linux 6.1 `tcp_tso_should_defer`).
    #[inline]
    fn defers_burst(
        &self,
        chunk: u64,
        entire_queue: bool,
        window: u64,
        max_burst: Segments,
        now: Time,
    ) -> Option<Pause> {
        /// `tcp_tso_win_divisor`
        const WINDOW_DIVISOR: u64 = 3;
        const MILLISECOND: Span = Span::from_millis(1);
        if self.recovery.state() >= RecoveryState::Recovery || now.saturating_since(self.pacing.next()) > MILLISECOND {
            return None;
        }
        let mss = u64::from(self.mss_bytes);
        let congestion_room = u64::from(self.control.window.cwnd - self.board.in_flight()) * mss;
        let room = window.min(congestion_room);
        if room >= u64::from(max_burst) * mss || (!entire_queue && room >= chunk) {
            return None;
        }
        let receive_window = self.edge_bytes - self.board.una_bytes();
        if room >= receive_window.min(u64::from(self.control.window.cwnd) * mss) / WINDOW_DIVISOR
            || self.board.out() == 0
        {
            return None;
        }
        let srtt_ns = u64::from(self.rtt.srtt_us8()) * 1_000 / 8;
        let head_sent_ns = self.board.segment(self.board.una()).sent_us * 1_000;
        let threshold_ns = (srtt_ns / 2).min(MILLISECOND.as_nanos());
        if head_sent_ns + srtt_ns > now.as_nanos() + threshold_ns {
            return None; // the next ACK is too far away to wait for
        }
        match (congestion_room < window, room <= chunk) {
            (true, true) => Some(Pause::CongestionWindow),
            (false, true) => Some(Pause::ReceiveWindow),
            (_, false) => (!self.closed).then_some(Pause::Otherwise),
        }
    }

    /// TCP small queues: enough of this flow waits in the host's own queue. Asked before each burst, of the payload
    /// `bytes`; `again`: retransmissions may wait for twice as much. What is at most one burst is never held (Linux 6.1
    /// `tcp_small_queue_check`).
    #[inline]
    pub(super) fn small_queue_holds(&self, bytes: u64, again: bool) -> bool {
        self.waiting.buffers > 0 && self.small_queue_is_full(bytes, again)
    }

    #[inline(never)]
    fn small_queue_is_full(&self, bytes: u64, again: bool) -> bool {
        self.pacing.small_queue_holds(self.waiting, Waiting::one(burst_bytes(bytes)), again) && !self.is_one_burst_out()
    }

    /// At most one burst is out, whole (Linux 6.1 `tcp_rtx_queue_empty_or_single_skb`).
    fn is_one_burst_out(&self) -> bool {
        self.board.buffers() <= 1
    }

    /// Sends `bytes` of new data as one burst; none: the FIN. Gives its number of segments. The last one carries PSH when it is not
    /// alone, in this transmission only (Linux 6.1 `__tcp_transmit_skb`), or whenever it is sent, because nothing that
    /// the application wrote comes after it now (`tcp_push`).
    #[inline]
    fn transmit_new(
        &mut self,
        bytes: u64,
        reason: SendReason,
        now: Time,
        out: &mut impl Output,
    ) -> Result<u32, Unsent> {
        let mss = u64::from(self.mss_bytes);
        let first = self.board.next();
        let (segments, kind) =
            if bytes > 0 { (window_segments(bytes.div_ceil(mss)), PacketKind::Data) } else { (1, PacketKind::Fin) };
        self.before_transmission(kind, segments, now);
        let was_empty = self.board.out() == 0;
        let before_bytes = self.sent_bytes;
        let departure = self.pacing.stamp(now);
        let (departure_us, stamp_ms) = (departure.as_micros(), departure.stamp_ms());
        let (mut left, mut pushed) = (bytes, false);
        // The first new data says that the window was reduced (RFC 3168 section 6.1.2, `tcp_ecn_send`).
        let ecn = if kind == PacketKind::Data { self.ecn.new_data() } else { self.ecn.others() };
        let (marks, reduced) = self.header_marks(ecn, kind);
        for seq in first..first + u64::from(segments) {
            let payload = left.min(mss);
            left -= payload;
            self.sent_bytes += payload;
            let nothing_out = self.board.out() == 0;
            let segment = self.board.append(self.sent_bytes);
            self.rate.on_sent(segment, departure_us, nothing_out);
            if self.sent_bytes == self.taken_bytes {
                segment.set_pushed();
            }
            pushed = segment.is_pushed() || (left == 0 && segments > 1);
            self.board.note_flight(seq, self.counters.delivered_ce);
            if !self.offload {
                out.send(Packet {
                    seq: low_bits(seq),
                    end_bytes: low_bits(self.sent_bytes),
                    flow: self.flow,
                    frame_bytes: burst_bytes(payload) + FRAME_HEADERS_BYTES,
                    stamp_ms,
                    echo_ms: self.recent.ms(),
                    report: ReportId::NONE,
                    segments: 1,
                    kind,
                    marks: marks.pushing(pushed).reducing(reduced && seq == first),
                });
            }
        }
        if self.offload {
            let marks = marks.pushing(pushed).reducing(reduced);
            out.send(Packet { marks, ..self.packet(kind, first, bytes, segments, departure) });
        }
        if let Err(dropped) = self.hand_over(first, bytes, departure, now, out) {
            self.sent_bytes = before_bytes;
            return Err(dropped);
        }
        if bytes != u64::from(segments) * mss {
            self.short_end = first + u64::from(segments);
            if kind == PacketKind::Fin {
                self.fin = Fin::Sent(first);
            }
        }
        self.board.end_buffer();
        // Where a probe is scheduled once everything is sent, the timer is set then.
        let is_probed = reason != SendReason::Probe && self.may_probe();
        if !is_probed && (was_empty || self.timer_purpose == TimerPurpose::LossProbe) {
            self.rearm_timeout(now);
        }
        Ok(segments)
    }

    /// What a packet with this ECN field carries, and whether, of new data, the first says that the window was reduced.
    #[inline]
    fn header_marks(&mut self, ecn: Ecn, kind: PacketKind) -> (Marks, bool) {
        if !self.ecn.is_on() {
            return (Marks::new(false, ecn), false);
        }
        if self.ecn.is_accurate() {
            return (self.mark_count.marks(ecn), false);
        }
        (Marks::new(false, ecn), kind == PacketKind::Data && self.recovery.take_reduction())
    }

    /// What a packet that is no new data carries.
    fn other_marks(&self) -> Marks {
        let ecn = self.ecn.others();
        if self.ecn.is_accurate() { self.mark_count.marks(ecn) } else { Marks::new(false, ecn) }
    }

    /// The packets of a burst were sent: hands it over. A drop by the host itself is congestion, which is seen at once
    /// (Linux 6.1 `__tcp_transmit_skb`), and segments from `next` on were not sent.
    #[inline(always)]
    pub(super) fn hand_over(
        &mut self,
        next: u64,
        bytes: u64,
        departure: Time,
        now: Time,
        out: &mut impl Output,
    ) -> Result<(), Unsent> {
        let handed_over = out.hand_over(self.flow, departure);
        self.waiting = out.waiting(self.flow);
        self.stalled = handed_over == HandedOver::Dropped;
        if self.stalled {
            return Err(self.take_back(next, now));
        }
        self.pacing.on_burst(bytes, self.counters.segments_sent, now);
        Ok(())
    }

    #[cold]
    fn take_back(&mut self, next: u64, now: Time) -> Unsent {
        self.pacing.on_drop(now);
        self.board.retract(next);
        self.recovery.enter_reduction(&self.board, &mut self.control);
        Unsent::Dropped
    }

    /// What every burst does before it leaves, new or again.
    #[inline]
    pub(super) fn before_transmission(&mut self, kind: PacketKind, segments: u32, now: Time) {
        if self.board.in_flight() == 0 {
            self.restart(now);
        }
        self.last_sent = now;
        if kind == PacketKind::Data {
            self.counters.segments_sent += u64::from(segments);
        }
    }

    /// Nothing is in flight: the algorithm may begin anew.
    #[cold]
    fn restart(&mut self, now: Time) {
        let restart = Restart {
            now,
            app_limited: self.rate.is_app_limited(),
            delivered: self.rate.delivered,
            delivered_at: Time::ZERO + Span::from_micros(self.rate.delivered_at_us),
            last_sent: self.last_sent,
        };
        self.control.cc.on_restart(&restart, &mut self.control.window);
        if let Some(rate) = self.control.cc.pacing_rate() {
            self.pacing.set_rate(rate);
        }
    }

    /// A packet of this flow; of data, the one that ends at the last byte sent.
    pub(super) fn packet(&self, kind: PacketKind, seq: u64, payload: u64, segments: u32, now: Time) -> Packet {
        Packet {
            seq: low_bits(seq),
            end_bytes: low_bits(self.sent_bytes),
            flow: self.flow,
            frame_bytes: burst_bytes(payload) + FRAME_HEADERS_BYTES * segments.max(1),
            stamp_ms: now.stamp_ms(),
            echo_ms: self.recent.ms(),
            report: ReportId::NONE,
            segments: u16::try_from(segments).expect("a burst has at most 64 KiB"),
            kind,
            marks: self.other_marks(),
        }
    }
}
