//! When a receiver acknowledges.

use super::{MSS_BYTES, RECEIVER, ReceiverScript, ReceiverSetup, ack, ms, segment};

/// Linux `tcp_incr_quickack` (`TCP_MAX_QUICKACKS`): slow start needs an ACK for each segment.
#[test]
fn the_first_sixteen_segments_are_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    for seq in 0..16 {
        r.at(ms(seq)).gets(segment(seq)).expect_ack(ack(seq + 1));
    }
    r.at(ms(16)).gets(segment(16)).expect_nothing();
}

/// RFC 5681 section 4.2, RFC 1122 section 4.2.3.2: then every second full segment (`__tcp_ack_snd_check`).
#[test]
fn then_every_second_segment_is() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    for seq in (next..next + 20).step_by(2) {
        r.gets(segment(seq)).expect_nothing();
        r.gets(segment(seq + 1)).expect_ack(ack(seq + 2));
    }
    r.gets(segment(next + 20).burst(5)).expect_ack(ack(next + 25));
}

/// Linux 6.1 `tcp_grow_window`, `tcp_rcv_space_adjust`: each segment that opens the window is acknowledged at once, by
/// 2 x 1460 bytes from 65,535 to one MSS less than half of 4,000,000 bytes. 160 segments after a round of 80 ask for
/// (3 x (2 x 231,680 + 16 x 1460)) / 1460 x 2996 = 3.0 MB: the buffer is large enough and does not grow. The first
/// sixteen quick ACKs are still owed then.
#[test]
fn each_segment_that_opens_the_window_is_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes: None, ..RECEIVER });
    let quick = (2_000_000_u64 - 1_460 - 65_535).div_ceil(2 * 1_460) + 16;
    let (mut next, mut round) = (0, 0);
    while next < quick {
        r.at(ms(20 * round));
        for _ in 0..(10 << round.min(4)).min(quick - next) {
            r.gets(segment(next)).expect_ack(ack(next + 1));
            next += 1;
        }
        round += 1;
    }
    r.gets(segment(next)).expect_nothing();
}

/// The same with a fixed window, up to which the buffer does not have to grow first (`tcp_rmem[1]` is as large as
/// `tcp_rmem[2]` then): all of 3,000,000 bytes open within one round trip.
#[test]
fn a_fixed_window_opens_with_each_segment_as_far_as_it_goes() {
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes: Some(3_000_000), ..RECEIVER });
    let quick = (3_000_000_u64 - 65_535).div_ceil(2 * 1_460) + 16;
    for seq in 0..quick {
        r.gets(segment(seq)).expect_ack(ack(seq + 1));
    }
    r.gets(segment(quick)).expect_nothing();
}

/// Linux 6.1 `tcp_grow_window`: nor does the window open further than the buffer has room now, half of what is left of
/// 4,000,000 bytes where each segment that waits behind the hole holds 2,304, and the one that comes nothing yet
/// (`tcp_data_queue_ofo`): the 476th still opens it, from 65,535 + 475 x 2,920 bytes by 350. Of what comes then the
/// first three are acknowledged at once.
#[test]
fn behind_a_hole_the_window_opens_only_as_far_as_the_buffer_has_room() {
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes: None, ..RECEIVER });
    for seq in 1..=476 + 3 {
        r.gets(segment(seq)).expect_ack(ack(0).sack(1..seq + 1));
    }
    r.gets(segment(480)).expect_nothing();
}

/// Linux 6.1 `__tcp_select_window`: ACKs are not hurried while there is room for less than half of the largest window,
/// 1,998,540 bytes: behind a hole from the 869th segment on, half of 4,000,000 - 869 x 2,304 bytes.
#[test]
fn a_buffer_that_is_nearly_full_ends_the_quick_acks() {
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes: None, ..RECEIVER });
    let next = r.past_quick_acks();
    let mut end = next + 1 + 869;
    r.gets(segment(next + 1).burst(869)).expect_ack(ack(next).sack(next + 1..end));
    r.gets(segment(3)).expect_ack(ack(next).dsack(3..4).sack(next + 1..end));
    // The second and the third behind the hole, and then no more.
    for _ in 0..2 {
        r.gets(segment(end)).expect_ack(ack(next).sack(next + 1..end + 1));
        end += 1;
    }
    r.gets(segment(end)).expect_nothing();
}

