//! The state machine: which states there are, which may follow which, and what gains each asks for.

use super::parameters::Parameters;
use crate::bbr::bandwidth::Gain;
use crate::bbr::dip::Dip;

/// What BBR is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Doubles the rate every round until the pipe is full, or loses too much.
    Startup,
    /// Drains the queue that `Startup` made.
    Drain,
    /// Cycles around what is known.
    ProbeBw(Phase),
    /// Empties the queue to see the path's RTT.
    ProbeRtt(Dip),
}

/// Where in the cycle of `PROBE_BW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Drains what probing queued, and leaves headroom.
    Down,
    /// Uses the path, with headroom for others.
    Cruise,
    /// Fills the path before it probes, so that what probing loses says something of the path.
    Refill,
    /// Probes for more.
    Up,
}

/// The names of the states, for [`State::phase`].
pub(super) const PHASES: &[&str] =
    &["startup", "drain", "probe_bw_down", "probe_bw_cruise", "probe_bw_refill", "probe_bw_up", "probe_rtt"];

/// Factors on the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gains {
    /// On the bandwidth, for the pacing rate.
    pub(super) pacing: Gain,
    /// On the bandwidth-delay product, for the window.
    pub(super) cwnd: Gain,
}

impl State {
    /// Index into [`PHASES`].
    pub(super) const fn phase(self) -> u8 {
        match self {
            Self::Startup => 0,
            Self::Drain => 1,
            Self::ProbeBw(Phase::Down) => 2,
            Self::ProbeBw(Phase::Cruise) => 3,
            Self::ProbeBw(Phase::Refill) => 4,
            Self::ProbeBw(Phase::Up) => 5,
            Self::ProbeRtt(_) => 6,
        }
    }

    pub(super) const fn is_probe_bw(self) -> bool {
        matches!(self, Self::ProbeBw(_))
    }

    /// It sends more than is known to be safe (`bbr_is_probing_bandwidth`).
    pub(super) const fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBw(Phase::Refill | Phase::Up))
    }

    /// All of a cycle are one mode of the kernel's.
    pub(super) const fn is_in_same_mode(self, other: Self) -> bool {
        match (self, other) {
            (Self::ProbeBw(_), Self::ProbeBw(_)) | (Self::ProbeRtt(_), Self::ProbeRtt(_)) => true,
            _ => self.phase() == other.phase(),
        }
    }

    /// The arrows of the module's diagram. A cycle that went too high, or was interrupted, begins again.
    pub(super) fn may_become(self, next: Self) -> bool {
        use Phase::{Cruise, Down, Refill, Up};
        match (self, next) {
            (Self::ProbeRtt(_), next) => matches!(next, Self::ProbeBw(Down) | Self::Startup),
            (_, Self::ProbeRtt(_)) => true,
            (Self::Startup, next) => next == Self::Drain,
            (Self::Drain, next) => next == Self::ProbeBw(Down),
            (Self::ProbeBw(from), Self::ProbeBw(to)) => {
                matches!((from, to), (Down, Cruise) | (Down | Cruise | Refill | Up, Refill) | (Refill, Up) | (Up, Down))
            }
            (Self::ProbeBw(_), _) => false,
        }
    }

    /// `bbr_update_gains`.
    pub(super) fn gains(self, p: &Parameters) -> Gains {
        let (pacing, cwnd) = match self {
            Self::Startup => (p.startup_gain, p.startup_cwnd_gain),
            Self::Drain => (p.drain_gain, p.startup_cwnd_gain),
            Self::ProbeBw(Phase::Up) => (p.probe_gain, p.probe_cwnd_gain),
            Self::ProbeBw(Phase::Down) => (p.probe_down_gain, p.cwnd_gain),
            Self::ProbeBw(Phase::Cruise | Phase::Refill) => (Gain::UNIT, p.cwnd_gain),
            Self::ProbeRtt(_) => (Gain::UNIT, Gain::UNIT),
        };
        Gains { pacing, cwnd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_a_name_and_gains() {
        let p = Parameters::from_defaults_and(&[]);
        let phases = [Phase::Down, Phase::Cruise, Phase::Refill, Phase::Up].map(State::ProbeBw);
        let states = [&[State::Startup, State::Drain], &phases[..], &[State::ProbeRtt(Dip::default())]].concat();
        let seen: Vec<_> = states
            .iter()
            .map(|state| {
                let gains = state.gains(&p);
                (PHASES[usize::from(state.phase())], gains.pacing.in_256ths(), gains.cwnd.in_256ths())
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("startup", 710, 512),
                ("drain", 88, 512),
                ("probe_bw_down", 232, 512),
                ("probe_bw_cruise", 256, 512),
                ("probe_bw_refill", 256, 512),
                ("probe_bw_up", 320, 576),
                ("probe_rtt", 256, 256),
            ]
        );
    }

    #[test]
    fn a_cycle_goes_down_cruises_refills_and_goes_up() {
        let to = |from: Phase, to: Phase| State::ProbeBw(from).may_become(State::ProbeBw(to));
        use Phase::{Cruise, Down, Refill, Up};
        assert!(to(Down, Cruise) && to(Cruise, Refill) && to(Refill, Up) && to(Up, Down) && to(Down, Refill));
        assert!(!to(Cruise, Up) && !to(Up, Cruise) && !to(Cruise, Down) && !to(Refill, Cruise));
        assert!(!State::Startup.may_become(State::ProbeBw(Down)) && !State::ProbeBw(Up).may_become(State::Startup));
    }
}
