//! The queues of a built path: what they have counted, and their rates.

use super::discipline::{self, Counters};
use super::{Network, handle, row, site};
use crate::error::Error;
use crate::netlink::Batch;
use run::{Direction, Hop, QueueCounters};

impl Network {
    /// The counters of each hop's queue now, those of the path and then of the way back; the caller knows the time. Two system
    /// calls a hop, two more with a managed queue, with random loss and with offloads.
    ///
    /// With offloads a dropped super-packet counts once and a sent one by its segments. There `offered` is the count
    /// of segments that passed the gate, `queued` is the backlog in frames of full size, and `dropped` what remains:
    /// exact when the queue is empty.
    pub fn counters(&mut self) -> Result<Vec<QueueCounters>, Error> {
        if self.plan.hops.is_empty() {
            // They are on another machine, or nowhere.
            let hops = Direction::BOTH.into_iter().map(|direction| self.path.hops(direction).len()).sum();
            return Ok(vec![QueueCounters::default(); hops]);
        }
        let hops = Direction::BOTH.map(|direction| self.path.hops(direction));
        hops.iter().flatten().enumerate().map(|(number, hop)| self.counters_of(number, hop)).collect()
    }

    /// What left is what the shaper counts. What a managed queue drops is what that counts itself: the shaper may learn of the
    /// last ones only when the next frame leaves (`codel_qdisc_dequeue` in `sch_codel.c`).
    fn counters_of(&mut self, number: usize, hop: &Hop) -> Result<QueueCounters, Error> {
        let counted = self.plan.hops[number];
        let shaper = self.count(counted.queue, handle::ROOT, hop)?;
        let (sent_packets, sent_bytes) = (shaper.sent_packets, shaper.sent_bytes);
        let queue = if hop.qdisc.is_fifo() { shaper } else { self.count(counted.queue, handle::CHILD, hop)? };
        let random_lost_packets = match (counted.loss, &self.relay) {
            (Some(device), Some(relay)) if self.plan.relay_of(device).is_some() => relay.lost(self.line_of(device)),
            (Some(device), _) => self.count(device, handle::CHILD, hop)?.dropped_packets,
            (None, _) => 0,
        };
        let mut counters = QueueCounters {
            at_ns: 0,
            offered_packets: sent_packets + queue.dropped_packets + queue.queued_packets,
            sent_packets,
            sent_bytes,
            dropped_packets: queue.dropped_packets,
            dequeue_dropped_packets: queue.dequeue_dropped_packets.filter(|_| counted.arrivals.is_none()),
            marked_packets: queue.marked_packets,
            random_lost_packets,
            queued_packets: queue.queued_packets,
            queued_bytes: queue.queued_bytes,
            // The kernel counts what came to each of DualPI2's queues, and not what is in it.
            low_latency_packets: None,
        };
        if let Some(device) = counted.arrivals {
            let arrived = self.count(device, handle::ROOT, hop)?.sent_packets;
            let frame_bytes = u64::from(self.path.mtu_bytes + hop.overhead_bytes);
            counters.queued_packets = queue.queued_bytes.div_ceil(frame_bytes);
            let dropped = arrived.saturating_sub(counters.sent_packets + counters.queued_packets);
            self.dropped_packets[number] = self.dropped_packets[number].max(dropped);
            counters.dropped_packets = self.dropped_packets[number];
            counters.offered_packets = counters.sent_packets + counters.dropped_packets + counters.queued_packets;
        }
        Ok(counters)
    }

    /// From now on a hop of a direction has another rate. What waits stays, and the frame at the head may keep the time that
    /// it had; a `tbf` is full again (`tbf_change` in the kernel's `sch_tbf.c`), an `htb` keeps its tokens, which are a time
    /// (`htb_change_class` in `sch_htb.c`).
    pub fn change_rate(&mut self, direction: Direction, hop: usize, rate_bps: u64) -> Result<(), Error> {
        if self.plan.hops.is_empty() {
            return Ok(());
        }
        let counted = self.plan.hops[row::position(&self.path, direction, hop)];
        let device = &self.plan.devices[counted.queue];
        let mut batch = Batch::default();
        discipline::push_rate(&mut batch, device, &self.path.hops(direction)[hop], rate_bps);
        site(&mut self.sites, device.place).socket.execute(batch)
    }

    /// Number of a relay's line, by the device that it takes from.
    fn line_of(&self, device: usize) -> usize {
        self.plan.relays.iter().position(|(takes, _)| *takes == device).expect("a line of the relay")
    }

    fn count(&mut self, device: usize, handle: u32, hop: &Hop) -> Result<Counters, Error> {
        let counters = discipline::parse_counters(self.ask(device, handle)?, &hop.qdisc);
        counters.ok_or_else(|| Error::new("counters of a queueing discipline", "an answer without them"))
    }
}
