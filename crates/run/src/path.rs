//! What follows from a path's fields: sizes of frames and segments, round-trip times.

use crate::{ETHERNET_HEADER_BYTES, Flow, Hop, Path};

/// Headers of a data segment within the MTU: IP 20, TCP 20, timestamps 12 bytes.
pub const SEGMENT_HEADERS_BYTES: u32 = 52;
/// Headers of a data segment on a host's link.
pub const FRAME_HEADERS_BYTES: u32 = ETHERNET_HEADER_BYTES + SEGMENT_HEADERS_BYTES;

impl Path {
    /// A full frame, as the bottleneck counts it.
    pub const fn frame_bytes(&self) -> u64 {
        self.mtu_bytes as u64 + self.overhead_bytes as u64
    }

    /// A full frame, as a host's link counts it.
    pub const fn ethernet_frame_bytes(&self) -> u64 {
        self.mtu_bytes as u64 + ETHERNET_HEADER_BYTES as u64
    }

    /// What the bottleneck counts a frame beyond what a host's link does.
    pub const fn extra_bytes(&self) -> i32 {
        self.overhead_bytes as i32 - ETHERNET_HEADER_BYTES as i32
    }

    /// Payload of a full segment.
    pub const fn mss_bytes(&self) -> u32 {
        self.mtu_bytes - SEGMENT_HEADERS_BYTES
    }
}

impl Hop {
    /// What it counts a frame beyond what a host's link does.
    pub const fn extra_bytes(&self) -> i32 {
        self.overhead_bytes as i32 - ETHERNET_HEADER_BYTES as i32
    }
}

impl Flow {
    /// Round-trip time of an empty path, without transmission.
    pub const fn base_rtt_ns(&self) -> u64 {
        self.forward_delay_ns + self.return_delay_ns
    }
}
