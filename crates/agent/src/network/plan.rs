//! [`Plan`]: which namespaces, devices, addresses, routes and queues a run needs. Pure: nothing is built here.

use super::machine::Means;
use run::{Access, AccessKind, Buffer, Flow, LossAt, Qdisc, Run, ShaperAt, ShaperKind};
use std::net::Ipv4Addr;

/// Senders' addresses: `10.0.0.1` and on, one a pair.
pub const SENDERS: Prefix = Prefix { address: Ipv4Addr::new(10, 0, 0, 0), length: 9 };
/// Receivers' addresses: `10.128.0.1` and on, one a pair.
pub const RECEIVERS: Prefix = Prefix { address: Ipv4Addr::new(10, 128, 0, 0), length: 9 };
/// Device numbers begin here: a new namespace may have devices of the kernel's own (`lo`, tunnels).
const FIRST_INDEX: u32 = 100;
/// Frames that one may overtake when a path is made to reorder and has no forward delay to overtake in.
const OVERTAKEN_FRAMES: u64 = 8;

/// A namespace of the path, in the order in which data passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// All senders.
    Sender,
    /// The hop behind a sender whose own device has a queue: its timing noise.
    Lane,
    /// The routers behind the senders.
    Access,
    /// The hop before the bottleneck: random loss there, and with offloads the count of segments offered.
    Gate,
    /// The router before the bottleneck: its queue is the one that matters.
    Near,
    /// The hop after the bottleneck that loses packets; in facts and device names, "thinner".
    LossHop,
    /// The router with the forward delays, and with what the receivers' NICs hold back.
    Far,
    /// All receivers.
    Receiver,
}

impl Place {
    /// Its name, in device names, errors and facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Lane => "lane",
            Self::Access => "access",
            Self::Gate => "gate",
            Self::Near => "near",
            Self::LossHop => "thinner",
            Self::Far => "far",
            Self::Receiver => "receiver",
        }
    }

    /// Whether it forwards packets.
    pub const fn is_router(self) -> bool {
        !matches!(self, Self::Sender | Self::Receiver)
    }
}

/// A pair of addresses, and what leads there: a sending and a receiving host. Flows of the same delays share a pair
/// where nothing of a host can be felt: no line of its own, no queue, no timing noise, nothing that its NIC does; and no
/// programs, whose connections are known by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPair {
    /// Its flow's own line, if any.
    pub access: Option<Access>,
    /// Delay from the bottleneck to the receiver.
    pub forward_delay_ns: u64,
    /// Delay from the receiver to the sender.
    pub return_delay_ns: u64,
    /// Its hosts run programs.
    pub has_programs: bool,
}

/// One end of a link. Its position in [`Plan::devices`] pairs it: 0 with 1, 2 with 3, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Where it is.
    pub place: Place,
    /// Its number, unique in the whole plan: the kernel looks for a number given to a new device in the namespace of
    /// the asking socket too.
    pub index: u32,
    /// Its name, unique in the whole plan.
    pub name: String,
    /// What it does with several segments at once.
    pub offloads: Offloads,
}

/// What a device does with several segments at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloads {
    /// It lets super-packets pass whole (TSO and GSO); else it cuts them, below its queueing discipline.
    pub segmentation: bool,
    /// It merges what arrives together (GRO), unless the other end of its link lets super-packets pass.
    pub merging: bool,
}

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
}

impl Route {
    /// Packets to `to` leave by this device.
    const fn new(device: usize, to: Prefix) -> Self {
        Self { device, to, source: None, initial_window_segments: None, control: None, window_bytes: None }
    }
}

/// A queueing discipline at a device's egress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Token bucket before a drop-tail queue.
    Bucket {
        /// How it reckons.
        kind: ShaperKind,
        /// Rate on frames.
        rate_bps: u64,
        /// Depth of the bucket.
        burst_bytes: u64,
        /// Room of the queue.
        room: Buffer,
        /// What both count for each packet beyond its frame.
        extra_bytes: i32,
    },
    /// Constant delay; some packets may not take it and so overtake others. With a slot, what it holds leaves in lumps,
    /// at most once in that time: a NIC's interrupt moderation.
    Delay {
        /// The delay.
        delay_ns: u64,
        /// Packets that do not take it.
        reorder_ppb: u32,
        /// Time between two lumps; 0: each packet leaves when its delay is over.
        slot_ns: u64,
    },
    /// Each packet leaves later by a time drawn uniformly below this, and never before the one ahead of it.
    Jitter {
        /// The bound.
        jitter_ns: u64,
    },
    /// Random loss of packets that carry data.
    Loss {
        /// Probability.
        loss_ppb: u32,
    },
    /// `fq`.
    Fair,
    /// Nothing but its counters.
    Counter,
    /// What comes in, and not what leaves, is led through the `ifb` of this number first.
    Redirect {
        /// Its number.
        to: u32,
    },
}

