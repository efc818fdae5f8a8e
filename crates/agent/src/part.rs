//! [`Part`]: what one machine does of a run that several do together.
//!
//! Each has a job of its own, with the same run ([`crate::lead`] has them begin at one time). Nothing is said between machines
//! while the run lasts.

use crate::sockets::TRANSFER_PORTS;
use run::Run;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// What this machine does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The addresses of each flow's sender and receiver, on whichever machines.
    pub flows: Vec<Ends>,
    /// Senders' ports are so many on from where they usually begin, and begin again at the end: a machine keeps a port for a
    /// minute after its connection has ended (`TIME_WAIT`).
    pub ports_on: u16,
    /// The interface by which the run's packets come and go.
    pub interface: String,
    /// It has the run's path, through which it leads the run's packets; none: they pass nothing of ours here.
    #[serde(default)]
    pub passage: Option<Passage>,
}

/// Where a flow begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ends {
    /// Its sender's address.
    pub sender: Ipv4Addr,
    /// That is this machine's.
    pub begins_here: bool,
    /// Its receiver's address.
    pub receiver: Ipv4Addr,
    /// That is this machine's.
    pub ends_here: bool,
}

/// Where packets are taken to lead them through a path of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passage {
    /// Those that this machine forwards, both ways.
    Router,
    /// Those that it sends: it is the sender.
    Sender,
    /// Those that come in, and those that it answers with: it is the receiver.
    Receiver,
}

/// Which short transfer has which port, as all machines reckon it: they follow one another in the order in which they
/// arrive, and begin again when ports end.
#[derive(Debug)]
pub struct TransferPorts {
    /// Flow and index of each, in that order.
    order: Vec<(usize, usize)>,
    /// Where each of a flow's is in that order.
    place: Vec<Vec<usize>>,
    /// Where they begin.
    on: usize,
    /// So many have come in by each port.
    accepted: BTreeMap<u16, usize>,
}

impl TransferPorts {
    /// Those of a run.
    pub fn new(run: &Run, ports_on: u16) -> Self {
        let arrivals = |flow: usize| {
            let source = &run.flows[flow];
            source.arrivals().iter().enumerate().map(move |(index, it)| (source.start_ns + it.at_ns, flow, index))
        };
        let mut all: Vec<(u64, usize, usize)> = (0..run.flows.len()).flat_map(arrivals).collect();
        all.sort_unstable();
        let order: Vec<(usize, usize)> = all.into_iter().map(|(_, flow, index)| (flow, index)).collect();
        let mut place: Vec<Vec<usize>> = run.flows.iter().map(|flow| vec![0; flow.arrivals().len()]).collect();
        order.iter().enumerate().for_each(|(at, (flow, index))| place[*flow][*index] = at);
        Self { order, place, on: usize::from(ports_on) % TRANSFER_PORTS.len(), accepted: BTreeMap::new() }
    }

    /// The port of a flow's transfer.
    pub fn port(&self, flow: usize, index: usize) -> u16 {
        TRANSFER_PORTS.start() + ((self.place[flow][index] + self.on) % TRANSFER_PORTS.len()) as u16
    }

    /// Which transfer of a flow has come in by this port; none: it is no transfer's.
    pub fn accept(&mut self, flow: usize, port: u16) -> Option<usize> {
        let ports = TRANSFER_PORTS.len();
        let offset = (usize::from(port.checked_sub(*TRANSFER_PORTS.start())?) + ports - self.on) % ports;
        let turn = self.accepted.entry(port).or_default();
        let (of, index) = *self.order.get(offset + *turn * ports)?;
        (of == flow).then(|| {
            *turn += 1;
            index
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use run::{Arrival, Workload};

    #[test]
    fn both_machines_reckon_the_same_ports() {
        let mut run = samples::run(2);
        let arrivals = |times: &[u64]| Workload::Arrivals {
            arrivals: times.iter().map(|at_ns| Arrival { at_ns: *at_ns, bytes: 10 }).collect(),
        };
        run.flows[0].workload = arrivals(&[5, 30]);
        run.flows[1].workload = arrivals(&[5, 10]);
        run.flows[1].start_ns = run.flows[0].start_ns;
        let mut ports = TransferPorts::new(&run, *TRANSFER_PORTS.end() - *TRANSFER_PORTS.start());
        let first = *TRANSFER_PORTS.start();
        let all = [(0, 0), (1, 0), (1, 1), (0, 1)];
        assert_eq!(
            all.map(|(flow, index)| ports.port(flow, index) - first),
            [TRANSFER_PORTS.len() as u16 - 1, 0, 1, 2]
        );
        for (flow, index) in all {
            let port = ports.port(flow, index);
            assert_eq!(ports.accept(1 - flow, port), None, "another flow's");
            assert_eq!(ports.accept(flow, port), Some(index));
            assert_eq!(ports.accept(flow, port), None, "once");
        }
        assert_eq!(ports.accept(0, 80), None);
    }
}
