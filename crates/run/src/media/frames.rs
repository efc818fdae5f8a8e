//! [`Frames`]: what became of the frames of a media source.

use crate::{Histogram, MediaFrames};
use std::ops::Range;

/// The frames of one source, in the order of their capture.
#[derive(Debug, Default)]
pub struct Frames {
    frames: Vec<Frame>,
    /// Packets of all of them.
    packets: u32,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    captured_ns: u64,
    /// Number of its first packet.
    first: u32,
    /// Packets that have not arrived.
    missing: u32,
    /// When the last one did.
    complete_ns: Option<u64>,
}

impl Frames {
    /// A frame of so many packets was captured.
    pub fn capture(&mut self, packets: u32, at_ns: u64) {
        self.frames.push(Frame { captured_ns: at_ns, first: self.packets, missing: packets, complete_ns: None });
        self.packets += packets;
    }

    /// The packet with this number has arrived, for the first time.
    pub fn arrive(&mut self, number: u32, at_ns: u64) {
        let behind = self.frames.partition_point(|frame| frame.first <= number);
        if let Some(frame) = behind.checked_sub(1).map(|place| &mut self.frames[place]) {
            frame.missing -= 1;
            frame.complete_ns = (frame.missing == 0).then_some(at_ns);
        }
    }

    /// Those that were captured in the window, as far as it is known at an instant whether they are late.
    pub fn within(&self, window: &Range<u64>, deadline_ns: u64, now_ns: u64) -> MediaFrames {
        let (mut captured, mut late, mut delay) = (0, 0, Histogram::default());
        for frame in self.frames.iter().filter(|frame| window.contains(&frame.captured_ns)) {
            let due_ns = frame.captured_ns + deadline_ns;
            if frame.complete_ns.is_none() && due_ns > now_ns {
                continue; // under way
            }
            captured += 1;
            late += u64::from(frame.complete_ns.is_none_or(|complete_ns| complete_ns > due_ns));
            frame.complete_ns.iter().for_each(|complete_ns| delay.record(complete_ns - frame.captured_ns));
        }
        MediaFrames { captured, late, delay }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_complete_with_its_last_packet() {
        let mut frames = Frames::default();
        for (packets, at_ns) in [(2, 100), (1, 130), (3, 160), (1, 190), (1, 230)] {
            frames.capture(packets, at_ns);
        }
        // The first in time, the second late, of the third one packet is lost, the fourth is before the window's end.
        for (number, at_ns) in [(1, 120), (2, 190), (0, 140), (3, 170), (5, 180), (6, 200)] {
            frames.arrive(number, at_ns);
        }
        let known = |now_ns| {
            let MediaFrames { captured, late, delay } = frames.within(&(100..200), 50, now_ns);
            (captured, late, delay.count, delay.sum)
        };
        assert_eq!(known(200), (3, 1, 3, 40 + 60 + 10), "the third one may still come");
        assert_eq!(known(210), (4, 2, 3, 40 + 60 + 10));
        assert_eq!(frames.within(&(0..50), 50, 300), MediaFrames::default());
    }
}
