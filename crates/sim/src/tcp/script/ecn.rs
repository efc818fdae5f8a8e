//! Explicit congestion notification (RFC 3168), and DCTCP's rules for it (RFC 8257).

use super::{BEGIN, RECEIVER, ReceiverScript, ReceiverSetup, SENDER, SenderScript, SenderSetup, ack, ms, segment};
use crate::net::{Ecn, Marks, NO_OPTION, PacketKind};
use crate::tcp::EcnMode;
use crate::tcp::ecn::Echo;
use cc::RecoveryState;

const CE: Ecn = Ecn::CongestionExperienced;
/// Answers to a SYN.
const DECLINED: Marks = Marks::new(false, Ecn::NotEct);
const TAKEN: Marks = DECLINED.echoing(true);
const CLASSIC: SenderSetup = SenderSetup { ecn: EcnMode::Classic, ..SENDER };
const DCTCP: SenderSetup = SenderSetup { ecn: EcnMode::Exact, cc: "dctcp", ..SENDER };

/// What left: its kind, whether it is ECT(0), and whether it has CWR.
fn left(script: &mut SenderScript) -> Vec<(PacketKind, bool, bool)> {
    let seen = |packet: crate::net::Packet| {
        assert!(packet.marks.ecn() == Ecn::Ect0 as u8 || packet.marks.ecn() == Ecn::NotEct as u8);
        (packet.kind, packet.marks.ecn() == Ecn::Ect0 as u8, packet.marks.is_reduced())
    };
    script.take_sent().into_iter().map(|(_, packet)| seen(packet)).collect()
}

/// Twenty segments are out.
fn twenty_out(setup: SenderSetup) -> SenderScript {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 20, ..setup });
    s.writes(1_000).expect_sent(0..20);
    s
}

/// RFC 3168 section 6.1.1: the SYN offers with ECE and CWR, its answer takes the offer with ECE; neither is ECT, nor is
/// the ACK that follows; data is (`tcp_ecn_send_syn`, `tcp_ecn_send`).
#[test]
fn a_connection_whose_offer_is_taken_sends_data_as_ect() {
    let mut s = SenderScript::connecting(CLASSIC);
    let syn = s.take_sent()[0].1;
    assert_eq!((syn.marks.ecn(), syn.marks.echoes(), syn.marks.is_reduced()), (0, true, true));
    s.answered(TAKEN).writes_after_handshake();
    assert_eq!(left(&mut s)[..2], [(PacketKind::Bare, false, false), (PacketKind::Data, true, false)]);
}

/// RFC 3168 section 6.1.1: an answer without ECE declines; from then on ECE says nothing (`tcp_ecn_rcv_synack`).
#[test]
fn a_connection_whose_offer_is_declined_has_no_ecn() {
    for setup in [CLASSIC, DCTCP] {
        let mut s = SenderScript::begin(SenderSetup { peer_has_ecn: false, ..setup });
        s.writes(1_000);
        assert!(left(&mut s).iter().all(|(_, is_ect, has_cwr)| !is_ect && !has_cwr));
        s.at(ms(20)).gets(ack(2).ece()).expect_state(RecoveryState::Open).expect_cwnd(12).expect_sent(10..14);
        s.expect("marked", |sender| sender.counters.delivered_ce, 0);
    }
}

/// RFC 3168 section 6.1.1.1: a SYN that is sent again makes no offer (`tcp_ecn_fallback`), but an answer to the first, which
/// comes late, is as good as any.
#[test]
fn a_syn_that_is_sent_again_offers_nothing() {
    for late_answer in [false, true] {
        let mut s = SenderScript::connecting(CLASSIC);
        s.take_sent();
        s.fire_timer();
        let syn = s.take_sent()[0].1;
        assert!(syn.kind == PacketKind::Syn && !syn.marks.echoes() && !syn.marks.is_reduced());
        s.answered(if late_answer { TAKEN } else { DECLINED }).writes_after_handshake();
        assert_eq!(left(&mut s)[1], (PacketKind::Data, late_answer, false));
    }
}

