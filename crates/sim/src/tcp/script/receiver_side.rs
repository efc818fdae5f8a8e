//! A receiver alone: the script plays the sender and the network.

use super::{AckTemplate, BEGIN, MSS_BYTES, Millis, Transcript, listed, ms, stamp_ms};
use crate::index::FlowId;
use crate::net::{Ack, Ecn, Marks, Packet, PacketKind};
use crate::tcp::{EcnMode, Receiver, ReceiverConfig};
use run::{FRAME_HEADERS_BYTES, Host, Qdisc, SocketMemory};
use std::fmt::{self, Display};
use units::{Span, Time, low_bits};

/// A receiver whose handshake has just ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiverSetup {
    /// What the timestamps tell it.
    pub(super) rtt: Span,
    pub(super) sack_compression: bool,
    /// A fixed limit of its window, which does not open with every segment where it is whole segments within 16 bits.
    pub(super) window_bytes: Option<u64>,
    pub(super) low_water_bytes: u64,
    /// The most that its buffer holds; none: as much as it takes.
    pub(super) memory_bytes: Option<u64>,
    /// What its host makes of ECN.
    pub(super) ecn: EcnMode,
}

/// The template: a path of 20 ms.
pub(super) const RECEIVER: ReceiverSetup = ReceiverSetup {
    rtt: ms(20),
    sack_compression: true,
    window_bytes: Some(41 * MSS_BYTES as u64),
    low_water_bytes: 1,
    memory_bytes: None,
    ecn: EcnMode::Off,
};

/// A segment on its way to the receiver, or a burst of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentTemplate {
    seq: u64,
    segments: u16,
    last_bytes: u32,
    marks: Marks,
    /// When it was sent, where that is not a round trip ago or less.
    sent: Option<Span>,
}

/// One full segment.
pub(super) fn segment(seq: u64) -> SegmentTemplate {
    SegmentTemplate { seq, segments: 1, last_bytes: MSS_BYTES, marks: Marks::new(false, Ecn::NotEct), sent: None }
}

/// The FIN by itself.
pub(super) fn fin(seq: u64) -> SegmentTemplate {
    segment(seq).short(0)
}

impl SegmentTemplate {
    /// It is the first of a burst that arrives whole.
    pub(super) fn burst(self, segments: u16) -> Self {
        Self { segments, ..self }
    }

    /// It, or the last of the burst, is short.
    pub(super) fn short(self, last_bytes: u32) -> Self {
        Self { last_bytes, ..self }
    }

    /// It was sent at `at`.
    pub(super) fn sent(self, at: Span) -> Self {
        Self { sent: Some(at), ..self }
    }

    /// It, or the last of the burst, carries PSH.
    pub(super) fn push(self) -> Self {
        Self { marks: self.marks.merged(Marks::new(true, Ecn::NotEct)), ..self }
    }

    /// With this in the ECN field.
    pub(super) fn ecn(self, ecn: Ecn) -> Self {
        Self { marks: Marks::new(self.marks.is_pushed(), ecn).reducing(self.marks.is_reduced()), ..self }
    }

    /// With CWR.
    pub(super) fn cwr(self) -> Self {
        Self { marks: self.marks.reducing(true), ..self }
    }
}

impl Display for SegmentTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seq)?;
        if self.segments > 1 {
            write!(f, "..{}", self.seq + u64::from(self.segments))?;
        }
        if self.last_bytes < MSS_BYTES { write!(f, " ({} bytes)", self.last_bytes) } else { Ok(()) }
    }
}

/// A script for a receiver.
#[derive(Debug)]
pub(super) struct ReceiverScript {
    receiver: Receiver,
    setup: ReceiverSetup,
    now: Time,
    acks: Vec<(Time, Ack)>,
    /// What of them the script has expected.
    seen: usize,
    transcript: Transcript,
}

impl ReceiverScript {
    /// The handshake ends at time 0.
    pub(super) fn begin(setup: ReceiverSetup) -> Self {
        let mut script = Self::answered(setup);
        script.gets_third_packet();
        script
    }