impl Discipline {
    /// A constant delay, and nothing else.
    pub const fn delay(delay_ns: u64) -> Self {
        Self::Delay { delay_ns, reorder_ppb: 0, slot_ns: 0 }
    }

    /// Whether the kernel does it itself. What no relay could do instead counts as done: the kernel is asked for it, and
    /// its refusal names it.
    pub const fn is_within(self, means: Means) -> bool {
        match self {
            Self::Delay { .. } | Self::Jitter { .. } => means.netem,
            Self::Loss { .. } => means.loss,
            Self::Bucket { .. } | Self::Fair | Self::Counter | Self::Redirect { .. } => true,
        }
    }
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
    /// Position of the bottleneck's device.
    pub bottleneck: usize,
    /// Position of the device that loses packets.
    pub loss: Option<usize>,
    /// Position of the device whose counters tell segments offered to the bottleneck, with offloads.
    pub arrivals: Option<usize>,
    /// Links of which user space carries what comes, one way: the position of the device that takes it, and what is
    /// done to it. The device after that gives it out again.
    pub relays: Vec<(usize, Discipline)>,
}

impl Plan {
    /// The whole plan of a run on a kernel with these means. The path also reorders so much. `controls`: each flow's
    /// congestion control, which programs take from their route.
    pub fn of(run: &Run, reorder_ppb: u32, controls: &[String], means: Means) -> Self {
        Self::new(run, reorder_ppb).controlled(run, controls).relayed(means).shaped_at_receivers(run)
    }

    /// The plan of a run as if its kernel had everything, but for what stands at the receivers' ingress.
    pub fn new(run: &Run, reorder_ppb: u32) -> Self {
        let (pairs, pair_of_flow) = pairs(run, reorder_ppb);
        let mut plan = Self {
            places: places(run, &pairs, reorder_ppb),
            offload: run.path.offload,
            pairs,
            pair_of_flow,
            devices: Vec::new(),
            ifb: None,
            addresses: Vec::new(),
            routes: Vec::new(),
            disciplines: Vec::new(),
            bottleneck: 0,
            loss: None,
            arrivals: None,
            relays: Vec::new(),
        };
        plan.add_senders(run);
        let trunk: Vec<Place> = plan.places.iter().copied().filter(|place| is_trunk(*place)).collect();
        for pair in trunk.windows(2) {
            let (egress, back) = plan.link(pair[0], pair[1]);
            plan.route(egress, RECEIVERS);
            plan.route(back, SENDERS);
            plan.queue_towards_receivers(egress, run);
        }
        plan.add_receivers(run, *trunk.last().expect("a near router"), reorder_ppb);
        plan
    }

