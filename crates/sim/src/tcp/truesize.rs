//! What a buffer of the kernel (an skb) costs beside its payload, as the accounts of sockets and of TCP small queues
//! count it: Linux 6.1's `truesize`, with the sizes of a 64-bit kernel that has neither wireless devices nor tunnels, as
//! the engine `linux` has it (read from `INET_DIAG_SKMEMINFO`).

use crate::net::Waiting;

/// `MAX_TCP_HEADER`: room for headers before the payload.
pub const HEADROOM_BYTES: u64 = 192;
/// `struct sk_buff` in whole cache lines.
const DESCRIPTOR_BYTES: u64 = 256;
/// `struct skb_shared_info`, at the end of each data area.
const SHARED_INFO_BYTES: u64 = 320;
/// What `SKB_TRUESIZE` adds to a data area.
pub const OVERHEAD_BYTES: u64 = DESCRIPTOR_BYTES + SHARED_INFO_BYTES;
/// A burst as TCP hands it over is one buffer: what it costs beside its payload, which lies in pages of its own
/// (`tcp_stream_alloc_skb`).
pub const EMPTY_BYTES: u64 = HEADROOM_BYTES + OVERHEAD_BYTES;

/// What waits in a host's own queue and device (`sk_wmem_alloc`).
pub const fn waiting(waiting: Waiting) -> u64 {
    waiting.buffers as u64 * EMPTY_BYTES + waiting.payload_bytes as u64
}

/// A segment by itself, in one piece with its headers: its data area has a power of two. Receivers hold such ones
/// (`skb_segment` without scatter-gather made them), and senders reserve room for them (`tcp_sndbuf_expand`).
pub const fn segment(payload_bytes: u64) -> u64 {
    (payload_bytes + HEADROOM_BYTES + SHARED_INFO_BYTES).next_power_of_two() + DESCRIPTOR_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.1.192 in virtual time: `SK_MEMINFO_WMEM_QUEUED` of a connection whose SYN is out, and
    /// `SK_MEMINFO_SNDBUF` of a CUBIC's with ten segments, at MTU 1500 and 9000.
    #[test]
    fn a_socket_counts_as_the_kernels_does() {
        assert_eq!(EMPTY_BYTES, 768);
        assert_eq!((20 * segment(1_460), 20 * segment(8_960)), (46_080, 332_800));
    }
}
