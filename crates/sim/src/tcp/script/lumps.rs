//! What a receiver makes of packets that were merged, and of those that its NIC hands over together.

use super::{RECEIVER, ReceiverScript, ReceiverSetup, ack, ms, segment, us};

/// Linux 6.1 `tcp_rcv_established`: a merged packet is received once and answered once (`__tcp_ack_snd_check`).
#[test]
fn a_merged_packet_is_acknowledged_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(next).burst(40)).expect_ack(ack(next + 40));
    r.gets(segment(next + 40)).expect_nothing();
    r.gets(segment(next + 41).burst(2)).expect_ack(ack(next + 43));
}

/// `tcp_event_data_recv`, `tcp_dec_quickack_mode`: it uses up one of the sixteen quick ACKs.
#[test]
fn a_merged_packet_is_one_of_the_first_sixteen() {
    let mut r = ReceiverScript::begin(RECEIVER);
    for burst in 1..=10 {
        r.gets(segment(4 * burst - 4).burst(4)).expect_ack(ack(4 * burst));
    }
    for seq in 40..46 {
        r.gets(segment(seq)).expect_ack(ack(seq + 1));
    }
    r.gets(segment(46)).expect_nothing();
}

/// `__tcp_ack_snd_check`: behind a hole it is one of the first three, and one of the forty-four that are held back.
#[test]
fn behind_a_hole_a_merged_packet_counts_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let hole = r.past_quick_acks();
    for burst in 0..3 {
        let first = hole + 1 + 5 * burst;
        r.gets(segment(first).burst(5)).expect_ack(ack(hole).sack(hole + 1..first + 5));
    }
    for burst in 3..47 {
        r.gets(segment(hole + 1 + 5 * burst).burst(5)).expect_nothing();
    }
    r.gets(segment(hole + 236).burst(5)).expect_ack(ack(hole).sack(hole + 1..hole + 241));
}

/// `tcp_sack_new_ofo_skb`: it extends the block that its end touches, too, so that none is forgotten for it.
#[test]
fn a_compressed_ack_goes_before_a_merged_packet_displaces_its_blocks() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let hole = r.past_quick_acks();
    let one = |n: u64| hole + n..hole + n + 1;
    r.gets(segment(hole + 10)).expect_ack(ack(hole).sack(one(10)));
    r.gets(segment(hole + 12)).expect_ack(ack(hole).sack(one(12)).sack(one(10)));
    r.gets(segment(hole + 14)).expect_ack(ack(hole).sack(one(14)).sack(one(12)).sack(one(10)));
    r.gets(segment(hole + 15)).expect_nothing();
    let compressed = ack(hole).sack(hole + 14..hole + 16).sack(one(12)).sack(one(10));
    r.gets(segment(hole + 6).burst(4)).expect_ack(compressed);
    r.at(us(1_100)).expect_ack(ack(hole).sack(hole + 6..hole + 11).sack(hole + 14..hole + 16).sack(one(12)));
}

/// RFC 2883 section 4, `tcp_data_queue`: what of a merged packet had come is reported; no quick ACKs wake, as they do
/// where nothing of it is new (`tcp_enter_quickack_mode`).
#[test]
fn a_merged_packet_that_had_partly_come_is_reported_for_that_part() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(next - 2).burst(4)).expect_ack(ack(next + 2).dsack(next - 2..next));
    r.gets(segment(next + 2)).expect_nothing();
    r.gets(segment(next + 3)).expect_ack(ack(next + 4));
    r.gets(segment(next - 2).burst(4)).expect_ack(ack(next + 4).dsack(next - 2..next + 2));
    r.gets(segment(next + 4)).expect_ack(ack(next + 5));
}

