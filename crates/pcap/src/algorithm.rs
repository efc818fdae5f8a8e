//! Which congestion control a sender runs, by what its windows do: what tells algorithms apart are numbers of their
//! specifications, or the middle between those of two; what each piece of evidence weighs is judgement.

mod growth;

use crate::direction::{Instant, Reduction, Round, Rounds};
use crate::estimate::{Algorithm, AlgorithmEstimate, AlgorithmEvidence};
use growth::{Growth, Window, converged, growth, lines, slopes};

/// Windows below this are reduced to two segments by all.
const LEAST_WINDOW_SEGMENTS: f64 = 5.0;
/// From this on, what Reno leaves of a window and what CUBIC leaves are two segments apart.
const FULL_WINDOW_SEGMENTS: f64 = 10.0;
/// BBR's windows of PROBE_RTT are at least this far apart: the filter of its minimum has 10 s (BBR draft, MinRTTFilterLen).
/// A twentieth less, for a window is seen from its fall to its rise.
const PROBE_RTT_PERIOD_NS: i64 = 9_500_000_000;
/// So many reductions, or times between them, are needed.
const LEAST_EVIDENCE: f64 = 2.0;
/// The least of the evidence that must agree.
const LEAST_CONFIDENCE: f64 = 0.7;

/// Estimates it from a sender's rounds. `near` says whether the capture was made where its window is seen.
pub fn estimate(rounds: &Rounds, segment_bytes: u32, near: bool) -> AlgorithmEstimate {
    let segment = f64::from(segment_bytes.max(1));
    let evidence = collect(rounds, segment);
    let (algorithm, confidence, reason) = if !near {
        (Algorithm::Unknown, 0.0, "the capture was made far from the sender, and does not show its window")
    } else {
        judge(&evidence)
    };
    AlgorithmEstimate { algorithm, confidence, reason, evidence }
}

fn collect(rounds: &Rounds, segment: f64) -> AlgorithmEvidence {
    let mut evidence =
        AlgorithmEvidence { rounds: rounds.count(), span_ns: rounds.span_ns(), ..AlgorithmEvidence::default() };
    evidence.reductions = rounds.reduction_count();
    let mut factors: Vec<f64> = Vec::new();
    for (index, reduction) in rounds.reductions().iter().enumerate() {
        factors.push(reduction.after_bytes as f64 / reduction.before_bytes.max(1) as f64);
        let last = index.checked_sub(1).map(|last| &rounds.reductions()[last]);
        let next = next_window(rounds, index, segment);
        let grew = next.map_or(Growth::Unknown, |next| {
            let most = converged(
                segments(reduction.before_bytes, segment),
                last.map(|last| segments(last.before_bytes, segment)),
            );
            let Instant { at_ns, round } = reduction.settled;
            growth(Window { segments: segments(reduction.after_bytes, segment), at_ns, round }, next, most)
        });
        evidence.growths_like_reno += u32::from(grew == Growth::Reno);
        evidence.growths_like_cubic += u32::from(grew == Growth::Cubic);
        let like = like(reduction, segment).map(|like| if grew == Growth::Faster { Like::None } else { like });
        if let Some(like) = like {
            *match like {
                Like::Reno => &mut evidence.reductions_like_reno,
                Like::Cubic => &mut evidence.reductions_like_cubic,
                Like::None => &mut evidence.reductions_like_none,
            } += weight(reduction, segment);
        }
    }
    evidence.median_factor = median(&mut factors);
    evidence.growth_segments = median(&mut slopes(rounds.rounds(), segment));
    evidence.lines_like_reno = lines(rounds.rounds(), segment);
    let dips = rounds.dips();
    evidence.probe_rtt_dips = dips.len() as u32;
    let mut periods: Vec<f64> =
        dips.windows(2).map(|pair| pair[1].began_ns.saturating_sub(pair[0].began_ns) as f64).collect();
    evidence.probe_rtt_period_ns = median(&mut periods).map(|ns| ns as i64);
    backlog(rounds.rounds(), segment, &mut evidence);
    evidence
}

fn segments(bytes: u64, segment: f64) -> f64 {
    bytes as f64 / segment
}

/// The window that was reached after a reduction: at the next loss, or in the last round without one.
fn next_window(rounds: &Rounds, index: usize, segment: f64) -> Option<Window> {
    let reduction = &rounds.reductions()[index];
    if let Some(next) = rounds.reductions().get(index + 1) {
        let Instant { at_ns, round } = next.began;
        let window = Window { segments: segments(next.before_bytes, segment), at_ns, round };
        return (next.epoch == reduction.epoch + 1).then_some(window);
    }
    let last = rounds.rounds().iter().rfind(|round| round.clean && round.epoch == reduction.epoch)?;
    let window = segments(last.window_bytes.into(), segment);
    (last.index > reduction.settled.round).then_some(Window { segments: window, at_ns: last.at_ns, round: last.index })
}

