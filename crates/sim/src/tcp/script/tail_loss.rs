//! Tail loss probes (RFC 8985 section 7).

use super::{SENDER, SenderScript, ack, ms};
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;

/// RFC 8985 sections 7.2 and 7.3: after 2 SRTT (and two ticks, and the wheel's granule: 43 ms) without an ACK new data
/// is sent, also beyond the window (`tcp_schedule_loss_probe`, `tcp_send_loss_probe`). Its SACK finds what was lost
/// without a timeout.
#[test]
fn after_two_round_trips_of_silence_new_data_probes_for_a_lost_window() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1_000).expect_sent(0..10).expect_timer(TimerPurpose::LossProbe, ms(43));
    s.at(ms(43)).expect_sent([10]).expect_in_flight(11);
    // SRTT + 200 ms from the probe on, in granules of 8 ms
    s.expect_timer(TimerPurpose::Timeout, ms(264));
    s.at(ms(63)).gets(ack(0).sack(10..11)).expect_sent([0]).expect_state(RecoveryState::Recovery);
    s.expect("segments marked lost", |sender| sender.lost_total(), 10);
    s.expect("timeouts", |sender| sender.counters.timeouts, 0);
}

/// RFC 8985 section 7.3: without new data the last segment goes again; section 7.4.2: an ACK of it that comes without a
/// D-SACK means that the probe repaired a loss, to which the window must react (`tcp_process_tlp_ack`; Linux waits
/// for the first ACK of anything later).
#[test]
fn a_probe_that_repaired_a_loss_halves_the_window() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(9));
    s.expect("probes", |sender| sender.counters.probes, 0);
    // One is left: its ACK may be delayed by 200 ms, and the timeout of 220 ms comes before 2 SRTT and that.
    s.expect_timer(TimerPurpose::LossProbe, ms(248));
    s.at(ms(248)).expect_sent([9]).expect_cwnd(19);
    s.at(ms(268)).gets(ack(10)).expect_cwnd(20).expect_state(RecoveryState::Open);
    s.at(ms(270)).writes(1).expect_sent([10]);
    s.at(ms(290)).gets(ack(11)).expect_cwnd(10).expect_ssthresh(10).expect_state(RecoveryState::Open);
}

/// RFC 8985 section 7.4.2: a D-SACK for the probe means that nothing was lost (`FLAG_DSACK_TLP`), also when it comes
/// after everything was acknowledged (`tcp_ack`, `no_queue`).
#[test]
fn a_probe_whose_original_had_arrived_leaves_the_window_alone() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(43)).expect_sent([9]);
    s.at(ms(50)).gets(ack(10)).expect_cwnd(20);
    s.at(ms(63)).gets(ack(10).dsack(9..10));
    s.at(ms(70)).writes(1).expect_sent([10]);
    s.at(ms(90)).gets(ack(11)).expect_cwnd(20).expect_ssthresh(u32::MAX);
}

/// RFC 8985 section 7.3: a probe is no time for Nagle's rule (`tcp_send_loss_probe`: `TCP_NAGLE_OFF`).
#[test]
fn a_probe_takes_short_data_that_nagles_rule_holds() {
    let mut s = SenderScript::begin(SENDER);
    s.writes_bytes(100).expect_sent([0]);
    s.writes_bytes(100).expect_nothing();
    s.expect_timer(TimerPurpose::LossProbe, ms(224));
    s.at(ms(224)).expect_sent([1]);
}
