//! What is known of a connection at its end.

use crate::estimate::{AlgorithmEstimate, FlowEstimate};
use crate::quantile::Distribution;
use serde::Serialize;
use std::net::IpAddr;
use std::ops::Deref;

/// An address and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EndpointName {
    /// The address.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
}

/// Why a connection is given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Both ends sent a FIN that the other acknowledged.
    Closed,
    /// One end sent a RST.
    Reset,
    /// It was open when the ports were used for another one.
    PortsReused,
    /// It was open, and the one longest without a packet, when there were too many.
    GivenUp,
    /// It was open when the capture ended.
    CaptureEnded,
}

/// Where the capture was made, as far as times tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CapturePoint {
    /// Near the client.
    Client,
    /// Near the server.
    Server,
    /// Far from both.
    Middle,
    /// The times do not tell, or both ends are too near.
    Unknown,
}

/// The three packets that open a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Handshake {
    /// From the last SYN to the first ACK after it, ns: `tcp.analysis.initial_rtt`.
    pub rtt_ns: Option<i64>,
    /// From the last SYN to the SYN-ACK, ns: the way from the capture to the server and back.
    pub server_part_ns: Option<i64>,
    /// From the SYN-ACK to the ACK, ns: the way from the capture to the client and back.
    pub client_part_ns: Option<i64>,
}

/// What ECN was agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnNegotiation {
    /// No SYN and SYN-ACK were seen.
    Unknown,
    /// The client did not ask.
    NotOffered,
    /// The client asked and the server declined.
    Declined,
    /// As RFC 3168 has it.
    Classic,
    /// Accurate ECN (RFC 9768).
    Accurate,
}

/// Packets of one end that were sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Retransmissions {
    /// Packets with data, SYN or FIN sent again: the sum of the four kinds.
    pub packets: u64,
    /// Bytes of data in them.
    pub bytes: u64,
    /// While the receiver reported data behind it, or in the recovery that this began.
    pub fast: u64,
    /// After the retransmission timer ran out, or in the recovery that this began.
    pub timeout: u64,
    /// Probes for a tail loss.
    pub tail_probe: u64,
    /// For none of these reasons.
    pub plain: u64,
    /// How often the timer ran out.
    pub timeouts: u64,
    /// How often a fast recovery began.
    pub recoveries: u64,
    /// Those whose first transmission the capture has not seen: lost before it.
    pub first_unseen: u64,
    /// Needless ones, in all.
    pub spurious: u64,
    /// Of these, proved by an acknowledgement before them.
    pub spurious_acknowledged: u64,
    /// Of these, proved by a D-SACK.
    pub spurious_dsack: u64,
    /// Of these, proved by an echoed timestamp.
    pub spurious_timestamp: u64,
}

/// Packets of one end that others overtook before the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Reordering {
    /// How many were overtaken.
    pub packets: u64,
    /// By how many data packets at most.
    pub most_packets: u64,
    /// By how many bytes at most.
    pub most_bytes: u64,
    /// How long after the first that overtook it at most, ns.
    pub most_ns: i64,
}

/// Packets and flags for ECN that one end sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct EcnCounts {
    /// Packets with ECT(0).
    pub ect0: u64,
    /// Packets with ECT(1).
    pub ect1: u64,
    /// Packets with CE.
    pub ce: u64,
    /// Segments but SYN with ECE.
    pub ece: u64,
    /// Segments but SYN with CWR.
    pub cwr: u64,
}

/// The receive window that one end offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Window {
    /// The shift in use; none where it is not known.
    pub scale: Option<u8>,
    /// The smallest, bytes, but for zero.
    pub least_bytes: Option<u64>,
    /// The largest, bytes.
    pub most_bytes: u64,
    /// How often it fell to zero.
    pub zero_windows: u64,
    /// How long it was zero, ns.
    pub zero_ns: i64,
}

/// Packets by Wireshark's marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct WiresharkCounts {
    /// `tcp.analysis.retransmission`: of all three kinds.
    pub retransmission: u64,
    /// `tcp.analysis.fast_retransmission`.
    pub fast_retransmission: u64,
    /// `tcp.analysis.spurious_retransmission`.
    pub spurious_retransmission: u64,
    /// `tcp.analysis.out_of_order`.
    pub out_of_order: u64,
    /// `tcp.analysis.lost_segment`.
    pub lost_segment: u64,
    /// `tcp.analysis.ack_lost_segment`.
    pub ack_lost_segment: u64,
    /// `tcp.analysis.duplicate_ack`.
    pub duplicate_ack: u64,
    /// `tcp.analysis.keep_alive`.
    pub keep_alive: u64,
    /// `tcp.analysis.window_full`.
    pub window_full: u64,
    /// `tcp.analysis.zero_window`.
    pub zero_window: u64,
    /// `tcp.analysis.window_update`.
    pub window_update: u64,
}

