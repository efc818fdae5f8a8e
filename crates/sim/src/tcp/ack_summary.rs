//! [`AckSummary`]: what an ACK said, and how the sender stood before it.

use super::scoreboard::Scoreboard;
use crate::net::Ack;

/// Filled in while an ACK is taken in, and then read by recovery and congestion control.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckSummary {
    /// First unacknowledged segment before it, and the payload bytes before that.
    pub prior_una: u64,
    pub prior_una_bytes: u64,
    /// One past the highest SACKed segment before it.
    pub prior_fack: u64,
    pub prior_sacked: u32,
    pub prior_in_flight: u32,
    pub prior_lost_total: u64,
    pub prior_delivered: u64,
    /// Something was unacknowledged.
    pub had_out: bool,
    /// The timestamp that it echoes, ms.
    pub echo_ms: u32,
    /// One that left later came before it: it says nothing but what it SACKs.
    pub overtaken: bool,
    /// `una` moved.
    pub advanced: bool,
    /// Segments were newly SACKed.
    pub sacked: bool,
    /// A segment that was never retransmitted was acknowledged or SACKed, from before the state began.
    pub original_delivered: bool,
    /// A retransmitted segment was acknowledged.
    pub retransmitted_acked: bool,
    /// It carried a D-SACK.
    pub duplicate: bool,
    /// That of a tail loss probe.
    pub duplicate_probe: bool,
    /// Of a tail loss probe that was a retransmission, or of what it repeats: nobody knows yet (`is_acking_tlp_retrans_seq`).
    pub acks_probe: bool,
    /// It reported marks: by ECE, which a connection with ECN heeds, or by its count.
    pub echoes: bool,
    /// The window's right edge moved.
    pub window_moved: bool,
    /// A retransmission was found lost.
    pub lost_retransmission: bool,
    /// The retransmission timer must be set anew.
    pub set_timer: bool,
    /// What RACK suspects may yet arrive within this time, µs: the timer waits for that instead.
    pub reordering_wait_us: Option<u64>,
    /// A lone segment's ACK: probably delayed.
    pub maybe_delayed: bool,
}

impl AckSummary {
    /// Of an ACK that is about to be taken in, when `delivered` segments have been and the receiver's window ends at
    /// `edge_bytes`.
    #[inline]
    pub fn new(ack: &Ack, board: &Scoreboard, delivered: u64, edge_bytes: u64) -> Self {
        Self {
            prior_una: board.una(),
            prior_una_bytes: board.una_bytes(),
            prior_fack: board.fack(),
            prior_sacked: board.sacked(),
            prior_in_flight: board.in_flight(),
            prior_lost_total: board.lost_total(),
            prior_delivered: delivered,
            had_out: board.out() > 0,
            echo_ms: ack.echo_ms,
            advanced: ack.una > board.una(),
            window_moved: ack.window_edge_bytes > edge_bytes,
            ..Self::default()
        }
    }

    /// It says nothing but that data arrived in order, or that there is more room.
    pub const fn is_plain(&self) -> bool {
        (self.advanced || self.window_moved) && !self.sacked && !self.duplicate && !self.echoes
    }

    /// It repeats the one before (RFC 5681 section 2).
    pub const fn is_duplicate_ack(&self) -> bool {
        !self.overtaken && !self.advanced && !self.window_moved && !self.duplicate
    }
}
