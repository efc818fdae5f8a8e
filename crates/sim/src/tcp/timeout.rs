//! The connection's beginning, and the one timer that guards what is out: timeouts with back-off (RFC 6298), tail
//! loss probes (RFC 8985 section 7), RACK's timer, and probes of a closed window.

use super::rack::TIMEOUT_MIN_US;
use super::recovery::Progress;
use super::rtt::{RTO_INITIAL_MS, RTO_MAX_MS, RTO_MIN_US, sample_us};
use super::sender::{Output, SendReason, Sender, TimerPurpose};
use super::transmit::Unsent;
use crate::engine::{jiffies, on_wheel};
use crate::net::{Ack, Marks, Packet, PacketKind};
use cc::{CongestionControl, RecoveryState};
use units::{Time, window_segments};

/// A SYN or bare ACK on the wire: Ethernet 14, IP 20, TCP 20, and 20 (SYN) or 12 bytes of options.
const SYN_FRAME_BYTES: u32 = 74;

/// `TCP_RESOURCE_PROBE_INTERVAL`, ms.
const RESOURCE_PROBE_MS: u64 = 500;

/// `tcp_syn_retries`: a SYN is repeated so often, for 127 s.
const SYN_RETRIES: u32 = 6;
/// `tcp_retries2`: so many repetitions would fit into the time after which a connection is given up, if the first timeout was
/// the least; so many probes of a closed window go without an answer.
const RETRIES: u32 = 15;
/// That time from the first repetition on (RFC 1122 section 4.2.3.5's R2; Linux 6.1 `tcp_model_timeout`): timeouts double from 200 ms to
/// 102.4 s, and six are of 120 s. 924.6 s.
const GIVEN_UP_MS: u64 = {
    let least_ms = RTO_MIN_US as u64 / 1_000;
    let doublings = (RTO_MAX_MS / least_ms).ilog2();
    ((2 << doublings) - 1) * least_ms + (RETRIES - doublings) as u64 * RTO_MAX_MS
};

impl Sender {
    /// Opens the connection.
    pub fn connect(&mut self, now: Time, out: &mut impl Output) {
        self.connect_at = now;
        self.send_syn(now, out);
    }

    fn send_syn(&mut self, now: Time, out: &mut impl Output) {
        let syn = self.packet(PacketKind::Syn, 0, 0, 0, self.pacing.stamp(now));
        let marks = self.ecn.syn(self.recovery.timeouts_in_row);
        self.send_bare(Packet { frame_bytes: SYN_FRAME_BYTES, marks, ..syn }, now, out);
        self.timer_purpose = TimerPurpose::Handshake;
        // RFC 6298 section 5.7: one second, doubled with each repetition
        let wait_ms = RTO_INITIAL_MS << self.recovery.timeouts_in_row.min(20);
        self.timer.set(on_wheel(now, wait_ms.min(RTO_MAX_MS)));
    }

    /// The SYN was answered.
    #[cold]
    pub(super) fn on_handshake(&mut self, ack: &Ack, now: Time, out: &mut impl Output) {
        if self.established {
            return;
        }
        self.ecn = self.ecn.answered(ack.marks);
        let marks = if self.ecn.is_accurate() {
            self.mark_count.on_answer(self.ecn, ack.marks)
        } else {
            Marks::new(false, self.ecn.others())
        };
        let repetitions = std::mem::take(&mut self.recovery.timeouts_in_row);
        self.timer_purpose = TimerPurpose::Nothing;
        self.timer.clear();
        // Of a SYN that was repeated the echo says which one was answered.
        let rtt_us = if repetitions == 0 {
            sample_us(now.since(self.connect_at).as_micros())
        } else {
            sample_us(u64::from(now.stamp_ms().wrapping_sub(ack.echo_ms).max(1)) * 1_000)
        };
        // RFC 5681 section 3.1, but only from the second repetition on, and not if the first SYN had arrived (Linux 6.1
        // `tcp_init_transfer`, `tcp_try_undo_spurious_syn`).
        if repetitions > 1 && ack.echo_ms != self.connect_at.stamp_ms() {
            self.control.window.cwnd = 1;
        }
        self.establish(rtt_us, marks, now, out);
        self.take_writes(now, out);
    }

    /// The timer went off.
    pub fn on_timer(&mut self, now: Time, out: &mut impl Output) {
        match self.timer_purpose {
            TimerPurpose::Nothing => {}
            TimerPurpose::Handshake if self.recovery.timeouts_in_row >= SYN_RETRIES => self.give_up(),
            TimerPurpose::Handshake => {
                self.recovery.timeouts_in_row += 1;
                self.send_syn(now, out);
            }
            TimerPurpose::Timeout => self.on_timeout(now, out),
            TimerPurpose::LossProbe => self.send_probe(now, out),
            TimerPurpose::Reordering => self.on_reordering_timer(now, out),
            TimerPurpose::WindowProbe => self.send_window_probe(now, out),
        }
    }

