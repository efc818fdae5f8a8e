//! [`Flow`]: a flow of a run, with the connections that it has open.

use super::connection::Connection;
use super::datagrams::Datagrams;
use super::program::Program;
use super::receiver::Reads;
use crate::failure::Failure;
use crate::network::{self, Network};
use crate::part::TransferPorts;
use crate::record::{Reading, no_counters};
use crate::sockets::tcp_info::EcnUse;
use crate::sockets::{self, RECEIVER_PORT};
use run::{DatagramLog, FlowCounters, Pages, Run, SocketMemory, Source, UDP_HEADERS_BYTES, Workload};
use std::collections::BTreeMap;
use std::net::{SocketAddrV4, TcpListener};

/// A flow and where it stands: one connection, whose socket is made in advance; a source, which opens one for each
/// of its short transfers as they arrive, or a client, which opens its own as it starts; all of them to the one listener.
#[derive(Debug)]
pub struct Flow {
    /// Where it stands.
    pub phase: Phase,
    /// Its connections that are not closed, by their senders' ports.
    pub connections: BTreeMap<u16, Connection>,
    /// What those had counted that are closed.
    pub closed: FlowCounters,
    /// Likewise the payload that was acknowledged.
    pub closed_acked_bytes: u64,
    /// Where its connections come in; none once nothing more is to come.
    pub listener: Option<TcpListener>,
    /// Where that listens.
    pub remote: SocketAddrV4,
    /// It is a source of short transfers.
    pub is_source: bool,
    /// So many of them are not complete.
    pub incomplete: usize,
    /// It ends by itself.
    pub is_finite: bool,
    /// How its readers read.
    pub reads: Reads,
    /// The largest window that its receiver announces, if it is to have one.
    pub window_bytes: Option<u32>,
    /// What it had counted when it stopped.
    pub counters: FlowCounters,
    /// The congestion control that the kernel says it has.
    pub control: String,
    /// What those of its connections have made of ECN that are over: at each end.
    pub ecn: [EcnUse; 2],
    /// Its programs, where they send and receive instead of the agent.
    pub program: Option<Program>,
    /// The pages that it loads, if it is a client.
    pub pages: Option<Pages>,
    /// Its datagrams, if it is that.
    pub datagrams: Option<Datagrams>,
}

/// Where a flow stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not started.
    Waiting,
    /// It has called connect(), or has a source's transfers arrive.
    Running,
    /// It is complete or was stopped.
    Stopped,
}

impl Flow {
    /// A connection has come in from another machine, for this flow of the run. Gives whether it is its own: that of its sender's
    /// address and, unless it is a source, port.
    pub fn admit(
        &mut self,
        run: &Run,
        index: usize,
        peer: SocketAddrV4,
        sender: SocketAddrV4,
        transfers: Option<&mut TransferPorts>,
    ) -> bool {
        let flow = &run.flows[index];
        let arrival = match transfers {
            _ if peer.ip() != sender.ip() || self.phase != Phase::Running => return false,
            Some(ports) if self.is_source => ports.accept(index, peer.port()),
            _ => None,
        };
        let source = match arrival {
            Some(arrival) => Source::new(&Workload::Transfer { bytes: flow.arrivals()[arrival].bytes }),
            None if !self.is_source && peer.port() == sender.port() => Source::new(&flow.workload),
            None => return false,
        };
        self.connections.insert(peer.port(), Connection::incoming(source, arrival, peer.port()));
        true
    }

    /// Payload that was acknowledged on all of its connections, or its program's.
    pub fn acked_bytes(&self) -> u64 {
        let open = || self.connections.values().map(|it| it.reading.sender.bytes_acked).sum::<u64>();
        self.program.as_ref().map_or_else(|| self.closed_acked_bytes + open(), Program::acked_bytes)
    }

    /// What the kernel tells of a connection's ECN stays when that is over.
    pub fn end_ecn(&mut self, reading: &Reading) {
        let [senders, receivers] = &mut self.ecn;
        senders.add(reading.sender.ecn);
        receivers.add(reading.receiver.ecn);
    }

    /// Opens the sockets of flow `index` that are there before it starts, each in its namespace.
    ///
    /// # Errors
    /// An address is not there, or the kernel lacks the congestion control.
    pub fn open(index: usize, run: &Run, control: &str, network: &Network) -> Result<Self, Failure> {
        let flow = &run.flows[index];
        let reads = match flow.workload {
            Workload::Bulk | Workload::Transfer { .. } | Workload::Arrivals { .. }
                if run.host.socket_memory == SocketMemory::Max && network.is_on_one_machine() =>
            {
                Reads::Large
            }
            _ => Reads::AtOnce,
        };
        let failed = failed(run, index, None);

        let (host, receiver) = (network.sender(index), network.receiver(index));
        let source = Source::new(&flow.workload);
        let is_finite = source.total_bytes().is_some() || flow.is_program();
        let remote = SocketAddrV4::new(receiver.address, RECEIVER_PORT + index as u16);
        let port = network.sender_port(index);
        // A source has no connection yet, and finds out here whether the kernel knows its control.
        let open = || Connection::open(source, None, host, [port], remote, control);
        let is_connected = !flow.has_datagrams();
        let only = (is_connected && network.begins_here(index)).then(open).transpose().map_err(&failed)?;
        let chosen = only.as_ref().and_then(Connection::sender).map(sockets::control).transpose()?;
        let control = chosen.unwrap_or_else(|| control.to_owned());
        let window_bytes = network::window_bytes(run);
        let listen = || {
            let again = !network.is_on_one_machine();
            let control = sockets::control_of_both_ends(&control);
            receiver.namespace.within(|| sockets::listener(remote, window_bytes, control, again))
        };
        let listens = is_connected && network.ends_here(index) && !flow.is_program();
        let listener = listens.then(listen).transpose();
        let listener = listener.map_err(|error| failed(Failure(error.to_string())))?.transpose().map_err(failed)?;
        let largest_bytes = (run.path.mtu_bytes - UDP_HEADERS_BYTES) as usize;
        let datagrams =
            DatagramLog::of(run, flow).map(|log| Datagrams::open(index, largest_bytes, remote, log, network));
        let is_single = !flow.is_source() && !flow.is_program();
        Ok(Self {
            phase: Phase::Waiting,
            connections: only.filter(|_| is_single).map(|only| (port, only)).into_iter().collect(),
            closed: no_counters(0),
            closed_acked_bytes: 0,
            listener,
            remote,
            is_source: flow.is_source(),
            incomplete: flow.arrivals().len(),
            is_finite,
            reads,
            window_bytes,
            counters: FlowCounters::default(),
            control,
            ecn: Default::default(),
            program: None,
            pages: Pages::of(run.seed, flow),
            datagrams: datagrams.transpose()?,
        })
    }
}

/// Says of a failure which flow has met it, and which of a source's transfers.
pub fn failed(run: &Run, flow: usize, transfer: Option<usize>) -> impl Fn(Failure) -> Failure {
    move |failure| {
        let transfer = transfer.map(|transfer| format!(", transfer {}", transfer + 1)).unwrap_or_default();
        Failure::of(format!("flows[{flow}] ({}){transfer}", run.flows[flow].name), failure)
    }
}
