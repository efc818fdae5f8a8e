//! The sender: its state, and its application's data.
//!
//! The parts are the fields of [`Sender`], each with methods of its own in its own file. The sender makes them work
//! together: what leaves when is decided in [`super::transmit`] and [`super::retransmission`], acknowledgements are taken
//! in by [`super::acknowledge`], the retransmission timer is kept by [`super::timeout`].

use super::burst::{Pacer, Pacing};
use super::control::Control;
use super::cwnd_validation::CwndValidation;
use super::ecn::{EcnMode, MarkCount};
use super::flights::Flights;
use super::limits::Limits;
use super::rate::DeliveryRate;
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::send_buffer::SendBuffer;
use super::timer::Deadline;
use super::timestamps::RecentStamp;
use super::write_queue::WriteQueue;
use crate::engine::prefetch;
use crate::index::FlowId;
use crate::net::{Ack, Marks, Packet, PacketKind, Waiting};
use cc::{CongestionControl, Controller, Start, Window};
use run::{FRAME_HEADERS_BYTES, Gauges, SocketMemory};
use std::collections::BTreeMap;
use units::{Rate, Segments, Span, Time};

/// Where packets go.
pub trait Output {
    /// Sends one packet of a burst.
    fn send(&mut self, packet: Packet);

    /// The packets sent since the last call, of one flow, are a whole burst: what one call of TCP's transmit hands to
    /// its host (in Linux one `sk_buff`). It is not to leave before `departure`.
    fn hand_over(&mut self, flow: FlowId, departure: Time) -> HandedOver;

    /// What of this flow waits in the sending host's own queue and device.
    fn waiting(&self, flow: FlowId) -> Waiting;
}

/// What the host did with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedOver {
    /// It took all of it, or some.
    Taken,
    /// Its own queue dropped all of it (Linux 6.1 `NET_XMIT_DROP`).
    Dropped,
}

/// What the sending host is like.
#[derive(Clone, Debug)]
pub struct SenderConfig {
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// Initial window.
    pub initial_window: Segments,
    /// The host's own queue is `fq`, which spaces departures.
    pub behind_fair_queue: bool,
    /// Limit of the send buffer.
    pub socket_memory: SocketMemory,
    /// The send buffer that a connection begins with, where memory has no limit.
    pub first_buffer_bytes: u64,
    /// Bursts leave as super-packets.
    pub offload: bool,
    /// What it offers of ECN.
    pub ecn: EcnMode,
    /// The congestion control.
    pub algorithm: Algorithm,
}

impl SenderConfig {
    /// Without `fq`, only algorithms that ask for it are paced (`sk_pacing_status`).
    fn pacer(&self, cc: &Controller) -> Pacer {
        match (self.behind_fair_queue, cc.pacing_rate()) {
            (true, _) => Pacer::FairQueue,
            (false, Some(_)) => Pacer::Sender,
            (false, None) => Pacer::Nobody,
        }
    }
}

/// A congestion control to be built.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Its name in the registry.
    pub name: String,
    /// Parameters that differ from its defaults.
    pub parameters: BTreeMap<String, f64>,
    /// Seed of its random stream.
    pub seed: u64,
}

impl Algorithm {
    fn build(&self, now: Time, mss_bytes: u32, cwnd: Segments, rtt_us: Option<u32>, ecn: bool) -> Controller {
        let start = Start { now, mss_bytes, cwnd, rtt_us, seed: self.seed, ecn };
        cc::build(&self.name, &self.parameters, &start).expect("checked before the run")
    }
}

/// What the retransmission timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerPurpose {
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
    /// Segments delivered by ACKs with ECE, or packets that ACKs count as marked (Linux's `delivered_ce`).
    pub delivered_ce: u64,
    pub acks: u64,
    pub timeouts: u64,
    pub probes: u64,
}

