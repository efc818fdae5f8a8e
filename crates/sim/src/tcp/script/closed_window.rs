//! A receiver's window that closes, its probes, and its opening.

use super::{MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms};
use crate::tcp::sender::TimerPurpose;

const MSS: u64 = MSS_BYTES as u64;

/// RFC 9293 section 3.8.6.1: a closed window is probed after a timeout, then after twice as long each time
/// (`tcp_probe0_when`), counted from the answer (`tcp_ack_probe`), until it opens.
#[test]
fn a_closed_window_is_probed_ever_more_rarely_until_it_opens() {
    let mut s = SenderScript::begin(SenderSetup { window_bytes: 4 * MSS, ..SENDER });
    s.writes(100).expect_sent(0..4);
    s.at(ms(20)).gets(ack(4).window(0)).expect_nothing();
    s.expect_timer(TimerPurpose::WindowProbe, ms(248)); // 20 + 220, in granules of 8 ms
    s.at(ms(248)).expect_window_probe();
    s.at(ms(268)).gets(ack(4).window(0)).expect_nothing();
    s.expect_timer(TimerPurpose::WindowProbe, ms(712)); // 268 + 440
    s.at(ms(712)).expect_window_probe();
    s.at(ms(732)).gets(ack(4).window(8 * MSS)).expect_sent(4..12);
    s.expect("the timer", |sender| sender.timer_purpose, TimerPurpose::LossProbe);
}

/// RFC 9293 section 3.8.6.2.1 (SWS avoidance in the sender): a window smaller than a segment is left alone
/// (`tcp_snd_wnd_test`).
#[test]
fn a_window_smaller_than_a_segment_is_not_used() {
    let mut s = SenderScript::begin(SenderSetup { window_bytes: 2 * MSS, ..SENDER });
    s.writes(100).expect_sent(0..2);
    s.at(ms(20)).gets(ack(2).window(MSS - 1)).expect_nothing();
    s.at(ms(30)).gets(ack(2).window(MSS)).expect_sent([2]);
}
