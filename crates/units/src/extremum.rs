//! The extremum of a quantity over a sliding window, in constant memory (Kathleen Nichols' algorithm; Linux:
//! `lib/minmax.c`).
//!
//! Three samples are kept: the best of the window, the best since that one, and the best since the second, so
//! that when the first grows too old a successor is at hand. Where the second or third choice would be as old as
//! the one before, a newer sample takes its place after a quarter and after half of the window. The answer is exact
//! while values fall or rise steadily and may forget a lone middle-aged extremum: an approximation that the
//! algorithms above it were tuned with.

/// A sample and its time, in any unit that does not fall.
#[derive(Clone, Copy, Debug)]
struct Sample<V> {
    at: u64,
    value: V,
}

/// The greatest value of the last `window` units of time; with [`std::cmp::Reverse`] the smallest.
#[derive(Clone, Copy, Debug)]
pub struct WindowedExtremum<V> {
    window: u64,
    choices: [Sample<V>; 3],
}

impl<V: Copy + Ord> WindowedExtremum<V> {
    /// Empty, as if `least` had been seen at time 0.
    pub const fn new(window: u64, least: V) -> Self {
        Self { window, choices: [Sample { at: 0, value: least }; 3] }
    }

    /// The extremum.
    pub const fn get(&self) -> V {
        self.choices[0].value
    }

    /// Takes in a sample; `at` may not be earlier than the last.
    #[inline]
    pub fn insert(&mut self, at: u64, value: V) {
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
    fn age(&mut self, new: Sample<V>) {
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

    fn promote(&mut self, new: Sample<V>) {
        self.choices = [self.choices[1], self.choices[2], new];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;

    #[test]
    fn a_new_extremum_wins_at_once() {
        let (mut largest, mut smallest) = (WindowedExtremum::new(10, 0), WindowedExtremum::new(10, Reverse(u32::MAX)));
        for (at, value) in [(1, 5), (2, 9), (3, 1), (4, 6)] {
            largest.insert(at, value);
            smallest.insert(at, Reverse(value));
        }
        assert_eq!((largest.get(), smallest.get()), (9, Reverse(1)));
    }

    #[test]
    fn an_extremum_lasts_for_the_window_and_is_then_replaced_by_the_best_since() {
        let (mut largest, mut smallest) = (WindowedExtremum::new(10, 0), WindowedExtremum::new(10, Reverse(u32::MAX)));
        largest.insert(0, 100);
        smallest.insert(0, Reverse(10));
        for at in 1..=10 {
            largest.insert(at, 50);
            smallest.insert(at, Reverse(50));
            assert_eq!((largest.get(), smallest.get()), (100, Reverse(10)), "at {at}");
        }
        largest.insert(11, 40);
        smallest.insert(11, Reverse(60));
        assert_eq!((largest.get(), smallest.get()), (50, Reverse(50)));
    }

    #[test]
    fn after_a_silence_longer_than_the_window_only_the_new_sample_counts() {
        let mut largest = WindowedExtremum::new(10, 0);
        largest.insert(0, 100);
        largest.insert(5, 60);
        largest.insert(16, 1);
        assert_eq!(largest.get(), 1);
    }

    #[test]
    fn steadily_falling_values_are_followed_within_the_window() {
        let mut largest = WindowedExtremum::new(8, 0);
        for at in 0..100u32 {
            largest.insert(u64::from(at), 1_000 - at);
            let oldest_in_window = 1_000 - at.saturating_sub(8);
            assert!(largest.get() <= oldest_in_window && largest.get() >= 1_000 - at, "at {at}");
        }
    }
}
