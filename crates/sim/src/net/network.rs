//! The network of a run: access lines, random loss, the bottleneck, and the lines to and from the receivers.

use super::fair_queue::FairQueue;
use super::line::Line;
use super::link::Link;
use super::packet::{Ack, Packet, PacketKind};
use crate::engine::{Event, EventQueue, Stream, stream};
use crate::index::{FlowId, LineId};
use run::{LossAt, QueueCounters, Run};
use units::{Bytes, Rate, Span, Time};

/// Everything between senders and receivers.
#[derive(Debug)]
pub struct Network {
    /// The future events.
    pub events: EventQueue,
    bottleneck: Link,
    forward: Vec<Line<Packet>>,
    back: Vec<Line<Ack>>,
    /// Touched for every packet: kept small and together.
    routes: Vec<Route>,
    /// Touched when a packet is lost, and by flows that have an access line.
    ports: Vec<Port>,
    has_access: bool,
    /// By host; none: no `fq`.
    fair_queues: Vec<FairQueue>,
    /// Flows of which something left their host's own queue.
    drained: Vec<FlowId>,
    /// Connections come and go: what is under way of each is counted.
    has_sources: bool,
    seed: u64,
    loss_ppb: u32,
    loss_at: LossAt,
    random_lost: u64,
    /// Packets that have reached their receiver.
    arrived: u64,
}

/// The lines of one flow.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// Index of its forward line; none: no delay, the bottleneck hands over at once.
    forward: Option<LineId>,
    back: LineId,
}

/// One flow's losses and access line.
#[derive(Debug)]
struct Port {
    access: Option<Link>,
    /// Whose access line it uses: its own, or its source's.
    host: FlowId,
    /// Bytes of its frames in the queue of that line.
    waiting_bytes: u64,
    /// Packets and ACKs of it in the network, counted where there are sources.
    under_way: u64,
    loss: Stream,
    /// Random loss begins when the handshake is over.
    lossy: bool,
    dropped: u64,
    random_lost: u64,
}

impl Port {
    /// Without an access line; `name` names its random stream.
    fn new(host: FlowId, seed: u64, name: &str) -> Self {
        Self {
            access: None,
            host,
            waiting_bytes: 0,
            under_way: 0,
            loss: stream(seed, &format!("loss/{name}")),
            lossy: false,
            dropped: 0,
            random_lost: 0,
        }
    }
}

/// Where a packet is after leaving the bottleneck.
#[derive(Debug)]
pub enum Departed {
    /// At its receiver.
    Arrived(Packet),
    /// On a line, to arrive later.
    UnderWay {
        /// The flow.
        flow: FlowId,
        /// Its size.
        frame_bytes: u32,
    },
    /// Lost at random.
    Lost {
        /// The flow.
        flow: FlowId,
        /// Its size.
        frame_bytes: u32,
    },
    /// Nothing left: the event is void.
    Nothing,
}

impl Network {
    /// The network of a run, idle.
    pub fn new(run: &Run) -> Self {
        let path = &run.path;
        let frame = Bytes::new(path.frame_bytes());
        let (mut forward, mut back): (Vec<Line<Packet>>, Vec<Line<Ack>>) = (Vec::new(), Vec::new());
        let routes = run
            .flows
            .iter()
            .map(|flow| Route {
                forward: (flow.forward_delay_ns > 0)
                    .then(|| line_with(&mut forward, Span::from_nanos(flow.forward_delay_ns))),
                back: line_with(&mut back, Span::from_nanos(flow.return_delay_ns)),
            })
            .collect();
        let ports = run
            .flows
            .iter()
            .enumerate()
            .map(|(i, flow)| {
                let access = flow
                    .access
                    .map(|access| Link::new(Rate::from_bps(access.rate_bps), Bytes::ZERO, frame, access.buffer));
                Port { access, ..Port::new(FlowId::new(i), run.seed, &flow.name) }
            })
            .collect();
        Self {
            events: EventQueue::default(),
            bottleneck: Link::new(Rate::from_bps(path.rate_bps), Bytes::new(path.burst_bytes), frame, path.buffer),
            forward,
            back,
            routes,
            ports,
            fair_queues: if run.host.qdisc == run::Qdisc::Fq {
                run.flows.iter().map(|_| FairQueue::new(path.frame_bytes())).collect()
            } else {
                Vec::new()
            },
            drained: Vec::new(),
            has_access: run.flows.iter().any(|flow| flow.access.is_some()),
            has_sources: run.flows.iter().any(|flow| !flow.arrivals().is_empty()),
            seed: run.seed,
            loss_ppb: path.loss_ppb,
            loss_at: path.loss_at,
            random_lost: 0,
            arrived: 0,
        }
    }

