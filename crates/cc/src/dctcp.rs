//! DCTCP: the window is reduced by the share of what was marked (RFC 8257).
//!
//! A running mean of that share, alpha, takes in each round trip; once a round trip with marks the window loses half of
//! it. Growth is Reno's, and so is the answer to loss. Without ECN on the other side it is Reno.
//!
//! Follows Linux 6.1's `tcp_dctcp.c`, which counts alpha in 1/1024. Differs from RFC 8257: shares are of segments and not
//! of bytes (section 3.3), and a segment that a SACK reports counts as soon as that comes.

use units::{Segments, millionths};

use crate::parameter::Values;
use crate::reno::Reno;
use crate::{
    Ack, Algorithm, CongestionControl, Delivery, Inspection, Parameter, RecoveryState, Start, Timeout, Window,
};

/// Alpha's denominator, as a power of two, and its largest value (`DCTCP_MAX_ALPHA`).
const ALPHA_SHIFT: u32 = 10;
const MAX_ALPHA: u64 = 1 << ALPHA_SHIFT;
/// The threshold is never below two segments.
const MIN_SSTHRESH: Segments = 2;

/// What the registry knows of DCTCP.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "dctcp",
    title: "reduction by half of the share of marked packets; always negotiates ECN, and unmarked it is Reno",
    source: "RFC 8257; arithmetic of Linux 6.1 tcp_dctcp.c",
    parameters: &[
        Parameter::integer("shift_g", 4.0, 0.0, 10.0)
            .about("weight of a round trip in the mean share of marked packets: 1/2^shift_g")
            .source("RFC 8257 section 4.2 (g); Linux 6.1 dctcp_shift_g"),
        Parameter::integer("alpha_on_init", MAX_ALPHA as f64, 0.0, MAX_ALPHA as f64)
            .about("the mean share at the beginning, in 1/1024")
            .source("Linux 6.1 dctcp_alpha_on_init"),
    ],
    ordered: &[],
    needs_ecn: true,
    needs_accurate_ecn: false,
};

/// RFC 8257's congestion control.
#[derive(Clone, Debug)]
pub struct Dctcp {
    shift_g: u32,
    /// Mean share of marked segments, in 1/1024.
    alpha: u64,
    /// The round trip ends when this is acknowledged.
    round_end: u64,
    /// Counts at its beginning.
    round_delivered: u64,
    round_delivered_ce: u64,
    /// The window before the last reduction.
    prior_cwnd: Segments,
    state: RecoveryState,
    /// A timeout is being taken in.
    timed_out: bool,
    /// Both ends understand ECN; else it is Reno.
    ecn: bool,
    reno: Reno,
}

