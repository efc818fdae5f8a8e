//! What the path carries now, where losses or marks come though the flow does not probe (draft section 5.5.10.3).

use super::{Bandwidth, Bbr3, UNBOUNDED};
use crate::Window;
use units::Segments;

/// `bw_lo` and `inflight_lo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LowerBounds {
    pub(super) bandwidth: Bandwidth,
    pub(super) inflight: Segments,
}

impl LowerBounds {
    /// No bounds.
    pub(super) const NONE: Self = Self { bandwidth: Bandwidth::MAX, inflight: UNBOUNDED };

    pub(super) fn larger(self, other: Self) -> Self {
        Self { bandwidth: self.bandwidth.max(other.bandwidth), inflight: self.inflight.max(other.inflight) }
    }
}

impl Bbr3 {
    /// Once a round with losses both bounds lose three tenths, but never what the round delivered; with marks that of the
    /// flight loses a third of their mean share (`bbr_adapt_lower_bounds`).
    pub(super) fn adapt_lower_bounds(&mut self, window: &Window) {
        if self.state.is_probing() {
            return;
        }
        let mut marked = UNBOUNDED;
        if self.ecn.is_in_round && self.parameters.ecn_factor.in_256ths() > 0 {
            self.begin_inflight(window);
            marked = self.ecn.cut(&self.parameters).of(self.lower.inflight);
        }
        if self.signals.has_losses {
            if self.lower.bandwidth == Bandwidth::MAX {
                self.lower.bandwidth = self.max_bandwidth();
            }
            self.begin_inflight(window);
            let left = self.parameters.loss_cut.complement();
            self.lower.bandwidth = self.signals.bandwidth.max(self.lower.bandwidth.scaled(left));
            self.lower.inflight = self.signals.inflight.max(left.of(self.lower.inflight));
        }
        self.lower.inflight = self.lower.inflight.min(marked);
        self.lower.bandwidth = self.lower.bandwidth.max(Bandwidth::LEAST);
    }

    fn begin_inflight(&mut self, window: &Window) {
        if self.lower.inflight == UNBOUNDED {
            self.lower.inflight = window.cwnd;
        }
    }
}
