//! An application that aborts its connection.

use super::{SENDER, SenderScript, ack, ms};
use crate::net::PacketKind;
use run::FRAME_HEADERS_BYTES;

/// `tcp_disconnect`, `tcp_v4_send_reset`: nothing is sent and nothing sent again; a reset follows what is under way, and
/// answers every ACK that comes to a host which knows of no such connection any more.
#[test]
fn an_abort_sends_a_reset_and_nothing_else_ever_again() {
    let mut s = SenderScript::begin(SENDER);
    s.writes(1_000).expect_sent(0..10);
    s.at(ms(10)).aborts();
    let sent = |s: &mut SenderScript| -> Vec<_> {
        s.take_sent().iter().map(|(_, packet)| (packet.kind, packet.number(), packet.frame_bytes)).collect()
    };
    assert_eq!(sent(&mut s), [(PacketKind::Reset, 10, FRAME_HEADERS_BYTES)]);
    s.at(ms(20)).gets(ack(2));
    assert_eq!(sent(&mut s), [(PacketKind::Reset, 2, FRAME_HEADERS_BYTES - 12)]);
    s.gets(ack(2).sack(3..10));
    assert_eq!(sent(&mut s), [(PacketKind::Reset, 2, FRAME_HEADERS_BYTES - 12)]);
    s.expect("ACKs", |sender| sender.counters().acks, 1); // that of the handshake
    s.at(ms(10_000)).expect_nothing();
}

/// What `fq` has is under way, and the reset waits behind it.
#[test]
fn what_waits_in_fq_leaves_and_the_reset_behind_it() {
    let setup = super::SenderSetup { behind_fair_queue: true, offload: true, ..SENDER };
    let mut s = SenderScript::begin(setup);
    s.has_own_queue().writes(1_000).expect_bursts([2, 2]);
    s.drains().expect_bursts([2]).drains().expect_bursts([2]).drains().expect_bursts([2]).drains().drains();
    s.at(ms(20)).gets(ack(4)).expect_bursts([2, 2]).aborts();
    let last = s.sender.pacing.next();
    s.expect("departures", |_| last > super::BEGIN + ms(20), true);
    s.take_sent();
    // Nothing follows where there is room again.
    s.drains().drains().expect_departures([last.since(super::BEGIN)]).drains().expect_nothing();
}
