//! Sources of short transfers: a connection is opened when a transfer arrives, and its place serves another one when it
//! is complete, acknowledged, and nothing of it is under way any more.

use super::config::{receiver_config, sender_config};
use super::{App, FlowId, Phase, Simulation};
use crate::engine::Event;
use crate::tcp::{Receiver, Sender};
use run::{Flow, FlowCounters, Run, SharedGauges, Workload};
use units::Time;

/// The sources of a run, and their connections.
#[derive(Debug)]
pub struct Sources {
    /// By the run's flows; none: the flow is a connection of its own.
    sources: Vec<Option<Arriving>>,
    /// By place, from the first one after the run's flows on.
    connections: Vec<Connection>,
    /// Places whose connection is over.
    free: Vec<FlowId>,
}

/// Where a source stands.
#[derive(Debug)]
struct Arriving {
    /// The arrival to come.
    next: usize,
    /// Transfers that are not complete.
    incomplete: usize,
    open: Vec<FlowId>,
    /// Of connections that are over.
    closed: FlowCounters,
}

/// What the connection at a place is.
#[derive(Clone, Copy, Debug)]
struct Connection {
    source: FlowId,
    /// Which of the source's arrivals.
    index: usize,
    /// Its place in the list of open ones.
    entry: usize,
}

impl Sources {
    /// Nothing has arrived yet.
    pub fn of(run: &Run) -> Self {
        let source = |incomplete| Arriving { next: 0, incomplete, open: Vec::new(), closed: FlowCounters::default() };
        let of = |flow: &Flow| flow.is_source().then(|| source(flow.arrivals().len()));
        Self { sources: run.flows.iter().map(of).collect(), connections: Vec::new(), free: Vec::new() }
    }

    /// The flow is a source.
    pub fn has_source(&self, flow: FlowId) -> bool {
        self.sources[flow.index()].is_some()
    }

    /// A source opened it.
    #[inline]
    pub fn has_connection(&self, flow: FlowId) -> bool {
        flow.index() >= self.sources.len()
    }

    /// The flow of the run that a connection belongs to: itself, or its source.
    #[inline]
    pub fn flow_of(&self, flow: FlowId) -> FlowId {
        if self.has_connection(flow) { self.connection(flow).source } else { flow }
    }

    /// Which of its source's connections it is.
    pub fn index_of(&self, flow: FlowId) -> usize {
        self.connection(flow).index
    }

    fn connection(&self, flow: FlowId) -> Connection {
        self.connections[flow.index() - self.sources.len()]
    }

    fn source(&mut self, flow: FlowId) -> &mut Arriving {
        self.sources[flow.index()].as_mut().expect("a source")
    }

    fn open(&self, flow: FlowId) -> &[FlowId] {
        self.sources[flow.index()].as_ref().map_or(&[], |source| &source.open)
    }

    /// The connection at this place is not over.
    fn is_open(&self, flow: FlowId) -> bool {
        let Connection { source, entry, .. } = self.connection(flow);
        self.open(source).get(entry) == Some(&flow)
    }

    /// A place for the connection of an arrival.
    fn occupy(&mut self, source: FlowId, index: usize) -> FlowId {
        let flow = self.free.pop().unwrap_or_else(|| FlowId::new(self.sources.len() + self.connections.len()));
        let open = &mut self.source(source).open;
        let connection = Connection { source, index, entry: open.len() };
        open.push(flow);
        let place = flow.index() - self.sources.len();
        if place == self.connections.len() {
            self.connections.push(connection);
        } else {
            self.connections[place] = connection;
        }
        flow
    }

    /// The connection at a place is over, having counted so much.
    fn vacate(&mut self, flow: FlowId, counters: &FlowCounters) {
        debug_assert!(self.is_open(flow), "closed once");
        let Connection { source, entry, .. } = self.connection(flow);
        let source = self.source(source);
        source.closed.add(counters);
        source.open.swap_remove(entry);
        if let Some(&moved) = source.open.get(entry) {
            let place = moved.index() - self.sources.len();
            self.connections[place].entry = entry;
        }
        self.free.push(flow);
    }
}

