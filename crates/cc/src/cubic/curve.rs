//! CUBIC's growth: what one segment of window costs in acknowledged segments, from the cubic function and from
//! the estimate of Reno's window (RFC 9438 sections 4.2 to 4.5; Linux 6.1 bictcp_update).

use units::{Segments, saturating_product};

use crate::parameter::Values;

/// `BICTCP_BETA_SCALE`: denominator of beta.
pub(super) const BETA_SCALE: u64 = 1_024;
/// The curve's time unit is 2^-10 s (Linux: `BICTCP_HZ`).
const TIME_BITS: u32 = 10;
/// C's denominator is 2^10, and a product with three times is shifted back by this.
const CUBE_BITS: u32 = 10 + 3 * TIME_BITS;
/// Below the target by nothing: one segment per this many windows, "a very small increment" of Linux 6.1.
const STANDSTILL_WINDOWS: Segments = 100;

/// The constants of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    beta_1024ths: u16,
    friendly: bool,
    /// C in 1/1024.
    c_1024ths: u32,
    /// 2^40 / `c_1024ths`: K^3 for one segment between the window and its maximum.
    cube_factor: u64,
    /// Acknowledged segments per segment of Reno's window, in eighths of the window.
    reno_price_8ths: u32,
    initial_price: Segments,
    min_price: Segments,
    update_interval_ms: u64,
}

impl Shape {
    pub(super) fn new(values: &Values<'_>) -> Self {
        // Linux configures C/10 in 1/1024 (`bic_scale`): the "srtt" of 100 ms folded in.
        let c_1024ths = 10 * values.rounded("c", BETA_SCALE as f64 / 10.0).max(1);
        let beta = values.rounded("beta", BETA_SCALE as f64);
        let scale = BETA_SCALE as u32;
        Self {
            beta_1024ths: beta as u16,
            friendly: values.switch("friendly"),
            c_1024ths,
            cube_factor: (1 << CUBE_BITS) / u64::from(c_1024ths),
            // 8 / alpha = 8 (1 + beta) / (3 (1 - beta)): RFC 9438 equation 4 with alpha = 0.53 for beta = 0.7.
            reno_price_8ths: (8 * (scale + beta) / 3 / (scale - beta)).max(1),
            initial_price: values.integer("initial_growth_price"),
            min_price: values.integer("growth_price_min"),
            update_interval_ms: u64::from(values.integer("update_interval_ms")),
        }
    }

    pub(super) fn beta_1024ths(&self) -> u16 {
        self.beta_1024ths
    }

    /// C |t|^3 in segments, t in 1/1024 s.
    fn cube(&self, t: u64) -> Segments {
        let cube = saturating_product(saturating_product(t, t), t);
        (saturating_product(cube, u64::from(self.c_1024ths)) >> CUBE_BITS) as Segments
    }
}

/// Which rule set the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Region {
    /// Reno would grow faster (RFC 9438 section 4.3).
    RenoFriendly,
    /// Below the old maximum (section 4.4).
    #[default]
    Concave,
    /// Above it (section 4.5).
    Convex,
}

/// From one congestion to the next.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start_ms: u64,
    /// Time from the epoch's start to the plateau, in 1/1024 s.
    k: u64,
    /// Window of the plateau.
    origin: Segments,
}

/// The state of growth. A timeout resets all of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Curve {
    epoch: Option<Epoch>,
    w_max: Segments,
    price: Segments,
    region: Region,
    last_cwnd: Segments,
    last_update_ms: u64,
    /// Segments acknowledged since Reno's window last grew.
    reno_acked: Segments,
    /// The window that Reno would have now.
    reno_cwnd: Segments,
}

impl Curve {
    /// Segments to be acknowledged for one segment of growth, after `acked` more have been.
    pub(super) fn price(
        &mut self,
        shape: &Shape,
        now_ms: u64,
        delay_min_us: u32,
        cwnd: Segments,
        acked: Segments,
    ) -> Segments {
        self.reno_acked += acked;
        let since_update = now_ms - self.last_update_ms;
        if cwnd == self.last_cwnd && since_update <= shape.update_interval_ms {
            return self.price;
        }
        // The cubic function knows time in milliseconds: within one it has nothing new to say.
        if self.epoch.is_none() || since_update > 0 {
            self.last_cwnd = cwnd;
            self.last_update_ms = now_ms;
            let epoch = match self.epoch {
                Some(epoch) => epoch,
                None => self.begin_epoch(shape, now_ms, cwnd, acked),
            };
            self.follow_cubic(shape, &epoch, now_ms, delay_min_us, cwnd);
        }
        if shape.friendly {
            self.follow_reno(shape, cwnd);
        }
        self.price = self.price.max(shape.min_price);
        self.price
    }

