//! [`Frame`]: a packet as a capture shows it, and where captures are taken.

/// A place of the path where packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CapturePoint {
    /// The hosts that send data: what leaves them for the path, and the ACKs that reach them.
    Senders,
    /// The bottleneck of a direction: what leaves it.
    Bottleneck,
    /// The hosts that data is for: what reaches them, and the ACKs that they send.
    Receivers,
}

impl CapturePoint {
    /// All of them, in the order in which data meets them.
    pub const ALL: [Self; 3] = [Self::Senders, Self::Bottleneck, Self::Receivers];

    /// Its name, in files and of interfaces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Senders => "senders",
            Self::Bottleneck => "bottleneck",
            Self::Receivers => "receivers",
        }
    }
}

/// Bits of TCP's header (RFC 9293 section 3.1).
pub mod flag {
    /// Nothing comes behind it.
    pub const FIN: u8 = 0x01;
    /// Opens the connection.
    pub const SYN: u8 = 0x02;
    /// Ends it at once.
    pub const RST: u8 = 0x04;
    /// Ends a burst, or what the application wrote.
    pub const PSH: u8 = 0x08;
    /// Its acknowledgement number counts.
    pub const ACK: u8 = 0x10;
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
    pub flags: u8,
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
