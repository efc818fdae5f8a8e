//! Where connections begin and end, and how many are remembered.

use crate::support::{
    ACK, FIN, MSS, Packet, RST, ack, analysed, data, ethernet, handshake, packet, pcap_file, read_with, segments,
};
use pcap::summary::{ConnectionSummary, Ended};
use pcap::{Marks, Options, Sink, analyze};
use std::io::Cursor;

fn closed(us: i64) -> Vec<Packet> {
    let mut packets = handshake(us, 1000, false);
    packets.push(data(us + 2000, 1, MSS).flags(ACK | FIN));
    packets.push(ack(us + 3000, 2 + MSS).flags(ACK | FIN));
    packets.push(Packet { seq: 2 + MSS, ack: 2, ..packet(us + 3100, true) });
    packets
}

#[test]
fn a_connection_closes_reset_or_stays_open() {
    let all = analysed(&closed(0));
    let connection = &all.connections[0];
    assert_eq!((connection.ended, connection.midstream), (Ended::Closed, false));
    assert_eq!((connection.client.port, connection.server.port), (40_000, 80));
    let [client, server] = &connection.directions;
    assert_eq!((client.syn, client.fin, client.unique_bytes, client.acked_bytes), (1, 1, 1000, 1000));
    assert_eq!((server.syn, server.fin, server.unique_bytes, server.acked_bytes), (1, 1, 0, 0));
    let mut packets = handshake(0, 1000, false);
    assert_eq!(analysed(&packets).connections[0].ended, Ended::CaptureEnded);
    packets.push(packet(2000, false).flags(RST));
    let all = analysed(&packets);
    assert_eq!((all.connections[0].ended, all.connections[0].directions[1].rst), (Ended::Reset, 1));
}

#[test]
fn the_same_ports_again_are_another_connection() {
    let mut packets = closed(0);
    packets.extend(closed(500_000).into_iter().map(|each| Packet { client_isn: 9, ..each }));
    let all = analysed(&packets);
    assert_eq!(all.connections.iter().map(|each| each.connection).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(
        all.connections[0].directions,
        all.connections[1].directions.clone().map(|mut each| {
            for time in [&mut each.counts.first_data_ns, &mut each.counts.last_data_ns, &mut each.counts.last_acked_ns]
            {
                *time = time.map(|ns| ns - 500_000_000);
            }
            each
        })
    );
    assert!(all.rows[6].marks.has(Marks::REUSED_PORTS));
    // A SYN sent again is none.
    let mut packets = handshake(0, 1000, false);
    packets.insert(1, Packet { us: 900, ..packets[0].clone() });
    let all = analysed(&packets);
    assert_eq!((all.connections.len(), all.connections[0].directions[0].retransmissions.timeouts), (1, 1));
}

/// The server still waits for late packets, and a SYN whose number is in its old window is one: it acknowledges what it
/// has, which the client resets before it sends its SYN again. So Linux does it.
#[test]
fn an_ack_of_the_connection_before_is_none_of_the_new_one() {
    let mut packets = vec![handshake(0, 900, false)[0].clone()];
    packets.push(Packet { seq: 900_000, ack: 50_001, window: 9, ..packet(10, false) });
    packets.push(Packet { seq: 50_001, flags: RST, ..packet(20, true) });
    packets.extend(closed(5_000));
    let all = analysed(&packets);
    let connection = &all.connections[0];
    assert_eq!((all.connections.len(), connection.ended), (1, Ended::Closed));
    let [client, server] = &connection.directions;
    assert_eq!((client.unique_bytes, client.acked_bytes, client.unseen_bytes), (1000, 1000, 0));
    assert_eq!((client.packets, client.rst, client.retransmissions.packets), (6, 1, 1), "the SYN");
    assert_eq!((server.packets, server.unseen_bytes, server.window.least_bytes), (3, 0, Some(60_000)));
    assert_eq!(all.rows.iter().map(|row| row.sequence_bytes).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 1, 1, 1002]);
    // One that acknowledges the SYN says that the capture lacks the answer, and a RST that does refuses it.
    packets[1].ack = 1;
    packets[2].seq = 1;
    assert_eq!(analysed(&packets).connections[0].ended, Ended::Reset);
}

#[test]
fn a_capture_may_begin_in_the_middle() {
    let mut packets = vec![ack(0, 1 + 3 * MSS)];
    packets.extend(segments(100, 10, 5, 4));
    packets.push(ack(20_000, 1 + 9 * MSS));
    packets.push(data(20_100, 1 + 3 * MSS, MSS));
    let all = analysed(&packets);
    let connection = &all.connections[0];
    assert!(connection.midstream);
    // Who sent first is the client, for want of a SYN.
    assert_eq!(connection.client.port, 80);
    let sender = &connection.directions[1];
    assert_eq!((sender.acked_bytes, sender.data_packets, sender.unseen_bytes), (4000, 5, 0));
    assert_eq!(sender.ack_rtt.unwrap().samples, 1);
    assert_eq!(connection.directions[0].window.scale, None);
}

