//! How much leaves at once, and when.

use super::{MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms, us};
use crate::net::Packet;
use crate::tcp::Sender;
use crate::tcp::sender::TimerPurpose;
use cc::RecoveryState;
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
    s.writes_bytes(100).expect_nothing();
    s.closes().expect_sent([1]);
}

/// `tcp_cwnd_test`: the last segment of all, which carries the FIN, does not wait for the window either, if it is
/// alone.
#[test]
fn the_last_segment_of_all_does_not_wait_for_the_congestion_window() {
    let writes = |segments| {
        let mut s = SenderScript::begin(SENDER);
        s.writes(segments).expect_sent(0..10);
        s
    };
    writes(11).closes().expect_sent([10]);
    writes(12).closes().expect_nothing();
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
        let last = |packet: Packet| packet.number() + u64::from(packet.segments) - 1;
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

/// A burst that may leave at the instant of an ACK leaves before it: what the ACK delivers was not delivered by then.
#[test]
fn a_burst_leaves_before_the_ack_that_comes_as_it_is_due() {
    let rate_of = |fires_first: bool| {
        let mut s = SenderScript::begin(SenderSetup { cc: "bbr", offload: true, ..SENDER });
        s.writes(14).expect_bursts([2, 2, 2, 2, 2]);
        s.at(ms(20)).gets(ack(4)).expect_bursts([2]);
        let due = s.next_release();
        if fires_first {
            s.at(due).expect_bursts([2]).gets(ack(6)).expect_nothing();
        } else {
            s.until(due).gets(ack(6)).expect_bursts([2]);
        }
        s.at(ms(42)).gets(ack(14)).expect_nothing();
        s.sender.gauges(0).delivery_rate_bps
    };
    assert_eq!(rate_of(false), rate_of(true));
}

/// `tcp_small_queue_check`: a burst is held while two of its kind wait in the host's own queue; each that leaves asks
/// again.
#[test]
fn bursts_wait_while_two_are_in_the_hosts_own_queue() {
    let mut s = SenderScript::begin(SenderSetup { offload: true, ..SENDER });
    s.has_own_queue().writes(1_000).expect_bursts([2, 2]);
    s.drains().expect_bursts([2]);
    s.drains().expect_bursts([2]);
    s.drains().expect_bursts([2]);
    // The window is full: what drains lets nothing out.
    s.drains().drains().expect_nothing();
}

/// The same: what the rate carries in a millisecond may wait, if that is more. 2 x 100 segments in 20 ms: 14140 bytes of
/// bursts whose buffers take 768 bytes more than their payload. Bursts of 9 segments would be two, single segments are
/// seven.
#[test]
fn as_much_as_the_rate_carries_in_a_millisecond_may_wait_in_the_hosts_own_queue() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 100, ..SENDER });
    s.has_own_queue().writes(1).expect_sent([0]);
    for seq in 1..7 {
        s.writes(1).expect_sent([seq]);
    }
    s.writes(1).expect_nothing();
    s.drains().expect_sent([7]);
}

/// `tcp_rtx_queue_empty_or_single_skb`: while at most one burst is out, the next one need not wait for the host.
#[test]
fn the_second_burst_does_not_wait_for_the_hosts_own_queue() {
    let mut s = SenderScript::begin(SenderSetup { offload: true, ..SENDER });
    s.has_own_queue().writes(1_000).expect_bursts([2, 2]);
    s.at(ms(20)).gets(ack(1)).expect_nothing();
    s.gets(ack(2)).expect_bursts([2]);
}

/// `tcp_write_xmit` asks `tcp_small_queue_check` after it has cut the burst off its buffer (`tso_fragment`): one that is
/// held with a single segment, because the window has room for no more, leaves with that one when it has more.
#[test]
fn a_burst_that_waits_grows_no_more() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 7, offload: true, ..SENDER });
    s.has_own_queue().writes(1_000).expect_bursts([2, 2]);
    s.drains().expect_bursts([2]);
    s.at(ms(20)).gets(ack(2)).expect_nothing();
    s.drains().expect_bursts([1, 2]);
}

/// `tcp_xmit_retransmit_queue`: retransmissions may wait for twice as much.
#[test]
fn twice_as_many_retransmissions_may_wait_in_the_hosts_own_queue() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 40, rtt: ms(200), ..SENDER });
    s.writes(40).expect_sent(0..40);
    s.has_own_queue();
    // Every second one is lost: they are sent again one by one, as far as the reduction lets them.
    let mut again = 0;
    for seq in (1..40).step_by(2) {
        again += s.at(ms(200)).gets(ack(0).sack(seq..seq + 1)).take_sent().len();
    }
    assert_eq!(again, 4);
    assert_eq!(s.drains().take_sent().len(), 1);
}

