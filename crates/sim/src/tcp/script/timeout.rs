//! The retransmission timeout (RFC 6298), and whether it was spurious (F-RTO, RFC 5682).

use super::{SENDER, SenderScript, SenderSetup, ack, ms};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// Ten segments and a probe are out, and nothing came back: the timeout is near.
fn in_silence() -> SenderScript {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1_000).expect_sent(0..10);
    s.at(ms(43)).expect_sent([10]);
    s
}

/// RFC 6298 sections 2 and 5.5; Linux: SRTT + max(200 ms, 4 RTTVAR) (`__tcp_set_rto`, `tcp_rtt_estimator`), doubled
/// each time (`tcp_retransmit_timer`), on the wheel's granules of 8 ms below 504 ms and 64 ms above.
#[test]
fn timeouts_come_after_srtt_and_200_ms_and_then_twice_as_late_each_time() {
    let mut s = in_silence();
    s.expect_timer(TimerPurpose::Timeout, ms(264)); // 43 + 220
    s.at(ms(264)).expect_sent([0]).expect_state(RecoveryState::Loss).expect_cwnd(1).expect_ssthresh(5);
    s.expect_timer(TimerPurpose::Timeout, ms(712)); // + 440
    s.at(ms(712)).expect_sent([0]).expect_timer(TimerPurpose::Timeout, ms(1_600)); // + 880
    s.at(ms(1_600)).expect_sent([0]).expect_timer(TimerPurpose::Timeout, ms(3_392)); // + 1760
    s.expect_ssthresh(5);
    // An ACK of the last retransmission brings an RTT sample, by its timestamp, and ends the back-off.
    s.at(ms(1_620)).gets(ack(1));
    s.expect("timeout", |sender| sender.rtt.rto_ms(), 220);
    s.take_sent();
}

/// RFC 6298 section 2: with a long RTT the variance term is above its floor: the first timeout is 3 RTT.
#[test]
fn on_a_long_path_the_first_timeout_is_three_round_trips() {
    let mut s = SenderScript::begin(SenderSetup { rtt: ms(300), ..SENDER });
    s.expect("timeout", |sender| sender.rtt.rto_ms(), 900);
    s.writes(1).expect_sent([0]);
    // The probe of a lone segment would come after 2 RTT and 200 ms: 800 ms, in granules of 64 ms.
    s.expect_timer(TimerPurpose::LossProbe, ms(832));
    s.at(ms(832)).expect_sent([0]);
    s.expect_timer(TimerPurpose::Timeout, ms(832 + 900 + 60)); // 1792
    s.at(ms(1_792)).expect_sent([0]).expect_timer(TimerPurpose::Timeout, ms(3_648)); // + 1800, in granules of 64 ms
}

/// RFC 5681 section 3.1: after a real timeout slow start begins with one segment; what was lost is sent again.
#[test]
fn after_a_timeout_what_was_lost_is_sent_again_in_slow_start() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(43)).expect_sent([9]); // the probe, lost too
    s.at(ms(264)).expect_sent([0]).expect_cwnd(1);
    s.at(ms(284)).gets(ack(1)).expect_sent([1, 2]).expect_cwnd(2);
    s.at(ms(304)).gets(ack(3)).expect_sent([3, 4, 5, 6]).expect_cwnd(4);
    s.at(ms(324)).gets(ack(4)).expect_sent([7, 8]).expect_cwnd(5);
    s.at(ms(325)).gets(ack(5)).expect_sent([9]).expect_ssthresh(5).expect_state(RecoveryState::Loss);
    s.at(ms(344)).gets(ack(10)).expect_state(RecoveryState::Open);
}

/// RFC 5682 section 3.1 (with SACK), steps 2b and 3b; `tcp_process_loss`: the retransmission's ACK is answered with new
/// data, and when then an original arrives that was never sent again, the timeout was spurious.
#[test]
fn a_timeout_is_undone_when_an_original_turns_out_to_have_been_only_late() {
    let mut s = in_silence();
    s.at(ms(264)).expect_sent([0]).expect_cwnd(1).expect_ssthresh(5);
    s.at(ms(284)).gets(ack(1)).expect_sent([11, 12]).expect_state(RecoveryState::Loss);
    s.at(ms(285)).gets(ack(1).sack(2..3)).expect_state(RecoveryState::Disorder).expect_cwnd(10);
    s.expect_ssthresh(u32::MAX).expect("undone", |sender| sender.undos(), 1);
    s.take_sent();
}

/// RFC 5682 section 3.1 (with SACK), step 3a: when the new data arrives and the old does not, the loss was real.
#[test]
fn a_timeout_is_real_when_only_new_data_arrives_after_it() {
    let mut s = in_silence();
    s.at(ms(264)).expect_sent([0]);
    s.at(ms(284)).gets(ack(1)).expect_sent([11, 12]);
    s.at(ms(304)).gets(ack(1).sack(11..12)).expect_state(RecoveryState::Loss).expect_sent([1]);
    // Then one late original proves nothing any more.
    s.at(ms(305)).gets(ack(1).sack(5..6).sack(11..12)).expect_state(RecoveryState::Loss).expect_sent([2]);
    s.expect_ssthresh(5).expect("undone", |sender| sender.undos(), 0);
}

/// RFC 3522 (Eifel): an ACK that echoes the original's timestamp tells at once (`tcp_try_undo_loss`).
#[test]
fn a_timeout_is_undone_at_once_by_the_timestamp_of_an_original() {
    let mut s = in_silence();
    s.at(ms(264)).expect_sent([0]);
    s.at(ms(270)).gets(ack(1).echo(ms(0))).expect_state(RecoveryState::Open).expect_ssthresh(u32::MAX);
    s.expect("undone", |sender| sender.undos(), 1);
    s.take_sent();
}
