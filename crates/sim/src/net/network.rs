//! The network of a run: hosts and their lines, the bottleneck, and the lines to and from the receivers.

mod sending;

use super::fair_queue::FairQueue;
use super::hop::{Hop, Offered};
use super::host::Host;
use super::jitter::Jitter;
use super::line::Line;
use super::loss::RandomLoss;
use super::nic::Nic;
use super::packet::{Ack, Packet};
use super::shaper::Shaper;
use super::waiting::Waiting;
use crate::engine::{Event, EventQueue};
use crate::index::{FlowId, HopId, LineId};
use run::{AccessKind, LossAt, Qdisc, QueueCounters, Run, ShaperKind};
use std::hint::cold_path;
use units::{Bytes, Rate, Span, Time};

/// Everything between senders and receivers.
#[derive(Debug)]
pub struct Network {
    /// The future events.
    pub events: EventQueue,
    bottleneck: Hop,
    /// What a frame counts more there than on the lines of hosts.
    extra_bytes: i32,
    /// Access lines, by hop from the first one behind the bottleneck's on.
    access: Vec<AccessLine>,
    /// By the run's flows.
    hosts: Vec<Host>,
    /// No host has a line of its own.
    no_access: bool,
    /// Every host has a queue of its own.
    has_fair_queues: bool,
    /// Timing noise of the hosts.
    jitter: Jitter,
    /// When bursts leave their hosts at an event of their own: the first such event that is scheduled.
    burst_at: Time,
    /// Flows of which a packet was dropped while no event was theirs; kept where there are sources.
    dropped_behind: Vec<FlowId>,
    /// The host took something of the burst in hand.
    took: bool,
    /// Flows of which something left their host's own queue while another of its flows, or nobody, was at work.
    drained: Vec<FlowId>,
    forward: Vec<Line<Packet>>,
    /// Receiving hosts, by the run's flows, in place of forward lines where what hosts hand over is not every packet by
    /// itself.
    nics: Vec<Nic>,
    back: Vec<Line<Ack>>,
    /// Touched for every packet: kept small and together.
    routes: Vec<Route>,
    /// Touched when a packet is lost, and by flows whose host has something of its own.
    ports: Vec<Port>,
    /// Connections come and go: what is under way of each is counted.
    has_sources: bool,
    account: Account,
}

/// Packets that have come from senders and gone to receivers.
#[derive(Debug, Default)]
struct Account {
    /// Counted in debug builds only, as whatever else serves no measurement.
    sent: u64,
    /// What queues of access lines dropped; likewise.
    dropped_at_access: u64,
    arrived: u64,
}

impl Account {
    #[inline]
    fn note_sent(&mut self, packet: &Packet) {
        if cfg!(debug_assertions) {
            self.sent += packet.wire_segments();
        }
    }
}

/// A line between a host and the bottleneck.
#[derive(Debug)]
struct AccessLine {
    hop: Hop,
    kind: AccessKind,
}

/// The lines of one flow.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// Its forward line or NIC; none: no delay, the bottleneck hands over at once.
    forward: Option<LineId>,
    back: LineId,
}

/// One flow's place in the network.
#[derive(Clone, Copy, Debug)]
struct Port {
    /// Whose host it is on: its own, or its source's.
    host: FlowId,
    /// What of it is in the host's own queue and device.
    waiting: Waiting,
    /// Packets and ACKs of it in the network, counted where there are sources.
    under_way: u64,
    /// Its packets that the bottleneck's queue dropped.
    dropped: u64,
}

impl Port {
    const fn new(host: FlowId) -> Self {
        Self { host, waiting: Waiting { buffers: 0, payload_bytes: 0 }, under_way: 0, dropped: 0 }
    }
}

/// Where a packet is after leaving a hop.
#[derive(Debug)]
pub enum Departed {
    /// At its receiver.
    Arrived {
        /// The packet.
        packet: Packet,
        /// Its size, as the bottleneck counts.
        frame_bytes: u32,
    },
    /// On a line, to arrive later.
    UnderWay {
        /// The flow.
        flow: FlowId,
        /// Its size, as the bottleneck counts.
        frame_bytes: u32,
    },
    /// Lost at random.
    Lost {
        /// The flow.
        flow: FlowId,
        /// Its size, as the bottleneck counts.
        frame_bytes: u32,
    },
    /// Out of its host's own queue and at the next hop.
    OutOfHost(FlowId),
    /// At the bottleneck.
    PastRouter(FlowId),
    /// Nothing left: the event is void.
    Nothing,
}