    fn begin_epoch(&mut self, shape: &Shape, now_ms: u64, cwnd: Segments, acked: Segments) -> Epoch {
        self.reno_acked = acked;
        self.reno_cwnd = cwnd;
        let below = self.w_max.saturating_sub(cwnd);
        let k = if below > 0 { cube_root(shape.cube_factor.saturating_mul(u64::from(below))) } else { 0 };
        *self.epoch.insert(Epoch { start_ms: now_ms, k, origin: self.w_max.max(cwnd) })
    }

    /// RFC 9438 sections 4.4 and 4.5: aim at W(t + RTT).
    fn follow_cubic(&mut self, shape: &Shape, epoch: &Epoch, now_ms: u64, delay_min_us: u32, cwnd: Segments) {
        let rtt_ms = u64::from(delay_min_us.div_ceil(1_000));
        let t = ((now_ms - epoch.start_ms + rtt_ms) << TIME_BITS) / 1_000;
        let distance = shape.cube(t.abs_diff(epoch.k));
        let target = if t < epoch.k {
            self.region = Region::Concave;
            epoch.origin.saturating_sub(distance)
        } else {
            self.region = Region::Convex;
            epoch.origin.saturating_add(distance)
        };
        self.price = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(STANDSTILL_WINDOWS) };
        // A flat start of the curve suits a path whose capacity was met before; of this one nothing is known.
        if self.w_max == 0 {
            self.price = self.price.min(shape.initial_price);
        }
    }

    /// RFC 9438 section 4.3: no slower than Reno, whose window is estimated by counting what was acknowledged.
    fn follow_reno(&mut self, shape: &Shape, cwnd: Segments) {
        let price = (cwnd.saturating_mul(shape.reno_price_8ths) >> 3).max(1);
        while self.reno_acked > price {
            self.reno_acked -= price;
            self.reno_cwnd += 1;
        }
        if self.reno_cwnd > cwnd {
            let highest = cwnd / (self.reno_cwnd - cwnd);
            if self.price > highest {
                self.price = highest;
                self.region = Region::RenoFriendly;
            }
        }
    }

    /// Congestion: a new curve begins with the next growth.
    pub(super) fn end_epoch(&mut self) {
        self.epoch = None;
    }

    /// Moves the epoch by an idle time, so that the window goes on from where it was on the curve.
    pub(super) fn skip_idle(&mut self, from_ms: u64, to_ms: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start_ms = (epoch.start_ms + to_ms.saturating_sub(from_ms)).min(to_ms);
        }
    }

    /// When the epoch began, ms; `None` between a congestion and the next growth.
    pub(super) fn epoch_start_ms(&self) -> Option<u64> {
        self.epoch.map(|epoch| epoch.start_ms)
    }

    pub(super) fn w_max(&self) -> Segments {
        self.w_max
    }

    pub(super) fn set_w_max(&mut self, w_max: Segments) {
        self.w_max = w_max;
    }

    pub(super) fn region(&self) -> Region {
        self.region
    }
}

