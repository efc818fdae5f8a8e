//! The undo of what was spurious (RFC 4015's response), found by timestamps (RFC 3522) or by D-SACK (RFC 3708).

use super::scoreboard::Scoreboard;
use units::window_segments;

/// What tells whether a reduction was needless.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// `una` when the reduction began; none: nothing to undo.
    from: Option<u64>,
    /// Retransmissions since then that no D-SACK has declared needless; none: nothing was retransmitted yet.
    retransmits: Option<u32>,
    /// Timestamp of the first retransmission of the episode, ms.
    retransmit_stamp_ms: Option<u32>,
}

impl Undo {
    /// A reduction begins. `probes`: tail loss probes under way that were retransmissions.
    pub fn begin(&mut self, board: &Scoreboard, probes: u32) {
        self.from = Some(board.una());
        let retransmits = board.retransmitted() + probes;
        self.retransmits = (retransmits > 0).then_some(retransmits);
    }

    /// There is nothing to undo any more.
    pub const fn end(&mut self) {
        self.from = None;
    }

    /// There is a reduction that may be undone.
    pub const fn is_possible(&self) -> bool {
        self.from.is_some()
    }

    /// Segments were sent again.
    pub fn on_retransmission(&mut self, segments: u32, now_ms: u32) {
        self.retransmit_stamp_ms.get_or_insert(now_ms);
        self.retransmits = Some(self.retransmits.unwrap_or(0) + segments);
    }

    /// Timestamp of the first retransmission of the episode, ms, if there was one.
    pub const fn retransmit_stamp_ms(&self) -> Option<u32> {
        self.retransmit_stamp_ms
    }

    /// The next retransmission is the first of an episode.
    pub const fn forget_retransmission(&mut self) {
        self.retransmit_stamp_ms = None;
    }

    /// A D-SACK told of `start..end`, all of it below `una`.
    pub fn on_duplicate(&mut self, start: u64, end: u64, una: u64) {
        if let (Some(from), Some(left)) = (self.from, self.retransmits)
            && end <= una
            && end > from
        {
            self.retransmits = Some(left.saturating_sub(window_segments(end - start)));
        }
    }

    /// A D-SACK came for a retransmitted segment of the window.
    pub fn on_duplicate_in_window(&mut self, seq: u64) {
        if self.from.is_some_and(|from| seq >= from) {
            self.retransmits = self.retransmits.map(|left| left.saturating_sub(1));
        }
    }

    /// An ACK with this echo was caused by a segment sent before the first retransmission (RFC 3522's test).
    pub fn echo_precedes_retransmission(&self, echo_ms: u32) -> bool {
        self.retransmit_stamp_ms.is_none_or(|stamp_ms| echo_ms < stamp_ms)
    }

    /// D-SACKs declared every retransmission needless.
    pub fn is_due_by_duplicates(&self) -> bool {
        self.is_possible() && self.retransmits == Some(0)
    }

    /// D-SACKs or an ACK's echo tell that the reduction was needless.
    pub fn is_due(&self, echo_ms: u32) -> bool {
        self.is_possible() && (self.retransmits == Some(0) || self.echo_precedes_retransmission(echo_ms))
    }
}