/// RFC 3168 sections 6.1.4 to 6.1.6: what has no data, or was sent before, is not ECT (`tcp_ecn_send`).
#[test]
fn what_is_sent_again_and_what_has_no_data_is_not_ect() {
    let mut s = SenderScript::begin(CLASSIC);
    s.writes(10).expect_sent(0..10);
    s.closes();
    assert_eq!(left(&mut s), [(PacketKind::Fin, false, false)]);
    s.at(ms(20)).gets(ack(0).sack(1..8));
    assert_eq!(left(&mut s), [(PacketKind::Data, false, false)]);

    let mut s = SenderScript::begin(SenderSetup { window_bytes: 1_448, ..CLASSIC });
    s.writes(10).expect_sent([0]);
    s.at(ms(20)).gets(ack(1).window(0));
    s.fire_timer();
    assert_eq!(left(&mut s), [(PacketKind::WindowProbe, false, false)]);
}

/// Linux's DCTCP marks all as ECT (`TCP_CONG_NEEDS_ECN`), the SYN too; RFC 8257 section 3.5 advises to.
#[test]
fn every_packet_of_dctcp_is_ect() {
    let mut s = SenderScript::connecting(DCTCP);
    s.answered(TAKEN).writes_after_handshake();
    let mut sent = left(&mut s);
    s.at(ms(20)).gets(ack(0).sack(1..8));
    sent.extend(left(&mut s));
    assert_eq!(sent.first().map(|first| first.0), Some(PacketKind::Syn));
    assert!(sent.len() > 12 && sent.iter().all(|(_, is_ect, _)| *is_ect), "{sent:?}");
}

/// RFC 3168 section 6.1.2: ECE is answered as loss is, once a round trip, and the first new data after it has CWR. Linux
/// reduces step by step (`tcp_enter_cwr`, `tcp_cwnd_reduction`), until something is acknowledged that was sent after it.
#[test]
fn ece_reduces_the_window_once_a_round_trip() {
    let mut s = twenty_out(CLASSIC);
    s.at(ms(20)).gets(ack(2).ece()).expect_state(RecoveryState::Cwr).expect_ssthresh(10).expect_cwnd(19);
    assert_eq!(left(&mut s), [(PacketKind::Data, true, true)]);
    for una in (4..=20).step_by(2) {
        s.at(ms(19 + una / 2)).gets(ack(una).ece()).expect_ssthresh(10).expect_state(RecoveryState::Cwr);
        assert!(left(&mut s).iter().all(|sent| *sent == (PacketKind::Data, true, false)), "CWR once");
    }
    s.expect_in_flight(10).expect_cwnd(10);
    s.expect("reductions", |sender| sender.echo_reductions(), 1);
    s.at(ms(40)).gets(ack(22)).expect_state(RecoveryState::Open).expect_cwnd(10).expect_sent([30, 31]);
    s.at(ms(41)).gets(ack(24).ece()).expect_state(RecoveryState::Cwr).expect_ssthresh(5);
    assert_eq!(left(&mut s), [(PacketKind::Data, true, true)]);
    s.expect("reductions", |sender| sender.echo_reductions(), 2);
    s.expect("marked", |sender| sender.counters.delivered_ce, 22);
    s.expect("lost", |sender| sender.lost_total(), 0);
}

/// An ACK from before the last one tells of nothing new (`tcp_ack`, `old_ack`).
#[test]
fn the_echo_of_an_ack_that_comes_late_is_ignored() {
    let mut s = twenty_out(CLASSIC);
    s.at(ms(20)).gets(ack(4)).expect_sent(20..28);
    s.at(ms(21)).gets(ack(2).ece()).expect_state(RecoveryState::Open).expect_cwnd(24);
}

/// RFC 3168 section 6.1.2: loss is answered with CWR, too, but only new data tells of it.
#[test]
fn after_loss_the_first_new_data_has_cwr_and_no_retransmission_has() {
    let mut s = twenty_out(CLASSIC);
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_state(RecoveryState::Recovery);
    assert_eq!(left(&mut s), [(PacketKind::Data, false, false), (PacketKind::Data, true, true)]);
    s.at(ms(21)).gets(ack(0).sack(1..6));
    assert_eq!(left(&mut s), [(PacketKind::Data, true, false)]);
}

