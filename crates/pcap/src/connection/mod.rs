//! One connection: both ends, and what a packet of one says about the data of the other.

mod acknowledgement;
mod data;
mod describe;
mod flow;
mod key;
mod table;

pub use key::Key;
pub use table::Table;

use crate::direction::{self, Direction, Finding, Handshake, Marks, Receipt, Sending};
use crate::file::Frame;
use crate::header::{ACK, Endpoint, FIN, RST, SYN, Segment};
use crate::output::Output;
use crate::path::Path;
use crate::sink::{BinCounts, Class, PacketRow, Side, Sink};
use crate::summary::Ended;

/// When the packets of a handshake came.
#[derive(Default)]
struct Opening {
    syn_ns: Option<i64>,
    syns: u32,
    syn_ack_ns: Option<i64>,
    syn_acks: u32,
    ack_ns: Option<i64>,
}

impl Opening {
    /// Both parts of the path; retransmissions make it longer.
    fn path_rtt_ns(&self) -> Option<i64> {
        let rtt_ns = self.ack_ns?.saturating_sub(self.syn_ns?);
        (rtt_ns > 0).then_some(rtt_ns)
    }
}

/// A connection's state.
pub struct Connection {
    id: u64,
    client: Endpoint,
    server: Endpoint,
    first_frame: u64,
    start_ns: i64,
    end_ns: i64,
    midstream: bool,
    ended: Option<Ended>,
    opening: Opening,
    wireshark: Handshake,
    directions: [Direction; 2],
}

/// A packet and where it is.
#[derive(Clone, Copy)]
struct Moment {
    now_ns: i64,
    frame: u64,
    bin: u64,
}

impl Connection {
    /// Begins with its first packet.
    pub fn new(id: u64, packet: &Segment, frame: &Frame<'_>) -> Self {
        // Who answers a SYN is the server, also where the SYN is missing.
        let answers = packet.has(SYN | ACK);
        let (client, server) =
            if answers { (packet.destination, packet.source) } else { (packet.source, packet.destination) };
        Self {
            id,
            client,
            server,
            first_frame: frame.number,
            start_ns: frame.time_ns,
            end_ns: frame.time_ns,
            midstream: !packet.has(SYN) || answers,
            ended: None,
            opening: Opening::default(),
            wireshark: Handshake::default(),
            directions: Default::default(),
        }
    }

    fn side(&self, packet: &Segment) -> Side {
        if packet.source == self.client { Side::Client } else { Side::Server }
    }

    /// Whether a SYN begins another connection on the same ports, as Wireshark decides it: by its number.
    pub fn restarts_with(&self, packet: &Segment) -> bool {
        packet.has(SYN) && !packet.has(ACK) && self.directions[self.side(packet).index()].flow.restarts(packet.seq)
    }