#[test]
fn both_directions_are_alike() {
    let mut packets = handshake(0, 1000, true);
    packets.extend(segments(2000, 10, 0, 5));
    packets.push(ack(9000, 1 + 5 * MSS));
    let swapped: Vec<_> =
        packets.iter().map(|each| Packet { from_client: !each.from_client, ..each.clone() }).collect();
    let (one, other) = (analysed(&packets), analysed(&swapped));
    assert_eq!(one.connections[0].directions, other.connections[0].directions);
    assert_eq!(one.connections[0].client.address, other.connections[0].server.address);
}

#[test]
fn the_longest_silent_is_given_up_when_there_are_too_many() {
    let mut packets: Vec<_> =
        (0..5).map(|index| Packet { client_port: 1000 + index, ..packet(i64::from(index), true) }).collect();
    packets.push(Packet { client_port: 1001, ..packet(6, false) });
    packets.push(Packet { client_port: 9000, ..packet(7, true) });
    let options = Options { most_connections: 5, ..Options::default() };
    let (report, all) = read_with(pcap_file(1, &ethernet(&packets, 96)), options);
    assert_eq!((report.connections, report.connections_given_up), (6, 1));
    assert_eq!((all.connections[0].client.port, all.connections[0].ended), (1000, Ended::GivenUp));
    let rest: Vec<_> = all.connections[1..].iter().map(|each| each.client.port).collect();
    assert_eq!(rest, [1002, 1003, 1004, 1001, 9000]);
}

#[test]
fn a_connection_that_is_over_is_given_out_when_late_packets_are_none_of_its_own() {
    let mut packets = closed(0);
    packets.push(Packet { client_port: 2, ..packet(61_000_000, true) });
    packets.push(Packet { client_port: 3, ..packet(64_000_000, true) });
    packets.push(packet(65_000_000, true));
    let all = analysed(&packets);
    let ports: Vec<_> = all.connections.iter().map(|each| (each.connection, each.client.port)).collect();
    assert_eq!(ports, [(0, 40_000), (1, 2), (2, 3), (3, 40_000)]);
}

#[test]
fn the_first_segment_is_forgotten_when_too_many_are_outstanding() {
    let mut packets = handshake(0, 1000, false);
    packets.extend(segments(2000, 10, 0, 50));
    packets.push(ack(9000, 1 + 50 * MSS));
    let options = Options { most_outstanding: 10, ..Options::default() };
    let (_, all) = read_with(pcap_file(1, &ethernet(&packets, 96)), options);
    let client = &all.connections[0].directions[0];
    assert_eq!((client.segments_given_up, client.acked_bytes), (40, 50_000));
}

#[test]
fn a_thousand_connections_come_and_go() {
    let mut packets = Vec::new();
    for index in 0..1000_u16 {
        let us = i64::from(index) * 200_000;
        packets.extend(closed(us).into_iter().map(|each| Packet {
            client_port: 1000 + index % 400,
            client_isn: index.into(),
            ..each
        }));
    }
    let options = Options { most_connections: 500, ..Options::default() };
    let (report, all) = read_with(pcap_file(1, &ethernet(&packets, 96)), options);
    assert_eq!((report.connections, report.connections_given_up), (1000, 0));
    assert!(all.connections.iter().all(|each| each.ended == Ended::Closed && each.directions[0].unique_bytes == 1000));
    let mut ids: Vec<_> = all.connections.iter().map(|each| each.connection).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..1000).collect::<Vec<_>>());
}

#[test]
fn a_sink_may_stop_the_analysis() {
    struct Enough(u64);
    impl Sink for Enough {
        fn wants_more(&self) -> bool {
            false
        }

        fn connection(&mut self, summary: ConnectionSummary) {
            self.0 += summary.directions[0].packets;
        }
    }
    let file = pcap_file(1, &ethernet(&segments(0, 10, 0, 10_000), 96));
    let mut sink = Enough(0);
    let report = analyze(Cursor::new(file), Options::default(), &mut sink).unwrap();
    assert_eq!((report.stopped, report.frames.frames, sink.0), (true, 4096, 4096));
}

#[test]
fn data_that_nobody_acknowledges_takes_no_more_memory_than_allowed() {
    let port = |client_port| segments(0, 10, 0, 1000).into_iter().map(move |each| Packet { client_port, ..each });
    let packets: Vec<_> = (1..=20).flat_map(port).collect();
    let options = Options { most_bytes: 500_000, ..Options::default() };
    let (report, all) = read_with(pcap_file(1, &ethernet(&packets, 96)), options);
    assert_eq!((report.connections, all.connections.len()), (20, 20));
    assert!((12..20).contains(&report.connections_given_up), "{}", report.connections_given_up);
    assert!(all.connections.iter().all(|each| each.directions[0].data_packets == 1000));
}
