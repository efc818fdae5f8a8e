//! The network of a run: hosts, and the hops that packets pass between them.

mod account;
mod media;
mod queue_log;
mod sending;

use super::ack::{Ack, Reports};
use super::fair_queue::FairQueue;
use super::hop::{Hop, Place, Role};
use super::host::{Edge, Host};
use super::jitter::Jitter;
use super::layout::{Layout, Route};
use super::link::{Link, Offered};
use super::packet::{Packet, PacketKind};
use super::queue::Outcome;
use super::tap::Tap;
use crate::engine::{Event, EventQueue};
use crate::index::{FlowId, HopId};
use account::{Account, Port};
use run::{CapturePoint, Change, Direction, Histogram, Qdisc, QueueCounters, QueueEvent, QueueLog, Run};
use std::hint::cold_path;
use units::{Rate, Span, Time};

/// Everything between senders and receivers.
#[derive(Debug)]
pub struct Network {
    /// The future events.
    pub events: EventQueue,
    /// By hop.
    places: Vec<Place>,
    /// The links of the path, then those of the way back.
    links: Vec<HopId>,
    /// What is behind each of them, where anything is.
    media: Vec<Option<HopId>>,
    mss_bytes: u32,
    /// By the run's flows.
    routes: Vec<Route>,
    /// SACK blocks of ACKs under way.
    reports: Reports,
    /// By the run's flows.
    hosts: Vec<Host>,
    edge: Edge,
    /// Timing noise of the hosts.
    jitter: Jitter,
    /// The link that all data reaches straight from its hosts, and nothing else does; none: they are several.
    sole_entry: Option<HopId>,
    /// When bursts leave their hosts at an event of their own: the first such event that is scheduled.
    burst_at: Time,
    /// Flows of which a packet was dropped or lost while perhaps no event was theirs; kept where there are sources.
    dropped_behind: Vec<FlowId>,
    /// The host took something of the burst in hand.
    took: bool,
    /// Flows of which something left their host's own queue while another of its flows, or nobody, was at work.
    drained: Vec<FlowId>,
    /// Some hop [hands over](Self::hand_over) lumps.
    has_lumps: bool,
    /// Of each flow's data, bytes of frames that left the bottleneck of its direction. Touched for every packet.
    passed_bytes: Vec<u64>,
    /// Touched when a packet is lost, and by flows whose host has something of its own.
    ports: Vec<Port>,
    /// Connections come and go: what is under way of each is counted.
    has_sources: bool,
    /// What captures see, where there are any.
    tap: Option<Box<Tap>>,
    /// What becomes of each frame at the bottleneck, from when on that is wanted.
    queue_log: Option<Box<QueueLog>>,
    /// Either of the two before: each packet is noted.
    notes_each: bool,
    account: Account,
}

impl Network {
    /// The network of a run, idle; captured or not.
    pub fn new(run: &Run, is_captured: bool) -> Self {
        let path = &run.path;
        let fair_queue =
            || (run.host.qdisc == Qdisc::Fq).then(|| Box::new(FairQueue::new(path.ethernet_frame_bytes())));
        let mut hosts: Vec<Host> = run.flows.iter().map(|_| Host { fair_queue: fair_queue(), device: None }).collect();
        let layout = Layout::of(run, &mut hosts);
        let events = EventQueue::new(&layout.first_events());
        let Layout { mut places, routes, links, media, .. } = layout;
        let jitter = Jitter::new(
            Span::from_nanos(path.jitter_ns.unwrap_or(0)),
            run.seed,
            run.flows.iter().map(|flow| flow.name.as_str()),
        );
        let entry = routes.first().map(|route| route.data).filter(|first| {
            links.contains(first)
                && routes.iter().all(|route| route.data == *first && route.acks != *first)
                && hosts.iter().all(|host| host.device.is_none())
        });
        if let Some(entry) = entry {
            places[entry.index()].is_sole_entry = true;
        }
        let has_sources = run.flows.iter().any(|flow| flow.is_source() && flow.connections() > 0);
        let mut network = Self {
            events,
            has_lumps: places.iter().any(|place| matches!(place.hop, Hop::Nic(_) | Hop::Medium(_))),
            places,
            links,
            media,
            mss_bytes: path.mss_bytes(),
            routes,
            reports: Reports::default(),
            edge: Edge::of(&hosts, jitter.is_any()),
            hosts,
            jitter,
            sole_entry: entry,
            burst_at: Time::NEVER,
            dropped_behind: Vec::new(),
            took: false,
            drained: Vec::new(),
            passed_bytes: vec![0; run.flows.len()],
            ports: FlowId::first(run.flows.len()).map(Port::new).collect(),
            has_sources,
            queue_log: None,
            tap: is_captured.then(|| Box::new(Tap::of(run))),
            notes_each: has_sources || is_captured,
            account: Account::default(),
        };
        for (index, flow) in run.flows.iter().enumerate() {
            network.open_losses(FlowId::new(index), &flow.name);
        }
        network
    }