    /// A source opens a connection at a place that is the next one, or that nothing is [under way](Self::carries) of.
    pub fn open(&mut self, flow: FlowId, source: FlowId, name: &str) {
        let (route, port) = (self.routes[source.index()], Port::new(source, self.seed, name));
        if flow.index() == self.routes.len() {
            self.routes.push(route);
            self.ports.push(port);
        } else {
            debug_assert!(!self.carries(flow));
            self.routes[flow.index()] = route;
            self.ports[flow.index()] = port;
        }
    }

    /// Packets or ACKs of a source's connection are under way.
    pub fn carries(&self, flow: FlowId) -> bool {
        self.ports[flow.index()].under_way > 0
    }

    #[inline]
    fn note_entry(&mut self, flow: FlowId) {
        if self.has_sources {
            self.ports[flow.index()].under_way += 1;
        }
    }

    #[inline]
    fn note_exit(&mut self, flow: FlowId) {
        if self.has_sources {
            self.ports[flow.index()].under_way -= 1;
        }
    }

    /// From now on random loss acts on the flow.
    pub fn begin_loss(&mut self, flow: FlowId) {
        self.ports[flow.index()].lossy = true;
    }

    /// A sender emits a packet.
    #[inline]
    pub fn emit(&mut self, packet: Packet) {
        let now = self.events.now();
        self.note_entry(packet.flow);
        if !self.fair_queues.is_empty() {
            let host = self.ports[packet.flow.index()].host;
            return self.fair_queues[host.index()].stage(packet);
        }
        if !self.has_access {
            return self.offer(packet, now);
        }
        self.offer_to_access(packet, now);
    }

    /// What a sender has emitted since is one burst. False when its host dropped it.
    #[inline]
    pub fn hand_over(&mut self, flow: FlowId, departure: Time) -> bool {
        if self.fair_queues.is_empty() {
            return true;
        }
        let now = self.events.now();
        let host = self.ports[flow.index()].host;
        let before = self.fair_queues[host.index()].staged_bytes();
        if !self.fair_queues[host.index()].offer(flow, departure, now) {
            return false;
        }
        self.ports[flow.index()].waiting_bytes += before;
        self.serve(host);
        true
    }

    /// The timer of a host's own queue rings.
    pub fn watchdog(&mut self, host: FlowId) {
        if self.fair_queues[host.index()].rings(self.events.now()) {
            self.serve(host);
        }
    }

    fn serve(&mut self, host: FlowId) {
        let now = self.events.now();
        let mut queue = std::mem::replace(&mut self.fair_queues[host.index()], FairQueue::new(0));
        loop {
            let mut payload = 0;
            let Some(flow) = queue.take(now, |packet| {
                payload += packet.buffer_bytes() - super::packet::buffer_bytes(0);
                if self.has_access { self.offer_to_access(packet, now) } else { self.offer(packet, now) }
            }) else {
                break;
            };
            self.ports[flow.index()].waiting_bytes -= super::packet::buffer_bytes(payload);
            self.drained.push(flow);
        }
        if let Some(at) = queue.arm() {
            self.events.schedule(at, Event::Watchdog(host));
        }
        self.fair_queues[host.index()] = queue;
    }

    /// A flow of which something left its host's own queue, if there is one.
    #[inline]
    pub fn take_drained(&mut self) -> Option<FlowId> {
        self.drained.pop()
    }

    /// A packet reaches its host's access line, or without one the bottleneck.
    #[inline(never)]
    fn offer_to_access(&mut self, packet: Packet, now: Time) {
        let flow = packet.flow;
        let host = self.ports[flow.index()].host;
        match &mut self.ports[host.index()].access {
            None => self.offer(packet, now),
            Some(access) => match access.offer(packet, now) {
                Ok(departure) => {
                    self.ports[flow.index()].waiting_bytes += packet.buffer_bytes();
                    if let Some(departure) = departure {
                        self.events.schedule(departure, Event::AccessDeparture(host));
                    }
                }
                Err(dropped) => self.note_exit(dropped.flow),
            },
        }
    }

