//! [`Way`]: how packets of other machines come into a path that is built on this one, and out of it.
//!
//! ```text
//!            ┌ machine ┐                 path                  ┌ machine ┐
//! from S ─→  rule: table ═ sender ─ near ─ ... ─ far ═ receiver ═ main table  ─→ to R
//! ```
//!
//! The path is the one that is built for hosts of its own, but that its first and its last namespace forward. A link leads
//! from this machine's own namespace into the first, and one out of the last. Rules of a table of our own lead the run's
//! packets, and no others, into it. Nothing that the machine had is changed; links and routes go with the agent's process,
//! soon after it (the kernel removes namespaces in a thread of its own), and what its end leaves are rules that lead nowhere, and at a receiver the discipline of
//! what comes in. Each of these bears our mark from when it is made, so that it is known whenever the agent is killed.

use super::device::Offloads;
use super::ingress::{push_redirect, remove_ingress};
use super::link;
use super::loss::{Match, SOURCE_AT, TARGET_AT};
use super::plan::{Device, Place, Plan, Prefix, Route, Way, host};
use super::sysctl::Setting;
use crate::error::Error;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, Socket};
use crate::part::Passage;
use netlink_bindings::rt_rule::{FibRuleHdr, FibRulePortRange, OpDelruleDo, OpGetruleDump, OpNewruleDo};
use netlink_bindings::traits::NetlinkRequest;
use std::net::{IpAddr, Ipv4Addr};

/// `RTM_NEWRULE`.
const NEW_RULE: u16 = 32;
/// `RTM_DELRULE`.
const DELETE_RULE: u16 = 33;
/// `RTM_GETRULE`.
const GET_RULE: u16 = 34;
/// `FR_ACT_TO_TBL`, `FR_ACT_GOTO` and `FR_ACT_NOP`.
const TO_TABLE: u8 = 1;
const GOTO: u8 = 2;
const NOTHING: u8 = 3;
/// The table of routes into a path.
pub const TABLE: u8 = 219;
/// That of routes by which connections offer ECN.
pub const OFFERS: u8 = 218;
/// Rules of ours have priorities from here on, before a system's own (32766), behind that of its addresses (0).
const PRIORITY: u32 = 21_900;
/// The last of them: those that a rule lets pass go on from here.
const BEHIND: u32 = 21_999;
/// The block of the filters that lead in what comes to a receiver: so they are known again.
const BLOCK: u32 = 21_903;
/// Numbers of the machine's own devices are smaller.
const MACHINE_INDEX: u32 = 1_000_000;
/// By the first the run's packets enter, by the second they leave.
const NAMES: [&str; 2] = ["dumbbell0", "dumbbell1"];

/// Of link-local ones (RFC 3927), which no router forwards: a device without an address takes nothing of which the kernel looks
/// where it is reached (`__fib_validate_source`).
const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(169, 254, 219, 1), Ipv4Addr::new(169, 254, 219, 2)];

/// A rule of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    pub priority: u32,
    /// What comes by this interface; `lo` is what the machine sends itself.
    pub by: Option<&'static str>,
    pub from_to: Option<(Ipv4Addr, Ipv4Addr)>,
    /// Of these only what goes to this port, to offer ECN.
    pub port: Option<u16>,
    pub action: u8,
}

impl Plan {
    /// The same plan for hosts that are other machines.
    ///
    /// # Errors
    /// Flows between the same two machines have different delays, or one has an access line and another's receiver.
    pub fn led(mut self, passage: Passage, interface: Device) -> Result<Self, Error> {
        self.share_routes()?;
        let mut hosts: Vec<(Ipv4Addr, Ipv4Addr)> = self.pairs.iter().filter_map(|pair| pair.hosts).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let (enters, first) = self.link(Place::Machine, Place::Sender);
        let (last, leaves) = self.link(Place::Receiver, Place::Machine);
        let ends = [enters, leaves];
        for ((end, name), address) in ends.into_iter().zip(NAMES).zip(ADDRESSES) {
            self.addresses.push((end, address));
            self.devices[end].index += MACHINE_INDEX;
            self.devices[end].name = name.to_owned();
        }
        if passage == Passage::Receiver {
            // What comes in is addressed to the interface, and is led on as it is.
            (self.devices[enters].mac, self.devices[first].mac) = (interface.mac, interface.mac);
        }
        for (sender, receiver) in &hosts {
            self.route_once(first, host(*sender), None);
            self.route_once(last, host(*receiver), None);
            self.route_once(enters, host(*receiver), Some(TABLE));
            self.route_once(leaves, host(*sender), Some(TABLE));
        }
        self.places.insert(0, Place::Machine);
        self.passage = Some(Way { passage, interface, ends, hosts });
        Ok(self)
    }

