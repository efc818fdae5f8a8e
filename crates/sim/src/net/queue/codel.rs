//! CoDel (RFC 8289): a packet is dropped, or marked, when the least time that packets wait has been above a target for an
//! interval; and while it stays there, more and more often, by the square root of how many were.
//!
//! As Linux has it (6.1 `codel_impl.h`): time is counted in steps of 1024 ns, the inverse square root is kept in 16 bits and
//! follows its argument by one step of Newton's method each, and a queue of one frame drops nothing.

use super::frames::{Frames, Queued};
use super::staged::{Management, Stage, mark};
use super::{Fate, Verdict, room_for};
use crate::net::packet::Packet;
use run::Codel as Parameters;
use units::{Time, low_bits};

/// Nanoseconds of a step, as a power of two.
const STEP: u32 = 10;
const MEMORY: u32 = run::Codel::MEMORY_INTERVALS;
/// An instant before the beginning, in steps: a quarter of the clock's range.
const LONG_AGO: u32 = 0_u32.wrapping_sub(1 << 30);

/// Parameters in steps.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    target: u32,
    interval: u32,
    marks: bool,
    threshold: Option<u32>,
    /// Which values of the ECN field are marked by the threshold: value and mask.
    selector: (u8, u8),
    /// A full frame.
    frame_bytes: u64,
}

impl Settings {
    /// Those of a discipline that sends frames of at most so many bytes.
    pub fn new(codel: &Parameters, selector: Option<(u8, u8)>, frame_bytes: u64) -> Self {
        let steps = |ns: u64| u32::try_from(ns >> STEP).unwrap_or(u32::MAX);
        Self {
            target: steps(codel.target_ns),
            interval: steps(codel.interval_ns),
            marks: codel.ecn,
            threshold: codel.ce_threshold_ns.map(steps),
            selector: selector.unwrap_or((0, 0)),
            frame_bytes,
        }
    }
}

/// The control law's memory, of one queue.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Drops since it began to drop.
    pub count: u32,
    last_count: u32,
    is_dropping: bool,
    /// 1/sqrt(count), in 2^-16.
    inverse_root: u16,
    /// When the delay will have been above the target for an interval; 0: it is not above.
    first_above: u32,
    next_drop: u32,
    /// How long the last frame waited.
    delay: u32,
}

impl Default for Law {
    /// A kernel has been up for longer than the memory lasts: drops for want of room, which count, are not remembered by the
    /// first that the law makes. Its root, of nothing, would never grow.
    fn default() -> Self {
        Self {
            count: 0,
            last_count: 0,
            is_dropping: false,
            inverse_root: 0,
            first_above: 0,
            next_drop: LONG_AGO,
            delay: 0,
        }
    }
}

/// What the law has pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pulled {
    /// Nothing.
    None,
    /// A frame.
    InTime,
    /// A frame, when the delay has been above the target for an interval.
    Late,
}

/// A queue from which the law takes.
pub trait Source {
    /// The next frame is taken into `out`, if there is one.
    fn pull(&mut self, out: &mut Queued) -> bool;

    /// What is left, of all queues together.
    fn bytes(&self) -> u64;
}

/// An instant in steps, on a clock that wraps.
const fn steps(time: Time) -> u32 {
    low_bits(time.as_nanos() >> STEP)
}

/// `a` is not before `b`, on a clock that wraps.
const fn reaches(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 >= 0
}

impl Law {
    /// The next frame that may leave is taken into `out`, if there is one; what is dropped or marked before is added to
    /// `fates`.
    #[inline]
    pub fn take(
        &mut self,
        settings: &Settings,
        source: &mut impl Source,
        now: Time,
        out: &mut Queued,
        fates: &mut Vec<Fate>,
    ) -> bool {
        let now = steps(now);
        let pulled = self.pull(settings, source, now, out);
        if pulled != Pulled::Late && settings.threshold.is_none() {
            // Nearly every frame.
            self.is_dropping = false;
            return pulled != Pulled::None;
        }
        self.decide(settings, source, now, (out, pulled), fates)
    }

    /// What [takes](Self::take), where a frame was pulled late or there is a threshold.
    fn decide(
        &mut self,
        settings: &Settings,
        source: &mut impl Source,
        now: u32,
        (out, mut pulled): (&mut Queued, Pulled),
        fates: &mut Vec<Fate>,
    ) -> bool {
        if self.is_dropping {
            self.is_dropping = pulled == Pulled::Late;
            while self.is_dropping && reaches(now, self.next_drop) {
                self.count = self.count.wrapping_add(1);
                self.step_root();
                let is_marked = Self::answer(settings, out, fates);
                if !is_marked {
                    pulled = self.pull(settings, source, now, out);
                    self.is_dropping = pulled == Pulled::Late;
                }
                if self.is_dropping {
                    self.next_drop = self.later(settings, self.next_drop);
                }
                if is_marked {
                    break;
                }
            }
        } else if pulled == Pulled::Late {
            if !Self::answer(settings, out, fates) {
                pulled = self.pull(settings, source, now, out);
            }
            self.begin(settings, now);
        }
        if pulled == Pulled::None {
            return false;
        }
        let is_selected = out.packet.marks.ecn() & settings.selector.1 == settings.selector.0;
        if is_selected && settings.threshold.is_some_and(|threshold| self.delay > threshold) {
            mark(&mut out.packet, fates);
        }
        true
    }

