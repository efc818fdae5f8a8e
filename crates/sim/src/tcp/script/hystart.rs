//! HyStart's two ways out of slow start (RFC 9438 section 4.10; `hystart_update`), with real ACKs.

use super::{SENDER, SenderScript, SenderSetup, ack, ms, us};
use cc::{Controller, HyStartExit};
use units::Span;

const CUBIC: SenderSetup = SenderSetup { cc: "cubic", rtt: ms(50), ..SENDER };

fn exit(s: &SenderScript) -> Option<HyStartExit> {
    match &s.sender.control.cc {
        Controller::Cubic(cubic) => cubic.hystart_exit(),
        other => panic!("{other:?}"),
    }
}

/// Acknowledges `segments` one by one from `first` on, `gap` apart. Gives when and where slow start ended.
fn acknowledge(s: &mut SenderScript, from: Span, first: u64, segments: u64, gap: Span) -> Option<(Span, u64)> {
    for n in 0..segments {
        s.at(from + gap * n).gets(ack(first + n + 1));
        s.take_sent();
        if exit(s).is_some() {
            return Some((gap * n, first + n + 1));
        }
    }
    None
}

/// Ha and Rhee 2008, section 4: a train of ACKs half as long as the path (50 ms and 1 ms for bursts, halved) means that
/// the window fills it.
#[test]
fn a_train_of_acks_half_as_long_as_the_path_ends_slow_start() {
    let mut s = SenderScript::begin(CUBIC);
    s.writes(1_000).expect_sent(0..10);
    assert_eq!(acknowledge(&mut s, ms(50), 0, 10, ms(2)), None, "20 ms");
    // The second round: twenty segments, spaced by the bottleneck.
    assert_eq!(acknowledge(&mut s, ms(100), 10, 20, ms(2)), Some((ms(26), 24)));
    assert_eq!(exit(&s), Some(HyStartExit::AckTrain));
    s.expect_ssthresh(33).expect_cwnd(33).expect("losses", |sender| sender.lost_total(), 0);
}

/// The same section: ACKs more than 2 ms apart are no train, but when even the smallest of eight delays is an eighth
/// above the minimum (6.25 ms of 50), a queue stands.
#[test]
fn a_delay_risen_by_an_eighth_ends_slow_start() {
    let after_a_rise_of = |rise: Span| {
        let mut s = SenderScript::begin(CUBIC);
        s.writes(1_000).expect_sent(0..10);
        assert_eq!(acknowledge(&mut s, ms(50), 0, 10, us(2_100)), None);
        // The second round's segments left two at a time, as they are acknowledged: each with the same delay.
        let mut exits = None;
        for n in 0..20 {
            s.at(ms(100) + us(2_100) * (n / 2) + us(1_040) * (n % 2) + rise).gets(ack(11 + n));
            s.take_sent();
            exits = exits.or(exit(&s).map(|exit| (n + 1, exit)));
        }
        exits
    };
    assert_eq!(after_a_rise_of(us(6_000)), None);
    assert_eq!(after_a_rise_of(us(6_300)), Some((9, HyStartExit::Delay)));
}
