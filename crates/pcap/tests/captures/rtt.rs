//! Round-trip times, bytes in flight, and the bins.

use crate::support::{MSS, Packet, ack, analysed, data, ethernet, handshake, packet, pcap_file, read_with, segments};
use pcap::summary::CapturePoint;
use pcap::{Options, Side};

#[test]
fn an_ack_is_a_sample_of_the_segment_whose_end_it_acknowledges() {
    let mut packets = handshake(0, 20_000, true);
    packets.extend(segments(30_000, 100, 0, 4));
    packets.push(ack(50_500, 1 + 2 * MSS));
    // Half a segment is no sample.
    packets.push(ack(50_600, 1 + 2 * MSS + 500));
    packets.push(ack(51_000, 1 + 4 * MSS));
    let all = analysed(&packets);
    let samples: Vec<_> = all.rows[7..].iter().map(|row| (row.ack_rtt_ns, row.ack_rtt_sound)).collect();
    assert_eq!(samples, [(Some(20_400_000), true), (None, false), (Some(20_700_000), true)]);
    let client = &all.connections[0].directions[0];
    let rtt = client.ack_rtt.unwrap();
    assert_eq!((rtt.samples, rtt.least_ns, rtt.most_ns), (2, 20_400_000, 20_700_000));
    assert_eq!(all.connections[0].handshake.rtt_ns, Some(20_010_000));
    assert_eq!(all.connections[0].capture_point, CapturePoint::Client);
    assert_eq!((client.acked_bytes, client.unique_bytes), (4000, 4000));
}

#[test]
fn a_segment_sent_twice_is_no_sound_sample() {
    let mut packets = handshake(0, 20_000, true);
    packets.extend(segments(30_000, 100, 0, 3));
    packets.push(data(400_000, 1, MSS));
    packets.push(ack(420_000, 1 + MSS));
    packets.push(ack(420_100, 1 + 3 * MSS));
    let all = analysed(&packets);
    // Wireshark takes the first transmission.
    assert_eq!((all.rows[7].ack_rtt_ns, all.rows[7].ack_rtt_sound), (Some(390_000_000), false));
    assert_eq!((all.rows[8].ack_rtt_ns, all.rows[8].ack_rtt_sound), (Some(389_900_000), true));
}

#[test]
fn a_segment_behind_one_sent_twice_or_reported_before_is_no_sound_sample() {
    let mut packets = handshake(0, 20_000, true);
    packets.extend(segments(30_000, 100, 0, 3));
    packets.push(ack(50_000, 1).sack(&[(1 + MSS, 1 + 3 * MSS)]));
    packets.push(data(51_000, 1, MSS));
    packets.push(ack(71_000, 1 + 3 * MSS));
    let all = analysed(&packets);
    assert_eq!((all.rows[8].ack_rtt_ns, all.rows[8].ack_rtt_sound), (Some(40_800_000), false));
    assert_eq!(all.connections[0].directions[0].ack_rtt, None);
}

#[test]
fn timestamps_are_a_column_of_their_own() {
    let mut packets = handshake(0, 20_000, true);
    packets.push(data(30_000, 1, MSS).stamps(100, 1));
    packets.push(data(30_500, 1 + MSS, MSS).stamps(100, 1));
    packets.push(data(31_000, 1 + 2 * MSS, MSS).stamps(101, 1));
    packets.push(ack(50_700, 1 + 2 * MSS).stamps(50, 100));
    packets.push(ack(51_300, 1 + 3 * MSS).stamps(51, 101));
    packets.push(ack(51_400, 1 + 3 * MSS).stamps(51, 101));
    let all = analysed(&packets);
    let samples: Vec<_> = all.rows[6..].iter().map(|row| row.timestamp_rtt_ns).collect();
    assert_eq!(samples, [Some(20_700_000), Some(20_300_000), None]);
    assert_eq!(all.connections[0].directions[0].timestamp_rtt.unwrap().samples, 2);
}

