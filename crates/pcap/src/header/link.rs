//! The headers before IP's.

use super::{Parsed, ip, u16_at};

/// The link types (<https://www.tcpdump.org/linktypes.html>) that are known.
mod link_type {
    pub const NULL: u32 = 0;
    pub const ETHERNET: u32 = 1;
    pub const PPP: u32 = 9;
    pub const RAW_BSD: u32 = 12;
    pub const RAW_OPENBSD: u32 = 14;
    pub const PPP_HDLC: u32 = 50;
    pub const PPP_ETHER: u32 = 51;
    pub const RAW: u32 = 101;
    pub const CISCO_HDLC: u32 = 104;
    pub const LOOP: u32 = 108;
    pub const LINUX_COOKED: u32 = 113;
    pub const PPP_DIRECTION: u32 = 204;
    pub const IPV4: u32 = 228;
    pub const IPV6: u32 = 229;
    pub const LINUX_COOKED_2: u32 = 276;
}

/// Tags one behind the other; no network has more.
const MOST_TAGS: usize = 8;

#[inline]
pub fn parse(kind: u32, bytes: &[u8], wire_bytes: u32) -> Parsed {
    let packet = Packet { bytes, wire_bytes };
    match kind {
        link_type::ETHERNET => packet.ether_type(12),
        link_type::LINUX_COOKED => packet.ether_type(14),
        link_type::LINUX_COOKED_2 => {
            let Some(protocol) = u16_at(bytes, 0) else { return Parsed::Short };
            packet.protocol(protocol, 20)
        }
        link_type::RAW | link_type::RAW_BSD | link_type::RAW_OPENBSD => packet.raw(0),
        link_type::IPV4 | link_type::IPV6 => packet.raw(0),
        link_type::NULL | link_type::LOOP => packet.loopback(),
        link_type::PPP => packet.ppp(0),
        link_type::PPP_HDLC | link_type::PPP_DIRECTION => packet.ppp(usize::from(kind == link_type::PPP_DIRECTION)),
        link_type::PPP_ETHER => packet.ppp_session(0),
        link_type::CISCO_HDLC => packet.ether_type(2),
        other => Parsed::UnknownLink(other),
    }
}

struct Packet<'a> {
    bytes: &'a [u8],
    wire_bytes: u32,
}

impl Packet<'_> {
    /// With an EtherType at `at`, behind which the tags and the packet are.
    #[inline]
    fn ether_type(&self, at: usize) -> Parsed {
        match u16_at(self.bytes, at) {
            Some(protocol) => self.protocol(protocol, at + 2),
            None => Parsed::Short,
        }
    }

    #[inline]
    fn protocol(&self, mut protocol: u16, mut at: usize) -> Parsed {
        for _ in 0..MOST_TAGS {
            match protocol {
                0x0800 | 0x86dd => return self.raw(at),
                // 802.1Q, 802.1ad (QinQ), and two that were in use before it.
                0x8100 | 0x88a8 | 0x9100 | 0x9200 => {
                    let Some(next) = u16_at(self.bytes, at + 2) else { return Parsed::Short };
                    protocol = next;
                    at += 4;
                }
                0x8864 => return self.ppp_session(at),
                0x0806 => return Parsed::Named("ARP"),
                0x8847 | 0x8848 => return Parsed::Tunnel("MPLS"),
                0x88e5 => return Parsed::Tunnel("MACsec"),
                0x88e7 => return Parsed::Tunnel("PBB"),
                0x894f => return Parsed::Tunnel("NSH"),
                0x6558 => return Parsed::Tunnel("transparent Ethernet bridging"),
                // IEEE 802.3: a length, and LLC behind it.
                0..0x0600 => return Parsed::Named("IEEE 802.2"),
                _ => return Parsed::Named("other EtherType"),
            }
        }
        Parsed::Malformed("more than eight VLAN tags")
    }

    /// IP, whose version its own first bits tell.
    #[inline]
    fn raw(&self, at: usize) -> Parsed {
        let Some(packet) = self.bytes.get(at..) else { return Parsed::Short };
        ip::parse(packet, self.wire_bytes.saturating_sub(at as u32))
    }

    /// BSD's loopback: an address family in the byte order of the machine, or in network order.
    fn loopback(&self) -> Parsed {
        let Some(&[a, b, c, d]) = self.bytes.get(..4) else { return Parsed::Short };
        let family = if (a, b) == (0, 0) { u32::from_be_bytes([a, b, c, d]) } else { u32::from_le_bytes([a, b, c, d]) };
        match family {
            // AF_INET, and AF_INET6 of Linux and the BSDs.
            2 | 10 | 23 | 24 | 28 | 30 => self.raw(4),
            _ => Parsed::Named("other address family"),
        }
    }

    /// RFC 2516: a session's header, then PPP.
    fn ppp_session(&self, at: usize) -> Parsed {
        self.ppp(at + 6)
    }

    /// RFC 1661 and 1662: perhaps address and control, then a protocol number of one or two bytes.
    fn ppp(&self, mut at: usize) -> Parsed {
        match self.bytes.get(at..) {
            Some([0xff, 0x03, ..]) => at += 2,
            Some([0xff]) => return Parsed::Short,
            _ => {}
        }
        let Some(&first) = self.bytes.get(at) else { return Parsed::Short };
        // The lowest bit is set in a number's last byte only: a compressed number has but one.
        let (protocol, at) = if first & 1 == 1 {
            (u16::from(first), at + 1)
        } else {
            let Some(protocol) = u16_at(self.bytes, at) else { return Parsed::Short };
            (protocol, at + 2)
        };
        match protocol {
            0x0021 | 0x0057 => self.raw(at),
            0x003d => Parsed::Tunnel("multilink PPP"),
            _ => Parsed::Named("other PPP protocol"),
        }
    }
}
