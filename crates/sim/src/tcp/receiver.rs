//! The receiver: reassembly, and when to acknowledge (RFC 5681 section 4.2, RFC 1122; as Linux 6.1 does it).
//!
//! Linux acknowledges every second full-sized segment or after 40 ms, later where data comes seldom and the path is
//! longer than that, but each of the first 16 segments at once (quick ACKs, `tcp_incr_quickack`), each that opens the
//! window, each that is short, ends a burst (PSH), fills the last hole or had been delivered before; of those behind a
//! hole the first three, and then one ACK for up to 44 within 1 ms or 5 % of the RTT and 100 µs more (SACK compression,
//! 4.18).

mod acks;

use super::ack_delay::AckDelay;
use super::ecn::{Echo, EcnMode, Heard};
use super::sack::{Arrival, Reassembly};
use super::timer::Deadline;
use super::timestamps::RecentStamp;
use super::window::ReceiveWindow;
use crate::index::FlowId;
use crate::net::{Ack, Marks, NO_OPTION, Packet, PacketKind, SackBlock};
use crate::serial::nearest;
use run::Host;
use std::ops::Range;
use units::{Span, Time, low_bits};

/// `TCP_MAX_QUICKACKS`.
const MAX_QUICK_ACKS: u32 = 16;
/// So many more ACKs are not delayed once CE has come, or what a sender sends again (`__tcp_ecn_check_ce`).
const ECN_QUICK_ACKS: u32 = 2;

/// `tcp_invalid_ratelimit`: time between two questions about the same connection's resets.
const CHALLENGE_PAUSE: Span = Span::from_millis(500);

/// What the receiving host is like.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverConfig {
    /// Host settings of the run.
    pub host: Host,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// What its host makes of ECN.
    pub ecn: EcnMode,
    /// Its application sleeps until so much is there (`SO_RCVLOWAT`); 1: it reads everything at once.
    pub low_water_bytes: u64,
}

/// How far a receiver's connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handshake {
    /// Nothing has come.
    Listening,
    /// The SYN was answered.
    Answered,
    /// Something came behind the SYN.
    Over,
}

/// One connection's receiver.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    mss_bytes: u64,
    compresses: bool,
    data: Reassembly,
    delivered_bytes: u64,
    /// What of that the application has read.
    read_bytes: u64,
    low_water_bytes: u64,
    /// Bytes that complete the flow; `u64::MAX` when nothing does.
    goal_bytes: u64,
    /// Bytes acknowledged by the last ACK.
    acked_bytes: u64,
    acked_seq: u64,
    handshake: Handshake,
    /// Timestamp to echo: of the segment that last moved the left edge (RFC 7323 section 4.3).
    recent: RecentStamp,
    quick: u32,
    /// What has come is to be answered at once (`ICSK_ACK_NOW`).
    at_once: bool,
    /// Data has come that the next ACK answers (`inet_csk_ack_scheduled`).
    owed: bool,
    /// Some of it was the last that its peer had to say (`ICSK_ACK_PUSHED`).
    pushed: bool,
    /// Its application answers what comes (`inet_csk_in_pingpong_mode`).
    is_interactive: bool,
    /// More has come in the same instant than the application has seen: it reads when all of that has been received.
    in_lump: bool,
    delay: AckDelay,
    /// What of the last packet had come before; empty: nothing, or it has been reported.
    duplicate: SackBlock,
    compressed: u32,
    compression_next: u64,
    uncompressed: u32,
    window: ReceiveWindow,
    ecn: Echo,
    /// Resets that may be forged are not questioned before.
    next_challenge: Time,
    /// A delayed ACK.
    pub delayed_ack: Deadline,
    /// A compressed SACK.
    pub compressed_ack: Deadline,
}

