//! A shaper: how fast the frames of a queue leave.
//!
//! A token bucket is kept as the instant at which it would be full again (the virtual scheduling of ATM's GCRA, ITU-T
//! I.371): one addition a frame instead of counting tokens in time, and exact, because what a nanosecond cannot
//! express is carried as a fraction of the rate. With a burst of at most one frame the shaper is a plain line that
//! takes size/rate for each frame; with more it releases a frame as soon as the tokens suffice, as Linux's `tbf`. One that
//! may owe releases it as soon as nothing is owed, whatever its size, as Linux's `htb` (`htb_class_mode` in `sch_htb.c`).
//!
//! While its rate is 0 nothing leaves and nothing is earned: the bucket is one of another rate, full at an instant that no run
//! reaches, and what it owes lies beyond that.

use super::deliveries::Deliveries;
use run::ShaperKind;
use std::hint::cold_path;
use units::{Bytes, ExactSpan, Rate, Span, Time};

/// In place of a rate of 0: a bit is a microsecond of debt.
const OUTAGE: Rate = Rate::from_bps(1_000_000);
/// Later than any run, by 292 years.
const BEYOND: Time = Time::from_nanos(1 << 63);
/// In place of none: a frame takes less than a nanosecond.
const UNLIMITED: Rate = Rate::from_bps(1_000_000_000_000_000_000);

/// A token bucket, or a plain line.
#[derive(Debug)]
pub struct Shaper {
    rate: Rate,
    /// Depth of the bucket; 0: a plain line.
    burst: Bytes,
    kind: ShaperKind,
    /// When the bucket will be full again: `full_at + rest/rate` ns. In the past: it is full. Of a line: when it is idle.
    full_at: Time,
    rest: u64,
    cost: Cost,
    /// A recorded line's, which has no rate.
    deliveries: Option<Box<Deliveries>>,
}

/// Times for frames of one size. Nearly all frames of a run have the same size, and a 128-bit division costs as
/// much as the rest of a hop's work.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: u32,
    /// On the line: size/rate.
    line: ExactSpan,
    /// How long before the bucket is full such a frame may leave: (burst - size)/rate, or burst/rate where the bucket may
    /// owe. A plain line: `None`.
    slack: Option<ExactSpan>,
}

impl Shaper {
    /// A full bucket. `frame` is the largest frame: a burst of no more makes a plain line of a `tbf`.
    pub fn new(kind: ShaperKind, rate: Rate, burst: Bytes, frame: Bytes) -> Self {
        let is_line = kind == ShaperKind::Tbf && burst <= frame;
        let burst = if is_line { Bytes::ZERO } else { burst };
        let out = Self { rate: OUTAGE, burst, kind, full_at: BEYOND, rest: 0, cost: Cost::default(), deliveries: None };
        let mut shaper = out;
        shaper.change_rate(rate, None, Time::ZERO);
        shaper
    }

    /// A recorded line, which transmits a frame when it could deliver as many bytes.
    pub fn recorded(deliveries: Deliveries) -> Self {
        let line = Self::new(ShaperKind::Tbf, OUTAGE, Bytes::ZERO, Bytes::ZERO);
        Self { deliveries: Some(Box::new(deliveries)), ..line }
    }

    /// Frames leave as they come.
    pub fn none() -> Self {
        Self::new(ShaperKind::Htb, UNLIMITED, Bytes::new(UNLIMITED.as_bytes_per_sec()), Bytes::ZERO)
    }

    /// When a frame leaves that is the first one to wait from now on. To be asked once for each frame: a plain line
    /// begins to transmit it.
    #[inline]
    pub fn departure(&mut self, bytes: u32, now: Time) -> Time {
        self.price(bytes);
        if self.cost.slack.is_none() {
            self.begin_transmission(bytes, now);
        }
        self.earliest(now)
    }

    #[inline(never)]
    fn begin_transmission(&mut self, bytes: u32, now: Time) {
        if let Some(deliveries) = &mut self.deliveries {
            cold_path();
            self.full_at = deliveries.transmit(bytes, now);
            return;
        }
        self.charge(bytes, now);
    }

    /// A policer's bucket has a frame's tokens now: it may [leave](Self::on_departure).
    pub fn admits(&mut self, bytes: u32, now: Time) -> bool {
        Bytes::from(bytes) <= self.burst && self.departure(bytes, now) <= now
    }

    /// Its rate is 0.
    pub fn is_out(&self) -> bool {
        self.full_at >= BEYOND
    }

    /// The frame leaves: a bucket's tokens go with it. A plain line has charged it when its transmission began.
    #[inline]
    pub fn on_departure(&mut self, bytes: u32, now: Time) {
        if self.cost.slack.is_some() {
            self.charge(bytes, now);
        }
    }

    /// From now on the rate is another one, or 0. Tokens and what remains of a frame keep their bytes. Gives the departure of
    /// the first frame that waits, of `head_bytes`.
    pub fn change_rate(&mut self, rate: Rate, head_bytes: Option<u32>, now: Time) -> Option<Time> {
        if self.deliveries.is_none() {
            let debt = self.full_at.saturating_since(if self.is_out() { BEYOND } else { now });
            let (rate, since) = if rate == Rate::default() { (OUTAGE, BEYOND) } else { (rate, now) };
            let scaled = u128::from(debt.as_nanos()) * u128::from(self.rate.as_bps()) / u128::from(rate.as_bps());
            self.full_at = since + Span::from_nanos(u64::try_from(scaled).expect("a burst leaves within 584 years"));
            self.rest = 0;
            self.rate = rate;
            self.cost = Cost::default();
        }
        self.price(head_bytes?);
        Some(self.earliest(now))
    }

    /// When a frame of the size priced last may leave.
    #[inline]
    fn earliest(&self, now: Time) -> Time {
        let Some(slack) = self.cost.slack else {
            return self.full_at + Span::from_nanos(u64::from(self.rest > 0));
        };
        // ceil(full_at + rest/rate - slack), not before now
        let round_up = Span::from_nanos(u64::from(self.rest > slack.rest));
        let earliest = (self.full_at + round_up).as_nanos().saturating_sub(slack.span.as_nanos());
        now.max(Time::from_nanos(earliest))
    }

    /// Takes a frame's tokens out of the bucket at `now`.
    #[inline]
    fn charge(&mut self, bytes: u32, now: Time) {
        self.price(bytes);
        // Full within this nanosecond is not yet idle: its fraction belongs to the frames before.
        if self.full_at + Span::from_nanos(u64::from(self.rest > 0)) < now {
            self.full_at = now;
            self.rest = 0;
        }
        self.full_at += self.cost.line.span;
        self.rest += self.cost.line.rest;
        if self.rest >= self.rate.as_bps() {
            self.rest -= self.rate.as_bps();
            self.full_at += Span::from_nanos(1);
        }
    }

    #[inline]
    fn price(&mut self, bytes: u32) {
        if self.cost.bytes != bytes {
            self.price_anew(bytes);
        }
    }

    #[cold]
    fn price_anew(&mut self, bytes: u32) {
        let frame = Bytes::from(bytes);
        let saved = match self.kind {
            ShaperKind::Tbf | ShaperKind::Police => self.burst.saturating_sub(frame),
            ShaperKind::Htb => self.burst,
        };
        let slack = (self.burst > Bytes::ZERO).then(|| self.rate.exact_time_for(saved));
        self.cost = Cost { bytes, line: self.rate.exact_time_for(frame), slack };
    }
}