impl Network {
    /// The network of a run, idle.
    pub fn new(run: &Run) -> Self {
        let path = &run.path;
        let frame = Bytes::new(path.ethernet_frame_bytes());
        let (mut forward, mut back): (Vec<Line<Packet>>, Vec<Line<Ack>>) = (Vec::new(), Vec::new());
        let mut nics = Vec::new();
        let routes = run
            .flows
            .iter()
            .map(|flow| {
                let delay = Span::from_nanos(flow.forward_delay_ns);
                let forward = if run.host.gro || run.host.ack_aggregation_ns > 0 {
                    nics.push(Nic::new(delay, &run.host, path.mss_bytes()));
                    Some(LineId::new(nics.len() - 1))
                } else {
                    (delay > Span::ZERO).then(|| line_with(&mut forward, delay))
                };
                Route { forward, back: line_with(&mut back, Span::from_nanos(flow.return_delay_ns)) }
            })
            .collect();
        let mut access = Vec::new();
        let hosts: Vec<Host> = run
            .flows
            .iter()
            .map(|flow| {
                let fair_queue =
                    (run.host.qdisc == Qdisc::Fq).then(|| Box::new(FairQueue::new(path.ethernet_frame_bytes())));
                let mut host = Host { fair_queue, ..Host::default() };
                if let Some(line) = flow.access {
                    let burst = Bytes::new(line.burst_bytes(path));
                    let shaper = Shaper::new(ShaperKind::Tbf, Rate::from_bps(line.rate_bps), burst, frame);
                    let lossless = RandomLoss::new(0, LossAt::Before, run.seed);
                    access.push(AccessLine { hop: Hop::new(line.buffer, shaper, lossless), kind: line.kind });
                    match line.kind {
                        AccessKind::Device => host.device = Some(HopId::new(access.len())),
                        AccessKind::Router => host.router = Some(HopId::new(access.len())),
                    }
                }
                host
            })
            .collect();
        let mut loss = RandomLoss::new(path.loss_ppb, path.loss_at, run.seed);
        for (index, flow) in run.flows.iter().enumerate() {
            loss.open(FlowId::new(index), &flow.name);
        }
        let shaper = Shaper::new(
            path.shaper,
            Rate::from_bps(path.rate_bps),
            Bytes::new(path.burst_bytes),
            Bytes::new(path.frame_bytes()),
        );
        Self {
            events: EventQueue::default(),
            bottleneck: Hop::new(path.buffer, shaper, loss),
            extra_bytes: path.extra_bytes(),
            access,
            has_fair_queues: run.host.qdisc == Qdisc::Fq,
            no_access: hosts.iter().all(|host| host.device.is_none() && host.router.is_none()),
            jitter: Jitter::new(
                Span::from_nanos(path.jitter_ns.unwrap_or(0)),
                run.seed,
                run.flows.iter().map(|flow| flow.name.as_str()),
            ),
            burst_at: Time::NEVER,
            dropped_behind: Vec::new(),
            hosts,
            took: false,
            drained: Vec::new(),
            forward,
            nics,
            back,
            routes,
            ports: FlowId::first(run.flows.len()).map(Port::new).collect(),
            has_sources: run.flows.iter().any(|flow| !flow.arrivals().is_empty()),
            account: Account::default(),
        }
    }

    /// A source opens a connection at a place that is the next one, or that nothing is [under way](Self::carries) of.
    pub fn open(&mut self, flow: FlowId, source: FlowId, name: &str) {
        let (route, port) = (self.routes[source.index()], Port::new(source));
        if flow.index() == self.routes.len() {
            self.routes.push(route);
            self.ports.push(port);
        } else {
            debug_assert!(!self.carries(flow));
            self.routes[flow.index()] = route;
            self.ports[flow.index()] = port;
        }
        if let Some(queue) = &mut self.hosts[source.index()].fair_queue {
            queue.open(flow);
        }
        self.bottleneck.loss.open(flow, name);
    }

