//! [`Plan`]: which namespaces, devices, addresses, routes and queues a run needs. Pure: nothing is built here.

use super::device::{Offloads, ifb_name};
use super::machine::Means;
use super::pair::{has_nics, jitter, pairs};
use super::row::{Row, Stop, bucket};
use crate::part::Passage;
use crate::sockets::control_of_both_ends;
use run::{Access, AccessKind, Direction, Ecn, Qdisc, Run, ShaperAt, ShaperKind};
use std::net::Ipv4Addr;

pub use super::device::Device;
pub use super::discipline::Discipline;
pub use super::pair::AddressPair;
pub use super::place::{Place, Router};

/// Senders' addresses: `10.0.0.1` and on, one a pair.
pub const SENDERS: Prefix = Prefix { address: Ipv4Addr::new(10, 0, 0, 0), length: 9 };
/// Receivers' addresses: `10.128.0.1` and on, one a pair.
pub const RECEIVERS: Prefix = Prefix { address: Ipv4Addr::new(10, 128, 0, 0), length: 9 };
/// Device numbers begin here: a new namespace may have devices of the kernel's own (`lo`, tunnels).
const FIRST_INDEX: u32 = 100;

/// Addresses with the same first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The first address.
    pub address: Ipv4Addr,
    /// How many bits count.
    pub length: u8,
}

/// What leaves by which device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Position of the device.
    pub device: usize,
    /// Packets to these addresses.
    pub to: Prefix,
    /// Address of the packets that the namespace itself sends there.
    pub source: Option<Ipv4Addr>,
    /// Initial congestion window of connections made there.
    pub initial_window_segments: Option<u32>,
    /// Their congestion control, whatever they ask for; none: they choose.
    pub control: Option<String>,
    /// The largest window that they announce.
    pub window_bytes: Option<u32>,
    /// They offer ECN, whatever the namespace does.
    pub offers_ecn: bool,
    /// The table that it is in; none: the main one.
    pub table: Option<u8>,
}

impl Route {
    /// Packets to `to` leave by this device.
    const fn new(device: usize, to: Prefix) -> Self {
        Self {
            device,
            to,
            source: None,
            initial_window_segments: None,
            control: None,
            window_bytes: None,
            offers_ecn: false,
            table: None,
        }
    }
}

/// Where a hop's packets are counted: positions of devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// That of its queue.
    pub queue: usize,
    /// That which loses packets.
    pub loss: Option<usize>,
    /// That whose counters tell segments offered to the queue, with offloads.
    pub arrivals: Option<usize>,
    /// That whose delay changes.
    pub lag: Option<usize>,
}

/// How packets come into a path and out of it whose hosts are other machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Where they are taken.
    pub passage: Passage,
    /// By which the machine reaches the others.
    pub interface: Device,
    /// Positions of the machine's own ends of the two links.
    pub ends: [usize; 2],
    /// Addresses of senders and receivers, each pair once.
    pub hosts: Vec<(Ipv4Addr, Ipv4Addr)>,
}

/// Everything that is to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The namespaces, in order.
    pub places: Vec<Place>,
    /// Super-packets pass every device whole.
    pub offload: bool,
    /// The pairs, in order of their first flow.
    pub pairs: Vec<AddressPair>,
    /// Each flow's pair.
    pub pair_of_flow: Vec<usize>,
    /// Devices, two a link; then the `ifb`, if there is one.
    pub devices: Vec<Device>,
    /// Position of the `ifb`, through which goes what comes in at the receivers.
    pub ifb: Option<usize>,
    /// Addresses, each with the position of its device.
    pub addresses: Vec<(usize, Ipv4Addr)>,
    /// Routes, in order.
    pub routes: Vec<Route>,
    /// Queueing disciplines, each with the position of its device.
    pub disciplines: Vec<(usize, Discipline)>,
    /// Where the hops' packets are counted: of the path, then of the way back.
    pub hops: Vec<Counted>,
    /// Links of which user space carries what comes, one way: the position of the device that takes it, and what is
    /// done to it. The device after that gives it out again.
    pub relays: Vec<(usize, Discipline)>,
    /// How the run's packets come into the path and out of it, where its hosts are other machines.
    pub passage: Option<Way>,
}

