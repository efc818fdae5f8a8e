//! A sender alone: the script plays its application, its peer and the network.

use super::{AckTemplate, BEGIN, MSS_BYTES, Millis, Transcript, listed, stamp_ms};
use crate::index::FlowId;
use crate::net::{Ack, Ecn, Marks, Packet, PacketKind, Waiting};
use crate::tcp::sender::TimerPurpose;
use crate::tcp::{Algorithm, EcnMode, HandedOver, Output, Sender, SenderConfig};
use cc::RecoveryState;
use run::SocketMemory;
use std::fmt::{self, Display};
use units::{Segments, Span, Time, low_bits};

/// A sender whose handshake has just ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderSetup {
    pub(super) cc: &'static str,
    /// Of the handshake.
    pub(super) rtt: Span,
    pub(super) initial_window: Segments,
    /// Limit of the send buffer.
    pub(super) socket_memory: SocketMemory,
    /// The buffer that it begins with, where there is no limit.
    pub(super) first_buffer_bytes: u64,
    /// Bursts leave whole, so that a script sees their sizes.
    pub(super) offload: bool,
    /// The host's own queue is `fq`.
    pub(super) behind_fair_queue: bool,
    /// The window of the SYN's answer.
    pub(super) window_bytes: u64,
    /// What it offers of ECN.
    pub(super) ecn: EcnMode,
    /// Its peer takes the offer.
    pub(super) peer_has_ecn: bool,
}

/// More than any script sends.
const WIDE_OPEN_BYTES: u64 = 1 << 40;

/// The template: Reno, which is simplest to foretell, on a path of 20 ms.
pub(super) const SENDER: SenderSetup = SenderSetup {
    cc: "reno",
    rtt: super::ms(20),
    initial_window: 10,
    socket_memory: SocketMemory::Max,
    first_buffer_bytes: 4_000_000,
    offload: false,
    behind_fair_queue: false,
    window_bytes: WIDE_OPEN_BYTES,
    ecn: EcnMode::Off,
    peer_has_ecn: true,
};

/// Something that left the sender.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    packet: Packet,
    again: bool,
}

impl Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.packet.kind, self.packet.segments) {
            (PacketKind::Data, 1) => write!(f, "{}", self.packet.number())?,
            (PacketKind::Data, n) => write!(f, "{}..{}", self.packet.number(), self.packet.number() + u64::from(n))?,
            (kind, _) => write!(f, "{kind:?}")?,
        }
        if self.again { write!(f, " again") } else { Ok(()) }
    }
}

/// What the script remembers of a segment.
#[derive(Clone, Copy, Debug)]
struct Known {
    end_bytes: u64,
    /// Of its last transmission.
    stamp_ms: u32,
}

#[derive(Debug, Default)]
pub(super) struct Wire {
    pub(super) now: Time,
    sent: Vec<Sent>,
    known: Vec<Known>,
    /// The burst that is being handed over.
    staged: Vec<Packet>,
    /// Bursts in the host's own queue, if it has one, with the time before which they must not leave.
    host_queue: Option<Vec<(Time, Waiting)>>,
    /// The host drops what it gets.
    full: bool,
}

impl Output for Wire {
    fn send(&mut self, packet: Packet) {
        self.staged.push(packet);
    }

    fn hand_over(&mut self, _flow: FlowId, departure: Time) -> HandedOver {
        let staged = std::mem::take(&mut self.staged);
        if self.full {
            return HandedOver::Dropped;
        }
        let payload_bytes = staged.iter().map(|packet| Waiting::packet(packet).payload_bytes).sum();
        for packet in staged {
            let is_numbered = matches!(packet.kind, PacketKind::Data | PacketKind::Fin);
            let again = is_numbered && packet.number() < self.known.len() as u64;
            self.sent.push(Sent { at: self.now, packet, again });
            if is_numbered {
                self.remember(&packet);
            }
        }
        if let Some(queue) = &mut self.host_queue {
            queue.push((departure, Waiting::one(payload_bytes)));
        }
        HandedOver::Taken
    }

    fn waiting(&self, _flow: FlowId) -> Waiting {
        let mut waiting = Waiting::default();
        self.host_queue.iter().flatten().for_each(|(_, burst)| waiting.add(*burst));
        waiting
    }
}

impl Wire {
    fn remember(&mut self, packet: &Packet) {
        for index in 0..u64::from(packet.segments) {
            let after = (u64::from(packet.segments) - 1 - index) * u64::from(MSS_BYTES);
            let known =
                Known { end_bytes: u64::from(packet.end_bytes).saturating_sub(after), stamp_ms: packet.stamp_ms };
            match self.known.get_mut(low_bits(packet.number() + index) as usize) {
                Some(slot) => *slot = known,
                None => self.known.push(known),
            }
        }
    }
}

