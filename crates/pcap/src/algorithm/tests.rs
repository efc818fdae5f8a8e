//! Windows made by hand, of each algorithm's specification.

use super::estimate;
use crate::direction::{Receipt, Recovery, Rounds, Sending};
use crate::estimate::{Algorithm, AlgorithmEstimate};

const SEGMENT: u64 = 1000;
const MS: i64 = 1_000_000;

/// A sender whose rounds are entered one by one.
#[derive(Default)]
struct Sender {
    rounds: Rounds,
    recovery: Recovery,
    now_ns: i64,
    acked: u64,
    most: u64,
    base_ns: i64,
    /// Segments that pass in a base RTT; what is more waits.
    pipe: f64,
}

impl Sender {
    fn new(base_ns: i64, pipe: f64) -> Self {
        Self { base_ns, pipe, ..Self::default() }
    }

    fn send(&mut self, outstanding_bytes: u64, again: bool) {
        self.rounds.sent(&Sending {
            now_ns: self.now_ns,
            outstanding_bytes,
            acked: self.acked,
            segment_bytes: SEGMENT,
            again,
            recovery: &self.recovery,
        });
    }

    /// A round with so many segments outstanding.
    fn round(&mut self, window: f64) {
        let segments = window.floor().max(1.0) as u64;
        let rtt_ns = (self.base_ns as f64 * (window / self.pipe).max(1.0)) as i64;
        self.most = self.acked + segments * SEGMENT;
        for segment in 1..=segments {
            self.now_ns += rtt_ns / segments as i64;
            self.send(segment * SEGMENT, false);
        }
        self.acked = self.most;
        self.receive(Some(rtt_ns));
    }

    fn receive(&mut self, rtt_ns: Option<i64>) {
        self.rounds.acknowledged(&Receipt {
            now_ns: self.now_ns,
            acked: self.acked,
            most: self.most,
            rtt_ns,
            congestion_ns: self.now_ns,
            recovery: &self.recovery,
        });
    }

    /// A fast recovery, a round trip long.
    fn loss(&mut self) {
        self.most = self.acked + SEGMENT;
        self.recovery.begin_fast(self.most);
        self.send(SEGMENT, true);
        self.now_ns += self.base_ns;
        self.acked = self.most;
        self.receive(None);
    }

    fn estimate(&self) -> AlgorithmEstimate {
        estimate(&self.rounds, SEGMENT as u32, true)
    }
}

/// So many times from `top` down to a part of it and, a segment a round, up again.
fn sawtooth(factor: f64, top: f64, slope: f64, times: u32) -> Sender {
    let mut sender = Sender::new(20 * MS, top);
    for _ in 0..times {
        let mut window = (top * factor).floor();
        while window < top {
            sender.round(window);
            window += slope;
        }
        sender.round(top);
        sender.loss();
    }
    sender
}

#[test]
fn reno_halves_and_grows_by_a_segment() {
    let estimate = sawtooth(0.5, 40.0, 1.0, 6).estimate();
    assert_eq!(estimate.algorithm, Algorithm::Reno, "{estimate:?}");
    assert!(estimate.confidence > 0.8, "{estimate:?}");
    assert_eq!(estimate.evidence.median_factor, Some(0.5));
    assert_eq!(estimate.evidence.growth_segments, Some(1.0));
}

#[test]
fn cubic_takes_seven_tenths_and_follows_its_curve() {
    let mut sender = Sender::new(100 * MS, 200.0);
    let top = 200.0_f64;
    for _ in 0..4 {
        let start = (top * 0.7).floor();
        let to_top_s = ((top - start) / 0.4).cbrt();
        let begin_ns = sender.now_ns;
        let mut window = start;
        while window < top {
            sender.round(window);
            let elapsed_s = (sender.now_ns - begin_ns) as f64 * 1e-9;
            window = top + 0.4 * (elapsed_s + 0.1 - to_top_s).powi(3);
        }
        sender.round(top);
        sender.loss();
    }
    let estimate = sender.estimate();
    assert_eq!(estimate.algorithm, Algorithm::Cubic, "{estimate:?}");
    assert!(estimate.evidence.growths_like_cubic >= 2, "{estimate:?}");
    assert_eq!(estimate.evidence.growths_like_reno, 0, "{estimate:?}");
}

#[test]
fn a_window_that_losses_do_not_move_is_bbrs() {
    let mut sender = Sender::new(20 * MS, 50.0);
    for _ in 0..10 {
        (0..5).for_each(|_| sender.round(50.0));
        sender.loss();
    }
    assert_eq!(sender.estimate().algorithm, Algorithm::Bbr, "{:?}", sender.estimate());
}

