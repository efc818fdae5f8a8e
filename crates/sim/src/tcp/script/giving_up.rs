//! Connections that are given up (RFC 1122 section 4.2.3.5; Linux 6.1 `tcp_write_timeout`, `tcp_probe_timer`).

use super::{BEGIN, MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms};
use crate::engine::on_wheel;
use crate::net::PacketKind;
use units::{Span, Time};

/// Lets timers fire until the connection is given up, with nothing on its way. Gives when, and what was sent.
fn given_up(s: &mut SenderScript) -> (Span, Vec<(PacketKind, u64)>) {
    while !s.sender.is_given_up() {
        s.fire_timer();
    }
    let sent = s.take_sent().iter().map(|(_, packet)| (packet.kind, packet.number())).collect();
    assert_eq!(s.next_timer(), Time::NEVER);
    (s.now(), sent)
}

/// `retransmits_timed_out` (`tcp_retries2`): 924.6 s after the first repetition the next timeout is the last. Timeouts of 440 ms to 112.64 s and of
/// 120 s come in granules of the wheel.
#[test]
fn data_is_repeated_for_a_quarter_of_an_hour() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1_000).expect_sent(0..10);
    s.at(ms(43)).expect_sent([10]);
    let first = BEGIN + ms(264);
    let (mut due, mut timeout_ms, mut repetitions) = (first, 440, 1);
    loop {
        due = on_wheel(due, timeout_ms);
        if due.since(first) >= ms(924_600) {
            break;
        }
        (timeout_ms, repetitions) = ((2 * timeout_ms).min(120_000), repetitions + 1);
    }
    assert_eq!(repetitions, 15);
    let (at, sent) = given_up(&mut s);
    assert_eq!((at, sent), (due.since(BEGIN), vec![(PacketKind::Data, 0); repetitions]));
    s.expect("timeouts", |sender| sender.counters().timeouts, 16);
    // The other side learns of it when it says something (`tcp_v4_send_reset`).
    s.gets(ack(1));
    assert_eq!(s.take_sent().iter().map(|(_, packet)| packet.kind).collect::<Vec<_>>(), [PacketKind::Reset]);
}

/// `retrans_stamp` is that of an episode: an ACK of something new begins the count anew, and one of all that was out the time, too.
#[test]
fn the_time_runs_until_all_that_was_out_is_acknowledged() {
    for (una, limit) in [(1, ms(264 + 924_600)), (11, ms(800_000 + 924_600))] {
        let mut s = SenderScript::begin(SENDER);
        s.writes(100).expect_sent(0..10);
        s.at(ms(43)).expect_sent([10]);
        while s.now() < ms(800_000) {
            s.fire_timer();
        }
        s.take_sent();
        let at = s.now() + ms(20);
        s.at(at).gets(ack(una));
        s.take_sent();
        let (end, sent) = given_up(&mut s);
        assert!((limit..limit + ms(124_000)).contains(&end) && sent.len() > 1, "{una}: {end:?}");
    }
}

/// `tcp_syn_retries`: six more SYNs, after 1, 2, 4, 8, 16 and 32 s; 64 s behind the last one it is over.
#[test]
fn a_syn_is_repeated_six_times() {
    let mut s = SenderScript::connecting(SENDER);
    let mut due = Time::from_nanos(BEGIN.as_nanos() - ms(20).as_nanos());
    for repetition in 0..7 {
        due = on_wheel(due, 1_000 << repetition);
    }
    let (at, sent) = given_up(&mut s);
    assert_eq!((at, sent), (due.since(BEGIN), vec![(PacketKind::Syn, 0); 7]));
    assert!((ms(127_000)..ms(132_000)).contains(&at), "{at:?}");
}

/// `tcp_init_transfer`: one SYN that was sent again costs nothing; after two the window is one segment, unless it is the first SYN that is answered
/// (`tcp_try_undo_spurious_syn`). The echo gives the round-trip time (`tcp_ack_update_rtt`).
#[test]
fn after_two_repetitions_of_the_syn_the_window_is_one_segment() {
    for (repetitions, cwnd) in [(1, 10), (2, 1)] {
        let mut s = SenderScript::connecting(SENDER);
        (0..repetitions).for_each(|_| s.fire_timer());
        let at = s.now() + ms(30);
        s.take_sent();
        s.at(at).answered_late().expect_cwnd(cwnd);
        s.expect("RTT", |sender| sender.srtt_us(), 30_000);
        s.take_sent();
    }
    let mut s = SenderScript::connecting(SENDER);
    (0..2).for_each(|_| s.fire_timer());
    let first = s.take_sent()[0].1.stamp_ms;
    s.answered_to(first).expect_cwnd(10);
    s.take_sent();
}

/// `tcp_probe_timer` (`tcp_retries2`): a closed window is probed for as long as there are answers, and 15 times without one.
#[test]
fn fifteen_probes_of_a_closed_window_go_without_an_answer() {
    let mss = u64::from(MSS_BYTES);
    let mut s = SenderScript::begin(SenderSetup { window_bytes: 4 * mss, ..SENDER });
    s.writes(100).expect_sent(0..4);
    s.at(ms(20)).gets(ack(4).window(0)).expect_nothing();
    for _ in 0..20 {
        s.fire_timer();
        s.expect_window_probe().gets(ack(4).window(0));
    }
    let (_, sent) = given_up(&mut s);
    assert_eq!(sent, [(PacketKind::WindowProbe, 4); 15]);
}