/// Why data is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendReason {
    /// The window allows it.
    Normal,
    /// The same, and short segments do not wait: F-RTO asks.
    Short,
    /// The window allows it, but one burst only: its application has more to write.
    One,
    /// One segment, whatever the window says: a tail loss probe.
    Probe,
}

/// What tells the receiver that nothing more comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fin {
    /// The connection is open, or its last data carries it.
    None,
    /// To be sent by itself: all data had been sent when the application closed.
    Due,
    /// As this segment.
    Sent(u64),
}

/// One connection's sender.
#[derive(Debug)]
pub struct Sender {
    pub(super) flow: FlowId,
    pub(super) mss_bytes: u32,
    pub(super) established: bool,
    pub(super) board: Scoreboard,
    pub(super) control: Control,
    pub(super) rtt: RttEstimator,
    pub(super) rate: DeliveryRate,
    pub(super) pacing: Pacing,
    pub(super) recovery: Recovery,
    pub(super) timer_purpose: TimerPurpose,
    pub(super) counters: Counters,
    /// Payload that the application writes, that the send buffer has taken of it (`write_seq`), and that has been sent.
    pub(super) written_bytes: u64,
    pub(super) taken_bytes: u64,
    pub(super) sent_bytes: u64,
    /// Right edge of the receiver's window.
    pub(super) edge_bytes: u64,
    /// The largest window that it offered (`max_window`).
    pub(super) largest_window_bytes: u64,
    /// The application has written its last byte, and the send buffer not taken it yet.
    pub(super) closes: bool,
    /// It has taken it: a short segment may go.
    pub(super) closed: bool,
    pub(super) fin: Fin,
    /// The application aborted the connection, or it was given up: there is none any more.
    aborted: bool,
    /// Nothing that it sent had been answered for so long that it was given up.
    given_up: bool,
    /// Probes of a closed window since the last ACK (`icsk_probes_out`).
    pub(super) unanswered_probes: u32,
    /// One past the last short segment (Minshall's variable).
    pub(super) short_end: u64,
    /// The host dropped a burst while nothing was out: no ACK will ask for it again. A probe will, from when the
    /// application writes or an ACK comes; where the pacing timer sent the burst nothing does, as in Linux 6.1
    /// (`tcp_tsq_write` does not look at the probe timer).
    pub(super) stalled: bool,
    pub(super) write_queue: WriteQueue,
    pub(super) send_buffer: SendBuffer,
    /// Whether the flight fills the window.
    pub(super) validation: CwndValidation,
    pub(super) last_sent: Time,
    pub(super) limits: Limits,
    /// The receiver's newest timestamp.
    pub(super) recent: RecentStamp,
    /// What waits in the host's own queue, and whether that holds data back (TCP small queues).
    pub(super) waiting: Waiting,
    pub(super) host_queue_holds: bool,
    pub(super) offload: bool,
    /// What it offers of ECN; once established, what both ends do.
    pub(super) ecn: EcnMode,
    /// With accurate ECN.
    pub(super) mark_count: MarkCount,
    pub(super) initial_window: Segments,
    /// What the algorithm is built from once the handshake has measured an RTT.
    algorithm: Option<Box<Algorithm>>,
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

/// TCP's timestamps option, padded.
const TIMESTAMPS_BYTES: u32 = 12;

impl Sender {
    /// A sender that has not connected yet.
    pub fn new(flow: FlowId, config: &SenderConfig) -> Self {
        let cc = config.algorithm.build(Time::ZERO, config.mss_bytes, config.initial_window, None, config.ecn.is_on());
        Self {
            flow,
            mss_bytes: config.mss_bytes,
            established: false,
            board: Scoreboard::new(),
            rtt: RttEstimator::default(),
            rate: DeliveryRate::default(),
            pacing: Pacing::new(config.pacer(&cc)),
            recovery: Recovery::default(),
            control: Control { cc, window: Window { cwnd: config.initial_window, ssthresh: Segments::MAX } },
            timer_purpose: TimerPurpose::Nothing,
            counters: Counters::default(),
            written_bytes: 0,
            taken_bytes: 0,
            sent_bytes: 0,
            edge_bytes: 0,
            largest_window_bytes: 0,
            closes: false,
            closed: false,
            fin: Fin::None,
            aborted: false,
            given_up: false,
            unanswered_probes: 0,
            short_end: 0,
            stalled: false,
            write_queue: WriteQueue::default(),
            send_buffer: SendBuffer::new(config.socket_memory, config.first_buffer_bytes),
            validation: CwndValidation::default(),
            last_sent: Time::ZERO,
            limits: Limits::default(),
            recent: RecentStamp::default(),
            waiting: Waiting::default(),
            host_queue_holds: false,
            offload: config.offload,
            ecn: config.ecn,
            mark_count: MarkCount::default(),
            initial_window: config.initial_window,
            algorithm: Some(Box::new(config.algorithm.clone())),
            connect_at: Time::NEVER,
            rtt_least_us: None,
            rtt_sample_us: None,
            timer: Deadline::default(),
            pacing_timer: Deadline::default(),
        }
    }