impl Receiver {
    /// A listening receiver.
    pub fn new(flow: FlowId, goal_bytes: Option<u64>, config: &ReceiverConfig) -> Self {
        Self {
            flow,
            mss_bytes: u64::from(config.mss_bytes),
            compresses: config.host.sack_compression,
            data: Reassembly::new(),
            delivered_bytes: 0,
            read_bytes: 0,
            low_water_bytes: config.low_water_bytes,
            goal_bytes: goal_bytes.unwrap_or(u64::MAX),
            acked_bytes: 0,
            acked_seq: 0,
            handshake: Handshake::Listening,
            recent: RecentStamp::default(),
            quick: 0,
            at_once: false,
            owed: false,
            pushed: false,
            is_interactive: false,
            in_lump: false,
            delay: AckDelay::new(),
            duplicate: SackBlock::default(),
            compressed: 0,
            compression_next: 0,
            uncompressed: 0,
            window: ReceiveWindow::new(&config.host, config.mss_bytes),
            ecn: Echo::new(config.ecn),
            next_challenge: Time::ZERO,
            delayed_ack: Deadline::default(),
            compressed_ack: Deadline::default(),
        }
    }

    /// Asks for what the next packet will read in the out-of-order data; the receiver itself must be near by then.
    #[inline]
    pub fn prefetch_data(&self) {
        self.data.prefetch();
    }

    /// The round-trip time of its handshake, ms; none: it was not measured.
    pub const fn handshake_ms(&self) -> Option<u64> {
        self.delay.handshake_ms()
    }

    /// Payload delivered in order.
    pub const fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Something has come behind the SYN.
    pub fn is_established(&self) -> bool {
        self.handshake == Handshake::Over
    }

    /// Data has come that waits behind a hole.
    pub const fn has_waiting_data(&self) -> bool {
        self.data.waiting() > 0
    }

    /// From now on it is complete when so much of the connection's payload has been delivered.
    pub const fn expect_bytes(&mut self, goal_bytes: u64) {
        self.goal_bytes = goal_bytes;
    }

    /// Its application writes a segment: gives the ACK that this carries. Soon after data it is the answer to that, and the session
    /// interactive from then on: ACKs may wait for what the application has to say (Linux 6.1 `tcp_event_data_sent`).
    pub fn request(&mut self, now: Time) -> Ack {
        self.is_interactive |= self.delay.is_soon(now.as_millis());
        self.acknowledge(now)
    }

    /// Everything that the flow carries has been delivered.
    #[inline]
    pub const fn is_complete(&self) -> bool {
        self.delivered_bytes >= self.goal_bytes
    }