/// Linux 6.1 `tcp_dec_quickack_mode`: after the last quick ACK the patience is 40 ms again.
#[test]
fn quick_acks_end_with_the_least_patience() {
    let mut r = ReceiverScript::begin(ReceiverSetup { rtt: ms(60), ..RECEIVER });
    for seq in 0..16 {
        r.at(ms(30 * seq)).gets(segment(seq)).expect_ack(ack(seq + 1));
    }
    // 40 / 2 + 30 ms; else the gaps would have made it 59 / 2 + 30.
    r.at(ms(480)).gets(segment(16)).expect_nothing();
    r.at(ms(530)).expect_nothing();
    r.at(ms(531)).expect_ack(ack(17));
}

/// RFC 5681 section 4.2 (at most 500 ms); Linux `TCP_DELACK_MIN`: a lone segment is acknowledged after 40 ms, and the
/// wheel's granule.
#[test]
fn a_lone_segment_is_acknowledged_after_forty_milliseconds() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.at(ms(100)).gets(segment(next)).expect_nothing();
    r.at(ms(141)).expect_ack(ack(next + 1));
    // An ACK stops the timer.
    r.at(ms(200)).gets(segment(next + 1)).expect_nothing();
    r.at(ms(220)).gets(segment(next + 2)).expect_ack(ack(next + 3));
    r.at(ms(500)).expect_nothing();
}

/// Linux `tcp_delack_timer_handler`, `tcp_send_delayed_ack`: a delayed ACK that had to be sent doubles the patience, up
/// to the round trip; segments that follow fast halve what is beyond the least.
#[test]
fn on_a_long_path_an_ack_that_waited_in_vain_lets_the_next_wait_for_a_round_trip() {
    let mut r = ReceiverScript::begin(ReceiverSetup { rtt: ms(60), ..RECEIVER });
    let next = r.past_quick_acks();
    r.at(ms(100)).gets(segment(next)).expect_nothing();
    r.at(ms(141)).expect_ack(ack(next + 1));
    // 80 ms, but not more than the 60 ms of the path; a gap of 50 ms makes it 80 / 2 + 50 first.
    r.at(ms(150)).gets(segment(next + 1)).expect_nothing();
    r.at(ms(210)).expect_nothing();
    r.at(ms(211)).expect_ack(ack(next + 2));
    // Segments in a row: 180, 110, 75, 57, 48 ms.
    for seq in (next + 2..next + 10).step_by(2) {
        r.gets(segment(seq)).expect_nothing();
        r.gets(segment(seq + 1)).expect_ack(ack(seq + 2));
    }
    r.at(ms(212)).gets(segment(next + 10)).expect_nothing();
    r.at(ms(252)).expect_nothing();
    r.at(ms(253)).expect_ack(ack(next + 11));
}

/// The same on a short path: 40 ms remain 40 ms.
#[test]
fn on_a_short_path_an_ack_never_waits_longer_than_forty_milliseconds() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    for round in 0..3 {
        let begin = 100 + 50 * round;
        r.at(ms(begin)).gets(segment(next + round)).expect_nothing();
        r.at(ms(begin + 41)).expect_ack(ack(next + round + 1));
    }
}

/// Linux `tcp_event_data_recv`: after a pause longer than the receiver's own timeout (its handshake took 20 ms: 220 ms)
/// the sender may be in slow start again.
#[test]
fn after_a_pause_segments_are_acknowledged_at_once_again() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.at(ms(220)).gets(segment(next)).expect_nothing();
    r.gets(segment(next + 1)).expect_ack(ack(next + 2));
    r.at(ms(441)).gets(segment(next + 2)).expect_ack(ack(next + 3));
}

