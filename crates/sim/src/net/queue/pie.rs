//! PIE (RFC 8033): a packet that comes is dropped, or marked, with a probability that a controller raises and lowers by how
//! long packets wait.
//!
//! As Linux has it (6.1 `sch_pie.c`): the delay is that of the last packet that left, taken from its time stamp; drops are
//! spread by an accumulated probability (RFC 8033 section 5.4); time is counted in steps of 64 ns. The controller runs on a
//! timer of the wheel, which is a tick late: every 16 ms where 15 are written.

use super::frames::{Frames, Queued};
use super::staged::{Management, Stage, mark};
use super::{Fate, Verdict, room_for};
use crate::engine::{Stream, jiffies, on_wheel};
use crate::net::packet::Packet;
use run::Pie as Parameters;
use units::{Span, Time};

/// A step of the clock, ns.
const STEP_NS: u64 = 64;
const STEPS_PER_S: u64 = 1_000_000_000 / STEP_NS;
/// A probability of 1.
const ONE: u64 = u64::MAX >> 8;
/// What may come at once after a pause (RFC 8033 section 4.2, `MAX_BURST`), in steps.
const BURST: u64 = 150_000_000 / STEP_NS;
/// Below this accumulated probability no packet is struck, from that on each is (RFC 8033 section 5.4).
const SPARED: u64 = ONE / 100 * 85;
const STRUCK: u64 = ONE / 2 * 17;
/// From this delay on the probability rises by 2 % more an update (RFC 8033 section 5.2), in steps.
const HIGH_DELAY: u64 = 250_000_000 / STEP_NS;

/// A queue under the controller.
#[derive(Debug)]
pub struct Pie {
    limit: usize,
    marks: bool,
    target: u64,
    period: Span,
    /// Weights of a step of delay, for a probability of 10 % and more.
    alpha: i64,
    beta: i64,
    frame_bytes: u64,
    stream: Stream,
    frames: Frames,
    next_update: Time,
    probability: u64,
    accumulated: u64,
    /// What of a burst is still let through.
    burst: u64,
    delay: u64,
    delay_before: u64,
    /// When a packet left last; none since the controller began anew.
    left: Option<Time>,
}

impl Pie {
    /// An empty queue for so many frames, of at most so many bytes each.
    pub fn new(parameters: &Parameters, limit: usize, frame_bytes: u64, stream: Stream) -> Self {
        let weight = |sixteenths: u32| ((u64::from(sixteenths) * (ONE / STEPS_PER_S)) >> 4) as i64;
        let period = on_wheel(Time::ZERO, jiffies(parameters.tupdate_ns / 1_000)).since(Time::ZERO);
        Self {
            limit,
            marks: parameters.ecn,
            target: parameters.target_ns / STEP_NS,
            period,
            alpha: weight(parameters.alpha),
            beta: weight(parameters.beta),
            frame_bytes,
            stream,
            frames: Frames::default(),
            next_update: Time::ZERO + period,
            probability: 0,
            accumulated: 0,
            burst: BURST,
            delay: 0,
            delay_before: 0,
            left: None,
        }
    }

    /// The controller's updates until now; between them nothing happened, and the queue was as empty as it is.
    fn update_until(&mut self, now: Time, is_empty: bool) {
        while self.next_update <= now {
            self.update(is_empty);
            self.next_update += self.period;
            if is_empty && self.is_at_rest() {
                // Nothing changes any more until a packet comes.
                let missed = now.saturating_since(self.next_update).as_nanos() / self.period.as_nanos();
                self.next_update += Span::from_nanos(missed * self.period.as_nanos());
            }
        }
    }

    const fn is_at_rest(&self) -> bool {
        self.probability == 0 && self.delay == 0 && self.delay_before == 0 && self.burst == BURST
    }

