//! The sender: its state, its application's data, and what leaves when (Linux 6.1 `tcp_write_xmit`).
//!
//! Acknowledgements are taken in by [`super::acknowledge`], losses handled by [`super::recovery`], the
//! retransmission timer by [`super::timeout`].

use super::burst::{Pacing, SUPER_PACKET_BYTES};
use super::limits::{Limit, Limits};
use super::rate::DeliveryRate;
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::timer::Deadline;
use crate::net::{HEADERS_BYTES, Packet, PacketKind};
use cc::{CongestionControl, Controller, Restart, Start, Window};
use run::SocketMemory;
use std::collections::BTreeMap;
use units::{Segments, Span, Time};

/// Where packets go.
pub trait Output {
    /// Sends one.
    fn send(&mut self, packet: Packet);
}

/// What the sending host is like.
#[derive(Clone, Debug)]
pub struct SenderConfig {
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// Initial window.
    pub initial_window: Segments,
    /// The host paces what its algorithm does not (`fq`).
    pub paces_always: bool,
    /// Limit of the send buffer.
    pub socket_memory: SocketMemory,
    /// Bursts leave as super-packets.
    pub offload: bool,
    /// The algorithm.
    pub algorithm: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, f64>,
    /// Seed of its random stream.
    pub seed: u64,
}

/// What the retransmission timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    Nothing,
    /// The handshake's answer.
    Handshake,
    /// RFC 6298's timeout.
    Timeout,
    /// A tail loss probe is due (RFC 8985 section 7).
    LossProbe,
    /// What RACK suspects may yet arrive (RFC 8985 section 6.3).
    Reordering,
    /// A closed window is to be probed.
    WindowProbe,
}

/// Cumulative counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub segments_sent: u64,
    pub segments_retransmitted: u64,
    pub acks: u64,
    pub timeouts: u64,
    pub probes: u64,
    pub undos: u64,
}

/// A sender's state at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Gauges {
    pub min_rtt_us: u32,
    pub window: Window,
    pub in_flight: u32,
    pub pacing_rate: Option<units::Rate>,
    pub delivery_rate_bps: u64,
    pub inspection: cc::Inspection,
}

/// Why data is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Push {
    /// The window allows it.
    Normal,
    /// One segment, whatever the window says: a tail loss probe.
    Probe,
}

/// One connection's sender.
#[derive(Debug)]
pub struct Sender {
    pub(super) flow: u32,
    pub(super) mss_bytes: u32,
    pub(super) established: bool,
    pub(super) board: Scoreboard,
    pub(super) window: Window,
    pub(super) rtt: RttEstimator,
    pub(super) rate: DeliveryRate,
    pub(super) pacing: Pacing,
    pub(super) recovery: Recovery,
    pub(super) cc: Controller,
    pub(super) pending: Pending,
    pub(super) counters: Counters,
    /// Segments that D-SACKs reported.
    pub(super) duplicates: u64,
    /// Payload that the application has written, and has been sent, and is acknowledged.
    written_bytes: u64,
    sent_bytes: u64,
    pub(super) una_bytes: u64,
    /// Right edge of the receiver's window.
    pub(super) edge_bytes: u64,
    /// The application has written its last byte: a short segment may go.
    closed: bool,
    /// The application stopped: what it has not sent it never will.
    stopped: bool,
    /// One past the last short segment (Minshall's variable).
    short_end: u64,
    /// Segments left of the super-packet at the head of the write queue.
    chunk_left: Segments,
    send_buffer: SendBuffer,
    /// Whether the flight fills the window, over the last round (Linux 6.1 `tcp_cwnd_validate`).
    cwnd_is_limit: bool,
    max_out: u32,
    usage_round_end: u64,
    cwnd_used: u32,
    cwnd_stamp_ms: u64,
    last_sent: Time,
    limits: Limits,
    /// The receiver's last timestamp, ms.
    pub(super) echo_ms: u32,
    /// Bytes that wait in the host's own queue, and whether that holds data back (TCP small queues).
    pub(super) host_queue_bytes: u64,
    host_queue_holds: bool,
    offload: bool,
    initial_window: Segments,
    algorithm: Option<Box<(String, BTreeMap<String, f64>, u64)>>,
    pub(super) connect_at: Time,
    /// Smallest raw RTT sample.
    pub(super) rtt_least_us: Option<u32>,
    /// The ACK in hand's RTT sample.
    pub(super) rtt_sample_us: Option<u32>,
    /// Timers.
    pub timer: Deadline,
    /// The next paced departure.
    pub pacing_timer: Deadline,
}