/// Linux `tcp_measure_rcv_mss`, `__tcp_cleanup_rbuf`: a short segment ends what the peer had to say; as soon as the
/// application has read it, it is acknowledged.
#[test]
fn a_short_segment_is_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(next).short(100)).expect_ack(ack(next + 1));
}

/// Linux 6.1 `tcp_measure_rcv_mss`, `__tcp_cleanup_rbuf`: so does one with PSH, the last of a burst, be it full; but
/// not while data waits behind a hole, because the application has not read everything then.
#[test]
fn a_segment_with_psh_is_acknowledged_at_once_unless_something_waits_behind_a_hole() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(next).push()).expect_ack(ack(next + 1));
    // A burst of three: the second segment, and the last.
    r.gets(segment(next + 1)).expect_nothing();
    r.gets(segment(next + 2)).expect_ack(ack(next + 3));
    r.gets(segment(next + 3).push()).expect_ack(ack(next + 4));
    // Behind a hole: the ACK is the first of three that are not compressed.
    r.gets(segment(next + 6)).expect_ack(ack(next + 4).sack(next + 6..next + 7));
    r.gets(segment(next + 4).push()).expect_ack(ack(next + 5).sack(next + 6..next + 7));
    r.gets(segment(next + 7)).expect_ack(ack(next + 5).sack(next + 6..next + 8));
    r.gets(segment(next + 8)).expect_ack(ack(next + 5).sack(next + 6..next + 9));
    r.gets(segment(next + 9)).expect_nothing();
    r.gets(segment(next + 5)).expect_ack(ack(next + 10));
}

/// Linux 6.1 `__tcp_cleanup_rbuf`: as soon as the application has read it, where that leaves half of the window: the
/// other half can be announced again.
#[test]
fn with_a_window_of_two_segments_each_one_is_acknowledged_at_once() {
    let window = |segments| ReceiverSetup { window_bytes: Some(segments * u64::from(MSS_BYTES)), ..RECEIVER };
    let mut r = ReceiverScript::begin(window(2));
    for seq in 0..20 {
        r.gets(segment(seq)).expect_ack(ack(seq + 1));
    }
    let mut r = ReceiverScript::begin(window(3));
    let next = r.past_quick_acks();
    r.gets(segment(next)).expect_nothing();
    r.gets(segment(next + 1)).expect_ack(ack(next + 2));
}

/// `SO_RCVLOWAT`: PSH has its ACK only when the application is woken and has read, here by each tenth segment. Delayed
/// ACKs make that one the first since the last ACK.
#[test]
fn a_reader_that_sleeps_until_much_is_there_seldom_acknowledges_psh() {
    let low_water_bytes = 10 * u64::from(MSS_BYTES);
    let mut r = ReceiverScript::begin(ReceiverSetup { low_water_bytes, ..RECEIVER });
    let next = r.past_quick_acks();
    assert_eq!(next, 18);
    r.gets(segment(18).push()).expect_nothing();
    r.at(ms(41)).expect_ack(ack(19));
    r.gets(segment(19).push()).expect_ack(ack(20));
    for seq in (20..28).step_by(2) {
        r.gets(segment(seq).push()).expect_nothing();
        r.gets(segment(seq + 1).push()).expect_ack(ack(seq + 2));
    }
    r.gets(segment(28).push()).expect_nothing();
    r.at(ms(82)).expect_ack(ack(29));
    r.gets(segment(29).push()).expect_ack(ack(30));
    for seq in (30..38).step_by(2) {
        r.gets(segment(seq)).expect_nothing();
        r.gets(segment(seq + 1)).expect_ack(ack(seq + 2));
    }
    // What is read now is neither short nor pushed.
    r.gets(segment(38).push()).expect_nothing();
    r.at(ms(123)).expect_ack(ack(39));
    r.gets(segment(39)).expect_nothing();
    r.at(ms(164)).expect_ack(ack(40));
    r.gets(segment(40).short(100)).expect_nothing();
    r.at(ms(205)).expect_ack(ack(41));
}

