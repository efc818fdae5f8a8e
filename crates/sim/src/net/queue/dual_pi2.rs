//! DualPI2 (RFC 9332): a low-latency queue for packets that say by ECT(1) that their sender answers to each mark a little, a
//! classic one for the others, and one controller whose probability is squared for these and multiplied for those.
//!
//! As Linux has it (6.17 and later, `sch_dualpi2.c`, with its defaults): both share one limit; frames are judged as they leave,
//! none where two or fewer wait; the delay is the longer of the two heads'; a tenth of the line is the classic queue's even
//! where the other one is never empty; when the coupled probability is beyond 1, packets of both are dropped.

use super::frames::{Frames, Queued};
use super::staged::{Management, Stage, mark};
use super::{Fate, SubQueue, Verdict, room_for};
use crate::engine::Stream;
use crate::net::packet::{Ecn, Packet};
use run::DualPi2 as Parameters;
use units::{Span, Time};

/// A probability of 1.
const ONE: u64 = u32::MAX as u64;
/// Weights are given in 256ths a second, and kept for steps of 64 ns.
const WEIGHT_SHIFT: u32 = 2;
const STEP_SHIFT: u32 = 6;
/// Of a hundred bytes, where both queues have some (`c_protection`).
const CLASSIC_SHARE: i64 = 10;
const SCALABLE_SHARE: i64 = 90;

/// Whether a frame has ECT(1), or a mark already.
fn is_scalable(packet: &Packet) -> bool {
    packet.marks.ecn() & Ecn::Ect1 as u8 != 0
}

/// Both queues, and their controller.
#[derive(Debug)]
pub struct DualPi2 {
    limit: usize,
    target_ns: i64,
    period: Span,
    alpha: i64,
    beta: i64,
    coupling: u64,
    step_ns: u64,
    frame_bytes: u64,
    stream: Stream,
    scalable: Frames,
    classic: Frames,
    /// Which queue is served next where both have frames: the scalable one while it is not positive.
    credit: i64,
    first_credit: i64,
    next_update: Time,
    probability: u64,
    delay_before_ns: i64,
}

impl DualPi2 {
    /// Empty queues for so many frames together, of at most so many bytes each.
    pub fn new(parameters: &Parameters, limit: usize, frame_bytes: u64, stream: Stream) -> Self {
        let weight = |parts: u32| (((u64::from(parts) * ONE) >> WEIGHT_SHIFT) / 1_000_000_000) as i64;
        let period = Span::from_nanos(parameters.tupdate_ns);
        let first_credit = frame_bytes as i64 * (CLASSIC_SHARE - SCALABLE_SHARE);
        Self {
            limit,
            target_ns: parameters.target_ns as i64,
            period,
            alpha: weight(parameters.alpha),
            beta: weight(parameters.beta),
            coupling: u64::from(parameters.coupling),
            step_ns: parameters.step_ns,
            frame_bytes,
            stream,
            scalable: Frames::default(),
            classic: Frames::default(),
            credit: first_credit,
            first_credit,
            next_update: Time::ZERO + period,
            probability: 0,
            delay_before_ns: 0,
        }
    }

    /// The controller's updates until now; between them nothing happened.
    fn update_until(&mut self, now: Time) {
        while self.next_update <= now {
            let is_at_rest = self.probability == 0 && self.delay_before_ns == 0 && self.waiting() == 0;
            let missed = if is_at_rest { now.since(self.next_update).as_nanos() / self.period.as_nanos() } else { 0 };
            self.update();
            self.next_update += Span::from_nanos((missed + 1) * self.period.as_nanos());
        }
    }