/// The largest whole number whose cube is not above `x`, digit by digit in base 2.
fn cube_root(x: u64) -> u64 {
    let mut rest = x;
    let mut root: u64 = 0;
    for shift in (0..64).step_by(3).rev() {
        root *= 2;
        let step = 3 * root * (root + 1) + 1;
        if rest >> shift >= step {
            rest -= step << shift;
            root += 1;
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;
    use crate::cubic::ALGORITHM;
    use crate::growth::CwndCounter;

    /// A window that climbs a curve, one segment acknowledged at a time.
    struct Climb {
        shape: Shape,
        curve: Curve,
        window: Window,
        counter: CwndCounter,
        rtt_ms: f64,
        now_ms: f64,
    }

    impl Climb {
        fn new(given: &[(&str, f64)], w_max: Segments, cwnd: Segments, rtt_ms: u32) -> Self {
            let mut curve = Curve::default();
            curve.set_w_max(w_max);
            Self {
                shape: ALGORITHM.with(given, Shape::new),
                curve,
                window: Window { cwnd, ssthresh: cwnd },
                counter: CwndCounter::default(),
                rtt_ms: f64::from(rtt_ms),
                now_ms: 5_000.0,
            }
        }

        /// A window acknowledged over a round-trip time.
        fn round(&mut self) -> Segments {
            let segments = self.window.cwnd;
            for _ in 0..segments {
                self.now_ms += self.rtt_ms / f64::from(segments);
                let (now_ms, rtt_us) = (self.now_ms as u64, self.rtt_ms as u32 * 1_000);
                let price = self.curve.price(&self.shape, now_ms, rtt_us, self.window.cwnd, 1);
                self.counter.add(&mut self.window, price, 1);
            }
            self.window.cwnd
        }
    }

    #[test]
    fn the_cube_root_is_exact() {
        for root in [1, 2, 3, 9, 10, 99, 1_000, 46_341, 1 << 20, 2_642_245] {
            let cube: u64 = root * root * root;
            assert_eq!([cube - 1, cube, cube + 1].map(cube_root), [root - 1, root, root]);
        }
        assert_eq!([0, u64::MAX].map(cube_root), [0, 2_642_245]);
    }

    #[test]
    fn the_window_follows_the_cubic_function_through_its_plateau() {
        let (w_max, cwnd) = (1_000, 700);
        let mut climb = Climb::new(&[("friendly", 0.0)], w_max, cwnd, 50);
        let c = 410.0 / 1_024.0;
        let k = (f64::from(w_max - cwnd) / c).cbrt();
        let start = climb.now_ms;
        let mut regions = Vec::new();
        while climb.now_ms - start < 2.0 * k * 1_000.0 {
            let cwnd = f64::from(climb.round());
            let t = (climb.now_ms - start) / 1_000.0;
            let expected = c * (t - k).powi(3) + f64::from(w_max);
            assert!((cwnd - expected).abs() < 0.01 * expected, "after {t} s: {cwnd} for {expected}");
            regions.push(climb.curve.region());
        }
        assert!(climb.window.cwnd > 1_250);
        regions.dedup();
        assert_eq!(regions, [Region::Concave, Region::Convex]);
    }

    #[test]
    fn a_steeper_curve_is_at_its_plateau_earlier() {
        let rounds_to_plateau = |c| {
            let mut climb = Climb::new(&[("c", c), ("friendly", 0.0)], 1_000, 700, 50);
            (1..).find(|_| climb.round() >= 999).unwrap()
        };
        assert!(f64::from(rounds_to_plateau(3.2)) < 0.6 * f64::from(rounds_to_plateau(0.4)));
    }

    #[test]
    fn on_a_short_path_the_window_grows_as_renos() {
        // 100 round trips of 10 ms: the curve would add 0.4 segments in this second.
        let mut climb = Climb::new(&[], 50, 50, 10);
        (0..100).for_each(|_| _ = climb.round());
        // RFC 9438 section 4.3: alpha = 3 (1 - beta) / (1 + beta), here 8/15.
        let slope = f64::from(climb.window.cwnd - 50) / 100.0;
        assert!((0.50..=0.54).contains(&slope), "{slope} segments a round trip");
        assert_eq!(climb.curve.region(), Region::RenoFriendly);
        let mut unfriendly = Climb::new(&[("friendly", 0.0)], 50, 50, 10);
        (0..100).for_each(|_| _ = unfriendly.round());
        assert!(unfriendly.window.cwnd <= 52);
    }

    #[test]
    fn a_round_trip_grows_the_window_by_half_at_most() {
        let mut climb = Climb::new(&[("c", 100.0)], 100_000, 100, 200);
        for _ in 0..8 {
            let before = climb.window.cwnd;
            let after = climb.round();
            assert!(after <= before + before.div_ceil(2), "{before} to {after}");
        }
        assert!(climb.window.cwnd > 1_500);
    }

    #[test]
    fn before_a_first_maximum_a_round_trip_adds_a_twentieth() {
        let mut climb = Climb::new(&[("friendly", 0.0)], 0, 1_000, 20);
        climb.round();
        assert!((1_045..=1_052).contains(&climb.window.cwnd), "{}", climb.window.cwnd);
    }

    #[test]
    fn while_the_window_stands_the_price_stands_for_31_ms() {
        let mut climb = Climb::new(&[("friendly", 0.0)], 2_000, 1_000, 20);
        let mut price = |now_ms| climb.curve.price(&climb.shape, now_ms, 20_000, 1_000, 1);
        let first = price(10_000);
        assert_eq!(price(10_031), first);
        assert_ne!(price(10_032), first);
    }

    #[test]
    fn idle_time_is_not_time_on_the_curve() {
        let price_at = |climb: &mut Climb, now_ms| climb.curve.price(&climb.shape, now_ms, 20_000, 1_000, 1);
        let mut busy = Climb::new(&[("friendly", 0.0)], 2_000, 1_000, 20);
        let mut climb = Climb::new(&[("friendly", 0.0)], 2_000, 1_000, 20);
        assert_eq!(price_at(&mut busy, 10_000), price_at(&mut climb, 10_000));
        climb.curve.skip_idle(10_010, 14_010);
        assert_eq!(climb.curve.epoch_start_ms(), Some(14_000));
        assert_eq!(price_at(&mut busy, 10_100), price_at(&mut climb, 14_100));
        climb.curve.skip_idle(14_010, 14_020);
        climb.curve.skip_idle(14_000, 14_015);
        assert_eq!(climb.curve.epoch_start_ms(), Some(14_015), "not into the future");
    }

    #[test]
    fn an_endless_epoch_does_not_overflow() {
        let mut climb = Climb::new(&[], 2_000, 1_000, 20);
        climb.curve.price(&climb.shape, 0, 20_000, 1_000, 1);
        let price = climb.curve.price(&climb.shape, 1_000_000_000, 20_000, 1_000, 1);
        assert_eq!(price, 2);
    }
}
