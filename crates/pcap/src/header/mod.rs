//! A frame's headers, down to TCP's options. What is no TCP is named, so that it can be counted.

mod ip;
mod link;
mod options;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use options::{Options, SackBlock};

/// FIN, of a segment's flags.
pub const FIN: u16 = 0x001;
/// SYN, of a segment's flags.
pub const SYN: u16 = 0x002;
/// RST, of a segment's flags.
pub const RST: u16 = 0x004;
/// PSH, of a segment's flags.
pub const PSH: u16 = 0x008;
/// ACK, of a segment's flags.
pub const ACK: u16 = 0x010;
/// ECE, of a segment's flags (RFC 3168).
pub const ECE: u16 = 0x040;
/// CWR, of a segment's flags (RFC 3168).
pub const CWR: u16 = 0x080;
/// AE, of a segment's flags (RFC 9768).
pub const AE: u16 = 0x100;

/// An address and a port. IPv4 addresses are stored as IPv6 ones of the form `::ffff:a.b.c.d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    address: u128,
    port: u16,
}

impl Endpoint {
    pub(crate) const fn of_v4(address: u32, port: u16) -> Self {
        Self { address: 0xffff_0000_0000 | address as u128, port }
    }

    pub(crate) const fn of_v6(address: u128, port: u16) -> Self {
        Self { address, port }
    }

    /// The address.
    pub fn address(self) -> IpAddr {
        let address = Ipv6Addr::from_bits(self.address);
        address.to_ipv4_mapped().map_or(IpAddr::V6(address), |v4: Ipv4Addr| IpAddr::V4(v4))
    }

    /// The port.
    pub const fn port(self) -> u16 {
        self.port
    }

    pub(crate) const fn bits(self) -> (u128, u16) {
        (self.address, self.port)
    }
}

/// The two bits of the IP header for ECN (RFC 3168 section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable.
    NotEct,
    /// ECN-capable, code point 01: what L4S uses (RFC 9331).
    Ect1,
    /// ECN-capable, code point 10.
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    const fn of(traffic_class: u8) -> Self {
        match traffic_class & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}

/// A TCP segment: what the IP and TCP headers say.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Who sent it.
    pub source: Endpoint,
    /// To whom.
    pub destination: Endpoint,
    /// The identification of IPv4's header.
    pub ip_id: Option<u16>,
    /// ECN's bits of the IP header.
    pub ecn: Ecn,
    /// The sequence number.
    pub seq: u32,
    /// The acknowledgement number, whether or not the flag ACK is set.
    pub ack: u32,
    /// The flags, [`SYN`] and so on.
    pub flags: u16,
    /// The window as the header has it, unscaled.
    pub window: u16,
    /// Bytes of data, by the IP header's length (by the frame's where that is zero).
    pub payload_bytes: u32,
    /// The IP packet's length, bytes.
    pub ip_bytes: u32,
    /// Whether the IP header gives no length, as a packet before segmentation offload does.
    pub lengthless: bool,
    /// The options that were captured.
    pub options: Options,
}

impl Segment {
    /// Whether all of `flags` are set.
    #[inline]
    pub const fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }

    /// Whether one of `flags` is set.
    #[inline]
    pub const fn has_any(&self, flags: u16) -> bool {
        self.flags & flags != 0
    }

    /// How many sequence numbers it takes: its data, and one for each of SYN and FIN.
    #[inline]
    pub const fn sequence_length(&self) -> u32 {
        self.payload_bytes + self.has_any(SYN) as u32 + self.has_any(FIN) as u32
    }
}

/// What a frame is.
#[derive(Debug, Clone, Copy)]
pub enum Parsed {
    /// A TCP segment.
    Tcp(Segment),
    /// Something else, of which only the name is of interest: a protocol, or a tunnel that is not looked into.
    Named(&'static str),
    /// A tunnel that is not looked into.
    Tunnel(&'static str),
    /// A piece of an IP packet.
    Fragment,
    /// A frame of which too little was captured to know what it is.
    Short,
    /// A header that contradicts itself.
    Malformed(&'static str),
    /// A first header of a kind that is not known.
    UnknownLink(u32),
}

/// Reads the headers of a frame whose first is of the kind `link_type`.
#[inline]
pub fn parse(link_type: u32, captured: &[u8], wire_bytes: u32) -> Parsed {
    link::parse(link_type, captured, wire_bytes)
}

/// Two bytes in network order, where they are there.
#[inline]
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
}

#[inline]
fn u32_of(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