impl Simulation<'_> {
    /// The next transfer of a source arrives.
    #[inline(never)]
    pub(super) fn arrive(&mut self, source: FlowId) {
        if self.apps[source.index()].phase != Phase::Running {
            return;
        }
        if self.has_client(source) {
            return self.begin_page(source);
        }
        let now = self.now();
        let index = self.sources.source(source).next;
        self.sources.source(source).next += 1;
        if let Some((at_ns, _)) = run::arrival(self.run, source.index(), index + 1) {
            self.network.events.schedule(Time::from_nanos(at_ns), Event::Arrival(source));
        }
        let bytes = self.run.flows[source.index()].arrivals()[index].bytes;
        let flow = self.open(source, index, Some(bytes));
        self.trace.start_transfer(source, index, now);
        self.senders[flow.index()].connect(now, &mut self.network);
        self.set_sender_timers(flow);
    }

    /// Makes a connection of a source: that of an arrival of so many bytes, or of a client, which reads all that there is.
    pub(super) fn open(&mut self, source: FlowId, index: usize, bytes: Option<u64>) -> FlowId {
        let source_flow = &self.run.flows[source.index()];
        let name = format!("{}/{index}", source_flow.name);
        let flow = self.sources.occupy(source, index);
        self.network.open(flow, source, &name);
        let sender = Sender::new(flow, &sender_config(self.run, source_flow, &name, self.first_buffer_bytes));
        let receiver = Receiver::new(flow, Some(bytes.unwrap_or(0)), &receiver_config(self.run, source_flow));
        let transfer = bytes.map(|bytes| Workload::Transfer { bytes });
        let app = App { phase: Phase::Running, ..App::of(transfer.as_ref().unwrap_or(&source_flow.workload)) };
        if flow.index() == self.senders.len() {
            self.senders.push(sender);
            self.receivers.push(receiver);
            self.apps.push(app);
            self.timers.add_flow();
            self.prefetches = self.senders.len() > super::CACHED_FLOWS;
        } else {
            self.senders[flow.index()] = sender;
            self.receivers[flow.index()] = receiver;
            self.apps[flow.index()] = app;
        }
        flow
    }

    /// The last byte of a source's transfer was delivered.
    #[inline(never)]
    pub(super) fn complete_transfer(&mut self, flow: FlowId) {
        let Connection { source, index, .. } = self.sources.connection(flow);
        self.trace.complete_transfer(source, index, self.network.events.now());
        self.leave_transfer(flow);
    }

    /// A source's transfer is complete, or was given up.
    pub(super) fn leave_transfer(&mut self, flow: FlowId) {
        let Connection { source, index, .. } = self.sources.connection(flow);
        self.trace.count_transfer(source, index, &self.senders[flow.index()]);
        let arriving = self.sources.source(source);
        arriving.incomplete -= 1;
        if arriving.incomplete == 0 {
            self.complete(source);
        }
    }

    /// Closes connections whose last packet was dropped while no event was theirs.
    #[inline]
    pub(super) fn close_dropped(&mut self) {
        while let Some(flow) = self.network.dropped_behind() {
            self.close_if_over(flow);
        }
    }

    /// Closes a source's connection that nothing more can happen to, unless something else at this instant has done so.
    #[inline]
    pub(super) fn close_if_over(&mut self, flow: FlowId) {
        if self.sources.has_connection(flow) {
            self.close_connection_if_over(flow);
        }
    }

    #[inline(never)]
    fn close_connection_if_over(&mut self, flow: FlowId) {
        if !self.serves_client(flow)
            && self.sources.is_open(flow)
            && self.receivers[flow.index()].is_complete()
            && self.senders[flow.index()].is_over()
            && !self.network.carries(flow)
        {
            let counters = self.counters(flow);
            self.trace.keep_least_rtt(self.sources.flow_of(flow), &self.senders[flow.index()]);
            self.timers.stop(flow);
            self.sources.vacate(flow, &counters);
        }
    }

    /// A source stops: its open connections are aborted.
    #[inline(never)]
    pub(super) fn stop_transfers(&mut self, source: FlowId) {
        let now = self.now();
        let running = |flow: &FlowId| self.apps[flow.index()].phase == Phase::Running;
        let open: Vec<FlowId> = self.sources.open(source).iter().copied().filter(running).collect();
        self.end_transfers(source);
        for flow in open {
            self.senders[flow.index()].abort(now, &mut self.network);
            self.set_sender_timers(flow);
        }
    }

    /// A source stops, or the run ends: so do the transfers of its open connections.
    #[inline(never)]
    pub(super) fn end_transfers(&mut self, source: FlowId) {
        for &flow in self.sources.open(source) {
            if self.apps[flow.index()].phase == Phase::Running {
                self.apps[flow.index()].phase = Phase::Stopped;
                if self.clients[source.index()].is_none() {
                    let index = self.sources.connection(flow).index;
                    self.trace.count_transfer(source, index, &self.senders[flow.index()]);
                }
            }
        }
    }

    /// Keeps the smallest RTT of a source's open connections; that of the others was kept when they were closed.
    pub(super) fn keep_least_rtts(&mut self, source: FlowId) {
        for flow in self.sources.open(source) {
            self.trace.keep_least_rtt(source, &self.senders[flow.index()]);
        }
    }

    /// What all connections of a source have counted.
    #[inline(never)]
    pub(super) fn source_counters(&self, source: FlowId) -> FlowCounters {
        let closed = self.sources.sources[source.index()].as_ref().map(|source| source.closed);
        let mut counters = FlowCounters { at_ns: self.now().as_nanos(), ..closed.unwrap_or_default() };
        self.sources.open(source).iter().for_each(|flow| counters.add(&self.counters(*flow)));
        counters
    }

    /// Reads the gauges of a source's open connections.
    #[inline(never)]
    pub(super) fn sample_source(&mut self, source: FlowId) {
        let closed = self.sources.source(source).closed;
        let mut shared = SharedGauges::new(closed.bottleneck_bytes);
        let mut delivered_bytes = closed.delivered_bytes;
        for flow in self.sources.open(source) {
            let (sender, receiver) = (&self.senders[flow.index()], &self.receivers[flow.index()]);
            delivered_bytes += receiver.delivered_bytes();
            shared.add(sender.srtt_us(), &sender.gauges(self.network.passed_bytes(*flow)));
        }
        self.trace.sample_source(source, delivered_bytes, &shared, self.now());
    }
}
