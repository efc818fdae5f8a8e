//! ECN, receive windows, and what limits a sender.

use crate::support::{ACK, CWR, ECE, MSS, PSH, Packet, SYN, ack, analysed, data, handshake, packet, segments};
use pcap::Marks;
use pcap::summary::{EcnNegotiation, Limits};

#[test]
fn ecn_is_negotiated_by_the_handshake() {
    let negotiated = |request: u8, answer: u8| {
        let mut packets = handshake(0, 1000, false);
        packets[0].flags = SYN | request;
        packets[1].flags = SYN | ACK | answer;
        analysed(&packets).connections[0].ecn
    };
    assert_eq!(negotiated(ECE | CWR, ECE), EcnNegotiation::Classic);
    assert_eq!(negotiated(ECE | CWR, 0), EcnNegotiation::Declined);
    assert_eq!(negotiated(0, 0), EcnNegotiation::NotOffered);
    assert_eq!(analysed(&[packet(0, true)]).connections[0].ecn, EcnNegotiation::Unknown);
}

#[test]
fn marks_are_counted_by_their_sender() {
    let mut packets = handshake(0, 1000, false);
    packets.extend(
        [2, 2, 3, 1].into_iter().zip(0..).map(|(ecn, index)| Packet { ecn, ..data(2000, 1 + index * MSS, MSS) }),
    );
    packets.push(ack(3000, 1 + 4 * MSS).flags(ACK | ECE));
    packets.push(data(3100, 1 + 4 * MSS, MSS).flags(ACK | CWR));
    let all = analysed(&packets);
    let [client, server] = &all.connections[0].directions;
    assert_eq!((client.ecn.ect0, client.ecn.ce, client.ecn.ect1, client.ecn.cwr), (2, 1, 1, 1));
    assert_eq!((server.ecn.ece, server.ecn.ect0), (1, 0));
}

#[test]
fn windows_are_scaled_when_both_ends_say_so() {
    let scaled = |client: bool, server: bool| {
        let mut packets = handshake(0, 1000, false);
        if client {
            packets[0].options.extend([3, 3, 5, 1]);
        }
        if server {
            packets[1].options.extend([3, 3, 7, 1]);
        }
        packets.push(ack(2000, 1).window(100));
        let all = analysed(&packets);
        (all.rows[1].window_bytes, all.rows[3].window_bytes, all.connections[0].directions[1].window.scale)
    };
    assert_eq!(scaled(true, true), (Some(60_000), Some(12_800), Some(7)));
    assert_eq!(scaled(false, true), (Some(60_000), Some(100), Some(0)));
    assert_eq!(scaled(true, false), (Some(60_000), Some(100), Some(0)));
}

#[test]
fn a_zero_window_lasts_until_it_opens() {
    let mut packets = handshake(0, 1000, false);
    packets.push(data(2000, 1, MSS));
    packets.push(ack(3000, 1 + MSS).window(0));
    packets.push(ack(4000, 1 + MSS).window(0));
    packets.push(data(10_000, 1 + MSS, 1));
    packets.push(ack(11_000, 1 + MSS).window(0));
    packets.push(ack(13_000, 1 + MSS).window(5000));
    let all = analysed(&packets);
    let window = all.connections[0].directions[1].window;
    assert_eq!((window.zero_windows, window.zero_ns, window.least_bytes), (1, 10_000_000, Some(5000)));
    assert!(all.rows[6].marks.has(Marks::ZERO_WINDOW_PROBE) && all.rows[7].marks.has(Marks::ZERO_WINDOW_PROBE_ACK));
    assert!(all.rows[8].marks.has(Marks::WINDOW_UPDATE));
}

fn limits(packets: &[Packet]) -> Limits {
    analysed(packets).connections[0].directions[0].limits.unwrap()
}

#[test]
fn an_application_with_no_more_data_limits() {
    let mut packets = handshake(0, 20_000, false);
    packets.push(data(30_000, 1, 300).flags(ACK | PSH));
    packets.push(ack(50_000, 301));
    packets.push(data(90_000, 301, 300).flags(ACK | PSH));
    packets.push(ack(110_000, 601));
    assert_eq!(limits(&packets), Limits { application_ns: 80_000_000, receiver_ns: 0, congestion_ns: 0 });
}

#[test]
fn a_full_window_limits() {
    let mut packets = handshake(0, 20_000, false);
    packets[1].window = 4 * MSS as u16;
    packets.extend(segments(30_000, 0, 0, 4));
    packets.push(ack(50_000, 1 + 4 * MSS).window(4 * MSS as u16));
    packets.extend(segments(50_000, 0, 4, 4));
    packets.push(ack(70_000, 1 + 8 * MSS));
    assert_eq!(limits(&packets), Limits { application_ns: 0, receiver_ns: 40_000_000, congestion_ns: 0 });
    let all = analysed(&packets);
    assert_eq!(all.connections[0].directions[0].wireshark.window_full, 2);
}

#[test]
fn else_congestion_limits() {
    let mut packets = handshake(0, 20_000, false);
    packets.extend(segments(30_000, 0, 0, 4));
    packets.push(ack(50_000, 1 + 2 * MSS));
    packets.extend(segments(50_000, 0, 4, 4));
    packets.push(ack(70_000, 1 + 8 * MSS));
    assert_eq!(limits(&packets), Limits { application_ns: 0, receiver_ns: 0, congestion_ns: 40_000_000 });
}

#[test]
fn packets_larger_than_a_segment_are_counted() {
    let mut packets = handshake(0, 20_000, false);
    packets.push(data(30_000, 1, 20 * MSS));
    packets.push(data(30_000, 1 + 20 * MSS, MSS));
    assert_eq!(analysed(&packets).connections[0].directions[0].super_packets, 1);
}
