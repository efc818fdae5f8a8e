//! Round trips of a sender, as it counts them itself: how much was outstanding in each, and what it did after a loss.

use super::Recovery;

/// Rounds that are remembered of a direction. Over it every second one is forgotten.
const MOST_ROUNDS: usize = 512;
/// Reductions that are remembered, the last ones.
const MOST_REDUCTIONS: usize = 128;
/// BBR's window in PROBE_RTT, segments (BBR draft, BBRMinPipeCwnd).
const PROBE_RTT_SEGMENTS: u64 = 4;
/// BBR stays there for 200 ms at least (BBR draft, ProbeRTTDuration). A tenth less, for timers are read at ACKs.
const PROBE_RTT_NS: i64 = 180_000_000;

/// A round trip: from a segment to the acknowledgement of it. Only the next begins thereafter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// When it ended, ns.
    pub at_ns: i64,
    /// Which one, from 0 on.
    pub index: u32,
    /// The most that was outstanding, bytes.
    pub window_bytes: u32,
    /// The shortest RTT of it, us.
    pub rtt_us: u32,
    /// Losses before it, by recoveries and timeouts.
    pub epoch: u32,
    /// Whether the congestion window alone limited it, and nothing was recovered.
    pub clean: bool,
}

/// A fast recovery, by the windows around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// The most that was outstanding in the two rounds before, bytes.
    pub before_bytes: u64,
    /// The most that was outstanding in the round after, bytes.
    pub after_bytes: u64,
    /// The epoch that follows, see [`Round::epoch`].
    pub epoch: u32,
    /// When the recovery began.
    pub began: Instant,
    /// When the round after it was over, or interrupted by the next loss.
    pub settled: Instant,
}

/// A time, also in rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// As the capture counts it, ns.
    pub at_ns: i64,
    /// Rounds before it.
    pub round: u32,
}

/// A time at the window of PROBE_RTT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dip {
    pub began_ns: i64,
    pub ended_ns: i64,
}

/// A recovery whose outcome is not known yet.
#[derive(Clone, Copy)]
struct Pending {
    before: u64,
    began: Instant,
    spurious: u64,
    /// Where the first round after it ends, once it is over.
    until: Option<u64>,
}

/// What is known when a segment was sent.
pub struct Sending<'a> {
    pub now_ns: i64,
    /// After it, less what was acknowledged or reported.
    pub outstanding_bytes: u64,
    pub acked: u64,
    pub segment_bytes: u64,
    /// Whether it was sent before.
    pub again: bool,
    pub recovery: &'a Recovery,
}

/// What is known when an acknowledgement came.
pub struct Receipt<'a> {
    pub now_ns: i64,
    pub acked: u64,
    /// Behind the last number sent.
    pub most: u64,
    pub rtt_ns: Option<i64>,
    /// How long congestion has limited the sender.
    pub congestion_ns: i64,
    pub recovery: &'a Recovery,
}

/// The rounds of one sender.
#[derive(Default)]
pub struct Rounds {
    begun: bool,
    first_ns: i64,
    began_ns: i64,
    end: u64,
    count: u32,
    least_rtt_ns: Option<i64>,
    congestion_ns: i64,
    disturbed: bool,
    /// The most outstanding outside of recoveries: in this round, and in the one before.
    peaks: [u64; 2],
    /// The last peak of all.
    window: u64,
    recoveries: u64,
    timeouts: u64,
    epoch: u32,
    pending: Option<Pending>,
    low: Option<Low>,
    rounds: Vec<Round>,
    shift: u32,
    reductions: Vec<Reduction>,
    /// Of all, also those that are forgotten.
    reduction_count: u64,
    dips: Vec<Dip>,
}

/// A time with little outstanding.
#[derive(Clone, Copy)]
struct Low {
    since_ns: i64,
    packets: u32,
    peak: u64,
    epoch: u32,
    timeouts: u64,
    calm: bool,
}

impl Rounds {
    /// Bytes of memory.
    #[inline]
    pub const fn memory_bytes(&self) -> usize {
        self.rounds.capacity() * size_of::<Round>()
            + self.reductions.capacity() * size_of::<Reduction>()
            + self.dips.capacity() * size_of::<Dip>()
    }

    /// Rounds in order, not each of them.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The last reductions, in order.
    pub fn reductions(&self) -> &[Reduction] {
        &self.reductions
    }

    /// Times at the window of PROBE_RTT.
    pub fn dips(&self) -> &[Dip] {
        &self.dips
    }

    /// All rounds.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// All reductions.
    pub const fn reduction_count(&self) -> u64 {
        self.reduction_count
    }

    /// From the first round to the last, ns.
    pub const fn span_ns(&self) -> i64 {
        self.began_ns.saturating_sub(self.first_ns)
    }

    /// Enters a segment that was sent.
    #[inline(always)]
    pub fn sent(&mut self, sending: &Sending<'_>) {
        let recovery = sending.recovery;
        if sending.again && (recovery.counts.recoveries != self.recoveries || recovery.counts.timeouts != self.timeouts)
        {
            self.lost(recovery, sending.now_ns);
        }
        if !recovery.is_on(sending.acked) {
            self.peaks[0] = self.peaks[0].max(sending.outstanding_bytes);
        }
        // Half a segment more, for the last one may be short.
        if 2 * sending.outstanding_bytes > (2 * PROBE_RTT_SEGMENTS + 1) * sending.segment_bytes {
            if self.low.is_some() {
                self.rises(sending);
            }
        } else {
            let low = self.low.get_or_insert(Low {
                since_ns: sending.now_ns,
                packets: 0,
                peak: self.peaks[0].max(self.peaks[1]).max(self.window),
                epoch: self.epoch,
                timeouts: recovery.counts.timeouts,
                calm: self.pending.is_none() && !recovery.is_on(sending.acked),
            });
            low.packets += 1;
        }
    }