/// The send buffer: `None` is no limit.
#[derive(Clone, Copy, Debug)]
struct SendBuffer {
    limit_bytes: Option<u64>,
    /// Grows with the window (`tcp_sndbuf_expand`).
    bytes: u64,
}

/// `tcp_wmem[2]` by default.
const DEFAULT_SEND_LIMIT_BYTES: u64 = 4 << 20;
/// Memory that Linux reserves for a full-sized segment of 1500 bytes in `tcp_sndbuf_expand`.
const SEGMENT_MEMORY_BYTES: u64 = 2_304;
/// Segments of a full super-packet in the write queue.
const fn chunk_segments(mss_bytes: u32) -> Segments {
    /// `MAX_TCP_HEADER` of Linux 6.1 without tunnels.
    const HEADROOM_BYTES: u64 = 320;
    let segments = (SUPER_PACKET_BYTES - 1 - HEADROOM_BYTES) / mss_bytes as u64;
    if segments == 0 { 1 } else { segments as Segments }
}

impl Sender {
    /// A sender that has not connected yet.
    pub fn new(flow: u32, config: &SenderConfig) -> Self {
        let start = Start {
            now: Time::ZERO,
            mss_bytes: config.mss_bytes,
            cwnd: config.initial_window,
            rtt_us: None,
            seed: config.seed,
        };
        let cc = cc::build(&config.algorithm, &config.parameters, &start).expect("checked before the run");
        let limit_bytes = match config.socket_memory {
            SocketMemory::Max => None,
            SocketMemory::Default => Some(DEFAULT_SEND_LIMIT_BYTES),
            SocketMemory::Bytes(bytes) => Some(bytes),
        };
        Self {
            flow,
            mss_bytes: config.mss_bytes,
            established: false,
            board: Scoreboard::new(),
            window: Window { cwnd: config.initial_window, ssthresh: Segments::MAX },
            rtt: RttEstimator::default(),
            rate: DeliveryRate::default(),
            pacing: Pacing::new(config.paces_always || cc.pacing_rate().is_some()),
            recovery: Recovery::default(),
            cc,
            pending: Pending::Nothing,
            counters: Counters::default(),
            duplicates: 0,
            written_bytes: 0,
            sent_bytes: 0,
            una_bytes: 0,
            edge_bytes: 0,
            closed: false,
            stopped: false,
            short_end: 0,
            chunk_left: 0,
            send_buffer: SendBuffer { limit_bytes, bytes: 0 },
            cwnd_is_limit: false,
            max_out: 0,
            usage_round_end: 0,
            cwnd_used: 0,
            cwnd_stamp_ms: 0,
            last_sent: Time::ZERO,
            limits: Limits::default(),
            echo_ms: 0,
            host_queue_bytes: 0,
            host_queue_holds: false,
            offload: config.offload,
            initial_window: config.initial_window,
            algorithm: Some(Box::new((config.algorithm.clone(), config.parameters.clone(), config.seed))),
            connect_at: Time::NEVER,
            rtt_least_us: None,
            rtt_sample_us: None,
            timer: Deadline::default(),
            pacing_timer: Deadline::default(),
        }
    }

    /// The handshake is complete, after `rtt_us` when its SYN was not repeated.
    pub(super) fn establish(&mut self, rtt_us: Option<u32>, now: Time, out: &mut impl Output) {
        self.established = true;
        if let Some(rtt_us) = rtt_us {
            self.rtt.update_minimum(now.as_millis(), rtt_us);
            self.rtt.update(rtt_us, 0, 0);
            self.rtt_least_us = Some(rtt_us);
        }
        self.rate.delivered = 1; // the SYN
        self.rate.delivered_at_us = now.as_micros();
        self.cwnd_stamp_ms = now.as_millis();
        if let Some(algorithm) = self.algorithm.take() {
            let (name, parameters, seed) = *algorithm;
            let start = Start { now, mss_bytes: self.mss_bytes, cwnd: self.window.cwnd, rtt_us, seed };
            self.cc = cc::build(&name, &parameters, &start).expect("checked before the run");
        }
        self.update_pacing_rate();
        self.limits.begin(now);
        out.send(self.packet(PacketKind::Bare, 0, 0, 0, now));
    }

