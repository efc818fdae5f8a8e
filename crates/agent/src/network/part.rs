//! What this machine has of the network of a run whose hosts are several machines: its [`Part`].

use super::link;
use super::offers::offer_ecn;
use super::passage::OFFERS;
use super::plan::Plan;
use super::tap::{self, Tap};
use super::{Capture, Endpoint, Machine, Means, Network, facts, pair, passage, sysctl};
use crate::error::Error;
use crate::namespace::Namespace;
use crate::netlink::Socket;
use crate::part::{Part, Passage};
use crate::sockets::{MAX_FLOWS, SENDER_PORT};
use run::{AccessKind, CapturePoint, Qdisc, Run};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::rc::Rc;

impl Network {
    /// What this machine has of the network of a run whose hosts are several: those of its flows' ends that are its own,
    /// and the path, if that is to be here.
    pub fn of_part(run: &Run, part: &Part, means: Means) -> Result<Self, Error> {
        pair::check(run)?;
        let addresses: Vec<(Ipv4Addr, Ipv4Addr)> = part.flows.iter().map(|it| (it.sender, it.receiver)).collect();
        if addresses.len() != run.flows.len() {
            return Err(Error::new("part.flows", "a part names the ends of each flow"));
        }
        let interface = passage::interface(&part.interface)?;
        let plan = match part.passage {
            None => Plan::empty(run),
            Some(passage) => {
                let run = met_by(run, passage);
                Plan::between(&run, 0, Some(&addresses))
                    .led(passage, interface.clone())?
                    .relayed(means)
                    .shaped_at_receivers(&run)
            }
        };
        plan.disciplines.iter().try_for_each(|(_, discipline)| discipline.check())?;
        let machine = Rc::new(Namespace::current()?);
        let endpoint = |address| Endpoint { namespace: Rc::clone(&machine), address };
        let mut network = Self {
            senders: part.flows.iter().map(|it| endpoint(it.sender)).collect(),
            receivers: part.flows.iter().map(|it| endpoint(it.receiver)).collect(),
            facts: facts::describe(&plan, run),
            dropped_packets: vec![0; plan.hops.len()],
            plan,
            sites: BTreeMap::new(),
            path: run.path.clone(),
            tells_steps: true,
            relay: None,
            part: Some(part.clone()),
            interface: Some(interface),
        };
        if part.passage.is_some() {
            network.begin(run, Machine::Shared)?;
        }
        for flow in offer_ecn(run, part)? {
            network.facts.insert(format!("ecn of flow {flow}"), format!("offered by a route of table {OFFERS}"));
        }
        network.facts.insert("net.ipv4.tcp_ecn".to_owned(), sysctl::look("net/ipv4/tcp_ecn")?);
        Ok(network)
    }

    /// All of the run is done on this machine.
    pub const fn is_on_one_machine(&self) -> bool {
        self.part.is_none()
    }

    /// Bytes that have come and gone by the interface to the run's other machines; none: there are no others.
    ///
    /// # Errors
    /// It is gone.
    pub fn interface_bytes(&self) -> Result<Option<[u64; 2]>, Error> {
        let Some(interface) = &self.interface else { return Ok(None) };
        let mut socket = Socket::open()?;
        let question = |bytes: &mut Vec<u8>| link::encode_question(bytes, interface);
        Ok(Some(link::parse_bytes(socket.ask(link::GET_LINK, &interface.name, question)?)))
    }

    /// The port of a flow's sender.
    pub fn sender_port(&self, flow: usize) -> u16 {
        SENDER_PORT + ((flow + usize::from(self.ports_on().unwrap_or(0))) % MAX_FLOWS) as u16
    }

    /// How far on the ports of senders begin that are on several machines; none: all are on this one.
    pub fn ports_on(&self) -> Option<u16> {
        self.part.as_ref().map(|part| part.ports_on)
    }

    /// Whether a flow's sender is on this machine.
    pub fn begins_here(&self, flow: usize) -> bool {
        self.part.as_ref().is_none_or(|part| part.flows[flow].begins_here)
    }

    /// Whether its receiver is.
    pub fn ends_here(&self, flow: usize) -> bool {
        self.part.as_ref().is_none_or(|part| part.flows[flow].ends_here)
    }

    /// Whether only its receiver is.
    pub fn only_ends_here(&self, flow: usize) -> bool {
        self.ends_here(flow) && !self.begins_here(flow)
    }

    /// Whether one of its ends is.
    pub fn has(&self, flow: usize) -> bool {
        self.begins_here(flow) || self.ends_here(flow)
    }

    /// Where what leaves the bottleneck is captured, if the path is here.
    pub(super) fn bottleneck_taps(&self, run: &Run) -> Vec<Tap> {
        let mut taps = if self.plan.places.is_empty() { Vec::new() } else { Tap::of(&self.plan, run) };
        taps.retain(|tap| tap.point == CapturePoint::Bottleneck);
        taps
    }

    /// The captures on this machine beside its path, each with the machine's namespace.
    pub(super) fn own_captures(&self, part: &Part, run: &Run) -> impl Iterator<Item = (Capture, &Namespace)> {
        let ends = self.plan.passage.as_ref().map(|way| way.ends.map(|end| self.plan.devices[end].index));
        let interface = self.interface.as_ref().map_or(0, |it| it.index);
        tap::of_part(part, run, interface, ends).into_iter().map(|it| (it, &*self.senders[0].namespace))
    }
}

/// A run as a path meets it whose hosts are other machines: nothing of these is in it, and access lines are a router's. What
/// a sender sends passes it, and what comes back does not: so its delay is that of the whole round trip.
fn met_by(run: &Run, passage: Passage) -> Run {
    let mut met = run.clone();
    met.path.jitter_ns = None;
    met.host.qdisc = Qdisc::None;
    met.host.gro = false;
    met.host.ack_aggregation_ns = 0;
    for flow in &mut met.flows {
        if let Some(access) = &mut flow.access {
            access.kind = AccessKind::Router;
        }
        if passage == Passage::Sender {
            flow.forward_delay_ns += std::mem::take(&mut flow.return_delay_ns);
        }
    }
    met
}
