//! [`Layout`]: the hops of a run, and the route of each flow through them.

use super::deliveries::Deliveries;
use super::hop::{Hop, Place, Role};
use super::host::Host;
use super::line::Line;
use super::link::Link;
use super::loss::RandomLoss;
use super::medium::Medium;
use super::nic::Nic;
use super::queue::{DropTail, Queue};
use super::shaper::Shaper;
use crate::engine::Event;
use crate::index::HopId;
use run::{Access, AccessKind, Direction, Path, Run, ShaperKind, Trace};
use std::collections::BTreeMap;
use units::{Bytes, Rate, Span};

/// Hops in the order of their ids: the path's links and the delays between them, those of the way back, then lines to
/// and from hosts.
#[derive(Debug, Default)]
pub struct Layout {
    /// The hops.
    pub places: Vec<Place>,
    /// By the run's flows.
    pub routes: Vec<Route>,
    /// The links of the path, then those of the way back, in their order there.
    pub links: Vec<HopId>,
    /// What is behind each of them, where anything is.
    pub media: Vec<Option<HopId>>,
    /// How many hops there are before those of single hosts.
    shared: usize,
    /// Of these the lines, by direction and delay.
    lines: BTreeMap<(bool, Span), HopId>,
}

/// Where one flow's packets enter.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Its data, when it is out of its host.
    pub data: HopId,
    /// Its ACKs.
    pub acks: HopId,
}

/// The links of one direction.
struct Way {
    stages: Vec<Stage>,
    /// Where checksums are looked at, behind all of them; none: nothing damages packets.
    check: Option<HopId>,
}

/// A link of the path, and the delay behind it.
struct Stage {
    link: HopId,
    /// Behind its line, before that delay.
    medium: Option<HopId>,
    /// A hop of its own where another link follows.
    delay: Option<HopId>,
    delay_ns: u64,
}

impl Layout {
    /// That of a run. The lines of its hosts' own devices are put into `hosts`.
    pub fn of(run: &Run, hosts: &mut [Host]) -> Self {
        let mut layout = Self::default();
        let ways = Direction::BOTH.map(|direction| layout.lay(run, direction));
        layout.shared = layout.places.len();
        let mut onward: Vec<Vec<Option<Option<HopId>>>> = vec![vec![None; run.flows.len()]; layout.shared];
        for (index, flow) in run.flows.iter().enumerate() {
            let firsts = [(false, flow.direction), (true, flow.direction.reversed())].map(|(acks, direction)| {
                let Way { stages, check } = &ways[direction as usize];
                let (hops, delay_ns) = if acks {
                    (flow.ack_hops(&run.path), flow.return_delay_ns)
                } else {
                    (flow.data_hops(&run.path), flow.forward_delay_ns)
                };
                let (mut chain, rest_ns) = through(&stages[hops], delay_ns);
                chain.extend(check);
                chain.extend(layout.line_to_host(run, direction, acks, Span::from_nanos(rest_ns)));
                for (place, hop) in chain.iter().enumerate().filter(|(_, hop)| hop.index() < layout.shared) {
                    onward[hop.index()][index] = Some(chain.get(place + 1).copied());
                }
                chain.first().copied()
            });
            let [data, acks] = firsts.map(|first| first.expect("data passes a link, and ACKs a line"));
            layout.routes.push(Route { data, acks });
        }
        for (place, own) in layout.places.iter_mut().zip(onward) {
            (place.onward, place.onward_by_flow) = together(&own);
        }
        for (index, (flow, host)) in run.flows.iter().zip(hosts).enumerate() {
            let Some(access) = &flow.access else { continue };
            host.device = layout.add_access(&run.path, access, flow.direction, index);
        }
        layout
    }

    /// The events of the hops that most packets pass: the shared ones, and the first lines there and back.
    pub fn first_events(&self) -> Vec<Event> {
        let first = self.places.iter().take(self.shared + 2).enumerate();
        first.map(|(index, place)| place.event(HopId::new(index))).collect()
    }

    fn add(&mut self, place: Place) -> HopId {
        self.places.push(place);
        HopId::new(self.places.len() - 1)
    }

