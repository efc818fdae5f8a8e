//! What an analysis gives out while it goes on.

use crate::direction::Marks;
use crate::summary::ConnectionSummary;
use serde::Serialize;

/// Which end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Who sent the SYN; without one, who sent the first packet.
    Client,
    /// The other end.
    Server,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// Its place in an array of both.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a segment's data is: new, or which kind of old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// No data and neither SYN nor FIN; or what is late of the connection before on the same ports.
    NoData,
    /// Not sent before.
    New,
    /// Overtaken by what was sent after it.
    OutOfOrder,
    /// A probe of the other end: at most one byte before what comes next (RFC 9293 section 3.8.4).
    KeepAlive,
    /// The same packet captured twice: IPv4's identification and all else are the same.
    Repeated,
    /// Sent again while the receiver reports data behind it, or in the recovery that this began (RFC 5681, 6675, 8985).
    Fast,
    /// Sent again after the retransmission timer ran out, or in the recovery that this began (RFC 6298).
    Timeout,
    /// The end of the data sent again to probe for a tail loss (RFC 8985 section 7).
    TailProbe,
    /// Sent again for none of these reasons.
    Plain,
}

impl Class {
    /// Whether it was sent again.
    pub const fn is_retransmission(self) -> bool {
        matches!(self, Self::Fast | Self::Timeout | Self::TailProbe | Self::Plain)
    }
}

/// What is known of one packet. Times are nanoseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PacketRow {
    /// The frame's number in the file, from 1 on.
    pub frame: u64,
    /// When it was captured, since 1970.
    pub time_ns: i64,
    /// The connection's number, from 0 on in the order of their first packets.
    pub connection: u64,
    /// Who sent it.
    pub sender: Side,
    /// TCP's flags.
    pub flags: u16,
    /// Bytes on the wire, all headers included.
    pub wire_bytes: u32,
    /// Bytes of data.
    pub payload_bytes: u32,
    /// Where its data begins: bytes from the first sequence number of its sender that was seen; it does not wrap.
    pub sequence_bytes: i64,
    /// What the segment's data is.
    pub class: Class,
    /// What Wireshark says of it.
    pub marks: Marks,
    /// `tcp.analysis.duplicate_ack_num`, or zero.
    pub duplicate_ack: u32,
    /// `tcp.analysis.ack_rtt`: the time since the segment was first sent whose end it acknowledges.
    pub ack_rtt_ns: Option<i64>,
    /// Whether that is a sample by Karn's rule: nothing that the ACK newly covers was sent twice, and the receiver had
    /// not reported the segment by SACK before.
    pub ack_rtt_sound: bool,
    /// The sample that Linux gives its congestion control (6.1 `ca_rtt_us` of `tcp_clean_rtx_queue`): since the last
    /// segment was sent that the ACK newly reports by SACK, of those sent once; else since the last that it newly
    /// covers, if nothing that it covers was sent twice.
    pub sender_rtt_ns: Option<i64>,
    /// The time since the timestamp was first sent that it echoes, where it acknowledges new data (RFC 7323 section 4).
    pub timestamp_rtt_ns: Option<i64>,
    /// `tcp.analysis.bytes_in_flight`, of data packets.
    pub bytes_in_flight: Option<u32>,
    /// After this packet, what its sender sent, less what was acknowledged or reported by SACK, bytes.
    pub outstanding_bytes: u64,
    /// The window that it offers, bytes, scaled; none where the scale is not known.
    pub window_bytes: Option<u64>,
}

/// What one end sent in a bin of time. Bins without a packet are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BinCounts {
    /// Packets sent.
    pub packets: u64,
    /// Their bytes on the wire, all headers included.
    pub wire_bytes: u64,
    /// Their bytes of data.
    pub payload_bytes: u64,
    /// Bytes of data that the capture saw for the first time.
    pub new_bytes: u64,
    /// Bytes of data that the other end newly acknowledged in this bin, cumulatively.
    pub acked_bytes: u64,
    /// Packets that were retransmissions.
    pub retransmissions: u64,
    /// The most bytes outstanding after a packet.
    pub most_outstanding_bytes: u64,
    /// RTT samples that acknowledgements gave in this bin, by Karn's rule.
    pub rtt_samples: u64,
    /// Their sum, ns.
    pub rtt_sum_ns: u64,
}

/// A bin of a connection's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BinRow {
    /// The connection's number.
    pub connection: u64,
    /// Who sent.
    pub sender: Side,
    /// Which bin; the first begins with the first frame of the capture.
    pub bin: u64,
    /// What was sent in it.
    pub counts: BinCounts,
}

/// What proves that a retransmission was needless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The receiver had acknowledged it all before.
    Acknowledged,
    /// The receiver reported it as a duplicate (RFC 2883).
    DuplicateSack,
    /// The acknowledgement echoes an earlier timestamp (RFC 3522).
    Timestamp,
}

/// A retransmission that was needless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spurious {
    /// The connection's number.
    pub connection: u64,
    /// Who sent it.
    pub sender: Side,
    /// The frame of the retransmission.
    pub frame: u64,
    /// The frame that proves it.
    pub proof_frame: u64,
    /// What the proof is.
    pub proof: Proof,
}

/// Takes what an analysis gives out. Each method takes a batch or one, and does nothing unless it is written.
pub trait Sink {
    /// Whether rows of packets are wanted at all; without them the analysis is quicker.
    fn wants_packets(&self) -> bool {
        false
    }

    /// Whether to go on; the question comes once for some thousands of frames.
    fn wants_more(&self) -> bool {
        true
    }

    /// Rows of packets, in the order of the capture.
    fn packets(&mut self, rows: &[PacketRow]) {
        let _ = rows;
    }

    /// A bin that is complete: bins of an end come in order, those of several ends do not.
    fn bin(&mut self, row: &BinRow) {
        let _ = row;
    }

    /// A retransmission proved needless.
    fn spurious(&mut self, spurious: &Spurious) {
        let _ = spurious;
    }

    /// A connection that has ended, was given up, or is open when the capture ends. Its rows came before.
    fn connection(&mut self, summary: ConnectionSummary) {
        let _ = summary;
    }
}