    fn on_timeout(&mut self, now: Time, out: &mut impl Output) {
        self.timer_purpose = TimerPurpose::Nothing;
        if self.board.out() == 0 {
            return;
        }
        self.counters.timeouts += 1;
        if self.has_timed_out(now) {
            return self.give_up();
        }
        self.recovery.enter_loss(&mut self.board, &mut self.control, &self.rate, now);
        self.recovery.timeouts_in_row += 1;
        let head = self.board.una();
        self.timer_purpose = TimerPurpose::Timeout;
        if self.retransmit(head, head + 1, true, now, out) == Err(Unsent::Dropped) {
            // Local congestion is waited for with less patience than loss (`tcp_retransmit_timer`).
            self.timer.set(on_wheel(now, RESOURCE_PROBE_MS));
            return;
        }
        self.rtt.back_off();
        self.timer.set(on_wheel(now, self.rtt.rto_ms()));
    }

    /// The same segment has been repeated in vain for too long (Linux 6.1 `retransmits_timed_out`).
    fn has_timed_out(&self, now: Time) -> bool {
        let since = self.recovery.undo.retransmit_stamp_ms();
        self.recovery.timeouts_in_row > 0
            && since.is_some_and(|since_ms| u64::from(now.stamp_ms().wrapping_sub(since_ms)) >= GIVEN_UP_MS)
    }

    /// RACK's timer: reordering would have been over by now.
    fn on_reordering_timer(&mut self, now: Time, out: &mut impl Output) {
        let (in_flight, lost) = (self.board.in_flight(), self.board.lost_total());
        // What should be given more time yet is not waited for again (`tcp_rack_reo_timeout`).
        self.recovery.rack.detect_losses(&mut self.board, self.recovery.state(), &self.rtt, now.as_micros());
        self.control.on_losses(&mut self.board, now, self.rate.delivered);
        if in_flight != self.board.in_flight() {
            if self.recovery.state() != RecoveryState::Recovery {
                self.recovery.enter(false, &self.board, &mut self.control);
                if !self.control.cc.owns_window() {
                    let progress = Progress {
                        in_flight: self.board.in_flight(),
                        delivered: 1,
                        newly_lost: window_segments(self.board.lost_total() - lost),
                        advanced: false,
                    };
                    self.recovery.reduce_window(&mut self.control.window, progress);
                }
            }
            self.resend_lost(now, out);
        }
        if self.timer_purpose != TimerPurpose::Timeout {
            self.rearm_timeout(now);
        }
    }

    /// Sets RACK's timer.
    pub(super) fn wait_for_reordering(&mut self, wait_us: u64, now: Time) {
        self.timer_purpose = TimerPurpose::Reordering;
        self.timer.set(on_wheel(now, jiffies(wait_us + TIMEOUT_MIN_US)));
    }

    /// Sets the retransmission timeout from now.
    pub(super) fn set_timeout(&mut self, now: Time) {
        self.timer_purpose = TimerPurpose::Timeout;
        self.timer.set(on_wheel(now, self.rtt.rto_ms() + self.pacing_delay_ms(now)));
    }

    /// What pacing adds to a timer (Linux 6.1 `tcp_pacing_delay`), ms.
    fn pacing_delay_ms(&self, now: Time) -> u64 {
        if self.pacing.is_active() { self.pacing.next().saturating_since(now).as_millis() } else { 0 }
    }

    /// Sets the timeout; from when the head was sent, where another timer had taken its place.
    pub(super) fn rearm_timeout(&mut self, now: Time) {
        if self.board.out() == 0 {
            self.timer_purpose = TimerPurpose::Nothing;
            self.timer.clear();
            return;
        }
        let rto_ms = match self.timer_purpose {
            TimerPurpose::Reordering | TimerPurpose::LossProbe => jiffies(self.until_timeout_us(now).max(1)),
            _ => self.rtt.rto_ms(),
        };
        self.timer_purpose = TimerPurpose::Timeout;
        self.timer.set(on_wheel(now, rto_ms.min(RTO_MAX_MS) + self.pacing_delay_ms(now)));
    }

    /// Time left of the head's timeout, µs.
    fn until_timeout_us(&self, now: Time) -> u64 {
        let head_sent_us = self.board.segment(self.board.una()).sent_us;
        (head_sent_us + self.rtt.rto_ms() * 1_000).saturating_sub(now.as_micros())
    }

    /// After progress: a tail loss probe if one is allowed, else the timeout.
    #[inline]
    pub(super) fn set_timer(&mut self, now: Time) {
        if !self.schedule_probe(true, now) {
            self.rearm_timeout(now);
        }
    }

