//! [`Seen`]: what is captured of a run. A [`Frame`] is a packet as a capture shows it.

use crate::{CapturePoint, FRAME_HEADERS_BYTES, Gauges};

/// Bits of TCP's header (RFC 9293 section 3.1).
pub mod flag {
    /// Nothing comes behind it.
    pub const FIN: u16 = 0x01;
    /// Opens the connection.
    pub const SYN: u16 = 0x02;
    /// Ends it at once.
    pub const RST: u16 = 0x04;
    /// Ends a burst, or what the application wrote.
    pub const PSH: u16 = 0x08;
    /// Its acknowledgement number counts.
    pub const ACK: u16 = 0x10;
    /// Echo of congestion (RFC 3168 section 6.1); with [`SYN`], an offer of ECN or its answer.
    pub const ECE: u16 = 0x40;
    /// The congestion window was reduced (RFC 3168 section 6.1); with [`SYN`], an offer of ECN.
    pub const CWR: u16 = 0x80;
    /// With [`CWR`] and [`ECE`] a field that counts marks (RFC 9768 section 3.2); with [`SYN`], an offer of accurate ECN.
    pub const AE: u16 = 0x100;
}

/// A TCP packet at a place and an instant. Numbers count from the SYN, which has 0, and do not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When it passed.
    pub at_ns: u64,
    /// Where.
    pub point: CapturePoint,
    /// Its flow, by its place in the run; of an arriving transfer, its source.
    pub flow: u32,
    /// Its connection: those of the run's flows first, then transfers as they arrive.
    pub connection: u32,
    /// It goes to the flow's sender.
    pub to_sender: bool,
    /// Its [`flag`]s.
    pub flags: u16,
    /// IP's ECN field.
    pub ecn: u8,
    /// Number of its first byte.
    pub seq: u64,
    /// The byte that is expected next.
    pub ack: u64,
    /// Its payload.
    pub payload_bytes: u32,
    /// The window that it offers.
    pub window_bytes: u64,
    /// Timestamp value and echo, ms (RFC 7323).
    pub stamps_ms: [u32; 2],
    /// First byte of each SACK block, and one past its last.
    pub blocks: [[u64; 2]; 3],
    /// How many of them there are.
    pub block_count: u8,
}

/// TCP's option of SACK blocks beyond these, aligned (RFC 2018 section 3), and each block.
const SACK_BYTES: u32 = 4;
const BLOCK_BYTES: u32 = 8;

impl Frame {
    /// Its size on a host's link, if it is no SYN.
    pub const fn frame_bytes(&self) -> u32 {
        let sack_bytes = if self.block_count > 0 { SACK_BYTES + BLOCK_BYTES * self.block_count as u32 } else { 0 };
        FRAME_HEADERS_BYTES + sack_bytes + self.payload_bytes
    }
}

/// What captures see, in order of time.
#[derive(Clone, Copy, Debug)]
pub enum Seen {
    /// A packet passes the place that it has.
    Passed(Frame),
    /// TCP hands data over to its host, in whose own queue it may wait, or be dropped; it has no [`CapturePoint`].
    Sent {
        /// The packet, as if at [`CapturePoint::Senders`].
        frame: Frame,
        /// If it was sent before: what made TCP send it again.
        cause: ResendCause,
    },
    /// A sender has acted, upon an ACK, a timer, or its application.
    Sender(SenderState),
}

impl Seen {
    /// When.
    pub const fn at_ns(&self) -> u64 {
        match self {
            Self::Passed(frame) | Self::Sent { frame, .. } => frame.at_ns,
            Self::Sender(state) => state.at_ns,
        }
    }
}

/// What makes a sender send again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResendCause {
    /// What ACKs say.
    #[default]
    Acks,
    /// RACK's timer (RFC 8985 section 6.3).
    ReorderingTimer,
    /// A timeout, whose recovery is not over, or a tail loss probe.
    Timeout,
}

/// A sender's state after it has acted.
#[derive(Clone, Copy, Debug)]
pub struct SenderState {
    /// When.
    pub at_ns: u64,
    /// Its flow, by its place in the run.
    pub flow: u32,
    /// Smoothed RTT, µs; 0 before the first sample.
    pub srtt_us: u32,
    /// The RTT sample of the last ACK, µs, if it gave one.
    pub rtt_us: Option<u32>,
    /// As they are sampled.
    pub gauges: Gauges,
    /// The algorithm's phase, and `recovery` while the transport reduces the window or makes up for losses, where the
    /// algorithm does not see to that itself.
    pub phase: &'static str,
}
