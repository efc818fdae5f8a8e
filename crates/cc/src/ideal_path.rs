//! A sender and one bottleneck, for tests: enough of a transport to close the loop around an algorithm, no more.
//!
//! Segments leave when window and pacing let them, wait in one queue, and are acknowledged a fixed time after they left
//! the bottleneck. What overflows the queue or exceeds the policer is lost, and is known to be when a later segment is
//! acknowledged; its data is not sent again, only counted. Recovery lasts until all that was in flight is settled.

use std::collections::VecDeque;

use units::{Rate, Segments, Span, Time};

use crate::{Ack, CongestionControl, Loss, RateSample, RecoveryState, Restart, Start, Timeout, Window};

/// Payload of a segment.
pub(crate) const MSS_BYTES: u32 = 1_448;

/// A path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Time of a segment on the bottleneck.
    pub(crate) segment_time: Span,
    /// Round-trip time without queue.
    pub(crate) rtt: Span,
    /// Segments that fit the queue.
    pub(crate) buffer: u64,
    /// A token bucket before the queue: time that a segment costs, and segments in a full bucket.
    pub(crate) policer: Option<(Span, u64)>,
    /// ACKs leave the receiver at multiples of this; zero: at once.
    pub(crate) ack_slot: Span,
}

impl Path {
    /// 1000 segments/s x `thousands`, 20 ms, a queue of `buffer` bandwidth-delay products.
    pub(crate) fn of(thousands: u64, buffer: f64) -> Self {
        Self {
            segment_time: Span::from_nanos(1_000_000 / thousands),
            rtt: Span::from_millis(20),
            buffer: (buffer * 20.0 * thousands as f64) as u64,
            policer: None,
            ack_slot: Span::ZERO,
        }
    }

    /// Segments that fill the path.
    pub(crate) fn bdp(&self) -> u64 {
        self.rtt.as_nanos() / self.segment_time.as_nanos()
    }
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    index: u64,
    sent: Time,
    /// When its ACK arrives; `None`: it is lost.
    acked: Option<Time>,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    is_app_limited: bool,
    /// In flight when it was sent, itself included, and segments lost until then.
    in_flight: Segments,
    lost: u64,
}

/// The sender, its path, and what they did.
#[derive(Debug)]
pub(crate) struct Flow<C> {
    pub(crate) cc: C,
    pub(crate) window: Window,
    pub(crate) path: Path,
    pub(crate) now: Time,
    pub(crate) delivered: u64,
    pub(crate) lost: u64,
    /// The application hands out nothing while this is set.
    pub(crate) app_silent: bool,
    pub(crate) paces: bool,
    pub(crate) state: RecoveryState,
    flight: VecDeque<Segment>,
    next: u64,
    una: u64,
    in_flight: Segments,
    recovery_end: u64,
    delivered_at: Time,
    first_sent: Time,
    last_sent: Time,
    next_departure: Time,
    app_limited_until: Option<u64>,
    link_free: Time,
    bucket_empty_until: Time,
    last_ack: Time,
    srtt_us: u32,
    min_rtt_us: u32,
    limited: bool,
}

impl<C: CongestionControl> Flow<C> {
    /// A connection established at time 0 with a handshake over an empty path.
    pub(crate) fn new(path: Path, build: impl FnOnce(&Start) -> C) -> Self {
        let rtt_us = path.rtt.as_micros() as u32;
        let start =
            Start { now: Time::ZERO, mss_bytes: MSS_BYTES, cwnd: 10, rtt_us: Some(rtt_us), seed: 1, ecn: false };
        let cc = build(&start);
        Self {
            paces: cc.pacing_rate().is_some(),
            cc,
            window: Window { cwnd: start.cwnd, ssthresh: Segments::MAX },
            path,
            now: Time::ZERO,
            delivered: 0,
            lost: 0,
            app_silent: false,
            state: RecoveryState::Open,
            flight: VecDeque::new(),
            next: 0,
            una: 0,
            in_flight: 0,
            recovery_end: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            last_sent: Time::ZERO,
            next_departure: Time::ZERO,
            app_limited_until: None,
            link_free: Time::ZERO,
            bucket_empty_until: Time::ZERO,
            last_ack: Time::ZERO,
            srtt_us: rtt_us,
            min_rtt_us: rtt_us,
            limited: false,
        }
    }

