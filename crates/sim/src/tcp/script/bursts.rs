//! How much leaves at once, and when.

use super::{MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms, us};
use crate::net::Packet;
use units::Span;

/// RFC 896 with Minshall's amendment (`tcp_nagle_check`, `tcp_minshall_check`): a short segment waits only while
/// another short one is not acknowledged.
#[test]
fn a_short_segment_waits_for_another_short_one_and_not_for_full_ones() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(3).expect_sent(0..3);
    s.writes_bytes(100).expect_sent([3]);
    s.writes_bytes(100).expect_nothing();
    // A full segment's worth may go, whatever else is out.
    s.writes_bytes(u64::from(MSS_BYTES)).expect_sent([4]);
    s.at(ms(20)).gets(ack(3)).expect_nothing();
    s.at(ms(21)).gets(ack(4)).expect_sent([5]);
}

/// The last bytes of all do not wait (`tcp_nagle_test`: FIN).
#[test]
fn the_last_bytes_of_all_do_not_wait() {
    let mut s = SenderScript::begin(SENDER);
    s.writes_bytes(100).expect_sent([0]);
    s.sender.close();
    s.writes_bytes(100).expect_sent([1]);
}

/// `tcp_cwnd_test`: the last segment of all, which carries the FIN, does not wait for the window either, if it is
/// alone.
#[test]
fn the_last_segment_of_all_does_not_wait_for_the_congestion_window() {
    let writes = |segments, sent| {
        let mut s = SenderScript::begin(SENDER);
        s.sender.close();
        s.writes(segments).expect_sent(0..sent);
    };
    writes(11, 11);
    writes(12, 10);
}

/// `tcp_tso_autosize`: what the pacing rate carries in a millisecond, two segments at least, and more on a short path:
/// 64 kB, halved for each 512 µs of minimum RTT.
#[test]
fn a_burst_holds_a_millisecond_of_the_rate_and_more_on_a_short_path() {
    let bursts = |rtt, initial_window, sizes: &[u16]| {
        let mut s = SenderScript::begin(SenderSetup { rtt, initial_window, offload: true, ..SENDER });
        s.writes(1_000).expect_bursts(sizes.iter().copied());
    };
    // 2 x 10 segments in 20 ms
    bursts(ms(20), 10, &[2, 2, 2, 2, 2]);
    // 2 x 100 segments in 20 ms: 10, in 1/1024 s 9; the write queue is made of super-packets of 45.
    bursts(ms(20), 100, &[9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1]);
    // 2 x 16 segments in 4.5 ms: 6.94 in 1/1024 s; 65536 / 2^8 bytes more make 7.
    bursts(us(4_500), 16, &[7, 7, 2]);
}

/// `__tcp_transmit_skb`, `tcp_push`: PSH ends each burst of several segments, and what the application wrote. Only the
/// latter stays with its segment: the former is set on the copy that leaves.
#[test]
fn psh_ends_a_burst_of_several_segments_and_what_was_written() {
    let pushed = |s: &mut SenderScript| -> Vec<u64> {
        let last = |packet: Packet| packet.seq + u64::from(packet.segments) - 1;
        s.take_sent()
            .into_iter()
            .filter(|(_, packet)| packet.marks.is_pushed())
            .map(|(_, packet)| last(packet))
            .collect()
    };
    for offload in [false, true] {
        let mut s = SenderScript::begin(SenderSetup { offload, ..SENDER });
        // Bursts of two, and one that is alone and the last.
        s.writes(5);
        assert_eq!(pushed(&mut s), [1, 3, 4]);
        // The sixth of ten is alone too, and more follows.
        s.writes(100);
        assert_eq!(pushed(&mut s), [6, 8]);
        // The second and the fifth are sent again, each alone.
        s.at(ms(20)).gets(ack(1).sack(2..4).sack(5..10));
        assert_eq!(pushed(&mut s).first(), Some(&4));
    }
}

/// `tcp_cwnd_test`: no burst takes more than half of the window, so that two are in flight.
#[test]
fn a_burst_takes_at_most_half_of_the_window() {
    let mut s = SenderScript::begin(SenderSetup { rtt: us(100), initial_window: 11, offload: true, ..SENDER });
    s.writes(1_000).expect_bursts([5, 5, 1]);
}

/// `tcp_tso_should_defer`: with little room and an ACK about to come it is better to wait for it.
#[test]
fn a_burst_waits_for_the_ack_that_is_about_to_come() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 100, offload: true, ..SENDER });
    s.writes(1_000);
    s.take_sent();
    s.at(ms(20)).gets(ack(1));
    // The last burst left long ago: no waiting.
    s.expect_bursts([2]);
    s.at(us(20_100)).gets(ack(2)).expect_nothing();
    s.at(us(20_200)).gets(ack(4)).expect_nothing();
    s.at(us(20_300)).gets(ack(6)).expect_bursts([10]);
}

/// `tcp_update_skb_after_send`, `tcp_pacing_check`: after the first ten segments BBR's bursts are spaced by size over
/// rate: 2.885 x 10 segments in 20 ms, minus 1 %.
#[test]
fn bbrs_bursts_are_spaced_by_size_over_rate() {
    let mut s = SenderScript::begin(SenderSetup { cc: "bbr", offload: true, ..SENDER });
    s.writes(1_000);
    let rate = s.sender.gauges(0).pacing_rate_bps / 8;
    let expected = 10 * 1_448 * 50 * 739 / 256 * 99 / 100;
    assert!(rate.abs_diff(expected) < expected / 200, "{rate} {expected}");
    s.expect_bursts([2, 2, 2, 2, 2]);
    s.at(ms(20)).gets(ack(4)).expect_bursts([2]);
    let rate = s.sender.gauges(0).pacing_rate_bps / 8;
    let spacing = Span::from_nanos(2 * 1_448 * 1_000_000_000 / rate);
    // The first one comes late, and makes good half of its length.
    let second = ms(20) + spacing - spacing / 2;
    s.at(second).expect_bursts([2]);
    s.at(second + spacing).expect_bursts([2]);
    s.at(second + spacing * 2).expect_bursts([2]);
    s.at(ms(30)).expect_nothing().expect_in_flight(14);
}

/// `tcp_small_queue_check`: a burst is held while more than two of its size wait in the host's own queue; each
/// frame that leaves asks again.
#[test]
fn bursts_wait_while_three_are_in_the_hosts_own_queue() {
    let mut s = SenderScript::begin(SenderSetup { offload: true, ..SENDER });
    s.has_own_queue().writes(1_000).expect_bursts([2, 2, 2]);
    s.drains().expect_nothing();
    s.drains().expect_bursts([2]);
    s.drains().expect_nothing();
    s.drains().expect_bursts([2]);
    // The window is full: what drains lets nothing out.
    s.drains().drains().expect_nothing();
}