    /// The handshake is complete, after `rtt_us`; the ACK of it has these marks.
    pub(super) fn establish(&mut self, rtt_us: u32, marks: Marks, now: Time, out: &mut impl Output) {
        self.established = true;
        self.rtt.update_minimum(now.as_millis(), rtt_us);
        self.rtt.update(rtt_us, 0, 0);
        self.rtt_least_us = Some(rtt_us);
        self.rate.delivered = 1; // the SYN
        self.rate.delivered_at_us = now.as_micros();
        self.validation.renew(now);
        if let Some(algorithm) = self.algorithm.take() {
            let cwnd = self.control.window.cwnd;
            self.control.cc = algorithm.build(now, self.mss_bytes, cwnd, Some(rtt_us), self.ecn.is_on());
        }
        if self.control.cc.watches_losses() {
            self.board.flights = Some(Box::new(Flights::new()));
        }
        if !self.control.cc.paces() {
            self.pacing.release();
        }
        self.update_pacing_rate();
        self.expand_send_buffer();
        self.limits.begin(now);
        let packet = self.packet(PacketKind::Bare, 0, 0, 0, self.pacing.stamp(now));
        self.send_bare(Packet { marks, ..packet }, now, out);
    }

    /// Sends a segment without data.
    pub(super) fn send_bare(&self, packet: Packet, now: Time, out: &mut impl Output) {
        out.send(packet);
        out.hand_over(self.flow, self.pacing.stamp(now));
    }

    /// The application writes `bytes`.
    pub fn write(&mut self, bytes: u64, now: Time, out: &mut impl Output) {
        self.check_app_limited();
        self.restart_after_idle(now);
        self.written_bytes = self.written_bytes.saturating_add(bytes);
        if self.established {
            self.take_writes(now, out);
            self.probe_closed_window(false, now);
        }
    }

    /// All that its application has written has arrived, as an ACK says for which segment `una` is the next.
    pub fn has_delivered(&self, una: u64) -> bool {
        una == self.board.next() && self.taken_bytes == self.written_bytes && !self.has_unsent()
    }

    /// The application has written its last byte.
    pub fn close(&mut self, now: Time, out: &mut impl Output) {
        self.closes = true;
        self.send_fin(now, out);
        self.probe_closed_window(false, now);
    }

    /// Once everything is taken, the last data that is not sent yet carries the FIN, or else it is sent by itself (Linux 6.1
    /// `tcp_send_fin`).
    pub(super) fn send_fin(&mut self, now: Time, out: &mut impl Output) {
        if self.closes && self.taken_bytes == self.written_bytes {
            self.closes = false;
            self.closed = true;
            if self.unsent_bytes() == 0 {
                self.fin = Fin::Due;
            }
            self.send_new(SendReason::Normal, now, out);
        }
    }