    /// The same plan where flows whose senders are programs have their congestion control from the route to their
    /// receiver, and their window from that back: they would take the namespace's, or their own.
    pub fn controlled(mut self, run: &Run, controls: &[String]) -> Self {
        let programs = run.flows.iter().zip(controls).enumerate().filter(|(_, (flow, _))| flow.is_program());
        for (index, (_, control)) in programs {
            let to = host(Self::receiver(self.pair_of_flow[index]));
            let devices = &self.devices;
            let leads = |route: &&mut Route| devices[route.device].place == Place::Sender && route.to == to;
            self.routes.iter_mut().filter(leads).for_each(|route| route.control = Some(control.clone()));
            let back = host(Self::sender(self.pair_of_flow[index]));
            let devices = &self.devices;
            let returns = |route: &&mut Route| devices[route.device].place == Place::Receiver && route.to == back;
            let window_bytes = window_bytes(run);
            self.routes.iter_mut().filter(returns).for_each(|route| route.window_bytes = window_bytes);
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
            self.loss = self.loss.map(|loss| if loss == device { takes } else { loss });
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
        let ways_in = (0..position).filter(|device| self.devices[*device].place == Place::Receiver);
        self.disciplines.extend(ways_in.map(|device| (device, Discipline::Redirect { to: index })));
        let (place, name, offloads) = (Place::Receiver, ifb_name(index), Offloads::default());
        self.devices.push(Device { place, index, name, offloads });
        self.disciplines.push((position, bottleneck(run)));
        (self.ifb, self.bottleneck) = (Some(position), position);
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

    /// Address of a pair's sender.
    pub fn sender(pair: usize) -> Ipv4Addr {
        Ipv4Addr::from_bits(SENDERS.address.to_bits() + pair as u32 + 1)
    }

    /// Address of a pair's receiver.
    pub fn receiver(pair: usize) -> Ipv4Addr {
        Ipv4Addr::from_bits(RECEIVERS.address.to_bits() + pair as u32 + 1)
    }

    /// Device numbers, MAC addresses and names follow from the order of links alone.
    fn link(&mut self, from: Place, to: Place) -> (usize, usize) {
        let first = self.devices.len();
        let offloads = Offloads { segmentation: self.offload, merging: self.offload };
        for (position, place) in [(first, from), (first + 1, to)] {
            let index = FIRST_INDEX + position as u32;
            self.devices.push(Device { place, index, name: format!("{}{index}", place.name()), offloads });
        }
        (first, first + 1)
    }

    fn route(&mut self, device: usize, to: Prefix) {
        self.routes.push(Route::new(device, to));
    }

    /// The pairs' lines from the senders to the first router that they share.
    fn add_senders(&mut self, run: &Run) {
        let entry = *self.places.iter().find(|place| is_trunk(**place)).expect("a near router");
        let noise = jitter(run).map(|jitter_ns| Discipline::Jitter { jitter_ns });
        for pair in 0..self.pairs.len() {
            let AddressPair { access, return_delay_ns, .. } = self.pairs[pair];
            let line = access.map(|access| {
                let Access { rate_bps, buffer: room, .. } = access;
                let (kind, burst_bytes) = (ShaperKind::Tbf, access.burst_bytes(&run.path));
                (access.kind, Discipline::Bucket { kind, rate_bps, burst_bytes, room, extra_bytes: 0 })
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
            if return_delay_ns > 0 {
                self.disciplines.push((back, Discipline::delay(return_delay_ns)));
            }
        }
    }

    /// A pair's way to the shared router `entry`; gives the device by which that sends back.
    fn add_sender(&mut self, pair: usize, hops: &[(Place, Option<Discipline>)], entry: Place, run: &Run) -> usize {
        let (sender, receiver) = (host(Self::sender(pair)), host(Self::receiver(pair)));
        let nexts = hops.iter().skip(1).map(|(place, _)| *place).chain([entry]);
        let mut last = 0;
        for (&(place, discipline), next) in hops.iter().zip(nexts) {
            let (egress, back) = self.link(place, next);
            let mut route = Route::new(egress, receiver);
            if place == Place::Sender {
                self.addresses.push((egress, sender.address));
                route.source = Some(sender.address);
                route.initial_window_segments = Some(run.host.initial_window_segments);
                // A burst is to reach the lane whole; its own egress cuts it.
                self.devices[egress].offloads.segmentation |= next == Place::Lane;
            }
            self.routes.push(route);
            self.route(back, sender);
            self.disciplines.extend(discipline.map(|discipline| (egress, discipline)));
            last = back;
        }
        last
    }

    /// The lines from the last router to the receivers: one a forward delay, or a NIC of its own for each pair.
    fn add_receivers(&mut self, run: &Run, last: Place, reorder_ppb: u32) {
        let slot_ns = run.host.ack_aggregation_ns;
        let mut lines: Vec<(u64, usize)> = Vec::new();
        for pair in 0..self.pairs.len() {
            let delay_ns = self.pairs[pair].forward_delay_ns;
            let (sender, receiver) = (host(Self::sender(pair)), host(Self::receiver(pair)));
            let line = lines.iter().find(|(other, _)| *other == delay_ns && !has_nics(run)).map(|(_, egress)| *egress);
            let egress = line.unwrap_or_else(|| {
                let (egress, nic) = self.link(last, Place::Receiver);
                lines.push((delay_ns, egress));
                self.devices[nic].offloads.merging |= run.host.gro;
                if delay_ns > 0 || slot_ns > 0 {
                    self.disciplines.push((egress, Discipline::Delay { delay_ns, reorder_ppb, slot_ns }));
                }
                if last != Place::Far {
                    self.queue_towards_receivers(egress, run);
                }
                egress
            });
            let device = egress + 1;
            self.addresses.push((device, receiver.address));
            self.route(egress, receiver);
            self.routes.push(Route { source: Some(receiver.address), ..Route::new(device, sender) });
        }
    }

    /// What waits, is lost or is counted at a shared router's egress.
    fn queue_towards_receivers(&mut self, egress: usize, run: &Run) {
        let path = &run.path;
        match self.devices[egress].place {
            Place::Near if path.shaper_at == ShaperAt::Router => {
                self.bottleneck = egress;
                self.disciplines.push((egress, bottleneck(run)));
            }
            Place::Gate | Place::LossHop => {
                let before = self.devices[egress].place == Place::Gate;
                if before && path.offload {
                    self.arrivals = Some(egress);
                }
                if before == (path.loss_at == LossAt::Before) && path.loss_ppb > 0 {
                    self.loss = Some(egress);
                    self.disciplines.push((egress, Discipline::Loss { loss_ppb: path.loss_ppb }));
                } else {
                    self.disciplines.push((egress, Discipline::Counter));
                }
            }
            _ => {}
        }
    }
}

const fn bottleneck(run: &Run) -> Discipline {
    let path = &run.path;
    Discipline::Bucket {
        kind: path.shaper,
        rate_bps: path.rate_bps,
        burst_bytes: path.burst_bytes,
        room: path.buffer,
        extra_bytes: path.extra_bytes(),
    }
}

/// The largest window that receivers announce, if any is asked for. What a TCP header cannot say was refused before.
pub fn window_bytes(run: &Run) -> Option<u32> {
    run.host.receive_window_bytes.map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// Name of an `ifb` by its number.
pub fn ifb_name(index: u32) -> String {
    format!("ifb{index}")
}

const fn host(address: Ipv4Addr) -> Prefix {
    Prefix { address, length: 32 }
}

const fn is_trunk(place: Place) -> bool {
    matches!(place, Place::Gate | Place::Near | Place::LossHop | Place::Far)
}

fn places(run: &Run, pairs: &[AddressPair], reorder_ppb: u32) -> Vec<Place> {
    let path = &run.path;
    let loses = |side| path.loss_ppb > 0 && path.loss_at == side;
    let wanted = |place: &Place| match place {
        Place::Lane => {
            let has_line = |pair: &AddressPair| pair.access.is_some_and(|access| access.kind == AccessKind::Device);
            jitter(run).is_some() && (run.host.qdisc == Qdisc::Fq || pairs.iter().any(has_line))
        }
        Place::Access => pairs.iter().any(|pair| pair.access.is_some_and(|access| access.kind == AccessKind::Router)),
        Place::Gate => loses(LossAt::Before) || path.offload,
        Place::LossHop => loses(LossAt::After),
        Place::Far => reorder_ppb > 0 || has_nics(run) || pairs.iter().any(|pair| pair.forward_delay_ns > 0),
        Place::Sender | Place::Near | Place::Receiver => true,
    };
    use Place::{Access, Far, Gate, Lane, LossHop, Near, Receiver, Sender};
    [Sender, Lane, Access, Gate, Near, LossHop, Far, Receiver].into_iter().filter(wanted).collect()
}

fn pairs(run: &Run, reorder_ppb: u32) -> (Vec<AddressPair>, Vec<usize>) {
    let hosts_are_felt = jitter(run).is_some() || run.host.qdisc == Qdisc::Fq || has_nics(run);
    let mut pairs: Vec<AddressPair> = Vec::new();
    let pair_of_flow = run
        .flows
        .iter()
        .map(|flow| {
            let pair = pair(flow, run, reorder_ppb);
            let alone = hosts_are_felt || pair.access.is_some() || pair.has_programs;
            let shared = pairs.iter().position(|other| *other == pair).filter(|_| !alone);
            shared.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            })
        })
        .collect();
    (pairs, pair_of_flow)
}

/// The senders' timing noise, if any.
fn jitter(run: &Run) -> Option<u64> {
    run.path.jitter_ns.filter(|ns| *ns > 0)
}

/// The receivers' NICs do something with what arrives.
const fn has_nics(run: &Run) -> bool {
    run.host.gro || run.host.ack_aggregation_ns > 0
}

/// A path that is to reorder needs a forward delay to be overtaken in: it is taken from the way back, so that the
/// round-trip time stays.
fn pair(flow: &Flow, run: &Run, reorder_ppb: u32) -> AddressPair {
    let Flow { access, forward_delay_ns, return_delay_ns, .. } = *flow;
    let frames_ns = OVERTAKEN_FRAMES * run.path.frame_bytes() * 8_000_000_000 / run.path.rate_bps.max(1);
    let moved_ns = if reorder_ppb > 0 && forward_delay_ns == 0 { frames_ns.min(return_delay_ns) } else { 0 };
    AddressPair {
        access,
        forward_delay_ns: forward_delay_ns + moved_ns,
        return_delay_ns: return_delay_ns - moved_ns,
        has_programs: flow.is_program(),
    }
}
