//! Captures made by hand: packets of one connection, and the files around them.

use pcap::summary::ConnectionSummary;
use pcap::{BinRow, Options, PacketRow, Report, Sink, Spurious, analyze};
use std::io::Cursor;

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const PSH: u8 = 8;
pub const ACK: u8 = 16;
pub const ECE: u8 = 64;
pub const CWR: u8 = 128;

pub const MSS: u32 = 1000;
pub const CLIENT_ISN: u32 = 1_000_000;
pub const SERVER_ISN: u32 = 5_000_000;
const START_NS: i64 = 1_700_000_000_000_000_000;

/// A segment; numbers are relative to the first sequence numbers.
#[derive(Clone)]
pub struct Packet {
    pub us: i64,
    pub from_client: bool,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub window: u16,
    pub payload: u32,
    pub options: Vec<u8>,
    pub ecn: u8,
    pub ip_id: u16,
    pub client_port: u16,
    pub client_isn: u32,
}

/// Data of the client, `seq` from 1 on.
pub fn data(us: i64, seq: u32, payload: u32) -> Packet {
    Packet { payload, flags: ACK, seq, ..packet(us, true) }
}

/// An ACK of the server's.
pub fn ack(us: i64, ack: u32) -> Packet {
    Packet { ack, flags: ACK, ..packet(us, false) }
}

pub fn packet(us: i64, from_client: bool) -> Packet {
    Packet {
        us,
        from_client,
        seq: 1,
        ack: 1,
        flags: ACK,
        window: 60_000,
        payload: 0,
        options: Vec::new(),
        ecn: 0,
        ip_id: 0,
        client_port: 40_000,
        client_isn: CLIENT_ISN,
    }
}

/// A handshake at the client's side: the SYN-ACK comes after `rtt_us`, the ACK 10 us later. No scaling; SACK if asked.
pub fn handshake(us: i64, rtt_us: i64, sack: bool) -> Vec<Packet> {
    let mut options = vec![2, 4, (MSS >> 8) as u8, MSS as u8];
    if sack {
        options.extend([4, 2, 1, 1]);
    }
    vec![
        Packet { seq: 0, ack: 0, flags: SYN, options: options.clone(), ..packet(us, true) },
        Packet { seq: 0, ack: 1, flags: SYN | ACK, options, ..packet(us + rtt_us, false) },
        packet(us + rtt_us + 10, true),
    ]
}

impl Packet {
    pub fn sack(mut self, blocks: &[(u32, u32)]) -> Self {
        self.options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
        let isn = self.client_isn;
        for (start, end) in blocks {
            self.options.extend(isn.wrapping_add(*start).to_be_bytes());
            self.options.extend(isn.wrapping_add(*end).to_be_bytes());
        }
        self
    }

    pub fn stamps(mut self, value: u32, echo: u32) -> Self {
        self.options.extend([1, 1, 8, 10]);
        self.options.extend(value.to_be_bytes());
        self.options.extend(echo.to_be_bytes());
        self
    }

    pub fn flags(mut self, flags: u8) -> Self {
        self.flags = flags;
        self
    }

    pub fn window(mut self, window: u16) -> Self {
        self.window = window;
        self
    }

    /// From the IP header on, with all of its payload.
    pub fn ip(&self) -> Vec<u8> {
        let tcp_bytes = 20 + self.options.len();
        let total = 20 + tcp_bytes + self.payload as usize;
        let (client, server) = ([10, 0, 0, 1], [10, 0, 0, 2]);
        let (source, destination) = if self.from_client { (client, server) } else { (server, client) };
        let mut bytes = vec![0x45, self.ecn];
        bytes.extend((total as u16).to_be_bytes());
        bytes.extend(self.ip_id.to_be_bytes());
        bytes.extend([0x40, 0, 64, 6, 0, 0]);
        bytes.extend(source);
        bytes.extend(destination);
        bytes.extend(self.tcp());
        bytes.resize(total, 0);
        bytes
    }

    pub fn tcp(&self) -> Vec<u8> {
        let (own, other) = if self.from_client { (self.client_isn, SERVER_ISN) } else { (SERVER_ISN, self.client_isn) };
        let ports = if self.from_client { (self.client_port, 80) } else { (80, self.client_port) };
        let acknowledgement = if self.flags & ACK == 0 { 0 } else { other.wrapping_add(self.ack) };
        let mut bytes = Vec::new();
        bytes.extend(ports.0.to_be_bytes());
        bytes.extend(ports.1.to_be_bytes());
        bytes.extend(own.wrapping_add(self.seq).to_be_bytes());
        bytes.extend(acknowledgement.to_be_bytes());
        bytes.push(((20 + self.options.len()) / 4 * 16) as u8);
        bytes.push(self.flags);
        bytes.extend(self.window.to_be_bytes());
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(&self.options);
        bytes
    }