    /// A flow's bytes in the queue of its access line; 0 without one.
    #[inline]
    pub fn access_queue_bytes(&self, flow: FlowId) -> u64 {
        if !self.has_access && self.fair_queues.is_empty() {
            return 0;
        }
        self.ports[flow.index()].waiting_bytes
    }

    /// The head of a host's access line leaves. Gives the flow that it is of.
    pub fn access_departure(&mut self, host: FlowId) -> Option<FlowId> {
        let now = self.events.now();
        let access = self.ports[host.index()].access.as_mut().expect("only hosts with an access line");
        let (packet, next) = access.depart(now)?;
        if let Some(next) = next {
            self.events.schedule(next, Event::AccessDeparture(host));
        }
        self.ports[packet.flow.index()].waiting_bytes -= packet.buffer_bytes();
        self.offer(packet, now);
        Some(packet.flow)
    }

    /// A packet reaches the bottleneck.
    #[inline]
    fn offer(&mut self, packet: Packet, now: Time) {
        if self.loss_ppb > 0 && self.loss_at == LossAt::Before && self.loses(&packet) {
            return;
        }
        match self.bottleneck.offer(packet, now) {
            Ok(Some(departure)) => self.events.schedule(departure, Event::Departure),
            Ok(None) => {}
            Err(dropped) => {
                self.ports[dropped.flow.index()].dropped += u64::from(dropped.segments.max(1));
                self.note_exit(dropped.flow);
            }
        }
    }

    fn loses(&mut self, packet: &Packet) -> bool {
        let port = &mut self.ports[packet.flow.index()];
        let lost = port.lossy && packet.kind == PacketKind::Data && port.loss.happens(self.loss_ppb);
        if lost {
            port.random_lost += u64::from(packet.segments);
            self.random_lost += u64::from(packet.segments);
            self.note_exit(packet.flow);
        }
        lost
    }

    /// The bottleneck's head leaves.
    #[inline]
    pub fn departure(&mut self) -> Departed {
        let now = self.events.now();
        let Some((packet, next)) = self.bottleneck.depart(now) else { return Departed::Nothing };
        if let Some(next) = next {
            self.events.schedule(next, Event::Departure);
        }
        let (flow, frame_bytes) = (packet.flow, packet.frame_bytes);
        if self.loss_ppb > 0 && self.loss_at == LossAt::After && self.loses(&packet) {
            return Departed::Lost { flow, frame_bytes };
        }
        let Some(line) = self.routes[flow.index()].forward else {
            self.arrived += u64::from(packet.segments.max(1));
            self.note_exit(flow);
            return Departed::Arrived(packet);
        };
        if let Some(arrival) = self.forward[line.index()].push(now, packet) {
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
        self.arrived += u64::from(packet.segments.max(1));
        self.note_exit(packet.flow);
        packet
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
        self.bottleneck.peek(ahead).map(|packet| packet.flow)
    }

    /// The flow whose ACK is behind `ahead` others on a return line.
    pub fn upcoming_ack(&self, line: LineId, ahead: usize) -> Option<FlowId> {
        self.back[line.index()].peek(ahead).map(|ack| ack.flow)
    }

    /// The bottleneck's rate changes.
    pub fn change_rate(&mut self, rate: Rate) {
        let now = self.events.now();
        if let Some(departure) = self.bottleneck.change_rate(rate, now) {
            self.events.schedule(departure, Event::Departure);
        }
    }

    /// The bottleneck's counters now.
    pub fn counters(&self) -> QueueCounters {
        QueueCounters { random_lost_packets: self.random_lost, ..self.bottleneck.counters(self.events.now()) }
    }

    /// A flow's packets that the queue dropped, and that were lost at random.
    pub fn losses(&self, flow: FlowId) -> (u64, u64) {
        let port = &self.ports[flow.index()];
        (port.dropped, port.random_lost)
    }

    /// Panics when a packet has vanished or come from nowhere: every one that left the bottleneck has arrived, is
    /// under way, or was lost behind it; every one offered has left, was dropped, or is queued.
    pub fn assert_conservation(&self) {
        let counters = self.counters();
        let under_way: u64 = self.forward.iter().flat_map(Line::iter).map(|p| u64::from(p.segments.max(1))).sum();
        let lost_behind = if self.loss_at == LossAt::After { self.random_lost } else { 0 };
        assert_eq!(counters.sent_packets, self.arrived + under_way + lost_behind);
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