    /// A tail loss probe is allowed now.
    #[inline]
    pub(super) fn may_probe(&self) -> bool {
        self.board.out() > 0 && matches!(self.recovery.state(), RecoveryState::Open | RecoveryState::Cwr)
    }

    /// Schedules a tail loss probe after two round trips (RFC 8985 section 7.2; Linux 6.1 `tcp_schedule_loss_probe`).
    /// `progress`: the timeout would begin anew. False when none is allowed now.
    #[inline]
    pub(super) fn schedule_probe(&mut self, progress: bool, now: Time) -> bool {
        if !self.may_probe() {
            return false;
        }
        let srtt_us8 = self.rtt.srtt_us8();
        let mut wait_ms = if srtt_us8 > 0 {
            // A lone segment's ACK may be delayed.
            let slack = if self.board.out() == 1 { u64::from(RTO_MIN_US) } else { TIMEOUT_MIN_US };
            jiffies(u64::from(srtt_us8 >> 2) + slack)
        } else {
            RTO_INITIAL_MS
        };
        let until_timeout_ms = if progress { self.rtt.rto_ms() } else { jiffies(self.until_timeout_us(now)) };
        if until_timeout_ms > 0 {
            wait_ms = wait_ms.min(until_timeout_ms);
        }
        self.timer_purpose = TimerPurpose::LossProbe;
        self.timer.set(on_wheel(now, wait_ms + self.pacing_delay_ms(now)));
        true
    }

    /// Sends a tail loss probe: new data if there is any, else the last segment again (RFC 8985 section 7.3).
    fn send_probe(&mut self, now: Time, out: &mut impl Output) {
        if self.recovery.probe.high.is_none() && self.board.out() > 0 && self.try_probe(now, out) {
            self.recovery.probe.high = Some(self.board.next());
            self.counters.probes += 1;
            self.timer_purpose = TimerPurpose::Nothing; // the timeout begins anew with the probe
        }
        self.rearm_timeout(now);
    }

    fn try_probe(&mut self, now: Time, out: &mut impl Output) -> bool {
        self.recovery.probe.retransmission = false;
        if self.can_send_new() {
            return self.send_new(SendReason::Probe, now, out);
        }
        let last = self.board.next() - 1;
        self.recovery.probe.was_app_limited = self.board.segment(last).is_app_limited();
        let sent = self.retransmit(last, last + 1, false, now, out).is_ok();
        self.recovery.probe.retransmission = sent;
        sent
    }

    /// Nothing is out, and the window admits nothing, or the host does not: asks from time to time (RFC 9293 section
    /// 3.8.6.1, Linux 6.1 `tcp_check_probe_timer`); `answered`: counted from this ACK (`tcp_ack_probe`).
    pub(super) fn probe_closed_window(&mut self, answered: bool, now: Time) {
        if self.board.out() == 0 || self.timer_purpose == TimerPurpose::WindowProbe {
            self.probe_window(answered, now);
        }
    }

    #[inline(never)]
    fn probe_window(&mut self, answered: bool, now: Time) {
        if answered {
            self.unanswered_probes = 0;
        }
        let closed = self.board.out() == 0 && self.has_unsent() && (self.stalled || !self.can_send_new());
        if closed
            && (self.timer_purpose == TimerPurpose::Nothing
                || (answered && self.timer_purpose == TimerPurpose::WindowProbe))
        {
            self.wait_for_window(now);
        } else if !closed && self.timer_purpose == TimerPurpose::WindowProbe {
            self.recovery.timeouts_in_row = 0;
            self.timer_purpose = TimerPurpose::Nothing;
            self.timer.clear();
        }
    }

    fn send_window_probe(&mut self, now: Time, out: &mut impl Output) {
        if self.unanswered_probes >= RETRIES {
            return self.give_up();
        }
        self.unanswered_probes += 1;
        if self.can_send_new() {
            // The host had no room for it (`tcp_write_wakeup` sends data that the window admits).
            self.send_new(SendReason::Probe, now, out);
            if self.board.out() > 0 {
                self.recovery.timeouts_in_row = 0;
                self.unanswered_probes = 0;
                return;
            }
        } else {
            let probe = self.packet(PacketKind::WindowProbe, self.board.una(), 0, 0, self.pacing.stamp(now));
            self.send_bare(probe, now, out);
        }
        self.recovery.timeouts_in_row += 1;
        self.wait_for_window(now);
    }

    fn wait_for_window(&mut self, now: Time) {
        self.timer_purpose = TimerPurpose::WindowProbe;
        let wait_ms = self.rtt.rto_ms() << self.recovery.timeouts_in_row.min(20);
        self.timer.set(on_wheel(now, wait_ms.min(RTO_MAX_MS)));
    }
}