    /// One update of the probability (RFC 8033 section 4.2, and 5.5 for small ones).
    fn update(&mut self, is_empty: bool) {
        let before = self.probability;
        let mut divisor = 1;
        if before < ONE / 10 {
            divisor = 2;
            let mut share = 100;
            while share <= 1_000_000 && before < ONE / share {
                (divisor, share) = (divisor * 4, share * 10);
            }
        }
        let weighed = |weight: i64, than: u64| {
            let beyond = i128::from(self.delay) - i128::from(than);
            i128::from(weight / divisor) * beyond
        };
        let change = weighed(self.alpha, self.target) + weighed(self.beta, self.delay_before);
        // More than a probability of 1 is as much as that.
        let mut change = i64::try_from(change).unwrap_or(if change < 0 { i64::MIN } else { i64::MAX });
        if change > (ONE / 50) as i64 && before >= ONE / 10 {
            change = (ONE / 50) as i64;
        }
        if self.delay > HIGH_DELAY {
            change = change.saturating_add((ONE / 50) as i64);
        }
        self.probability = before.saturating_add_signed(change).min(ONE);
        if self.delay == 0 && self.delay_before == 0 && is_empty {
            self.probability -= self.probability / 64;
        }
        if self.delay < self.target / 2 && self.delay_before < self.target / 2 && self.probability == 0 {
            (self.burst, self.accumulated, self.left) = (BURST, 0, None);
        }
        self.delay_before = self.delay;
    }

    /// The probability that chance strikes a packet that comes (RFC 8033 sections 4.1 and 5.4).
    fn chance(&mut self, queued_bytes: u64) -> u64 {
        let is_calm = self.delay < self.target / 2 && self.probability < ONE / 5;
        if self.burst > 0 || is_calm || queued_bytes < 2 * self.frame_bytes {
            return 0;
        }
        self.accumulated = if self.probability == 0 { 0 } else { self.accumulated + self.probability };
        match self.accumulated {
            ..SPARED => 0,
            STRUCK.. => ONE,
            _ => self.probability,
        }
    }

    fn strikes(&mut self, queued_bytes: u64) -> bool {
        let chance = self.chance(queued_bytes);
        if chance == 0 || chance == ONE {
            return chance == ONE;
        }
        let strikes = self.stream.below(1 << 56) < chance;
        if strikes {
            self.accumulated = 0;
        }
        strikes
    }
}

impl Management for Pie {
    #[inline]
    fn enqueue(&mut self, packet: &mut Packet, now: Time, stage: &Stage, fates: &mut Vec<Fate>) -> Verdict {
        let queued_bytes = self.frames.bytes() + stage.bytes();
        self.update_until(now, queued_bytes == 0);
        let is_full = self.frames.len() + stage.frames() >= self.limit;
        let may_mark = self.marks && self.probability <= ONE / 10;
        if is_full || self.strikes(queued_bytes) && !(may_mark && mark(packet, fates)) {
            self.accumulated = 0;
            return Verdict::Dropped;
        }
        self.frames.push(packet, now);
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut Queued, _: &mut Vec<Fate>) -> bool {
        self.update_until(now, false);
        if !self.frames.pop(out) {
            return false;
        }
        self.delay = if self.frames.is_empty() { 0 } else { now.since(out.since).as_nanos() / STEP_NS };
        let since_last = self.left.replace(now).map_or(0, |left| now.since(left).as_nanos() / STEP_NS);
        self.burst = self.burst.saturating_sub(since_last);
        true
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
impl Pie {
    /// The same, whose controller makes its first update then.
    pub fn updated_from(self, first: Time) -> Self {
        Self { next_update: first, ..self }
    }

    /// A frame comes, and is dropped or not as somebody else decided: with which probability it would have been dropped.
    pub fn decided(&mut self, frame: &Queued, stage: &Stage, is_dropped: bool) -> f64 {
        let queued_bytes = self.frames.bytes() + stage.bytes();
        self.update_until(frame.since, queued_bytes == 0);
        let chance = self.chance(queued_bytes) as f64 / ONE as f64;
        if is_dropped {
            self.accumulated = 0;
        } else {
            self.frames.push(&frame.packet, frame.since);
        }
        chance
    }
}
