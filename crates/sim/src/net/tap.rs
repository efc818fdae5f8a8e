//! [`Tap`]: what captures see of the packets of a run, in TCP's words, and what logs need of its senders.
//!
//! The simulator numbers segments; TCP numbers bytes, and a FIN. The tap sees every segment when it is first sent, so it
//! knows where each begins.

use super::ack::Report;
use super::packet::{Packet, PacketKind};
use crate::index::FlowId;
use crate::serial::nearest;
use run::{CapturePoint, CapturePoints, Frame, ResendCause, Run, Seen, SenderState, flag};
use std::vec::Drain;
use units::{Time, burst_bytes, list_place};

/// What a SYN offers: ten segments' worth, as Linux.
const SYN_WINDOW_BYTES: u64 = 64_240;

/// What was seen of all connections, until somebody takes it.
#[derive(Debug)]
pub struct Tap {
    mss_bytes: u32,
    /// Where packets are captured; elsewhere only at the two places at which a log needs them.
    captures: CapturePoints,
    /// What senders do is logged.
    logs: bool,
    seen: Vec<Seen>,
    /// By connection that is open, as a flow's state is.
    numberings: Vec<Numbering>,
    opened: u32,
}

impl Tap {
    /// Of what a run has captured.
    pub fn of(run: &Run) -> Self {
        let captures = run.measure.snap_bytes.map_or(CapturePoints::NONE, |_| run.measure.capture_at);
        Self::new(run.flows.len(), run.path.mss_bytes(), captures, run.measure.qlog)
    }

    fn new(flows: usize, mss_bytes: u32, captures: CapturePoints, logs: bool) -> Self {
        let mut tap = Self { mss_bytes, captures, logs, seen: Vec::new(), numberings: Vec::new(), opened: 0 };
        for flow in FlowId::first(flows) {
            tap.open(flow, flow);
        }
        tap
    }

    /// A connection of a flow takes a place, perhaps that of one that is no more.
    pub fn open(&mut self, place: FlowId, flow: FlowId) {
        let numbering = Numbering::new(list_place(flow.index()), self.opened);
        self.opened += 1;
        match self.numberings.get_mut(place.index()) {
            Some(before) => *before = numbering,
            None => self.numberings.push(numbering),
        }
    }

    /// What was captured before an instant and not taken yet, in order of time.
    pub fn take(&mut self, before: Time) -> Drain<'_, Seen> {
        self.seen.sort_by_key(Seen::at_ns);
        let end = self.seen.partition_point(|seen| seen.at_ns() < before.as_nanos());
        self.seen.drain(..end)
    }

    /// A sender hands over a packet: its segments may be new.
    pub fn note_sent(&mut self, packet: &Packet, at: Time) {
        let mss_bytes = self.mss_bytes;
        let own = &mut self.numberings[packet.flow.index()];
        own.note(packet, mss_bytes);
        if self.logs && packet.kind == PacketKind::Data {
            let cause = own.cause;
            own.data(CapturePoint::Senders, packet, at, |frame| self.seen.push(Seen::Sent { frame, cause }));
        }
    }

    /// A sender has acted, or is about to if there is no state of it yet: this makes it send again, until it acts anew.
    pub fn note_sender(&mut self, flow: FlowId, cause: ResendCause, state: Option<SenderState>) {
        self.numberings[flow.index()].cause = cause;
        self.seen.extend(state.map(Seen::Sender));
    }

    /// Data, or whatever goes to a receiver, passes: a super-packet as the segments that it has on the wire.
    pub fn data(&mut self, point: CapturePoint, packet: &Packet, at: Time) {
        if self.captures.has(point) || (self.logs && point == CapturePoint::Receivers) {
            let own = &self.numberings[packet.flow.index()];
            own.data(point, packet, at, |frame| self.seen.push(Seen::Passed(frame)));
        }
    }

    /// An ACK passes, with these SACK blocks.
    pub fn ack(&mut self, point: CapturePoint, packet: &Packet, report: Option<&Report>, at: Time) {
        if self.captures.has(point) || (self.logs && point == CapturePoint::Senders) {
            self.seen.push(Seen::Passed(self.numberings[packet.flow.index()].ack(point, packet, report, at)));
        }
    }
}

/// AE, CWR and ECE, those that it has.
const fn congestion_flags(packet: &Packet) -> u16 {
    let accurate = if packet.marks.ace() & 0b100 != 0 { flag::AE } else { 0 };
    let echo = if packet.marks.echoes() { flag::ECE } else { 0 };
    accurate | echo | if packet.marks.is_reduced() { flag::CWR } else { 0 }
}

