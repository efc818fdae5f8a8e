//! Clients that load pages: requests go from the receiving end of a connection to the sending one, and objects back, both over TCP.

use super::connection::Connection;
use super::connection_id::ConnectionId;
use super::flow::{Phase, failed};
use super::poll::Wake;
use super::{TRANSFER_PORTS, Traffic};
use crate::failure::Failure;
use crate::sockets::MOST_CONNECTIONS;
use run::{Milestone, Source};
use std::net::TcpStream;

impl Traffic<'_> {
    /// A client starts: its connections are opened.
    pub(super) fn start_client(&mut self, index: usize) -> Result<(), Failure> {
        let count = self.flows[index].pages.as_ref().map_or(0, run::Pages::connections);
        for _ in 0..count {
            if self.open == MOST_CONNECTIONS {
                let message =
                    format!("{MOST_CONNECTIONS} connections of all flows are open: this engine has no more at once");
                return Err(failed(self.run, index, None)(Failure(message)));
            }
            let flow = &mut self.flows[index];
            let source = Source::new(&self.run.flows[index].workload);
            let ports = (self.next_port..=*TRANSFER_PORTS.end()).chain(*TRANSFER_PORTS.start()..self.next_port);
            let opened = Connection::open(source, None, self.network.sender(index), ports, flow.remote, &flow.control);
            let connection = opened.map_err(failed(self.run, index, None))?;
            let port = connection.port;
            self.next_port = port.checked_add(1).unwrap_or(*TRANSFER_PORTS.start());
            flow.connections.insert(port, connection);
            self.connect(ConnectionId { flow: index, port })?;
        }
        Ok(())
    }

    /// A client's connection has been accepted, and requests an object.
    pub(super) fn accept_client(&mut self, id: ConnectionId, stream: TcpStream) -> Result<(), Failure> {
        let flow = &mut self.flows[id.flow];
        let Some(connection) = flow.connections.get_mut(&id.port) else { return Ok(()) };
        let receiver = connection.receive_answers(stream, flow.reads).map_err(failed(self.run, id.flow, None))?;
        self.poll.watch(receiver, Wake::Receiver(id))?;
        self.request(id)
    }

    /// A client has thought: its free connections request the objects of the next page, in the order of their ports.
    pub(super) fn begin_page(&mut self, index: usize) -> Result<(), Failure> {
        let flow = &mut self.flows[index];
        let Some(pages) = flow.pages.as_mut().filter(|_| flow.phase == Phase::Running) else { return Ok(()) };
        pages.begin();
        let free: Vec<u16> = flow.connections.values().filter(|each| each.is_free()).map(|each| each.port).collect();
        free.into_iter().try_for_each(|port| self.request(ConnectionId { flow: index, port }))
    }

    /// A free connection requests an object, if there is one to request.
    fn request(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let now_ns = self.clock.now()?;
        let flow = &mut self.flows[id.flow];
        let (Some(pages), Some(connection)) = (&mut flow.pages, flow.connections.get_mut(&id.port)) else {
            return Ok(());
        };
        let Some(bytes) = pages.request(now_ns) else { return Ok(()) };
        let requested = connection.request(pages.request_bytes(), bytes, &self.payload);
        requested.map_err(failed(self.run, id.flow, None))
    }

    /// A server has got a part of a request, which it answers once it has all of it.
    pub(super) fn serve(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let connection = self.flows[id.flow].connections.get_mut(&id.port);
        let served = connection.map_or(Ok(()), |connection| connection.serve(&mut self.sink, &self.payload));
        served.map_err(failed(self.run, id.flow, None))
    }

    /// Something has come to a client.
    pub(super) fn take_answer(&mut self, id: ConnectionId) -> Result<(), Failure> {
        let now_ns = self.clock.now()?;
        let flow = &mut self.flows[id.flow];
        let (Some(pages), Some(connection)) = (&mut flow.pages, flow.connections.get_mut(&id.port)) else {
            return Ok(());
        };
        if connection.is_free() || !connection.take(&mut self.sink).map_err(failed(self.run, id.flow, None))? {
            return Ok(());
        }
        connection.finish_answer();
        if let Some(think_ns) = pages.arrive(now_ns) {
            self.schedule.add(now_ns + think_ns, Milestone::Arrival { flow: id.flow, index: 0 });
        }
        self.request(id)
    }
}
