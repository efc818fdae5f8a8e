//! Short transfers as they arrive: times and sizes have a random stream each, so that another load moves the same transfers
//! together or apart, and other sizes come at the same times.

use super::stream::Shares;
use libm::log;
use run::Sizes;

const NS_PER_S: f64 = 1e9;

/// Arrivals by chance, a Poisson process, with their sizes.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// The run's.
    pub(crate) seed: u64,
    /// The source's.
    pub(crate) name: String,
    /// So many a second, in the mean.
    pub(crate) per_s: f64,
    /// How large they are.
    pub(crate) sizes: Sizes,
    /// None arrives from here on; None: however late.
    pub(crate) end_ns: Option<u64>,
    /// So many at most; None: however many.
    pub(crate) count: Option<usize>,
}

/// Sizes of transfers whose times are known.
#[derive(Clone, Debug)]
pub(crate) struct SizesOf {
    /// The run's.
    pub(crate) seed: u64,
    /// The source's.
    pub(crate) name: String,
    /// How large they are.
    pub(crate) sizes: Sizes,
    /// How many.
    pub(crate) count: usize,
}

/// Arrivals that never end.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("arrivals need a rate, and an end or a count")]
pub(crate) struct Endless;

impl Arrivals {
    /// When each arrives, ns after the source's start, and its bytes.
    ///
    /// # Errors
    /// When they would never end, or time would not go on.
    pub(crate) fn drawn(self) -> Result<Vec<(u64, u64)>, Endless> {
        let Self { seed, name, per_s, sizes, end_ns, count } = self;
        if !(per_s.is_finite() && per_s > 0.0) || (end_ns.is_none() && count.is_none()) {
            return Err(Endless);
        }
        let before_the_end = |at_ns: &u64| end_ns.is_none_or(|end_ns| *at_ns < end_ns);
        let times = times_ns(seed, &name, per_s).take_while(before_the_end);
        Ok(times.zip(bytes(seed, &name, sizes)).take(count.unwrap_or(usize::MAX)).collect())
    }
}

impl SizesOf {
    /// The bytes of each.
    pub(crate) fn drawn(self) -> Vec<u64> {
        bytes(self.seed, &self.name, self.sizes).take(self.count).collect()
    }
}

fn times_ns(seed: u64, name: &str, per_s: f64) -> impl Iterator<Item = u64> {
    let mut waited = 0.0; // in mean gaps: another rate stretches the same process
    Shares::new("times", seed, name).map(move |share| {
        waited -= log(share);
        (waited * NS_PER_S / per_s).round_ties_even() as u64
    })
}

fn bytes(seed: u64, name: &str, sizes: Sizes) -> impl Iterator<Item = u64> {
    Shares::new("sizes", seed, name).map(move |share| sizes.bytes_at(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_by_chance_are_a_poisson_process() {
        let (count, per_s) = (20_000, 50.0);
        let arrivals = Arrivals {
            seed: 1,
            name: "web".to_owned(),
            per_s,
            sizes: Sizes::Fixed(1),
            end_ns: None,
            count: Some(count),
        };
        let times: Vec<f64> =
            arrivals.drawn().expect("they end").iter().map(|(at_ns, _)| *at_ns as f64 / NS_PER_S).collect();
        assert_eq!(times.len(), count);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = |values: &dyn Fn(f64) -> f64| gaps.iter().map(|gap| values(*gap)).sum::<f64>() / gaps.len() as f64;
        assert!((mean(&|gap| gap) * per_s - 1.0).abs() < 0.03);
        assert!((mean(&|gap| gap * gap) * per_s * per_s / 2.0 - 1.0).abs() < 0.06, "exponential");
        let long = mean(&|gap| f64::from(gap > 2.0 / per_s));
        assert!((long - (-2.0_f64).exp()).abs() < 0.01, "{long}");
    }

    #[test]
    fn they_end_with_their_number_or_their_time() {
        let drawn = |end_ns, count| {
            let name = "web".to_owned();
            Arrivals { seed: 1, name, per_s: 100.0, sizes: Sizes::Fixed(1), end_ns, count }.drawn().expect("they end")
        };
        let timed = drawn(Some(10_000_000_000), None);
        assert!((900..1100).contains(&timed.len()), "{}", timed.len());
        assert!(timed.last().is_some_and(|(at_ns, _)| *at_ns < 10_000_000_000));
        assert_eq!(drawn(None, Some(17)), timed[..17]);
        assert_eq!(drawn(Some(10_000_000_000), Some(17)), timed[..17]);
    }
}
