//! [`Control`]: the congestion control, and the window that it shares with recovery.

use super::rate::DeliveryRate;
use super::scoreboard::Scoreboard;
use cc::{CongestionControl, Controller, RecoveryState, Window};
use units::{Segments, Span, Time};

/// An algorithm at work on a window.
#[derive(Debug)]
pub struct Control {
    pub cc: Controller,
    pub window: Window,
}

impl Control {
    /// Tells the algorithm of recovery's state.
    pub fn on_state(&mut self, state: RecoveryState) {
        self.cc.on_state(state, &mut self.window);
    }

    /// Congestion: the threshold follows from the window.
    pub fn on_congestion(&mut self) {
        self.window.ssthresh = self.cc.on_congestion(&self.window);
    }

    /// The reduction from `prior_cwnd` and `prior_ssthresh` was spurious.
    pub fn on_undo(&mut self, prior_cwnd: Segments, prior_ssthresh: Segments) {
        self.window.cwnd = self.cc.on_undo(&self.window, prior_cwnd);
        self.window.ssthresh = self.window.ssthresh.max(prior_ssthresh);
    }

    /// Tells an algorithm that wants it of each segment that was marked lost, when so many were delivered.
    pub fn on_losses(&mut self, board: &mut Scoreboard, now: Time, delivered: u64) {
        let Some(flights) = &mut board.flights else { return };
        for loss in flights.take_losses() {
            self.cc.on_lost(&loss, &self.window, now, delivered);
        }
    }

    /// A tail loss probe repaired a loss that nobody saw.
    pub fn on_probe_repair(&mut self, was_app_limited: bool, now: Time, delivered: u64) {
        self.cc.on_probe_repair(was_app_limited, &self.window, now, delivered);
    }

    /// A timeout has marked segments lost, `lost_total` so far.
    pub fn on_timeout(&mut self, rate: &DeliveryRate, lost_total: u64, now: Time) {
        self.cc.on_timeout(&cc::Timeout {
            now,
            delivered: rate.delivered,
            delivered_at: Time::ZERO + Span::from_micros(rate.delivered_at_us),
            lost: lost_total,
        });
    }
}
