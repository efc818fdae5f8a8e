//! Decisions of disciplines on what arrived at the kernel's, frame by frame: `tests/recorded` has when each frame came to a
//! queue of Linux 6.1, and how long it waited, if it was not dropped. `python -m dev decisions` records it.

use super::super::codel::{Codel, Settings};
use super::super::pie::Pie;
use super::*;
use crate::engine::stream;
use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;
use units::{Span, list_place};

const FRAME_BYTES: u64 = 1_514;
const LIMIT: usize = 1_000;

/// A frame that came to the kernel's queue.
#[derive(Clone, Copy, Debug)]
struct Frame {
    came: Time,
    bytes: u32,
    /// When it left; none: it was dropped.
    left: Option<Time>,
}

/// The frames of a compressed table, a line each. What came behind the last that left may wait still, and is no decision.
fn recorded(name: &str) -> Vec<Frame> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name);
    let content = zstd::decode_all(File::open(path).expect("a recorded run")).expect("a compressed table");
    let text = String::from_utf8(content).expect("text");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("since_ns,bytes,waited_ns"));
    let mut came = Time::ZERO;
    let frame = |line: &str| {
        let [since, bytes, waited] = *line.split(',').collect::<Vec<_>>() else { panic!("three columns: {line}") };
        let span = |text: &str| Span::from_nanos(text.parse().expect("ns"));
        came += span(since);
        let left = (!waited.is_empty()).then(|| came + span(waited));
        Frame { came, bytes: bytes.parse().expect("bytes"), left }
    };
    let mut frames: Vec<_> = lines.map(frame).collect();
    let decided = frames.iter().rposition(|frame| frame.left.is_some()).expect("a frame that left");
    frames.truncate(decided + 1);
    frames
}

/// The same frames so much later.
fn later(frames: &[Frame], by: Span) -> Vec<Frame> {
    let moved = |frame: &Frame| Frame { came: frame.came + by, left: frame.left.map(|at| at + by), ..*frame };
    frames.iter().map(moved).collect()
}

/// The frames that left, by their numbers.
fn numbers_of_left(frames: &[Frame]) -> Vec<usize> {
    (0..frames.len()).filter(|number| frames[*number].left.is_some()).collect()
}

/// Plays them to a queue, which hands over a frame whenever one left the kernel's. `come` decides about each. Gives the numbers
/// of those that leave.
fn replay<M: Management>(
    queue: &mut Staged<M>,
    frames: &[Frame],
    mut come: impl FnMut(&mut Staged<M>, Packet, &Frame) -> Verdict,
) -> Vec<usize> {
    let of_left = |(number, frame): (usize, &Frame)| Some((frame.left?, number));
    let mut departures: VecDeque<_> = frames.iter().enumerate().filter_map(of_left).collect();
    let (mut fates, mut out, mut left) = (Vec::new(), Packet::default(), Vec::new());
    let mut leave = |queue: &mut Staged<M>, at| {
        if queue.dequeue(at, &mut out, &mut fates) {
            left.push(out.seq as usize);
        }
    };
    for (number, frame) in frames.iter().enumerate() {
        while let Some((at, _)) = departures.pop_front_if(|(at, _)| *at < frame.came) {
            leave(queue, at);
        }
        let packet = Packet { seq: list_place(number), frame_bytes: frame.bytes, segments: 1, ..Packet::default() };
        if come(queue, packet, frame) == Verdict::Queued {
            queue.stage(frame.came, &mut Vec::new());
        }
        while let Some((at, _)) = departures.pop_front_if(|(at, of)| *at == frame.came && *of <= number) {
            leave(queue, at);
        }
    }
    departures.into_iter().for_each(|(at, _)| leave(queue, at));
    left
}

#[test]
fn codel_drops_each_frame_that_the_kernel_dropped_and_no_other() {
    let frames = recorded("codel.csv.zst");
    let expected = numbers_of_left(&frames);
    assert!(frames.len() - expected.len() > 300, "frames were dropped");
    let codel = run::Codel { target_ns: 5_000_000, interval_ns: 100_000_000, ecn: false, ce_threshold_ns: None };
    // The kernel counts steps of 1024 ns from its boot: where in a step the run began is not recorded.
    let is_alike = |quarter: u64| {
        let mut queue = Staged::new(Codel::new(Settings::new(&codel, None, FRAME_BYTES), LIMIT), ShaperKind::Tbf);
        let frames = later(&frames, Span::from_nanos(quarter * 256));
        replay(&mut queue, &frames, |queue, packet, frame| queue.enqueue(packet, frame.came, &mut Vec::new()))
            == expected
    };
    assert!((0..4).any(is_alike));
}

/// Of PIE's decisions: how much less probable those of the kernel are than such a controller's own, in standard deviations.
/// None: one of them could never be.
fn surprise(frames: &[Frame], parameters: &run::Pie, first_update: Time) -> Option<f64> {
    let pie = Pie::new(parameters, LIMIT, FRAME_BYTES, stream(1, "pie")).updated_from(first_update);
    let mut queue = Staged::new(pie, ShaperKind::Tbf);
    let (mut beyond, mut variance, mut is_possible) = (0.0, 0.0, true);
    let left = replay(&mut queue, frames, |queue, packet, frame| {
        let is_dropped = frame.left.is_none();
        let chance = queue.management.decided(&Queued { packet, since: frame.came }, &queue.stage, is_dropped);
        let of_decision = if is_dropped { chance } else { 1.0 - chance };
        is_possible &= of_decision > 0.0;
        if chance > 0.0 && chance < 1.0 {
            let entropy = -chance * chance.ln() - (1.0 - chance) * (1.0 - chance).ln();
            beyond -= of_decision.ln() + entropy;
            variance += chance * (1.0 - chance) * (chance / (1.0 - chance)).ln().powi(2);
        }
        let verdict = if is_dropped { Verdict::Dropped } else { Verdict::Queued };
        queue.tally.count_arrival(&packet, verdict);
        verdict
    });
    assert_eq!(left, numbers_of_left(frames));
    is_possible.then(|| beyond / variance.sqrt())
}

#[test]
fn pie_drops_with_the_probability_that_the_kernel_dropped_with() {
    let frames = recorded("pie.csv.zst");
    let own = run::Pie { target_ns: 15_000_000, tupdate_ns: 15_000_000, alpha: 2, beta: 20, ecn: false };
    // When the kernel's timer fires is not recorded: the controllers that update every so many quarters of a millisecond.
    let least = |parameters: &run::Pie| {
        let updates = (0..64).map(|quarter| Time::from_nanos(quarter * 250_000));
        let surprises = updates.filter_map(|first| surprise(&frames, parameters, first));
        surprises.map(f64::abs).reduce(f64::min)
    };
    assert!(least(&own).is_some_and(|surprise| surprise < 2.0));
    for wrong in [
        run::Pie { tupdate_ns: 14_000_000, ..own },
        run::Pie { tupdate_ns: 16_000_000, ..own },
        run::Pie { target_ns: 16_000_000, ..own },
        run::Pie { alpha: 4, ..own },
        run::Pie { beta: 40, ..own },
    ] {
        assert!(least(&wrong).is_none_or(|surprise| surprise > 2.0), "{wrong:?}");
    }
}