/// A script for a sender.
#[derive(Debug)]
pub(super) struct SenderScript {
    pub(super) sender: Sender,
    pub(super) wire: Wire,
    /// What of the wire the script has expected.
    seen: usize,
    una: u64,
    edge_bytes: u64,
    echo_ms: u32,
    transcript: Transcript,
}

impl SenderScript {
    /// The handshake ends at time 0.
    pub(super) fn begin(setup: SenderSetup) -> Self {
        let mut script = Self::connecting(setup);
        let ace = match (setup.peer_has_ecn, setup.ecn) {
            (true, mode) if mode.is_accurate() => 0b010,
            (true, EcnMode::Classic | EcnMode::Exact) => 0b001,
            _ => 0,
        };
        script.answered(Marks::new(false, Ecn::NotEct).with_ace(ace));
        let kinds: Vec<_> = script.wire.sent.drain(..).map(|sent| sent.packet.kind).collect();
        assert_eq!(kinds, [PacketKind::Syn, PacketKind::Bare]);
        script
    }

    /// A SYN has left so early that it may be answered at time 0.
    pub(super) fn connecting(setup: SenderSetup) -> Self {
        let config = SenderConfig {
            mss_bytes: MSS_BYTES,
            initial_window: setup.initial_window,
            behind_fair_queue: setup.behind_fair_queue,
            socket_memory: setup.socket_memory,
            first_buffer_bytes: setup.first_buffer_bytes,
            offload: setup.offload,
            ecn: setup.ecn,
            algorithm: Algorithm { name: setup.cc.to_owned(), parameters: Default::default(), seed: 1 },
        };
        let mut script = Self {
            sender: Sender::new(FlowId::new(0), &config),
            wire: Wire { now: BEGIN, ..Wire::default() },
            seen: 0,
            una: 0,
            edge_bytes: setup.window_bytes,
            echo_ms: 0,
            transcript: Transcript::default(),
        };
        script.sender.connect(Time::from_nanos(BEGIN.as_nanos() - setup.rtt.as_nanos()), &mut script.wire);
        script
    }

    /// The SYN's answer arrives, with these flags of ECN.
    pub(super) fn answered(&mut self, marks: Marks) -> &mut Self {
        let answer = Ack { syn: true, marks, ..self.arriving(AckTemplate::default()) };
        self.sender.on_ack(&answer, self.wire.now, &mut self.wire);
        self
    }

    /// The same, to the SYN that was sent last.
    pub(super) fn answered_late(&mut self) -> &mut Self {
        let last = self.wire.sent.last().map_or(0, |sent| sent.packet.stamp_ms);
        self.answered_to(last)
    }

    /// The same, to the SYN with this timestamp.
    pub(super) fn answered_to(&mut self, syn_ms: u32) -> &mut Self {
        self.echo_ms = syn_ms;
        self.answered(Marks::new(false, Ecn::NotEct))
    }

    /// The script's clock.
    pub(super) fn now(&self) -> Span {
        self.wire.now.since(BEGIN)
    }

    /// Moves the clock, and lets the timers fire that are due until then.
    #[track_caller]
    pub(super) fn at(&mut self, at: Span) -> &mut Self {
        self.until(at);
        while self.next_timer() <= self.wire.now {
            self.fire_timer();
        }
        self
    }

    /// Moves the clock; a timer that is due at that very instant has not fired yet.
    #[track_caller]
    pub(super) fn until(&mut self, at: Span) -> &mut Self {
        self.expect_nothing();
        let to = BEGIN + at;
        assert!(to >= self.wire.now, "a script goes forward");
        while self.next_timer() < to {
            self.fire_timer();
            self.expect_nothing();
        }
        self.wire.now = to;
        self
    }

    /// When the next timer is due.
    pub(super) fn next_timer(&self) -> Time {
        self.sender.timer.due().min(self.sender.pacing_timer.due())
    }

    /// When pacing lets the next burst go.
    pub(super) fn next_release(&self) -> Span {
        self.sender.pacing.next().since(BEGIN)
    }

    /// Moves the clock to the next timer.
    pub(super) fn fire_timer(&mut self) {
        let now = self.next_timer();
        self.wire.now = now;
        if self.sender.timer.due() == now {
            self.sender.timer.clear();
            let purpose = self.sender.timer_purpose;
            self.sender.on_timer(now, &mut self.wire);
            self.note(format!("timer: {purpose:?}"));
        } else {
            self.sender.on_pacing_timer(now, &mut self.wire);
        }
    }

    /// The application writes so many full segments.
    #[track_caller]
    pub(super) fn writes(&mut self, segments: u64) -> &mut Self {
        self.writes_bytes(segments * u64::from(MSS_BYTES))
    }

