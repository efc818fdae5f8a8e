//! The minimum of a quantity over a sliding window of time, in constant memory (K. Nichols, as `lib/win_minmax.c`
//! of Linux describes it): the best value, and the best of the rest of the window, and of the rest of that.

/// One sample: when, and what.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at_ms: u64,
    value: u32,
}

/// A windowed minimum.
#[derive(Clone, Copy, Debug)]
pub struct WindowedMinimum {
    best: [Sample; 3],
    window_ms: u64,
}

impl WindowedMinimum {
    /// No sample yet: the minimum is `u32::MAX`.
    pub const fn new(window_ms: u64) -> Self {
        Self { best: [Sample { at_ms: 0, value: u32::MAX }; 3], window_ms }
    }

    /// The minimum.
    pub const fn get(&self) -> u32 {
        self.best[0].value
    }

    /// Adds a sample.
    pub const fn update(&mut self, at_ms: u64, value: u32) {
        let sample = Sample { at_ms, value };
        if value <= self.best[0].value || at_ms - self.best[2].at_ms > self.window_ms {
            self.best = [sample; 3];
            return;
        }
        if value <= self.best[1].value {
            self.best[1] = sample;
            self.best[2] = sample;
        } else if value <= self.best[2].value {
            self.best[2] = sample;
        }
        let age = at_ms - self.best[0].at_ms;
        if age > self.window_ms {
            // The best one expired: its successors move up.
            self.best = [self.best[1], self.best[2], sample];
            if at_ms - self.best[0].at_ms > self.window_ms {
                self.best = [self.best[1], sample, sample];
            }
        } else if self.best[1].at_ms == self.best[0].at_ms && age > self.window_ms / 4 {
            // A quarter of the window without a second choice: take one from the present.
            self.best[1] = sample;
            self.best[2] = sample;
        } else if self.best[2].at_ms == self.best[1].at_ms && age > self.window_ms / 2 {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_is_kept_for_its_window_and_then_replaced_by_the_best_since() {
        let mut minimum = WindowedMinimum::new(1_000);
        minimum.update(0, 10);
        for at in (100..=1_000).step_by(100) {
            minimum.update(at, 20);
            assert_eq!(minimum.get(), 10, "{at}");
        }
        minimum.update(1_001, 30);
        assert_eq!(minimum.get(), 20);
    }

    #[test]
    fn a_smaller_value_counts_at_once() {
        let mut minimum = WindowedMinimum::new(1_000);
        for (at, value) in [(0, 30), (10, 20), (20, 25)] {
            minimum.update(at, value);
        }
        assert_eq!(minimum.get(), 20);
    }
}
