//! Why data was sent again, and whether it was overtaken.

use crate::support::{ACK, MSS, Packet, ack, analysed, data, handshake, packet, segments};
use pcap::{Class, Marks, Proof, Side};

const RTT_US: i64 = 20_000;

/// A connection that has sent and got acknowledged ten segments, so that its RTT is known; the time after it.
fn warm(sack: bool) -> (Vec<Packet>, i64) {
    let mut packets = handshake(0, RTT_US, sack);
    packets.extend(segments(30_000, 100, 0, 10));
    packets.extend((1..=10).map(|index| ack(49_900 + 100 * i64::from(index), 1 + index * MSS)));
    (packets, 60_000)
}

fn segment(us: i64, index: u32) -> Packet {
    data(us, 1 + index * MSS, MSS)
}

fn last_class(packets: &[Packet]) -> Class {
    analysed(packets).rows.last().unwrap().class
}

#[test]
fn data_that_the_receiver_lacks_is_sent_again_fast() {
    let (mut packets, us) = warm(true);
    packets.extend(segments(us, 100, 10, 6));
    for count in 1..=4 {
        let sack = [(1 + 11 * MSS, 1 + (11 + count) * MSS)];
        packets.push(ack(us + RTT_US + 100 * i64::from(count), 1 + 10 * MSS).sack(&sack));
    }
    packets.push(segment(us + RTT_US + 500, 10));
    // Another one of the same recovery, which nothing reports yet.
    packets.push(segment(us + RTT_US + 600, 15));
    let all = analysed(&packets);
    let again = &all.rows[all.rows.len() - 2..];
    assert_eq!([again[0].class, again[1].class], [Class::Fast; 2]);
    assert!(again[0].marks.has(Marks::FAST_RETRANSMISSION) && again[0].marks.retransmitted());
    let counts = all.connections[0].directions[0].retransmissions;
    assert_eq!((counts.packets, counts.fast, counts.recoveries, counts.bytes), (2, 2, 1, 2000));
    assert_eq!(all.connections[0].directions[1].wireshark.duplicate_ack, 4);
    assert_eq!(all.rows.iter().map(|row| row.duplicate_ack).max(), Some(4));
}

#[test]
fn two_duplicate_acks_do_without_sack() {
    let (mut packets, us) = warm(false);
    packets.extend(segments(us, 100, 10, 6));
    packets.extend((0..3).map(|index| ack(us + RTT_US + index, 1 + 10 * MSS)));
    packets.push(segment(us + RTT_US + 500, 10));
    assert_eq!(last_class(&packets), Class::Fast);
}

#[test]
fn a_segment_sent_before_one_that_arrived_is_lost() {
    let (mut packets, us) = warm(true);
    packets.extend(segments(us, 100, 10, 3));
    packets.push(ack(us + RTT_US, 1 + 10 * MSS).sack(&[(1 + 11 * MSS, 1 + 12 * MSS)]));
    packets.push(segment(us + RTT_US + 10, 10));
    // The retransmission arrives, which was sent later than segment 12; nothing behind that one was ever sent.
    packets.push(ack(us + 2 * RTT_US + 20, 1 + 12 * MSS));
    packets.push(segment(us + 2 * RTT_US + 30, 12));
    assert_eq!(last_class(&packets), Class::Fast);
}

#[test]
fn silence_of_a_timeout_ends_with_one() {
    let (mut packets, us) = warm(true);
    packets.extend(segments(us, 100, 10, 3));
    packets.push(segment(us + 260_000, 10));
    packets.push(ack(us + 260_000 + RTT_US, 1 + 11 * MSS));
    packets.push(segment(us + 261_000 + RTT_US, 11));
    let all = analysed(&packets);
    let counts = all.connections[0].directions[0].retransmissions;
    assert_eq!((counts.timeout, counts.timeouts, counts.packets), (2, 1, 2));
}

#[test]
fn the_tail_is_probed_before_the_timeout() {
    let (mut packets, us) = warm(true);
    packets.extend(segments(us, 100, 10, 3));
    packets.push(segment(us + 200 + 2 * RTT_US + 2000, 12));
    assert_eq!(last_class(&packets), Class::TailProbe);
    // Its other end knows no SACK.
    let (mut packets, us) = warm(false);
    packets.extend(segments(us, 100, 10, 3));
    packets.push(segment(us + 200 + 2 * RTT_US + 2000, 12));
    assert_eq!(last_class(&packets), Class::Plain);
}

#[test]
fn a_duplicate_sack_proves_the_last_retransmission_needless() {
    let (mut packets, us) = warm(true);
    packets.extend(segments(us, 100, 10, 3));
    packets.push(segment(us + 300_000, 10));
    packets.push(segment(us + 700_000, 10));
    packets.push(ack(us + 710_000, 1 + 13 * MSS));
    packets.push(ack(us + 720_000, 1 + 13 * MSS).sack(&[(1 + 10 * MSS, 1 + 11 * MSS)]));
    let all = analysed(&packets);
    let proofs: Vec<_> = all.spurious.iter().map(|each| (each.sender, each.frame, each.proof)).collect();
    assert_eq!(proofs, [(Side::Client, 28, Proof::DuplicateSack)]);
    let [client, server] = &all.connections[0].directions;
    assert_eq!((client.retransmissions.spurious, client.retransmissions.spurious_dsack, server.dsacks), (1, 1, 1));
}

