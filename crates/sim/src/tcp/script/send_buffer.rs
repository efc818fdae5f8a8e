//! A send buffer that is full, and when its application goes on.

use super::{MSS_BYTES, SENDER, SenderScript, SenderSetup, ack, ms, us};
use crate::tcp::Sender;
use run::SocketMemory;

/// Linux 6.1 `tcp_sendmsg_locked`, `sk_stream_write_space`: each burst that leaves makes room in the super-packet that it
/// is cut from, 45 segments, and what fits there is taken whatever memory says. The window is full then, and the buffer
/// of 64 KiB more so. The next is taken when memory is down to two thirds of it.
#[test]
fn a_full_buffer_takes_more_when_a_third_of_it_is_free() {
    let memory = SocketMemory::Bytes(65_536);
    let mut s = SenderScript::begin(SenderSetup { initial_window: 50, socket_memory: memory, offload: true, ..SENDER });
    let taken = |sender: &Sender| sender.taken_bytes / u64::from(MSS_BYTES);
    s.writes(1_000).expect_bursts([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2]);
    s.expect("what is taken", taken, 95);
    s.at(ms(20)).gets(ack(49)).expect_bursts([9; 5]);
    s.at(ms(40)).gets(ack(66)).expect_nothing();
    s.expect("is full", |sender| sender.send_buffer.is_full(), true);
    s.gets(ack(67)).expect_bursts([10, 10, 10, 10, 10, 10, 10, 10, 9]);
    s.expect("what is taken", taken, 229);
}

/// `tcp_bound_to_half_wnd`: a super-packet takes half of the largest window that the receiver has offered at most: 22
/// segments after the handshake, 45 later.
#[test]
fn the_first_super_packets_are_half_of_the_first_window() {
    let setup = SenderSetup { rtt: us(500), initial_window: 60, window_bytes: 65_535, offload: true, ..SENDER };
    let mut s = SenderScript::begin(SenderSetup { first_buffer_bytes: 16_384, ..setup });
    s.writes(1_000).expect_bursts([22, 22, 1]);
    s.at(us(500)).gets(ack(45).window(1 << 20)).expect_bursts([22, 22, 22, 22, 17]);
    // 60 x 2 x 2,304 bytes of memory were nine of them; what was taken since comes in whole super-packets.
    s.at(us(1_000)).gets(ack(150).window(1 << 20)).expect_bursts([5, 22, 22, 45, 45, 45, 26]);
}

/// What the buffer takes is not known beforehand: where memory is never the limit, everything is.
#[test]
fn ample_memory_takes_everything() {
    let mut s = SenderScript::begin(SenderSetup { initial_window: 100, ..SENDER });
    s.writes(1_000).expect_sent(0..100);
    s.expect("what is taken", |sender| sender.taken_bytes, 1_000 * u64::from(MSS_BYTES));
}
