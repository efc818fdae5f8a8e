//! [`Slots`]: when packets that have arrived are handed over, each by itself or in lumps.
//!
//! Lumps of a period T follow Linux 6.1 `netem` with `slot T T` (`netem_dequeue`, `get_slot_next`): packets are handed over
//! when a slot ends, all that have arrived by then. A slot is chosen anew whenever netem looks at its first packet and the
//! last slot ends before that packet arrives: it ends T after that look. netem looks when a packet enters its delay, when
//! the first one arrives, and when it has handed over. So after a pause longer than the delay a slot ends T after the first
//! packet has arrived (or has entered, where the delay is shorter than T); while traffic is dense, with packets under way,
//! each slot ends T after the one before.

use units::{Span, Time};

/// The next hand-over of a hop.
#[derive(Debug)]
pub struct Slots {
    /// T; zero: every packet is handed over when it arrives.
    period: Span,
    /// The end of the slot chosen last.
    slot_end: Option<Time>,
    /// The next hand-over; `NEVER`: none.
    next: Time,
}

impl Slots {
    /// Those of a period; of none: every packet is handed over when it arrives.
    pub const fn new(period: Span) -> Self {
        Self { period, slot_end: None, next: Time::NEVER }
    }

    /// Every packet is handed over when it arrives.
    pub const fn are_none(&self) -> bool {
        self.period.as_nanos() == 0
    }

    /// netem looks at its first packet, which arrives at `arrival`. Gives the hand-over to schedule, in place of the one
    /// before, when it has changed.
    #[inline]
    pub fn plan(&mut self, arrival: Time, now: Time) -> Option<Time> {
        let next = if self.period == Span::ZERO { arrival } else { self.choose_slot(arrival, now) };
        let changed = next != self.next;
        self.next = next;
        changed.then_some(next)
    }

    /// Whether a hand-over is due.
    #[inline]
    pub fn is_end(&self, now: Time) -> bool {
        now == self.next
    }

    /// Whether a hand-over is due, which it then is no more: an event of before the last [plan](Self::plan) is void.
    #[inline]
    pub fn end(&mut self, now: Time) -> bool {
        let is_due = self.is_end(now);
        if is_due {
            self.next = Time::NEVER;
        }
        is_due
    }

    /// The end of the slot in which a packet that arrives at `arrival` is handed over, as far as is known now. What
    /// netem does at the arrival itself is foreseen, which spares an event: if it does not look before, a slot begins.
    #[inline]
    fn choose_slot(&mut self, arrival: Time, now: Time) -> Time {
        if self.slot_end < Some(arrival) {
            self.slot_end = Some(now.min(arrival) + self.period);
        }
        self.slot_end.filter(|end| *end >= arrival).unwrap_or(arrival + self.period)
    }
}