impl Plan {
    /// The whole plan of a run on a kernel with these means. The path also reorders so much. `controls`: each flow's
    /// congestion control, which programs take from their route.
    pub fn of(run: &Run, reorder_ppb: u32, controls: &[String], means: Means) -> Self {
        Self::new(run, reorder_ppb).controlled(run, controls).relayed(means).shaped_at_receivers(run)
    }

    /// The plan of nothing: the run's packets pass no path of ours here.
    pub fn empty(run: &Run) -> Self {
        Self {
            places: Vec::new(),
            offload: false,
            pairs: Vec::new(),
            pair_of_flow: vec![0; run.flows.len()],
            devices: Vec::new(),
            ifb: None,
            addresses: Vec::new(),
            routes: Vec::new(),
            disciplines: Vec::new(),
            hops: Vec::new(),
            relays: Vec::new(),
            passage: None,
        }
    }

    /// The plan of a run as if its kernel had everything, but for what stands at the receivers' ingress.
    pub fn new(run: &Run, reorder_ppb: u32) -> Self {
        Self::between(run, reorder_ppb, None)
    }

    /// The same between hosts of these addresses, by flow; none: hosts of the plan's own.
    pub fn between(run: &Run, reorder_ppb: u32, hosts: Option<&[(Ipv4Addr, Ipv4Addr)]>) -> Self {
        let (pairs, pair_of_flow) = pairs(run, reorder_ppb, hosts);
        let rows = Direction::BOTH.map(|direction| Row::new(run, direction, &pairs, reorder_ppb));
        let mut plan = Self {
            places: places(run, &pairs, &rows),
            offload: run.path.offload,
            pairs,
            pair_of_flow,
            hops: Direction::BOTH.iter().flat_map(|it| run.path.hops(*it)).map(|_| Counted::default()).collect(),
            ..Self::empty(run)
        };
        plan.add_senders(run, &rows);
        plan.add_trunk(run, &rows);
        plan.add_receivers(run, &rows, reorder_ppb);
        plan
    }

    /// The same plan where flows whose senders are programs have their congestion control from the route to their
    /// receiver, and from that back their window and a control of both ends: they would take the namespace's, or their own.
    pub fn controlled(mut self, run: &Run, controls: &[String]) -> Self {
        let programs = run.flows.iter().zip(controls).enumerate().filter(|(_, (flow, _))| flow.is_program());
        for (index, (_, control)) in programs {
            let to = host(self.receiver(self.pair_of_flow[index]));
            let devices = &self.devices;
            let leads = |route: &&mut Route| devices[route.device].place == Place::Sender && route.to == to;
            self.routes.iter_mut().filter(leads).for_each(|route| route.control = Some(control.clone()));
            let back = host(self.sender(self.pair_of_flow[index]));
            let devices = &self.devices;
            let returns = |route: &&mut Route| devices[route.device].place == Place::Receiver && route.to == back;
            let window_bytes = window_bytes(run);
            let of_both_ends = control_of_both_ends(control).map(str::to_owned);
            self.routes.iter_mut().filter(returns).for_each(|route| {
                (route.window_bytes, route.control) = (window_bytes, of_both_ends.clone());
            });
        }
        self
    }

    /// The same plan on a kernel that lacks some disciplines: what they would do to packets that leave by a device, a
    /// relay does on a line of its own beside the device's link, to the same place. What comes back keeps to the link.
    pub fn relayed(mut self, means: Means) -> Self {
        let (there, lacking) = self.disciplines.iter().partition(|(_, discipline)| discipline.is_within(means));
        self.disciplines = there;
        let lacking: Vec<(usize, Discipline)> = lacking;
        for (device, discipline) in lacking {
            let (takes, _) = self.link(self.devices[device].place, self.devices[device ^ 1].place);
            for end in [takes, takes + 1] {
                self.devices[end].offloads = Offloads::default();
            }
            self.routes.iter_mut().filter(|route| route.device == device).for_each(|route| route.device = takes);
            let counted = self.hops.iter_mut().flat_map(|hop| [&mut hop.loss, &mut hop.lag]).flatten();
            counted.filter(|it| **it == device).for_each(|it| *it = takes);
            // Whatever the kernel would put before a device: here nothing is to be dropped or delayed.
            self.disciplines.push((takes, Discipline::Counter));
            self.relays.push((takes, discipline));
        }
        self
    }