/// Where the segments of a connection begin, in TCP's numbers.
#[derive(Debug)]
struct Numbering {
    flow: u32,
    connection: u32,
    /// What makes its sender send again now.
    cause: ResendCause,
    /// Rows of segments that are equally long, in order.
    rows: Vec<Row>,
    /// The next segment that will be new.
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    first: u64,
    start: u64,
    length: u64,
}

impl Row {
    const fn start(&self, segment: u64) -> u64 {
        self.start + (segment - self.first) * self.length
    }
}

impl Numbering {
    fn new(flow: u32, connection: u32) -> Self {
        Self { flow, connection, cause: ResendCause::default(), rows: Vec::new(), next: 0 }
    }

    /// The frames of a packet that goes to the receiver.
    fn data(&self, point: CapturePoint, packet: &Packet, at: Time, mut push: impl FnMut(Frame)) {
        let first = self.full(packet.seq);
        let frame = Frame {
            at_ns: at.as_nanos(),
            point,
            flow: self.flow,
            connection: self.connection,
            to_sender: false,
            flags: flag::ACK | congestion_flags(packet),
            ecn: packet.marks.ecn(),
            seq: self.start(first),
            ack: 1,
            payload_bytes: 0,
            window_bytes: SYN_WINDOW_BYTES,
            stamps_ms: [packet.stamp_ms, packet.echo_ms],
            blocks: Default::default(),
            block_count: 0,
        };
        match packet.kind {
            PacketKind::Syn => push(Frame { flags: flag::SYN | frame.flags & !flag::ACK, seq: 0, ack: 0, ..frame }),
            PacketKind::WindowProbe => push(Frame { seq: frame.seq - 1, ..frame }),
            PacketKind::Reset => push(Frame { flags: flag::RST | frame.flags, ..frame }),
            PacketKind::Fin => push(Frame { flags: flag::FIN | frame.flags, ..frame }),
            PacketKind::Data => {
                let segments = u64::from(packet.segments);
                for segment in first..first + segments {
                    let (seq, end) = (self.start(segment), self.start(segment + 1));
                    let is_last = segment + 1 == first + segments;
                    let pushed = if is_last && packet.marks.is_pushed() { flag::PSH } else { 0 };
                    // Of a super-packet the first has CWR (`tcp_gso_segment`).
                    let later = if segment > first && !packet.marks.counts() { flag::CWR } else { 0 };
                    let payload_bytes = burst_bytes(end - seq);
                    push(Frame { seq, payload_bytes, flags: frame.flags & !later | pushed, ..frame });
                }
            }
            PacketKind::Bare | PacketKind::SynAck | PacketKind::Ack => push(frame),
            PacketKind::Request => unreachable!("no run with pages is captured"),
            PacketKind::Datagram | PacketKind::Ping | PacketKind::Pong => {
                unreachable!("no run with datagrams is captured")
            }
        }
    }

    /// The frame of an ACK.
    fn ack(&self, point: CapturePoint, packet: &Packet, report: Option<&Report>, at: Time) -> Frame {
        let una = self.full(packet.seq);
        let is_syn = packet.kind == PacketKind::SynAck;
        let ack = self.start(una);
        let mut frame = Frame {
            at_ns: at.as_nanos(),
            point,
            flow: self.flow,
            connection: self.connection,
            to_sender: true,
            flags: flag::ACK | congestion_flags(packet) | if is_syn { flag::SYN } else { 0 },
            ecn: packet.marks.ecn(),
            seq: u64::from(!is_syn),
            ack,
            payload_bytes: 0,
            // The edge counts payload from 0.
            window_bytes: (nearest(packet.end_bytes, ack) + 1).saturating_sub(ack),
            stamps_ms: [packet.stamp_ms, packet.echo_ms],
            blocks: Default::default(),
            block_count: 0,
        };
        if let Some(report) = report {
            frame.block_count = report.block_count;
            for (slot, block) in frame.blocks.iter_mut().zip(report.sack_blocks()) {
                *slot = block.map(|end| self.start(nearest(end, una)));
            }
        }
        frame
    }

    /// The number of a segment with these low bits.
    const fn full(&self, low: u32) -> u64 {
        nearest(low, self.next)
    }

    /// Where a segment begins, of those that were sent or the next one.
    fn start(&self, segment: u64) -> u64 {
        debug_assert!(segment <= self.next, "a segment that was sent");
        let place = self.rows.partition_point(|row| row.first <= segment);
        place.checked_sub(1).map_or(1, |row| self.rows[row].start(segment))
    }