    /// Packets or ACKs of a source's connection are under way.
    pub fn carries(&self, flow: FlowId) -> bool {
        self.ports[flow.index()].under_way > 0
    }

    #[inline]
    fn note_entry(&mut self, flow: FlowId) {
        if self.has_sources {
            cold_path();
            self.ports[flow.index()].under_way += 1;
        }
    }

    #[inline]
    fn note_exit(&mut self, flow: FlowId) {
        if self.has_sources {
            cold_path();
            self.ports[flow.index()].under_way -= 1;
        }
    }

    /// A packet is dropped or lost before it has left the bottleneck.
    #[inline]
    fn end_before_receiver(&mut self, flow: FlowId) {
        if self.has_sources {
            cold_path();
            self.ports[flow.index()].under_way -= 1;
            if self.jitter.is_any() {
                self.dropped_behind.push(flow);
            }
        }
    }

    /// A flow of which a packet was dropped or lost behind its host, if there is one that was not given yet.
    #[inline]
    pub fn dropped_behind(&mut self) -> Option<FlowId> {
        self.dropped_behind.pop()
    }

    /// From now on random loss acts on the flow.
    pub fn begin_loss(&mut self, flow: FlowId) {
        self.bottleneck.loss.begin(flow);
    }

    /// A packet reaches the bottleneck at `at`, now or [before](Self::settle).
    #[inline(always)]
    fn reach_bottleneck(&mut self, packet: Packet, at: Time) {
        match self.bottleneck.offer(packet.longer(self.extra_bytes), at) {
            Offered::Queued { departure: None } => {}
            Offered::Queued { departure: Some(departure) } => {
                self.events.schedule(departure, Event::Departure(HopId::BOTTLENECK));
            }
            Offered::Dropped => {
                self.ports[packet.flow.index()].dropped += packet.wire_segments();
                self.end_before_receiver(packet.flow);
            }
            Offered::Lost => self.end_before_receiver(packet.flow),
        }
    }

    /// The next frame leaves a hop.
    #[inline]
    pub fn departure(&mut self, hop: HopId) -> Departed {
        if hop == HopId::BOTTLENECK { self.leave_bottleneck() } else { self.leave_access(hop) }
    }

    #[inline]
    fn leave_bottleneck(&mut self) -> Departed {
        let now = self.events.now();
        while self.jitter.next() < now {
            self.reach_path_with_next_burst();
        }
        let Some(left) = self.bottleneck.depart(now) else { return Departed::Nothing };
        match left.next {
            Some(next) => self.events.schedule(next, Event::Departure(HopId::BOTTLENECK)),
            None => self.schedule_burst(),
        }
        let (flow, frame_bytes) = (left.packet.flow, left.packet.frame_bytes);
        let packet = left.packet.longer(-self.extra_bytes);
        if left.lost {
            cold_path();
            self.note_exit(flow);
            return Departed::Lost { flow, frame_bytes };
        }
        let Some(line) = self.routes[flow.index()].forward else {
            cold_path();
            self.account.arrived += packet.wire_segments();
            self.note_exit(flow);
            return Departed::Arrived { packet, frame_bytes };
        };
        let arrival = match self.nics.get_mut(line.index()) {
            None => self.forward[line.index()].push(now, packet),
            Some(nic) => nic.push(now, packet),
        };
        if let Some(arrival) = arrival {
            self.events.schedule(arrival, Event::Data(line));
        }
        Departed::UnderWay { flow, frame_bytes }
    }

    /// The oldest packet of a forward line arrives.
    #[inline]
    pub fn data_arrival(&mut self, line: LineId) -> Packet {
        let (packet, next) = self.forward[line.index()].pop();
        if let Some(next) = next {
            self.events.schedule(next, Event::Data(line));
        }
        self.account.arrived += packet.wire_segments();
        self.note_exit(packet.flow);
        packet
    }

    /// Receiving hosts have NICs that [hand over](Self::hand_over) what arrives.
    #[inline]
    pub fn has_nics(&self) -> bool {
        !self.nics.is_empty()
    }