    /// The same plan with the bottleneck at the receivers' ingress, where the run wants it there: one `ifb`, the last of
    /// all devices, through which goes what comes in by each of the receivers' devices.
    pub fn shaped_at_receivers(mut self, run: &Run) -> Self {
        if run.path.shaper_at != ShaperAt::Receiver {
            return self;
        }
        let position = self.devices.len();
        let index = FIRST_INDEX + position as u32;
        let from_path = |device: usize| self.devices[device ^ 1].place != Place::Machine;
        let ways_in = (0..position)
            .filter(|device| self.devices[*device].place == Place::Receiver && from_path(*device))
            .collect::<Vec<_>>();
        self.disciplines.extend(ways_in.into_iter().map(|device| (device, Discipline::Redirect { to: index })));
        let (place, name, offloads) = (Place::Receiver, ifb_name(index), Offloads::default());
        self.devices.push(Device { place, index, name, offloads, mac: None });
        self.disciplines
            .extend(run.path.hops(Direction::Down).first().map(|hop| (position, bucket(hop, run.path.mtu_bytes))));
        (self.ifb, self.hops[0].queue) = (Some(position), position);
        self
    }

    /// The first device of each link.
    pub fn links(&self) -> impl Iterator<Item = usize> {
        (0..self.devices.len()).step_by(2).filter(|first| Some(*first) != self.ifb)
    }

    /// What a relay does to what a device takes; none: it is a link's.
    pub fn relay_of(&self, device: usize) -> Option<Discipline> {
        self.relays.iter().find(|(takes, _)| *takes == device & !1).map(|(_, discipline)| *discipline)
    }

    /// What a device does to packets now, be it the kernel or a relay that does it.
    pub fn discipline_mut(&mut self, device: usize) -> Option<&mut Discipline> {
        let all = self.relays.iter_mut().chain(&mut self.disciplines);
        all.filter(|(at, _)| *at == device).map(|(_, discipline)| discipline).next()
    }

    /// What stands before a hop's line.
    pub fn queue(&self, hop: usize) -> Option<Discipline> {
        let at = self.hops[hop].queue;
        self.disciplines.iter().find(|(device, _)| *device == at).map(|(_, discipline)| *discipline)
    }

    /// Address of a pair's sender.
    pub fn sender(&self, pair: usize) -> Ipv4Addr {
        if let Some((sender, _)) = self.pairs[pair].hosts {
            return sender;
        }
        Ipv4Addr::from_bits(SENDERS.address.to_bits() + pair as u32 + 1)
    }

    /// Address of a pair's receiver.
    pub fn receiver(&self, pair: usize) -> Ipv4Addr {
        if let Some((_, receiver)) = self.pairs[pair].hosts {
            return receiver;
        }
        Ipv4Addr::from_bits(RECEIVERS.address.to_bits() + pair as u32 + 1)
    }

    /// Device numbers, MAC addresses and names follow from the order of links alone.
    pub fn link(&mut self, from: Place, to: Place) -> (usize, usize) {
        let first = self.devices.len();
        let offloads = Offloads { segmentation: self.offload, merging: self.offload };
        for (position, place) in [(first, from), (first + 1, to)] {
            let index = FIRST_INDEX + position as u32;
            self.devices.push(Device { place, index, name: place.device_name(index), offloads, mac: None });
        }
        (first, first + 1)
    }

    pub fn route(&mut self, device: usize, to: Prefix) {
        self.routes.push(Route::new(device, to));
    }