    /// Routes of a namespace to the same address are one, where packets meet the same by each.
    fn share_routes(&mut self) -> Result<(), Error> {
        let mut shared: Vec<Route> = Vec::new();
        for route in std::mem::take(&mut self.routes) {
            let place = self.devices[route.device].place;
            let same = |other: &&Route| other.to == route.to && self.devices[other.device].place == place;
            let met = |device: usize| self.disciplines.iter().filter(move |(at, _)| *at == device).map(|(_, it)| *it);
            let is_line = |device: usize| self.devices[device ^ 1].place == Place::Access;
            match shared.iter().find(same) {
                None => shared.push(route),
                Some(other) if is_line(other.device) || is_line(route.device) => {
                    return Err(Error::new(
                        format_args!("packets to {}", route.to.address),
                        "a flow with an access line needs a receiver of its own: by its address its packets are known",
                    ));
                }
                Some(other) if met(other.device).eq(met(route.device)) => {}
                Some(_) => {
                    return Err(Error::new(
                        format_args!("packets to {}", route.to.address),
                        "flows between the same two machines have different delays, and their packets look alike: \
                         they need senders of their own",
                    ));
                }
            }
        }
        self.routes = shared;
        Ok(())
    }

    fn route_once(&mut self, device: usize, to: Prefix, table: Option<u8>) {
        self.route(device, to);
        let added = self.routes.pop().map(|route| Route { table, ..route });
        self.routes.extend(added.filter(|route| !self.routes.contains(route)));
    }
}

impl Way {
    /// Settings of the machine's own ends: packets come in there from addresses that are reached by others.
    pub fn settings(&self) -> [Setting; 6] {
        [
            ("net/ipv4/conf/dumbbell0/forwarding", "1"),
            ("net/ipv4/conf/dumbbell1/forwarding", "1"),
            ("net/ipv4/conf/dumbbell0/rp_filter", "2"),
            ("net/ipv4/conf/dumbbell1/rp_filter", "2"),
            ("net/ipv4/conf/dumbbell0/accept_local", "1"),
            ("net/ipv4/conf/dumbbell1/accept_local", "1"),
        ]
        .map(|(name, value)| (name, value.to_owned()))
    }

    /// The requests that lead what comes in for the receivers into the path, where they are this machine: no rule could, as
    /// its own addresses come before all rules.
    pub fn ingress(&self, plan: &Plan) -> Batch {
        let of = |address: Ipv4Addr, at| Match { mask: u32::MAX, value: address.to_bits(), at };
        let keys = self.hosts.iter().map(|(sender, receiver)| [of(*sender, SOURCE_AT), of(*receiver, TARGET_AT)]);
        let keys: Vec<[Match; 2]> = keys.collect();
        let matches: Vec<&[Match]> = keys.iter().map(<[Match; 2]>::as_slice).collect();
        let mut batch = Batch::default();
        push_redirect(&mut batch, &self.interface, Some(BLOCK), plan.devices[self.ends[0]].index, &matches);
        batch
    }

    /// The rules by which packets are led in.
    pub fn rules(&self) -> Vec<Rule> {
        let table = |by, from_to| Rule {
            priority: PRIORITY + 3,
            by,
            from_to: Some(from_to),
            action: TO_TABLE,
            ..Rule::default()
        };
        let there = self.hosts.iter().copied();
        let back = self.hosts.iter().map(|(sender, receiver)| (*receiver, *sender));
        match self.passage {
            Passage::Sender => there.map(|pair| table(Some("lo"), pair)).collect(),
            Passage::Receiver => back.map(|pair| table(Some("lo"), pair)).collect(),
            Passage::Router => {
                // What has been led already goes on as ever; and so does the look where an address is reached, by which the
                // kernel judges what comes in (`fib_validate_source`).
                let passes =
                    |(nth, by)| Rule { priority: PRIORITY + nth, by: Some(by), action: GOTO, ..Rule::default() };
                let end = Rule { priority: BEHIND, action: NOTHING, ..Rule::default() };
                let skipped = (0..).zip([NAMES[0], NAMES[1], "lo"]).map(passes);
                [end].into_iter().chain(skipped).chain(there.chain(back).map(|pair| table(None, pair))).collect()
            }
        }
    }
}

impl Rule {
    /// Packets of a flow that this machine sends itself, by their addresses and the port of its receiver, offer ECN. Those that
    /// come out of the path go on as ever.
    pub fn offering(from: Ipv4Addr, to: Ipv4Addr, port: u16) -> Self {
        let (by, from_to, port) = (Some("lo"), Some((from, to)), Some(port));
        Self { priority: PRIORITY, by, from_to, port, action: TO_TABLE }
    }

    const fn table(&self) -> u8 {
        if self.port.is_some() { OFFERS } else { TABLE }
    }

