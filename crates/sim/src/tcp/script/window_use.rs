//! Windows that the application does not use.

use super::{SENDER, SenderScript, ack, ms};

/// RFC 7661's concern (`tcp_is_cwnd_limited`): a window that is not filled is not increased; in slow start, up to twice
/// what was out.
#[test]
fn a_window_that_is_not_filled_does_not_grow() {
    let mut s = SenderScript::begin(SENDER);
    for round in 0..20 {
        s.at(ms(100 * round)).writes(5).expect_sent(5 * round..5 * round + 5);
        s.at(ms(100 * round + 20)).gets(ack(5 * round + 5)).expect_cwnd(10);
    }
    // Six of ten are more than half.
    s.at(ms(2_000)).writes(6).expect_sent(100..106);
    s.at(ms(2_020)).gets(ack(106)).expect_cwnd(16);
}

/// RFC 2861, `tcp_cwnd_application_limited`: after a timeout in which no ACK came, a window that was not used is cut to
/// the middle between itself and what was used, or the initial window.
#[test]
fn after_a_timeout_without_acks_half_of_what_was_not_used_is_given_back() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(10)).expect_cwnd(20);
    s.at(ms(100)).writes(1).expect_sent([10]);
    s.at(ms(239)).writes(1).expect_sent([11]).expect_cwnd(20);
    s.at(ms(240)).writes(1).expect_sent([12]).expect_cwnd(15);
}

/// The same: every ACK that might have let the window grow counts as use (`tcp_cong_avoid` sets the stamp), so that a
/// steady stream keeps its window.
#[test]
fn a_steady_stream_keeps_the_window_that_it_does_not_fill() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(10)).expect_cwnd(20);
    for n in 0..100 {
        s.at(ms(20 + 10 * n)).writes(1).expect_sent([10 + n]);
        if n >= 2 {
            s.gets(ack(9 + n));
        }
    }
    s.expect_cwnd(20);
}

/// RFC 5681 section 4.1 (`tcp_cwnd_restart`): halved for every timeout of idleness, down to the initial window.
#[test]
fn after_idleness_the_window_is_halved_for_every_timeout_down_to_the_initial_window() {
    let mut s = SenderScript::begin(SENDER);
    let mut cwnd_after_idle = |idle: u64| {
        let (mut at, mut next) = (s.now().as_millis(), s.sender.board.next());
        while s.sender.control.window.cwnd < 160 {
            let flight = u64::from(s.sender.control.window.cwnd);
            s.at(ms(at)).writes(flight);
            s.take_sent();
            at += 20;
            s.at(ms(at)).gets(ack(next + flight));
            next += flight;
        }
        // The last segment left 20 ms ago.
        s.at(ms(at - 20 + idle)).writes(1).expect_sent([next]);
        let cwnd = s.sender.control.window.cwnd;
        s.at(ms(at + idle)).gets(ack(next + 1));
        cwnd
    };
    // The timeout is 220 ms.
    let after = [200, 220, 221, 440, 441, 661, 5_000].map(&mut cwnd_after_idle);
    assert_eq!(after, [160, 160, 80, 80, 40, 20, 10]);
}

/// draft-cheng-iccrg-delivery-rate-estimation section 3.4 (`tcp_rate_check_app_limited`, `tcp_rate_gen`): what is sent
/// after the application ran dry is marked, until what was in flight then has been delivered.
#[test]
fn samples_are_marked_while_the_bubble_of_an_idle_application_is_in_the_network() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(4).expect_sent(0..4);
    // There was nothing more to send, and room in the window.
    s.at(ms(10)).writes(1_000).expect_sent(4..10);
    let marked = |s: &SenderScript| s.sender.board.segment(s.sender.board.next() - 1).is_app_limited();
    assert!(marked(&s));
    // Four are delivered; the bubble comes after those.
    s.at(ms(20)).gets(ack(4)).expect_sent(10..18);
    assert!(marked(&s));
    s.at(ms(30)).gets(ack(5)).expect_sent([18, 19]);
    assert!(!marked(&s));
}