/// Reno and CUBIC are apart by a fifth of the window; from two segments on, one for each end, a reduction counts fully.
/// With one, which a single error hides, it takes four to count as much.
fn weight(reduction: &Reduction, segment: f64) -> f64 {
    if segments(reduction.before_bytes, segment) < FULL_WINDOW_SEGMENTS { 0.25 } else { 1.0 }
}

/// What a reduction is like.
enum Like {
    Reno,
    Cubic,
    None,
}

/// RFC 5681 section 3.1 halves what was in flight, RFC 9438 section 4.6 takes 0.7 of the window, both to a whole number of
/// segments, and BBR's window does not follow losses. None where that is the same, or it is as near to two.
fn like(reduction: &Reduction, segment: f64) -> Option<Like> {
    let [before, after] = [reduction.before_bytes, reduction.after_bytes].map(|bytes| (bytes as f64 / segment).round());
    if before < LEAST_WINDOW_SEGMENTS {
        return None;
    }
    let [reno, cubic, none] =
        [(before * 0.5).floor(), (before * 0.7).floor(), before].map(|expected| (after - expected).abs());
    if reno < cubic {
        Some(Like::Reno)
    } else if cubic < none && cubic < reno {
        Some(Like::Cubic)
    } else if none < cubic {
        Some(Like::None)
    } else {
        None
    }
}

/// Brakmo's difference: the window by which the RTT is longer than its least, in segments, over the rounds in which
/// congestion limited. Only rounds from the middle of the flow on count: before, Vegas seeks its point.
fn backlog(rounds: &[Round], segment: f64, evidence: &mut AlgorithmEvidence) {
    let Some(least_us) = rounds.iter().map(|round| round.rtt_us).filter(|rtt_us| *rtt_us > 0).min() else { return };
    let mut backlogs: Vec<f64> = rounds[rounds.len() / 2..]
        .iter()
        .filter(|round| round.clean && round.rtt_us > 0)
        .map(|round| f64::from(round.window_bytes) / segment * (1.0 - f64::from(least_us) / f64::from(round.rtt_us)))
        .collect();
    let steady = backlogs.iter().filter(|backlog| (1.0..=5.0).contains(*backlog)).count();
    evidence.backlog_steady = (!backlogs.is_empty()).then(|| steady as f64 / backlogs.len() as f64);
    evidence.backlog_segments = median(&mut backlogs);
}

fn judge(evidence: &AlgorithmEvidence) -> (Algorithm, f64, &'static str) {
    use Algorithm::{Bbr, Cubic, Reno, Unknown, Vegas};
    let periodic = evidence.probe_rtt_period_ns.is_none_or(|period| period >= PROBE_RTT_PERIOD_NS);
    let dips = if periodic { f64::from(evidence.probe_rtt_dips) } else { 0.0 };
    let reno = evidence.reductions_like_reno + f64::from(evidence.growths_like_reno + 2 * evidence.lines_like_reno);
    let cubic = evidence.reductions_like_cubic + f64::from(evidence.growths_like_cubic);
    // Nobody else lets its flight run down to four segments without a loss, and goes on as before.
    if dips >= 2.0 {
        return (Bbr, 1.0 - 0.5_f64.powf(dips), "its flight falls to four segments for 0.2 s, every 10 s");
    }
    let bbr = evidence.reductions_like_none + 2.0 * dips;
    let growth = evidence.growth_segments.unwrap_or(1.0);
    // Vegas halves its window as Reno does, and where a queue stands it goes back by a segment in a round: nobody else does
    // without a loss. What a window does that follows a delay is no sign of a curve.
    let halves = reno / (reno + evidence.reductions_like_cubic + bbr + 0.5);
    if halves >= LEAST_CONFIDENCE && growth < 0.5 {
        return (Vegas, halves, "it halves its window after losses, and without them its window does not grow");
    }
    let total = bbr + reno + cubic;
    if total >= LEAST_EVIDENCE {
        let (algorithm, votes, reason) = [
            (Bbr, bbr, "its window does not follow losses"),
            (Cubic, cubic, "it takes 0.7 of its window after losses, or grows along a cubic curve"),
            (Reno, reno, "it halves its window after losses, or grows by a segment in a round"),
        ]
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .expect("three");
        let confidence = votes / (total + 0.5);
        if confidence >= LEAST_CONFIDENCE {
            return (algorithm, confidence, reason);
        }
        return (Unknown, confidence, "what it does fits several algorithms");
    }
    if let Some(steady) = evidence.backlog_steady
        && evidence.reductions == 0
    {
        if steady >= LEAST_CONFIDENCE && growth.abs() <= 1.0 {
            return (Vegas, steady, "it holds two to four segments in a queue, and its window hardly moves");
        }
        if dips == 0.0 && growth <= -0.5 {
            return (Vegas, LEAST_CONFIDENCE, "its window falls by a segment in a round, without a loss");
        }
    }
    (Unknown, 0.0, "there are too few losses, and no pattern without them")
}

/// The median; of an even number the upper one.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests;