/// `tcp_ofo_queue`, `tcp_data_queue_ofo`: so is what waited behind the hole that it fills, or covers behind another one.
#[test]
fn what_a_merged_packet_covers_of_the_data_behind_a_hole_is_reported() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let hole = r.past_quick_acks();
    r.gets(segment(hole + 2)).expect_ack(ack(hole).sack(hole + 2..hole + 3));
    r.gets(segment(hole + 6)).expect_ack(ack(hole).sack(hole + 6..hole + 7).sack(hole + 2..hole + 3));
    let covered = ack(hole).dsack(hole + 6..hole + 7).sack(hole + 5..hole + 8).sack(hole + 2..hole + 3);
    r.gets(segment(hole + 5).burst(3)).expect_ack(covered);
    r.gets(segment(hole).burst(4)).expect_ack(ack(hole + 4).dsack(hole + 2..hole + 3).sack(hole + 5..hole + 8));
}

/// `tcp_event_data_recv`: after a gap of 30 ms an ACK may wait as long as half of what it might before and the gap; one
/// step for a merged packet, however many segments it holds.
#[test]
fn a_merged_packet_is_one_step_of_the_delay_of_acks() {
    let delay = |segments| {
        let mut r = ReceiverScript::begin(ReceiverSetup { rtt: ms(200), ..RECEIVER });
        let next = r.past_quick_acks();
        r.at(ms(30)).gets(segment(next).burst(2)).expect_ack(ack(next + 2)); // 40 / 2 + 30 = 50
        r.gets(segment(next + 2).burst(segments)).expect_ack(ack(next + 2 + u64::from(segments))); // 50 / 2 + 20 = 45
        let last = next + 2 + u64::from(segments);
        r.gets(segment(last)).expect_nothing(); // 45 / 2 + 20 = 42
        r.at(ms(71)).expect_nothing();
        r.at(ms(73)).expect_ack(ack(last + 1));
    };
    delay(2);
    delay(40);
}

/// Without GRO each packet of a lump is answered by itself: every second one is.
#[test]
fn of_a_lump_every_second_segment_is_acknowledged() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    let lump = [0, 1, 2, 3, 4].map(|n| segment(next + n));
    r.gets_together(lump).expect_acks([ack(next + 2), ack(next + 4)]);
    r.at(ms(41)).expect_ack(ack(next + 5));
}

/// Linux 6.1 `__tcp_cleanup_rbuf`: PSH is answered when the application reads, which it does when all of the lump has
/// been received. By then the second segment has caused an ACK.
#[test]
fn within_a_lump_psh_is_not_answered_before_the_application_reads() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    let lump = [segment(next).push(), segment(next + 1), segment(next + 2)];
    r.gets_together(lump).expect_ack(ack(next + 2));
}

/// The same: at a lump's end PSH is answered at once.
#[test]
fn the_end_of_a_lump_with_psh_is_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    let lump = [segment(next), segment(next + 1), segment(next + 2).push()];
    r.gets_together(lump).expect_acks([ack(next + 2), ack(next + 3)]);
    r.gets_together([segment(next + 3).push(), segment(next + 5)]).expect_ack(ack(next + 4).sack(next + 5..next + 6));
}

/// `__tcp_ack_snd_check`: while what the application has not read narrows the window, its reading acknowledges (and a
/// reader that sleeps until 64 kB are there is not waited for before that).
#[test]
fn while_a_lump_narrows_the_window_the_reading_acknowledges() {
    let setup = ReceiverSetup { memory_bytes: Some(60_000), window_bytes: None, ..RECEIVER };
    let mut r = ReceiverScript::begin(setup);
    let mut next = r.past_quick_acks();
    r.gets_together([0, 1, 2, 3, 4, 5].map(|n| segment(next + n))).expect_ack(ack(next + 6));
    next += 6;
    let mut r = ReceiverScript::begin(ReceiverSetup { low_water_bytes: 65_536, ..setup });
    assert_eq!(r.past_quick_acks(), next - 6);
    let lump = [0, 1, 2, 3].map(|n| segment(next - 6 + n));
    r.gets_together(lump).expect_acks([ack(next - 4), ack(next - 2)]);
}
