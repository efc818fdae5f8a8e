//! The state machine: which states there are, which may follow which, and what gains each asks for.

use super::bandwidth::Gain;
use super::cycle::Cycle;
use super::dip::Dip;
use super::parameters::Parameters;

/// What BBR is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Doubles the rate every round until the pipe is full.
    Startup,
    /// Drains the queue that `Startup` made.
    Drain,
    /// Cycles around the bandwidth that is known.
    ProbeBw(Cycle),
    /// Empties the pipe to see the path's RTT.
    ProbeRtt(Dip),
}

/// The names of the states, for [`State::phase`].
pub(super) const PHASES: &[&str] = &["startup", "drain", "probe_bw", "probe_rtt"];

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
    pub(super) fn phase(&self) -> u8 {
        match self {
            Self::Startup => 0,
            Self::Drain => 1,
            Self::ProbeBw(_) => 2,
            Self::ProbeRtt(_) => 3,
        }
    }

    /// The arrows of the module's diagram. `ProbeBw` follows itself when a policer is no longer believed in.
    pub(super) fn may_become(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Startup, next) => matches!(next, Self::Drain | Self::ProbeRtt(_)),
            (Self::Drain, next) => matches!(next, Self::ProbeBw(_) | Self::ProbeRtt(_)),
            (Self::ProbeBw(_), next) => matches!(next, Self::ProbeBw(_) | Self::ProbeRtt(_)),
            (Self::ProbeRtt(_), next) => matches!(next, Self::ProbeBw(_) | Self::Startup),
        }
    }

    /// Linux 6.1 bbr_update_gains.
    pub(super) fn gains(&self, parameters: &Parameters, policed: bool) -> Gains {
        let p = parameters;
        match self {
            Self::Startup => Gains { pacing: p.high_gain, cwnd: p.high_gain },
            Self::Drain => Gains { pacing: p.drain_gain, cwnd: p.high_gain },
            Self::ProbeBw(_) if policed => Gains { pacing: Gain::UNIT, cwnd: p.cwnd_gain },
            Self::ProbeBw(cycle) => Gains { pacing: cycle.pacing_gain(p), cwnd: p.cwnd_gain },
            Self::ProbeRtt(_) => Gains { pacing: Gain::UNIT, cwnd: Gain::UNIT },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_of_each() -> [State; 4] {
        [State::Startup, State::Drain, State::ProbeBw(Cycle::default()), State::ProbeRtt(Dip::default())]
    }

    #[test]
    fn only_the_arrows_of_the_diagram_are_legal() {
        let legal = one_of_each().map(|from| one_of_each().map(|to| from.may_become(&to)));
        assert_eq!(
            legal,
            [
                [false, true, false, true], // startup: drain, probe_rtt
                [false, false, true, true], // drain: probe_bw, probe_rtt
                [false, false, true, true], // probe_bw: probe_bw, probe_rtt
                [true, false, true, false], // probe_rtt: startup, probe_bw
            ]
        );
    }

    #[test]
    fn each_state_has_a_name() {
        let names = one_of_each().map(|state| PHASES[usize::from(state.phase())]);
        assert_eq!(names, ["startup", "drain", "probe_bw", "probe_rtt"]);
    }

    #[test]
    fn a_policed_flow_paces_at_the_rate_that_is_allowed() {
        let p = Parameters::from_defaults_and(&[]);
        let cycle = State::ProbeBw(Cycle::default());
        assert_eq!(cycle.gains(&p, false).pacing, p.probe_gain);
        assert_eq!(cycle.gains(&p, true).pacing, Gain::UNIT);
        assert_eq!(State::Startup.gains(&p, true).pacing, p.high_gain);
    }
}
