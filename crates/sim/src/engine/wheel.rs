//! The coarse clock that Linux's timers run on.

use units::{Span, Time};

/// When a timer set at `now` for `delay_ms` fires under Linux's timer wheel at HZ = 1000: it counts whole
/// milliseconds, and rounds up to 1 ms below 64 ms, to 8 ms below 512 ms, and so on, each level eight times coarser
/// (Linux 6.1 `calc_wheel_index`: never early, late by up to one granule).
pub fn on_wheel(now: Time, delay_ms: u64) -> Time {
    const LEVEL_BITS: u32 = 6;
    const SHIFT_PER_LEVEL: u32 = 3;
    let expires = now.as_millis() + delay_ms;
    let mut shift = 0;
    // Level n holds timers of less than 63 granules (LVL_START): its last slot is the next level's first.
    while delay_ms >> shift >= (1 << LEVEL_BITS) - 1 {
        shift += SHIFT_PER_LEVEL;
    }
    let granule = (expires >> shift) + 1;
    Time::ZERO + Span::from_millis(granule << shift)
}

/// Milliseconds to wait for at least `micros` (Linux: `usecs_to_jiffies`, which rounds up).
pub const fn jiffies(micros: u64) -> u64 {
    micros.div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(value: u64) -> Time {
        Time::from_nanos(value * 1_000_000)
    }

    #[test]
    fn the_wheel_is_never_early_and_at_most_a_granule_late() {
        assert_eq!(on_wheel(ms(100), 40), ms(141));
        assert_eq!(on_wheel(Time::from_nanos(100_999_999), 40), ms(141));
        assert_eq!(on_wheel(ms(100), 225), ms(328)); // 325 ms, rounded up to a multiple of 8
        assert_eq!(on_wheel(ms(0), 1_000), ms(1_024));
    }
}