    pub fn ns(&self) -> i64 {
        START_NS + self.us * 1000
    }
}

/// A frame of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    pub ns: i64,
    pub bytes: Vec<u8>,
    pub wire: u32,
}

/// Ethernet frames of which `snap` bytes are captured.
pub fn ethernet(packets: &[Packet], snap: usize) -> Vec<Captured> {
    let frame = |packet: &Packet| {
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
        bytes.extend(packet.ip());
        let wire = bytes.len() as u32;
        bytes.truncate(snap);
        Captured { ns: packet.ns(), bytes, wire }
    };
    packets.iter().map(frame).collect()
}

/// A pcap file of nanoseconds, little-endian.
pub fn pcap_file(link: u32, frames: &[Captured]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 65_535, link] {
        file.extend(u32::to_le_bytes(word));
    }
    for frame in frames {
        let (seconds, ns) = (frame.ns / 1_000_000_000, frame.ns % 1_000_000_000);
        for word in [seconds as u32, ns as u32, frame.bytes.len() as u32, frame.wire] {
            file.extend(word.to_le_bytes());
        }
        file.extend(&frame.bytes);
    }
    file
}

/// A block of pcapng, little-endian.
pub fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (12 + body.len().next_multiple_of(4)) as u32;
    let mut block = Vec::new();
    block.extend(kind.to_le_bytes());
    block.extend(length.to_le_bytes());
    block.extend(body);
    block.resize(length as usize - 4, 0);
    block.extend(length.to_le_bytes());
    block
}

pub fn section() -> Vec<u8> {
    let mut body = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    body.extend([1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    block(0x0a0d_0d0a, &body)
}

pub fn interface(link: u16, options: &[u8]) -> Vec<u8> {
    let mut body = link.to_le_bytes().to_vec();
    body.extend([0, 0, 0, 0, 4, 0]);
    body.extend(options);
    block(1, &body)
}

pub fn enhanced(interface: u32, ticks: u64, frame: &Captured) -> Vec<u8> {
    let mut body = Vec::new();
    for word in [interface, (ticks >> 32) as u32, ticks as u32, frame.bytes.len() as u32, frame.wire] {
        body.extend(word.to_le_bytes());
    }
    body.extend(&frame.bytes);
    body.resize(body.len().next_multiple_of(4), 0);
    // A comment, which is passed over.
    body.extend([1, 0, 5, 0]);
    body.extend(b"\x1b[31m\0\0\0");
    body.extend([0; 4]);
    block(6, &body)
}

/// A pcapng file of nanoseconds.
pub fn pcapng_file(link: u16, frames: &[Captured]) -> Vec<u8> {
    let mut file = section();
    file.extend(interface(link, &[9, 0, 1, 0, 9, 0, 0, 0]));
    for frame in frames {
        file.extend(enhanced(0, frame.ns as u64, frame));
    }
    file
}

/// Takes everything.
#[derive(Default)]
pub struct Everything {
    pub rows: Vec<PacketRow>,
    pub bins: Vec<BinRow>,
    pub spurious: Vec<Spurious>,
    pub connections: Vec<ConnectionSummary>,
}

impl Sink for Everything {
    fn wants_packets(&self) -> bool {
        true
    }

    fn packets(&mut self, rows: &[PacketRow]) {
        self.rows.extend(rows);
    }

    fn bin(&mut self, row: &BinRow) {
        self.bins.push(*row);
    }

    fn spurious(&mut self, spurious: &Spurious) {
        self.spurious.push(*spurious);
    }

    fn connection(&mut self, summary: ConnectionSummary) {
        self.connections.push(summary);
    }
}

pub fn read(file: Vec<u8>) -> (Report, Everything) {
    read_with(file, Options::default())
}

pub fn read_with(file: Vec<u8>, options: Options) -> (Report, Everything) {
    let mut all = Everything::default();
    let report = analyze(Cursor::new(file), options, &mut all).unwrap();
    (report, all)
}

/// What the crate says of the packets of one connection, captured with 96 bytes each.
pub fn analysed(packets: &[Packet]) -> Everything {
    let (report, all) = read(pcap_file(1, &ethernet(packets, 96)));
    assert_eq!(report.frames.tcp, packets.len() as u64);
    all
}

/// Segments of [`MSS`], one after the other, sent at `us` with `gap_us` between them: those from `first` on, `count`.
pub fn segments(us: i64, gap_us: i64, first: u32, count: u32) -> Vec<Packet> {
    (0..count).map(|index| data(us + i64::from(index) * gap_us, 1 + (first + index) * MSS, MSS)).collect()
}
