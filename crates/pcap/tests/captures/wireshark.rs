//! Columns named as Wireshark's are Wireshark's: random packets, by `tshark` and by the crate. Skipped without `tshark`.
//!
//! `DUMBBELL_CAPTURES` names a folder of captures, all of which are compared, too: `make captures` has Debian's.

use crate::support::{ACK, Everything, FIN, MSS, PSH, Packet, RST, SYN, ethernet, handshake, packet, pcap_file};
use pcap::{Marks, Options, PacketRow, analyze};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The marks, and the fields that stand for them.
const MARKS: [(Marks, &str); 14] = [
    (Marks::FAST_RETRANSMISSION, "tcp.analysis.fast_retransmission"),
    (Marks::SPURIOUS_RETRANSMISSION, "tcp.analysis.spurious_retransmission"),
    (Marks::OUT_OF_ORDER, "tcp.analysis.out_of_order"),
    (Marks::LOST_SEGMENT, "tcp.analysis.lost_segment"),
    (Marks::ACK_LOST_SEGMENT, "tcp.analysis.ack_lost_segment"),
    (Marks::KEEP_ALIVE, "tcp.analysis.keep_alive"),
    (Marks::KEEP_ALIVE_ACK, "tcp.analysis.keep_alive_ack"),
    (Marks::DUPLICATE_ACK, "tcp.analysis.duplicate_ack"),
    (Marks::WINDOW_UPDATE, "tcp.analysis.window_update"),
    (Marks::WINDOW_FULL, "tcp.analysis.window_full"),
    (Marks::ZERO_WINDOW, "tcp.analysis.zero_window"),
    (Marks::ZERO_WINDOW_PROBE, "tcp.analysis.zero_window_probe"),
    (Marks::ZERO_WINDOW_PROBE_ACK, "tcp.analysis.zero_window_probe_ack"),
    (Marks::REUSED_PORTS, "tcp.analysis.reused_ports"),
];
const FIELDS: [&str; 7] = [
    "frame.number",
    "tcp.stream",
    "tcp.len",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.bytes_in_flight",
    "tcp.analysis.duplicate_ack_num",
    "tcp.analysis.retransmission",
];

/// Debian's captures with frames that `tshark` sees differently, and why. The file format's fuzzers made most of them.
const OTHERWISE: [(&str, &str); 15] = [
    ("beep-oobr.pcap", "options are cut, where tshark ceases"),
    ("heapoverflow-tcp_print.pcap", "options are cut, where tshark ceases"),
    ("tcp-auth-heapoverflow.pcap", "options are cut, where tshark ceases"),
    ("smb_data_print-segv.pcapng", "a time of the year 4139: 64 bits have nanoseconds until 2262"),
    ("bgp-aigp.pcap", "a link type that we do not know"),
    ("ipoib.pcap", "a link type that we do not know"),
    ("bgp-bgp_capabilities_print-oobr-1.pcap", "a fragment, in which tshark sees TCP"),
    ("bgp-bgp_capabilities_print-oobr-2.pcap", "a fragment, in which tshark sees TCP"),
    ("bgp_pmsi_tunnel-oobr.pcap", "a fragment, in which tshark sees TCP"),
    ("rpki-rtr-oobr.pcap", "a fragment, in which tshark sees TCP"),
    ("tcp_header_heapoverflow.pcap", "its TCP header is cut"),
    ("geneve.pcap", "in a tunnel (Geneve)"),
    ("ipoipoip.pcap", "in a tunnel (IPv4 in IP)"),
    ("wireguard-ping-tcp-dsb.pcapng", "in a tunnel (WireGuard), and tshark has the key"),
    ("lspping-fec-ldp.pcap", "MPLS in PPP, which we do not look into"),
];

fn by_tshark(file: &Path) -> Option<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file).args(["-Y", "tcp && !icmp", "-T", "fields", "-E", "occurrence=f"]);
    for field in FIELDS.into_iter().chain(MARKS.map(|(_, field)| field)) {
        command.args(["-e", field]);
    }
    let output = command.output().ok()?;
    let lines = String::from_utf8(output.stdout).expect("tshark's output is text");
    // A mark is there or not; what it says is of no interest.
    let plain = |line: &str| {
        let columns = line.split('\t').enumerate();
        columns
            .map(|(place, text)| if place >= 6 && !text.is_empty() { "1" } else { text })
            .collect::<Vec<_>>()
            .join("\t")
    };
    Some(lines.lines().map(plain).collect())
}

fn line(row: &PacketRow) -> String {
    let number =
        |value: Option<u32>| value.filter(|value| *value > 0).map(|value| value.to_string()).unwrap_or_default();
    let sign = |ns: i64| if ns < 0 { "-" } else { "" };
    let seconds = |ns: i64| {
        let size = ns.unsigned_abs();
        format!("{}{}.{:09}", sign(ns), size / 1_000_000_000, size % 1_000_000_000)
    };
    let mark = |set: bool| if set { "1" } else { "" }.to_owned();
    let mut columns = vec![
        row.frame.to_string(),
        row.connection.to_string(),
        row.payload_bytes.to_string(),
        row.ack_rtt_ns.map(seconds).unwrap_or_default(),
        number(row.bytes_in_flight),
        number(Some(row.duplicate_ack)),
        mark(row.marks.retransmitted()),
    ];
    columns.extend(MARKS.map(|(bit, _)| mark(row.marks.has(bit))));
    columns.join("\t")
}

