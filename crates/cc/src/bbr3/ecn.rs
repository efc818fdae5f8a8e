//! Marks of a queue with a shallow threshold, answered like DCTCP: where the route says that there is such a queue
//! (`ecn_low`), and the RTT is that of a data centre.

use super::Parameters;
use crate::bbr::bandwidth::Gain;
use units::millionths;

/// The share of segments that were marked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ecn {
    /// Both hosts understand ECN, and the route says `ecn_low`.
    is_usable: bool,
    /// The RTT was short once (`ecn_eligible`).
    pub(super) is_eligible: bool,
    /// Mean share, in 256ths (`ecn_alpha`).
    alpha: u32,
    /// An ACK of this round had ECE.
    pub(super) is_in_round: bool,
    /// Rounds of STARTUP with too many marks, in a row.
    pub(super) startup_rounds: u32,
    /// Segments delivered with marks, now, and both counts at the last update.
    pub(super) delivered_ce: u64,
    last: (u64, u64),
}

const ONE: u32 = 256;

impl Ecn {
    pub(super) const fn new(is_usable: bool) -> Self {
        Self {
            is_usable,
            is_eligible: false,
            alpha: ONE,
            is_in_round: false,
            startup_rounds: 0,
            delivered_ce: 0,
            last: (0, 0),
        }
    }

    /// Once a round: the share of it that was marked, in 256ths; none where marks mean nothing (`bbr_update_ecn_alpha`).
    pub(super) fn update(&mut self, p: &Parameters, min_rtt_us: u32, delivered: u64) -> Option<u32> {
        let is_near = p.ecn_max_rtt_us == 0 || min_rtt_us <= p.ecn_max_rtt_us;
        self.is_eligible |= self.is_usable && p.ecn_factor.in_256ths() > 0 && is_near;
        let (before, marked_before) = self.last;
        if !self.is_eligible || delivered == before {
            return None;
        }
        let share = ((self.delivered_ce - marked_before) * u64::from(ONE) / (delivered - before)) as u32;
        let gain = u32::from(p.ecn_alpha_gain.in_256ths());
        self.alpha = (((ONE - gain) * self.alpha) / ONE + gain * share / ONE).min(ONE);
        self.last = (delivered, self.delivered_ce);
        Some(share)
    }

    /// The mean share in 1/1,000,000, where marks mean something.
    pub(super) fn alpha_ppm(&self) -> Option<u32> {
        self.is_eligible.then(|| millionths(self.alpha.into(), ONE.into()))
    }

    /// What marks leave of the flight (`bbr_ecn_cut`).
    pub(super) fn cut(&self, p: &Parameters) -> Gain {
        Gain::from_256ths(self.alpha * u32::from(p.ecn_factor.in_256ths()) / ONE).complement()
    }
}
