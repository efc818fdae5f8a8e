//! The headers before TCP's, and what is no TCP.

use crate::support::{ACK, Packet, data, packet};
use pcap::header::{Ecn, Parsed, Segment, parse};

const PAYLOAD: u32 = 777;

fn sample() -> Packet {
    Packet { ecn: 2, ip_id: 99, ..data(0, 1, PAYLOAD) }.stamps(11, 22)
}

fn tcp(link: u32, frame: &[u8], wire: usize) -> Segment {
    match parse(link, frame, wire as u32) {
        Parsed::Tcp(segment) => segment,
        other => panic!("{other:?}"),
    }
}

fn with(header: &[u8], packet: &[u8]) -> Vec<u8> {
    [header, packet].concat()
}

fn ethernet(tags: &[u8], ether_type: u16) -> Vec<u8> {
    [&[0; 12][..], tags, &ether_type.to_be_bytes()].concat()
}

/// IPv6 with extension headers, the first of them `next`.
fn version_6(next: u8, extensions: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x60, 0x30, 0, 0];
    bytes.extend(((extensions.len() + payload.len()) as u16).to_be_bytes());
    bytes.extend([next, 64]);
    bytes.extend([0xfd; 16]);
    bytes.extend([0xfe; 16]);
    bytes.extend(extensions);
    bytes.extend(payload);
    bytes
}

#[test]
fn every_link_layer_leads_to_the_same_segment() {
    let ip = sample().ip();
    let cooked = [&[0; 14][..], &[8, 0]].concat();
    let cooked_2 = [&[8, 0][..], &[0; 18]].concat();
    let vlan = [0x81, 0, 0, 5];
    let double = [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6];
    let cases: [(u32, Vec<u8>); 13] = [
        (1, ethernet(&[], 0x0800)),
        (1, ethernet(&vlan, 0x0800)),
        (1, ethernet(&double, 0x0800)),
        (113, cooked),
        (276, cooked_2),
        (101, vec![]),
        (12, vec![]),
        (14, vec![]),
        (228, vec![]),
        (0, vec![2, 0, 0, 0]),
        (108, vec![0, 0, 0, 2]),
        (9, vec![0xff, 0x03, 0x00, 0x21]),
        (1, [ethernet(&[], 0x8864), vec![0x11, 0, 0, 1, 0, 2, 0x00, 0x21]].concat()),
    ];
    for (link, header) in cases {
        let frame = with(&header, &ip);
        let segment = tcp(link, &frame, frame.len());
        assert_eq!((segment.payload_bytes, segment.flags, segment.ip_id), (PAYLOAD, 16, Some(99)), "{link}");
        assert_eq!((segment.ecn, segment.options.timestamps), (Ecn::Ect0, Some((11, 22))));
        assert_eq!(segment.source.address().to_string(), "10.0.0.1");
        assert_eq!((segment.source.port(), segment.destination.port()), (40_000, 80));
        // Of whatever is cut, the payload is what IP's header says, and nothing is made up.
        for captured in 0..frame.len() {
            match parse(link, &frame[..captured], frame.len() as u32) {
                Parsed::Tcp(cut) => assert_eq!((cut.payload_bytes, cut.seq), (PAYLOAD, segment.seq)),
                Parsed::Short => assert!(captured < header.len() + 40),
                other => panic!("{captured} bytes: {other:?}"),
            }
        }
    }
}

#[test]
fn sixty_four_bytes_are_enough() {
    let frame = with(&ethernet(&[], 0x0800), &sample().ip());
    let segment = tcp(1, &frame[..64], frame.len());
    assert_eq!(segment.payload_bytes, PAYLOAD);
    assert!(segment.options.cut && segment.options.timestamps.is_none() && !segment.options.malformed);
}

#[test]
fn padding_of_ethernet_is_no_payload() {
    let mut frame = with(&ethernet(&[], 0x0800), &packet(0, true).ip());
    frame.resize(60, 0);
    assert_eq!(tcp(1, &frame, 60).payload_bytes, 0);
}