    /// One update of the base probability (RFC 9332 appendix A.1).
    fn update(&mut self) {
        let at = self.next_update;
        let heads = [self.classic.first(), self.scalable.first()];
        let delays = heads.into_iter().flatten().map(|head| at.saturating_since(head.since).as_nanos() as i64);
        let delay_ns = delays.max().unwrap_or(0);
        let weighed = |weight: i64, than_ns: i64| i128::from(delay_ns - than_ns) * i128::from(weight);
        let change = weighed(self.alpha, self.target_ns) + weighed(self.beta, self.delay_before_ns);
        self.delay_before_ns = delay_ns;
        // Rounded towards 0, as the kernel divides amounts.
        let probability = i128::from(self.probability) + change / (1 << STEP_SHIFT);
        self.probability = u64::try_from(probability.max(0)).unwrap_or(ONE).min(ONE);
    }

    /// Chance strikes with this probability.
    fn strikes(&mut self, probability: u64) -> bool {
        self.stream.below(1 << 32) <= probability
    }

    /// The next frame is taken into `out`: whether it is of the scalable queue, and by how much the credit changes if it leaves.
    fn pull(&mut self, out: &mut Queued) -> Option<(bool, i64)> {
        let is_scalable = !self.scalable.is_empty() && (self.classic.is_empty() || self.credit <= 0);
        let (own, other) =
            if is_scalable { (&mut self.scalable, &self.classic) } else { (&mut self.classic, &self.scalable) };
        if !own.pop(out) {
            return None;
        }
        let bytes = i64::from(out.packet.frame_bytes);
        let change = match (other.is_empty(), is_scalable) {
            (true, _) => 0,
            (false, true) => CLASSIC_SHARE * bytes,
            (false, false) => -SCALABLE_SHARE * bytes,
        };
        Some((is_scalable, change))
    }

    /// Whether a frame is to be dropped; it may be marked instead.
    fn drops(&mut self, frame: &mut Queued, is_scalable: bool, fates: &mut Vec<Fate>) -> bool {
        if self.scalable.bytes() + self.classic.bytes() < 2 * self.frame_bytes {
            return false;
        }
        let (probability, coupled) = (self.probability, self.probability * self.coupling);
        let is_overload = coupled > ONE;
        if is_scalable && !is_overload {
            return self.strikes(coupled) && !mark(&mut frame.packet, fates);
        }
        let is_struck = self.strikes(probability) && self.strikes(probability);
        if is_scalable && !is_struck {
            mark(&mut frame.packet, fates);
        }
        is_struck && (is_overload || !mark(&mut frame.packet, fates))
    }
}