    /// A NIC hands over what has arrived, to `out`.
    pub fn hand_over(&mut self, line: LineId, out: &mut Vec<Packet>) {
        let Self { nics, account, ports, has_sources, .. } = self;
        let next = nics[line.index()].hand_over(self.events.now(), out, |packet| {
            account.arrived += packet.wire_segments();
            if *has_sources {
                ports[packet.flow.index()].under_way -= 1;
            }
        });
        if let Some(next) = next {
            self.events.schedule(next, Event::Data(line));
        }
    }

    /// A receiver emits an ACK.
    #[inline]
    pub fn emit_ack(&mut self, ack: Ack) {
        self.note_entry(ack.flow);
        let line = self.routes[ack.flow.index()].back;
        let now = self.events.now();
        if let Some(arrival) = self.back[line.index()].push(now, ack) {
            self.events.schedule(arrival, Event::Ack(line));
        }
    }

    /// The oldest ACK of a return line arrives.
    #[inline]
    pub fn ack_arrival(&mut self, line: LineId) -> Ack {
        let (ack, next) = self.back[line.index()].pop();
        if let Some(next) = next {
            self.events.schedule(next, Event::Ack(line));
        }
        self.note_exit(ack.flow);
        ack
    }

    /// The flow whose packet is behind `ahead` others in the bottleneck's queue.
    pub fn upcoming_departure(&self, ahead: usize) -> Option<FlowId> {
        self.bottleneck.queue().peek(ahead).map(|packet| packet.flow)
    }

    /// The flow whose ACK is behind `ahead` others on a return line.
    pub fn upcoming_ack(&self, line: LineId, ahead: usize) -> Option<FlowId> {
        self.back[line.index()].peek(ahead).map(|ack| ack.flow)
    }

    /// The bottleneck's rate changes.
    pub fn change_rate(&mut self, rate: Rate) {
        let now = self.events.now();
        while self.jitter.next() < now {
            self.reach_path_with_next_burst();
        }
        if let Some(departure) = self.bottleneck.change_rate(rate, now) {
            self.events.schedule(departure, Event::Departure(HopId::BOTTLENECK));
        }
    }

    /// The bottleneck's counters now.
    pub fn counters(&self) -> QueueCounters {
        self.bottleneck.counters(self.events.now())
    }

    /// A flow's packets that the queue dropped, and that were lost at random.
    pub fn losses(&self, flow: FlowId) -> (u64, u64) {
        (self.ports[flow.index()].dropped, self.bottleneck.loss.lost_of(flow))
    }

    /// Panics when a packet has vanished or come from nowhere: every one sent was offered to the bottleneck, or is
    /// before it, or was lost there; every one offered has left, was dropped, or is queued; every one that left has
    /// arrived, is under way, or was lost behind. For debug builds, which count all of it.
    pub fn assert_conservation(&self) {
        fn segments<'a>(packets: impl Iterator<Item = &'a Packet>) -> u64 {
            packets.map(Packet::wire_segments).sum()
        }
        let counters = self.counters();
        let loss = &self.bottleneck.loss;
        let queues = self.hosts.iter().filter_map(|host| host.fair_queue.as_deref());
        let before = segments(self.jitter.packets())
            + segments(queues.flat_map(FairQueue::iter))
            + segments(self.access.iter().flat_map(|line| line.hop.queue().iter()))
            + self.account.dropped_at_access
            + loss.lost_at(LossAt::Before);
        assert_eq!(self.account.sent, before + counters.offered_packets);
        let under_way =
            segments(self.forward.iter().flat_map(Line::iter)) + segments(self.nics.iter().flat_map(Nic::iter));
        assert_eq!(counters.sent_packets, self.account.arrived + under_way + loss.lost_at(LossAt::After));
        assert_eq!(
            counters.offered_packets,
            counters.sent_packets + counters.dropped_packets + counters.queued_packets
        );
    }
}

/// The index of the line with this delay, made if there is none.
fn line_with<T>(lines: &mut Vec<Line<T>>, delay: Span) -> LineId {
    let index = lines.iter().position(|line| line.delay() == delay).unwrap_or_else(|| {
        lines.push(Line::new(delay));
        lines.len() - 1
    });
    LineId::new(index)
}