    /// The application aborts the connection: nothing of it is sent or sent again, what is under way still arrives, and
    /// behind it a reset (Linux 6.1 `tcp_disconnect`, after SO_LINGER with no time).
    pub fn abort(&mut self, now: Time, out: &mut impl Output) {
        if self.aborted {
            return;
        }
        self.end();
        if self.established {
            self.send_bare(self.packet(PacketKind::Reset, self.board.next(), 0, 0, self.pacing.stamp(now)), now, out);
        }
    }

    const fn end(&mut self) {
        self.aborted = true;
        self.timer_purpose = TimerPurpose::Nothing;
        self.timer.clear();
        self.pacing_timer.clear();
        self.host_queue_holds = false;
    }

    /// What was sent has been repeated in vain for as long as the host tries: the application gets an error, ETIMEDOUT, and the other
    /// side learns nothing (Linux 6.1 `tcp_write_err`).
    #[cold]
    pub(super) const fn give_up(&mut self) {
        self.end();
        self.given_up = true;
    }

    /// The connection was given up.
    pub const fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// Whether the connection was aborted or given up.
    pub const fn is_aborted(&self) -> bool {
        self.aborted
    }

    /// A host that knows of no connection answers each of its segments with a reset, which is the next that the other
    /// side expects (RFC 9293 section 3.10.7.1; Linux 6.1 `tcp_v4_send_reset`: at once, whatever a queue holds back).
    #[cold]
    pub(super) fn refuse(&self, ack: &Ack, now: Time, out: &mut impl Output) {
        let frame_bytes = FRAME_HEADERS_BYTES - TIMESTAMPS_BYTES;
        out.send(Packet { frame_bytes, ..self.packet(PacketKind::Reset, ack.una, 0, 0, now) });
        out.hand_over(self.flow, now);
    }

    /// The first segment that is not acknowledged.
    #[inline]
    pub const fn una(&self) -> u64 {
        self.board.una()
    }

    /// Right edge of the receiver's window in payload bytes.
    #[inline]
    pub const fn edge_bytes(&self) -> u64 {
        self.edge_bytes
    }

    /// Nothing more is to be sent: everything that was written has been acknowledged, or the connection was aborted.
    pub const fn is_over(&self) -> bool {
        self.aborted || (self.board.una_bytes() >= self.written_bytes && self.board.out() == 0 && !self.has_unsent())
    }

    /// Bytes that may be sent: those in the write queue.
    #[inline]
    pub(super) const fn unsent_bytes(&self) -> u64 {
        self.taken_bytes - self.sent_bytes
    }

    /// There is new data, or a FIN.
    #[inline]
    pub(super) const fn has_unsent(&self) -> bool {
        self.unsent_bytes() > 0 || matches!(self.fin, Fin::Due)
    }

    /// What the receiver's window must have room for, if any of that is to leave; a FIN takes the room of a byte.
    #[inline]
    pub(super) fn least_bytes(&self) -> u64 {
        self.unsent_bytes().clamp(1, u64::from(self.mss_bytes))
    }

    /// There is new data, and the receiver's window admits it.
    pub(super) fn can_send_new(&self) -> bool {
        self.has_unsent() && self.sent_bytes + self.least_bytes() <= self.edge_bytes
    }

    /// Linux 6.1 `tcp_rate_check_app_limited`: the pipe has a gap that the network did not cause.
    pub(super) fn check_app_limited(&mut self) {
        let in_flight = self.board.in_flight();
        if self.unsent_bytes() < u64::from(self.mss_bytes)
            && self.waiting.buffers == 0
            && in_flight < self.control.window.cwnd
            && self.board.lost() <= self.board.retransmitted()
        {
            self.rate.on_app_limited(in_flight);
        }
    }