#[test]
fn bytes_in_flight_are_wiresharks_and_those_outstanding_lack_what_was_reported() {
    let mut packets = handshake(0, 20_000, true);
    packets.extend(segments(30_000, 100, 0, 4));
    packets.push(ack(50_000, 1 + MSS).sack(&[(1 + 2 * MSS, 1 + 3 * MSS)]));
    packets.push(ack(50_100, 1 + MSS).sack(&[(1 + 2 * MSS, 1 + 4 * MSS)]));
    packets.push(data(50_200, 1 + 4 * MSS, MSS));
    let all = analysed(&packets);
    let in_flight: Vec<_> = all.rows[3..7].iter().map(|row| row.bytes_in_flight).collect();
    assert_eq!(in_flight, [Some(1000), Some(2000), Some(3000), Some(4000)]);
    assert_eq!((all.rows[9].bytes_in_flight, all.rows[9].outstanding_bytes), (Some(2000), 2000));
    assert_eq!(all.connections[0].directions[0].most_outstanding_bytes, 4000);
}

#[test]
fn numbers_that_wrap_change_nothing() {
    let packets = |client_isn| {
        let mut packets = handshake(0, 20_000, true);
        packets.extend(segments(30_000, 100, 0, 10));
        packets.push(Packet { client_isn, ..ack(50_500, 1 + 4 * MSS) }.sack(&[(1 + 5 * MSS, 1 + 9 * MSS)]));
        packets.push(data(51_000, 1 + 4 * MSS, MSS));
        packets.push(ack(71_000, 1 + 10 * MSS));
        packets.into_iter().map(|each| Packet { client_isn, ..each }).collect::<Vec<_>>()
    };
    let straight = analysed(&packets(1000));
    for isn in [u32::MAX - 3500, u32::MAX, 0, u32::MAX / 2] {
        let all = analysed(&packets(isn));
        assert_eq!(all.connections, straight.connections);
        let columns = |rows: &[pcap::PacketRow]| format!("{rows:?}");
        // Wireshark has no number zero: where its analysis meets one it differs from itself.
        if isn != u32::MAX {
            assert_eq!(columns(&all.rows), columns(&straight.rows), "{isn}");
        }
    }
}

#[test]
fn bins_add_up() {
    let mut packets = handshake(0, 20_000, true);
    packets.extend(segments(30_000, 100_000, 0, 10));
    packets.extend((0..10).map(|index| ack(55_000 + i64::from(index) * 100_000, 1 + (index + 1) * MSS)));
    packets.push(data(3_000_000, 1, MSS));
    packets.sort_by_key(|packet| packet.us);
    let options = Options { bin_ns: 500_000_000, ..Options::default() };
    let (_, all) = read_with(pcap_file(1, &ethernet(&packets, 96)), options);
    let of = |side: Side| all.bins.iter().filter(move |row| row.sender == side);
    let bins: Vec<_> = of(Side::Client).map(|row| (row.bin, row.counts.new_bytes, row.counts.acked_bytes)).collect();
    assert_eq!(bins, [(0, 5000, 5000), (1, 5000, 5000), (6, 0, 0)]);
    let last = of(Side::Client).next_back().unwrap().counts;
    assert_eq!((last.payload_bytes, last.wire_bytes, last.retransmissions), (1000, 1054, 1));
    assert_eq!(of(Side::Server).map(|row| row.counts.packets).sum::<u64>(), 11);
}

#[test]
fn the_capture_point_follows_from_the_handshake() {
    let at = |syn_ack_us: i64, ack_us: i64| {
        let mut packets = handshake(0, syn_ack_us, false);
        packets[2].us = ack_us;
        packets.push(packet(ack_us + 10, true));
        analysed(&packets).connections[0].capture_point
    };
    assert_eq!(at(20_000, 20_100), CapturePoint::Client);
    assert_eq!(at(100, 20_000), CapturePoint::Server);
    assert_eq!(at(10_000, 20_000), CapturePoint::Middle);
    assert_eq!(at(20, 40), CapturePoint::Unknown);
}
