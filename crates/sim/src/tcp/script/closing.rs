//! The FIN (RFC 9293 section 3.6).

use super::{RECEIVER, ReceiverScript, SENDER, SenderScript, SenderSetup, ack, fin, ms, segment};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// `tcp_send_fin`: where all data is sent by then the FIN goes by itself, and the window does not hold it
/// (`tcp_cwnd_test`).
#[test]
fn what_was_sent_before_the_application_closes_has_a_fin_behind_it() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10).closes().expect_fin(10).expect_in_flight(11);
    s.expect("segments of data", |sender| sender.counters.segments_sent, 10);
    s.at(ms(20)).gets(ack(10)).expect("over", |sender| sender.is_over(), false);
    s.gets(ack(11)).expect("over", |sender| sender.is_over(), true);
}

/// `tcp_send_fin`: data that is still to be sent carries it.
#[test]
fn data_that_is_still_to_be_sent_carries_the_fin() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(12).expect_sent(0..10).closes().expect_nothing();
    s.at(ms(20)).gets(ack(2)).expect_sent([10, 11]);
    s.at(ms(40)).gets(ack(12)).expect("over", |sender| sender.is_over(), true);
}

/// A small transfer's lost end is found by the FIN behind it, when RACK would have waited long enough for reordering
/// (RFC 8985 section 6.2), and not by a timeout.
#[test]
fn the_fin_finds_what_was_lost_before_it() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(3).expect_sent(0..3).closes().expect_fin(3);
    s.at(ms(20)).gets(ack(2)).gets(ack(2).sack(3..4)).expect_nothing();
    s.expect_timer(TimerPurpose::Reordering, ms(28));
    s.at(ms(28)).expect_sent([2]).expect_state(RecoveryState::Recovery);
}

/// `tcp_send_loss_probe`: what is last is sent again, and that is the FIN.
#[test]
fn a_probe_repeats_the_fin() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(3).expect_sent(0..3).closes().expect_fin(3);
    s.at(ms(43)).expect_fin(3);
    s.expect("segments of data", |sender| sender.counters.segments_sent, 3);
    s.expect("those sent again", |sender| sender.counters.segments_retransmitted, 0);
}

/// RFC 9293 section 3.8.6: the FIN takes the room of a byte in the window.
#[test]
fn a_closed_window_holds_the_fin() {
    let mut s = SenderScript::begin(SenderSetup { window_bytes: 1_448, ..SENDER });
    s.writes(1).expect_sent([0]).closes().expect_nothing();
    s.at(ms(20)).gets(ack(1).window(0)).expect_nothing();
    s.expect("over", |sender| sender.is_over(), false);
    s.gets(ack(1).window(1_448)).expect_fin(1);
}

/// `tcp_fin`: an ACK of the FIN waits for what the application has to say, whatever quick ACKs are owed.
#[test]
fn a_fin_in_order_is_acknowledged_later() {
    let mut r = ReceiverScript::begin(RECEIVER);
    r.gets(segment(0)).expect_ack(ack(1));
    r.gets(fin(1)).expect_nothing();
    r.at(ms(41)).expect_ack(ack(2));
}

/// `tcp_data_queue_ofo`: behind a hole it is reported as data is, and what fills the hole acknowledges both.
#[test]
fn a_fin_behind_a_hole_is_reported_at_once() {
    let mut r = ReceiverScript::begin(RECEIVER);
    r.gets(segment(0)).expect_ack(ack(1));
    r.gets(fin(2)).expect_ack(ack(1).sack(2..3));
    r.gets(segment(1)).expect_ack(ack(3));
}