    /// The application writes much, whatever the handshake has sent.
    pub(super) fn writes_after_handshake(&mut self) -> &mut Self {
        self.sender.write(1_000 * u64::from(MSS_BYTES), self.wire.now, &mut self.wire);
        self
    }

    /// The application writes so many bytes.
    #[track_caller]
    pub(super) fn writes_bytes(&mut self, bytes: u64) -> &mut Self {
        self.expect_nothing();
        self.sender.write(bytes, self.wire.now, &mut self.wire);
        self.note(format!("write {bytes}"));
        self
    }

    /// The application has written its last byte.
    #[track_caller]
    pub(super) fn closes(&mut self) -> &mut Self {
        self.expect_nothing();
        self.sender.close(self.wire.now, &mut self.wire);
        self.note("close".to_owned());
        self
    }

    /// From now on what is sent waits in the host's own queue.
    pub(super) fn has_own_queue(&mut self) -> &mut Self {
        self.wire.host_queue = Some(Vec::new());
        self
    }

    /// The first burst leaves the host's own queue.
    #[track_caller]
    pub(super) fn drains(&mut self) -> &mut Self {
        self.expect_nothing();
        self.wire.host_queue.as_mut().expect("a script with a queue of the host").remove(0);
        self.sender.on_host_queue_drained(self.wire.now, &mut self.wire);
        self.note("drain 1".to_owned());
        self
    }

    /// What waits in the host's own queue may leave at these instants and no sooner.
    #[track_caller]
    pub(super) fn expect_departures(&mut self, departures: impl IntoIterator<Item = Span>) -> &mut Self {
        let expected: Vec<_> = departures.into_iter().map(|at| BEGIN + at).collect();
        let queue: Vec<_> = self.wire.host_queue.iter().flatten().map(|(departure, _)| *departure).collect();
        self.expect("departures", |_| queue, expected)
    }

    /// From now on the host's own queue drops what it gets, or takes it again.
    pub(super) fn has_room(&mut self, room: bool) -> &mut Self {
        self.wire.full = !room;
        self
    }

    /// The application aborts the connection.
    #[track_caller]
    pub(super) fn aborts(&mut self) -> &mut Self {
        self.expect_nothing();
        self.sender.abort(self.wire.now, &mut self.wire);
        self.note("abort".to_owned());
        self
    }

    /// An ACK arrives.
    #[track_caller]
    pub(super) fn gets(&mut self, ack: AckTemplate) -> &mut Self {
        self.expect_nothing();
        let arriving = self.arriving(ack);
        self.una = self.una.max(ack.una);
        self.sender.on_ack(&arriving, self.wire.now, &mut self.wire);
        self.note(format!("< {ack}"));
        self
    }

    fn arriving(&mut self, template: AckTemplate) -> Ack {
        let start_bytes = |seq: u64| {
            if seq == 0 { 0 } else { self.wire.known[low_bits(seq) as usize - 1].end_bytes }
        };
        if let Some(bytes) = template.window_bytes {
            self.edge_bytes = start_bytes(template.una) + bytes;
        }
        if let Some(echo) = template.echo {
            self.echo_ms = stamp_ms(echo);
        } else if template.una > self.una {
            self.echo_ms = self.wire.known[low_bits(self.una) as usize].stamp_ms;
        }
        Ack {
            una: template.una,
            window_edge_bytes: self.edge_bytes,
            flow: FlowId::new(0),
            stamp_ms: template.left.map_or(self.wire.now.stamp_ms(), stamp_ms),
            echo_ms: self.echo_ms,
            block_count: template.block_count,
            duplicate: template.duplicate,
            syn: false,
            marks: template.marks,
            marked_bytes: template.marked_bytes,
            blocks: template.blocks.map(|block| block.packed()),
        }
    }

    /// Segments that left now, which must be just these, each alone: new ones or old ones.
    #[track_caller]
    pub(super) fn expect_sent(&mut self, segments: impl IntoIterator<Item = u64>) -> &mut Self {
        let expected: Vec<_> = segments.into_iter().map(|seq| (seq, 1)).collect();
        self.expect_packets(&expected)
    }

    /// Bursts that left now, which must be just these, by their numbers of segments.
    #[track_caller]
    pub(super) fn expect_bursts(&mut self, sizes: impl IntoIterator<Item = u16>) -> &mut Self {
        let first = self.wire.sent.get(self.seen).map_or(0, |sent| sent.packet.number());
        let expected: Vec<_> = sizes
            .into_iter()
            .scan(first, |seq, size| {
                *seq += u64::from(size);
                Some((*seq - u64::from(size), size))
            })
            .collect();
        self.expect_packets(&expected)
    }

