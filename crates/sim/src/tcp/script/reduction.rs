//! Proportional rate reduction (RFC 9937; Linux `tcp_cwnd_reduction`).

use super::{SENDER, SenderScript, SenderSetup, ack, ms};
use cc::RecoveryState;

/// Twenty segments are out.
fn twenty_out() -> SenderScript {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 20, ..SENDER });
    s.writes(1_000).expect_sent(0..20);
    s
}

/// RFC 9937 section 6: while more than ssthresh is in flight, ssthresh/cwnd of what is delivered may be sent: every
/// second ACK admits a segment. At the end of recovery cwnd is ssthresh.
#[test]
fn after_light_loss_every_second_ack_admits_a_segment_and_cwnd_lands_on_ssthresh() {
    let mut s = twenty_out();
    // Three at once, the first is lost: 3/2, rounded up, of which one is the retransmission.
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_ssthresh(10).expect_sent([0, 20]);
    let mut next = 21;
    for end in 5..=20 {
        s.at(ms(17 + end)).gets(ack(0).sack(1..end));
        // Until only ssthresh is in flight, and from then on one for one.
        if (end < 18 && end % 2 == 0) || end > 18 {
            s.expect_sent([next]);
            next += 1;
        }
    }
    s.expect_in_flight(10).expect_cwnd(10).expect_state(RecoveryState::Recovery);
    s.at(ms(40)).gets(ack(20)).expect_state(RecoveryState::Open).expect_cwnd(10).expect_sent([29]);
}

/// RFC 9937 section 6: below ssthresh no more is sent than delivered (conservation), and one more when the ACK moves
/// the left edge without new loss (slow start reduction bound).
#[test]
fn after_heavy_loss_a_segment_is_sent_for_each_delivered_and_one_more_when_the_hole_shrinks() {
    let mut s = twenty_out();
    // Twelve of twenty are lost, 12..20 arrive: 5 are in flight, 10 may be.
    s.at(ms(20)).gets(ack(0).sack(12..15)).expect_ssthresh(10).expect_sent([0, 1, 2]).expect_in_flight(8);
    s.at(ms(21)).gets(ack(0).sack(12..16)).expect_sent([3]).expect_in_flight(8);
    s.at(ms(22)).gets(ack(0).sack(12..18)).expect_sent([4, 5]).expect_in_flight(8);
    s.at(ms(23)).gets(ack(0).sack(12..20)).expect_sent([6, 7]).expect_in_flight(8);
    // The first retransmission arrives.
    s.at(ms(40)).gets(ack(1).sack(12..20)).expect_sent([8, 9]).expect_in_flight(9);
    s.at(ms(40)).gets(ack(2).sack(12..20)).expect_sent([10, 11]).expect_in_flight(10);
    // ssthresh is reached: new data follows, one for one.
    s.at(ms(42)).gets(ack(3).sack(12..20)).expect_sent([20]).expect_in_flight(10).expect_cwnd(10);
}