/// Packets of a few connections: what is likely after one another, in any order.
fn chance(seed: u64) -> Vec<Packet> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = move |limit: u64| random.next_u64() % limit;
    let mut packets = Vec::new();
    let mut us = 0;
    for port in 0..4 {
        let client_isn = [5, u32::MAX - 20_000, 1 << 31, 900_000][below(4) as usize];
        let start = packets.len();
        if below(4) > 0 {
            packets.extend(handshake(us, 1 + below(30_000) as i64, below(2) == 0));
        }
        let (mut next, mut acked) = (0_u32, 0_u32);
        for _ in 0..400 {
            us += [0, 1, 20, 900, 2_500, 9_000, 30_000][below(7) as usize];
            let base =
                Packet { client_isn, window: [0, 0, 1000, 60_000][below(40).min(3) as usize], ..packet(us, true) };
            let segment = match below(12) {
                0..6 => {
                    next += 1;
                    next - 1
                }
                6 => {
                    next += 1 + below(2) as u32;
                    next - 1
                }
                _ => acked + below(u64::from(next - acked) + 1) as u32,
            };
            let flags = [ACK, ACK, ACK | PSH, ACK | FIN, ACK | RST, SYN, RST][below(200).min(6) as usize];
            let flags = if below(30) > 0 { ACK } else { flags };
            let payload = [0, 1, 500, MSS, 2 * MSS][below(60).min(4) as usize];
            let payload = if payload == 2 * MSS && below(4) > 0 { MSS } else { payload };
            packets.push(Packet { seq: 1 + segment * MSS - u32::from(below(50) == 0), flags, payload, ..base.clone() });
            for _ in 0..below(3) {
                us += below(40) as i64;
                acked += below(u64::from(next.saturating_sub(acked)) / 2 + 1) as u32;
                let mut answer = Packet {
                    from_client: false,
                    ack: 1 + acked * MSS + [0, 300, 3 * MSS][(below(40) as usize).saturating_sub(37)],
                    window: [0, 20, 60_000][below(30).min(2) as usize],
                    us,
                    ..base.clone()
                };
                if below(3) == 0 {
                    let blocks = 1 + below(3) as u32;
                    let at = |block: u32| 1 + (acked + 1 + 2 * block) * MSS;
                    let blocks: Vec<_> = (0..blocks).map(|block| (at(block), at(block) + MSS)).collect();
                    answer = answer.sack(&blocks);
                }
                packets.push(answer);
            }
        }
        // A probe of a zero window, and its answer, which chance makes seldom.
        let closed = Packet { from_client: false, ack: 1 + next * MSS, window: 0, ..packet(us + 10, true) };
        packets.push(closed.clone());
        packets.push(Packet { seq: 1 + next * MSS, payload: 1, ..packet(us + 20, true) });
        packets.push(Packet { us: us + 30, ..closed });
        for each in &mut packets[start..] {
            each.client_port = 2000 + port;
            each.client_isn = client_isn;
        }
    }
    packets
}

/// Which lines differ.
fn differences(file: &Path, tshark: &[String]) -> Vec<String> {
    let mut all = Everything::default();
    let options = Options { linger_ns: i64::MAX, ..Options::default() };
    if analyze(File::open(file).unwrap(), options, &mut all).is_err() {
        return Vec::new();
    }
    let ours: Vec<_> = all.rows.iter().map(line).collect();
    let mut lines = Vec::new();
    let names = FIELDS.into_iter().chain(MARKS.map(|(_, field)| field)).collect::<Vec<_>>();
    for other in tshark {
        let number = other.split('\t').next();
        let Some(own) = ours.iter().find(|own| own.split('\t').next() == number) else {
            lines.push(format!("{} frame {} is no TCP segment", file.display(), number.unwrap_or_default()));
            continue;
        };
        let columns = own.split('\t').zip(other.split('\t')).zip(&names).filter(|((own, other), _)| own != other);
        lines.extend(columns.map(|((own, other), name)| {
            format!("{} frame {}: {name} is {other:?}, not {own:?}", file.display(), number.unwrap_or_default())
        }));
    }
    lines
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("dumbbell-pcap-{}-{name}.pcap", std::process::id()))
}

#[test]
fn random_packets_are_to_us_what_they_are_to_tshark() {
    let mut seen = [false; MARKS.len()];
    for seed in 0..8 {
        let packets = chance(seed);
        let path = scratch(&seed.to_string());
        std::fs::write(&path, pcap_file(1, &ethernet(&packets, 96))).unwrap();
        let Some(tshark) = by_tshark(&path) else { return };
        assert_eq!(tshark.len(), packets.len());
        for line in &tshark {
            let marks = line.split('\t').skip(FIELDS.len());
            seen.iter_mut().zip(marks).for_each(|(seen, mark)| *seen |= !mark.is_empty());
        }
        let differences = differences(&path, &tshark);
        assert_eq!(differences, [""; 0], "seed {seed}");
        std::fs::remove_file(&path).unwrap();
    }
    assert_eq!(seen, [true; MARKS.len()], "a mark that no packet has is not compared");
}

#[test]
fn captures_of_a_folder_are_to_us_what_they_are_to_tshark() {
    let Some(folder) = std::env::var_os("DUMBBELL_CAPTURES") else { return };
    let mut folders = vec![PathBuf::from(folder)];
    let (mut files, mut lines, mut all) = (0, 0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(tshark) = by_tshark(&path) {
                files += 1;
                lines += tshark.len();
                let differences = differences(&path, &tshark);
                match OTHERWISE.iter().find(|(name, _)| path.ends_with(name)) {
                    Some((name, why)) => assert!(!differences.is_empty(), "{name} is the same by now: {why}"),
                    None => all.extend(differences),
                }
            }
        }
    }
    assert_eq!(all, [""; 0], "of {lines} packets in {files} files");
}
