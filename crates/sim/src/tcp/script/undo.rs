//! The undo of a fast recovery that was spurious (RFC 4015).

use super::{SENDER, SenderScript, SenderSetup, ack, ms, us};
use cc::RecoveryState;

/// Segment 0 was sent again because 1, 2 and 3 overtook it.
fn overtaken() -> SenderScript {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_sent([0]);
    s.expect_state(RecoveryState::Recovery).expect_ssthresh(5);
    s
}

/// RFC 3522 (Eifel detection), by the echo of the original's timestamp: `tcp_try_undo_recovery`.
#[test]
fn a_recovery_is_undone_when_the_timestamp_shows_that_the_original_arrived() {
    let mut s = overtaken();
    s.at(ms(22)).gets(ack(10).echo(ms(0))).expect_state(RecoveryState::Open);
    s.expect_ssthresh(u32::MAX).expect("undone", |sender| sender.undos(), 1);
    s.expect("cwnd is what it was, or more", |sender| sender.control.window.cwnd >= 10, true);
}

/// The same, when the retransmission was needed.
#[test]
fn a_recovery_is_not_undone_when_the_timestamp_is_that_of_the_retransmission() {
    let mut s = overtaken();
    // ssthresh, and a segment for the seven just delivered
    s.at(ms(40)).gets(ack(10).echo(ms(20))).expect_state(RecoveryState::Open).expect_ssthresh(5).expect_cwnd(6);
    s.expect("undone", |sender| sender.undos(), 0);
}

/// RFC 3708: every retransmission has been reported as a duplicate (`tcp_try_undo_dsack`). Here both copies left within
/// one tick of the timestamps' clock, or almost.
#[test]
fn a_recovery_is_undone_when_every_retransmission_is_reported_twice() {
    let mut s = overtaken();
    s.at(us(20_500)).gets(ack(4).echo(ms(20))).expect_state(RecoveryState::Recovery);
    s.at(ms(40)).gets(ack(4).dsack(0..1)).expect_state(RecoveryState::Open).expect_ssthresh(u32::MAX).expect_cwnd(10);
    s.expect("undone", |sender| sender.undos(), 1);
}

/// The same behind a hole: D-SACKs of data above the left edge count too (`tcp_sacktag_one`).
#[test]
fn duplicates_behind_a_hole_count_towards_the_undo() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 20, ..SENDER });
    s.writes(20).expect_sent(0..20);
    s.at(ms(20)).gets(ack(0).sack(2..5)).expect_sent([0, 1]);
    s.at(us(20_500)).gets(ack(0).sack(1..20)).expect_in_flight(1);
    s.at(ms(40)).gets(ack(0).dsack(1..2).sack(1..20)).expect_state(RecoveryState::Recovery);
    // The original of 0 comes so late that its echo could be that of the retransmission.
    s.at(ms(40)).gets(ack(20).echo(ms(20))).expect_state(RecoveryState::Open).expect_ssthresh(10);
    s.at(ms(41)).gets(ack(20).dsack(0..1)).expect_ssthresh(u32::MAX).expect_cwnd(20);
    s.expect("undone", |sender| sender.undos(), 1);
}