/// What limited a sender, from its first data to the last acknowledgement. Sound where the capture was made near it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Limits {
    /// The application had no more to send: nothing was outstanding, or the last new segment was a short one. ns
    pub application_ns: i64,
    /// The receiver's window had no room for a segment. ns
    pub receiver_ns: i64,
    /// Neither: the congestion window, pacing or a recovery; a send buffer that is too small counts here, too. ns
    pub congestion_ns: i64,
}

/// Counts of one end that need no more than a packet at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Packets.
    pub packets: u64,
    /// Packets with data.
    pub data_packets: u64,
    /// Bytes on the wire, all headers included.
    pub wire_bytes: u64,
    /// Bytes of data, also those sent again.
    pub payload_bytes: u64,
    /// Bytes of data that the capture saw, each once.
    pub unique_bytes: u64,
    /// Bytes of data that the other end acknowledged.
    pub acked_bytes: u64,
    /// Bytes that were acknowledged and that the capture has not seen.
    pub unseen_bytes: u64,
    /// When its first data was captured, ns since 1970.
    pub first_data_ns: Option<i64>,
    /// When its last data was captured, ns since 1970.
    pub last_data_ns: Option<i64>,
    /// When the last acknowledgement of new data was captured, ns since 1970.
    pub last_acked_ns: Option<i64>,
    /// Segments with SYN.
    pub syn: u64,
    /// Segments with FIN.
    pub fin: u64,
    /// Segments with RST.
    pub rst: u64,
    /// Packets overtaken.
    pub reordering: Reordering,
    /// Packets that were captured twice.
    pub repeated_packets: u64,
    /// Keep-alive probes.
    pub keep_alives: u64,
    /// Packets of more than a segment: captured before they were cut up, or after they were put together.
    pub super_packets: u64,
    /// D-SACKs that it sent: duplicates that it received.
    pub dsacks: u64,
    /// The most bytes outstanding: sent, neither acknowledged nor reported by SACK.
    pub most_outstanding_bytes: u64,
    /// ECN's marks.
    pub ecn: EcnCounts,
    /// Wireshark's marks.
    pub wireshark: WiresharkCounts,
}

/// What one end sent, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionSummary {
    /// What was counted; in JSON its fields are the summary's own.
    #[serde(flatten)]
    pub counts: Counts,
    /// The maximum segment size of its SYN, bytes.
    pub mss: Option<u16>,
    /// The window's shift of its SYN.
    pub window_scale: Option<u8>,
    /// Whether its SYN allowed selective acknowledgements.
    pub sack_permitted: bool,
    /// Whether its packets have timestamps.
    pub timestamps: bool,
    /// The RTT of its data by acknowledgements, by Karn's rule (see `PacketRow::ack_rtt_sound`), without the handshake.
    pub ack_rtt: Option<Distribution>,
    /// The RTT of its data by echoed timestamps.
    pub timestamp_rtt: Option<Distribution>,
    /// Packets sent again.
    pub retransmissions: Retransmissions,
    /// Segments that were forgotten because too many were outstanding.
    pub segments_given_up: u64,
    /// The window that it offered.
    pub window: Window,
    /// What limited it; none where the capture was made near the other end.
    pub limits: Option<Limits>,
    /// Which congestion control it runs; none where it sent no data.
    pub algorithm: Option<AlgorithmEstimate>,
    /// What its data says about its path and itself; none where it sent none.
    pub flow: Option<FlowEstimate>,
}

impl Deref for DirectionSummary {
    type Target = Counts;

    fn deref(&self) -> &Counts {
        &self.counts
    }
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConnectionSummary {
    /// Its number, from 0 on in the order of the first packets.
    pub connection: u64,
    /// Who sent the SYN; without one, who sent the first packet.
    pub client: EndpointName,
    /// The other end.
    pub server: EndpointName,
    /// The first packet's frame.
    pub first_frame: u64,
    /// When the first packet was captured, ns since 1970.
    pub start_ns: i64,
    /// When the last packet was captured, ns since 1970.
    pub end_ns: i64,
    /// Whether the capture lacks the SYN.
    pub midstream: bool,
    /// Why it is given out.
    pub ended: Ended,
    /// Where the capture was made.
    pub capture_point: CapturePoint,
    /// Its handshake.
    pub handshake: Handshake,
    /// What ECN was agreed on.
    pub ecn: EcnNegotiation,
    /// What the client sent, and what the server sent.
    pub directions: [DirectionSummary; 2],
}