/// No CWR is sent for a reduction that was spurious, if there was no occasion yet (`tcp_ecn_withdraw_cwr`).
#[test]
fn cwr_is_withdrawn_with_the_reduction() {
    let mut s = SenderScript::begin(CLASSIC);
    s.writes(10).expect_sent(0..10);
    s.at(ms(20)).gets(ack(0).sack(1..4)).expect_sent([0]).expect_ssthresh(5);
    s.at(ms(21)).gets(ack(4).dsack(0..1)).expect_state(RecoveryState::Open);
    s.writes(1);
    assert_eq!(left(&mut s), [(PacketKind::Data, true, false)]);
}

/// BBR owns its window: ECE changes the transport's state, which the receiver hears of, and no more (`tcp_enter_cwr`,
/// `bbr_ssthresh`).
#[test]
fn bbr_answers_ece_with_cwr_alone() {
    let mut s = SenderScript::begin(SenderSetup { cc: "bbr", ..CLASSIC });
    s.writes(1_000);
    while s.next_timer() < BEGIN + ms(20) {
        s.fire_timer();
    }
    s.take_sent();
    s.at(ms(20)).gets(ack(10).ece()).expect_state(RecoveryState::Cwr).expect_cwnd(20);
    s.fire_timer();
    let sent = left(&mut s);
    assert!(sent.len() > 1 && sent.iter().enumerate().all(|(index, sent)| sent.2 == (index == 0)), "{sent:?}");
}

/// RFC 8257 section 3.3: the reduction is by half of the share that was marked, which the ACK that begins it counts in.
#[test]
fn dctcp_reduces_by_half_of_the_marked_share() {
    let mut s = twenty_out(DCTCP);
    // Alpha begins at 1: 960/1024 are left of it after a round trip without marks.
    s.at(ms(20)).gets(ack(20)).expect_cwnd(40).expect_sent(20..60);
    // And 900/1024 after another, which the first ACK of its data ends.
    s.at(ms(40)).gets(ack(30)).expect_cwnd(50);
    s.take_sent();
    // All thirty since then, weighed with a sixteenth: 844/1024 and 64/1024.
    s.at(ms(41)).gets(ack(60).ece());
    s.expect_state(RecoveryState::Cwr).expect_ssthresh(50 - 50 * 908 / 2_048);
    s.take_sent();
    s.expect("marked", |sender| sender.counters.delivered_ce, 30);
}

const CLASSIC_RECEIVER: ReceiverSetup = ReceiverSetup { ecn: EcnMode::Classic, ..RECEIVER };

/// RFC 3168 section 6.1.3: CE is echoed on every ACK until CWR comes, and again if that segment has CE itself; Linux
/// acknowledges at once when either comes (`__tcp_ecn_check_ce`, `tcp_ecn_accept_cwr`).
#[test]
fn ce_is_echoed_until_cwr_comes() {
    let mut r = ReceiverScript::begin(CLASSIC_RECEIVER);
    let n = r.past_quick_acks();
    r.gets(segment(n).ecn(Ecn::Ect0));
    r.gets(segment(n + 1).ecn(CE)).expect_ack(ack(n + 2).ece());
    r.gets(segment(n + 2).ecn(Ecn::Ect0)).expect_ack(ack(n + 3).ece());
    r.gets(segment(n + 3).ecn(Ecn::Ect0)).gets(segment(n + 4).ecn(CE)).expect_ack(ack(n + 5).ece());
    r.gets(segment(n + 6).ecn(Ecn::Ect0)).expect_ack(ack(n + 5).sack(n + 6..n + 7).ece());
    r.gets(segment(n + 5).ecn(Ecn::Ect0)).expect_ack(ack(n + 7).ece());
    r.gets(segment(n + 7).ecn(CE).cwr()).expect_ack(ack(n + 8).ece());
    r.gets(segment(n + 8).ecn(Ecn::Ect0)).expect_ack(ack(n + 9).ece());
    r.gets(segment(n + 9).ecn(Ecn::Ect0).cwr()).expect_ack(ack(n + 10));
    r.gets(segment(n + 10).ecn(Ecn::Ect0)).gets(segment(n + 11).ecn(Ecn::Ect0)).expect_ack(ack(n + 12));
}