    /// A packet arrives by itself, and the application may read; gives the ACK that it causes at once, if any. One that
    /// was held back and must go before it is handed to `earlier`.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, now: Time, earlier: impl FnMut(Ack)) -> Option<Ack> {
        match packet.kind {
            PacketKind::Data
                if packet.seq == low_bits(self.data.next())
                    && self.data.waiting() == 0
                    && !self.in_lump
                    && !self.ecn.mode().is_on()
                    && self.recent.admits(packet.stamp_ms) =>
            {
                self.on_expected(packet, now)
            }
            PacketKind::Data | PacketKind::Fin => self.on_others(packet, now, earlier),
            PacketKind::Syn => self.on_syn(packet, now),
            PacketKind::Reset => self.on_reset(nearest(packet.seq, self.data.next()), now),
            PacketKind::WindowProbe => {
                self.count_marks(packet);
                Some(self.acknowledge(now))
            }
            PacketKind::Bare => {
                self.count_marks(packet);
                self.at_once = false; // there is nothing to answer
                self.end_handshake(packet, now);
                None
            }
            PacketKind::SynAck
            | PacketKind::Ack
            | PacketKind::Request
            | PacketKind::Datagram
            | PacketKind::Ping
            | PacketKind::Pong => {
                unreachable!("these go to senders, or to no connection")
            }
        }
    }

    /// A SYN is answered, also one that comes again, and of a connection that is there it is questioned as a reset is (RFC 5961
    /// section 4.2; Linux 6.1 `tcp_check_req`, `tcp_validate_incoming`).
    #[cold]
    fn on_syn(&mut self, packet: &Packet, now: Time) -> Option<Ack> {
        if self.handshake == Handshake::Over {
            return self.challenge(now);
        }
        if self.handshake == Handshake::Listening {
            self.handshake = Handshake::Answered;
            self.recent.update(packet.stamp_ms);
        }
        let marks = self.ecn.answer(packet.marks);
        Some(Ack { syn: true, marks, marked_bytes: NO_OPTION, ..self.acknowledge(now) })
    }

    /// Anything behind the SYN completes the handshake: its third packet, or data that came before that, or in its place (Linux
    /// 6.1 `tcp_check_req`).
    #[inline(always)]
    fn end_handshake(&mut self, packet: &Packet, now: Time) {
        if self.handshake != Handshake::Over {
            self.begin(packet, now);
        }
    }

    #[cold]
    fn begin(&mut self, packet: &Packet, now: Time) {
        self.handshake = Handshake::Over;
        self.window.begin(now.as_micros());
        self.window.sample_rtt(packet.echo_ms, now.stamp_ms());
        self.delay.sample_handshake(now.stamp_ms().wrapping_sub(packet.echo_ms).max(1));
    }

    /// The data that is expected next, in time, while nothing waits behind a hole and without ECN: as [other data](Self::on_others)
    /// with what is known of it (header prediction, Linux 6.1 `tcp_rcv_established`).
    #[inline(always)]
    fn on_expected(&mut self, packet: &Packet, now: Time) -> Option<Ack> {
        if packet.seq == low_bits(self.acked_seq) {
            self.recent.set(packet.stamp_ms);
        }
        self.window.sample_rtt(packet.echo_ms, now.stamp_ms());
        self.duplicate = SackBlock::default();
        let payload_bytes = u64::from(packet.payload_bytes());
        self.time_data(packet, now);
        self.grow_window(payload_bytes, packet.segments, 0);
        self.note_push(packet, payload_bytes);
        self.data.advance(u64::from(packet.segments));
        self.delivered_bytes = nearest(packet.end_bytes, self.delivered_bytes);
        let reads = self.read(now);
        let answers = self.unacknowledged_bytes() > self.mss_bytes
            || self.acks_quickly()
            || (reads && (self.has_said_all() || self.window.has_doubled(self.delivered_bytes)));
        if answers {
            return Some(self.acknowledge(now));
        }
        self.delay_ack(now);
        None
    }

    /// Data that is not all new, or comes before or behind a hole, and a FIN.
    #[inline(never)]
    fn on_others(&mut self, packet: &Packet, now: Time, earlier: impl FnMut(Ack)) -> Option<Ack> {
        let filled = self.on_data(packet, now, earlier);
        let reads = self.read(now);
        self.respond(filled, reads, now)
    }

    /// A reset ends the connection if it is what is expected next, or next to all that has arrived; one ahead of that may
    /// be forged, and is questioned (RFC 5961 section 3.2; Linux 6.1 `tcp_validate_incoming`).
    fn on_reset(&mut self, seq: u64, now: Time) -> Option<Ack> {
        let last = self.data.blocks().iter().map(|block| block.end).max();
        if seq == self.data.next() || Some(seq) == last {
            self.delayed_ack.clear();
            self.compressed_ack.clear();
            return None;
        }
        if seq > self.data.next() { self.challenge(now) } else { None }
    }

    /// Asks the sender whether it meant that, but not often (Linux 6.1 `tcp_send_challenge_ack`).
    #[cold]
    fn challenge(&mut self, now: Time) -> Option<Ack> {
        (self.next_challenge <= now).then(|| {
            self.next_challenge = now + CHALLENGE_PAUSE;
            self.acknowledge(now)
        })
    }

    /// The same for a packet of a lump, of which the application sees nothing until [its end](Self::on_lump_end): the
    /// kernel receives all of it in one go.
    pub fn on_lump_packet(&mut self, packet: &Packet, now: Time, earlier: impl FnMut(Ack)) -> Option<Ack> {
        self.in_lump = true;
        if !matches!(packet.kind, PacketKind::Data | PacketKind::Fin) {
            return self.on_packet(packet, now, earlier);
        }
        let filled = self.on_data(packet, now, earlier);
        self.respond(filled, false, now)
    }

    /// All of a lump has been received: the application may read, and what it reads may cause an ACK (Linux 6.1
    /// `__tcp_cleanup_rbuf`).
    pub fn on_lump_end(&mut self, now: Time) -> Option<Ack> {
        self.in_lump = false;
        if !self.read(now) {
            return None;
        }
        let owed = self.owed && (self.unacknowledged_bytes() > self.mss_bytes || self.has_said_all());
        (owed || self.window.has_doubled(self.delivered_bytes)).then(|| self.acknowledge(now))
    }

    /// Data comes: one segment, or several that were merged and are received as one. True when it fills the last hole.
    /// (What it calls is inlined by order: of its two callers one is there for every packet, the other for NICs.)
    #[inline(always)]
    fn on_data(&mut self, packet: &Packet, now: Time, mut earlier: impl FnMut(Ack)) -> bool {
        let (next, waiting) = (self.data.next(), self.data.waiting());
        let start = nearest(packet.seq, next);
        let end = start + u64::from(packet.segments);
        self.end_handshake(packet, now);
        self.duplicate = SackBlock::default();
        if self.recent.rejects(packet.stamp_ms) || end < self.acked_seq {
            self.refuse(SackBlock { start, end: end.min(next) });
            return false;
        }
        if start <= self.acked_seq {
            self.recent.update(packet.stamp_ms);
        }
        self.window.sample_rtt(packet.echo_ms, now.stamp_ms());
        if self.ecn.mode().is_on() {
            self.take_in_header(packet);
        }
        if end <= next {
            self.owed = true;
            self.report_duplicate(SackBlock { start, end });
            return false;
        }
        let payload_bytes = u64::from(packet.payload_bytes());
        if start > next {
            if self.ecn.mode().is_on() {
                self.take_in_ecn(packet.marks, now, &mut earlier);
            }
            if self.compressed > 0 && self.data.displaces(start, end) {
                earlier(self.acknowledge(now));
            }
            self.owed = true;
            if self.take(packet, start..end, start, payload_bytes) && payload_bytes > 0 {
                // Before the buffer holds it (`tcp_data_queue_ofo`).
                let buffered = waiting + self.unread_segments();
                self.quick |= u32::from(self.window.grow(payload_bytes, packet.segments, buffered));
            }
            return false;
        }
        if start < next {
            self.duplicate = SackBlock { start, end: next };
        }
        if packet.kind == PacketKind::Fin {
            self.on_fin();
        } else {
            self.time_data(packet, now);
            if self.ecn.mode().is_on() {
                self.take_in_ecn(packet.marks, now, &mut earlier);
            }
            self.grow_window(payload_bytes, packet.segments, waiting);
            self.note_push(packet, payload_bytes);
        }
        if start == next && waiting == 0 {
            self.data.advance(u64::from(packet.segments));
            self.delivered_bytes = nearest(packet.end_bytes, self.delivered_bytes);
        } else {
            self.take(packet, start..end, next, payload_bytes);
        }
        waiting > 0 && self.data.waiting() == 0
    }

    /// Whether it was the last that the peer had to say: of what was merged only PSH tells (Linux 6.1
    /// `tcp_measure_rcv_mss`).
    #[inline(always)]
    const fn note_push(&mut self, packet: &Packet, payload_bytes: u64) {
        self.pushed |= packet.marks.is_pushed() || (packet.segments == 1 && payload_bytes < self.mss_bytes);
    }

    /// The peer has closed: what it is owed may wait for what the application has to say (Linux 6.1 `tcp_fin`).
    #[cold]
    const fn on_fin(&mut self) {
        self.owed = true;
        self.quick = 0;
    }

    /// What lies before the last ACK, or is older than what came since (PAWS), is answered and goes no further (Linux 6.1
    /// `tcp_validate_incoming`, `tcp_send_dupack`). `old`: what of it had come before; it ends before it begins: nothing. On a path
    /// that reorders, data is refused that was sent before a retransmission and arrives behind it.
    #[cold]
    fn refuse(&mut self, old: SackBlock) {
        if old.start < old.end {
            self.report_duplicate(old);
        }
        self.at_once = true;
    }

    #[cold]
    fn report_duplicate(&mut self, block: SackBlock) {
        self.enter_quick_acks(MAX_QUICK_ACKS);
        self.duplicate = block;
    }

    /// Puts a packet's segments, of `all` those from `first` on, where they belong. True when one of them is new and behind a
    /// hole.
    #[inline]
    fn take(&mut self, packet: &Packet, all: Range<u64>, first: u64, payload_bytes: u64) -> bool {
        let last_end = nearest(packet.end_bytes, self.delivered_bytes);
        if packet.segments == 1 {
            return self.take_segment(first, last_end);
        }
        let start_bytes = last_end - payload_bytes;
        let mut is_early = false;
        for seq in first..all.end {
            let end_bytes = (start_bytes + (seq + 1 - all.start) * self.mss_bytes).min(last_end);
            is_early |= self.take_segment(seq, end_bytes);
        }
        is_early
    }

    fn take_segment(&mut self, seq: u64, end_bytes: u64) -> bool {
        match self.data.arrive(seq, end_bytes) {
            Arrival::InOrder { bytes, .. } => self.delivered_bytes = bytes,
            Arrival::OutOfOrder => return true,
            Arrival::Duplicate if self.duplicate.end == seq => self.duplicate.end = seq + 1,
            Arrival::Duplicate if self.duplicate.start == self.duplicate.end => {
                self.duplicate = SackBlock { start: seq, end: seq + 1 };
            }
            // Only what adjoins is reported (`tcp_dsack_extend`).
            Arrival::Duplicate => {}
        }
        false
    }

    /// The application reads everything when enough is there for it, or the window is nearly used up
    /// (`tcp_epollin_ready`). True when it does.
    #[inline(always)]
    fn read(&mut self, now: Time) -> bool {
        let unread = self.delivered_bytes - self.read_bytes;
        let wakes = unread >= self.low_water_bytes || self.window.left_bytes(self.delivered_bytes) <= self.mss_bytes;
        if unread == 0 || !wakes {
            return false;
        }
        // The buffer is sized as each piece is read (`tcp_recvmsg_locked`): what is read with the first one counts for
        // the next round trip.
        self.window.adjust(self.read_bytes + unread.min(self.mss_bytes), now.as_micros());
        self.read_bytes = self.delivered_bytes;
        true
    }

    /// What the ECN bits of a packet's headers say, whatever becomes of its data: a count of marks, or that the sender has
    /// reduced its window, which may be very narrow now (Linux 6.1 `tcp_ecn_accept_cwr`).
    fn take_in_header(&mut self, packet: &Packet) {
        if self.ecn.mode().is_accurate() {
            self.count_marks(packet);
        } else if packet.marks.is_reduced() {
            self.ecn.stop();
            self.at_once = true;
        }
    }

    /// A packet comes, of which a host with accurate ECN counts the mark.
    fn count_marks(&mut self, packet: &Packet) {
        if self.ecn.mode().is_accurate() {
            self.at_once |= self.ecn.count(packet);
        }
    }

    /// What the ECN field of new data says. A change that its sender is to see is answered at once, and what is owed for the
    /// data before it, before that.
    fn take_in_ecn(&mut self, marks: Marks, now: Time, earlier: &mut impl FnMut(Ack)) {
        match self.ecn.hear(marks) {
            Heard::Nothing => {}
            Heard::Occasion => self.enter_quick_acks(ECN_QUICK_ACKS),
            Heard::Change => {
                if self.delayed_ack.is_set() {
                    self.end_compression();
                    let marks = self.ecn.marks_before();
                    earlier(Ack { marks, ..self.ack(now) });
                }
                self.at_once = true;
            }
        }
    }

    /// The delayed-ACK engine's view of new data (`tcp_event_data_recv`).
    #[inline(always)]
    fn time_data(&mut self, packet: &Packet, now: Time) {
        if self.delay.on_data(now.as_millis()) {
            self.end_handshake(packet, now);
            self.add_quick_acks(MAX_QUICK_ACKS);
        }
        self.owed = true;
    }

    /// New data, `segments` in one piece, before it joins the `waiting` ones behind it, lets the window grow.
    #[inline(always)]
    fn grow_window(&mut self, payload_bytes: u64, segments: u16, waiting: u32) {
        let buffered = waiting + u32::from(segments) + self.unread_segments();
        if self.window.grow(payload_bytes, segments, buffered) {
            self.quick |= 1;
        }
    }
}