#[test]
fn a_window_that_comes_back_faster_than_cubics_is_bbrs() {
    // It falls to 0.7 as CUBIC's does, and is what it was two rounds later.
    let mut sender = Sender::new(20 * MS, 50.0);
    for _ in 0..10 {
        [35.0, 42.0, 50.0].into_iter().for_each(|window| sender.round(window));
        sender.loss();
    }
    let estimate = sender.estimate();
    assert_eq!(estimate.algorithm, Algorithm::Bbr, "{estimate:?}");
    assert!(estimate.evidence.median_factor.is_some_and(|factor| factor < 0.75), "{estimate:?}");
}

/// Rounds of 50 segments, and every so many milliseconds 0.2 s with four.
fn dips(every_ms: i64, low: f64) -> AlgorithmEstimate {
    let mut sender = Sender::new(20 * MS, 25.0);
    for _ in 0..3 {
        let begin_ns = sender.now_ns;
        while sender.now_ns - begin_ns < every_ms * MS {
            sender.round(50.0);
        }
        (0..12).for_each(|_| sender.round(low));
    }
    sender.round(50.0);
    sender.estimate()
}

#[test]
fn bbr_drains_every_ten_seconds() {
    let estimate = dips(10_000, 4.0);
    assert_eq!((estimate.algorithm, estimate.evidence.probe_rtt_dips), (Algorithm::Bbr, 3), "{estimate:?}");
    assert!(estimate.evidence.probe_rtt_period_ns.is_some_and(|period| period >= 10_000 * MS), "{estimate:?}");
    // With more than four segments it is no drain, and more often than its filter allows it is not BBR's.
    assert_eq!(dips(10_000, 6.0).evidence.probe_rtt_dips, 0);
    assert_ne!(dips(3_000, 4.0).algorithm, Algorithm::Bbr);
}

#[test]
fn vegas_holds_a_few_segments_in_the_queue() {
    let mut sender = Sender::new(50 * MS, 30.0);
    (0..20).for_each(|round| sender.round(20.0 + f64::from(round) / 2.0));
    (0..500).for_each(|round| sender.round(33.0 + f64::from(round / 50 % 2)));
    let estimate = sender.estimate();
    assert_eq!(estimate.algorithm, Algorithm::Vegas, "{estimate:?}");
    // A window that lies far above the pipe, as steady as that, is limited by something else.
    let mut sender = Sender::new(50 * MS, 30.0);
    sender.round(20.0);
    (0..500).for_each(|_| sender.round(60.0));
    assert_eq!(sender.estimate().algorithm, Algorithm::Unknown);
}

#[test]
fn vegas_halves_as_reno_does_but_stays_or_falls_without_a_loss() {
    let mut sender = Sender::new(50 * MS, 40.0);
    for _ in 0..3 {
        (20..43).for_each(|window| sender.round(f64::from(window)));
        (0..100).for_each(|_| sender.round(43.0));
        sender.loss();
    }
    assert_eq!(sender.estimate().algorithm, Algorithm::Vegas, "{:?}", sender.estimate());
    // Somebody else keeps the queue.
    let mut sender = Sender::new(50 * MS, 40.0);
    (0..150).for_each(|round| sender.round(f64::from(200 - round)));
    assert_eq!(sender.estimate().algorithm, Algorithm::Vegas, "{:?}", sender.estimate());
}

#[test]
fn what_fits_nothing_or_is_not_seen_is_not_named() {
    let few = sawtooth(0.5, 40.0, 1.0, 1).estimate();
    assert_eq!(few.algorithm, Algorithm::Unknown, "{few:?}");
    let small = sawtooth(0.5, 4.0, 1.0, 50).estimate();
    assert_eq!(small.algorithm, Algorithm::Unknown, "{small:?}");
    // Three segments and then two are the least window, and not CUBIC's seven tenths.
    let least = sawtooth(0.7, 3.0, 1.0, 50).estimate();
    assert_eq!(least.algorithm, Algorithm::Unknown, "{least:?}");
    let far = estimate(&sawtooth(0.5, 40.0, 1.0, 6).rounds, SEGMENT as u32, false);
    assert_eq!((far.algorithm, far.confidence), (Algorithm::Unknown, 0.0));
}

#[test]
fn rounds_of_a_long_flow_take_no_more_memory() {
    let mut sender = sawtooth(0.5, 20.0, 1.0, 20);
    let bytes = sender.rounds.memory_bytes();
    for _ in 0..2_000 {
        (10..=20).for_each(|window| sender.round(f64::from(window)));
        sender.loss();
    }
    assert!(sender.rounds.memory_bytes() <= bytes.max(40_000), "{}", sender.rounds.memory_bytes());
    assert_eq!(sender.estimate().algorithm, Algorithm::Reno);
}
