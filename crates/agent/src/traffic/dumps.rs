//! [`Dumps`]: asks the kernel about the sockets of all flows, one request a namespace.

use super::connection::Connection;
use super::flow::Flow;
use super::programs;
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::network::Network;
use crate::sockets::RECEIVER_PORT;
use crate::sockets::diag::{Diag, Record};
use run::Run;
use std::rc::Rc;

/// One way to ask for each namespace that has an end of a flow; flows that share one share it.
#[derive(Debug)]
pub struct Dumps(Vec<Diag>);

impl Dumps {
    /// Opens them.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`.
    pub fn open(run: &Run, network: &Network) -> Result<Self, Failure> {
        let open =
            |namespace: &Rc<Namespace>| namespace.within(Diag::open).map_err(|error| Failure(error.to_string()))?;
        network.ends(0..run.flows.len()).into_iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Puts what the kernel tells of each socket where it belongs; first it may be one of a program.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn read(&mut self, flows: &mut [Flow], has_programs: bool) -> Result<(), Failure> {
        for diag in &mut self.0 {
            diag.dump(false, |record| {
                if !has_programs || !programs::file(flows, &record, false) {
                    file(flows, record);
                }
            })?;
        }
        Ok(())
    }
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