/// What is no ECT after ECT was sent again, probably: two ACKs are not delayed (`__tcp_ecn_check_ce`).
#[test]
fn what_was_sent_again_is_acknowledged_at_once() {
    let mut r = ReceiverScript::begin(CLASSIC_RECEIVER);
    let n = r.past_quick_acks();
    r.gets(segment(n).ecn(Ecn::Ect0)).gets(segment(n + 1).ecn(Ecn::Ect0)).expect_ack(ack(n + 2));
    r.gets(segment(n + 2)).expect_ack(ack(n + 3));
    r.gets(segment(n + 3).ecn(Ecn::Ect0)).expect_ack(ack(n + 4));
    r.gets(segment(n + 4).ecn(Ecn::Ect0)).expect_nothing();
}

/// Without ECN on both sides a mark says nothing.
#[test]
fn a_receiver_without_ecn_echoes_nothing() {
    let mut r = ReceiverScript::begin(RECEIVER);
    let n = r.past_quick_acks();
    r.gets(segment(n).ecn(CE)).gets(segment(n + 1).ecn(CE)).expect_ack(ack(n + 2));
}

/// RFC 8257 section 3.2: while CE comes ACKs have ECE, else they have not; when that changes the data until then is
/// acknowledged first, if it was not yet, and the new segment at once (`dctcp_ece_ack_update`).
#[test]
fn dctcp_echoes_each_change_of_ce_at_once() {
    let mut r = ReceiverScript::begin(ReceiverSetup { ecn: EcnMode::Exact, ..RECEIVER });
    let n = r.past_quick_acks();
    r.gets(segment(n).ecn(Ecn::Ect0));
    r.gets(segment(n + 1).ecn(CE)).expect_acks([ack(n + 1), ack(n + 2).ece()]);
    r.gets(segment(n + 2).ecn(CE)).gets(segment(n + 3).ecn(CE)).expect_ack(ack(n + 4).ece());
    r.gets(segment(n + 4).ecn(Ecn::Ect0)).expect_ack(ack(n + 5));
    r.gets(segment(n + 5).ecn(Ecn::Ect0).cwr()).expect_ack(ack(n + 6));
    r.gets(segment(n + 6).ecn(CE)).expect_ack(ack(n + 7).ece());
    r.gets(segment(n + 7).ecn(CE).cwr()).expect_ack(ack(n + 8).ece());
    r.gets(segment(n + 8).ecn(CE));
    r.gets(segment(n + 9).ecn(Ecn::Ect0)).expect_acks([ack(n + 9).ece(), ack(n + 10)]);
}

const ACCURATE: SenderSetup = SenderSetup { ecn: EcnMode::Accurate, ..SENDER };
const SCALABLE: SenderSetup = SenderSetup { ecn: EcnMode::Scalable, ..SENDER };
const ACCURATE_RECEIVER: ReceiverSetup = ReceiverSetup { ecn: EcnMode::Accurate, ..RECEIVER };

/// What left: its kind, its ECN field, and its ACE field.
fn fields(script: &mut SenderScript) -> Vec<(PacketKind, u8, u8)> {
    script.take_sent().into_iter().map(|(_, packet)| (packet.kind, packet.marks.ecn(), packet.marks.ace())).collect()
}

