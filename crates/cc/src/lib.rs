//! Congestion controls, blind to the network: they see acknowledgements and say how much may be in flight.
//!
//! The transport (RFC 5681's sender) owns recovery, the scoreboard and rate samples; an algorithm decides growth,
//! reduction and pacing. The division of labour, and the events, are those of Linux's `tcp_congestion_ops`, because
//! Linux is what the model is held against; windows are counted in segments for the same reason.
//!
//! To add an algorithm: one file that implements [`CongestionControl`] and describes itself in an [`Algorithm`], its
//! `mod` below, and one line in the table of `registry`.

mod bbr;
mod bbr3;
mod bbr_proposals;
mod cubic;
mod dctcp;
mod event;
mod growth;
#[cfg(test)]
mod ideal_path;
mod parameter;
mod prague;
mod registry;
mod reno;

pub use bbr::Bbr;
pub use bbr_proposals::BbrProposals;
pub use bbr3::Bbr3;
pub use cubic::{Cubic, HyStartExit};
pub use dctcp::Dctcp;
pub use event::{Ack, Delivery, Inspection, Loss, RateSample, RecoveryState, Restart, Start, Timeout, Window};
pub use parameter::{Algorithm, Kind, Parameter, ParameterError};
pub use prague::Prague;
pub use registry::{Controller, algorithm, algorithms, build, check};
pub use reno::Reno;

use units::{Rate, Segments, Time};

/// A congestion control algorithm: pure state, no clock, no logger, no randomness but what [`Start`] gives it.
pub trait CongestionControl: std::fmt::Debug + Send {
    /// An ACK brought news. The transport has updated its scoreboard and recovery state; the algorithm may change
    /// `window.cwnd` and `window.ssthresh`.
    ///
    /// An algorithm that does not own its window ([`Self::owns_window`]) grows it only when `ack.may_grow`; during
    /// a reduction the transport sets cwnd itself (RFC 9937).
    fn on_ack(&mut self, ack: &Ack, window: &mut Window);

    /// An ACK of a connection with ECN, before the transport takes it into recovery: what it delivered, and what of all
    /// that was marked (Linux: `in_ack_event`). [`Self::on_ack`] follows.
    fn on_delivery(&mut self, _delivery: &Delivery) {}

    /// Congestion was found, by loss, by a timeout, or by marks: gives the new slow-start threshold. The transport reduces
    /// cwnd to it during recovery; after a timeout it begins again from what is still in flight and one segment.
    fn on_congestion(&mut self, window: &Window) -> Segments;

    /// A retransmission timeout has marked segments lost. Called before [`Self::on_congestion`] and
    /// [`Self::on_state`]; a transport that has no new counts to tell may leave it out.
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Whether it is to hear of each segment that is marked lost ([`Self::on_lost`]), and of what was in flight when a sampled
    /// one was sent: the transport keeps that for each segment then.
    fn watches_losses(&self) -> bool {
        false
    }

    /// A segment was marked lost, when so many had been delivered. Called before [`Self::on_congestion`]
    /// (Linux's `skb_marked_lost` of BBR version 3).
    fn on_lost(&mut self, _loss: &Loss, _window: &Window, _now: Time, _delivered: u64) {}

    /// A tail loss probe repaired a loss that nobody saw, of a segment sent while the application limited the sender or not.
    /// Called before [`Self::on_congestion`] (Linux's `CA_EVENT_TLP_RECOVERY`).
    fn on_probe_repair(&mut self, _was_app_limited: bool, _window: &Window, _now: Time, _delivered: u64) {}

    /// The transport's recovery state changed to `state`. Called after [`Self::on_congestion`] where both are.
    fn on_state(&mut self, _state: RecoveryState, _window: &mut Window) {}

    /// The last reduction was spurious: gives the congestion window to go back to; `prior_cwnd` is what it was.
    fn on_undo(&mut self, window: &Window, prior_cwnd: Segments) -> Segments {
        window.cwnd.max(prior_cwnd)
    }

    /// First transmission after an idle period (nothing was in flight).
    fn on_restart(&mut self, _restart: &Restart, _window: &mut Window) {}

    /// The pacing rate that the algorithm wants; `None`: it does not pace, and the transport derives a rate from
    /// cwnd and RTT, which then only sizes bursts (or paces, where the sender has `fq`).
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether segments leave at that rate; where not, it only sizes bursts.
    fn paces(&self) -> bool {
        self.pacing_rate().is_some()
    }

    /// True when the algorithm sets cwnd itself in every state, so that the transport must not reduce it.
    fn owns_window(&self) -> bool {
        false
    }

    /// True when, at the last ACK, the algorithm itself kept the flight below what the path holds, so that rate
    /// samples understate the path: the transport then counts what is in flight as application-limited
    /// (BBR's PROBE_RTT; Linux's `bbr_update_min_rtt` sets `tp->app_limited = delivered + in_flight`, at least 1).
    fn limits_flight(&self) -> bool {
        false
    }

    /// Smallest burst, in segments, that the sender may cut its data into; `None`: Linux's `tcp_min_tso_segs`, 2.
    fn min_burst(&self) -> Option<Segments> {
        None
    }

    /// Largest burst, in segments, whatever the pacing rate would make of it.
    fn max_burst(&self) -> Segments {
        Segments::MAX
    }

    /// Send buffer wanted, as a multiple of cwnd (`tcp_sndbuf_expand`).
    fn send_buffer_factor(&self) -> u32 {
        2
    }

    /// Names of the phases that [`Inspection::phase`] counts.
    fn phases(&self) -> &'static [&'static str];

    /// The algorithm's own variables, for traces and tests.
    fn inspect(&self) -> Inspection;
}