    /// Runs until `end`, showing the flow after every ACK.
    pub(crate) fn run_until(&mut self, end: Time, mut observe: impl FnMut(&Self, &Ack)) {
        loop {
            self.send();
            let ack_at = self.flight.iter().find_map(|segment| segment.acked);
            let send_at = (!self.app_silent && self.in_flight < self.window.cwnd).then_some(self.next_departure);
            let timeout_at = (self.in_flight > 0).then_some(self.last_sent + Span::from_secs(1));
            let Some(at) =
                [ack_at, send_at, ack_at.is_none().then_some(timeout_at).flatten()].into_iter().flatten().min()
            else {
                break;
            };
            if at > end {
                break;
            }
            self.now = self.now.max(at);
            if ack_at == Some(at) {
                let ack = self.take_acks(at);
                observe(self, &ack);
            } else if send_at != Some(at) {
                self.time_out();
            }
        }
        self.now = end;
    }

    /// Runs for `span`.
    pub(crate) fn run(&mut self, span: Span) {
        self.run_until(self.now + span, |_, _| {});
    }

    /// The name of the algorithm's phase.
    pub(crate) fn phase(&self) -> &'static str {
        self.cc.phases()[usize::from(self.cc.inspect().phase)]
    }

    /// Segments in the queue or on the bottleneck.
    pub(crate) fn backlog(&self) -> u64 {
        self.link_free.saturating_since(self.now).as_nanos().div_ceil(self.path.segment_time.as_nanos())
    }

    fn send(&mut self) {
        if self.app_silent {
            return;
        }
        while self.in_flight < self.window.cwnd && self.next_departure <= self.now {
            if self.in_flight == 0 && self.next > 0 {
                let restart = Restart {
                    now: self.now,
                    app_limited: self.app_limited_until.is_some(),
                    delivered: self.delivered,
                    delivered_at: self.delivered_at,
                    last_sent: self.last_sent,
                };
                self.cc.on_restart(&restart, &mut self.window);
            }
            if self.in_flight == 0 {
                (self.first_sent, self.delivered_at) = (self.now, self.now);
            }
            let acked = self.carry();
            self.flight.push_back(Segment {
                index: self.next,
                sent: self.now,
                acked,
                delivered: self.delivered,
                delivered_at: self.delivered_at,
                first_sent: self.first_sent,
                is_app_limited: self.app_limited_until.is_some(),
                in_flight: self.in_flight + 1,
                lost: self.lost,
            });
            self.next += 1;
            self.in_flight += 1;
            self.last_sent = self.now;
            if self.paces {
                let rate = self.pacing_rate();
                self.next_departure = self.now + rate.time_for(units::Bytes::from(MSS_BYTES));
            }
        }
        self.limited = self.in_flight >= self.window.cwnd;
    }

    fn pacing_rate(&self) -> Rate {
        let twice_the_window = 2_000_000 * u64::from(self.window.cwnd * MSS_BYTES) / u64::from(self.srtt_us);
        self.cc.pacing_rate().unwrap_or(Rate::from_bytes_per_sec(twice_the_window))
    }

    /// When the ACK of a segment sent now arrives; `None` when the segment is lost.
    fn carry(&mut self) -> Option<Time> {
        if let Some((cost, depth)) = self.path.policer {
            let start = self.bucket_empty_until.max(self.now);
            if start.since(self.now) > cost * depth {
                return None;
            }
            self.bucket_empty_until = start + cost;
        }
        if self.backlog() > self.path.buffer {
            return None;
        }
        self.link_free = self.link_free.max(self.now) + self.path.segment_time;
        let arrival = (self.link_free + self.path.rtt).as_nanos();
        let slot = self.path.ack_slot.as_nanos().max(1);
        // ACKs do not overtake each other when a test shortens the path.
        self.last_ack = self.last_ack.max(Time::from_nanos(arrival.next_multiple_of(slot)));
        Some(self.last_ack)
    }

    /// Everything that is acknowledged at `at` comes in one ACK.
    fn take_acks(&mut self, at: Time) -> Ack {
        let prior_in_flight = self.in_flight;
        let (mut acked, mut newest, mut lost) = (0, None, Vec::new());
        while let Some(last) = self.flight.iter().position(|segment| segment.acked == Some(at)) {
            for segment in self.flight.drain(..=last) {
                if segment.acked.is_some() {
                    acked += 1;
                    newest = Some(segment);
                } else {
                    lost.push(segment);
                }
            }
        }
        let newest = newest.expect("an ACK acknowledges something");
        let losses = lost.len() as Segments;
        self.in_flight -= acked + losses;
        self.delivered += u64::from(acked);
        for segment in lost {
            self.lose(&segment, at);
        }
        self.una = newest.index + 1;
        let send_phase = newest.sent.since(newest.first_sent);
        let ack_phase = at.since(newest.delivered_at);
        self.first_sent = newest.sent;
        self.delivered_at = at;
        if self.app_limited_until.is_some_and(|until| self.delivered > until) {
            self.app_limited_until = None;
        }
        if self.app_silent {
            self.limit_flight();
        }
        let rtt_us = at.since(newest.sent).as_micros() as u32;
        self.srtt_us = (7 * self.srtt_us + rtt_us) / 8;
        self.min_rtt_us = self.min_rtt_us.min(rtt_us);
        self.recover(losses);
        let ack = Ack {
            now: at,
            state: self.state,
            una: self.una,
            next: self.next,
            acked,
            acked_sacked: acked,
            rtt_us: Some(rtt_us),
            srtt_us: self.srtt_us,
            min_rtt_us: self.min_rtt_us,
            rate: RateSample {
                delivered: Some((self.delivered - newest.delivered) as Segments),
                interval_us: send_phase.max(ack_phase).as_micros() as u32,
                prior_delivered: newest.delivered,
                has_prior: true,
                rtt_us: Some(rtt_us),
                losses,
                acked_sacked: acked,
                prior_in_flight,
                is_app_limited: newest.is_app_limited,
                tx_in_flight: newest.in_flight,
                lost: (self.lost - newest.lost) as Segments,
                ..RateSample::default()
            },
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            in_flight: self.in_flight,
            cwnd_limited: self.limited,
            may_grow: self.state < RecoveryState::Cwr || self.state == RecoveryState::Loss,
            app_limited: self.app_limited_until.is_some(),
            next_departure: self.next_departure,
            pacing_rate: self.pacing_rate(),
            paced: self.paces,
        };
        self.cc.on_ack(&ack, &mut self.window);
        if self.cc.limits_flight() {
            self.limit_flight();
        }
        ack
    }

    /// A segment is known to be lost.
    fn lose(&mut self, segment: &Segment, now: Time) {
        self.lost += 1;
        let lost = (self.lost - segment.lost) as Segments;
        let loss = Loss { tx_in_flight: segment.in_flight, lost, is_app_limited: segment.is_app_limited };
        self.cc.on_lost(&loss, &self.window, now, self.delivered);
    }

    fn limit_flight(&mut self) {
        self.app_limited_until = Some((self.delivered + u64::from(self.in_flight)).max(1));
    }

    fn recover(&mut self, losses: Segments) {
        if losses > 0 && self.state == RecoveryState::Open {
            self.window.ssthresh = self.cc.on_congestion(&self.window);
            if !self.cc.owns_window() {
                self.window.cwnd = self.window.ssthresh;
            }
            self.enter(RecoveryState::Recovery);
        } else if self.state != RecoveryState::Open && losses == 0 && self.una >= self.recovery_end {
            self.enter(RecoveryState::Open);
        }
    }

    fn enter(&mut self, state: RecoveryState) {
        self.state = state;
        self.recovery_end = self.next;
        self.cc.on_state(state, &mut self.window);
    }

    /// Everything in flight is lost.
    pub(crate) fn time_out(&mut self) {
        self.in_flight = 0;
        for segment in std::mem::take(&mut self.flight) {
            self.lose(&segment, self.now);
        }
        let Self { now, delivered, delivered_at, lost, .. } = *self;
        self.cc.on_timeout(&Timeout { now, delivered, delivered_at, lost });
        self.window.ssthresh = self.cc.on_congestion(&self.window);
        self.window.cwnd = 1;
        self.enter(RecoveryState::Loss);
    }
}
