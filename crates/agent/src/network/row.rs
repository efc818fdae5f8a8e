//! [`Row`]: the routers that packets of one direction meet, in order.

use super::discipline::Discipline;
use super::managed::ManagedQueue;
use super::pair::{AddressPair, has_nics};
use super::place::{Place, Router};
use run::{Direction, Hop, Impairments, LossAt, Path, Run, ShaperAt, ShaperKind};

/// The routers of a direction's hops.
#[derive(Clone, Debug)]
pub struct Row {
    /// Place of its first hop among those of the path and then of the way back.
    pub first: usize,
    /// In the order in which packets meet them.
    pub stops: Vec<Stop>,
    hops: Vec<Hop>,
    /// Those that ACKs pass.
    met_by_acks: Vec<bool>,
    shaper_at: ShaperAt,
    offload: bool,
    mtu_bytes: u32,
}

/// A router of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where it is.
    pub place: Place,
    /// Place of its hop among those of the direction.
    pub hop: usize,
    /// What it is there for.
    pub router: Router,
}

impl Row {
    /// That of a direction; empty: packets meet nothing but delay. The path also reorders so much.
    pub fn new(run: &Run, direction: Direction, pairs: &[AddressPair], reorder_ppb: u32) -> Self {
        let path = &run.path;
        let hops = path.hops(direction);
        let passes_acks = |hop: usize| pairs.iter().any(|it| it.direction != direction && it.ack_hops.contains(&hop));
        let met_by_acks = (0..hops.len()).map(passes_acks).collect();
        let mut stops = Vec::new();
        for (number, hop) in hops.iter().enumerate() {
            let is_last = number + 1 == hops.len();
            let wanted = |router: &Router| match router {
                Router::Gate => loses_at(hop, LossAt::Before) || path.offload,
                Router::Near => true,
                Router::LossHop => loses_at(hop, LossAt::After),
                Router::Wire => !on_the_wire(hop).is_clear(),
                Router::Lag => {
                    hop.impairments.aggregation_ns > 0 || hop.changes_in_time().iter().any(|it| it.delay_ns.is_some())
                }
                Router::Far if is_last => fans_out(run, direction, number, pairs, reorder_ppb),
                Router::Far => hop.delay_ns > 0,
            };
            let routers = Router::ALL.into_iter().filter(wanted);
            let stop = |router: Router| Stop { place: place(path, direction, number, router), hop: number, router };
            stops.extend(routers.map(stop));
        }
        Self {
            first: position(path, direction, 0),
            stops,
            hops,
            met_by_acks,
            shaper_at: path.shaper_at,
            offload: path.offload,
            mtu_bytes: path.mtu_bytes,
        }
    }

    /// The router at which packets enter that pass this hop first.
    pub fn entry(&self, hop: usize) -> Place {
        self.stops.iter().find(|stop| stop.hop == hop).expect("a router of each hop").place
    }

    /// The router from which packets leave that pass this hop last: the first one behind its queue, its line and its loss.
    pub fn exit(&self, hop: usize) -> Stop {
        let behind = |stop: &&Stop| stop.hop > hop || stop.hop == hop && stop.router == Router::Far;
        *self.stops.iter().find(behind).or(self.stops.last()).expect("a router of each hop")
    }

    /// What packets meet when they leave a router for the next one, or for hosts where all of them leave it so.
    pub fn discipline(&self, stop: Stop) -> Option<Discipline> {
        let hop = &self.hops[stop.hop];
        let (loss_ppb, of_all) = (hop.loss_ppb, self.met_by_acks[stop.hop]);
        let loss = match hop.impairments.burst_loss {
            Some(channel) => Discipline::BurstLoss { channel, of_all },
            None if of_all => Discipline::LossOfAll { loss_ppb },
            None => Discipline::Loss { loss_ppb },
        };
        match stop.router {
            Router::Near => (self.shaper_at == ShaperAt::Router).then(|| bucket(hop, self.mtu_bytes)),
            Router::Gate | Router::LossHop => Some(if self.loses(stop) { loss } else { Discipline::Counter }),
            Router::Wire => Some(Discipline::Impaired(on_the_wire(hop))),
            Router::Lag => {
                let (delay_ns, slot_ns) = (0, hop.impairments.aggregation_ns);
                Some(Discipline::Delay { delay_ns, reorder_ppb: 0, slot_ns })
            }
            Router::Far => (hop.delay_ns > 0).then(|| Discipline::delay(hop.delay_ns)),
        }
    }