    /// The application writes `bytes`.
    pub fn write(&mut self, bytes: u64, now: Time, out: &mut impl Output) {
        self.check_app_limited();
        self.restart_after_idle(now);
        self.written_bytes = self.written_bytes.saturating_add(bytes);
        if self.established {
            self.push_new(Push::Normal, now, out);
            self.probe_closed_window(now);
        }
    }

    /// The application has written its last byte.
    pub const fn close(&mut self) {
        self.closed = true;
    }

    /// The application stops: nothing new is sent, what is out is still delivered.
    pub const fn stop(&mut self) {
        self.written_bytes = self.sent_bytes;
        self.stopped = true;
    }

    /// Bytes that may be sent: written, and within the send buffer.
    #[inline]
    fn unsent_bytes(&self) -> u64 {
        let unsent = self.written_bytes - self.sent_bytes;
        match self.send_buffer.limit_bytes {
            None => unsent,
            Some(_) => unsent.min((self.una_bytes + self.send_buffer.bytes).saturating_sub(self.sent_bytes)),
        }
    }

    /// There is new data.
    pub(super) fn has_unsent(&self) -> bool {
        self.unsent_bytes() > 0
    }

    /// There is new data, and the receiver's window admits it.
    pub(super) fn can_send_new(&self) -> bool {
        let unsent = self.unsent_bytes();
        unsent > 0 && self.sent_bytes + unsent.min(u64::from(self.mss_bytes)) <= self.edge_bytes
    }

    /// Linux 6.1 `tcp_sndbuf_expand`: room for twice the window, in Linux's accounting.
    pub(super) fn expand_send_buffer(&mut self) {
        if let Some(limit) = self.send_buffer.limit_bytes {
            let segments = u64::from(self.window.cwnd.max(10).max(self.recovery.reordering + 1));
            let wanted = segments * SEGMENT_MEMORY_BYTES * u64::from(self.cc.send_buffer_factor());
            self.send_buffer.bytes = self.send_buffer.bytes.max(wanted.min(limit));
        }
    }

    /// Linux 6.1 `tcp_rate_check_app_limited`: the pipe has a gap that the network did not cause.
    pub(super) fn check_app_limited(&mut self) {
        let in_flight = self.board.in_flight();
        if self.unsent_bytes() < u64::from(self.mss_bytes)
            && self.host_queue_bytes == 0
            && in_flight < self.window.cwnd
            && self.board.lost() <= self.board.retransmitted()
        {
            self.rate.on_app_limited(in_flight);
        }
    }

    /// RFC 5681 section 4.1 as Linux 6.1 `tcp_cwnd_restart`: after an idle timeout the window shrinks.
    fn restart_after_idle(&mut self, now: Time) {
        if self.board.out() > 0 || self.cc.owns_window() || !self.established {
            return;
        }
        let rto = Span::from_millis(self.rtt.rto_ms());
        let mut idle = now.saturating_since(self.last_sent);
        if self.last_sent == Time::ZERO || idle <= rto {
            return;
        }
        self.window.ssthresh = self.current_ssthresh();
        let floor = self.initial_window.min(self.window.cwnd);
        idle = idle.saturating_sub(rto);
        while idle > Span::ZERO && self.window.cwnd > floor {
            self.window.cwnd >>= 1;
            idle = idle.saturating_sub(rto);
        }
        self.window.cwnd = self.window.cwnd.max(floor);
        self.cwnd_stamp_ms = now.as_millis();
        self.cwnd_used = 0;
    }