    /// The link that is a hop.
    fn link(&self, id: HopId) -> &Link {
        match &self.places[id.index()].hop {
            Hop::Link(link) | Hop::Device(link) => link,
            Hop::Delay(_) | Hop::Nic(_) | Hop::Medium(_) => unreachable!("a link"),
        }
    }

    fn link_mut(&mut self, id: HopId) -> &mut Link {
        match &mut self.places[id.index()].hop {
            Hop::Link(link) | Hop::Device(link) => link,
            Hop::Delay(_) | Hop::Nic(_) | Hop::Medium(_) => unreachable!("a link"),
        }
    }

    /// Gives each link the discipline that `queue` makes of a seed.
    #[cfg(test)]
    pub fn set_queues(&mut self, queue: impl Fn(u64) -> super::Queue) {
        for seed in 0..self.links.len() {
            self.link_mut(self.links[seed]).set_queue(queue(seed as u64));
        }
    }

    fn open_losses(&mut self, flow: FlowId, name: &str) {
        for place in 0..self.links.len() {
            self.link_mut(self.links[place]).loss().open(flow, name);
        }
    }

    /// A source opens a connection at a place that is the next one, or that nothing is [under way](Self::carries) of.
    pub fn open(&mut self, flow: FlowId, source: FlowId, name: &str) {
        if flow.index() == self.ports.len() {
            self.ports.push(Port::new(source));
            self.passed_bytes.push(0);
        } else {
            debug_assert!(!self.carries(flow));
            self.ports[flow.index()] = Port::new(source);
            self.passed_bytes[flow.index()] = 0;
        }
        if let Some(queue) = &mut self.hosts[source.index()].fair_queue {
            queue.open(flow);
        }
        if let Some(tap) = &mut self.tap {
            tap.open(flow, source);
        }
        self.open_losses(flow, name);
    }

    /// Packets of a source's connection are under way.
    pub fn carries(&self, flow: FlowId) -> bool {
        self.ports[flow.index()].under_way > 0
    }

    #[inline]
    fn host_of(&self, flow: FlowId) -> FlowId {
        if self.has_sources { self.ports[flow.index()].host } else { flow }
    }

    /// From now on random loss acts on the flow.
    pub fn begin_loss(&mut self, flow: FlowId) {
        for place in 0..self.links.len() {
            self.link_mut(self.links[place]).loss().begin(flow);
        }
    }

    /// A packet reaches a link at `at`, now or [before](Self::settle).
    #[inline(always)]
    fn reach_link(&mut self, id: HopId, packet: &Packet, at: Time) {
        let place = &mut self.places[id.index()];
        if cfg!(debug_assertions) {
            place.passed.0 += packet.wire_segments();
        }
        let role = place.role;
        let Hop::Link(link) = &mut place.hop else { return self.reach(id, packet) };
        let offered = link.offer(*packet, at);
        let has_fates = link.has_fates();
        if self.notes_each {
            match offered {
                Offered::Queued { .. } => self.log_queue(id, QueueEvent::Came, packet, at),
                Offered::Dropped => self.log_queue(id, QueueEvent::Refused, packet, at),
                Offered::Lost => {}
            }
        }
        match offered {
            Offered::Queued { departure: None } => {}
            Offered::Queued { departure: Some(departure) } => self.events.schedule(departure, Event::Departure(id)),
            Offered::Dropped => self.note_drop(packet, role),
            Offered::Lost => self.note_end(packet),
        }
        if has_fates {
            self.note_fates(id, at);
        }
    }

    /// A packet reaches a line, or whatever hop it is.
    #[inline(always)]
    fn reach_line(&mut self, id: HopId, packet: &Packet) {
        let now = self.events.now();
        match &mut self.places[id.index()] {
            Place { hop: Hop::Delay(line), direction: Direction::Up, .. } => {
                if let Some(arrival) = line.push(now, *packet) {
                    self.events.schedule(arrival, Event::Up(id));
                }
            }
            _ => self.reach(id, packet),
        }
    }

    /// A packet reaches whatever hop it is.
    #[inline(never)]
    fn reach(&mut self, id: HopId, packet: &Packet) {
        let now = self.events.now();
        let place = &mut self.places[id.index()];
        let arrival = match &mut place.hop {
            Hop::Link(_) => return self.reach_link(id, packet, now),
            Hop::Delay(line) => line.push(now, *packet),
            Hop::Nic(nic) => nic.push(now, *packet),
            Hop::Medium(_) => return self.reach_medium(id, packet),
            Hop::Device(_) => unreachable!("a device is in its host"),
        };
        if let Some(arrival) = arrival {
            self.events.schedule(arrival, place.event(id));
        }
    }

