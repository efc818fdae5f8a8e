//! One run, wired together: events come from the queue, go to a flow's sender or receiver, and what those emit goes
//! into the network.

mod arrivals;
mod config;
mod datagrams;
mod delivery;
#[cfg(test)]
mod dropping;
mod logging;
mod pages;
mod prefetch;

use crate::engine::{Event, Timer, Timers};
use crate::index::{FlowId, HopId};
use crate::net::{Network, Packet, PacketKind, Waiting};
use crate::tcp::{HandedOver, Output, Receiver, Sender};
use crate::trace::{Trace, flow_counters};
use arrivals::Sources;
use config::{first_buffer_bytes, receiver_config, sender_config};
use pages::Client;
use run::{
    Changes, DatagramLog, Direction, FlowCounters, Mark, Measurement, Milestone, QueueLog, Run, Seen, Source, Workload,
    milestones,
};
use std::vec::Drain;
use units::{Span, Time};

/// So many flows stay in the caches by themselves.
const CACHED_FLOWS: usize = 512;
/// So many events are handled before it is asked whether to go on: few enough to stop soon, enough to cost nothing.
const EVENTS_AT_ONCE: usize = 64;

/// A run in progress.
#[derive(Debug)]
pub struct Simulation<'run> {
    run: &'run Run,
    first_buffer_bytes: u64,
    network: Network,
    /// By place, and so are receivers and applications: those of the run's flows, then those of sources' connections.
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    apps: Vec<App>,
    timers: Timers,
    sources: Sources,
    /// By the run's flows; none: the flow is no datagrams.
    datagrams: Vec<Option<DatagramLog>>,
    /// Likewise; none: the flow is no client.
    clients: Vec<Option<Client>>,
    trace: Trace,
    /// Those to come. One of them is an event.
    changes: Changes<'run>,
    /// Finite workloads that are not complete.
    incomplete: usize,
    /// There are more flows than the nearest caches hold.
    prefetches: bool,
    /// What a hop hands over, kept for its memory.
    lump: Vec<Packet>,
    ended: bool,
    /// What senders do is logged.
    logs: bool,
}

/// A flow's application and where it stands.
#[derive(Debug)]
struct App {
    source: Source,
    phase: Phase,
    established: Option<Time>,
}

