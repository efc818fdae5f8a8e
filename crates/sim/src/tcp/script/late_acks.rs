//! ACKs that others overtook on their way (Linux 6.1 `tcp_ack`, `tcp_paws_discard`).

use super::{SENDER, SenderScript, ack, ms, us};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// Segment 0 was sent again because 1, 2 and 3 overtook it; then all up to 4 is acknowledged.
fn sent_again() -> SenderScript {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_sent([0]).expect_state(RecoveryState::Recovery);
    s.at(us(20_500)).gets(ack(4).echo(ms(20)));
    s.at(ms(40)).gets(ack(5).echo(ms(20))).expect_state(RecoveryState::Recovery);
    s
}

/// `old_ack`: a D-SACK that an ACK of the same tick overtook is taken in, and undoes.
#[test]
fn an_overtaken_ack_declares_a_retransmission_needless() {
    let mut s = sent_again();
    s.gets(ack(4).dsack(0..1)).expect_state(RecoveryState::Open).expect_ssthresh(u32::MAX).expect_cwnd(10);
    s.expect("undone", |sender| sender.undos(), 1);
}

/// `tcp_paws_discard` (`TCP_PAWS_WINDOW`): an ACK that is two ticks older than the newest is dropped; one that acknowledges as
/// much and opens no window is not, if it is no older than a timeout (`tcp_disordered_ack`).
#[test]
fn an_ack_that_is_older_than_another_by_two_ticks_is_dropped_unless_it_acknowledges_as_much() {
    let mut s = sent_again();
    s.gets(ack(4).dsack(0..1).left(ms(38))).expect_state(RecoveryState::Recovery);
    s.expect("undone", |sender| sender.undos(), 0);
    s.gets(ack(5).dsack(0..1).left(ms(38))).expect_state(RecoveryState::Open).expect_ssthresh(u32::MAX);
    s.expect("undone", |sender| sender.undos(), 1);
}

/// The same: what is older than a timeout, 220 ms in units of 1/1024 s, is of no use.
#[test]
fn an_ack_that_is_older_than_a_timeout_is_dropped() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(1));
    s.at(ms(63)).expect_sent([9]); // the probe
    s.at(ms(250)).gets(ack(1));
    s.gets(ack(1).sack(8..9).left(ms(250 - 226))).expect("SACKed", |sender| sender.board.sacked(), 0);
    s.gets(ack(1).sack(8..9).left(ms(250 - 225))).expect("SACKed", |sender| sender.board.sacked(), 1);
    s.take_sent();
}

/// `old_ack`: what an overtaken ACK SACKs may prove a loss, but nobody counts it as delivered (`tcp_count_delivered`), and it is no
/// RTT sample.
#[test]
fn what_an_overtaken_ack_sacks_is_known_and_not_counted() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(3)).expect("delivered", |sender| sender.rate.delivered, 4).expect_cwnd(13);
    s.at(us(20_900)).gets(ack(2).sack(8..9)).expect_in_flight(6).expect_state(RecoveryState::Disorder).expect_cwnd(13);
    s.expect("delivered", |sender| sender.rate.delivered, 4).expect("sample", |sender| sender.rtt_sample_us(), None);
    // 20.9 + 5 + 2 ms, and the wheel's granule
    s.expect_timer(TimerPurpose::Reordering, ms(28));
    s.at(ms(28)).expect_sent([3]).expect_state(RecoveryState::Recovery);
    s.at(ms(48)).gets(ack(10)).expect("delivered", |sender| sender.rate.delivered, 10);
}

/// `tcp_may_update_window`: nor does it close a window that another one has opened.
#[test]
fn an_overtaken_ack_moves_no_window() {
    let mut s = SenderScript::begin(super::SenderSetup { window_bytes: 10 * 1_448, ..SENDER });
    s.writes(20).expect_sent(0..10);
    s.at(ms(20)).gets(ack(4).window(10 * 1_448)).expect_sent(10..14);
    s.gets(ack(3).window(10 * 1_448));
    s.expect("the window's edge", |sender| sender.edge_bytes, 14 * 1_448);
}

/// `tcp_dsack_seen`: D-SACKs of what was never sent again are the network's doing, and none of them counts until as many
/// segments have been sent again.
#[test]
fn duplicates_that_the_network_made_are_no_reason_to_undo() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(1)).gets(ack(1).dsack(0..1)).expect_state(RecoveryState::Open);
    s.at(ms(21)).gets(ack(1).sack(2..5)).expect_sent([1]).expect_state(RecoveryState::Recovery);
    s.at(us(21_500)).gets(ack(5).echo(ms(21))).expect_state(RecoveryState::Recovery);
    // The second D-SACK, and one segment was sent again.
    s.at(ms(41)).gets(ack(5).dsack(1..2)).expect_state(RecoveryState::Recovery);
    s.expect("undone", |sender| sender.undos(), 0);
}

/// The same above the left edge (`tcp_sacktag_one`): there a D-SACK of what was sent again and SACKed shows reordering, but not where
/// the network doubles.
#[test]
fn duplicates_that_the_network_made_show_no_reordering() {
    for (doubled, degree) in [(0, 5), (3, 3)] {
        let mut s = SenderScript::begin(SENDER);
        s.writes(10).expect_sent(0..10);
        s.at(ms(20)).gets(ack(1));
        (0..doubled).for_each(|_| _ = s.gets(ack(1).dsack(0..1)));
        s.at(ms(21)).gets(ack(1).sack(6..9).sack(2..4)).expect_sent([1, 4, 5]);
        s.at(us(21_100)).gets(ack(1).sack(2..5).sack(6..9));
        s.gets(ack(1).dsack(4..5).sack(2..5).sack(6..9));
        s.expect("degree", |sender| sender.recovery.rack.reordering(), degree);
        s.take_sent();
    }
}
