//! [`Dumps`]: asks the kernel about the sockets of all flows, one request a namespace.

use super::connection::Connection;
use super::flow::{Flow, Phase};
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::network::Network;
use crate::sockets::RECEIVER_PORT;
use crate::sockets::diag::{Closed, Diag, Record};
use run::Run;
use std::net::Ipv4Addr;
use std::rc::Rc;

/// Ways to ask, one for each namespace that has an end of a flow; flows that share one share it.
#[derive(Debug)]
pub struct Dumps {
    all: Vec<Diag>,
    /// For each namespace that has an end of a program's flow.
    of_programs: Vec<(Diag, Closed)>,
}

impl Dumps {
    /// Opens them.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or does not tell of sockets that are closed.
    pub fn open(run: &Run, network: &Network) -> Result<Self, Failure> {
        let flows = (0..run.flows.len()).filter(|index| network.has(*index));
        let programs = flows.clone().filter(|index| run.flows[*index].is_program());
        Ok(Self {
            all: open(network.ends(flows), Diag::open)?,
            of_programs: open(network.ends(programs), || Ok((Diag::open()?, Closed::open()?)))?,
        })
    }

    /// Puts what the kernel tells of each socket where it belongs. That of a program may be closed, or carry IPv4 though
    /// it is of IPv6.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn read(&mut self, flows: &mut [Flow]) -> Result<(), Failure> {
        for (_, closed) in &self.of_programs {
            closed.take(|record| {
                file_program(flows, &record, true);
            })?;
        }
        for (diag, _) in &mut self.of_programs {
            diag.dump(true, |record| {
                file_program(flows, &record, false);
            })?;
        }
        for diag in &mut self.all {
            diag.dump(false, |record| {
                if self.of_programs.is_empty() || !file_program(flows, &record, false) {
                    file(flows, record);
                }
            })?;
        }
        Ok(())
    }
}

/// Opens a way to ask in each of these namespaces.
fn open<T>(namespaces: Vec<&Rc<Namespace>>, open: impl Fn() -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    let within =
        |namespace: &Rc<Namespace>| namespace.within(&open).map_err(|error| Failure(error.to_string())).flatten();
    namespaces.into_iter().map(within).collect()
}

/// Puts what the kernel tells of a socket where it belongs, if it is one of a program that runs.
fn file_program(flows: &mut [Flow], record: &Record, is_last: bool) -> bool {
    if record.local == Ipv4Addr::UNSPECIFIED {
        return false;
    }
    let running = flows.iter_mut().filter(|flow| flow.phase == Phase::Running);
    running.filter_map(|flow| flow.program.as_mut()).any(|program| program.file(record, is_last))
}

/// Puts what the kernel tells of a socket where it belongs.
fn file(flows: &mut [Flow], record: Record) {
    if let Some(connection) = connection(flows, record.remote_port, record.local_port) {
        connection.reading.sender = record.info;
        connection.reading.control = record.control;
    } else if let Some(connection) = connection(flows, record.local_port, record.remote_port) {
        connection.reading.receiver = record.info;
    }
}

/// The open connection with these ports: the receiver's names the flow. One that is closed may still be about.
fn connection(flows: &mut [Flow], receiver: u16, sender: u16) -> Option<&mut Connection> {
    let flow = flows.get_mut(usize::from(receiver.checked_sub(RECEIVER_PORT)?))?;
    flow.connections.get_mut(&sender)
}