impl App {
    fn of(workload: &Workload) -> Self {
        Self { source: Source::new(workload), phase: Phase::Waiting, established: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Stopped,
}

impl Output for Network {
    #[inline]
    fn send(&mut self, packet: Packet) {
        self.emit(packet);
    }

    #[inline]
    fn hand_over(&mut self, flow: FlowId, departure: Time) -> HandedOver {
        if self.end_burst(flow, departure) { HandedOver::Taken } else { HandedOver::Dropped }
    }

    #[inline]
    fn waiting(&self, flow: FlowId) -> Waiting {
        Network::waiting(self, flow)
    }
}

impl<'run> Simulation<'run> {
    /// A run at its beginning. Its algorithms and parameters must have been checked.
    /// Its packets are captured, or not.
    pub fn new(run: &'run Run, is_captured: bool) -> Self {
        let apps: Vec<App> = run.flows.iter().map(|flow| App::of(&flow.workload)).collect();
        let first_buffer_bytes = first_buffer_bytes(run);
        let mut simulation = Self {
            run,
            first_buffer_bytes,
            network: Network::new(run, is_captured),
            senders: run
                .flows
                .iter()
                .enumerate()
                .map(|(i, flow)| Sender::new(FlowId::new(i), &sender_config(run, flow, &flow.name, first_buffer_bytes)))
                .collect(),
            receivers: run
                .flows
                .iter()
                .zip(&apps)
                .enumerate()
                .map(|(i, (flow, app))| {
                    Receiver::new(FlowId::new(i), app.source.total_bytes(), &receiver_config(run, flow))
                })
                .collect(),
            apps,
            timers: Timers::new(run.flows.len()),
            sources: Sources::of(run),
            datagrams: run.flows.iter().map(|flow| DatagramLog::of(run, flow)).collect(),
            clients: Client::of(run),
            trace: Trace::new(run),
            changes: Changes::of(run),
            incomplete: 0,
            prefetches: run.flows.len() > CACHED_FLOWS,
            lump: Vec::new(),
            ended: false,
            logs: is_captured && run.measure.qlog,
        };
        simulation.incomplete = simulation.apps.iter().filter(|app| app.source.total_bytes().is_some()).count();
        simulation.plan();
        simulation
    }

    /// Puts what the run fixes in advance into the queue.
    fn plan(&mut self) {
        for (at_ns, milestone) in milestones(self.run) {
            let event = match milestone {
                Milestone::Change => Event::Change,
                Milestone::Write(i) => Event::Timer(FlowId::new(i), Timer::Write),
                Milestone::Start(i) => Event::Start(FlowId::new(i)),
                Milestone::Arrival { flow, .. } => Event::Arrival(FlowId::new(flow)),
                Milestone::Stop(i) => Event::Stop(FlowId::new(i)),
                Milestone::Sample => Event::Sample,
                Milestone::WindowBegin => Event::WindowBegin,
                Milestone::WindowEnd => Event::WindowEnd,
                Milestone::End => Event::End,
            };
            self.network.events.schedule(Time::from_nanos(at_ns), event);
        }
    }

    /// Runs to the end, or as far as `goes_on` lets it: it is asked after every few events. Gives what was measured
    /// until then, and whether that is the end.
    pub fn measure(mut self, goes_on: &mut dyn FnMut() -> bool) -> (Measurement, bool) {
        while !self.ended && goes_on() {
            self.advance();
        }
        let ended = self.ended;
        (self.finish(), ended)
    }

    /// The same, and gives what is captured, every few events, until `take` wants no more.
    pub fn capture(mut self, take: &mut dyn FnMut(Drain<'_, Seen>) -> bool) -> Measurement {
        let mut goes_on = true;
        while !self.ended && goes_on {
            self.advance();
            if self.ended {
                self.network.settle();
            }
            goes_on = self.network.captured().is_some_and(&mut *take);
        }
        self.finish()
    }

    /// The same, of a run that is captured, and what became of each frame at the bottleneck's queue from an instant on.
    pub fn watch(mut self, from: Time) -> (Measurement, QueueLog) {
        while !self.ended && self.now() < from {
            self.step();
        }
        self.network.begin_queue_log();
        while !self.ended {
            self.step();
        }
        let log = self.network.take_queue_log();
        (self.finish(), log)
    }

    /// Handles a few events, fewer where the run ends.
    fn advance(&mut self) {
        for _ in 0..EVENTS_AT_ONCE {
            self.step();
            if self.ended {
                return;
            }
        }
    }

    #[inline(always)]
    fn step(&mut self) {
        let event = self.network.events.next().expect("the end is in the queue");
        self.handle(event);
    }

    #[inline(always)]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Departure(hop) => self.departure(hop),
            Event::OutOfHost(line) => self.out_of_host(line),
            Event::Burst => {
                self.network.bursts_leave();
                self.close_dropped();
            }
            Event::Down(hop) | Event::Up(hop) => self.arrival(hop),
            Event::Tick => self.tick(),
            Event::Timer(flow, timer) => {
                self.timer(flow, timer);
                if self.prefetches {
                    self.prefetch_timer();
                }
            }
            Event::Watchdog(host) => {
                self.network.watchdog(host);
                self.resume_drained();
            }
            Event::Start(flow) => self.start(flow),
            Event::Arrival(source) => self.arrive(source),
            Event::Stop(flow) => self.stop(flow),
            Event::Change => self.change(),
            Event::Sample => self.sample(),
            Event::WindowBegin => self.mark(Mark::WindowBegin),
            Event::WindowEnd => self.mark(Mark::WindowEnd),
            Event::End => self.ended = true,
        }
    }

    #[inline]
    fn departure(&mut self, hop: HopId) {
        if self.prefetches {
            self.prefetch_arrivals(hop);
        }
        let mut packet = Packet::default();
        if self.network.departure(hop, &mut packet) && !self.network.pass_on(hop, &packet) {
            self.receive(&packet);
        }
        self.close_dropped();
    }

    /// A packet left its host's own line.
    #[inline(never)]
    fn out_of_host(&mut self, line: HopId) {
        if let Some(flow) = self.network.leave_device(line) {
            self.drain_host_queue(flow);
            self.resume_drained();
        }
        self.close_dropped();
    }

    /// The oldest packet of a line arrives, or what a hop that hands over has.
    #[inline]
    fn arrival(&mut self, hop: HopId) {
        let mut packet = Packet::default();
        if self.network.hands_over(hop) {
            if !self.network.hand_over_alone(hop, &mut packet) {
                return self.hand_over(hop);
            }
        } else {
            if self.prefetches {
                self.prefetch_arrivals(hop);
            }
            self.network.arrival(hop, &mut packet);
        }
        if !self.network.pass_on(hop, &packet) {
            self.receive(&packet);
        }
    }

    fn now(&self) -> Time {
        self.network.events.now()
    }

    #[inline(never)]
    fn complete(&mut self, flow: FlowId) {
        if self.apps[flow.index()].phase == Phase::Stopped {
            return;
        }
        if self.serves_client(flow) {
            return self.read_answer(flow);
        }
        self.apps[flow.index()].phase = Phase::Stopped;
        if self.sources.has_connection(flow) {
            return self.complete_transfer(flow);
        }
        self.trace.complete(flow, self.network.events.now());
        self.leave(flow);
    }

    /// The host has given a connection up: its application stops.
    #[cold]
    fn give_up(&mut self, flow: FlowId) {
        if self.apps[flow.index()].phase != Phase::Running {
            return; // everything had been delivered, and the sender never knew
        }
        self.trace.give_up(self.sources.flow_of(flow), self.now());
        if self.serves_client(flow) {
            return self.stop(self.sources.flow_of(flow));
        }
        self.apps[flow.index()].phase = Phase::Stopped;
        self.timers.set(flow, Timer::Write, Time::NEVER, &mut self.network.events);
        if self.sources.has_connection(flow) { self.leave_transfer(flow) } else { self.leave(flow) }
    }

    /// A flow is over.
    fn leave(&mut self, flow: FlowId) {
        self.mark_flow(Mark::End, flow);
        self.incomplete -= usize::from(self.apps[flow.index()].source.total_bytes().is_some());
        self.ended |= self.run.until_done && self.incomplete == 0;
    }

    #[inline]
    fn acknowledge(&mut self, packet: &Packet) {
        let now = self.now();
        let flow = packet.flow;
        let sender = &mut self.senders[flow.index()];
        let ack = self.network.unpack(packet, sender.una(), sender.edge_bytes());
        sender.on_ack(&ack, now, &mut self.network);
        if let Some(rtt_us) = sender.rtt_sample_us() {
            self.trace.ack(self.sources.flow_of(flow), rtt_us, now);
        }
        // Once: where a SYN was sent again, another answer comes.
        if ack.syn && self.apps[flow.index()].established.is_none() {
            self.begin(flow);
        }
        if packet.kind == PacketKind::Request {
            self.serve(packet, ack.una);
        }
        self.set_sender_timers(flow);
        self.close_if_over(flow);
    }

    /// The connection is there.
    #[cold]
    fn begin(&mut self, flow: FlowId) {
        self.network.begin_loss(flow);
        self.act(flow);
    }

    /// The application does what is due.
    fn act(&mut self, flow: FlowId) {
        let now = self.now();
        let app = &mut self.apps[flow.index()];
        if app.phase != Phase::Running {
            return;
        }
        let established = *app.established.get_or_insert(now);
        let act = app.source.act(now.since(established));
        if let Some(again) = act.again {
            self.timers.set(flow, Timer::Write, established + again, &mut self.network.events);
        }
        let closes = act.again.is_none() && app.source.total_bytes().is_some();
        let sender = &mut self.senders[flow.index()];
        if act.bytes > 0 {
            sender.write(act.bytes, now, &mut self.network);
        }
        if closes {
            sender.close(now, &mut self.network);
        }
    }

    fn tick(&mut self) {
        let entries = self.timers.begin_tick(&self.network.events);
        for (index, &(flow, timer)) in entries.iter().enumerate() {
            if self.prefetches {
                self.prefetch_tick(&entries, index);
            }
            self.timer(flow, timer);
        }
        self.timers.end_tick(entries, &mut self.network.events);
    }

    fn timer(&mut self, flow: FlowId, timer: Timer) {
        if !self.timers.fires(flow, timer, &mut self.network.events) {
            return;
        }
        let now = self.now();
        if self.logs && timer == Timer::Retransmission {
            self.log_timer(flow);
        }
        if timer == Timer::Write && self.datagrams(flow).is_some() {
            return self.send_datagrams(flow);
        }
        if timer == Timer::Write && self.serves_client(flow) {
            return self.resend_request(flow);
        }
        let (sender, receiver) = (&mut self.senders[flow.index()], &mut self.receivers[flow.index()]);
        match timer {
            Timer::Retransmission => {
                sender.timer.clear();
                sender.on_timer(now, &mut self.network);
                if sender.is_given_up() {
                    self.give_up(flow);
                }
            }
            Timer::Pacing => sender.on_pacing_timer(now, &mut self.network),
            Timer::Write => self.act(flow),
            Timer::DelayedAck => {
                receiver.delayed_ack.clear();
                if let Some(ack) = receiver.on_delayed_ack(now) {
                    self.network.emit_ack(&ack);
                }
            }
            Timer::CompressedAck => {
                receiver.compressed_ack.clear();
                if let Some(ack) = receiver.on_compressed_ack(now) {
                    self.network.emit_ack(&ack);
                }
            }
        }
        match timer {
            Timer::DelayedAck | Timer::CompressedAck => self.set_receiver_timers(flow),
            Timer::Retransmission | Timer::Pacing | Timer::Write => self.set_sender_timers(flow),
        }
    }

    /// A packet left its host's own queue: there is room for the next one.
    fn drain_host_queue(&mut self, flow: FlowId) {
        let now = self.now();
        self.senders[flow.index()].on_host_queue_drained(now, &mut self.network);
        self.note_sender_timers(flow);
        self.close_if_over(flow);
    }

    /// Likewise, for all whose packets left meanwhile (Linux 6.1 `tcp_tasklet_func`, after everything else of the
    /// instant).
    #[inline]
    fn resume_drained(&mut self) {
        if self.network.has_drained() {
            self.resume_all();
        }
    }

    #[inline(never)]
    fn resume_all(&mut self) {
        while let Some(flow) = self.network.take_drained() {
            self.drain_host_queue(flow);
        }
    }

    fn start(&mut self, flow: FlowId) {
        let now = self.now();
        self.apps[flow.index()].phase = Phase::Running;
        if self.has_client(flow) {
            return self.start_client(flow);
        }
        if self.sources.has_source(flow) {
            return self.trace.start(flow, &[], now);
        }
        if self.datagrams(flow).is_some() {
            return self.begin_datagrams(flow);
        }
        let sender = &mut self.senders[flow.index()];
        self.trace.start(flow, sender.phases(), now);
        sender.connect(now, &mut self.network);
        self.set_sender_timers(flow);
    }

    fn stop(&mut self, flow: FlowId) {
        let app = &mut self.apps[flow.index()];
        if app.phase != Phase::Running {
            return;
        }
        app.phase = Phase::Stopped;
        self.senders[flow.index()].abort(self.network.events.now(), &mut self.network);
        self.set_sender_timers(flow);
        self.timers.set(flow, Timer::Write, Time::NEVER, &mut self.network.events);
        self.stop_transfers(flow);
        self.leave(flow);
    }

    /// After a sender acted: notes its timers.
    #[inline]
    fn set_sender_timers(&mut self, flow: FlowId) {
        self.note_sender_timers(flow);
        self.resume_drained();
    }

    #[inline(always)]
    fn note_sender_timers(&mut self, flow: FlowId) {
        let sender = &self.senders[flow.index()];
        let events = &mut self.network.events;
        self.timers.set(flow, Timer::Retransmission, sender.timer.due(), events);
        self.timers.set(flow, Timer::Pacing, sender.pacing_timer.due(), events);
        if self.logs {
            self.log_sender(flow);
        }
    }

    /// After a receiver acted: notes its timers.
    #[inline(always)]
    fn set_receiver_timers(&mut self, flow: FlowId) {
        let receiver = &self.receivers[flow.index()];
        let events = &mut self.network.events;
        self.timers.set(flow, Timer::DelayedAck, receiver.delayed_ack.due(), events);
        self.timers.set(flow, Timer::CompressedAck, receiver.compressed_ack.due(), events);
    }

    /// A link changes. The next change is an event only now, since there may be hundreds of thousands.
    #[cold]
    fn change(&mut self) {
        let Some((direction, hop, change)) = self.changes.next() else { return };
        let first_back = self.run.path.links(Direction::Down);
        let link = if direction == Direction::Down { hop } else { first_back + hop };
        self.network.change(link, change);
        if let Some(at_ns) = self.changes.next_ns() {
            self.network.events.schedule(Time::from_nanos(at_ns), Event::Change);
        }
    }

    fn sample(&mut self) {
        let now = self.now();
        self.network.settle();
        self.trace.sample_queues(&self.network);
        for flow in FlowId::first(self.run.flows.len()) {
            let i = flow.index();
            if self.apps[i].phase != Phase::Running {
                continue;
            }
            if self.sources.has_source(flow) {
                self.sample_source(flow);
            } else if let Some(log) = &self.datagrams[i] {
                self.trace.sample_datagrams(flow, log, &self.network);
            } else {
                self.trace.sample_flow(flow, &self.senders[i], &self.receivers[i], &self.network);
            }
        }
        if cfg!(debug_assertions) {
            self.network.assert_conservation();
        }
        self.network.events.schedule(now + Span::from_nanos(self.run.measure.sample_ns), Event::Sample);
    }

    fn mark(&mut self, mark: Mark) {
        self.network.settle();
        self.trace.mark_queues(mark, &self.network);
        for flow in FlowId::first(self.run.flows.len()) {
            self.mark_flow(mark, flow);
        }
    }

    fn mark_flow(&mut self, mark: Mark, flow: FlowId) {
        self.network.settle();
        let counters = if self.sources.has_source(flow) { self.source_counters(flow) } else { self.counters(flow) };
        self.trace.mark_flow(mark, flow, counters);
        if mark == Mark::End {
            self.trace.keep_least_rtt(flow, &self.senders[flow.index()]);
            self.keep_least_rtts(flow);
        }
    }

    /// What one connection has counted.
    fn counters(&self, flow: FlowId) -> FlowCounters {
        let own = flow_counters(flow, &self.senders[flow.index()], &self.receivers[flow.index()], &self.network);
        self.datagrams(flow).map_or(own, |log| log.counters(own))
    }

    fn finish(mut self) -> Measurement {
        let now = self.now();
        self.network.settle();
        self.trace.mark_queues(Mark::End, &self.network);
        // A run that is done before its window's end measures to its own end.
        if now.as_nanos() <= self.run.measure.window_end_ns {
            self.mark(Mark::WindowEnd);
        }
        for flow in FlowId::first(self.run.flows.len()) {
            if self.apps[flow.index()].phase != Phase::Stopped {
                self.end_transfers(flow);
                self.mark_flow(Mark::End, flow);
            }
        }
        let pages: Vec<_> = self.clients.iter().map(|client| client.as_ref().map(Client::pages)).collect();
        self.trace.finish(&self.datagrams, &pages, now)
    }
}