    /// The rate that sizes bursts and paces departures.
    #[inline]
    pub(super) fn update_pacing_rate(&mut self) {
        match self.cc.pacing_rate() {
            Some(rate) => self.pacing.set_rate(rate),
            None => self.pacing.follow_window(
                self.mss_bytes,
                self.window.cwnd,
                self.window.ssthresh,
                self.board.out(),
                self.rtt.srtt_us8(),
            ),
        }
    }

    #[inline]
    pub(super) fn burst_segments(&self) -> Segments {
        self.pacing.burst_segments(self.mss_bytes, self.rtt.min_us(), self.cc.min_burst())
    }

    /// Sends what windows, pacing and queues allow. True when something was sent.
    pub(super) fn push_new(&mut self, push: Push, now: Time, out: &mut impl Output) -> bool {
        let mss = u64::from(self.mss_bytes);
        let max_burst = self.burst_segments();
        let mut sent = 0;
        let mut cwnd_limited = false;
        let mut rwnd_limited = false;
        loop {
            let unsent = self.unsent_bytes();
            if unsent == 0 {
                break;
            }
            if self.pacing.holds(now) {
                self.pacing_timer.set(self.pacing.next());
                break;
            }
            let quota = match (self.cwnd_quota(), push) {
                (0, Push::Normal) => break,
                (0, Push::Probe) => 1,
                (quota, _) => quota,
            };
            let window = self.edge_bytes.saturating_sub(self.sent_bytes);
            if window < unsent.min(mss) {
                rwnd_limited = true;
                break;
            }
            if self.chunk_left == 0 {
                self.chunk_left = chunk_segments(self.mss_bytes);
            }
            let chunk = unsent.min(u64::from(self.chunk_left) * mss);
            let whole_queue = chunk == unsent;
            let bytes = if chunk <= mss {
                if whole_queue && self.nagle_holds(chunk) {
                    break;
                }
                chunk
            } else {
                if push == Push::Normal
                    && self.defers_burst(chunk, whole_queue, window, max_burst, now, &mut cwnd_limited, &mut rwnd_limited)
                {
                    break;
                }
                let limit = u64::from(quota.min(max_burst)) * mss;
                let needed = chunk.min(window).min(limit);
                let short = needed % mss;
                // A short segment at the end goes along only if Nagle's rule lets it.
                if short > 0 && needed > mss && (needed < chunk || self.nagle_holds(short)) { needed - short } else { needed }
            };
            if self.small_queue_holds(bytes) {
                self.host_queue_holds = true;
                break;
            }
            sent += self.transmit_new(bytes, now, out);
            if push == Push::Probe {
                break;
            }
        }
        self.after_push(push, sent, cwnd_limited, rwnd_limited, now)
    }

    fn after_push(&mut self, push: Push, sent: u32, cwnd_limited: bool, rwnd_limited: bool, now: Time) -> bool {
        let limit = if rwnd_limited {
            Limit::ReceiveWindow
        } else if self.board.out() == 0 && self.unsent_bytes() == 0 {
            Limit::Application
        } else if self.written_bytes > self.sent_bytes && self.unsent_bytes() == 0 && !self.is_cwnd_limited() {
            Limit::SendBuffer
        } else {
            Limit::Network
        };
        self.limits.enter(limit, now);
        let cwnd_limited = cwnd_limited || self.board.in_flight() >= self.window.cwnd;
        if sent > 0 || cwnd_limited {
            self.validate_window(cwnd_limited, now);
        }
        if sent > 0 {
            if self.recovery.is_reducing() {
                self.recovery.prr_out += sent;
            }
            if push == Push::Normal {
                self.schedule_probe(false, now);
            }
        }
        sent > 0
    }

    /// Segments that the congestion window admits now; at most half the window, so that two bursts are in flight
    /// (Linux 6.1 `tcp_cwnd_test`).
    #[inline]
    fn cwnd_quota(&self) -> Segments {
        let room = self.window.cwnd.saturating_sub(self.board.in_flight());
        room.min((self.window.cwnd >> 1).max(1))
    }

    /// Nagle's rule with Minshall's amendment: a short segment waits while one is unacknowledged.
    fn nagle_holds(&self, bytes: u64) -> bool {
        bytes < u64::from(self.mss_bytes)
            && !self.closed
            && self.board.out() > 0
            && self.short_end > self.board.una()
    }

