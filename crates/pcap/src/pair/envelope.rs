//! What lies below and above all points of a cloud: its convex hull, as points come.

type Point = (i64, i64);

/// Points between two hulls.
const BATCH: usize = 4096;
/// Corners of a hull; of more every second one goes, which are those of a clock whose speed changes all the time.
const MOST_CORNERS: usize = 4096;

/// The convex hull of points.
#[derive(Default)]
pub struct Envelope {
    lower: Vec<Point>,
    upper: Vec<Point>,
    waiting: Vec<Point>,
    count: u64,
    sum: (i128, i128),
}

impl Envelope {
    pub fn insert(&mut self, x: i64, y: i64) {
        self.count += 1;
        self.sum.0 += i128::from(x);
        self.sum.1 += i128::from(y);
        self.waiting.push((x, y));
        if self.waiting.len() == BATCH {
            self.settle();
        }
    }

    /// Takes in what waits.
    pub fn settle(&mut self) {
        for (corners, sign) in [(&mut self.lower, 1), (&mut self.upper, -1)] {
            corners.extend(&self.waiting);
            corners.sort_unstable_by_key(|(x, y)| (*x, y.saturating_mul(sign)));
            hull(corners, sign);
            if corners.len() > MOST_CORNERS {
                let last = corners.len() - 1;
                let mut place = 0..=last;
                corners.retain(|_| place.next().is_some_and(|place| place % 2 == 0 || place == last));
            }
        }
        self.waiting.clear();
    }

    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The mean of `y - slope x`.
    pub fn mean(&self, slope: f64) -> f64 {
        (self.sum.1 as f64 - slope * self.sum.0 as f64) / self.count as f64
    }

    /// The least `y - slope x`; infinity without a point.
    pub fn least(&self, slope: f64) -> f64 {
        self.lower.iter().map(|point| height(*point, slope)).fold(f64::INFINITY, f64::min)
    }

    /// The largest; minus infinity without a point.
    pub fn most(&self, slope: f64) -> f64 {
        self.upper.iter().map(|point| height(*point, slope)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Of the edges below.
    pub fn lower_slopes(&self) -> impl Iterator<Item = f64> {
        slopes(&self.lower)
    }

    /// Of the edges above.
    pub fn upper_slopes(&self) -> impl Iterator<Item = f64> {
        slopes(&self.upper)
    }
}

fn height((x, y): Point, slope: f64) -> f64 {
    y as f64 - slope * x as f64
}

fn slopes(corners: &[Point]) -> impl Iterator<Item = f64> {
    corners
        .windows(2)
        .map(|pair| pair[1].1.saturating_sub(pair[0].1) as f64 / pair[1].0.saturating_sub(pair[0].0) as f64)
}

/// Leaves of points in order the corners of the hull's lower side, or with `sign` -1 of its upper one (Andrew 1979).
fn hull(points: &mut Vec<Point>, sign: i64) {
    let mut count: usize = 0;
    for place in 0..points.len() {
        let point = points[place];
        if count > 0 && points[count - 1].0 == point.0 {
            continue; // The first one with this x is the outer one.
        }
        while count >= 2 && !turns(points[count - 2], points[count - 1], point, sign) {
            count -= 1;
        }
        points[count] = point;
        count += 1;
    }
    points.truncate(count);
}

fn turns(first: Point, second: Point, third: Point, sign: i64) -> bool {
    let (ax, ay) = (i128::from(second.0) - i128::from(first.0), i128::from(second.1) - i128::from(first.1));
    let (bx, by) = (i128::from(third.0) - i128::from(first.0), i128::from(third.1) - i128::from(first.1));
    i128::from(sign) * (ax * by - ay * bx) > 0
}

#[cfg(test)]
mod tests {
    use super::{BATCH, Envelope};

    #[test]
    fn lines_below_and_above_are_those_of_all_points() {
        let mut envelope = Envelope::default();
        let points: Vec<(i64, i64)> = (0..3 * BATCH as i64 + 7).map(|i| (i * 7919 % 20_011, i * i % 10_007)).collect();
        for (x, y) in &points {
            envelope.insert(*x, *y);
        }
        envelope.settle();
        for slope in [-0.5, -1e-4, 0.0, 0.3] {
            let heights = points.iter().map(|(x, y)| *y as f64 - slope * *x as f64);
            assert_eq!(envelope.least(slope), heights.clone().fold(f64::INFINITY, f64::min));
            assert_eq!(envelope.most(slope), heights.fold(f64::NEG_INFINITY, f64::max));
        }
        assert!(envelope.lower_slopes().is_sorted());
    }
}
