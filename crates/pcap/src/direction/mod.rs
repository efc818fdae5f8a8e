//! One end of a connection: what it sent, what became of it, and what it acknowledged.

mod bin;
mod echoes;
mod holes;
mod limit;
mod outstanding;
mod queueing;
mod retransmission;
mod rounds;
mod rtt;
mod sequence;
mod unacked;
mod wireshark;

pub use bin::Bin;
pub use holes::Hole;
pub use limit::{Limit, Limited};
pub use outstanding::Arrival;
pub use queueing::{Queueing, is_empty};
pub use retransmission::{Recovery, Retransmitted};
pub use rounds::{Instant, Receipt, Reduction, Round, Rounds, Sending};
pub use rtt::Rtt;
pub use sequence::Sequence;
pub use wireshark::{Finding, Flow, Handshake, Marks, analyze};

use crate::header::{ACK, CWR, ECE, Ecn, FIN, RST, SYN, Segment};
use crate::path::{Delivery, Path};
use crate::summary::{Counts, Window};
use echoes::Echoes;
use holes::Holes;
use outstanding::Outstanding;

/// The least that makes a packet a super-packet where no MSS is known: more than a jumbo frame.
const LARGEST_FRAME: u32 = 9_216;

/// What the SYN says, and whether there was one.
#[derive(Default, Clone, Copy)]
pub struct Offer {
    pub seen: bool,
    pub mss: Option<u16>,
    pub window_scale: Option<u8>,
    pub sack_permitted: bool,
    pub timestamps: bool,
    pub ecn_flags: u16,
}

/// What tells two captures of a packet from two packets.
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct Print {
    ip_id: u16,
    seq: u32,
    ack: u32,
    flags: u16,
    window: u16,
    payload_bytes: u32,
    timestamps: Option<(u32, u32)>,
}

/// The window that an end offers.
#[derive(Default)]
pub struct Offered {
    pub summary: Window,
    zero_since_ns: Option<i64>,
    /// The last one, bytes; none where the scale is not known.
    pub bytes: Option<u64>,
}

/// The state of one end.
#[derive(Default)]
pub struct Direction {
    pub flow: Flow,
    pub sequence: Sequence,
    pub counts: Counts,
    pub offer: Offer,
    pub outstanding: Outstanding,
    pub holes: Holes,
    pub echoes: Echoes,
    pub recovery: Recovery,
    pub rtt: Rtt,
    pub window: Offered,
    pub limit: Limit,
    pub rounds: Rounds,
    pub queueing: Queueing,
    /// Bytes of memory of these two at the end of the last round: each packet asks for the sum of all.
    pub estimate_bytes: usize,
    /// The largest frame with data that is not a super-packet.
    pub frame_bytes: u32,
    pub bin: Bin,
    /// The largest payload that fitted a frame.
    pub largest_payload: u32,
    last: Option<Print>,
}

impl Direction {
    /// What was sent and is neither acknowledged nor reported, bytes.
    #[inline]
    pub fn outstanding_bytes(&self) -> u64 {
        (self.sequence.most() - self.sequence.acked()).saturating_sub(self.outstanding.sacked_bytes())
    }