/// `tcp_update_skb_after_send`, `tcp_rate_skb_sent`: behind `fq` a burst is handed over before its time and counts as
/// sent; its timestamp, its RTT and its delivery rate count from its departure.
#[test]
fn behind_fq_a_burst_is_stamped_with_its_departure_and_counts_as_sent() {
    let mut s = SenderScript::begin(SenderSetup { behind_fair_queue: true, offload: true, ..SENDER });
    s.has_own_queue().writes(1_000).expect_bursts([2, 2]);
    s.expect_departures([ms(0), ms(0)]);
    s.drains().expect_bursts([2]).drains().expect_bursts([2]).drains().expect_bursts([2]);
    s.drains().drains().expect_in_flight(10);
    // The first ten segments are not paced; what is late makes good half of its length.
    s.at(ms(20)).gets(ack(4));
    let rate = s.sender.gauges(0).pacing_rate_bps / 8;
    assert_eq!(rate, 2 * 14 * 1_448 * 50);
    let spacing = Span::from_nanos(2 * 1_448 * 1_000_000_000 / rate);
    let second = ms(20) + spacing - spacing / 2;
    s.expect_departures([ms(20), second]).expect_in_flight(10);
    let stamps: Vec<_> = s.take_sent().iter().map(|(_, packet)| packet.stamp_ms).collect();
    assert_eq!(stamps, [super::stamp_ms(ms(20)), super::stamp_ms(second)]);
    // The next one is stamped though nothing has left meanwhile but the first.
    s.drains().expect_bursts([2]).expect_departures([second, second + spacing]).expect_in_flight(12);
    s.drains().expect_bursts([2]).drains().drains().expect_in_flight(14);
    // Whatever it waited, the RTT of the second is that of the path.
    s.at(ms(40)).gets(ack(12));
    s.take_sent();
    s.at(second + ms(20)).gets(ack(14)).expect("RTT", Sender::rtt_sample_us, Some(20_000));
    s.take_sent();
}

/// `skb_still_in_host_queue`: what waits for its departure is not sent again.
#[test]
fn what_has_not_left_the_host_is_not_sent_again() {
    let mut s = SenderScript::begin(SenderSetup { behind_fair_queue: true, initial_window: 12, ..SENDER });
    s.has_own_queue().writes(10).expect_sent(0..4);
    s.drains().expect_sent(4..6).drains().expect_sent(6..8).drains().expect_sent(8..10).drains().drains();
    // The last two of twelve are paced.
    s.writes(2).expect_sent(10..12);
    let last = s.sender.board.segment(11).sent_us;
    assert!(last > (super::BEGIN + s.now()).as_micros());
    let again = s.sender.retransmit(11, 12, false, super::BEGIN + s.now(), &mut s.wire);
    assert_eq!(again, Err(super::super::transmit::Unsent::Waiting));
}

/// `__tcp_transmit_skb`, `tcp_enter_cwr`: what the host drops stays unsent, and is congestion.
#[test]
fn a_drop_by_the_host_reduces_the_window_and_the_burst_stays_unsent() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(4).expect_sent(0..4);
    s.has_room(false).writes(6).expect_nothing();
    s.expect_state(RecoveryState::Cwr).expect_ssthresh(5).expect_in_flight(4);
    s.has_room(true).at(ms(20)).gets(ack(2)).expect_sent([4, 5]);
}

/// `tcp_check_probe_timer`, `tcp_write_wakeup`: where no ACK is to come, a timer asks the host again.
#[test]
fn a_burst_that_the_host_dropped_while_nothing_was_out_is_tried_again_after_a_timeout() {
    let mut s = SenderScript::begin(SENDER);
    s.has_room(false).writes(2).expect_nothing();
    s.expect_timer(TimerPurpose::WindowProbe, ms(224));
    s.at(ms(224)).expect_nothing().expect_timer(TimerPurpose::WindowProbe, ms(672));
    s.has_room(true).at(ms(672)).expect_sent([0, 1]);
}

/// `tcp_retransmit_skb`: a retransmission that the host drops is still due; `tcp_retransmit_timer`: after a timeout it is
/// tried again in half a second, without back-off.
#[test]
fn a_retransmission_that_the_host_drops_is_still_due() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(10).expect_sent(0..10);
    s.has_room(false).at(ms(20)).gets(ack(0).sack(1..8)).expect_nothing();
    s.expect_state(RecoveryState::Recovery).expect("lost", |sender| sender.board.lost(), 1);
    s.has_room(true).gets(ack(0).sack(1..9)).expect_sent([0]);

    let mut s = SenderScript::begin(SENDER);
    s.writes(1).expect_sent([0]);
    s.has_room(false);
    let timeout = loop {
        s.wire.now = s.next_timer();
        let purpose = s.sender.timer_purpose;
        s.fire_timer();
        if purpose == TimerPurpose::Timeout {
            break s.now();
        }
    };
    s.expect("RTO", |sender| sender.rtt.rto_ms(), 220);
    assert!((ms(500)..ms(564)).contains(&(s.next_timer().since(super::BEGIN + timeout))));
}
