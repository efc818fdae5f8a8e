//! Clients that load pages: a client's connections are its receivers, which request one object after the other, and their senders
//! write an object when its request arrives.
//!
//! A receiver is complete, for as long as a client has it, when what the client waits for has come: first the byte that shows
//! that its request has arrived, then the object.

use super::{FlowId, Phase, Simulation};
use crate::engine::{Event, Timer};
use crate::net::Packet;
use crate::tcp::Requester;
use run::{Pages, Run};
use units::{Span, Time};

/// A client and where it stands.
#[derive(Debug)]
pub struct Client {
    pages: Pages,
    /// In the order in which they were opened.
    connections: Vec<ClientConnection>,
}

#[derive(Debug)]
struct ClientConnection {
    flow: FlowId,
    requester: Requester,
    /// What the object has that is requested; none: the connection is free, or not established yet.
    object: Option<Object>,
    is_established: bool,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    bytes: u64,
    /// Of the connection's payload, where it ends.
    end_bytes: u64,
}

impl Client {
    /// Those of a run, by its flows; none: the flow is another workload.
    pub fn of(run: &Run) -> Vec<Option<Self>> {
        let client = |flow| Pages::of(run.seed, flow).map(|pages| Self { pages, connections: Vec::new() });
        run.flows.iter().map(client).collect()
    }

    /// Its pages.
    pub const fn pages(&self) -> &Pages {
        &self.pages
    }
}

impl Simulation<'_> {
    /// The flow is a client.
    pub(super) fn has_client(&self, flow: FlowId) -> bool {
        self.clients[flow.index()].is_some()
    }

    /// The connection is a client's.
    pub(super) fn serves_client(&self, flow: FlowId) -> bool {
        self.sources.has_connection(flow) && self.has_client(self.sources.flow_of(flow))
    }

    fn client(&mut self, source: FlowId) -> &mut Client {
        self.clients[source.index()].as_mut().expect("a client")
    }

    /// The client of a connection, and which of its connections that is.
    fn client_of(&mut self, flow: FlowId) -> (&mut Pages, &mut ClientConnection) {
        let (source, index) = (self.sources.flow_of(flow), self.sources.index_of(flow));
        let Client { pages, connections } = self.client(source);
        (pages, &mut connections[index])
    }

    /// A client starts: its connections are opened, each as any flow's is.
    pub(super) fn start_client(&mut self, source: FlowId) {
        let now = self.now();
        self.trace.start(source, &[], now);
        for index in 0..self.client(source).pages.connections() {
            let flow = self.open(source, index, None);
            let connection =
                ClientConnection { flow, requester: Requester::default(), object: None, is_established: false };
            self.client(source).connections.push(connection);
            self.senders[flow.index()].connect(now, &mut self.network);
            self.set_sender_timers(flow);
        }
    }

    /// A client has thought: its free connections request the objects of the next page.
    pub(super) fn begin_page(&mut self, source: FlowId) {
        let client = self.client(source);
        client.pages.begin();
        let is_free = |each: &&ClientConnection| each.is_established && each.object.is_none();
        let free: Vec<FlowId> = client.connections.iter().filter(is_free).map(|each| each.flow).collect();
        free.into_iter().for_each(|flow| self.request(flow));
    }

    /// A free connection requests an object, if there is one to request.
    fn request(&mut self, flow: FlowId) {
        let now = self.now();
        let (pages, connection) = self.client_of(flow);
        let Some(bytes) = pages.request(now.as_nanos()) else { return };
        let due = connection.requester.send(now);
        let delivered_bytes = self.receivers[flow.index()].delivered_bytes();
        self.client_of(flow).1.object = Some(Object { bytes, end_bytes: delivered_bytes + bytes });
        self.receivers[flow.index()].expect_bytes(delivered_bytes + 1);
        self.emit_request(flow, due);
    }

    fn emit_request(&mut self, flow: FlowId, due: Time) {
        let now = self.now();
        let request_bytes = self.client_of(flow).0.request_bytes();
        let ack = self.receivers[flow.index()].request(now);
        self.network.emit_request(&ack, request_bytes);
        self.set_receiver_timers(flow);
        self.timers.set(flow, Timer::Write, due, &mut self.network.events);
    }

    /// A request was not answered in time.
    pub(super) fn resend_request(&mut self, flow: FlowId) {
        let now = self.now();
        // Data behind a hole acknowledges it, too.
        let is_answered = self.receivers[flow.index()].has_waiting_data();
        let is_running = self.apps[flow.index()].phase == Phase::Running;
        let requester = &mut self.client_of(flow).1.requester;
        if !is_running || !requester.is_waiting() {
            return;
        }
        if is_answered {
            return requester.acknowledge(now);
        }
        let due = requester.resend(now);
        self.emit_request(flow, due);
    }

    /// A request is at its server, which answers the first of its kind.
    #[inline(never)]
    pub(super) fn serve(&mut self, packet: &Packet, una: u64) {
        let (now, flow) = (self.now(), packet.flow);
        let is_running = self.apps[flow.index()].phase == Phase::Running;
        let object = self.client_of(flow).1.object;
        let sender = &mut self.senders[flow.index()];
        if let Some(Object { bytes, .. }) = object.filter(|_| is_running && sender.has_delivered(una)) {
            sender.write(bytes, now, &mut self.network);
        }
    }

    /// What a client waits for on a connection has come, or something else when it waits for nothing.
    #[inline(never)]
    pub(super) fn read_answer(&mut self, flow: FlowId) {
        let now = self.now();
        let receiver = &mut self.receivers[flow.index()];
        let (delivered_bytes, handshake_ms) = (receiver.delivered_bytes(), receiver.handshake_ms());
        if !receiver.is_established() {
            return;
        }
        let (_, connection) = self.client_of(flow);
        if !connection.is_established {
            connection.is_established = true;
            connection.requester.begin(handshake_ms);
            return self.request(flow);
        }
        let Some(Object { end_bytes, .. }) = connection.object else { return };
        connection.requester.acknowledge(now);
        self.timers.set(flow, Timer::Write, Time::NEVER, &mut self.network.events);
        if delivered_bytes < end_bytes {
            return self.receivers[flow.index()].expect_bytes(end_bytes);
        }
        let (pages, connection) = self.client_of(flow);
        connection.object = None;
        if let Some(think_ns) = pages.arrive(now.as_nanos()) {
            let source = self.sources.flow_of(flow);
            self.network.events.schedule(now + Span::from_nanos(think_ns), Event::Arrival(source));
        }
        self.request(flow);
    }
}