    /// A frame is marked, or else dropped.
    fn answer(settings: &Settings, frame: &mut Queued, fates: &mut Vec<Fate>) -> bool {
        let is_marked = settings.marks && mark(&mut frame.packet, fates);
        if !is_marked {
            fates.push(Fate::dropped(frame.packet));
        }
        is_marked
    }

    /// The next frame is taken into `out`.
    #[inline]
    fn pull(&mut self, settings: &Settings, source: &mut impl Source, now: u32, out: &mut Queued) -> Pulled {
        if !source.pull(out) {
            self.first_above = 0;
            return Pulled::None;
        }
        self.delay = now.wrapping_sub(steps(out.since));
        if self.delay < settings.target || source.bytes() <= settings.frame_bytes {
            self.first_above = 0;
        } else if self.first_above == 0 {
            self.first_above = now.wrapping_add(settings.interval);
        } else {
            return if reaches(self.first_above, now) { Pulled::InTime } else { Pulled::Late };
        }
        Pulled::InTime
    }

    /// It begins to drop: as often as it did at the end, if that was not long ago.
    fn begin(&mut self, settings: &Settings, now: u32) {
        self.is_dropping = true;
        let since = self.count.wrapping_sub(self.last_count);
        if since > 1 && !reaches(now.wrapping_sub(self.next_drop), MEMORY * settings.interval) {
            self.count = since;
            self.step_root();
        } else {
            (self.count, self.inverse_root) = (1, u16::MAX);
        }
        self.last_count = self.count;
        self.next_drop = self.later(settings, now);
    }

    /// The drop after one at this time: interval / sqrt(count) later (RFC 8289 section 4.2).
    fn later(&self, settings: &Settings, time: u32) -> u32 {
        time.wrapping_add(low_bits((u64::from(settings.interval) * u64::from(self.inverse_root)) >> 16))
    }

    /// The root follows the count by one step of Newton's method: x (3 - count x^2) / 2, in fixed point.
    fn step_root(&mut self) {
        let root = u64::from(self.inverse_root) << 16;
        let three = (3_u64 << 32).wrapping_sub(u64::from(self.count) * ((root * root) >> 32));
        self.inverse_root = (((three >> 2).wrapping_mul(root) >> 31) >> 16) as u16;
    }
}

/// One queue under the law.
#[derive(Debug)]
pub struct Codel {
    settings: Settings,
    limit: usize,
    law: Law,
    frames: Frames,
}

