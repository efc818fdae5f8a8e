//! The queue that one sender's packets saw, and what was lost in it.

use crate::quantile::Quantiles;

/// A queue of this part of the RTT is none,
const EMPTY_PART: i64 = 100;
/// nor is one of this time, which is within hosts' own delays.
const EMPTY_NS: i64 = 50_000;

/// RTTs of flows are compared so often.
const COMPARE_NS: i64 = 2_000_000;

/// Whether a queue is as good as none.
pub const fn is_empty(queue_ns: i64, rtt_ns: i64) -> bool {
    queue_ns <= rtt_ns / EMPTY_PART + EMPTY_NS
}

/// By the RTTs of its data.
#[derive(Default)]
pub struct Queueing {
    /// Whether the handshake shows that the capture was made far from the sender: RTTs lack a part, and queues with it.
    pub far: bool,
    /// The RTT of the handshake, ns, and the queue that any flow saw at the time; all of it, where that may have been longer.
    opening: Option<(i64, Option<i64>)>,
    /// The RTT of data at the time when the queue was shortest, as any flow saw it for a round trip, and that queue, ns.
    shortest: Option<(i64, i64)>,
    least_of_data_ns: Option<i64>,
    /// RTTs less the queue that another flow saw last.
    pub relative: Quantiles,
    last_rtt_ns: Option<i64>,
    /// When the next RTT is compared.
    compare_ns: i64,
    began_free: bool,
    /// The last RTT before each segment that was sent again after a fast retransmission.
    pub at_loss: Quantiles,
    delivered: u64,
}

impl Queueing {
    /// Bytes of memory.
    #[inline]
    pub const fn memory_bytes(&self) -> usize {
        self.at_loss.memory_bytes() + self.relative.memory_bytes()
    }

    /// Notes the handshake's RTT, the queue at its time and whether that was no longer, and by how much the least of a full
    /// frame is longer.
    pub fn open(&mut self, rtt_ns: i64, queue: Option<(i64, bool)>, longer_ns: Option<i64>) {
        let most_ns = queue.map(|(queue_ns, is_sure)| if is_sure { queue_ns } else { rtt_ns });
        let queue_ns = queue.map(|(queue_ns, _)| queue_ns);
        self.opening = Some((rtt_ns, most_ns));
        self.began_free = most_ns.is_none_or(|most_ns| is_empty(most_ns, rtt_ns));
        self.least_of_data_ns = longer_ns
            .zip(queue_ns)
            .map(|(longer_ns, queue_ns)| rtt_ns.saturating_sub(queue_ns).max(1).saturating_add(longer_ns));
    }

    /// The least RTT that data may have, by a handshake that met a queue: data itself may never see less.
    #[inline]
    pub const fn least_of_data_ns(&self) -> Option<i64> {
        self.least_of_data_ns
    }

    /// The handshake's RTT, ns, and the queue that any flow saw at the time, or the same where that may have been longer.
    pub const fn opening(&self) -> Option<(i64, Option<i64>)> {
        self.opening
    }

    /// The RTT of data when the queue was shortest, as any flow saw it for a round trip, and that queue, ns.
    pub const fn shortest(&self) -> Option<(i64, i64)> {
        self.shortest
    }

    /// Notes an RTT, and says whether it is time to compare one with others'.
    #[inline]
    pub const fn rtt(&mut self, rtt_ns: i64, now_ns: i64) -> bool {
        self.last_rtt_ns = Some(rtt_ns);
        let due = now_ns >= self.compare_ns;
        if due {
            self.compare_ns = now_ns.saturating_add(COMPARE_NS);
        }
        due
    }

    /// Notes an RTT, the queue that any flow saw for as long as that, and the one that another flow saw last.
    #[inline(never)]
    pub fn compare(&mut self, rtt_ns: i64, queue_ns: Option<i64>, reference_ns: Option<i64>) {
        if let Some(reference_ns) = reference_ns {
            self.relative.insert(rtt_ns.saturating_sub(reference_ns).max(0).cast_unsigned());
        }
        if let Some(queue_ns) = queue_ns
            && self.shortest.is_none_or(|(other_ns, shortest_ns)| (queue_ns, rtt_ns) < (shortest_ns, other_ns))
        {
            self.shortest = Some((rtt_ns, queue_ns));
        }
    }

    /// The handshake's RTT where it met no queue that anybody saw, ns.
    #[inline]
    pub fn free_opening_ns(&self) -> Option<i64> {
        self.opening.filter(|_| self.began_free).map(|(rtt_ns, _)| rtt_ns)
    }

    /// Notes that a segment was lost.
    pub fn lost(&mut self) {
        if let Some(rtt_ns) = self.last_rtt_ns {
            self.at_loss.insert(rtt_ns.max(0).cast_unsigned());
        }
    }

    /// How many bytes more the receiver has, by acknowledgements and reports, than it had before.
    #[inline]
    pub const fn more(&mut self, delivered: u64) -> u64 {
        let more = delivered.saturating_sub(self.delivered);
        if delivered > self.delivered {
            self.delivered = delivered;
        }
        more
    }
}