    /// More than PROBE_RTT's window is outstanding again.
    #[cold]
    fn rises(&mut self, sending: &Sending<'_>) {
        let Some(low) = self.low.take() else { return };
        let lasted_ns = sending.now_ns.saturating_sub(low.since_ns);
        // Half of twice as much is what a reduction leaves, and half of that two of them.
        let factor = if low.calm && low.epoch == self.epoch { 2 } else { 4 };
        let deep = low.peak >= factor * PROBE_RTT_SEGMENTS * sending.segment_bytes;
        let flows = u64::from(low.packets) >= PROBE_RTT_SEGMENTS;
        let timely = low.timeouts == sending.recovery.counts.timeouts;
        if lasted_ns >= PROBE_RTT_NS && deep && flows && timely && self.dips.len() < MOST_REDUCTIONS {
            self.dips.push(Dip { began_ns: low.since_ns, ended_ns: sending.now_ns });
        }
    }

    /// A recovery begins, or the timer ran out.
    #[cold]
    fn lost(&mut self, recovery: &Recovery, now_ns: i64) {
        self.settle(recovery, now_ns);
        self.pending = None;
        self.epoch += 1;
        self.disturbed = true;
        let before = self.peaks[0].max(self.peaks[1]);
        if before > 0 {
            self.window = before;
            if recovery.counts.timeouts == self.timeouts {
                let began = Instant { at_ns: now_ns, round: self.count };
                self.pending = Some(Pending { before, began, spurious: recovery.counts.spurious, until: None });
            }
        }
        self.recoveries = recovery.counts.recoveries;
        self.timeouts = recovery.counts.timeouts;
        self.peaks = [0; 2];
    }

    /// Enters the reduction whose first round is over, or interrupted by the next.
    #[cold]
    fn settle(&mut self, recovery: &Recovery, now_ns: i64) {
        let Some(Pending { before, began, spurious, until: Some(_) }) = self.pending else { return };
        self.pending = None;
        let after = self.peaks[0].max(self.peaks[1]);
        // Of a needless recovery nothing is to be learnt: the window may have been restored.
        if after == 0 || recovery.counts.spurious != spurious {
            return;
        }
        if self.reductions.len() == MOST_REDUCTIONS {
            self.reductions.remove(0);
        }
        self.reduction_count += 1;
        self.reductions.push(Reduction {
            before_bytes: before,
            after_bytes: after,
            epoch: self.epoch,
            began,
            settled: Instant { at_ns: now_ns, round: self.count },
        });
    }

    /// Enters an acknowledgement, and says whether it ends a round.
    #[inline]
    pub fn acknowledged(&mut self, receipt: &Receipt<'_>) -> bool {
        if let Some(rtt_ns) = receipt.rtt_ns {
            self.least_rtt_ns = Some(self.least_rtt_ns.map_or(rtt_ns, |least| least.min(rtt_ns)));
        }
        let over = !receipt.recovery.is_on(receipt.acked);
        self.disturbed |= !over;
        match self.pending {
            Some(Pending { until: None, .. }) if over => {
                self.pending = self.pending.map(|pending| Pending { until: Some(receipt.most), ..pending });
                self.peaks = [0; 2];
            }
            Some(Pending { until: Some(until), .. }) if receipt.acked >= until => {
                self.settle(receipt.recovery, receipt.now_ns)
            }
            _ => {}
        }
        let ends = receipt.acked >= self.end;
        if ends {
            self.next(receipt);
        }
        ends
    }

    /// A round ends, and another begins.
    #[inline(never)]
    fn next(&mut self, receipt: &Receipt<'_>) {
        if self.begun {
            let elapsed_ns = receipt.now_ns.saturating_sub(self.began_ns);
            let congested = receipt.congestion_ns.saturating_sub(self.congestion_ns) >= elapsed_ns / 2;
            if self.count.trailing_zeros() >= self.shift {
                self.push(Round {
                    at_ns: receipt.now_ns,
                    index: self.count,
                    window_bytes: u32::try_from(self.peaks[0]).unwrap_or(u32::MAX),
                    rtt_us: self.least_rtt_ns.map_or(0, |ns| u32::try_from(ns / 1000).unwrap_or(u32::MAX)),
                    epoch: self.epoch,
                    clean: congested && !self.disturbed && self.peaks[0] > 0,
                });
            }
            self.count = self.count.saturating_add(1);
        } else {
            self.begun = true;
            self.first_ns = receipt.now_ns;
        }
        self.began_ns = receipt.now_ns;
        self.end = receipt.most;
        self.congestion_ns = receipt.congestion_ns;
        self.least_rtt_ns = None;
        self.disturbed = receipt.recovery.is_on(receipt.acked);
        self.peaks = [0, self.peaks[0]];
        if self.peaks[1] > 0 {
            self.window = self.peaks[1];
        }
    }

    fn push(&mut self, round: Round) {
        if self.rounds.len() == MOST_ROUNDS {
            self.shift += 1;
            let shift = self.shift;
            self.rounds.retain(|round| round.index.trailing_zeros() >= shift);
        }
        if round.index.trailing_zeros() >= self.shift {
            self.rounds.push(round);
        }
    }
}