    /// The next frame leaves a link, if there is one, and is put into `out`. If it is not lost, it is to be
    /// [passed on](Self::pass_on).
    #[inline(always)]
    pub fn departure(&mut self, id: HopId, out: &mut Packet) -> bool {
        let now = self.events.now();
        let is_sole_entry = self.places[id.index()].is_sole_entry;
        if is_sole_entry {
            while self.jitter.next() < now {
                self.reach_path_with_next_burst();
            }
        }
        let place = &mut self.places[id.index()];
        let Hop::Link(link) = &mut place.hop else { unreachable!("lines have arrivals") };
        let left = link.depart(now, out);
        if link.has_fates() {
            self.note_fates(id, now);
        }
        if !left {
            cold_path();
            if is_sole_entry {
                self.schedule_burst(); // the discipline may have dropped all that waited
            }
            return false;
        }
        let place = &mut self.places[id.index()];
        let Hop::Link(link) = &mut place.hop else { unreachable!("as before") };
        let (next, is_lost) = (link.next(now), link.loses(out));
        let is_bottleneck = place.role == Role::Bottleneck;
        if is_bottleneck && !out.kind.is_ack() {
            self.passed_bytes[out.flow.index()] += u64::from(out.frame_bytes);
        }
        out.lengthen(-link.extra_bytes());
        if cfg!(debug_assertions) {
            place.passed.1 += out.wire_segments();
        }
        if next != Time::NEVER {
            self.events.schedule(next, Event::Departure(id));
        } else if is_sole_entry {
            self.schedule_burst();
        }
        if is_bottleneck && self.notes_each {
            cold_path();
            self.log_queue(id, QueueEvent::Left, out, now);
            self.capture(CapturePoint::Bottleneck, out, now);
        }
        if is_lost {
            cold_path();
            self.note_end(out);
        }
        !is_lost
    }

    /// Packets that a discipline dropped though they had waited, or marked.
    #[cold]
    fn note_fates(&mut self, id: HopId, at: Time) {
        let role = self.places[id.index()].role;
        for fate in self.link_mut(id).take_fates() {
            if self.notes_each {
                let event = if fate.is_marked() { QueueEvent::Marked } else { QueueEvent::Dropped };
                self.log_queue(id, event, &fate.packet, at);
            }
            match fate.outcome {
                Outcome::Dropped => self.note_drop(&fate.packet, role),
                Outcome::Marked if fate.packet.kind.is_ack() => {}
                Outcome::Marked => self.ports[fate.packet.flow.index()].marked += fate.packet.wire_segments(),
                Outcome::Superseded => {
                    if cfg!(debug_assertions) {
                        self.places[id.index()].passed.0 -= fate.packet.wire_segments();
                    }
                    self.note_end(&fate.packet);
                }
            }
        }
    }

    /// A packet that has left a hop goes to the next one. False where there is none: it is at the host that it is for.
    #[inline(always)]
    pub fn pass_on(&mut self, id: HopId, packet: &Packet) -> bool {
        if let Some(next) = self.onward(id, packet) {
            if self.has_lumps {
                cold_path();
                return self.pass_on_by_media(next, packet);
            }
            self.reach(next, packet);
            return true;
        }
        self.note_arrival(packet);
        false
    }

    /// The hop behind one, for a packet; none: that is at the host that it is for.
    #[inline(always)]
    fn onward(&self, id: HopId, packet: &Packet) -> Option<HopId> {
        let place = &self.places[id.index()];
        if place.onward_by_flow.is_empty() {
            return place.onward;
        }
        cold_path();
        place.onward_by_flow[self.host_of(packet.flow).index()]
    }

    /// The oldest packet of a line arrives at its end, and is put into `out`. Then it is to be [passed on](Self::pass_on).
    #[inline(always)]
    pub fn arrival(&mut self, id: HopId, out: &mut Packet) {
        let place = &mut self.places[id.index()];
        let Hop::Delay(line) = &mut place.hop else {
            unreachable!("a NIC and a medium hand over lumps, and links have departures")
        };
        if let Some(next) = line.pop(out) {
            match place.direction {
                Direction::Down => self.events.schedule(next, Event::Down(id)),
                Direction::Up => self.events.schedule(next, Event::Up(id)),
            }
        }
    }

    /// The hop is one that [hands over](Self::hand_over) what arrives.
    #[inline]
    pub fn hands_over(&self, id: HopId) -> bool {
        self.has_lumps && matches!(self.places[id.index()].hop, Hop::Nic(_) | Hop::Medium(_))
    }