    /// A packet is sent. What its host dropped before may be cut in another way now, under the same numbers.
    fn note(&mut self, packet: &Packet, mss_bytes: u32) {
        let segments = u64::from(packet.segments);
        let last = match packet.kind {
            PacketKind::Data => u64::from(packet.payload_bytes()) - (segments - 1) * u64::from(mss_bytes),
            PacketKind::Fin => 1,
            _ => return,
        };
        let (first, full) = (self.full(packet.seq), segments.max(1) - 1);
        for (segment, count, length) in [(first, full, u64::from(mss_bytes)), (first + full, 1, last)] {
            for segment in segment..segment + count {
                let is_known = segment < self.next && self.start(segment) + length == self.start(segment + 1);
                if !is_known {
                    self.extend(segment, length);
                }
            }
        }
    }

    fn extend(&mut self, segment: u64, length: u64) {
        let start = self.start(segment);
        while self.rows.last().is_some_and(|row| row.first >= segment) {
            self.rows.pop();
        }
        if self.rows.last().is_none_or(|row| row.length != length || row.start(segment) != start) {
            self.rows.push(Row { first: segment, start, length });
        }
        self.next = segment + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::FRAME_HEADERS_BYTES;

    const MSS: u32 = 1_000;

    fn data(seq: u32, segments: u16, payload: u32) -> Packet {
        let frame_bytes = payload + FRAME_HEADERS_BYTES * u32::from(segments);
        Packet { seq, segments, frame_bytes, kind: PacketKind::Data, ..Packet::default() }
    }

    fn frames(tap: &mut Tap) -> Vec<Frame> {
        let frame = |seen| if let Seen::Passed(frame) = seen { Some(frame) } else { None };
        tap.take(Time::NEVER).filter_map(frame).collect()
    }

    fn seen(tap: &mut Tap) -> Vec<(u64, u32, u64)> {
        frames(tap).iter().map(|frame| (frame.seq, frame.payload_bytes, frame.ack)).collect()
    }

    #[test]
    fn segments_become_bytes_and_a_fin_has_a_number() {
        let mut tap = Tap::new(1, MSS, CapturePoints::default(), false);
        let fin = Packet { seq: 4, kind: PacketKind::Fin, ..Packet::default() };
        for packet in [data(0, 3, 2_500), data(3, 1, 1_000), fin] {
            tap.note_sent(&packet, Time::ZERO);
            tap.data(CapturePoint::Senders, &packet, Time::ZERO);
        }
        assert_eq!(
            seen(&mut tap),
            [(1, 1_000, 1), (1_001, 1_000, 1), (2_001, 500, 1), (2_501, 1_000, 1), (3_501, 0, 1)]
        );
        let ack = Packet { seq: 2, end_bytes: 9_000, kind: PacketKind::Ack, ..Packet::default() };
        let report = Report { blocks: [[3, 4], [0; 2], [0; 2]], block_count: 1, duplicate: false, marked_bytes: 0 };
        tap.ack(CapturePoint::Senders, &ack, Some(&report), Time::ZERO);
        tap.ack(CapturePoint::Senders, &Packet { seq: 5, ..ack }, None, Time::ZERO);
        let acks = frames(&mut tap);
        assert_eq!((acks[0].ack, acks[0].window_bytes), (2_001, 7_000));
        assert_eq!((acks[0].blocks[0], acks[0].block_count), ([2_501, 3_501], 1));
        assert_eq!(acks[1].ack, 3_502, "the FIN too");
    }

    #[test]
    fn what_a_host_dropped_may_be_cut_anew() {
        let mut tap = Tap::new(1, MSS, CapturePoints::default(), false);
        for packet in [data(0, 1, 1_000), data(1, 2, 1_400), data(1, 1, 1_000), data(2, 2, 2_000)] {
            tap.note_sent(&packet, Time::ZERO);
        }
        tap.data(CapturePoint::Senders, &data(0, 4, 4_000), Time::ZERO);
        assert_eq!(seen(&mut tap).iter().map(|each| each.0).collect::<Vec<_>>(), [1, 1_001, 2_001, 3_001]);
        tap.note_sent(&data(1, 1, 1_000), Time::ZERO);
        tap.data(CapturePoint::Senders, &data(3, 1, 1_000), Time::ZERO);
        assert_eq!(seen(&mut tap), [(3_001, 1_000, 1)], "what is sent again changes nothing");
    }

    #[test]
    fn a_place_is_used_again_by_another_connection() {
        let mut tap = Tap::new(2, MSS, CapturePoints::default(), false);
        tap.open(FlowId::new(2), FlowId::new(1));
        tap.note_sent(&Packet { flow: FlowId::new(2), ..data(0, 1, 700) }, Time::ZERO);
        tap.open(FlowId::new(2), FlowId::new(1));
        let syn = Packet { flow: FlowId::new(2), kind: PacketKind::Syn, ..Packet::default() };
        tap.data(CapturePoint::Receivers, &syn, Time::ZERO);
        let frame = frames(&mut tap)[0];
        assert_eq!((frame.flow, frame.connection, frame.flags, frame.seq), (1, 3, flag::SYN, 0));
    }
}
