//! How the window grows from one loss to the next: Reno's line, or CUBIC's curve.

use crate::direction::Round;

/// CUBIC's constant (RFC 9438 section 5), segments/s^3.
const C: f64 = 0.4;
/// What it leaves of the window (RFC 9438 section 4.6).
const BETA: f64 = 0.7;
/// Its growth in a round where it is friendly to Reno (RFC 9438 section 4.3): 3 (1 - beta) / (1 + beta).
const FRIENDLY: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Rounds that a time from one loss to the next needs to have: a window is a whole number of segments.
const LEAST_ROUNDS: u32 = 4;
/// Segments that the curve and the line must be apart at its end.
const LEAST_APART: f64 = 3.0;
/// By so many segments a window that is seen may be off: by one at each end.
const UNSURE: f64 = 2.0;
/// Rounds without a loss that show a line.
const LINE_ROUNDS: u32 = 30;
/// Reno's growth in a round: nearer to one than to CUBIC's, and as far above it.
const LINE: std::ops::RangeInclusive<f64> = (1.0 + FRIENDLY) / 2.0..=2.0 - (1.0 + FRIENDLY) / 2.0;

/// What the window does after a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// What Reno does.
    Reno,
    /// What CUBIC does.
    Cubic,
    /// More than both: it does not follow losses.
    Faster,
    /// Neither, or it is too short to tell.
    Unknown,
}

/// A window at a time.
#[derive(Clone, Copy)]
pub struct Window {
    pub segments: f64,
    pub at_ns: i64,
    pub round: u32,
}

/// Compares the growth from a window to another with what both would do, `most` being the window at the last loss.
pub fn growth(start: Window, end: Window, most: f64) -> Growth {
    let rounds = end.round.saturating_sub(start.round);
    let elapsed_s = end.at_ns.saturating_sub(start.at_ns).max(0) as f64 * 1e-9;
    let round_s = elapsed_s / f64::from(rounds.max(1));
    let reno = start.segments + f64::from(rounds);
    let cubic = |elapsed_s: f64, rounds: u32| {
        curve(start.segments, most, elapsed_s + round_s).max(start.segments + FRIENDLY * f64::from(rounds))
    };
    let fastest = cubic(elapsed_s + round_s, rounds + 1).max(reno + 1.0);
    if end.segments > fastest + UNSURE {
        return Growth::Faster;
    }
    let cubic = cubic(elapsed_s, rounds);
    let apart = (reno - cubic).abs();
    // Nearer than a third of what lies between.
    if rounds < LEAST_ROUNDS || apart < LEAST_APART {
        Growth::Unknown
    } else if (end.segments - reno).abs() < apart / 3.0 {
        Growth::Reno
    } else if (end.segments - cubic).abs() < apart / 3.0 {
        Growth::Cubic
    } else {
        Growth::Unknown
    }
}

/// What CUBIC takes for the window at a loss (RFC 9438 section 4.7, fast convergence).
pub fn converged(before: f64, last: Option<f64>) -> f64 {
    if last.is_some_and(|last| before < last) { before * (1.0 + BETA) / 2.0 } else { before }
}

/// RFC 9438 section 4.2, from a window `start` on: the window `elapsed_s` later.
fn curve(start: f64, most: f64, elapsed_s: f64) -> f64 {
    let origin = most.max(start);
    let to_origin_s = ((origin - start) / C).cbrt();
    origin + C * (elapsed_s - to_origin_s).powi(3)
}

/// Growth in a round, segments, between neighbours of the same time without a loss.
pub fn slopes(rounds: &[Round], segment: f64) -> Vec<f64> {
    let clean = clean_times(rounds);
    clean.iter().flat_map(|time| time.windows(2)).map(|pair| slope(pair[0], pair[1], segment)).collect()
}

/// How many times without a loss are lines with Reno's slope in each of their thirds.
pub fn lines(rounds: &[Round], segment: f64) -> u32 {
    let straight = |time: &&Vec<&Round>| {
        let last = time.len() - 1;
        let marks = [0, last / 3, 2 * last / 3, last].map(|place| time[place]);
        marks[3].index - marks[0].index >= LINE_ROUNDS
            && marks
                .windows(2)
                .all(|pair| pair[0].index < pair[1].index && LINE.contains(&slope(pair[0], pair[1], segment)))
    };
    clean_times(rounds).iter().filter(straight).count() as u32
}

fn clean_times(rounds: &[Round]) -> Vec<Vec<&Round>> {
    rounds
        .chunk_by(|one, other| one.epoch == other.epoch)
        .map(|time| time.iter().filter(|round| round.clean).collect::<Vec<_>>())
        .filter(|time| !time.is_empty())
        .collect()
}

fn slope(one: &Round, other: &Round, segment: f64) -> f64 {
    (f64::from(other.window_bytes) - f64::from(one.window_bytes)) / (segment * f64::from(other.index - one.index))
}
