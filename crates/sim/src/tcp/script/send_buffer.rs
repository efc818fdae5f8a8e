//! A send buffer that is full, and when its application goes on.

use super::{MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms};
use crate::tcp::limits::Limit;
use run::SocketMemory;

/// Linux 6.1 `tcp_sendmsg_locked`, `sk_stream_write_space`: the first super-packet, 45 segments, overfills 64 KiB. The
/// next is taken when memory is down to two thirds: 28 segments in four of the five bursts of nine that they were sent
/// as, 28 x 1448 + 4 x 768 = 43,616 bytes.
#[test]
fn a_full_buffer_takes_more_when_a_third_of_it_is_free() {
    let memory = SocketMemory::Bytes(65_536);
    let mut s =
        SenderScript::begin(SenderSetup { initial_window: 100, socket_memory: memory, offload: true, ..SENDER });
    s.writes(1_000).expect_bursts([9; 5]);
    s.expect("what limits it", |sender| sender.limits.state(), Limit::SendBuffer);
    s.at(ms(20)).gets(ack(16)).expect_nothing();
    s.expect("what limits it", |sender| sender.limits.state(), Limit::SendBuffer);
    s.gets(ack(17)).expect_bursts([9; 5]);
    s.expect("what is taken", |sender| sender.taken_bytes, 90 * u64::from(MSS_BYTES));
}

/// What the buffer takes is not known beforehand: where memory is never the limit, everything is.
#[test]
fn ample_memory_takes_everything() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 100, ..SENDER });
    s.writes(1_000).expect_sent(0..100);
    s.expect("what is taken", |sender| sender.taken_bytes, 1_000 * u64::from(MSS_BYTES));
}
