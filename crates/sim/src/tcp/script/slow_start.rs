//! The beginning: the initial window, and slow start.

use super::{SENDER, SenderScript, ack, ms};

/// RFC 6928 section 2 (ten segments); RFC 5681 section 3.1 with RFC 3465's appropriate byte counting, which Linux
/// does not bound by L: `tcp_init_cwnd`, `tcp_slow_start`.
#[test]
fn ten_segments_leave_at_once_and_each_ack_admits_twice_what_it_acknowledges() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1_000).expect_sent(0..10).expect_cwnd(10);
    s.at(ms(20)).gets(ack(1)).expect_sent([10, 11]).expect_cwnd(11);
    s.at(ms(21)).gets(ack(3)).expect_sent(12..16).expect_cwnd(13);
    s.at(ms(22)).gets(ack(10)).expect_sent(16..30).expect_cwnd(20);
    s.expect_in_flight(20).expect_ssthresh(u32::MAX);
}
