//! [`Frames`]: frames of a managed queue, which leave it in the order in which they came.

use crate::net::line::make_room;
use crate::net::packet::Packet;
use std::collections::VecDeque;
use units::Time;

/// A frame that waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queued {
    pub packet: Packet,
    /// When it came.
    pub since: Time,
}

/// Frames in the order in which they came, and their bytes.
#[derive(Debug, Default)]
pub struct Frames {
    ring: VecDeque<Queued>,
    bytes: u64,
}

impl Frames {
    /// A frame comes.
    #[inline]
    pub fn push(&mut self, packet: &Packet, since: Time) {
        make_room(&mut self.ring);
        self.bytes += u64::from(packet.frame_bytes);
        self.ring.push_back(Queued { packet: *packet, since });
    }

    /// The first one is taken into `out`, if there is one. It is copied as it lies, and not as an option, which is taken apart
    /// and put together again.
    #[inline]
    pub fn pop(&mut self, out: &mut Queued) -> bool {
        let Some(first) = self.ring.front() else { return false };
        *out = *first;
        self.ring.pop_front();
        self.bytes -= u64::from(out.packet.frame_bytes);
        true
    }

    /// Their bytes.
    #[inline]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Their number.
    #[inline]
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// There is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The first one.
    #[inline]
    pub fn first(&self) -> Option<&Queued> {
        self.ring.front()
    }

    /// All of them, in order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.ring.iter().map(|frame| &frame.packet)
    }
}