    /// The pairs' lines from the senders to the first router that their data meets with others'. Where packets meet no hops on
    /// their way back they pass the same lines, and the delays before.
    fn add_senders(&mut self, run: &Run, rows: &[Row; 2]) {
        let noise = jitter(run).map(|jitter_ns| Discipline::Jitter { jitter_ns });
        for pair in 0..self.pairs.len() {
            let AddressPair { access, direction, return_delay_ns, .. } = self.pairs[pair];
            let entry = rows[direction as usize].entry(self.pairs[pair].data_hops.start);
            let line = access.map(|access| {
                let Access { rate_bps, buffer: room, .. } = access;
                let (kind, burst_bytes) = (ShaperKind::Tbf, access.burst_bytes(&run.path));
                (
                    access.kind,
                    Discipline::Bucket {
                        kind,
                        rate_bps,
                        burst_bytes,
                        room,
                        managed: None,
                        extra_bytes: 0,
                        has_valve: false,
                    },
                )
            });
            let own_line = line.filter(|(kind, _)| *kind == AccessKind::Device).map(|(_, bucket)| bucket);
            let fair = (run.host.qdisc == Qdisc::Fq).then_some(Discipline::Fair);
            let own_queue = own_line.or(fair);
            // What each place on the way has at its egress, the sender's own device first.
            let mut hops = vec![(Place::Sender, own_queue.or(noise))];
            if own_queue.is_some() && noise.is_some() {
                hops.push((Place::Lane, noise));
            }
            if let Some((AccessKind::Router, bucket)) = line {
                hops.push((Place::Access, Some(bucket)));
            }
            let back = self.add_sender(pair, &hops, entry, run);
            if self.pairs[pair].ack_hops.is_empty() && return_delay_ns > 0 {
                self.disciplines.push((back, Discipline::delay(return_delay_ns)));
            }
        }
    }

    /// A pair's way to the shared router `entry`; gives the device by which that sends back.
    fn add_sender(&mut self, pair: usize, hops: &[(Place, Option<Discipline>)], entry: Place, run: &Run) -> usize {
        let (sender, receiver) = (host(self.sender(pair)), host(self.receiver(pair)));
        let nexts = hops.iter().skip(1).map(|(place, _)| *place).chain([entry]);
        let mut last = 0;
        for (&(place, discipline), next) in hops.iter().zip(nexts) {
            let (egress, back) = self.link(place, next);
            let mut route = Route::new(egress, receiver);
            if place == Place::Sender {
                if self.pairs[pair].hosts.is_none() {
                    self.addresses.push((egress, sender.address));
                    route.source = Some(sender.address);
                    route.initial_window_segments = Some(run.host.initial_window_segments);
                    route.offers_ecn = self.pairs[pair].ecn == Ecn::Classic;
                }
                // A burst is to reach the lane whole; its own egress cuts it.
                self.devices[egress].offloads.segmentation |= next == Place::Lane;
            }
            self.routes.push(route);
            if self.pairs[pair].ack_hops.is_empty() {
                self.route(back, sender);
            }
            self.disciplines.extend(discipline.map(|discipline| (egress, discipline)));
            last = back;
        }
        last
    }

    /// The links between routers. Where packets meet no hops on their way back they pass the same ones.
    fn add_trunk(&mut self, run: &Run, rows: &[Row; 2]) {
        for row in rows {
            for pair in row.stops.windows(2) {
                let (egress, back) = self.link(pair[0].place, pair[1].place);
                let has_own_way_back = !run.path.back.is_empty();
                let way_back = if has_own_way_back { egress } else { back };
                if self.pairs.iter().all(|pair| pair.hosts.is_none()) {
                    self.route(egress, RECEIVERS);
                    self.route(way_back, SENDERS);
                }
                for (sender, receiver) in self.pairs.iter().filter_map(|pair| pair.hosts).collect::<Vec<_>>() {
                    self.route(egress, host(receiver));
                    self.route(way_back, host(sender));
                }
                self.furnish(egress, row, pair[0]);
            }
        }
    }

