//! Data, SYNs and the handshake's third packet out of order, twice, or not at all (Linux 6.1 `tcp_validate_incoming`, `tcp_check_req`).

use super::{RECEIVER, ReceiverScript, ack, ms, segment, stamp_ms};

/// Segment 1 is sent again at 25 ms and arrives before the original, which was sent at 5 ms.
fn overtaken_by_its_retransmission() -> ReceiverScript {
    let mut r = ReceiverScript::begin(RECEIVER);
    r.at(ms(20)).gets(segment(0).sent(ms(5))).expect_ack(ack(1));
    for seq in 2..5 {
        r.gets(segment(seq).sent(ms(5))).expect_ack(ack(1).sack(2..seq + 1));
    }
    r.at(ms(40)).gets(segment(1).sent(ms(25))).expect_ack(ack(5));
    assert_eq!(r.last_ack().echo_ms, stamp_ms(ms(25)));
    r
}

/// RFC 7323 section 5.3, rule R3 (`tcp_replace_ts_recent`): what is echoed never goes back, or the sender would take its
/// retransmission for needless where it was not.
#[test]
fn an_original_behind_its_retransmission_is_a_duplicate_and_moves_no_timestamp() {
    let mut r = overtaken_by_its_retransmission();
    r.at(ms(41)).gets(segment(1).sent(ms(5))).expect_ack(ack(5).dsack(1..2));
    assert_eq!(r.last_ack().echo_ms, stamp_ms(ms(25)));
}

/// RFC 7323 section 5.3, rule R1 (`tcp_paws_discard`, `TCP_PAWS_WINDOW`): new data that was sent more than a tick before a retransmission which
/// arrived first is refused, and answered at once (`tcp_send_dupack`); by a tick it may be older.
#[test]
fn new_data_that_a_retransmission_overtook_is_refused() {
    let mut r = overtaken_by_its_retransmission();
    r.at(ms(41)).gets(segment(5).sent(ms(23))).expect_ack(ack(5));
    r.gets(segment(7).sent(ms(23))).expect_ack(ack(5));
    assert_eq!(r.delivered_segments(), 5);
    r.gets(segment(5).sent(ms(24))).expect_ack(ack(6));
    assert_eq!((r.delivered_segments(), r.last_ack().echo_ms), (6, stamp_ms(ms(25))));
    r.gets(segment(6).sent(ms(26))).expect_ack(ack(7));
    assert_eq!(r.last_ack().echo_ms, stamp_ms(ms(26)));
}

/// `tcp_sequence` comes before `tcp_replace_ts_recent`: what is sent again in vain, below the last ACK, is answered with the timestamp of
/// the original, by which the sender knows (RFC 3522).
#[test]
fn what_was_acknowledged_before_moves_no_timestamp() {
    let mut r = ReceiverScript::begin(RECEIVER);
    for seq in 0..4 {
        r.at(ms(20)).gets(segment(seq).sent(ms(10))).expect_ack(ack(seq + 1));
    }
    r.at(ms(300)).gets(segment(1).sent(ms(290))).expect_ack(ack(4).dsack(1..2));
    assert_eq!(r.last_ack().echo_ms, stamp_ms(ms(10)));
    // The end of this one is the last ACK's: it is within sequence (`tcp_data_queue`).
    r.gets(segment(3).sent(ms(290))).expect_ack(ack(4).dsack(3..4));
    assert_eq!(r.last_ack().echo_ms, stamp_ms(ms(290)));
}

/// RFC 2883 section 4: a segment that came twice is reported once, behind a hole together with the block that it is in.
#[test]
fn a_segment_that_the_network_doubled_is_reported_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    r.gets(segment(0)).expect_ack(ack(1)).gets(segment(0)).expect_ack(ack(1).dsack(0..1));
    r.gets(segment(2)).expect_ack(ack(1).sack(2..3));
    r.gets(segment(4)).expect_ack(ack(1).sack(4..5).sack(2..3));
    r.gets(segment(2)).expect_ack(ack(1).dsack(2..3).sack(2..3).sack(4..5));
    r.gets(segment(1)).expect_ack(ack(3).sack(4..5));
}

/// `tcp_check_req`: data completes the handshake as well as its third packet, which then changes nothing.
#[test]
fn data_completes_a_handshake_whose_third_packet_is_lost_or_late() {
    for first in [0, 3] {
        let mut r = ReceiverScript::answered(RECEIVER);
        let answer = if first == 0 { ack(1) } else { ack(0).sack(first..first + 1) };
        r.at(ms(2)).gets(segment(first)).expect_ack(answer);
        assert_eq!(r.handshake_ms(), Some(20));
        r.at(ms(5)).round_trip(ms(30)).gets_third_packet().expect_nothing();
        assert_eq!(r.handshake_ms(), Some(20));
    }
}

/// RFC 5961 section 4.2 (`tcp_validate_incoming`): a SYN of a connection that is there is answered with an ACK, twice a second at most
/// (`tcp_invalid_ratelimit`). Before, it is answered as the first one was, whose timestamp is echoed (`tcp_check_req`).
#[test]
fn a_syn_that_comes_again_is_answered() {
    let mut r = ReceiverScript::answered(RECEIVER);
    let first = stamp_ms(ms(0)) - 20;
    r.at(ms(10));
    assert_eq!(r.gets_syn(ms(5)).map(|answer| (answer.syn, answer.echo_ms)), Some((true, first)));
    r.gets_third_packet().gets(segment(0)).expect_ack(ack(1));
    let echo = r.last_ack().echo_ms;
    assert_eq!(r.gets_syn(ms(5)).map(|answer| (answer.syn, answer.una, answer.echo_ms)), Some((false, 1, echo)));
    assert_eq!(r.gets_syn(ms(5)), None);
}
