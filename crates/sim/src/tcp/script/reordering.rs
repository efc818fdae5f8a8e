//! What a sender learns of a path that reorders: its degree, and for how long RACK waits (Linux 6.1 `tcp_recovery.c`).

use super::loss_detection::one_sent_again_needlessly;
use super::{SENDER, SenderScript, SenderSetup, ack, ms};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// `tcp_check_sack_reordering`: the distance between the lowest segment that came late and the highest SACKed, at most
/// `tcp_max_reordering`.
#[test]
fn the_degree_of_reordering_is_the_longest_distance_up_to_300() {
    for (late, degree) in [(2, 3), (9, 9), (310, 300)] {
        let mut s = SenderScript::begin(SenderSetup { initial_window: 400, ..SENDER });
        s.writes(400).expect_sent(0..400);
        s.at(ms(20)).gets(ack(0).sack(late - 1..late)).expect_nothing();
        s.at(ms(21)).gets(ack(late)).expect_state(RecoveryState::Open);
        s.expect("degree", |sender| sender.recovery.rack.reordering(), degree);
        s.take_sent();
    }
}

/// `tcp_may_raise_cwnd`: where the degree is beyond `tcp_reordering`, the window grows with what is SACKed, too.
#[test]
fn where_much_is_reordered_the_window_grows_with_sacks() {
    for (late, cwnd) in [(2, 12), (10, 23)] {
        let mut s = SenderScript::begin(SENDER);
        s.writes(10).expect_sent(0..10);
        s.at(ms(20)).gets(ack(0).sack(late - 1..late)).expect_cwnd(10);
        // All but the one that was SACKed is new in this ACK.
        s.at(ms(21)).gets(ack(late)).expect_cwnd(10 + low(late) - 1).expect_state(RecoveryState::Open);
        let (una, room) = (late, 10 + low(late) - 1 - (10 - low(late)));
        s.writes(room.into()).expect_sent(10..10 + u64::from(room));
        s.at(ms(41)).gets(ack(una).sack(una + 1..una + 5)).expect_state(RecoveryState::Disorder);
        s.expect_cwnd(if late == 10 { cwnd } else { 11 });
        s.take_sent();
    }
}

fn low(seq: u64) -> u32 {
    u32::try_from(seq).expect("small")
}

/// Two segments leave, and of the first nothing is heard until it is sent again, when RACK has waited so long.
fn lose_one(s: &mut SenderScript, at_ms: u64, wait_ms: u64) {
    let first = s.sender.board.next();
    s.at(ms(at_ms)).writes(2).expect_sent([first, first + 1]);
    s.at(ms(at_ms + 20)).gets(ack(first).sack(first + 1..first + 2)).expect_nothing();
    // two ticks more, and the wheel's granule
    s.expect_timer(TimerPurpose::Reordering, ms(at_ms + 20 + wait_ms + 2 + 1));
    s.at(ms(at_ms + 20 + wait_ms + 3)).expect_sent([first]).expect_state(RecoveryState::Recovery);
    s.at(ms(at_ms + 40 + wait_ms + 3)).gets(ack(first + 2)).expect_state(RecoveryState::Open);
}

/// RFC 8985 section 6.2, step 4 (`tcp_rack_update_reo_wnd`, `TCP_RACK_RECOVERY_THRESH`): a longer wait lasts for 16 recoveries.
#[test]
fn a_longer_wait_lasts_for_sixteen_recoveries() {
    let mut s = one_sent_again_needlessly();
    for recovery in 1..=16 {
        lose_one(&mut s, 64 * recovery, 10);
    }
    lose_one(&mut s, 64 * 17, 5);
}

/// The same: by one step of 5 ms a round trip, and not beyond the smoothed RTT, which grows with what is late.
#[test]
fn the_wait_grows_up_to_the_smoothed_round_trip() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(0).sack(1..2));
    s.at(ms(21)).gets(ack(10));
    let mut steps = Vec::new();
    for round in 1..=6 {
        let (at, first) = (100 * round, 10 + 4 * (round - 1));
        s.at(ms(at)).writes(4).expect_sent(first..first + 4);
        s.at(ms(at + 20)).gets(ack(first).sack(first + 1..first + 2)).expect_nothing();
        let due = s.sender.timer.due().since(super::BEGIN + ms(at + 20)).as_millis();
        let srtt_ms = u64::from(s.sender.srtt_us()).div_ceil(1_000);
        steps.push((due - 3) / 5);
        assert_eq!(due - 3, (5 * round).min(srtt_ms));
        s.at(ms(at + 20 + due)).expect_sent([first]);
        // The original was late by more than that, and the copy is reported.
        s.gets(ack(first + 4).echo(ms(at)));
        s.at(ms(at + 40 + due)).gets(ack(first + 4).dsack(first..first + 1)).expect_state(RecoveryState::Open);
    }
    assert_eq!(steps, [1, 2, 3, 4, 5, 5]);
}

/// `tcp_rack_detect_loss` takes what it marks lost off its list, and an undo that takes the mark back (`tcp_undo_cwnd_reduction`) does not put it
/// there again: until it is sent again, only a timeout looks at it.
#[test]
fn what_an_undo_takes_for_not_lost_waits_for_the_timeout() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    // 0 to 3 are taken for lost, and there is room to send two of them again.
    s.at(ms(20)).gets(ack(0).sack(4..7)).expect_sent([0, 1]).expect("lost", |sender| sender.board.lost(), 4);
    // Their originals arrive (`tcp_try_undo_partial`).
    s.at(ms(22)).gets(ack(2).echo(ms(0))).expect_state(RecoveryState::Disorder).expect_ssthresh(u32::MAX);
    s.expect("lost", |sender| sender.board.lost(), 0).expect("undone", |sender| sender.undos(), 1);
    s.expect("the timer", |sender| sender.timer_purpose, TimerPurpose::Timeout);
    // 7 to 9 arrive, 2 and 3 do not, and nobody looks for them until the timeout.
    s.at(ms(23)).gets(ack(2).sack(4..10)).expect_nothing();
    s.expect("the timer", |sender| sender.timer_purpose, TimerPurpose::Timeout);
    let due = s.sender.timer.due().since(super::BEGIN);
    s.at(due).expect_sent([2]).expect_state(RecoveryState::Loss);
}