    /// Whether to wait for the next ACK and send a larger burst then (Linux 6.1 `tcp_tso_should_defer`).
    #[expect(clippy::too_many_arguments, reason = "one decision with everything it looks at")]
    fn defers_burst(
        &self,
        chunk: u64,
        whole_queue: bool,
        window: u64,
        max_burst: Segments,
        now: Time,
        cwnd_limited: &mut bool,
        rwnd_limited: &mut bool,
    ) -> bool {
        /// `tcp_tso_win_divisor`
        const WINDOW_DIVISOR: u64 = 3;
        const MILLISECOND: Span = Span::from_millis(1);
        if self.recovery.state >= cc::RecoveryState::Recovery || now.saturating_since(self.pacing.next()) > MILLISECOND {
            return false;
        }
        let mss = u64::from(self.mss_bytes);
        let congestion_room = u64::from(self.window.cwnd - self.board.in_flight()) * mss;
        let room = window.min(congestion_room);
        if room >= u64::from(max_burst) * mss || (!whole_queue && room >= chunk) {
            return false;
        }
        let receive_window = self.edge_bytes - self.una_bytes;
        if room >= receive_window.min(u64::from(self.window.cwnd) * mss) / WINDOW_DIVISOR || self.board.out() == 0 {
            return false;
        }
        let srtt_ns = u64::from(self.rtt.srtt_us8()) * 1_000 / 8;
        let head_sent_ns = self.board.segment(self.board.una()).sent_us * 1_000;
        let threshold_ns = (srtt_ns / 2).min(MILLISECOND.as_nanos());
        if head_sent_ns + srtt_ns > now.as_nanos() + threshold_ns {
            return false; // the next ACK is too far away to wait for
        }
        if congestion_room < window {
            *cwnd_limited |= congestion_room <= chunk;
        } else {
            *rwnd_limited |= window <= chunk;
        }
        let limited = if congestion_room < window { congestion_room <= chunk } else { window <= chunk };
        limited || !self.closed
    }

    /// TCP small queues: enough of this flow waits in the host's own queue.
    #[inline]
    fn small_queue_holds(&self, burst_bytes: u64) -> bool {
        self.host_queue_bytes > 0
            && self.board.out() > 1
            && self.host_queue_bytes > self.pacing.small_queue_bytes(burst_bytes)
    }

    /// Sends `bytes` of new data as one burst. Gives its number of segments.
    #[inline]
    fn transmit_new(&mut self, bytes: u64, now: Time, out: &mut impl Output) -> u32 {
        let mss = u64::from(self.mss_bytes);
        let first = self.board.next();
        let segments = bytes.div_ceil(mss) as u32;
        self.before_transmission(bytes, segments, now);
        let was_empty = self.board.out() == 0;
        let now_us = now.as_micros();
        let stamp_ms = now.as_millis() as u32;
        let mut left = bytes;
        for seq in first..first + u64::from(segments) {
            let payload = left.min(mss);
            left -= payload;
            self.sent_bytes += payload;
            let nothing_out = self.board.out() == 0;
            let segment = self.board.push(self.sent_bytes);
            self.rate.on_sent(segment, now_us, nothing_out);
            if !self.offload {
                out.send(Packet {
                    seq,
                    end_bytes: self.sent_bytes,
                    flow: self.flow,
                    frame_bytes: payload as u32 + HEADERS_BYTES,
                    segments: 1,
                    kind: PacketKind::Data,
                    stamp_ms,
                    echo_ms: self.echo_ms,
                });
            }
        }
        if self.offload {
            out.send(self.packet(PacketKind::Data, first, bytes, segments, now));
        }
        if bytes % mss != 0 {
            self.short_end = first + u64::from(segments);
        }
        self.chunk_left = self.chunk_left.saturating_sub(segments);
        if was_empty || self.pending == Pending::LossProbe {
            self.rearm_timeout(now);
        }
        segments
    }