/// `tcp_recvmsg_locked`: the buffer is sized when the application reads, here by 46 segments, and the first of them
/// ends the round. After rounds of 320 it has read 322 after 138: (2 x 466,256 + 16 x 1460) x (1 + 2 x 184 / 138) /
/// 1460 x 2996 = 7,190,400 bytes of buffer, half of which opens. (Read one by one: 320 after 160, and 5,848,192.)
#[test]
fn a_reader_that_sleeps_has_its_buffer_sized_when_it_reads() {
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes: None, low_water_bytes: 1 << 16, ..RECEIVER });
    let quick = (7_190_400_u64 / 2 - 65_535).div_ceil(2 * 1_460) + 16;
    let (mut next, mut round) = (0, 0);
    while next < quick {
        r.at(ms(20 * round));
        for _ in 0..(10 << round.min(5)).min(quick - next) {
            r.gets(segment(next)).expect_ack(ack(next + 1));
            next += 1;
        }
        round += 1;
    }
    r.gets(segment(next)).expect_nothing();
}

/// `tcp_epollin_ready`: such a reader wakes also when one segment is left of the window, and the window of two is open
/// again at once.
#[test]
fn a_reader_that_sleeps_wakes_when_the_window_is_nearly_used_up() {
    let window_bytes = Some(2 * u64::from(MSS_BYTES));
    let mut r = ReceiverScript::begin(ReceiverSetup { window_bytes, low_water_bytes: 1 << 16, ..RECEIVER });
    for seq in 0..100 {
        r.gets(segment(seq)).expect_ack(ack(seq + 1));
    }
}

/// RFC 5681 section 4.2: an ACK at once when a segment fills the gap (`tcp_data_queue`: `ICSK_ACK_NOW`).
#[test]
fn the_segment_that_fills_the_hole_is_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(next + 1)).expect_ack(ack(next).sack(next + 1..next + 2));
    r.gets(segment(next)).expect_ack(ack(next + 2));
    // With another hole behind it too.
    r.gets(segment(next + 3)).expect_ack(ack(next + 2).sack(next + 3..next + 4));
    r.gets(segment(next + 5)).expect_ack(ack(next + 2).sack(next + 5..next + 6).sack(next + 3..next + 4));
    r.gets(segment(next + 2)).expect_ack(ack(next + 4).sack(next + 5..next + 6));
}

/// RFC 2883 section 4: a duplicate is reported at once, and the next segments are acknowledged at once too
/// (`tcp_send_dupack`, `tcp_enter_quickack_mode`).
#[test]
fn a_duplicate_is_reported_and_wakes_the_quick_acks() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let next = r.past_quick_acks();
    r.gets(segment(3)).expect_ack(ack(next).dsack(3..4));
    r.gets(segment(next)).expect_ack(ack(next + 1));
    // A burst that comes twice is one duplicate.
    r.gets(segment(4).burst(3)).expect_ack(ack(next + 1).dsack(4..7));
}

/// Linux 6.1 `tcp_dec_quickack_mode`: the ACK that reports the duplicate is none of the sixteen, because nothing new
/// was to be acknowledged; unless the duplicate ends where the last ACK does, which is not old to `tcp_sequence`.
#[test]
fn after_a_duplicate_sixteen_segments_are_acknowledged_at_once() {
    let quick = |duplicate: fn(u64) -> u64, count| {
        let mut r = ReceiverScript::begin(RECEIVER);
        let next = r.past_quick_acks();
        let seq = duplicate(next);
        r.gets(segment(seq)).expect_ack(ack(next).dsack(seq..seq + 1));
        for seq in next..next + count {
            r.gets(segment(seq)).expect_ack(ack(seq + 1));
        }
        r.gets(segment(next + count)).expect_nothing();
    };
    quick(|_| 3, 16);
    quick(|next| next - 2, 16);
    quick(|next| next - 1, 15);
}