    /// It loses packets at random.
    pub fn loses(&self, stop: Stop) -> bool {
        let hop = &self.hops[stop.hop];
        let side = match stop.router {
            Router::Gate => LossAt::Before,
            Router::LossHop => LossAt::After,
            Router::Near | Router::Wire | Router::Lag | Router::Far => return false,
        };
        loses_at(hop, side)
    }

    /// Its counters tell the segments offered to its hop's queue.
    pub fn counts_arrivals(&self, stop: Stop) -> bool {
        stop.router == Router::Gate && self.offload
    }
}

/// The place of a direction's hop among those of the path and then of the way back.
pub fn position(path: &Path, direction: Direction, hop: usize) -> usize {
    match direction {
        Direction::Down => hop,
        Direction::Up => path.hops(Direction::Down).len() + hop,
    }
}

/// A hop's queue and line, on a path of this MTU.
///
/// A `tbf` is full after each change of its rate, an `htb` has the tokens that it had. So the line of a trace, which changes a
/// hundred times a second, is an `htb`: one that is a frame less deep lets full frames leave when a `tbf` would, since it lets
/// one leave that it owes.
pub fn bucket(hop: &Hop, mtu_bytes: u32) -> Discipline {
    let (rate_bps, burst_bytes, extra_bytes) = (hop.rate_bps, hop.burst_bytes, hop.extra_bytes());
    let frame_bytes = u64::from(mtu_bytes + hop.overhead_bytes);
    let (kind, burst_bytes) = match hop.shaper {
        ShaperKind::Police => {
            return Discipline::Police { rate_bps, burst_bytes, peak_bps: hop.police.peak_bps, mtu_bytes, extra_bytes };
        }
        ShaperKind::Tbf if hop.trace.is_some() => (ShaperKind::Htb, burst_bytes.saturating_sub(frame_bytes)),
        kind => (kind, burst_bytes),
    };
    let stops = hop.changes_in_time().iter().any(|change| change.rate_bps == Some(0));
    Discipline::Bucket {
        kind,
        rate_bps,
        burst_bytes,
        room: hop.buffer,
        managed: ManagedQueue::of(hop, mtu_bytes),
        extra_bytes,
        has_valve: stops && kind == ShaperKind::Htb,
    }
}

/// A hop loses packets on this side of its queue, at least at times.
fn loses_at(hop: &Hop, side: LossAt) -> bool {
    let later = hop.changes_in_time().iter().any(|change| change.loss_ppb.is_some_and(|ppb| ppb > 0));
    hop.loss_at == side && (hop.loss_ppb > 0 || later || hop.impairments.burst_loss.is_some())
}

/// What the line of a hop does to packets one by one.
fn on_the_wire(hop: &Hop) -> Impairments {
    Impairments { burst_loss: None, thins_acks: false, aggregation_ns: 0, ..hop.impairments }
}

/// Whether packets take other ways than one behind the last hop, or meet delays there.
fn fans_out(run: &Run, direction: Direction, last: usize, pairs: &[AddressPair], reorder_ppb: u32) -> bool {
    let leaving = pairs.iter().filter_map(|pair| {
        let (hop, delay_ns) = pair.leaves(direction)?;
        (hop == last).then_some((pair.direction == direction, delay_ns))
    });
    let leaving: Vec<(bool, u64)> = leaving.collect();
    let is_one_line = leaving.first().is_some_and(|first| first.1 == 0 && leaving.iter().all(|it| it == first));
    !is_one_line || reorder_ppb > 0 || has_nics(run) && leaving.iter().any(|(is_data, _)| *is_data)
}

fn place(path: &Path, direction: Direction, hop: usize, router: Router) -> Place {
    match direction {
        _ if !path.has_several_hops() => router.alone(),
        Direction::Down => Place::Down(hop, router),
        Direction::Up => Place::Up(hop, router),
    }
}