    /// The rate that sizes bursts and paces departures.
    #[inline]
    pub(super) fn update_pacing_rate(&mut self) {
        match self.control.cc.pacing_rate() {
            Some(rate) => self.pacing.set_rate(rate),
            None => self.pacing.follow_window(
                self.mss_bytes,
                self.control.window.cwnd,
                self.control.window.ssthresh,
                self.board.out(),
                self.rtt.srtt_us8(),
            ),
        }
    }

    /// The pacing timer is due.
    pub fn on_pacing_timer(&mut self, now: Time, out: &mut impl Output) {
        self.pacing_timer.clear();
        self.resume(now, out);
    }

    /// The pacing timer, or room in the host's queue: goes on where it was held back.
    pub fn resume(&mut self, now: Time, out: &mut impl Output) {
        self.host_queue_holds = false;
        if self.aborted {
            return;
        }
        if self.board.lost() > self.board.retransmitted() && self.control.window.cwnd > self.board.in_flight() {
            self.resend_lost(now, out);
        }
        self.send_new(SendReason::Normal, now, out);
    }

    /// Something of this flow left the host's own queue.
    pub fn on_host_queue_drained(&mut self, now: Time, out: &mut impl Output) {
        self.waiting = out.waiting(self.flow);
        if self.host_queue_holds {
            self.resume(now, out);
        }
    }

    /// Asks for what the flow's next ACK will read beside the sender itself, which must be near by then.
    #[inline]
    pub fn prefetch_rest(&self) {
        self.board.prefetch();
        let state = self.control.cc.state();
        if size_of_val(state) > size_of::<Controller>() {
            prefetch(state); // it lies in a box
        }
    }

    /// Smoothed RTT, µs; 0 before the first sample.
    pub const fn srtt_us(&self) -> u32 {
        self.rtt.srtt_us()
    }

    /// The other gauges; `bottleneck_bytes` is the receiver's to tell.
    pub fn gauges(&self, bottleneck_bytes: u64) -> Gauges {
        let Window { cwnd, ssthresh } = self.control.window;
        let shown = self.control.cc.inspect();
        let bps = |rate: Option<Rate>| rate.map_or(u64::MAX, Rate::as_bps);
        Gauges {
            bottleneck_bytes,
            cwnd_segments: cwnd,
            ssthresh_segments: ssthresh,
            inflight_segments: self.board.in_flight(),
            min_rtt_us: self.rtt.min_us(),
            cc_min_rtt_us: shown.min_rtt_us.unwrap_or(u32::MAX),
            pacing_rate_bps: if self.pacing.is_active() { self.pacing.rate().as_bps() } else { u64::MAX },
            delivery_rate_bps: self.rate.shown_bps(self.mss_bytes),
            bandwidth_bps: bps(shown.bandwidth),
            pacing_gain_256ths: shown.pacing_gain_256ths,
            cwnd_gain_256ths: shown.cwnd_gain_256ths,
            bw_hi_bps: bps(shown.bw_hi),
            bw_lo_bps: bps(shown.bw_lo),
            inflight_hi_segments: shown.inflight_hi.unwrap_or(u32::MAX),
            inflight_lo_segments: shown.inflight_lo.unwrap_or(u32::MAX),
            alpha_ppm: shown.alpha_ppm.unwrap_or(u32::MAX),
            phase: shown.phase,
        }
    }

    /// Names of the algorithm's phases.
    pub fn phases(&self) -> &'static [&'static str] {
        self.control.cc.phases()
    }

    /// The counters.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Recoveries that were undone as spurious.
    pub const fn undos(&self) -> u64 {
        self.recovery.undos()
    }

    /// Reductions that ECE began.
    pub const fn echo_reductions(&self) -> u64 {
        self.recovery.echo_reductions()
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

    /// Times limited by application, receive window and send buffer until `now`.
    pub fn limited(&self, now: Time) -> (Span, Span, Span) {
        if self.established { self.limits.until(now) } else { Default::default() }
    }
}