    /// The lines from where packets leave their hops to the hosts: one a delay, or to a receiver a NIC of its own for each
    /// pair. ACKs enter by the same, or where they meet hops by a line that all share.
    fn add_receivers(&mut self, run: &Run, rows: &[Row; 2], reorder_ppb: u32) {
        let slot_ns = run.host.ack_aggregation_ns;
        let (mut lines, mut entries): (Vec<Line>, Vec<(Place, usize)>) = (Vec::new(), Vec::new());
        for pair in 0..self.pairs.len() {
            let (sender, receiver) = (host(self.sender(pair)), host(self.receiver(pair)));
            let AddressPair { direction, forward_delay_ns: delay_ns, .. } = self.pairs[pair];
            let last = self.pairs[pair].data_hops.end - 1;
            let delay = (delay_ns > 0 || slot_ns > 0).then_some(Discipline::Delay { delay_ns, reorder_ppb, slot_ns });
            let line = Line { direction, last, to: Place::Receiver, discipline: delay, egress: 0 };
            let egress = self.leave(line, has_nics(run), &mut lines, rows);
            self.devices[egress + 1].offloads.merging |= run.host.gro;
            self.route(egress, receiver);
            let AddressPair { ack_hops, return_delay_ns, hosts, .. } = self.pairs[pair].clone();
            if hosts.is_none() {
                self.addresses.push((egress + 1, receiver.address));
            }
            let mut out = egress + 1;
            if let Some(last) = ack_hops.end.checked_sub(1) {
                let direction = direction.reversed();
                let entry = rows[direction as usize].entry(ack_hops.start);
                let known = entries.iter().find(|(place, _)| *place == entry).map(|(_, device)| *device);
                out = known.unwrap_or_else(|| {
                    entries.push((entry, self.link(Place::Receiver, entry).0));
                    entries[entries.len() - 1].1
                });
                let delay = (return_delay_ns > 0).then_some(Discipline::delay(return_delay_ns));
                let line = Line { direction, last, to: Place::Sender, discipline: delay, egress: 0 };
                let egress = self.leave(line, false, &mut lines, rows);
                self.route(egress, sender);
            }
            let source = hosts.is_none().then_some(receiver.address);
            self.routes.push(Route { source, ..Route::new(out, sender) });
        }
    }

    /// The device by which packets leave their last hop: that of a line that is there and does the same, or a new one.
    fn leave(&mut self, mut line: Line, alone: bool, lines: &mut Vec<Line>, rows: &[Row; 2]) -> usize {
        let same = |other: &&Line| Line { egress: line.egress, ..**other } == line;
        if let Some(other) = lines.iter().find(same).filter(|_| !alone) {
            return other.egress;
        }
        let row = &rows[line.direction as usize];
        let exit = row.exit(line.last);
        line.egress = self.link(exit.place, line.to).0;
        lines.push(line);
        self.disciplines.extend(line.discipline.map(|discipline| (line.egress, discipline)));
        if exit.hop == line.last && exit.router != Router::Far {
            self.furnish(line.egress, row, exit);
        }
        line.egress
    }

    /// What waits, is lost, is counted or is delayed at a router's egress.
    fn furnish(&mut self, egress: usize, row: &Row, stop: Stop) {
        let hop = &mut self.hops[row.first + stop.hop];
        if stop.router == Router::Near {
            hop.queue = egress;
        }
        hop.arrivals = hop.arrivals.or(row.counts_arrivals(stop).then_some(egress));
        hop.loss = hop.loss.or(row.loses(stop).then_some(egress));
        hop.lag = hop.lag.or((stop.router == Router::Lag).then_some(egress));
        self.disciplines.extend(row.discipline(stop).map(|discipline| (egress, discipline)));
    }
}

/// A line from the routers to hosts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Line {
    /// The way of its packets, and the last hop that they pass there.
    direction: Direction,
    last: usize,
    to: Place,
    discipline: Option<Discipline>,
    /// Position of its device.
    egress: usize,
}

/// The largest window that receivers announce, if any is asked for. What a TCP header cannot say was refused before.
pub fn window_bytes(run: &Run) -> Option<u32> {
    run.host.receive_window_bytes.map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX))
}

pub const fn host(address: Ipv4Addr) -> Prefix {
    Prefix { address, length: 32 }
}

fn places(run: &Run, pairs: &[AddressPair], rows: &[Row; 2]) -> Vec<Place> {
    let has_line = |kind| pairs.iter().any(|pair| pair.access.is_some_and(|access| access.kind == kind));
    let has_lanes = jitter(run).is_some() && (run.host.qdisc == Qdisc::Fq || has_line(AccessKind::Device));
    let mut places = vec![Place::Sender];
    places.extend(has_lanes.then_some(Place::Lane));
    places.extend(has_line(AccessKind::Router).then_some(Place::Access));
    places.extend(rows.iter().flat_map(|row| &row.stops).map(|stop| stop.place));
    places.push(Place::Receiver);
    places
}
