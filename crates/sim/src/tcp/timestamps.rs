//! [`RecentStamp`]: the newest timestamp that came in order (RFC 7323 sections 4.3 and 5).

/// `TCP_PAWS_WINDOW`, ms: what is older by no more than this was overtaken, and is taken all the same.
const PAWS_WINDOW_MS: i32 = 1;

/// RFC 7323's TS.Recent, ms of the other host's clock: what is echoed, and what nothing may be older than. 0: none has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentStamp(u32);

impl RecentStamp {
    /// The timestamp to echo.
    pub const fn ms(self) -> u32 {
        self.0
    }

    /// By how much a segment is older; below 0: it is newer.
    pub const fn lag_ms(self, stamp_ms: u32) -> i32 {
        self.0.wrapping_sub(stamp_ms).cast_signed()
    }

    /// A segment is not older.
    #[inline(always)]
    pub const fn admits(self, stamp_ms: u32) -> bool {
        self.lag_ms(stamp_ms) <= 0
    }

    /// A segment is so old that it may be of another time, when sequence numbers were the same (RFC 7323 section 5.3, rule R1; Linux 6.1
    /// `tcp_paws_check`).
    #[inline]
    pub const fn rejects(self, stamp_ms: u32) -> bool {
        self.0 != 0 && self.lag_ms(stamp_ms) > PAWS_WINDOW_MS
    }

    /// A segment that it admits moves it.
    #[inline(always)]
    pub const fn set(&mut self, stamp_ms: u32) {
        self.0 = stamp_ms;
    }

    /// A segment came that may move it (RFC 7323 section 5.3, rule R3; Linux 6.1 `tcp_replace_ts_recent`).
    #[inline(always)]
    pub const fn update(&mut self, stamp_ms: u32) {
        if self.admits(stamp_ms) {
            self.set(stamp_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_wraps_goes_on() {
        let mut recent = RecentStamp::default();
        recent.update(u32::MAX - 1);
        recent.update(2);
        assert_eq!(recent.ms(), 2);
        recent.update(1);
        assert_eq!(recent.ms(), 2);
        assert_eq!([2, 1, 0, u32::MAX].map(|stamp_ms| recent.rejects(stamp_ms)), [false, false, true, true]);
    }
}