/// RFC 9768 section 3.1, table 2: each answer to an offer of accurate ECN. From then on packets are ECT and count, are
/// those of RFC 3168, or have nothing. A scalable algorithm falls back to nothing (Linux 7.3
/// `TCP_CONG_NO_FALLBACK_RFC3168`).
#[test]
fn the_answers_flags_say_which_ecn_it_is() {
    for (setup, ect, syn) in [(ACCURATE, Ecn::Ect0, Ecn::NotEct), (SCALABLE, Ecn::Ect1, Ecn::Ect1)] {
        for answer in 0..8 {
            let mut s = SenderScript::connecting(setup);
            assert_eq!(fields(&mut s), [(PacketKind::Syn, syn as u8, 0b111)]);
            s.answered(DECLINED.with_ace(answer)).writes_after_handshake();
            let sent = fields(&mut s);
            let expected = match answer {
                0 | 0b111 => [(0, 0), (0, 0)],
                1 if setup.ecn == EcnMode::Accurate => [(0, 0), (ect as u8, 0)],
                1 => [(0, 0), (0, 0)],
                _ => [(ect as u8, 0b010), (ect as u8, 5)],
            };
            assert_eq!(
                sent[..2],
                [PacketKind::Bare, PacketKind::Data].map(|kind| {
                    let (ecn, ace) = expected[usize::from(kind == PacketKind::Data)];
                    (kind, ecn, ace)
                }),
                "{:?}, {answer:03b}",
                setup.ecn
            );
        }
    }
}

/// RFC 9768 section 3.1, table 3: the ACK of the answer says which ECN field that came with; CE on it counts.
#[test]
fn the_handshakes_last_ack_reflects_the_answers_ecn_field() {
    let fields_of_answers = [(Ecn::NotEct, 0b010, 5), (Ecn::Ect1, 0b011, 5), (Ecn::Ect0, 0b100, 5), (CE, 0b110, 6)];
    for (ecn, reflected, count) in fields_of_answers {
        let mut s = SenderScript::connecting(ACCURATE);
        s.take_sent();
        s.answered(Marks::new(false, ecn).with_ace(0b010)).writes_after_handshake();
        let sent: Vec<u8> = fields(&mut s).iter().map(|(_, _, ace)| *ace).collect();
        assert_eq!(sent[..2], [reflected, count]);
    }
}

/// RFC 9768 section 3.1.4.1: the first SYN that is sent again offers AccECN once more, those after it nothing
/// (`tcp_retransmit_skb`).
#[test]
fn accurate_ecn_is_offered_twice() {
    let mut s = SenderScript::connecting(ACCURATE);
    for offer in [0b111, 0b111, 0, 0] {
        assert_eq!(fields(&mut s), [(PacketKind::Syn, 0, offer)]);
        s.fire_timer();
    }
    s.take_sent();
}

/// With AccECN retransmissions and the FIN are ECT, too, and there is no CWR (Linux 7.3 `tcp_ecn_send`).
#[test]
fn every_packet_of_accurate_ecn_but_the_syn_is_ect() {
    let mut s = SenderScript::begin(ACCURATE);
    s.writes(10).expect_sent(0..10);
    s.closes();
    assert_eq!(fields(&mut s), [(PacketKind::Fin, Ecn::Ect0 as u8, 5)]);
    s.at(ms(20)).gets(ack(0).sack(1..8).counting(1)).expect_state(RecoveryState::Recovery);
    assert_eq!(fields(&mut s), [(PacketKind::Data, Ecn::Ect0 as u8, 5)]);
}

/// RFC 9768 section 3.2.2: what the field has gone on by since the last ACK was marked, also past 7 to 0; a mark is answered
/// once a round trip, as ECE is.
#[test]
fn the_count_goes_on_past_its_three_bits() {
    let mut s = twenty_out(ACCURATE);
    s.at(ms(20)).gets(ack(2).counting(0)).expect_state(RecoveryState::Open);
    s.take_sent();
    s.gets(ack(4).counting(0)).expect_state(RecoveryState::Open);
    s.take_sent();
    for (una, marked) in [(6, 2), (8, 3), (12, 7), (14, 7), (16, 9)] {
        s.gets(ack(una).counting(marked)).expect_state(RecoveryState::Cwr);
        s.expect("marked", |sender| sender.counters.delivered_ce, marked.into());
        s.take_sent();
    }
    s.expect("reductions", |sender| sender.echo_reductions(), 1);
}

