//! Two clocks, by what lies below and above all delays (Moon, Skelly, Towsley 1999, "Estimation and removal of clock
//! skew from network delay measurements").
//!
//! A sample is a packet that both places have: `x` when the first place's clock saw it, `y` how much later the second's
//! did. Packets towards the second place lie above the line of the clocks' offset, those towards the first below it.

use super::envelope::Envelope;
use serde::Serialize;

/// Two clocks of 500 ppm each, which is what NTP's discipline can still correct (RFC 5905 section 11.3).
const MOST_DRIFT: f64 = 1e-3;
/// Added to mean delays, so that a way without any queue does not decide alone.
const FLOOR_NS: f64 = 100.0;
/// Halvings of an interval of slopes: to 1e-15.
const HALVINGS: u32 = 40;

/// How the second place's clock runs beside the first one's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clocks {
    /// When the first place's clock showed this, ns since 1970,
    pub reference_ns: i64,
    /// the second one's was ahead by so much, ns; none where packets of one way only are in both captures.
    pub offset_ns: Option<i64>,
    /// The true offset is no further than this from it, ns: half of the shortest time from one place to the other and back.
    pub offset_bound_ns: Option<u64>,
    /// By how much the second clock is faster, parts in a million.
    pub drift_ppm: f64,
    /// Between these it is, whatever the queues did; none where packets of one way only are in both captures.
    pub drift_bounds_ppm: Option<[f64; 2]>,
    /// The shortest time from one place to the other and back, ns.
    pub rtt_ns: Option<u64>,
    /// Samples towards the second place, and towards the first.
    pub samples: [u64; 2],
    /// Whether they were said to be one clock: offset and drift are zero then, and not estimated.
    pub same: bool,
    /// By how much packets arrive before they were sent, then, ns.
    pub backwards_ns: u64,
}

/// Samples of both ways.
pub struct Samples {
    origin: (i64, i64),
    ways: [Envelope; 2],
}

/// Lines through the least delays of both ways.
#[derive(Debug)]
pub struct Lines {
    origin: (i64, i64),
    slope: f64,
    /// Where they are at the origin: of packets towards the second place, and towards the first.
    heights: [f64; 2],
    /// Between the two.
    middle: f64,
    /// The largest distance of a sample from its way's line, ns.
    pub most_ns: [u64; 2],
    /// What a delay of zero above the line is, ns; none where that is not known.
    pub base_ns: Option<[f64; 2]>,
    /// What is said of the clocks.
    pub clocks: Clocks,
}

impl Samples {
    /// None yet; the origin is any sample.
    pub fn new(x: i64, y: i64) -> Self {
        Self { origin: (x, y), ways: [Envelope::default(), Envelope::default()] }
    }

    pub fn insert(&mut self, way: usize, x: i64, y: i64) {
        self.ways[way].insert(x.saturating_sub(self.origin.0), y.saturating_sub(self.origin.1));
    }

    /// The lines; none without a sample.
    pub fn lines(mut self, same_clock: bool) -> Option<Lines> {
        self.ways.iter_mut().for_each(Envelope::settle);
        let [to_second, to_first] = &self.ways;
        let counts = [to_second.count(), to_first.count()];
        let slope = if same_clock { 0.0 } else { self.slope() };
        let both = counts[0] > 0 && counts[1] > 0;
        let (low, high) = (to_second.least(slope), to_first.most(slope));
        let heights = match counts {
            [0, 0] => return None,
            [_, 0] => [low, low],
            [0, _] => [high, high],
            _ => [low, high],
        };
        let gap = heights[0] - heights[1];
        let origin_y = self.origin.1 as f64;
        let base_ns = match (same_clock, both) {
            (true, _) => Some([origin_y + heights[0], -origin_y - heights[1]]),
            (false, true) => Some([gap / 2.0; 2]),
            (false, false) => None,
        };
        let middle = f64::midpoint(heights[0], heights[1]);
        let rtt_ns = both.then(|| gap.max(0.0).round() as u64);
        let clocks = Clocks {
            reference_ns: self.origin.0,
            offset_ns: if same_clock {
                Some(0)
            } else {
                both.then(|| self.origin.1.saturating_add(middle.round() as i64))
            },
            offset_bound_ns: if same_clock { Some(0) } else { rtt_ns.map(|rtt| rtt.div_ceil(2)) },
            drift_ppm: slope * 1e6,
            drift_bounds_ppm: (both && !same_clock).then(|| self.bounds(slope).map(|bound| bound * 1e6)),
            rtt_ns,
            samples: counts,
            same: same_clock,
            backwards_ns: if same_clock { backwards(base_ns) } else { 0 },
        };
        let most = [to_second.most(slope) - heights[0], heights[1] - to_first.least(slope)];
        let most_ns = most.map(|most| if most.is_finite() { most.max(0.0).ceil() as u64 } else { 0 });
        Some(Lines { origin: self.origin, slope, heights, middle, most_ns, base_ns, clocks })
    }