    /// The links of one direction.
    fn lay(&mut self, run: &Run, direction: Direction) -> Way {
        let (hops, bottleneck) = (run.path.hops(direction), run.path.bottleneck(direction));
        let last = hops.len().saturating_sub(1);
        let is_only = direction == Direction::Down && run.path.hops.is_empty();
        let damages = hops.iter().any(|hop| hop.impairments.corrupt_ppb > 0);
        let stages = hops.into_iter().enumerate().map(|(place, hop)| {
            let (shaper, hop) = shaper_of(&run.path, hop);
            let scope = if is_only { String::new() } else { format!("{}/", hop.name) };
            let queue = Queue::new(&hop, run.path.mtu_bytes, run.seed, &scope);
            let in_time = hop.changes_in_time();
            let changes_delay = in_time.iter().any(|change| change.delay_ns.is_some());
            let changes_loss = in_time.iter().any(|change| change.loss_ppb.is_some());
            let medium =
                (changes_delay || !hop.impairments.is_clear()).then(|| Medium::new(&hop.impairments, run.seed, &scope));
            let loss =
                RandomLoss::new(hop.loss_ppb, hop.loss_at, run.seed, scope).in_bursts(hop.impairments.burst_loss);
            let loss = if changes_loss { loss.that_changes() } else { loss };
            let link = Link::new(queue, shaper, hop.extra_bytes(), loss);
            let role = if bottleneck == Some(place) { Role::Bottleneck } else { Role::Path };
            let link = self.add(Place::new(Hop::Link(link), direction, role));
            self.links.push(link);
            let medium = medium.map(|medium| self.add(Place::new(Hop::Medium(medium), direction, Role::Apart)));
            self.media.push(medium);
            let has_delay = place < last && hop.delay_ns > 0;
            let delay = has_delay.then(|| self.add_line(direction, Span::from_nanos(hop.delay_ns)));
            Stage { link, medium, delay, delay_ns: hop.delay_ns }
        });
        let stages = stages.collect();
        let check = damages.then(|| self.add(Place::new(Hop::Medium(Medium::checking()), direction, Role::Apart)));
        Way { stages, check }
    }

    fn add_line(&mut self, direction: Direction, delay: Span) -> HopId {
        self.add(Place::new(Hop::Delay(Line::new(delay)), direction, Role::Apart))
    }

    /// What is between the last link and a host: for data, a NIC where what hosts hand over is not every packet by itself, or
    /// nothing where there is no delay; else a line, the same for all that have this delay.
    fn line_to_host(&mut self, run: &Run, direction: Direction, acks: bool, delay: Span) -> Option<HopId> {
        if !acks && (run.host.gro || run.host.ack_aggregation_ns > 0) {
            let nic = Nic::new(delay, &run.host, run.path.mss_bytes());
            return Some(self.add(Place::new(Hop::Nic(nic), direction, Role::Apart)));
        }
        if !acks && delay == Span::ZERO {
            return None;
        }
        let key = (direction == Direction::Up, delay);
        if !self.lines.contains_key(&key) {
            let line = self.add_line(direction, delay);
            self.lines.insert(key, line);
        }
        self.lines.get(&key).copied()
    }

    /// A flow's own line before the path.
    fn add_access(&mut self, path: &Path, access: &Access, direction: Direction, route: usize) -> Option<HopId> {
        let link = access_link(access, path);
        match access.kind {
            AccessKind::Device => Some(self.add(Place::new(Hop::Device(link), direction, Role::Apart))),
            AccessKind::Router => {
                let router = self.add(Place::new(Hop::Link(link), direction, Role::Apart));
                let first = std::mem::replace(&mut self.routes[route].data, router);
                self.places[router.index()].onward = Some(first);
                None
            }
        }
    }
}

/// What empties a hop's queue, and the hop as its queue is to see it: a recorded line transmits one frame after the other.
fn shaper_of(path: &Path, hop: run::Hop) -> (Shaper, run::Hop) {
    let frame = Bytes::new(u64::from(path.mtu_bytes) + u64::from(hop.overhead_bytes));
    if let Some(Trace::Deliveries(at_ms)) = &hop.trace {
        return (Shaper::recorded(Deliveries::new(at_ms.clone(), frame)), run::Hop { shaper: ShaperKind::Tbf, ..hop });
    }
    let shaper = match hop.shaper {
        ShaperKind::Police => Shaper::none(),
        kind => Shaper::new(kind, Rate::from_bps(hop.rate_bps), Bytes::new(hop.burst_bytes), frame),
    };
    (shaper, hop)
}

fn access_link(access: &Access, path: &Path) -> Link {
    let (burst, frame) = (Bytes::new(access.burst_bytes(path)), Bytes::new(path.ethernet_frame_bytes()));
    let shaper = Shaper::new(ShaperKind::Tbf, Rate::from_bps(access.rate_bps), burst, frame);
    Link::new(Queue::DropTail(DropTail::new(access.buffer)), shaper, 0, RandomLoss::none())
}

/// The hops of these stages, and what a delay leaves over behind the last one.
fn through(stages: &[Stage], delay_ns: u64) -> (Vec<HopId>, u64) {
    let (mut hops, mut rest_ns) = (Vec::new(), delay_ns);
    for (place, stage) in stages.iter().enumerate() {
        hops.push(stage.link);
        hops.extend(stage.medium);
        if place + 1 < stages.len() {
            hops.extend(stage.delay);
            rest_ns -= stage.delay_ns;
        }
    }
    (hops, rest_ns)
}

/// Where flows go on from a hop, those that pass it: all together, or each.
fn together(own: &[Option<Option<HopId>>]) -> (Option<HopId>, Vec<Option<HopId>>) {
    let mut passing = own.iter().flatten();
    let first = passing.next().copied().flatten();
    let differ = passing.any(|next| *next != first);
    (first, if differ { own.iter().map(|next| next.flatten()).collect() } else { Vec::new() })
}
