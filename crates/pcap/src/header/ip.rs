//! IPv4's and IPv6's headers, and TCP's behind them.

use super::{Ecn, Endpoint, Options, Parsed, Segment, u16_at, u32_of};

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Extension headers one behind the other.
const MOST_EXTENSIONS: usize = 16;

/// An IP packet of which `bytes` were captured; behind its header are `wire_bytes` less those before.
#[inline]
pub fn parse(bytes: &[u8], wire_bytes: u32) -> Parsed {
    match bytes.first().map(|first| first >> 4) {
        Some(4) => version_4(bytes, wire_bytes),
        Some(6) => version_6(bytes, wire_bytes),
        Some(_) => Parsed::Malformed("an IP version that is neither 4 nor 6"),
        None => Parsed::Short,
    }
}

/// What the IP header says about the segment behind it.
struct Envelope {
    ends: fn(&[u8], u16, u16) -> (Endpoint, Endpoint),
    ip_id: Option<u16>,
    ecn: Ecn,
    ip_bytes: u32,
    lengthless: bool,
}

#[inline]
fn version_4(bytes: &[u8], wire_bytes: u32) -> Parsed {
    if bytes.len() < 20 {
        return Parsed::Short;
    }
    let header_bytes = usize::from(bytes[0] & 15) * 4;
    if header_bytes < 20 {
        return Parsed::Malformed("an IPv4 header of less than 20 bytes");
    }
    let total = u32::from(u16::from_be_bytes([bytes[2], bytes[3]]));
    // Packets that the network card will cut up have no length yet, or a longer frame than the field can say.
    let lengthless = total == 0;
    let ip_bytes = if lengthless { wire_bytes } else { total.min(wire_bytes) };
    if ip_bytes < header_bytes as u32 {
        return Parsed::Malformed("an IPv4 packet shorter than its header");
    }
    // More fragments, or an offset.
    if u16::from_be_bytes([bytes[6], bytes[7]]) & 0x3fff != 0 {
        return Parsed::Fragment;
    }
    let ends = |bytes: &[u8], source, destination| {
        (Endpoint::of_v4(u32_of(bytes, 12), source), Endpoint::of_v4(u32_of(bytes, 16), destination))
    };
    let ip_id = Some(u16::from_be_bytes([bytes[4], bytes[5]]));
    let envelope = Envelope { ends, ip_id, ecn: Ecn::of(bytes[1]), ip_bytes, lengthless };
    transport(bytes, header_bytes, bytes[9], &envelope)
}

#[inline]
fn version_6(bytes: &[u8], wire_bytes: u32) -> Parsed {
    if bytes.len() < 40 {
        return Parsed::Short;
    }
    let payload = u32::from(u16::from_be_bytes([bytes[4], bytes[5]]));
    // Zero with a jumbogram's option (RFC 2675), which Linux' BIG TCP uses, and before segmentation offload.
    let lengthless = payload == 0;
    let ip_bytes = if lengthless { wire_bytes } else { (payload + 40).min(wire_bytes) };
    let mut next = bytes[6];
    let mut at = 40;
    for _ in 0..MOST_EXTENSIONS {
        let extension = match next {
            // Hop-by-hop, routing, destination, mobility, HIP, shim6: length in units of 8 bytes but for the first.
            0 | 43 | 60 | 135 | 139 | 140 => |length: u8| (usize::from(length) + 1) * 8,
            44 => return Parsed::Fragment,
            _ => {
                let ends = |bytes: &[u8], source, destination| {
                    (Endpoint::of_v6(u128_of(bytes, 8), source), Endpoint::of_v6(u128_of(bytes, 24), destination))
                };
                let ecn = Ecn::of(bytes[1] >> 4);
                return transport(bytes, at, next, &Envelope { ends, ip_id: None, ecn, ip_bytes, lengthless });
            }
        };
        let Some(&[following, length]) = bytes.get(at..at + 2) else { return Parsed::Short };
        next = following;
        at += extension(length);
    }
    Parsed::Malformed("more than sixteen IPv6 extension headers")
}

fn u128_of(bytes: &[u8], at: usize) -> u128 {
    let mut address = [0; 16];
    address.copy_from_slice(&bytes[at..at + 16]);
    u128::from_be_bytes(address)
}

#[inline]
fn transport(bytes: &[u8], at: usize, protocol: u8, envelope: &Envelope) -> Parsed {
    match protocol {
        TCP => tcp(bytes, at, envelope),
        UDP => udp(bytes, at),
        1 | 58 => Parsed::Named("ICMP"),
        2 => Parsed::Named("IGMP"),
        4 => Parsed::Tunnel("IPv4 in IP"),
        41 => Parsed::Tunnel("IPv6 in IP"),
        47 => Parsed::Tunnel("GRE"),
        50 => Parsed::Tunnel("ESP"),
        51 => Parsed::Tunnel("AH"),
        97 => Parsed::Tunnel("EtherIP"),
        115 => Parsed::Tunnel("L2TPv3"),
        137 => Parsed::Tunnel("MPLS in IP"),
        132 => Parsed::Named("SCTP"),
        _ => Parsed::Named("other IP protocol"),
    }
}

/// Tunnels over UDP, by the port that is theirs (IANA; 8472 is Linux' VXLAN, 51820 WireGuard's).
fn udp(bytes: &[u8], at: usize) -> Parsed {
    let (Some(source), Some(destination)) = (u16_at(bytes, at), u16_at(bytes, at + 2)) else { return Parsed::Short };
    for port in [destination, source] {
        let tunnel = match port {
            4789 | 8472 => "VXLAN",
            4790 => "VXLAN-GPE",
            6081 => "Geneve",
            2152 => "GTP-U",
            1701 => "L2TP",
            3544 => "Teredo",
            4500 => "ESP in UDP",
            6080 => "GUE",
            6635 => "MPLS in UDP",
            51820 => "WireGuard",
            _ => continue,
        };
        return Parsed::Tunnel(tunnel);
    }
    Parsed::Named("UDP")
}

#[inline]
fn tcp(bytes: &[u8], at: usize, envelope: &Envelope) -> Parsed {
    let Some(header) = bytes.get(at..).filter(|header| header.len() >= 20) else { return Parsed::Short };
    let header_bytes = usize::from(header[12] >> 4) * 4;
    if header_bytes < 20 {
        return Parsed::Malformed("a TCP header of less than 20 bytes");
    }
    let Some(payload_bytes) = envelope.ip_bytes.checked_sub((at + header_bytes) as u32) else {
        return Parsed::Malformed("a TCP header longer than its packet");
    };
    let source_port = u16::from_be_bytes([header[0], header[1]]);
    let destination_port = u16::from_be_bytes([header[2], header[3]]);
    let (source, destination) = (envelope.ends)(bytes, source_port, destination_port);
    Parsed::Tcp(Segment {
        source,
        destination,
        ip_id: envelope.ip_id,
        ecn: envelope.ecn,
        seq: u32_of(header, 4),
        ack: u32_of(header, 8),
        flags: u16::from_be_bytes([header[12], header[13]]) & 0x01ff,
        window: u16::from_be_bytes([header[14], header[15]]),
        payload_bytes,
        ip_bytes: envelope.ip_bytes,
        lengthless: envelope.lengthless,
        options: Options::of(&header[20..header_bytes.min(header.len())], header_bytes - 20),
    })
}