impl Dctcp {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        Self {
            shift_g: values.integer("shift_g"),
            alpha: u64::from(values.integer("alpha_on_init")),
            round_end: 0,
            round_delivered: 1, // the SYN
            round_delivered_ce: 0,
            prior_cwnd: 0,
            state: RecoveryState::Open,
            timed_out: false,
            ecn: start.ecn,
            reno: Reno::halving(),
        }
    }

    /// Loss halves the window, however little was marked (RFC 8257 section 3.4; `dctcp_react_to_loss`).
    fn on_loss(&mut self, cwnd: Segments) -> Segments {
        self.prior_cwnd = cwnd;
        (cwnd / 2).max(MIN_SSTHRESH)
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.reno.on_ack(ack, window);
    }

    /// RFC 8257 section 3.3, `dctcp_update_alpha`.
    fn on_delivery(&mut self, delivery: &Delivery) {
        if delivery.una < self.round_end {
            return;
        }
        let decay = match self.alpha >> self.shift_g {
            0 => self.alpha,
            decay => decay,
        };
        let delivered = delivery.delivered - self.round_delivered;
        let marked = delivery.delivered_ce - self.round_delivered_ce;
        let gained = (marked << (ALPHA_SHIFT - self.shift_g)) / delivered.max(1);
        self.alpha = (self.alpha - decay + gained).min(MAX_ALPHA);
        self.round_end = delivery.next;
        self.round_delivered = delivery.delivered;
        self.round_delivered_ce = delivery.delivered_ce;
    }

    /// RFC 8257 section 3.3, `dctcp_ssthresh`.
    fn on_congestion(&mut self, window: &Window) -> Segments {
        let halved = self.reno.on_congestion(window);
        if !self.ecn {
            return halved;
        }
        if self.timed_out {
            return self.on_loss(window.cwnd);
        }
        self.prior_cwnd = window.cwnd;
        let less = (u64::from(window.cwnd) * self.alpha) >> (ALPHA_SHIFT + 1);
        (window.cwnd - less as Segments).max(MIN_SSTHRESH)
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.timed_out = true;
    }

    fn on_state(&mut self, state: RecoveryState, window: &mut Window) {
        self.reno.on_state(state, window);
        if self.ecn && state == RecoveryState::Recovery && self.state != RecoveryState::Recovery {
            window.ssthresh = self.on_loss(window.cwnd);
        }
        self.state = state;
        self.timed_out = false;
    }

    fn on_undo(&mut self, window: &Window, prior_cwnd: Segments) -> Segments {
        window.cwnd.max(if self.ecn { self.prior_cwnd } else { prior_cwnd })
    }

    fn phases(&self) -> &'static [&'static str] {
        self.reno.phases()
    }

    fn inspect(&self) -> Inspection {
        Inspection { alpha_ppm: self.ecn.then(|| millionths(self.alpha, MAX_ALPHA)), ..self.reno.inspect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::samples::start;

    const WINDOW: Window = Window { cwnd: 100, ssthresh: Segments::MAX };

    fn dctcp(given: &[(&str, f64)]) -> Dctcp {
        ALGORITHM.with(given, |values| Dctcp::new(values, &Start { ecn: true, ..start() }))
    }

    /// A round trip of 100 segments, of which so many were marked.
    fn round(cc: &mut Dctcp, marked: u64) {
        let delivered = cc.round_delivered + 100;
        let delivered_ce = cc.round_delivered_ce + marked;
        cc.on_delivery(&Delivery { una: cc.round_end, next: cc.round_end + 100, delivered, delivered_ce });
    }

    #[test]
    fn alpha_is_the_mean_share_of_marked_segments() {
        let mut cc = dctcp(&[("alpha_on_init", 0.0)]);
        for _ in 0..200 {
            round(&mut cc, 25);
        }
        assert!((240..=256).contains(&cc.alpha), "a quarter of 1024: {}", cc.alpha);
        round(&mut cc, 0);
        let after = cc.alpha;
        assert!(after > 220, "one round trip weighs a sixteenth: {after}");
        for _ in 0..200 {
            round(&mut cc, 0);
        }
        assert_eq!(cc.alpha, 0, "what is less than a step vanishes");
    }

    #[test]
    fn alpha_changes_once_a_round_trip() {
        let mut cc = dctcp(&[]);
        round(&mut cc, 100);
        let (end, alpha) = (cc.round_end, cc.alpha);
        cc.on_delivery(&Delivery { una: end - 1, next: end + 99, delivered: 1_000, delivered_ce: 100 });
        assert_eq!((cc.round_end, cc.alpha), (end, alpha));
        cc.on_delivery(&Delivery { una: end, next: end + 100, delivered: 1_000, delivered_ce: 100 });
        assert_eq!((cc.round_end, cc.alpha), (end + 100, alpha - alpha / 16));
    }

    #[test]
    fn alpha_is_shown_where_marks_mean_something() {
        let given = [("alpha_on_init", 512.0)];
        assert_eq!(dctcp(&given).inspect().alpha_ppm, Some(500_000));
        let alone = ALGORITHM.with(&given, |values| Dctcp::new(values, &Start { ecn: false, ..start() }));
        assert_eq!(alone.inspect().alpha_ppm, None);
    }

    #[test]
    fn marks_cost_half_of_alpha_and_loss_half() {
        let mut cc = dctcp(&[("alpha_on_init", 512.0)]);
        assert_eq!(cc.on_congestion(&WINDOW), 75);
        let mut window = Window { ssthresh: cc.on_congestion(&WINDOW), ..WINDOW };
        cc.on_state(RecoveryState::Recovery, &mut window);
        assert_eq!(window.ssthresh, 50);
        window.ssthresh = 75;
        cc.on_state(RecoveryState::Recovery, &mut window);
        assert_eq!(window.ssthresh, 75, "once a recovery");
        assert_eq!(cc.on_undo(&Window { cwnd: 60, ssthresh: 50 }, 0), 100);
    }

    #[test]
    fn a_timeout_is_loss() {
        let mut cc = dctcp(&[("alpha_on_init", 0.0)]);
        let timeout = Timeout { now: start().now, delivered: 1, delivered_at: start().now, lost: 1 };
        cc.on_timeout(&timeout);
        assert_eq!(cc.on_congestion(&WINDOW), 50);
        cc.on_state(RecoveryState::Loss, &mut WINDOW.clone());
        assert_eq!(cc.on_congestion(&WINDOW), 100);
    }

    #[test]
    fn without_ecn_it_is_reno() {
        let mut cc = ALGORITHM.with(&[("alpha_on_init", 0.0)], |values| Dctcp::new(values, &start()));
        let mut window = WINDOW;
        assert_eq!(cc.on_congestion(&window), 50);
        cc.on_state(RecoveryState::Recovery, &mut window);
        assert_eq!(window, WINDOW);
        assert_eq!(cc.on_undo(&Window { cwnd: 60, ssthresh: 50 }, 80), 80);
    }
}