    /// What every burst does before it leaves, new or again.
    #[inline]
    fn before_transmission(&mut self, bytes: u64, segments: u32, now: Time) {
        if self.board.in_flight() == 0 {
            let restart = Restart {
                now,
                app_limited: self.rate.is_app_limited(),
                delivered: self.rate.delivered,
                delivered_at: Time::ZERO + Span::from_micros(self.rate.delivered_at_us),
                last_sent: self.last_sent,
            };
            self.cc.on_restart(&restart, &mut self.window);
            if let Some(rate) = self.cc.pacing_rate() {
                self.pacing.set_rate(rate);
            }
        }
        self.last_sent = now;
        self.counters.segments_sent += u64::from(segments);
        self.pacing.on_burst(bytes, self.counters.segments_sent, now);
    }

    /// Sends again what is marked lost, as far as the window allows (Linux 6.1 `tcp_xmit_retransmit_queue`).
    pub(super) fn resend_lost(&mut self, now: Time, out: &mut impl Output) {
        let max_burst = self.burst_segments();
        let mut rearm = false;
        while let Some(first) = self.board.first_waiting() {
            if self.pacing.holds(now) {
                self.pacing_timer.set(self.pacing.next());
                break;
            }
            let room = self.window.cwnd.saturating_sub(self.board.in_flight());
            if room == 0 {
                break;
            }
            if self.small_queue_holds(u64::from(self.mss_bytes)) {
                self.host_queue_holds = true;
                break;
            }
            let head = self.board.una();
            let segments = self.retransmit_run(first, room.min(max_burst), true, now, out);
            if self.recovery.is_reducing() {
                self.recovery.prr_out += segments;
            }
            rearm |= first == head && self.pending != Pending::Reordering;
        }
        if rearm {
            self.set_timeout(now);
        }
    }

    /// Retransmits `first` and what is lost right behind it, up to `most` segments as one burst.
    pub(super) fn retransmit_run(&mut self, first: u64, most: u32, counted: bool, now: Time, out: &mut impl Output) -> u32 {
        let mut end = first + 1;
        while counted && end < self.board.next() && ((end - first) as u32) < most {
            let segment = self.board.segment(end);
            if !segment.is_lost() || segment.is_retransmitted() || segment.is_sacked() {
                break;
            }
            end += 1;
        }
        let start_bytes = self.start_bytes(first);
        let segments = (end - first) as u32;
        let bytes = self.board.segment(end - 1).end_bytes - start_bytes;
        self.before_transmission(bytes, segments, now);
        self.counters.segments_retransmitted += u64::from(segments);
        let now_us = now.as_micros();
        for seq in first..end {
            let start = self.start_bytes(seq);
            let segment = self.board.retransmit(seq, now_us, counted);
            let end_bytes = segment.end_bytes;
            self.rate.on_sent(segment, now_us, false);
            if !self.offload {
                let packet = self.packet(PacketKind::Data, seq, end_bytes - start, 1, now);
                out.send(Packet { end_bytes, ..packet });
            }
        }
        if self.offload {
            let packet = self.packet(PacketKind::Data, first, bytes, segments, now);
            out.send(Packet { end_bytes: start_bytes + bytes, ..packet });
        }
        if counted {
            let stamp = &mut self.recovery.retransmit_stamp_ms;
            stamp.get_or_insert(now.as_millis() as u32);
            let undo = &mut self.recovery.undo_retransmits;
            *undo = Some(undo.unwrap_or(0) + segments);
        }
        segments
    }

    /// Payload bytes before a segment of the window.
    fn start_bytes(&self, seq: u64) -> u64 {
        if seq == self.board.una() { self.una_bytes } else { self.board.segment(seq - 1).end_bytes }
    }

    /// A packet of this flow; of data, the one that ends at the last byte sent.
    pub(super) fn packet(&self, kind: PacketKind, seq: u64, payload: u64, segments: u32, now: Time) -> Packet {
        Packet {
            seq,
            end_bytes: self.sent_bytes,
            flow: self.flow,
            frame_bytes: payload as u32 + HEADERS_BYTES * segments.max(1),
            segments: segments as u16,
            kind,
            stamp_ms: now.as_millis() as u32,
            echo_ms: self.echo_ms,
        }
    }

