//! A windowed maximum in constant space (Kathleen Nichols' algorithm; Linux: `lib/minmax.c`).
//!
//! Three samples are kept: the best of the window, the best since that one, and the best since the second, so
//! that when the first grows too old a successor is at hand. Where the second or third choice would be as old as
//! the one before, a newer sample takes its place after a quarter and after half of the window. The answer is exact
//! while values fall or rise steadily and may forget a lone middle-aged maximum: an approximation that the
//! algorithms above it were tuned with.

/// A sample and its time, in any unit that does not fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    at: u64,
    value: u32,
}

/// The largest value of the last `window` units of time.
#[derive(Clone, Debug)]
pub(crate) struct WindowedMax {
    window: u64,
    choices: [Sample; 3],
}

impl WindowedMax {
    /// Empty, as if 0 had been seen at time 0.
    pub(crate) fn new(window: u64) -> Self {
        Self { window, choices: [Sample::default(); 3] }
    }

    /// The maximum.
    pub(crate) fn get(&self) -> u32 {
        self.choices[0].value
    }

    /// Takes in a sample; `at` may not be earlier than the last.
    pub(crate) fn insert(&mut self, at: u64, value: u32) {
        let new = Sample { at, value };
        let [best, second, third] = self.choices;
        let nothing_left = at - third.at > self.window;
        if value >= best.value || nothing_left {
            self.choices = [new; 3];
            return;
        }
        if value >= second.value {
            self.choices = [best, new, new];
        } else if value >= third.value {
            self.choices[2] = new;
        }
        self.age(new);
    }

    /// Drops what has left the window and keeps the choices apart in time.
    fn age(&mut self, new: Sample) {
        let age = new.at - self.choices[0].at;
        if age > self.window {
            self.promote(new);
            if new.at - self.choices[0].at > self.window {
                self.promote(new);
            }
        } else if self.choices[1].at == self.choices[0].at && age > self.window / 4 {
            self.choices[1] = new;
            self.choices[2] = new;
        } else if self.choices[2].at == self.choices[1].at && age > self.window / 2 {
            self.choices[2] = new;
        }
    }

    fn promote(&mut self, new: Sample) {
        self.choices = [self.choices[1], self.choices[2], new];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_maximum_wins_at_once() {
        let mut filter = WindowedMax::new(10);
        filter.insert(1, 5);
        filter.insert(2, 9);
        filter.insert(3, 1);
        assert_eq!(filter.get(), 9);
    }

    #[test]
    fn a_maximum_lasts_for_the_window_and_no_longer() {
        let mut filter = WindowedMax::new(10);
        filter.insert(0, 100);
        for at in 1..=10 {
            filter.insert(at, 50);
            assert_eq!(filter.get(), 100, "at {at}");
        }
        filter.insert(11, 50);
        assert_eq!(filter.get(), 50);
    }

    #[test]
    fn after_a_silence_longer_than_the_window_only_the_new_sample_counts() {
        let mut filter = WindowedMax::new(10);
        filter.insert(0, 100);
        filter.insert(5, 60);
        filter.insert(16, 1);
        assert_eq!(filter.get(), 1);
    }

    #[test]
    fn steadily_falling_values_are_followed_within_the_window() {
        let mut filter = WindowedMax::new(8);
        for at in 0..100u32 {
            filter.insert(u64::from(at), 1_000 - at);
            let oldest_in_window = 1_000 - at.saturating_sub(8);
            assert!(filter.get() <= oldest_in_window && filter.get() >= 1_000 - at, "at {at}");
        }
    }
}
