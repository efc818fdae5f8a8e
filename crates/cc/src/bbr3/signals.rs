//! What the last round says: its largest rate and volume, and whether something was lost (draft section 5.5.10).

use super::{Bandwidth, Bbr3};
use crate::{Ack, Window};

/// Of the round trip until now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signals {
    /// The largest rate (`bw_latest`), and the most that was delivered by one segment's time (`inflight_latest`).
    pub(super) bandwidth: Bandwidth,
    pub(super) inflight: u32,
    /// A segment was marked lost.
    pub(super) has_losses: bool,
    /// The ACK in hand ends the round; it ends with a segment that was sent when so many had been delivered.
    pub(super) is_round_start: bool,
    pub(super) round_end: u64,
}

impl Default for Signals {
    /// The first round to judge begins when the first flight was acknowledged: the SYN counts as delivered.
    fn default() -> Self {
        Self { bandwidth: Bandwidth::default(), inflight: 0, has_losses: false, is_round_start: false, round_end: 2 }
    }
}

/// A rate sample that says something: `rs->interval_us > 0`.
pub(super) const fn is_valid(ack: &Ack) -> bool {
    ack.rate.interval_us > 0 && ack.rate.delivered.is_some()
}

/// The rate of an ACK's sample; 0 where it is none (`bbr_calculate_bw_sample`).
pub(super) fn sample(ack: &Ack) -> Bandwidth {
    match ack.rate.delivered {
        Some(delivered) if ack.rate.interval_us > 0 => Bandwidth::of_delivery_at_least(delivered, ack.rate.interval_us),
        _ => Bandwidth::default(),
    }
}

impl Signals {
    /// What probing brought is not what the path carries now (`bbr_reset_congestion_signals`).
    pub(super) fn reset(&mut self) {
        (self.bandwidth, self.inflight, self.has_losses) = (Bandwidth::default(), 0, false);
    }

    /// `bbr_update_latest_delivery_signals`.
    pub(super) fn note_delivery(&mut self, ack: &Ack, sample: Bandwidth) {
        self.is_round_start = false;
        if !is_valid(ack) || ack.acked_sacked == 0 {
            return;
        }
        self.bandwidth = self.bandwidth.max(sample);
        self.inflight = self.inflight.max(ack.rate.delivered.unwrap_or(0));
        if ack.rate.prior_delivered >= self.round_end {
            self.round_end = ack.delivered;
            self.is_round_start = true;
        }
    }

    /// Once a round the maxima begin anew, but for an ACK of a tail loss probe: what was delivered before a tail was lost is to
    /// be remembered (`bbr_advance_latest_delivery_signals`).
    pub(super) fn end_round(&mut self, ack: &Ack, sample: Bandwidth) {
        if self.is_round_start && !ack.rate.acks_probe {
            self.bandwidth = sample;
            self.inflight = ack.rate.delivered.unwrap_or(0);
        }
    }
}

impl Bbr3 {
    /// `bbr_update_congestion_signals`.
    pub(super) fn update_signals(&mut self, ack: &Ack, sample: Bandwidth, window: &Window) {
        if !is_valid(ack) || ack.acked_sacked == 0 {
            return;
        }
        if !ack.rate.is_app_limited || sample >= self.max_bandwidth() {
            self.bw_hi[1] = self.bw_hi[1].max(sample);
        }
        self.signals.has_losses |= ack.rate.losses > 0;
        if self.signals.is_round_start {
            self.adapt_lower_bounds(window);
            self.signals.has_losses = false;
            self.ecn.is_in_round = false;
        }
    }

    /// A round with a loss lasts from the loss on (`bbr_note_loss`).
    pub(super) fn note_loss(&mut self, delivered: u64) {
        if !self.signals.has_losses {
            self.signals.round_end = delivered;
        }
        self.signals.has_losses = true;
        self.cycle.has_losses = true;
    }
}