    /// In words, as `ip rule` has it.
    pub fn text(&self) -> String {
        let mut text = format!("rule {}", self.priority);
        text += &self.from_to.map(|(from, to)| format!(" from {from} to {to}")).unwrap_or_default();
        text += &self.by.map(|name| format!(" iif {name}")).unwrap_or_default();
        text += &self.port.map(|port| format!(" ipproto tcp dport {port}")).unwrap_or_default();
        text += &match self.action {
            TO_TABLE => format!(" lookup {}", self.table()),
            GOTO => format!(" goto {BEHIND}"),
            _ => " nop".to_owned(),
        };
        text
    }

    /// Adds the request that makes it.
    pub fn push(&self, batch: &mut Batch) {
        batch.push(NEW_RULE, CREATE | EXCLUSIVE, self.text(), |bytes| {
            let mut header = FibRuleHdr::new();
            header.family = libc::AF_INET as u8;
            header.action = self.action;
            header.table = if self.action == TO_TABLE { self.table() } else { 0 };
            (header.src_len, header.dst_len) = if self.from_to.is_some() { (32, 32) } else { (0, 0) };
            let mut request = OpNewruleDo::encode_request(bytes, &header).push_priority(self.priority);
            if let Some(name) = self.by {
                request = request.push_iifname_bytes(name.as_bytes());
            }
            if let Some((from, to)) = self.from_to {
                request = request.push_src(IpAddr::V4(from)).push_dst(IpAddr::V4(to));
            }
            if let Some(port) = self.port {
                let range = FibRulePortRange { start: port, end: port };
                request = request.push_ip_proto(libc::IPPROTO_TCP as u8).push_dport_range(range);
            }
            if self.action == GOTO {
                request = request.push_goto(BEHIND);
            }
            let _ = request;
        });
    }
}

/// The device of the machine's own that has a name.
///
/// # Errors
/// There is none, or none of Ethernet.
pub fn interface(name: &str) -> Result<Device, Error> {
    let mut socket = Socket::open()?;
    let (index, mac) =
        link::parse_device(socket.ask(link::GET_LINK, name, |bytes| link::encode_question_of(bytes, name))?);
    let (place, offloads) = (Place::Machine, Offloads::default());
    Ok(Device { place, index, name: name.to_owned(), offloads, mac })
}

/// Takes away what leads packets of an interface into a path, and rules by which connections offer ECN.
///
/// # Errors
/// The kernel refuses.
pub fn take_away(name: &str) -> Result<(), Error> {
    if let Ok(interface) = interface(name) {
        remove_ingress(&mut Socket::open()?, &interface, BLOCK)?;
    }
    remove_rules()?;
    NAMES.into_iter().try_for_each(remove_link)
}