#[test]
fn a_length_of_zero_is_that_of_the_frame() {
    let mut ip = sample().ip();
    ip[2..4].fill(0);
    let segment = tcp(101, &ip[..80], 52 + 40_000);
    assert_eq!((segment.payload_bytes, segment.lengthless), (40_000, true));
}

#[test]
fn version_6_has_extension_headers() {
    let segment = sample().tcp();
    let plain = version_6(6, &[], &[&segment[..], &[0; 100]].concat());
    let first = tcp(229, &plain, plain.len());
    assert_eq!((first.payload_bytes, first.ecn, first.ip_id), (100, Ecn::Ce, None));
    assert_eq!(first.source.address().to_string(), "fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd");
    // Hop by hop, then destination options of 16 bytes.
    let extensions = [&[60, 0, 0, 0, 0, 0, 0, 0][..], &[6, 1], &[0; 14]].concat();
    let extended = version_6(0, &extensions, &segment);
    assert_eq!(tcp(1, &with(&ethernet(&[], 0x86dd), &extended), 14 + extended.len()).payload_bytes, 0);
    let fragment = version_6(44, &[6, 0, 0, 0, 0, 0, 0, 0], &segment);
    assert!(matches!(parse(229, &fragment, fragment.len() as u32), Parsed::Fragment));
}

#[test]
fn what_is_not_looked_into_has_a_name() {
    let protocol = |number: u8| {
        let mut ip = sample().ip();
        ip[9] = number;
        ip
    };
    let port = |port: u16| {
        let mut ip = protocol(17);
        ip[22..24].copy_from_slice(&port.to_be_bytes());
        ip
    };
    let tunnels = [
        (protocol(47), "GRE"),
        (protocol(4), "IPv4 in IP"),
        (protocol(41), "IPv6 in IP"),
        (protocol(50), "ESP"),
        (port(4789), "VXLAN"),
        (port(6081), "Geneve"),
        (port(2152), "GTP-U"),
    ];
    for (frame, expected) in tunnels {
        assert!(matches!(parse(101, &frame, 900), Parsed::Tunnel(name) if name == expected), "{expected}");
    }
    assert!(matches!(parse(101, &port(53), 900), Parsed::Named("UDP")));
    assert!(matches!(parse(1, &ethernet(&[], 0x0806), 60), Parsed::Named("ARP")));
    assert!(matches!(parse(1, &ethernet(&[], 0x8847), 60), Parsed::Tunnel("MPLS")));
    let mut fragment = sample().ip();
    fragment[6] = 0x20;
    assert!(matches!(parse(101, &fragment, 900), Parsed::Fragment));
    assert!(matches!(parse(147, &sample().ip(), 900), Parsed::UnknownLink(147)));
    let mut broken = sample().ip();
    broken[32] = 0xf0;
    broken[3] = 60;
    broken[2] = 0;
    assert!(matches!(parse(101, &broken, 900), Parsed::Malformed("a TCP header longer than its packet")));
}

#[test]
fn options_are_read_or_counted() {
    let mut packet = Packet { flags: ACK, ..data(0, 1, 0) };
    packet.options = vec![2, 4, 5, 180, 3, 3, 7, 4, 2, 30, 4, 0, 0, 1, 1, 254, 2, 1, 1, 0];
    let segment = tcp(101, &packet.ip(), packet.ip().len());
    let options = segment.options;
    assert_eq!((options.mss, options.window_scale, options.sack_permitted), (Some(1460), Some(7), true));
    assert_eq!((options.others, options.malformed), (2, false));
    packet.options = vec![3, 0, 0, 0];
    assert!(tcp(101, &packet.ip(), packet.ip().len()).options.malformed);
    packet.options.clear();
    let blocks = [(10, 20), (30, 40), (50, 60)];
    let packet = packet.sack(&blocks);
    let segment = tcp(101, &packet.ip(), packet.ip().len());
    let isn = packet.client_isn;
    assert_eq!(segment.options.sack().iter().map(|b| (b.start - isn, b.end - isn)).collect::<Vec<_>>(), blocks);
}