    /// Whether it is closed or reset.
    pub const fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Bytes of memory.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        let [client, server] = &self.directions;
        size_of::<Self>() + client.memory_bytes() + server.memory_bytes()
    }

    /// When its last packet came.
    pub const fn end_ns(&self) -> i64 {
        self.end_ns
    }

    /// Takes a packet.
    pub fn packet<S: Sink>(
        &mut self,
        packet: &Segment,
        frame: &Frame<'_>,
        bin: u64,
        reused: bool,
        paths: &mut [Path; 2],
        output: &mut Output<'_, S>,
    ) {
        let moment = Moment { now_ns: frame.time_ns, frame: frame.number, bin };
        let sender = self.side(packet);
        self.end_ns = self.end_ns.max(moment.now_ns);
        if packet.has(SYN) || self.opening.ack_ns.is_none() {
            self.open(packet, sender, moment.now_ns, paths);
        }
        let stale = !self.midstream && self.opening.syn_acks == 0 && self.is_stale(packet, sender);
        let mss = self.segment_bytes(sender);
        let scale = self.scale(sender);
        let sack = self.both_allow_sack();
        let path_rtt_ns = self.opening.path_rtt_ns();

        let [client, server] = &mut self.directions;
        let (from, to) = if sender == Side::Client { (client, server) } else { (server, client) };
        let finding =
            direction::analyze(&mut self.wireshark, &mut from.flow, &mut to.flow, packet, moment.now_ns, reused);
        from.count_marks(finding.marks);
        from.count(packet, frame.wire_bytes, moment.now_ns, mss);
        if !stale {
            from.offer_window(packet, scale, moment.now_ns);
            if let Some((value, _)) = packet.options.timestamps {
                from.echoes.push(value, moment.now_ns);
            }
        }

        let mut event = Event { id: self.id, sender, moment, packet, stale, sack, mss, path_rtt_ns, output };
        let (class, new_bytes) = if stale { (Class::NoData, 0) } else { event.sent(from, to, finding.marks) };
        let ack = if packet.has(ACK) && !packet.has(SYN | RST) && !stale {
            event.acknowledged(from, to, finding.marks)
        } else {
            Acknowledged::default()
        };

        let outstanding_bytes = from.outstanding_bytes();
        if packet.payload_bytes > 0 && !stale {
            from.rounds.sent(&Sending {
                now_ns: moment.now_ns,
                outstanding_bytes,
                acked: from.sequence.acked(),
                segment_bytes: u64::from(mss.unwrap_or(from.largest_payload)),
                again: class.is_retransmission(),
                recovery: &from.recovery,
            });
        }
        if packet.has(ACK) && to.counts.data_packets > 0 {
            to.delivered(self.id, moment.now_ns, ack.rtt_ns, &mut paths[sender.other().index()]);
        }
        if ack.bytes > 0 {
            let receipt = Receipt {
                now_ns: moment.now_ns,
                acked: to.sequence.acked(),
                most: to.sequence.most(),
                rtt_ns: ack.rtt_ns,
                congestion_ns: to.limit.limits().congestion_ns,
                recovery: &to.recovery,
            };
            if to.rounds.acknowledged(&receipt) {
                to.estimate_bytes = to.rounds.memory_bytes() + to.queueing.memory_bytes();
            }
        }
        from.counts.most_outstanding_bytes = from.counts.most_outstanding_bytes.max(outstanding_bytes);
        let sent = BinCounts {
            packets: 1,
            wire_bytes: u64::from(frame.wire_bytes),
            payload_bytes: u64::from(packet.payload_bytes),
            new_bytes,
            retransmissions: u64::from(class.is_retransmission()),
            most_outstanding_bytes: outstanding_bytes,
            ..BinCounts::default()
        };
        event.bin(from, sender, &sent);
        if ack.bytes > 0 {
            let rtt_ns = ack.rtt_ns.and_then(|ns| u64::try_from(ns).ok());
            let (rtt_samples, rtt_sum_ns) = (u64::from(rtt_ns.is_some()), rtt_ns.unwrap_or(0));
            let counts = BinCounts { acked_bytes: ack.bytes, rtt_samples, rtt_sum_ns, ..BinCounts::default() };
            event.bin(to, sender.other(), &counts);
        }
        if event.output.wants_packets() {
            let row = event.row(from, frame.wire_bytes, class, finding, &ack, outstanding_bytes);
            event.output.packet(row);
        }
        if !stale {
            self.close(packet);
        }
    }

    /// Whether a packet is of the connection before on the same ports: while a client waits for the answer to its SYN,
    /// an ACK of anything else, and the RST with which it answers that (RFC 9293 section 3.10.7.3).
    #[cold]
    fn is_stale(&mut self, packet: &Segment, sender: Side) -> bool {
        let Direction { sequence, counts, .. } = &mut self.directions[Side::Client.index()];
        let waits = counts.packets == counts.syn + counts.rst;
        let (flag, number) = if sender == Side::Server { (ACK, packet.ack) } else { (RST, packet.seq) };
        waits && packet.has(flag) && !packet.has(SYN) && {
            let position = sequence.position(number);
            position <= sequence.first() || position > sequence.most()
        }
    }

    /// Notes the times of a handshake.
    #[cold]
    fn open(&mut self, packet: &Segment, sender: Side, now_ns: i64, paths: &[Path; 2]) {
        let opening = &mut self.opening;
        if packet.has(SYN | ACK) {
            if opening.syn_acks == 0 {
                opening.syn_ack_ns = Some(now_ns);
            }
            opening.syn_acks += 1;
        } else if packet.has(SYN) {
            opening.syn_ns = Some(now_ns);
            opening.syns += 1;
        } else if opening.ack_ns.is_none() && sender == Side::Client && packet.has(ACK) && opening.syn_ack_ns.is_some()
        {
            opening.ack_ns = Some(now_ns);
            if let Some(rtt_ns) = opening.path_rtt_ns().filter(|_| opening.syns == 1 && opening.syn_acks == 1) {
                let answer_ns = now_ns.saturating_sub(opening.syn_ack_ns.unwrap_or(now_ns));
                let to_senders_ns = [answer_ns, rtt_ns.saturating_sub(answer_ns)];
                for ((direction, path), to_sender_ns) in self.directions.iter_mut().zip(paths).zip(to_senders_ns) {
                    direction.queueing.far = to_sender_ns >= rtt_ns / describe::NEAR;
                    direction.queueing.open(rtt_ns, path.queue(now_ns, rtt_ns), path.frame_beyond_syn_ns());
                }
            }
        }
    }

    fn close(&mut self, packet: &Segment) {
        if packet.has(RST) {
            self.ended.get_or_insert(Ended::Reset);
        } else if self.ended.is_none()
            && packet.has(ACK)
            && self.directions.iter().all(|direction| direction.sequence.finished())
        {
            self.ended = Some(Ended::Closed);
        }
    }

    fn both_allow_sack(&self) -> bool {
        self.directions.iter().all(|direction| !direction.offer.seen || direction.offer.sack_permitted)
    }

    /// The data bytes of a full segment: the smaller MSS less the timestamps (RFC 6691), where both SYNs are known.
    fn segment_bytes(&self, sender: Side) -> Option<u32> {
        let [one, other] = [&self.directions[0].offer, &self.directions[1].offer];
        if one.seen && other.seen {
            // RFC 9293 section 3.7.1: without the option it is 536.
            let mss = one.mss.unwrap_or(536).min(other.mss.unwrap_or(536));
            let options = if one.timestamps && other.timestamps { 12 } else { 0 };
            return Some(u32::from(mss).saturating_sub(options).max(1));
        }
        let largest = self.directions[sender.index()].largest_payload;
        (largest > 0 && self.directions[sender.index()].counts.super_packets == 0 && largest >= 536).then_some(largest)
    }

    /// The shift of the window that an end offers: both SYNs must have one (RFC 7323 section 2.2).
    fn scale(&self, sender: Side) -> Option<u8> {
        let [own, other] = [&self.directions[sender.index()].offer, &self.directions[sender.other().index()].offer];
        match (own.seen, other.seen) {
            (true, true) if other.window_scale.is_some() => Some(own.window_scale.unwrap_or(0)),
            (true, true) => Some(0),
            (true, false) if own.window_scale.is_none() => Some(0),
            (false, true) if other.window_scale.is_none() => Some(0),
            _ => None,
        }
    }

    /// Its last bins.
    pub fn close_bins<S: Sink>(&mut self, output: &mut Output<'_, S>) {
        for side in [Side::Client, Side::Server] {
            if let Some((bin, counts)) = self.directions[side.index()].bin.close() {
                output.bin(self.id, side, bin, counts);
            }
        }
    }
}