    /// A SYN has come so early that the third packet of the handshake may come at time 0.
    pub(super) fn answered(setup: ReceiverSetup) -> Self {
        let host = Host {
            socket_memory: setup.memory_bytes.map_or(SocketMemory::Max, SocketMemory::Bytes),
            receive_window_bytes: setup.window_bytes,
            initial_window_segments: 10,
            qdisc: Qdisc::None,
            sack_compression: setup.sack_compression,
            gro: false,
            ack_aggregation_ns: 0,
        };
        let receiver = Receiver::new(
            FlowId::new(0),
            None,
            &ReceiverConfig { host, mss_bytes: MSS_BYTES, ecn: setup.ecn, low_water_bytes: setup.low_water_bytes },
        );
        let now = Time::from_nanos(BEGIN.as_nanos() - setup.rtt.as_nanos());
        let mut script = Self { receiver, setup, now, acks: Vec::new(), seen: 0, transcript: Transcript::default() };
        let syn = Packet { marks: setup.ecn.syn(0), ..script.packet(PacketKind::Syn) };
        let synack = script.receiver.on_packet(&syn, now, |_| {});
        assert!(synack.is_some_and(|ack| ack.syn && (ack.marks.ace() > 0) == setup.ecn.is_on()));
        script.now = BEGIN;
        script
    }

    /// The third packet of the handshake comes.
    pub(super) fn gets_third_packet(&mut self) -> &mut Self {
        let bare = Packet { marks: Marks::new(false, self.setup.ecn.others()), ..self.packet(PacketKind::Bare) };
        let silence = self.receiver.on_packet(&bare, self.now, |_| {});
        assert_eq!(silence, None);
        self
    }

    /// A SYN comes that was sent so long ago, or again.
    pub(super) fn gets_syn(&mut self, sent: Span) -> Option<Ack> {
        let syn = Packet { stamp_ms: stamp_ms(sent), ..self.packet(PacketKind::Syn) };
        self.receiver.on_packet(&syn, self.now, |_| {})
    }

    /// The round-trip time that it took the handshake for.
    pub(super) fn handshake_ms(&self) -> Option<u64> {
        self.receiver.handshake_ms()
    }

    /// Payload that was delivered, in full segments.
    pub(super) fn delivered_segments(&self) -> u64 {
        self.receiver.delivered_bytes() / u64::from(MSS_BYTES)
    }

    fn packet(&self, kind: PacketKind) -> Packet {
        let echo = Time::from_nanos(self.now.as_nanos() - self.setup.rtt.as_nanos());
        Packet {
            frame_bytes: FRAME_HEADERS_BYTES,
            stamp_ms: self.now.stamp_ms(),
            echo_ms: echo.stamp_ms(),
            kind,
            ..Packet::default()
        }
    }

    /// From now on the data's timestamps tell of another round trip than the handshake's.
    pub(super) fn round_trip(&mut self, rtt: Span) -> &mut Self {
        self.setup.rtt = rtt;
        self
    }

    /// Moves the clock, and lets the timers fire that are due until then.
    #[track_caller]
    pub(super) fn at(&mut self, at: Span) -> &mut Self {
        self.expect_nothing();
        let to = BEGIN + at;
        assert!(to >= self.now, "a script goes forward");
        loop {
            let (delayed, compressed) = (self.receiver.delayed_ack.due(), self.receiver.compressed_ack.due());
            let due = delayed.min(compressed);
            if due > to {
                break;
            }
            self.now = due;
            let (timer, ack) = if delayed == due {
                self.receiver.delayed_ack.clear();
                ("delayed ACK", self.receiver.on_delayed_ack(due))
            } else {
                self.receiver.compressed_ack.clear();
                ("compressed ACK", self.receiver.on_compressed_ack(due))
            };
            self.acks.extend(ack.map(|ack| (due, ack)));
            self.note(format!("timer: {timer}"));
            if due < to {
                self.expect_nothing();
            }
        }
        self.now = to;
        self
    }