impl Source for Frames {
    #[inline]
    fn pull(&mut self, out: &mut Queued) -> bool {
        self.pop(out)
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

impl Codel {
    /// An empty queue for so many frames.
    pub fn new(settings: Settings, limit: usize) -> Self {
        Self { settings, limit, law: Law::default(), frames: Frames::default() }
    }
}

impl Management for Codel {
    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, _: &mut Vec<Fate>) -> Verdict {
        if self.frames.len() + stage.frames() >= self.limit {
            return Verdict::Dropped;
        }
        self.frames.push(packet, now);
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Queued, fates: &mut Vec<Fate>) -> bool {
        self.law.take(&self.settings, &mut self.frames, now, out, fates)
    }

    fn set_limit(&mut self, limit: u64) {
        self.limit = room_for(limit);
    }

    fn waiting(&self) -> usize {
        self.frames.len()
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.frames.packets().for_each(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::packet::{Ecn, Marks};
    use crate::net::queue::Discipline;
    use crate::net::queue::staged::Staged;
    use run::ShaperKind;
    use units::Span;

    const FRAME_BYTES: u32 = 1_514;

    fn settings(marks: bool) -> Settings {
        let codel = run::Codel { target_ns: 5_000_000, interval_ns: 100_000_000, ecn: marks, ce_threshold_ns: None };
        Settings::new(&codel, None, u64::from(FRAME_BYTES))
    }

    fn packet(ecn: Ecn) -> Packet {
        Packet { frame_bytes: FRAME_BYTES, segments: 1, marks: Marks::new(false, ecn), ..Packet::default() }
    }

    /// When frames are dropped or marked of a queue to which two come for each that leaves, one a millisecond, s.
    fn times(marks: bool, ecn: Ecn, count: usize) -> Vec<f64> {
        let mut queue = Staged::new(Codel::new(settings(marks), 1_000_000), ShaperKind::Htb);
        let (mut fates, mut times, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
        while times.len() < count {
            for _ in 0..2 {
                assert_eq!(queue.enqueue(packet(ecn), now, &mut fates), Verdict::Queued);
            }
            queue.dequeue(now, &mut Packet::default(), &mut fates);
            for fate in fates.drain(..) {
                assert_eq!(fate.is_marked(), marks && ecn != Ecn::NotEct);
                times.push(now.as_nanos() as f64 / 1e9);
            }
            now += Span::from_millis(1);
        }
        times
    }

    /// A count that overflow left before the law dropped anything (FQ-CoDel's fattest flow) is forgotten at the first drop.
    #[test]
    fn the_first_drop_remembers_no_overflow() {
        let settings = settings(false);
        let mut law = Law { count: 64, ..Law::default() };
        law.begin(&settings, settings.interval);
        assert_eq!((law.count, law.inverse_root), (1, u16::MAX));
    }

    #[test]
    fn drops_follow_one_another_by_the_square_root_of_their_number() {
        for (marks, ecn) in [(false, Ecn::NotEct), (true, Ecn::NotEct), (true, Ecn::Ect0)] {
            let times = times(marks, ecn, 100);
            // Two come while one leaves, so the sojourn time is above 5 ms from 10 ms on, and so for an interval at 110 ms.
            assert!((0.109..0.112).contains(&times[0]), "{}", times[0]);
            let mut expected = times[0];
            for (nth, time) in times.iter().enumerate().skip(1) {
                expected += 0.1 / (nth as f64).sqrt();
                // The first step of Newton's method leads from 1 to 1/2 and not to 1/sqrt(2): the third drop is 21 ms early.
                assert!((-0.030..0.012).contains(&(time - expected)), "{nth}: {time}, {expected}");
            }
        }
    }

    #[test]
    fn a_queue_that_was_dropping_not_long_ago_goes_on_as_it_did() {
        let mut law = Law { count: 20, last_count: 5, next_drop: 1_000_000, inverse_root: 20_000, ..Law::default() };
        let settings = settings(false);
        law.begin(&settings, 1_000_000 + 15 * settings.interval);
        assert_eq!((law.count, law.last_count), (15, 15));
        law.begin(&settings, law.next_drop + MEMORY * settings.interval);
        assert_eq!((law.count, law.inverse_root), (1, u16::MAX));
    }

    #[test]
    fn the_inverse_root_converges() {
        let mut law = Law { count: 1, inverse_root: u16::MAX, ..Law::default() };
        for count in 2..1_000 {
            law.count = count;
            law.step_root();
            let exact = 65_536.0 / f64::from(count).sqrt();
            assert!(count < 6 || (f64::from(law.inverse_root) / exact - 1.0).abs() < 0.05, "{count}");
        }
    }

    #[test]
    fn a_queue_of_a_frame_drops_nothing_and_a_full_one_what_comes() {
        let mut queue = Staged::new(Codel::new(settings(false), 2), ShaperKind::Tbf);
        let mut fates = Vec::new();
        assert_eq!(queue.enqueue(packet(Ecn::NotEct), Time::ZERO, &mut fates), Verdict::Queued);
        queue.stage(Time::ZERO, &mut fates);
        assert_eq!(queue.enqueue(packet(Ecn::NotEct), Time::ZERO, &mut fates), Verdict::Queued);
        assert_eq!(queue.enqueue(packet(Ecn::NotEct), Time::ZERO, &mut fates), Verdict::Dropped, "with what is staged");
        for second in 1..5 {
            let now = Time::from_nanos(second * 1_000_000_000);
            assert!(queue.dequeue(now, &mut Packet::default(), &mut fates));
            assert_eq!(queue.enqueue(packet(Ecn::NotEct), now, &mut fates), Verdict::Queued);
        }
        assert!(fates.is_empty());
        let counters = queue.counters(Time::ZERO);
        assert_eq!((counters.offered_packets, counters.dropped_packets, counters.queued_packets), (7, 1, 2));
    }

    #[test]
    fn a_threshold_marks_what_is_selected() {
        let codel = run::Codel {
            target_ns: 50_000_000,
            interval_ns: 100_000_000,
            ecn: false,
            ce_threshold_ns: Some(1_000_000),
        };
        for (selector, marked) in [(None, [false, true, true]), (Some((1, 1)), [false, true, false])] {
            let settings = Settings::new(&codel, selector, u64::from(FRAME_BYTES));
            let mut queue = Staged::new(Codel::new(settings, 10), ShaperKind::Htb);
            let (mut fates, ecns) = (Vec::new(), [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0]);
            for (ecn, is_marked) in ecns.into_iter().zip(marked) {
                queue.enqueue(packet(ecn), Time::ZERO, &mut fates);
                let mut left = Packet::default();
                assert!(queue.dequeue(Time::from_nanos(1_026_000), &mut left, &mut fates));
                assert_eq!(left.marks.ecn() == Ecn::CongestionExperienced as u8, is_marked, "{ecn:?}, {selector:?}");
            }
            assert_eq!(queue.counters(Time::ZERO).marked_packets, marked.iter().filter(|it| **it).count() as u64);
        }
    }
}