/// RFC 9768 section 3.2.2.5.2: an ACK of more than seven segments may hide eight marks, or more; the option's count of bytes
/// tells, and without one what the last said (Linux 7.3 `__tcp_accecn_process`).
#[test]
fn bytes_say_what_three_bits_leave_open() {
    const MSS: u32 = super::MSS_BYTES;
    // Of 12 segments none, one, nine; of 18 ten, all.
    for (una, count, segments, expected) in
        [(12, 0, 0, 0), (12, 1, 1, 1), (12, 1, 9, 9), (18, 2, 10, 10), (18, 2, 18, 18), (4, 3, 3, 3)]
    {
        let mut s = twenty_out(ACCURATE);
        s.at(ms(20)).gets(ack(una).counting(count).counting_bytes(segments * MSS));
        s.take_sent();
        s.expect("marked", |sender| sender.counters.delivered_ce, expected);
    }
    for (first, expected) in [(0, 1), (1, 10)] {
        let mut s = twenty_out(ACCURATE);
        s.at(ms(20)).gets(ack(2).counting(first).counting_bytes(first * MSS));
        s.take_sent();
        s.gets(ack(14).counting(first + 1));
        s.take_sent();
        s.expect("marked", |sender| sender.counters.delivered_ce, expected);
    }
}

/// An ACK that brings nothing new and is no newer may have been overtaken: its count is ignored (`__tcp_accecn_process`).
#[test]
fn the_count_of_an_ack_without_progress_is_ignored() {
    let mut s = twenty_out(ACCURATE);
    s.at(ms(20)).gets(ack(4).counting(3));
    s.take_sent();
    s.gets(ack(4).counting(1));
    s.take_sent();
    s.expect("marked", |sender| sender.counters.delivered_ce, 3);
    s.gets(ack(2).counting(1));
    s.take_sent();
    s.expect("marked", |sender| sender.counters.delivered_ce, 3);
}

/// RFC 9768 section 3.1: a host takes the best offer that it knows, and its answer says which ECN field the SYN had.
#[test]
fn a_host_answers_the_best_offer_that_it_knows() {
    use EcnMode::{Accurate, AccurateExact, Classic, Exact, Off, Scalable};
    let offers = [0, 0b011, 0b111, 0b100];
    for (host, modes) in [
        (Off, [Off, Off, Off, Off]),
        (Classic, [Off, Classic, Classic, Off]),
        (Exact, [Off, Exact, Exact, Off]),
        (Accurate, [Off, Classic, Accurate, Accurate]),
        (AccurateExact, [Off, Exact, AccurateExact, AccurateExact]),
        (Scalable, [Off, Off, Scalable, Scalable]),
    ] {
        for (offer, mode) in offers.into_iter().zip(modes) {
            let mut echo = Echo::new(host);
            let answer = echo.answer(DECLINED.with_ace(offer));
            assert_eq!(echo.mode(), mode, "{host:?}, {offer:03b}");
            let expected = if mode.is_accurate() { 0b010 } else { u8::from(mode.is_on()) };
            assert_eq!(answer.ace(), expected, "{host:?}, {offer:03b}");
        }
    }
    for (field, reflected) in [(Ecn::NotEct, 0b010), (Ecn::Ect1, 0b011), (Ecn::Ect0, 0b100), (CE, 0b110)] {
        let answer = Echo::new(Accurate).answer(Marks::new(false, field).with_ace(0b111));
        assert_eq!(answer.ace(), reflected);
    }
}

/// So many segments have come, none of them marked.
fn past_quick_acks(setup: ReceiverSetup, segments: u64) -> ReceiverScript {
    let mut r = ReceiverScript::begin(setup);
    for seq in 0..segments {
        r.gets(segment(seq).ecn(Ecn::Ect0));
        r.take_acks();
    }
    r
}

