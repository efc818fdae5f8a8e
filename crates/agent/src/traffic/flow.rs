//! [`Flow`]: one flow of a run, both ends of it.

use super::receiver::{Reads, Receiver};
use super::sender::Sender;
use crate::failure::Failure;
use crate::network::Network;
use crate::record::Reading;
use crate::sockets::{self, RECEIVER_PORT, SENDER_PORT};
use run::{FlowCounters, Run, SocketMemory, Source, Workload};
use std::net::SocketAddrV4;

/// A flow and where it stands.
#[derive(Debug)]
pub struct Flow {
    /// What it writes.
    pub source: Source,
    /// Where it stands.
    pub phase: Phase,
    /// When its handshake was done.
    pub established_ns: Option<u64>,
    /// What the kernel last told of it.
    pub reading: Reading,
    /// Its two ends; none once it has stopped.
    pub ends: Option<(Sender, Receiver)>,
    /// How its reader reads.
    pub reads: Reads,
    /// What it had counted when it stopped.
    pub counters: FlowCounters,
    /// The congestion control that the kernel says it has.
    pub control: String,
}

/// Where a flow stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not started.
    Waiting,
    /// It has called connect().
    Running,
    /// It is complete or was stopped.
    Stopped,
}

impl Flow {
    /// Opens the sockets of flow `index`, each in its namespace.
    ///
    /// # Errors
    /// An address is not there, or the kernel lacks the congestion control.
    pub fn open(index: usize, run: &Run, control: &str, network: &Network) -> Result<Self, Failure> {
        let flow = &run.flows[index];
        let source = Source::new(&flow.workload);
        let reads = match flow.workload {
            Workload::Bulk | Workload::Transfer { .. } if run.host.socket_memory == SocketMemory::Max => Reads::Large,
            _ => Reads::AtOnce,
        };
        let failed = |failure: Failure| Failure::of(format!("flows[{index}] ({})", flow.name), failure);

        let local = SocketAddrV4::new(network.sender(index).address, port(SENDER_PORT, index));
        let remote = SocketAddrV4::new(network.receiver(index).address, port(RECEIVER_PORT, index));
        let socket = network.sender(index).namespace.within(|| sockets::sender(local, control));
        let socket = socket.map_err(|error| failed(Failure(error.to_string())))?.map_err(failed)?;
        let window = run.host.receive_window_bytes;
        let listener = network.receiver(index).namespace.within(|| sockets::listener(remote, window));
        let listener = listener.map_err(|error| failed(Failure(error.to_string())))?.map_err(failed)?;
        Ok(Self {
            phase: Phase::Waiting,
            established_ns: None,
            reading: Reading::default(),
            counters: FlowCounters::default(),
            control: sockets::control(&socket)?,
            ends: Some((Sender::new(socket, remote), Receiver::Listening(listener))),
            source,
            reads,
        })
    }

    /// Payload delivered in order. The kernel counts a FIN as one byte more (`tcp_rcv_nxt_update`).
    pub fn delivered_bytes(&self) -> u64 {
        let received = self.reading.receiver.bytes_received;
        self.source.total_bytes().map_or(received, |total| received.min(total))
    }
}

const fn port(first: u16, index: usize) -> u16 {
    first + index as u16
}