    /// A medium hands over the only packet that is due, to `out`, which then is to be [passed on](Self::pass_on). False: it does not,
    /// or the hop is a NIC, and [`Self::hand_over`] is to be asked.
    #[inline(always)]
    pub fn hand_over_alone(&mut self, id: HopId, out: &mut Packet) -> bool {
        let now = self.events.now();
        let place = &mut self.places[id.index()];
        let Hop::Medium(medium) = &mut place.hop else { return false };
        let Some(next) = medium.hand_over_alone(now, out) else { return false };
        if let Some(next) = next {
            self.events.schedule(next, place.event(id));
        }
        true
    }

    /// A NIC hands over what has arrived, to `out`. A medium does so with what is at the host that it is for, and passes all else
    /// on.
    pub fn hand_over(&mut self, id: HopId, out: &mut Vec<Packet>) {
        let now = self.events.now();
        let Self { places, account, ports, notes_each, tap, .. } = self;
        let place = &mut places[id.index()];
        let Hop::Nic(nic) = &mut place.hop else { return self.leave_medium(id, out) };
        let next = nic.hand_over(now, out, |packet| {
            if cfg!(debug_assertions) {
                account.arrived += packet.wire_segments();
            }
            if *notes_each {
                ports[packet.flow.index()].under_way -= 1;
                if let Some(tap) = tap {
                    tap.data(CapturePoint::Receivers, packet, now);
                }
            }
        });
        if let Some(next) = next {
            self.events.schedule(next, place.event(id));
        }
    }

    /// A receiver emits an ACK.
    #[inline]
    pub fn emit_ack(&mut self, ack: &Ack) {
        let packet = self.reports.pack(ack);
        self.note_entry(&packet);
        let first = self.routes[self.host_of(ack.flow).index()].acks;
        self.reach_line(first, &packet);
    }

    /// A receiver emits a request of so much payload, and with it an ACK.
    pub fn emit_request(&mut self, ack: &Ack, bytes: u32) {
        let packet = self.reports.pack(ack);
        let packet = Packet { kind: PacketKind::Request, frame_bytes: packet.frame_bytes + bytes, ..packet };
        self.note_entry(&packet);
        let first = self.routes[self.host_of(ack.flow).index()].acks;
        self.reach_line(first, &packet);
    }

    /// A receiver sends a ping back.
    pub fn emit_pong(&mut self, ping: &Packet) {
        let packet = Packet { kind: PacketKind::Pong, ..*ping };
        self.note_entry(&packet);
        let first = self.routes[self.host_of(ping.flow).index()].acks;
        self.reach_line(first, &packet);
    }

    /// The ACK that a packet carries, near to what its sender has: see [`Reports::unpack`].
    #[inline]
    pub fn unpack(&mut self, packet: &Packet, una: u64, edge_bytes: u64) -> Ack {
        self.reports.unpack(packet, una, edge_bytes)
    }

    /// The packet behind `ahead` others in a hop.
    #[inline]
    pub fn upcoming(&self, id: HopId, ahead: usize) -> Option<&Packet> {
        self.places[id.index()].peek(ahead)
    }

    /// A link of the path changes: of these, and then those of the way back, the one at this place.
    pub fn change(&mut self, link: usize, change: &Change) {
        let (id, now) = (self.links[link], self.events.now());
        if self.places[id.index()].is_sole_entry {
            while self.jitter.next() < now {
                self.reach_path_with_next_burst();
            }
        }
        let changing = self.link_mut(id);
        if let Some(ppb) = change.loss_ppb {
            changing.loss().set_ppb(ppb);
        }
        if let Some(room) = change.buffer {
            changing.change_room(room);
        }
        if let Some(rate_bps) = change.rate_bps
            && let Some(departure) = changing.change_rate(Rate::from_bps(rate_bps), now)
        {
            self.events.schedule(departure, Event::Departure(id));
        }
        if let Some(delay_ns) = change.delay_ns {
            self.change_delay(link, Span::from_nanos(delay_ns));
        }
    }

    /// The counters of each link of the path now, then those of the way back. What comes damaged counts as lost at random.
    pub fn counters(&self) -> impl Iterator<Item = QueueCounters> {
        self.links.iter().zip(&self.media).map(|(id, medium)| {
            let mut counters = self.link(*id).counters(self.events.now());
            if let Some(Hop::Medium(medium)) = medium.map(|id| &self.places[id.index()].hop) {
                counters.random_lost_packets += medium.damaged();
            }
            counters
        })
    }

    /// How long frames were in the links that something manages, each by its place among all.
    pub fn sojourns(&self) -> impl Iterator<Item = (usize, &Histogram)> {
        self.links.iter().enumerate().filter_map(|(place, id)| Some((place, self.link(*id).sojourn()?)))
    }
}