/// Takes a link into a path away. The kernel removes it with the path's namespace, but later, in a thread of its own.
fn remove_link(name: &str) -> Result<(), Error> {
    if interface(name).is_err() {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.push(link::DELETE_LINK, 0, name, |bytes| link::encode_question_of(bytes, name));
    // It may have gone in between.
    Socket::open()?.execute(batch).or_else(|error| if interface(name).is_err() { Ok(()) } else { Err(error) })
}

/// Takes all rules of ours away.
fn remove_rules() -> Result<(), Error> {
    let mut socket = Socket::open()?;
    let mut left: Vec<u32> = Vec::new();
    let mut header = FibRuleHdr::new();
    header.family = libc::AF_INET as u8;
    let encode = |bytes: &mut Vec<u8>| drop(OpGetruleDump::encode_request(bytes, &header));
    socket.dump(GET_RULE, "rules", encode, |message| {
        let (_, attributes) = OpGetruleDump::decode_reply(message);
        left.extend(attributes.get_priority().ok().filter(|priority| (PRIORITY..=BEHIND).contains(priority)));
    })?;
    for priority in &left {
        let mut batch = Batch::default();
        batch.push(DELETE_RULE, 0, format!("rule {priority}"), |bytes| {
            let _ = OpDelruleDo::encode_request(bytes, &header).push_priority(*priority);
        });
        socket.execute(batch)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Discipline;
    use super::super::tests::POOR;
    use super::*;
    use crate::samples;
    use run::{Access, AccessKind, Buffer, Run};

    const SENDERS: [Ipv4Addr; 2] = [Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(192, 0, 2, 5)];
    const RECEIVER: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 9);

    fn own() -> Device {
        let (place, offloads, mac) = (Place::Machine, Offloads::default(), Some([2, 0, 0, 0, 0, 1]));
        Device { place, index: 7, name: "eth1".to_owned(), offloads, mac }
    }

    fn led(run: &Run, passage: Passage) -> Result<Plan, Error> {
        let hosts: Vec<(Ipv4Addr, Ipv4Addr)> =
            (0..run.flows.len()).map(|flow| (SENDERS[flow % SENDERS.len()], RECEIVER)).collect();
        Plan::between(run, 0, Some(&hosts)).led(passage, own()).map(|plan| plan.relayed(POOR))
    }

    /// The places that a packet passes which the machine leads into the path.
    fn way(plan: &Plan, to: Ipv4Addr) -> Vec<Place> {
        let mut places = vec![Place::Machine];
        let mut table = Some(TABLE);
        loop {
            let here = *places.last().expect("a beginning");
            let leads = |route: &&Route| {
                let Prefix { address, length } = route.to;
                let is_there = u32::from(length) == 32 && address == to;
                is_there && route.table == table && plan.devices[route.device].place == here
            };
            let route = plan.routes.iter().find(leads).expect("a route");
            let next = plan.devices[route.device ^ 1].place;
            table = None;
            places.push(next);
            if next == Place::Machine {
                return places;
            }
        }
    }

    #[test]
    fn packets_of_two_senders_pass_the_path_there_and_back() {
        let plan = led(&samples::run(4), Passage::Router).expect("a plan");
        let there = [Place::Machine, Place::Sender, Place::Near, Place::Receiver, Place::Machine];
        assert_eq!(way(&plan, RECEIVER), there);
        let back: Vec<Place> = there.iter().rev().copied().collect();
        for sender in SENDERS {
            assert_eq!(way(&plan, sender), back);
        }
        assert!(plan.addresses.iter().all(|(device, _)| plan.devices[*device].place == Place::Machine));
        let mut routes: Vec<_> =
            plan.routes.iter().map(|route| (plan.devices[route.device].place, route.to.address, route.table)).collect();
        let count = routes.len();
        routes.sort_unstable();
        routes.dedup();
        assert_eq!(routes.len(), count, "the kernel has each once");
    }

    #[test]
    fn flows_of_one_pair_of_machines_have_one_delay() {
        let mut run = samples::run(3);
        run.flows[2].return_delay_ns += 1;
        assert!(led(&run, Passage::Router).is_err(), "the first and the third have the same sender");
        run.flows[2].return_delay_ns -= 1;
        run.flows[1].return_delay_ns += 1;
        assert!(led(&run, Passage::Router).is_ok());
    }

    #[test]
    fn a_line_is_that_of_a_receiver_of_its_own() {
        let mut run = samples::run(1);
        run.flows[0].access =
            Some(Access { rate_bps: 1_000_000, buffer: Buffer::Bytes(9_000), kind: AccessKind::Router });
        let plan = led(&run, Passage::Router).expect("a plan");
        let there = [Place::Machine, Place::Sender, Place::Access, Place::Near, Place::Receiver, Place::Machine];
        assert_eq!(way(&plan, RECEIVER), there);
        run.flows.push(run.flows[0].clone());
        run.flows[1].access = None;
        let refused = led(&run, Passage::Router).expect_err("two with one receiver");
        assert!(refused.to_string().contains("a receiver of its own"), "{refused}");
        run.flows[1].access = run.flows[0].access;
        assert!(led(&run, Passage::Router).is_err(), "two lines that are alike are two");
    }

    #[test]
    fn rules_lead_the_runs_packets_and_no_others() {
        let texts = |passage| -> Vec<String> {
            let plan = led(&samples::run(1), passage).expect("a plan");
            plan.passage.expect("a way").rules().iter().map(Rule::text).collect()
        };
        assert_eq!(texts(Passage::Sender), ["rule 21903 from 192.0.2.1 to 192.0.2.9 iif lo lookup 219"]);
        assert_eq!(texts(Passage::Receiver), ["rule 21903 from 192.0.2.9 to 192.0.2.1 iif lo lookup 219"]);
        assert_eq!(
            texts(Passage::Router),
            [
                "rule 21999 nop",
                "rule 21900 iif dumbbell0 goto 21999",
                "rule 21901 iif dumbbell1 goto 21999",
                "rule 21902 iif lo goto 21999",
                "rule 21903 from 192.0.2.1 to 192.0.2.9 lookup 219",
                "rule 21903 from 192.0.2.9 to 192.0.2.1 lookup 219",
            ]
        );
    }

    #[test]
    fn what_comes_in_at_a_receiver_keeps_its_address_on_ethernet() {
        let plan = led(&samples::run(1), Passage::Receiver).expect("a plan");
        let way = plan.passage.as_ref().expect("a way");
        let [enters, leaves] = way.ends;
        assert_eq!((plan.devices[enters].mac, plan.devices[enters ^ 1].mac), (own().mac, own().mac));
        assert_eq!(plan.devices[leaves].mac, None);
        assert!(!way.ingress(&plan).is_empty());
        let buckets = plan.disciplines.iter().filter(|(_, it)| matches!(it, Discipline::Bucket { .. }));
        assert_eq!(buckets.count(), 1);
    }
}
