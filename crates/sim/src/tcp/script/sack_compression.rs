//! What a receiver reports of data behind a hole, and how often (RFC 2018; SACK compression, Linux 4.18 and later).

use super::{RECEIVER, ReceiverScript, ReceiverSetup, ack, ms, segment, us};

/// A hole at the given segment, and three segments behind it, each acknowledged.
fn behind_a_hole(setup: ReceiverSetup) -> (ReceiverScript, u64) {
    let mut r = ReceiverScript::begin(setup);
    let hole = r.past_quick_acks();
    r.at(ms(10));
    for end in hole + 2..hole + 5 {
        r.gets(segment(end - 1)).expect_ack(ack(hole).sack(hole + 1..end));
    }
    (r, hole)
}

/// `__tcp_ack_snd_check`: the sender needs three to find the loss; after those one ACK tells of all that came within
/// a millisecond (`tcp_comp_sack_delay_ns`; 5 % of an RTT of 20 ms is as much) and 100 µs (`tcp_comp_sack_slack_ns`).
#[test]
fn three_are_acknowledged_at_once_and_then_all_of_a_millisecond_together() {
    let (mut r, hole) = behind_a_hole(RECEIVER);
    for seq in hole + 4..hole + 14 {
        r.at(us(10_000 + 50 * (seq - hole))).gets(segment(seq)).expect_nothing();
    }
    r.at(us(11_299)).expect_nothing();
    r.at(us(11_300)).expect_ack(ack(hole).sack(hole + 1..hole + 14));
    r.at(ms(12)).gets(segment(hole + 14)).expect_nothing();
    r.at(us(13_100)).expect_ack(ack(hole).sack(hole + 1..hole + 15));
}

/// `__tcp_ack_snd_check`: 5 % of the RTT, where that is less than a millisecond.
#[test]
fn on_a_short_path_the_wait_is_a_twentieth_of_the_rtt() {
    let (mut r, hole) = behind_a_hole(ReceiverSetup { rtt: ms(4), ..RECEIVER });
    r.gets(segment(hole + 4)).expect_nothing();
    r.at(us(10_300)).expect_ack(ack(hole).sack(hole + 1..hole + 5));
}

/// `__tcp_ack_snd_check`: a queue that makes the round trip of the data longer does not make the wait longer.
#[test]
fn on_a_short_path_with_a_queue_the_wait_is_a_twentieth_of_the_handshakes_rtt() {
    let mut r = ReceiverScript::begin(ReceiverSetup { rtt: ms(4), ..RECEIVER });
    r.round_trip(ms(40));
    let hole = r.past_quick_acks();
    r.at(ms(60));
    for end in hole + 2..hole + 5 {
        r.gets(segment(end - 1)).expect_ack(ack(hole).sack(hole + 1..end));
    }
    r.gets(segment(hole + 4)).expect_nothing();
    r.at(us(60_300)).expect_ack(ack(hole).sack(hole + 1..hole + 5));
}

/// `tcp_comp_sack_nr`: at most 44 are held back.
#[test]
fn the_forty_fifth_segment_of_a_compressed_ack_is_acknowledged_at_once() {
    let (mut r, hole) = behind_a_hole(RECEIVER);
    for seq in hole + 4..hole + 48 {
        r.gets(segment(seq)).expect_nothing();
    }
    r.gets(segment(hole + 48)).expect_ack(ack(hole).sack(hole + 1..hole + 49));
    r.at(ms(100)).expect_nothing();
}

/// Without compression each segment behind a hole is acknowledged (RFC 5681 section 4.2).
#[test]
fn without_compression_each_segment_is_acknowledged() {
    let (mut r, hole) = behind_a_hole(ReceiverSetup { sack_compression: false, ..RECEIVER });
    for seq in hole + 4..hole + 60 {
        r.gets(segment(seq)).expect_ack(ack(hole).sack(hole + 1..seq + 1));
    }
}

/// RFC 2018 section 4: the block of the newest segment goes first; section 3: three fit beside timestamps.
#[test]
fn the_newest_block_goes_first_and_three_fit() {
    let mut r = ReceiverScript::begin(ReceiverSetup { sack_compression: false, ..RECEIVER });
    let hole = r.past_quick_acks();
    let one = |n: u64| hole + n..hole + n + 1;
    r.gets(segment(hole + 1)).expect_ack(ack(hole).sack(one(1)));
    r.gets(segment(hole + 3)).expect_ack(ack(hole).sack(one(3)).sack(one(1)));
    r.gets(segment(hole + 5)).expect_ack(ack(hole).sack(one(5)).sack(one(3)).sack(one(1)));
    r.gets(segment(hole + 7)).expect_ack(ack(hole).sack(one(7)).sack(one(5)).sack(one(3)));
    // An old block that grows comes first again.
    r.gets(segment(hole + 4)).expect_ack(ack(hole).sack(hole + 3..hole + 6).sack(one(7)).sack(one(1)));
}

/// `tcp_sack_new_ofo_skb` (`TCP_SACK_BLOCKS_EXPECTED`): an ACK that is held back goes before a third block could push
/// its news out.
#[test]
fn a_compressed_ack_goes_before_its_blocks_are_displaced() {
    let (mut r, hole) = behind_a_hole(RECEIVER);
    let one = |n: u64| hole + n..hole + n + 1;
    r.gets(segment(hole + 6)).expect_nothing();
    r.gets(segment(hole + 8)).expect_ack(ack(hole).sack(one(6)).sack(hole + 1..hole + 4));
    r.at(us(11_100)).expect_ack(ack(hole).sack(one(8)).sack(one(6)).sack(hole + 1..hole + 4));
}

/// RFC 2883 section 4.2: the duplicate goes first, the block that it is part of follows. Linux holds the report back as
/// any other behind a hole (`tcp_data_queue_ofo`), and forgets it when more data comes first (`tcp_data_queue`).
#[test]
fn a_duplicate_behind_a_hole_is_reported_before_the_block_that_contains_it() {
    let (mut r, hole) = behind_a_hole(RECEIVER);
    r.gets(segment(hole + 2)).expect_nothing();
    r.at(us(11_100)).expect_ack(ack(hole).dsack(hole + 2..hole + 3).sack(hole + 1..hole + 4));
    r.at(ms(20)).gets(segment(hole + 2)).expect_nothing();
    r.gets(segment(hole + 4)).expect_nothing();
    r.at(us(21_100)).expect_ack(ack(hole).sack(hole + 1..hole + 5));
}