#[test]
fn an_earlier_timestamp_proves_a_retransmission_needless() {
    let (mut packets, us) = warm(true);
    packets.push(segment(us, 10).stamps(500, 1));
    packets.push(segment(us + 300_000, 10).stamps(800, 1));
    let answered = |echo| [packets.clone(), vec![ack(us + 301_000, 1 + 11 * MSS).stamps(2, echo)]].concat();
    let all = analysed(&answered(500));
    assert_eq!(all.spurious.iter().map(|each| each.proof).collect::<Vec<_>>(), [Proof::Timestamp]);
    assert_eq!(all.spurious[0].proof_frame, all.spurious[0].frame + 1);
    assert_eq!(analysed(&answered(800)).spurious, []);
}

#[test]
fn what_was_acknowledged_is_sent_again_for_nothing() {
    let (mut packets, us) = warm(true);
    packets.push(segment(us, 3));
    let all = analysed(&packets);
    assert_eq!(all.spurious.iter().map(|each| each.proof).collect::<Vec<_>>(), [Proof::Acknowledged]);
    assert!(all.rows.last().unwrap().marks.has(Marks::SPURIOUS_RETRANSMISSION));
}

#[test]
fn a_segment_overtaken_is_no_retransmission() {
    let (mut packets, us) = warm(true);
    packets.extend([segment(us, 12), segment(us + 100, 13), segment(us + 900, 11), segment(us + 950, 10)]);
    let all = analysed(&packets);
    let client = &all.connections[0].directions[0];
    assert_eq!(client.retransmissions.packets, 0);
    let reordering = client.reordering;
    assert_eq!((reordering.packets, reordering.most_packets, reordering.most_bytes), (2, 3, 4000));
    assert_eq!(reordering.most_ns, 950_000);
    assert_eq!((client.unique_bytes, client.wireshark.out_of_order), (14_000, 2));
}

#[test]
fn timestamps_separate_overtaken_segments_from_lost_ones() {
    let fills = |stamp| {
        let (mut packets, us) = warm(true);
        packets.push(segment(us, 11).stamps(100, 1));
        packets.push(segment(us + 900, 10).stamps(stamp, 1));
        packets
    };
    assert_eq!(last_class(&fills(99)), Class::OutOfOrder);
    assert_eq!(last_class(&fills(100)), Class::OutOfOrder);
    let all = analysed(&fills(101));
    assert!(all.rows.last().unwrap().class.is_retransmission());
    assert_eq!(all.connections[0].directions[0].retransmissions.first_unseen, 1);
}

#[test]
fn without_timestamps_a_retransmission_comes_an_rtt_later() {
    let fills = |later_us| {
        let (mut packets, us) = warm(true);
        packets.push(segment(us, 11));
        packets.push(segment(us + later_us, 10));
        last_class(&packets)
    };
    assert_eq!(fills(RTT_US - 1), Class::OutOfOrder);
    assert!(fills(RTT_US + 20).is_retransmission());
}

#[test]
fn the_same_packet_captured_twice_is_no_retransmission() {
    let (mut packets, us) = warm(true);
    let same = Packet { ip_id: 4711, ..segment(us, 10) };
    packets.extend([same.clone(), Packet { us: us + 5, ..same }]);
    let all = analysed(&packets);
    let client = &all.connections[0].directions[0];
    assert_eq!((client.repeated_packets, client.retransmissions.packets, client.unique_bytes), (1, 0, 11_000));
}

#[test]
fn a_keep_alive_is_no_data() {
    let (mut packets, us) = warm(true);
    packets.push(data(us, 10 * MSS, 1));
    packets.push(ack(us + 10, 1 + 10 * MSS));
    packets.push(Packet { seq: 10 * MSS, ..packet(us + 900_000, true) });
    let all = analysed(&packets);
    assert_eq!(all.connections[0].directions[0].keep_alives, 2);
    assert_eq!(all.connections[0].directions[0].retransmissions.packets, 0);
    assert!(all.rows[all.rows.len() - 2].marks.has(Marks::KEEP_ALIVE_ACK));
}

#[test]
fn what_the_capture_lacks_is_counted_when_it_is_acknowledged() {
    let (mut packets, us) = warm(true);
    packets.push(segment(us, 12));
    packets.push(ack(us + RTT_US, 1 + 13 * MSS));
    packets.push(ack(us + RTT_US + 1, 1 + 15 * MSS));
    packets.push(packet(us + RTT_US + 2, true).flags(ACK));
    let all = analysed(&packets);
    let client = &all.connections[0].directions[0];
    assert_eq!((client.unseen_bytes, client.acked_bytes, client.unique_bytes), (4000, 15_000, 11_000));
    assert!(all.rows[23].marks.has(Marks::LOST_SEGMENT));
}
