//! Conversions to a narrower type, each named by what bounds its value. No other place cuts a number off.

use crate::Segments;

/// The low 32 bits of a number that lies near to another one, from which the rest is known, as with RFC 1982's serial
/// numbers: cut off on purpose.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "to cut off is what it is for")]
pub const fn low_bits(number: u64) -> u32 {
    number as u32
}

/// What is counted in steps of which `steps` are one, and is at most one, in 1/1,000,000, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "one is a million")]
pub const fn millionths(count: u64, steps: u64) -> u32 {
    (count * 1_000_000 / steps) as u32
}

/// Segments of one window, or of a part of it: Linux counts them in 32 bits, as the window itself.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a window has fewer")]
pub const fn window_segments(count: u64) -> Segments {
    debug_assert!(count <= Segments::MAX as u64);
    count as Segments
}

/// Payload bytes of one burst: what a host hands over in one piece is below 64 KiB, or one segment.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a burst has fewer")]
pub const fn burst_bytes(bytes: u64) -> u32 {
    debug_assert!(bytes <= u32::MAX as u64);
    bytes as u32
}

/// The place of a number in a ring that has so many slots, a power of two: its low bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "to cut off is what it is for")]
pub const fn ring_slot(number: u64, slots: usize) -> usize {
    debug_assert!(slots.is_power_of_two());
    number as usize & (slots - 1)
}

/// An index into a list that lives in memory, with far fewer than 2^32 entries.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a list has fewer entries")]
pub const fn list_place(index: usize) -> u32 {
    debug_assert!(index < u32::MAX as usize);
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_and_slots_cut_off_and_the_others_keep_their_value() {
        let number = (7 << 32) + 5;
        assert_eq!((low_bits(number), ring_slot(number, 4), ring_slot(number, 1)), (5, 1, 0));
        assert_eq!((window_segments(9), burst_bytes(65_535), list_place(3)), (9, 65_535, 3));
    }

    #[test]
    #[cfg(debug_assertions)]
    fn a_number_beyond_its_bound_is_a_panic_in_debug_builds() {
        for wrong in [
            || _ = window_segments(1 << 32),
            || _ = burst_bytes(1 << 32),
            || _ = ring_slot(1, 3),
            || _ = list_place(u32::MAX as usize),
        ] as [fn(); 4]
        {
            assert!(std::panic::catch_unwind(wrong).is_err());
        }
    }
}