/// What an ACK says.
#[derive(Default)]
struct Acknowledged {
    /// Bytes of data newly acknowledged.
    bytes: u64,
    /// By Karn's rule.
    rtt_ns: Option<i64>,
    /// When the last segment was sent that is newly reported, or else acknowledged.
    newest_ns: Option<i64>,
    timestamp_rtt_ns: Option<i64>,
}

/// A packet while it is taken.
struct Event<'a, 'b, S> {
    id: u64,
    sender: Side,
    moment: Moment,
    packet: &'a Segment,
    stale: bool,
    sack: bool,
    mss: Option<u32>,
    /// From one end to the other and back.
    path_rtt_ns: Option<i64>,
    output: &'a mut Output<'b, S>,
}

impl<S: Sink> Event<'_, '_, S> {
    #[inline]
    fn bin(&mut self, direction: &mut Direction, side: Side, counts: &BinCounts) {
        let (bin, complete) = direction.bin.at(self.moment.bin);
        bin.packets += counts.packets;
        bin.wire_bytes += counts.wire_bytes;
        bin.payload_bytes += counts.payload_bytes;
        bin.new_bytes += counts.new_bytes;
        bin.acked_bytes += counts.acked_bytes;
        bin.retransmissions += counts.retransmissions;
        bin.most_outstanding_bytes = bin.most_outstanding_bytes.max(counts.most_outstanding_bytes);
        bin.rtt_samples += counts.rtt_samples;
        bin.rtt_sum_ns += counts.rtt_sum_ns;
        if let Some((index, counts)) = complete {
            self.output.bin(self.id, side, index, counts);
        }
    }

    fn row(
        &self,
        from: &mut Direction,
        wire_bytes: u32,
        class: Class,
        finding: Finding,
        ack: &Acknowledged,
        outstanding_bytes: u64,
    ) -> PacketRow {
        let position = if self.stale { from.sequence.first() } else { from.sequence.position(self.packet.seq) };
        PacketRow {
            frame: self.moment.frame,
            time_ns: self.moment.now_ns,
            connection: self.id,
            sender: self.sender,
            flags: self.packet.flags,
            wire_bytes,
            payload_bytes: self.packet.payload_bytes,
            sequence_bytes: position.wrapping_sub(from.sequence.first()) as i64,
            class,
            marks: finding.marks,
            duplicate_ack: finding.duplicate_ack,
            ack_rtt_ns: finding.ack_rtt_ns,
            ack_rtt_sound: ack.rtt_ns.is_some() && finding.ack_rtt_ns.is_some(),
            sender_rtt_ns: ack.newest_ns.map(|sent_ns| self.moment.now_ns.saturating_sub(sent_ns)),
            timestamp_rtt_ns: ack.timestamp_rtt_ns,
            bytes_in_flight: finding.bytes_in_flight,
            outstanding_bytes,
            window_bytes: from.window.bytes,
        }
    }

    /// A FIN's and a SYN's own numbers.
    fn flag_positions(&self, start: u64) -> (Option<u64>, Option<u64>) {
        let syn = self.packet.has(SYN).then_some(start);
        let data = start + u64::from(self.packet.has(SYN)) + u64::from(self.packet.payload_bytes);
        (syn, self.packet.has(FIN).then_some(data))
    }
}

/// Whether Wireshark takes a packet for a duplicate ACK.
const fn is_duplicate(marks: Marks) -> bool {
    marks.has(Marks::DUPLICATE_ACK)
}