    /// The likeliest drift where delays above the least have an exponential distribution of an unknown mean on each way.
    ///
    /// For one way that is the line of Moon, Skelly and Towsley: the one below all samples whose mean distance from them
    /// is least. With two, the way with the shorter queue counts most. Between two corners of an envelope each mean
    /// distance is linear in the slope and the sum of logarithms is concave, so that an edge has the least.
    fn slope(&self) -> f64 {
        let [to_second, to_first] = &self.ways;
        let edges = to_second.lower_slopes().chain(to_first.upper_slopes()).filter(|slope| slope.abs() <= MOST_DRIFT);
        let cost = |slope: f64| {
            let parts = [
                (to_second, to_second.mean(slope) - to_second.least(slope)),
                (to_first, to_first.most(slope) - to_first.mean(slope)),
            ];
            let parts = parts.iter().filter(|(way, _)| way.count() > 0);
            parts.map(|(way, mean)| way.count() as f64 * (mean.max(0.0) + FLOOR_NS).ln()).sum::<f64>()
        };
        let limits = if self.ways.iter().any(|way| way.count() > 2) { [-MOST_DRIFT, MOST_DRIFT] } else { [0.0; 2] };
        let costs = edges.chain(limits).map(|slope| (cost(slope), slope));
        costs.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, slope)| slope)
    }

    /// The slopes at which a line still parts the samples of one way from those of the other.
    fn bounds(&self, within: f64) -> [f64; 2] {
        let parts = |slope: f64| self.ways[0].least(slope) >= self.ways[1].most(slope);
        [-MOST_DRIFT, MOST_DRIFT].map(|limit| {
            let (mut inner, mut outer) = (within, limit);
            if parts(outer) {
                return outer;
            }
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(inner, outer);
                if parts(middle) { inner = middle } else { outer = middle }
            }
            inner
        })
    }
}

fn backwards(base_ns: Option<[f64; 2]>) -> u64 {
    base_ns
        .into_iter()
        .flatten()
        .filter(|base| base.is_finite())
        .map(|base| (-base).max(0.0).round() as u64)
        .max()
        .unwrap_or(0)
}

impl Lines {
    fn height(&self, x: i64) -> f64 {
        self.slope * x.saturating_sub(self.origin.0) as f64
    }

    fn at_second(&self, x: i64, above: f64) -> i64 {
        x.saturating_add(self.origin.1).saturating_add((above + self.height(x)).round() as i64)
    }

    fn at_first(&self, time_ns: i64, above: f64) -> i64 {
        let since = time_ns.saturating_sub(self.origin.0).saturating_sub(self.origin.1) as f64 - above;
        self.origin.0.saturating_add((since / (1.0 + self.slope)).round() as i64)
    }

    /// What the second clock shows when the first one shows `x`, if the ways are equally long.
    pub fn to_second(&self, x: i64) -> i64 {
        self.at_second(x, self.middle)
    }

    /// The reverse.
    pub fn to_first(&self, time_ns: i64) -> i64 {
        self.at_first(time_ns, self.middle)
    }

    /// When at the earliest a packet arrives that left then, each by the clock of its place.
    pub fn earliest_arrival(&self, way: usize, left_ns: i64) -> i64 {
        if way == 0 { self.at_second(left_ns, self.heights[0]) } else { self.at_first(left_ns, self.heights[1]) }
    }

    /// When at the latest a packet left that arrived then.
    pub fn latest_departure(&self, way: usize, arrived_ns: i64) -> i64 {
        if way == 0 { self.at_first(arrived_ns, self.heights[0]) } else { self.at_second(arrived_ns, self.heights[1]) }
    }

    /// How far a sample is from the least delay of its way, ns.
    pub fn above_least(&self, way: usize, x: i64, y: i64) -> i64 {
        let above = y.saturating_sub(self.origin.1) as f64 - self.heights[way] - self.height(x);
        (if way == 0 { above } else { -above }).round() as i64
    }

    /// The least that a packet needs between the places, beside the middle between the ways' lines, ns.
    pub fn half_gap(&self) -> i64 {
        ((self.heights[0] - self.heights[1]) / 2.0).round() as i64
    }
}