/// RFC 9768 section 3.2.2: ACKs count packets with CE. Linux 7.3 acknowledges at once when the ECN field changes, to CE and
/// from it (section 3.2.2.5.1; `tcp_ecn_received_counters`), and between changes as ever.
#[test]
fn accurate_acks_count_marks_and_come_at_once_when_marks_begin_or_end() {
    let ect = |seq| segment(seq).ecn(Ecn::Ect0);
    let next = 40;
    let mut r = past_quick_acks(ACCURATE_RECEIVER, next);
    r.gets(ect(next)).gets(ect(next + 1)).expect_ack(ack(next + 2).counting(0));
    r.gets(segment(next + 2).ecn(CE)).expect_ack(ack(next + 3).counting(1));
    r.gets(segment(next + 3).ecn(CE)).gets(segment(next + 4).ecn(CE)).expect_ack(ack(next + 5).counting(3));
    r.gets(ect(next + 5)).expect_ack(ack(next + 6).counting(3));
    r.gets(ect(next + 6)).gets(ect(next + 7)).expect_ack(ack(next + 8).counting(3));
    for more in 0..3 {
        let seq = next + 8 + 2 * more;
        r.gets(segment(seq).ecn(CE));
        r.take_acks();
        r.gets(ect(seq + 1)).expect_ack(ack(seq + 2).counting(4 + u32::try_from(more).unwrap()));
    }
}

/// Of DCTCP Linux 7.3 acknowledges what waits before it answers the change: by the count that the change has made.
#[test]
fn accurate_dctcp_tells_what_it_owes_before_marks_begin_or_end() {
    let mut r = past_quick_acks(ReceiverSetup { ecn: EcnMode::AccurateExact, ..RECEIVER }, 40);
    let n = 40;
    r.gets(segment(n).ecn(Ecn::Ect0));
    r.gets(segment(n + 1).ecn(CE)).expect_acks([ack(n + 1).counting(1), ack(n + 2).counting(1)]);
    r.gets(segment(n + 2).ecn(CE)).gets(segment(n + 3).ecn(CE)).expect_ack(ack(n + 4).counting(3));
    r.gets(segment(n + 4).ecn(CE));
    r.gets(segment(n + 5).ecn(Ecn::Ect0)).expect_acks([ack(n + 5).counting(4), ack(n + 6).counting(4)]);
}

/// RFC 9768 section 3.2.2.5.1: no more than six marks wait for an ACK, also behind a hole where ACKs are compressed
/// (`TCP_ACCECN_ACE_MAX_DELTA`).
#[test]
fn the_sixth_mark_that_waits_is_acknowledged_at_once() {
    let mut r = past_quick_acks(ACCURATE_RECEIVER, 40);
    let marked = |seq| segment(seq).ecn(CE);
    for seq in 41..45 {
        r.gets(marked(seq));
        r.take_acks();
    }
    for seq in 45..50 {
        r.gets(marked(seq)).expect_nothing();
    }
    r.gets(marked(50)).expect_ack(ack(40).sack(41..51).counting(10));
}

/// RFC 9768 section 3.2.3: ACKs count bytes, too, where their options leave room (Linux 7.3 `tcp_options_fit_accecn`).
#[test]
fn accurate_acks_count_marked_bytes_where_there_is_room() {
    for (mode, ect, sizes) in [
        (EcnMode::Accurate, Ecn::Ect0, [(1, true), (2, false), (3, false)]),
        (EcnMode::Scalable, Ecn::Ect1, [(1, true), (2, true), (2, true)]),
    ] {
        let mut r = ReceiverScript::begin(ReceiverSetup { ecn: mode, ..RECEIVER });
        r.gets(segment(0).ecn(CE).short(1_000));
        assert_eq!(r.last_ack().marked_bytes, 1_000);
        r.gets(segment(1).ecn(ect));
        assert_eq!(r.last_ack().marked_bytes, 1_000);
        for (seq, (blocks, has_option)) in [3, 5, 7].into_iter().zip(sizes) {
            r.gets(segment(seq).ecn(ect));
            let ack = r.last_ack();
            assert_eq!((ack.block_count, ack.marked_bytes != NO_OPTION), (blocks, has_option), "{mode:?}");
        }
    }
}

/// With nothing less than accurate ECN Prague paces; else it is Reno, all of whose window leaves at once.
#[test]
fn prague_paces_with_accurate_ecn_only() {
    for peer_has_ecn in [true, false] {
        let setup = SenderSetup { cc: "prague", initial_window: 20, peer_has_ecn, ..SCALABLE };
        let mut s = SenderScript::begin(setup);
        s.writes(1_000);
        assert_eq!(fields(&mut s).len() < 20, peer_has_ecn);
        s.expect("paced", |sender| sender.pacing.is_active(), peer_has_ecn);
    }
}