    /// The flight fills the window: growth is earned (Linux 6.1 `tcp_is_cwnd_limited`).
    #[inline]
    pub(super) fn is_cwnd_limited(&self) -> bool {
        // In slow start the window may grow to twice what was used.
        self.cwnd_is_limit || (self.window.in_slow_start() && self.window.cwnd < 2 * self.max_out)
    }

    /// Linux 6.1 `tcp_cwnd_validate`: keeps the strongest sign of use over a round, and shrinks a window that the
    /// application has not used for a timeout (RFC 2861).
    fn validate_window(&mut self, cwnd_limited: bool, now: Time) {
        let out = self.board.out();
        if self.board.una() >= self.usage_round_end || cwnd_limited || (!self.cwnd_is_limit && out > self.max_out) {
            self.cwnd_is_limit = cwnd_limited;
            self.max_out = out;
            self.usage_round_end = self.board.next();
        }
        let now_ms = now.as_millis();
        if self.is_cwnd_limited() {
            self.cwnd_used = 0;
            self.cwnd_stamp_ms = now_ms;
            return;
        }
        self.cwnd_used = self.cwnd_used.max(out);
        if self.cc.owns_window() || now_ms - self.cwnd_stamp_ms < self.rtt.rto_ms() {
            return;
        }
        if self.recovery.state == cc::RecoveryState::Open && self.limits.state() != Limit::SendBuffer {
            let used = self.cwnd_used.max(self.initial_window);
            if used < self.window.cwnd {
                self.window.ssthresh = self.current_ssthresh();
                self.window.cwnd = (self.window.cwnd + used) >> 1;
            }
            self.cwnd_used = 0;
        }
        self.cwnd_stamp_ms = now_ms;
    }

    /// The pacing timer, or room in the host's queue: goes on where it was held back.
    pub fn resume(&mut self, now: Time, out: &mut impl Output) {
        self.host_queue_holds = false;
        if self.board.lost() > self.board.retransmitted() && self.window.cwnd > self.board.in_flight() {
            self.resend_lost(now, out);
        }
        self.push_new(Push::Normal, now, out);
    }

    /// Frames of this flow left the host's own queue.
    pub fn on_host_queue_drained(&mut self, bytes: u64, now: Time, out: &mut impl Output) {
        self.host_queue_bytes -= bytes;
        if self.host_queue_holds {
            self.resume(now, out);
        }
    }

    /// Frames of this flow entered the host's own queue.
    pub const fn on_host_queued(&mut self, bytes: u64) {
        self.host_queue_bytes += bytes;
    }

    /// Asks for what the flow's next ACK will read in the scoreboard; the sender itself must be near by then.
    #[inline]
    pub fn prefetch_scoreboard(&self) {
        self.board.prefetch();
    }

    /// Smoothed RTT, µs; 0 before the first sample.
    pub const fn srtt_us(&self) -> u32 {
        self.rtt.srtt_us()
    }

    /// The other gauges, read by [`crate::trace`].
    pub fn gauges(&self) -> Gauges {
        Gauges {
            min_rtt_us: self.rtt.min_us(),
            window: self.window,
            in_flight: self.board.in_flight(),
            pacing_rate: self.pacing.active.then(|| self.pacing.rate()),
            delivery_rate_bps: self.rate.shown_bps(self.mss_bytes),
            inspection: self.cc.inspect(),
        }
    }

    /// Names of the algorithm's phases.
    pub fn phases(&self) -> &'static [&'static str] {
        self.cc.phases()
    }

    /// The counters.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Segments marked lost so far.
    pub const fn lost_total(&self) -> u64 {
        self.board.lost_total()
    }

    /// The ACK in hand's RTT sample, µs.
    pub const fn rtt_sample_us(&self) -> Option<u32> {
        self.rtt_sample_us
    }

    /// The smallest RTT sample, µs.
    pub const fn rtt_least_us(&self) -> Option<u32> {
        self.rtt_least_us
    }

    /// Random loss begins with the first data.
    pub const fn is_established(&self) -> bool {
        self.established
    }

    /// Times limited by application, receive window and send buffer until `now`.
    pub fn limited(&self, now: Time) -> (Span, Span, Span) {
        if self.established { self.limits.until(now) } else { Default::default() }
    }
}