    /// Bytes of memory that grow.
    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.flow.memory_bytes()
            + self.outstanding.memory_bytes()
            + self.echoes.memory_bytes()
            + self.holes.memory_bytes()
            + self.recovery.memory_bytes()
            + self.rtt.memory_bytes()
            + self.estimate_bytes
    }

    /// The time since this end sent a timestamp first that the other one echoes.
    #[inline(always)]
    pub fn echo(&mut self, value: u32, now_ns: i64) -> Option<i64> {
        let (echo_ns, first) = self.echoes.since(value, now_ns)?;
        if first && echo_ns >= 0 {
            self.rtt.echo.insert(echo_ns as u64);
        }
        Some(echo_ns)
    }

    /// Enters what the path has delivered of its data by an acknowledgement that came now.
    #[inline]
    pub fn delivered(&mut self, connection: u64, now_ns: i64, rtt_ns: Option<i64>, path: &mut Path) {
        let more = self.queueing.more(self.counts.acked_bytes + self.outstanding.sacked_bytes());
        if more == 0 || self.queueing.far {
            return;
        }
        // What is reported behind a hole has waited in the same queue.
        let reported_ns = self.outstanding.take_reported();
        let rtt_ns = rtt_ns.or_else(|| reported_ns.map(|sent_ns| now_ns.saturating_sub(sent_ns)));
        if let Some(rtt_ns) = rtt_ns
            && self.queueing.rtt(rtt_ns, now_ns)
        {
            let (queue, reference_ns) = (
                path.queue(now_ns, rtt_ns).filter(|(_, is_sure)| *is_sure),
                path.reference_ns(connection, now_ns, rtt_ns),
            );
            self.queueing.compare(rtt_ns, queue.map(|(queue_ns, _)| queue_ns), reference_ns);
        }
        path.delivered(&Delivery {
            now_ns,
            connection,
            opening_ns: self.queueing.free_opening_ns(),
            bytes: more,
            segment_bytes: self.largest_payload,
            frame_bytes: self.frame_bytes,
            rtt_ns: rtt_ns.zip(self.least_rtt_ns()),
        });
    }

    /// The least RTT of its data, ns; less where it began in another flow's queue.
    #[inline]
    pub fn least_rtt_ns(&self) -> Option<i64> {
        let least_ns = self.rtt.by_ack.least()?.cast_signed();
        Some(self.queueing.least_of_data_ns().map_or(least_ns, |other_ns| least_ns.min(other_ns)))
    }

    /// Counts a packet that this end sent.
    #[inline(always)]
    pub fn count(&mut self, packet: &Segment, wire_bytes: u32, now_ns: i64, mss: Option<u32>) {
        let counts = &mut self.counts;
        counts.packets += 1;
        counts.wire_bytes += u64::from(wire_bytes);
        counts.payload_bytes += u64::from(packet.payload_bytes);
        if packet.payload_bytes > 0 {
            counts.data_packets += 1;
            counts.first_data_ns.get_or_insert(now_ns);
            counts.last_data_ns = Some(now_ns);
            let large = mss.map_or(packet.ip_bytes > LARGEST_FRAME, |mss| packet.payload_bytes > mss);
            if large || packet.lengthless {
                counts.super_packets += 1;
            } else {
                self.largest_payload = self.largest_payload.max(packet.payload_bytes);
                self.frame_bytes = self.frame_bytes.max(wire_bytes);
            }
        }
        match packet.ecn {
            Ecn::NotEct => {}
            Ecn::Ect0 => counts.ecn.ect0 += 1,
            Ecn::Ect1 => counts.ecn.ect1 += 1,
            Ecn::Ce => counts.ecn.ce += 1,
        }
        if packet.has_any(SYN | FIN | RST | ECE | CWR) {
            self.count_flags(packet);
        }
        if packet.options.timestamps.is_some() {
            self.offer.timestamps = true;
        }
    }

    fn count_flags(&mut self, packet: &Segment) {
        let counts = &mut self.counts;
        counts.syn += u64::from(packet.has(SYN));
        counts.fin += u64::from(packet.has(FIN));
        counts.rst += u64::from(packet.has(RST));
        if packet.has(SYN) {
            let options = &packet.options;
            self.offer = Offer {
                seen: true,
                mss: options.mss,
                window_scale: options.window_scale,
                sack_permitted: options.sack_permitted,
                timestamps: options.timestamps.is_some(),
                ecn_flags: packet.flags,
            };
        } else {
            counts.ecn.ece += u64::from(packet.has(ECE));
            counts.ecn.cwr += u64::from(packet.has(CWR));
        }
    }

    /// Counts Wireshark's marks on a packet that this end sent.
    #[inline]
    pub fn count_marks(&mut self, marks: Marks) {
        if marks == Marks(0) {
            return;
        }
        let counts = &mut self.counts.wireshark;
        counts.retransmission += u64::from(marks.retransmitted());
        for (mark, count) in [
            (Marks::FAST_RETRANSMISSION, &mut counts.fast_retransmission),
            (Marks::SPURIOUS_RETRANSMISSION, &mut counts.spurious_retransmission),
            (Marks::OUT_OF_ORDER, &mut counts.out_of_order),
            (Marks::LOST_SEGMENT, &mut counts.lost_segment),
            (Marks::ACK_LOST_SEGMENT, &mut counts.ack_lost_segment),
            (Marks::DUPLICATE_ACK, &mut counts.duplicate_ack),
            (Marks::KEEP_ALIVE, &mut counts.keep_alive),
            (Marks::WINDOW_FULL, &mut counts.window_full),
            (Marks::ZERO_WINDOW, &mut counts.zero_window),
            (Marks::WINDOW_UPDATE, &mut counts.window_update),
        ] {
            *count += u64::from(marks.has(mark));
        }
    }

    /// Whether the packet is the one before it once more, captured at another place.
    #[inline]
    pub fn repeats(&mut self, packet: &Segment) -> bool {
        // Zero is what many senders write where they do not fragment (RFC 6864).
        let Some(ip_id) = packet.ip_id.filter(|id| *id != 0) else { return false };
        let print = Print {
            ip_id,
            seq: packet.seq,
            ack: packet.ack,
            flags: packet.flags,
            window: packet.window,
            payload_bytes: packet.payload_bytes,
            timestamps: packet.options.timestamps,
        };
        let repeats = self.last == Some(print);
        self.last = Some(print);
        repeats
    }

    /// Notes the window that a packet of this end offers.
    #[inline]
    pub fn offer_window(&mut self, packet: &Segment, scale: Option<u8>, now_ns: i64) {
        if packet.has(RST) || !packet.has(ACK) {
            return;
        }
        let window = &mut self.window;
        window.summary.scale = scale;
        let shift = if packet.has(SYN) { Some(0) } else { scale };
        window.bytes = shift.map(|shift| u64::from(packet.window) << shift);
        let bytes = window.bytes.unwrap_or(u64::from(packet.window));
        window.summary.most_bytes = window.summary.most_bytes.max(bytes);
        if packet.window == 0 && !packet.has_any(SYN | FIN) {
            if window.zero_since_ns.is_none() {
                window.zero_since_ns = Some(now_ns);
                window.summary.zero_windows += 1;
            }
        } else {
            let least = window.summary.least_bytes.map_or(bytes, |least| least.min(bytes));
            window.summary.least_bytes = (bytes > 0).then_some(least).or(window.summary.least_bytes);
            if let Some(since_ns) = window.zero_since_ns.take() {
                window.summary.zero_ns = window.summary.zero_ns.saturating_add(now_ns.saturating_sub(since_ns));
            }
        }
    }
}