    /// A segment or a burst arrives.
    #[track_caller]
    pub(super) fn gets(&mut self, segment: SegmentTemplate) -> &mut Self {
        self.expect_nothing();
        let packet = self.data(segment);
        let (now, acks) = (self.now, &mut self.acks);
        let ack = self.receiver.on_packet(&packet, now, |earlier| acks.push((now, earlier)));
        acks.extend(ack.map(|ack| (now, ack)));
        self.note(format!("< {segment}"));
        self
    }

    /// Segments or bursts are handed over together.
    #[track_caller]
    pub(super) fn gets_together<const N: usize>(&mut self, lump: [SegmentTemplate; N]) -> &mut Self {
        self.expect_nothing();
        for segment in lump {
            let packet = self.data(segment);
            let (now, acks) = (self.now, &mut self.acks);
            let ack = self.receiver.on_lump_packet(&packet, now, |earlier| acks.push((now, earlier)));
            acks.extend(ack.map(|ack| (now, ack)));
            self.note(format!("< {segment}, with others"));
        }
        let ack = self.receiver.on_lump_end(self.now);
        self.acks.extend(ack.map(|ack| (self.now, ack)));
        self.note("the application may read");
        self
    }

    fn data(&self, segment: SegmentTemplate) -> Packet {
        let SegmentTemplate { seq, segments, last_bytes, marks, sent } = segment;
        let before = u32::from(segments) - 1;
        let plain = self.packet(if last_bytes > 0 { PacketKind::Data } else { PacketKind::Fin });
        Packet {
            stamp_ms: sent.map_or(plain.stamp_ms, stamp_ms),
            seq: low_bits(seq),
            end_bytes: (low_bits(seq) + before) * MSS_BYTES + last_bytes,
            frame_bytes: before * MSS_BYTES + last_bytes + u32::from(segments) * FRAME_HEADERS_BYTES,
            segments,
            marks,
            ..plain
        }
    }

    /// ACKs that left now, which must be just these.
    #[track_caller]
    pub(super) fn expect_acks<const N: usize>(&mut self, expected: [AckTemplate; N]) -> &mut Self {
        let sent = listed(self.acks[self.seen..].iter().map(|(_, ack)| AckTemplate::from(ack)));
        let expected = listed(expected);
        if sent != expected {
            self.transcript.fail(format!("sent {sent}; expected {expected}"));
        }
        self.seen = self.acks.len();
        self
    }

    /// One ACK left now.
    #[track_caller]
    pub(super) fn expect_ack(&mut self, expected: AckTemplate) -> &mut Self {
        self.expect_acks([expected])
    }

    /// ACKs left, or not; what they say is another test's.
    pub(super) fn take_acks(&mut self) {
        self.seen = self.acks.len();
    }

    /// The last ACK that left.
    pub(super) fn last_ack(&mut self) -> Ack {
        self.take_acks();
        self.acks.last().expect("an ACK").1
    }

    /// No ACK left since the last expectation.
    #[track_caller]
    pub(super) fn expect_nothing(&mut self) -> &mut Self {
        if let Some((at, ack)) = self.acks.get(self.seen) {
            let at = Millis(at.since(BEGIN));
            self.transcript.fail(format!("sent {} at {at} ms, unexpected", AckTemplate::from(ack)));
        }
        self
    }

    /// Segments in order until the quick ACKs of the beginning are used up. Gives the next segment.
    #[track_caller]
    pub(super) fn past_quick_acks(&mut self) -> u64 {
        let mut next = 0;
        loop {
            self.gets(segment(next));
            next += 1;
            if self.seen == self.acks.len() {
                // The first that was not acknowledged at once; the next one is, with it.
                self.gets(segment(next)).expect_ack(super::ack(next + 1));
                return next + 1;
            }
            self.expect_ack(super::ack(next));
        }
    }

    fn note(&mut self, event: impl Display) {
        let sent = listed(self.acks[self.seen..].iter().map(|(_, ack)| AckTemplate::from(ack)));
        self.transcript.note(self.now, format!("{event:<30} > {sent}"));
    }
}

/// Nothing may be left over.
impl Drop for ReceiverScript {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.expect_nothing();
        }
    }
}
