//! The network of a run: access lines, random loss, the bottleneck, and the lines to and from the receivers.

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
    loss: Stream,
    /// Random loss begins when the handshake is over.
    lossy: bool,
    dropped: u64,
    random_lost: u64,
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
            .map(|flow| Port {
                access: flow
                    .access
                    .map(|access| Link::new(Rate::from_bps(access.rate_bps), Bytes::ZERO, frame, access.buffer)),
                loss: stream(run.seed, &format!("loss/{}", flow.name)),
                lossy: false,
                dropped: 0,
                random_lost: 0,
            })
            .collect();
        Self {
            events: EventQueue::default(),
            bottleneck: Link::new(Rate::from_bps(path.rate_bps), Bytes::new(path.burst_bytes), frame, path.buffer),
            forward,
            back,
            routes,
            ports,
            has_access: run.flows.iter().any(|flow| flow.access.is_some()),
            loss_ppb: path.loss_ppb,
            loss_at: path.loss_at,
            random_lost: 0,
            arrived: 0,
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
        if !self.has_access {
            return self.offer(packet, now);
        }
        let flow = packet.flow;
        match &mut self.ports[flow.index()].access {
            None => self.offer(packet, now),
            Some(access) => {
                if let Ok(Some(departure)) = access.offer(packet, now) {
                    self.events.schedule(departure, Event::AccessDeparture(flow));
                }
            }
        }
    }

    /// Bytes in the queue of a flow's access line; 0 without one.
    #[inline]
    pub fn access_queue_bytes(&self, flow: FlowId) -> u64 {
        if !self.has_access {
            return 0;
        }
        self.ports[flow.index()].access.as_ref().map_or(0, Link::queued_bytes)
    }

    /// The head of a flow's access line leaves.
    pub fn access_departure(&mut self, flow: FlowId) {
        let now = self.events.now();
        let access = self.ports[flow.index()].access.as_mut().expect("only flows with an access line");
        if let Some((packet, next)) = access.depart(now) {
            if let Some(next) = next {
                self.events.schedule(next, Event::AccessDeparture(flow));
            }
            self.offer(packet, now);
        }
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
            Err(dropped) => self.ports[dropped.flow.index()].dropped += u64::from(dropped.segments.max(1)),
        }
    }

    fn loses(&mut self, packet: &Packet) -> bool {
        let port = &mut self.ports[packet.flow.index()];
        let lost = port.lossy && packet.kind == PacketKind::Data && port.loss.happens(self.loss_ppb);
        if lost {
            port.random_lost += u64::from(packet.segments);
            self.random_lost += u64::from(packet.segments);
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
        packet
    }

    /// A receiver emits an ACK.
    #[inline]
    pub fn emit_ack(&mut self, ack: Ack) {
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
