//! `inflight_hi`: what probing may put in flight (draft sections 5.5.10.2 and 5.3.3.6). It falls when a probe loses more than 2 %
//! of what was in flight, to what was in flight then, and rises with each flight that did not.

use super::probe_bw::AckPhase;
use super::{Bbr3, Gain, Phase, State, UNBOUNDED};
use crate::{Ack, Loss, RateSample, Window};
use units::{Segments, Time};

impl Bbr3 {
    /// `bbr_is_inflight_too_high`.
    pub(super) fn is_flight_too_high(&self, rate: &RateSample) -> bool {
        let p = &self.parameters;
        if rate.lost > 0 && rate.tx_in_flight > 0 && rate.lost > p.loss_thresh.of(rate.tx_in_flight) {
            return true;
        }
        let delivered = rate.delivered.unwrap_or(0);
        self.ecn.is_eligible
            && p.ecn_thresh.in_256ths() > 0
            && delivered > 0
            && rate.delivered_ce > p.ecn_thresh.of(delivered)
    }

    /// A segment that was sent while the flow probed is lost: with which segment of its flight were too many lost
    /// (`bbr_skb_marked_lost`)?
    pub(super) fn judge_loss(&mut self, loss: &Loss, window: &Window, now: Time, delivered: u64) {
        if !self.cycle.has_samples {
            return;
        }
        let rate = RateSample { tx_in_flight: loss.tx_in_flight, lost: loss.lost, ..RateSample::default() };
        if self.is_flight_too_high(&rate) {
            let flight = self.flight_at_threshold(loss);
            self.lower_upper_bound(flight, loss.is_app_limited, window, now, delivered);
        }
    }

    /// `bbr_run_loss_probe_recovery`.
    pub(super) fn judge_probe_repair(&mut self, was_app_limited: bool, window: &Window, now: Time, delivered: u64) {
        if !self.cycle.has_samples {
            return;
        }
        let rate = RateSample { lost: 1, tx_in_flight: self.signals.inflight + 1, ..RateSample::default() };
        if self.is_flight_too_high(&rate) {
            self.lower_upper_bound(rate.tx_in_flight, was_app_limited, window, now, delivered);
        }
    }

    /// The flight at which losses reached the threshold: (lost before + x) / (in flight before + x) is the threshold, x rounded
    /// down to segments (`bbr_inflight_hi_from_lost_skb`).
    fn flight_at_threshold(&self, loss: &Loss) -> Segments {
        let threshold = self.parameters.loss_thresh;
        let (before, lost_before) = (loss.tx_in_flight.saturating_sub(1), loss.lost.saturating_sub(1));
        let allowed = threshold.of_at_least(before);
        if lost_before >= allowed {
            return before;
        }
        before + threshold.complement().inverse_of(allowed - lost_before)
    }

    /// Too much was in flight: once a probe (`bbr_handle_inflight_too_high`).
    fn lower_upper_bound(
        &mut self,
        flight: Segments,
        is_app_limited: bool,
        window: &Window,
        now: Time,
        delivered: u64,
    ) {
        self.cycle.went_too_high = true;
        self.cycle.has_samples = false;
        if !is_app_limited {
            let target = self.inflight_target(self.bandwidth(), Gain::UNIT).min(window.cwnd);
            self.inflight_hi = flight.max(self.parameters.loss_cut.complement().of(target));
        }
        if self.state == State::ProbeBw(Phase::Up) {
            self.go_down(now, delivered);
        }
    }

    /// Takes in whether an ACK's flight was too much. True when that decided what comes next (`bbr_adapt_upper_bounds`).
    pub(super) fn adapt_upper_bound(&mut self, ack: &Ack, window: &Window) -> bool {
        if self.round.is_start {
            match self.cycle.ack_phase {
                AckPhase::ProbeStarting => self.cycle.ack_phase = AckPhase::ProbeFeedback,
                AckPhase::ProbeStopping => {
                    self.cycle.has_samples = false;
                    self.cycle.ack_phase = AckPhase::Init;
                    if self.state.is_probe_bw() && !ack.rate.is_app_limited {
                        self.advance_max_bandwidth();
                    }
                    // A probe that stopped at the bound of before, and lost nothing: at once another, which may stay there.
                    if self.state.is_probe_bw() && self.cycle.stopped_early && !self.cycle.went_too_high {
                        self.refill(ack.delivered, 0);
                        return true;
                    }
                }
                AckPhase::Init | AckPhase::Refilling | AckPhase::ProbeFeedback => {}
            }
        }
        if self.is_flight_too_high(&ack.rate) {
            if self.cycle.has_samples {
                let rate = &ack.rate;
                self.lower_upper_bound(rate.tx_in_flight, rate.is_app_limited, window, ack.now, ack.delivered);
            }
        } else if self.inflight_hi != UNBOUNDED {
            self.inflight_hi = self.inflight_hi.max(ack.rate.tx_in_flight);
            if self.state == State::ProbeBw(Phase::Up) {
                self.raise_upper_bound(ack, window);
            }
        }
        false
    }

    /// Where it is what limits the flight, it grows by a segment for each so many that are acknowledged
    /// (`bbr_probe_inflight_hi_upward`).
    fn raise_upper_bound(&mut self, ack: &Ack, window: &Window) {
        if !ack.cwnd_limited || window.cwnd < self.inflight_hi {
            return;
        }
        let up = &mut self.cycle.up;
        up.acked += ack.acked_sacked;
        if up.acked >= up.acked_per_step {
            let steps = up.acked / up.acked_per_step;
            up.acked -= steps * up.acked_per_step;
            self.inflight_hi += steps;
            self.may_pass = false;
        }
        if self.round.is_start {
            self.cycle.up.steepen(window.cwnd);
        }
    }

    /// The bound, less what is left to others: 15 %, and no less than a segment (`bbr_inflight_with_headroom`).
    pub(super) fn inflight_with_headroom(&self) -> Segments {
        if self.inflight_hi == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = self.parameters.headroom.of(self.inflight_hi).max(1);
        self.inflight_hi.saturating_sub(headroom).max(self.parameters.min_cwnd)
    }
}
