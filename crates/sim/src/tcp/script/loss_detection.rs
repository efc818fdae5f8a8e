//! What is taken for lost, and when: RACK (RFC 8985).

use super::{SENDER, SenderScript, ack, ms, us};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// Ten segments are out; the first is missing, and the rest arrives.
fn ten_out() -> SenderScript {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s
}

/// Ten segments leave, of which the first comes late and the third is sent again though it, too, is only late: at 50 ms
/// a D-SACK says so.
pub(super) fn one_sent_again_needlessly() -> SenderScript {
    let mut s = ten_out();
    s.at(ms(20)).gets(ack(0).sack(1..2));
    s.at(ms(21)).gets(ack(2));
    s.at(ms(22)).gets(ack(2).sack(3..7));
    s.at(ms(30)).expect_sent([2]);
    s.at(ms(31)).gets(ack(10).echo(ms(0)));
    s.at(ms(50)).gets(ack(10).dsack(2..3)).expect_state(RecoveryState::Open);
    s
}

/// RFC 8985 section 6.2, step 4: without reordering seen, three segments SACKed close the reordering window
/// (`tcp_rack_reo_wnd`), and what was sent before the newest one delivered is lost.
#[test]
fn the_third_segment_sacked_beyond_a_hole_proves_the_loss() {
    let mut s = ten_out();
    s.at(ms(20)).gets(ack(0).sack(1..2)).expect_nothing().expect_state(RecoveryState::Disorder);
    s.at(us(20_100)).gets(ack(0).sack(1..3)).expect_nothing();
    s.at(us(20_200)).gets(ack(0).sack(1..4)).expect_sent([0]);
    s.expect_state(RecoveryState::Recovery).expect_ssthresh(5);
    // The timer of the first two ACKs finds nothing more, and the timeout is that of the retransmission: 240.2 ms.
    s.expect_timer(TimerPurpose::Reordering, ms(28)).at(ms(28)).expect_timer(TimerPurpose::Timeout, ms(248));
    // ssthresh, and a segment for the seven just delivered
    s.at(us(40_200)).gets(ack(10)).expect_state(RecoveryState::Open).expect_cwnd(6);
}

/// RFC 8985 section 6.2, steps 4 and 5: with fewer, what is missing gets a quarter of the minimum RTT, and two ticks
/// (`tcp_rack_mark_lost`, `tcp_rack_reo_timeout`): 5 + 2 ms, and the wheel's granule of 1 ms.
#[test]
fn behind_fewer_than_three_the_hole_is_given_a_quarter_of_the_minimum_rtt() {
    let mut s = ten_out();
    s.at(ms(20)).gets(ack(0).sack(1..3)).expect_nothing();
    s.expect_timer(TimerPurpose::Reordering, ms(28)).expect_state(RecoveryState::Disorder);
    s.at(ms(28)).expect_sent([0]).expect_state(RecoveryState::Recovery).expect_ssthresh(5);
}

/// The timer looks for the last of the segments that are given time, not for the first (`tcp_rack_detect_loss`).
#[test]
fn segments_sent_one_after_another_are_waited_for_together() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1).expect_sent([0]);
    s.at(ms(3)).writes(9).expect_sent(1..10);
    // 0 and 1 are missing: 0 has had 23 of its 25 ms, and 1, sent with the one that arrived, 20.
    s.at(ms(23)).gets(ack(0).sack(2..3)).expect_nothing();
    s.expect_timer(TimerPurpose::Reordering, ms(23 + 5 + 2 + 1));
    s.at(ms(31)).expect_sent([0]).expect_state(RecoveryState::Recovery);
    s.expect("segments marked lost", |sender| sender.lost_total(), 2);
}

/// RFC 8985 section 6.2, step 4: once the path is known to reorder, three segments prove nothing
/// (`tcp_check_sack_reordering`).
#[test]
fn on_a_path_that_reorders_three_segments_prove_nothing() {
    let mut s = ten_out();
    s.at(ms(20)).gets(ack(0).sack(1..2));
    s.at(ms(21)).gets(ack(2)).expect_state(RecoveryState::Open);
    s.at(ms(22)).gets(ack(2).sack(3..7)).expect_nothing().expect_state(RecoveryState::Disorder);
    // The newest delivered took 22 ms, and so has the hole by now: 5 + 2 ms are left to wait.
    s.expect_timer(TimerPurpose::Reordering, ms(30));
    s.at(ms(30)).expect_sent([2]).expect_state(RecoveryState::Recovery);
}

/// An ACK of a receiver that compresses tells of several blocks at once, the newest first (RFC 2018 section 4). That is
/// no sign of reordering: they are taken in as they were sent (`tcp_sacktag_write_queue`), and three still prove the
/// loss.
#[test]
fn blocks_reported_together_prove_no_reordering() {
    let mut s = ten_out();
    s.at(ms(20)).gets(ack(0).sack(7..9).sack(4..6)).expect_sent([0, 1, 2, 3]);
    s.expect_state(RecoveryState::Recovery).expect("segments marked lost", |sender| sender.lost_total(), 5);
}

/// RFC 8985 section 6.2, step 4, last part: a D-SACK tells that the wait was too short, and lengthens it by another
/// quarter (`tcp_rack_update_reo_wnd`).
#[test]
fn a_needless_retransmission_lengthens_the_wait_by_another_quarter() {
    let mut s = one_sent_again_needlessly();
    s.at(ms(60)).writes(10).expect_sent(10..20);
    s.at(ms(80)).gets(ack(11));
    s.at(ms(80)).gets(ack(11).sack(12..16)).expect_nothing();
    s.expect_timer(TimerPurpose::Reordering, ms(80 + 10 + 2 + 1));
}

/// RFC 8985 section 3.2: a retransmission is judged like any other transmission, by what was sent after it. RFC 6675
/// had to wait for the timeout.
#[test]
fn a_retransmission_that_is_lost_too_is_detected_by_what_was_sent_after_it() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(12).expect_sent(0..10);
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_sent([0, 10]);
    s.at(ms(21)).gets(ack(0).sack(1..10)).expect_sent([11]);
    // 10 was sent after the retransmission of 0, and has arrived.
    s.at(ms(40)).gets(ack(0).sack(1..11)).expect_sent([0]);
    s.expect("segments marked lost", |sender| sender.lost_total(), 2);
    s.expect("timeouts", |sender| sender.counters.timeouts, 0);
    s.at(ms(60)).gets(ack(12)).expect_state(RecoveryState::Open);
}
