//! Explicit congestion notification (RFC 3168), and DCTCP's rules for it (RFC 8257).

use super::{BEGIN, RECEIVER, ReceiverScript, ReceiverSetup, SENDER, SenderScript, SenderSetup, ack, ms, segment};
use crate::net::{Ecn, PacketKind};
use crate::tcp::EcnMode;
use cc::RecoveryState;

const CE: Ecn = Ecn::CongestionExperienced;
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
    s.answered(true).writes_after_handshake();
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
        s.answered(late_answer).writes_after_handshake();
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
    s.answered(true).writes_after_handshake();
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