impl Management for DualPi2 {
    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, _: &mut Vec<Fate>) -> Verdict {
        self.update_until(now);
        if self.waiting() + stage.frames() >= self.limit {
            return Verdict::Dropped;
        }
        if is_scalable(packet) { &mut self.scalable } else { &mut self.classic }.push(packet, now);
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Queued, fates: &mut Vec<Fate>) -> bool {
        self.update_until(now);
        while let Some((is_scalable, change)) = self.pull(out) {
            if self.drops(out, is_scalable, fates) {
                fates.push(Fate::dropped(out.packet));
                continue;
            }
            if is_scalable && now.since(out.since).as_nanos() > self.step_ns {
                mark(&mut out.packet, fates);
            }
            self.credit += change;
            return true;
        }
        self.credit = self.first_credit;
        false
    }

    fn set_limit(&mut self, limit: u64) {
        self.limit = room_for(limit);
    }

    fn waiting(&self) -> usize {
        self.scalable.len() + self.classic.len()
    }

    fn queue_of(&self, packet: &Packet) -> SubQueue {
        SubQueue { number: u32::from(is_scalable(packet)), is_new: false }
    }

    fn low_latency_packets(&self) -> Option<u64> {
        Some(self.scalable.packets().map(Packet::wire_segments).sum())
    }

    fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Packet)) {
        self.scalable.packets().chain(self.classic.packets()).for_each(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::stream;
    use crate::net::packet::Marks;
    use crate::net::queue::Discipline;
    use crate::net::queue::staged::Staged;
    use run::ShaperKind;

    const FRAME_BYTES: u32 = 1_514;
    const PARAMETERS: Parameters = Parameters {
        target_ns: 15_000_000,
        tupdate_ns: 16_000_000,
        alpha: 41,
        beta: 819,
        coupling: 2,
        step_ns: 1_000_000,
    };

    fn queues() -> DualPi2 {
        DualPi2::new(&PARAMETERS, 10_000, u64::from(FRAME_BYTES), stream(1, "dualpi2"))
    }

    fn frame(ecn: Ecn) -> Packet {
        Packet { frame_bytes: FRAME_BYTES, segments: 1, marks: Marks::new(false, ecn), ..Packet::default() }
    }

    #[test]
    fn the_classic_queue_has_a_tenth_where_the_other_is_never_empty() {
        let mut queue = Staged::new(queues(), ShaperKind::Htb);
        let (mut fates, mut classic) = (Vec::new(), 0);
        for ecn in [Ecn::NotEct, Ecn::Ect1] {
            (0..2_000).for_each(|_| assert_eq!(queue.enqueue(frame(ecn), Time::ZERO, &mut fates), Verdict::Queued));
        }
        let mut left = Packet::default();
        for _ in 0..1_000 {
            assert!(queue.dequeue(Time::ZERO, &mut left, &mut fates));
            classic += u32::from(left.marks.ecn() == Ecn::NotEct as u8);
        }
        assert!((99..=101).contains(&classic), "{classic}");
        assert!(fates.is_empty(), "no delay, no marks");
    }

    #[test]
    fn what_is_scalable_is_marked_above_the_step_and_what_is_not_is_not() {
        for (ecn, is_marked) in [(Ecn::Ect1, true), (Ecn::Ect0, false), (Ecn::NotEct, false)] {
            let mut queue = Staged::new(queues(), ShaperKind::Htb);
            let (mut fates, mut left) = (Vec::new(), Packet::default());
            queue.enqueue(frame(ecn), Time::ZERO, &mut fates);
            queue.dequeue(Time::from_nanos(1_000_001), &mut left, &mut fates);
            assert_eq!(left.marks.ecn() == Ecn::CongestionExperienced as u8, is_marked, "{ecn:?}");
        }
    }

    #[test]
    fn of_a_standing_queue_classic_packets_are_dropped_by_the_square() {
        let mut queue = queues();
        let mut fates = Vec::new();
        for nth in 0..1_000_u64 {
            let since = Time::from_nanos(nth * 1_000);
            queue.enqueue(&mut frame(Ecn::NotEct), since, &Stage::default(), &mut fates);
        }
        queue.probability = ONE / 4;
        let (now, mut left) = (Time::from_nanos(2_000_000), Queued::default());
        while queue.waiting() > 10 {
            queue.dequeue(now, &mut left, &mut fates);
        }
        let dropped = fates.iter().filter(|fate| !fate.is_marked()).count();
        // A sixteenth of a thousand is 62; five standard deviations are 38.
        assert!((24..=101).contains(&dropped), "{dropped}");
        let mut marked = queues();
        for nth in 0..1_000_u64 {
            let since = Time::from_nanos(2_000_000 + nth);
            marked.enqueue(&mut frame(Ecn::Ect1), since, &Stage::default(), &mut fates);
        }
        fates.clear();
        marked.probability = ONE / 4;
        (0..900).for_each(|_| assert!(marked.dequeue(Time::from_nanos(2_100_000), &mut left, &mut fates)));
        assert!((370..530).contains(&fates.len()), "half of them are marked: {}", fates.len());
    }

    #[test]
    fn the_probability_follows_the_delay() {
        let mut queue = queues();
        queue.enqueue(&mut frame(Ecn::NotEct), Time::ZERO, &Stage::default(), &mut Vec::new());
        queue.update_until(Time::from_nanos(16_000_000));
        // alpha (16 - 15 ms) + beta (16 - 0 ms) = 0.16 x 0.001 + 3.2 x 0.016
        let share = queue.probability as f64 / ONE as f64;
        assert!((share - (0.16 * 0.001 + 3.2 * 0.016)).abs() < 2e-4, "{share}");
    }
}
