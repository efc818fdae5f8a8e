//! BBR with the two changes that Claypool et al. propose ("Sharing but not Caring", AICT 2019, section IV-E) and leave to
//! be built and tested: a `min_rtt` that is slow to rise, and a cwnd gain that follows loss, rate and RTT. No kernel has
//! them. Each is off by default; this is then [`Bbr`], to the bit.

mod feedback;
mod slow_rise;

use units::{Rate, Segments};

use crate::bbr::{ORDERED, PARAMETERS};
use crate::parameter::{Values, joined};
use crate::{
    Ack, Algorithm, Bbr, CongestionControl, Inspection, Parameter, RecoveryState, Restart, Start, Timeout, Window,
};

/// What the registry knows of it.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "bbr_proposals",
    title: "BBR version 1 with a min_rtt that is slow to rise and a cwnd gain by feedback, each off unless set",
    source: "Claypool et al., \"Sharing but not Caring\", AICT 2019, section IV-E; in no kernel",
    parameters: &joined::<{ PARAMETERS.len() + OWN.len() }>(PARAMETERS, OWN),
    ordered: ORDERED,
    needs_ecn: false,
    needs_accurate_ecn: false,
};

/// What BBR does not have.
const OWN: &[Parameter] = &[
    Parameter::integer("min_rtt_rise_probes", 1.0, 1.0, 1e6)
        .unit("expiries")
        .about("times in a row that the minimum's window must have expired with nothing as low before it rises")
        .source("Linux 6.1 bbr_update_min_rtt; more is the proposal of Claypool 2019, section IV-E.2"),
    Parameter::number("feedback_step", 0.0, 0.0, 1.0)
        .about("how far a round's loss, rate and RTT move the cwnd gain of PROBE_BW, rounded down to 1/256; 0: not at all")
        .source("in no BBR; the proposal of Claypool 2019, section IV-E.1, which has no number"),
    Parameter::number("feedback_min_gain", 1.25, 1.0, 16.0)
        .about("how far down, rounded down to 1/256; cwnd_gain is how far up, and the only value where that is less")
        .source("the default of probe_gain, set both: a smaller window does not hold what probing puts in flight"),
    Parameter::number("feedback_loss", 0.02, 0.0, 1.0)
        .about("segments lost of those delivered or lost in a round that show too large a gain, rounded down to 1/256")
        .source("BBRLossThresh of draft-cardwell-iccrg-bbr-congestion-control-02, which is BBR v2"),
    Parameter::number("feedback_rate", 0.75, 0.0, 16.0)
        .about("delivery rate of a round, as share of the bandwidth, below which the gain is too small, rounded down to 1/256")
        .source("probe_down_gain: BBR's own draining goes as low"),
    Parameter::number("feedback_rtt", 1.25, 1.0, 16.0)
        .about("smallest RTT of a round, in min_rtt, above which a queue stands, rounded down to 1/256")
        .source("probe_gain: BBR's own probing goes as high"),
];

/// BBR, and what it is shown and set to.
#[derive(Clone, Debug)]
pub struct BbrProposals {
    bbr: Bbr,
    slow_rise: slow_rise::SlowRise,
    feedback: feedback::Loop,
}

impl BbrProposals {
    pub(crate) fn new(values: &Values<'_>, start: &Start) -> Self {
        Self {
            bbr: Bbr::new(values, start),
            slow_rise: slow_rise::SlowRise::new(values),
            feedback: feedback::Loop::new(values),
        }
    }

    fn model(&self) -> feedback::Model {
        feedback::Model {
            is_in_probe_bw: self.bbr.is_in_probe_bw(),
            begins_round: self.bbr.begins_round(),
            bandwidth: self.bbr.bandwidth(),
            min_rtt_us: self.bbr.min_rtt_us(),
        }
    }
}

impl CongestionControl for BbrProposals {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let shown = self.slow_rise.shown(&self.bbr, ack);
        self.bbr.update_model(&shown, window);
        self.feedback.observe(&self.model(), ack);
        self.bbr.set_cwnd_gain(self.feedback.cwnd_gain());
        self.bbr.follow_model(&shown, window);
    }

    fn on_congestion(&mut self, window: &Window) -> Segments {
        self.bbr.on_congestion(window)
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.bbr.on_timeout(timeout);
    }

    fn on_state(&mut self, state: RecoveryState, window: &mut Window) {
        self.bbr.on_state(state, window);
    }

    fn on_undo(&mut self, window: &Window, prior_cwnd: Segments) -> Segments {
        self.bbr.on_undo(window, prior_cwnd)
    }

    fn on_restart(&mut self, restart: &Restart, window: &mut Window) {
        self.bbr.on_restart(restart, window);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.bbr.pacing_rate()
    }

    fn owns_window(&self) -> bool {
        self.bbr.owns_window()
    }

    fn limits_flight(&self) -> bool {
        self.bbr.limits_flight()
    }

    fn min_burst(&self) -> Option<Segments> {
        self.bbr.min_burst()
    }

    fn send_buffer_factor(&self) -> u32 {
        self.bbr.send_buffer_factor()
    }

    fn phases(&self) -> &'static [&'static str] {
        self.bbr.phases()
    }

    fn inspect(&self) -> Inspection {
        self.bbr.inspect()
    }
}

#[cfg(test)]
impl BbrProposals {
    /// The defaults but for `given`.
    fn with(given: &[(&str, f64)], start: &Start) -> Self {
        ALGORITHM.with(given, |values| Self::new(values, start))
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;
    use crate::ideal_path::{Flow, Path};

    #[test]
    fn by_default_it_is_bbr() {
        let path = || Path::of(10, 0.2);
        let mut own = Flow::new(path(), |start| BbrProposals::with(&[], start));
        let mut bbr = Flow::new(path(), |start| Bbr::with(&[], start));
        let mut acks = 0;
        while own.now < Time::ZERO + Span::from_secs(25) {
            own.run(Span::from_millis(5));
            bbr.run(Span::from_millis(5));
            assert_eq!((own.window, own.cc.inspect()), (bbr.window, bbr.cc.inspect()));
            acks += 1;
        }
        assert!(acks > 1_000 && own.lost > 0);
    }
}
