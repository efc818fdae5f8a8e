//! The queues of a built path: what they have counted, and their rates.

use super::counters::{self, Counters};
use super::discipline::{self, Discipline};
use super::plan::Counted;
use super::{Network, handle, row, site};
use crate::error::Error;
use crate::netlink::Batch;
use run::{Change, Direction, Hop, QueueCounters};

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
        let queue = match self.plan.queue(number).map_or(handle::ROOT, Discipline::queue_handle) {
            handle::ROOT => shaper,
            handle => self.count(counted.queue, handle, hop)?,
        };
        let line = counted.loss.and_then(|device| self.line_of(device));
        let random_lost_packets = match (counted.loss, &self.relay, line) {
            (Some(_), Some(relay), Some(line)) => relay.lost(line),
            (Some(device), ..) => self.count(device, handle::CHILD, hop)?.dropped_packets,
            (None, ..) => 0,
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

    /// A hop of a direction changes now. What waits stays, and the frame at the head may keep the time that it had; a `tbf` is
    /// full again (`tbf_change` in the kernel's `sch_tbf.c`), an `htb` keeps its tokens, which are a time (`htb_change_class`
    /// in `sch_htb.c`).
    pub fn change(&mut self, direction: Direction, hop: usize, change: &Change) -> Result<(), Error> {
        if self.plan.hops.is_empty() {
            return Ok(());
        }
        let Counted { queue, loss, lag, .. } = self.plan.hops[row::position(&self.path, direction, hop)];
        if change.rate_bps.is_some() || change.buffer.is_some() {
            let of = &self.path.hops(direction)[hop];
            let full = of.trace.as_ref().map(|_| row::bucket(of, self.path.mtu_bytes));
            self.alter(queue, |discipline| {
                if let Discipline::Bucket { rate_bps, burst_bytes, room, .. } = discipline {
                    // An `htb` reckons when a frame leaves, and what it could have sent meanwhile it saves up. So behind an outage
                    // of a trace nothing is saved until the next change.
                    if let Some(Discipline::Bucket { burst_bytes: full_bytes, .. }) = full {
                        *burst_bytes = if *rate_bps == 0 { 0 } else { full_bytes };
                    }
                    *rate_bps = change.rate_bps.unwrap_or(*rate_bps);
                    *room = change.buffer.unwrap_or(*room);
                }
            })?;
        }
        if let (Some(device), Some(ppb)) = (loss, change.loss_ppb) {
            self.alter(device, |discipline| {
                if let Discipline::Loss { loss_ppb } | Discipline::LossOfAll { loss_ppb } = discipline {
                    *loss_ppb = ppb;
                }
            })?;
        }
        if let (Some(device), Some(ns)) = (lag, change.delay_ns) {
            self.alter(device, |discipline| {
                if let Discipline::Delay { delay_ns, .. } = discipline {
                    *delay_ns = ns;
                }
            })?;
        }
        Ok(())
    }

    /// Has the kernel, or the relay, do something else to packets at a device.
    fn alter(&mut self, device: usize, change: impl FnOnce(&mut Discipline)) -> Result<(), Error> {
        let Some(discipline) = self.plan.discipline_mut(device) else { return Ok(()) };
        change(discipline);
        let discipline = *discipline;
        if let (Some(relay), Some(line)) = (&self.relay, self.line_of(device)) {
            relay.treat(line, discipline);
            return Ok(());
        }
        let device = &self.plan.devices[device];
        let mut batch = Batch::default();
        discipline::push_change(&mut batch, device, &discipline);
        site(&mut self.sites, device.place).socket.execute(batch)
    }

    /// Number of a relay's line, by the device that it takes from; none: it is a link's.
    fn line_of(&self, device: usize) -> Option<usize> {
        self.plan.relays.iter().position(|(takes, _)| *takes == device)
    }

    fn count(&mut self, device: usize, handle: u32, hop: &Hop) -> Result<Counters, Error> {
        let counters = counters::parse_counters(self.ask(device, handle)?, &hop.qdisc);
        counters.ok_or_else(|| Error::new("counters of a queueing discipline", "an answer without them"))
    }
}