    #[track_caller]
    fn expect_packets(&mut self, expected: &[(u64, u16)]) -> &mut Self {
        let sent = &self.wire.sent[self.seen..];
        let data = |sent: &Sent| sent.packet.kind == PacketKind::Data;
        let numbers = sent.iter().map(|sent| (sent.packet.number(), sent.packet.segments));
        if !sent.iter().all(data) || !numbers.eq(expected.iter().copied()) {
            let expected = listed(expected.iter().map(|(seq, n)| format!("{seq}..{}", seq + u64::from(*n))));
            self.transcript.fail(format!("sent {}; expected {expected}", listed(sent)));
        }
        self.seen = self.wire.sent.len();
        self
    }

    /// The FIN left now by itself, under this number, and nothing else.
    #[track_caller]
    pub(super) fn expect_fin(&mut self, seq: u64) -> &mut Self {
        let sent = &self.wire.sent[self.seen..];
        if !matches!(sent, [Sent { packet, .. }] if packet.kind == PacketKind::Fin && packet.number() == seq) {
            self.transcript.fail(format!("sent {}; expected a FIN", listed(sent)));
        }
        self.seen = self.wire.sent.len();
        self
    }

    /// A probe of the window left now, and nothing else.
    #[track_caller]
    pub(super) fn expect_window_probe(&mut self) -> &mut Self {
        let sent = &self.wire.sent[self.seen..];
        if !matches!(sent, [Sent { packet: Packet { kind: PacketKind::WindowProbe, .. }, .. }]) {
            self.transcript.fail(format!("sent {}; expected a window probe", listed(sent)));
        }
        self.seen = self.wire.sent.len();
        self
    }

    /// Nothing left since the last expectation.
    #[track_caller]
    pub(super) fn expect_nothing(&mut self) -> &mut Self {
        let sent = &self.wire.sent[self.seen..];
        if let Some(first) = sent.first() {
            let at = Millis(first.at.since(BEGIN));
            self.transcript.fail(format!("sent {} at {at} ms, unexpected", listed(sent)));
        }
        self
    }

    /// Gives what left since the last expectation, with its time: for a script that judges it as a whole.
    pub(super) fn take_sent(&mut self) -> Vec<(Span, Packet)> {
        let sent = self.wire.sent[self.seen..].iter().map(|sent| (sent.at.since(BEGIN), sent.packet)).collect();
        self.seen = self.wire.sent.len();
        sent
    }

    /// The retransmission timer waits for this, until then.
    #[track_caller]
    pub(super) fn expect_timer(&mut self, purpose: TimerPurpose, due: Span) -> &mut Self {
        let is = (self.sender.timer_purpose, self.sender.timer.due());
        if is != (purpose, BEGIN + due) {
            let until = Millis(is.1.saturating_since(BEGIN));
            self.transcript.fail(format!(
                "the timer waits for {:?} until {until} ms; expected {purpose:?} until {} ms",
                is.0,
                Millis(due)
            ));
        }
        self
    }

    #[track_caller]
    pub(super) fn expect_cwnd(&mut self, cwnd: Segments) -> &mut Self {
        self.expect("cwnd", |sender| sender.control.window.cwnd, cwnd)
    }

    #[track_caller]
    pub(super) fn expect_ssthresh(&mut self, ssthresh: Segments) -> &mut Self {
        self.expect("ssthresh", |sender| sender.control.window.ssthresh, ssthresh)
    }

    #[track_caller]
    pub(super) fn expect_in_flight(&mut self, segments: Segments) -> &mut Self {
        self.expect("in flight", |sender| sender.board.in_flight(), segments)
    }

    #[track_caller]
    pub(super) fn expect_state(&mut self, state: RecoveryState) -> &mut Self {
        self.expect("state", |sender| sender.recovery.state(), state)
    }

    /// Anything else.
    #[track_caller]
    pub(super) fn expect<T: PartialEq + fmt::Debug>(
        &mut self,
        what: &str,
        read: impl FnOnce(&Sender) -> T,
        expected: T,
    ) -> &mut Self {
        let is = read(&self.sender);
        if is != expected {
            self.transcript.fail(format!("{what}: {is:?}, expected {expected:?}"));
        }
        self
    }

    /// Notes an event, what was sent on it, and the state after it.
    fn note(&mut self, event: impl Display) {
        let window = self.sender.control.window;
        let state = format!(
            "[{:?} cwnd {} ssthresh {} flight {}]",
            self.sender.recovery.state(),
            window.cwnd,
            if window.ssthresh == Segments::MAX { "-".to_owned() } else { window.ssthresh.to_string() },
            self.sender.board.in_flight()
        );
        let sent = listed(&self.wire.sent[self.seen..]);
        self.transcript.note(self.wire.now, format!("{event:<40} {state:<45} > {sent}"));
    }
}

/// Nothing may be left over.
impl Drop for SenderScript {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.expect_nothing();
        }
    }
}
