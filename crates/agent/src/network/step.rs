//! [`Step`]: one thing that is done to build a path. A path is its list of steps: what is carried out is what is printed.

use super::passage::Rule;
use super::plan::{Device, Discipline, Place, Plan, Route, Way};
use super::sysctl::{self, Setting};
use super::{discipline, link};
use crate::netlink::{Batch, CREATE, EXCLUSIVE};
use crate::part::Passage;
use run::Run;
use std::net::Ipv4Addr;
use std::os::fd::BorrowedFd;

/// A thing to do. Devices are positions in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A setting of the whole kernel.
    Kernel(Setting),
    /// A network namespace.
    Namespace(Place),
    /// A setting of a namespace.
    Setting(Place, Setting),
    /// A link between two namespaces: its ends are this device and the next.
    Link(usize),
    /// The `ifb`, this device.
    Ifb(usize),
    /// A line of the relay: this device takes what the next gives out.
    Relay(usize),
    /// Offloads of a device.
    Offloads(usize),
    /// A device comes up; none: the loopback device.
    Up(Place, Option<usize>),
    /// An address of a device.
    Address(usize, Ipv4Addr),
    /// A route.
    Route(Route),
    /// A queueing discipline.
    Queue(usize, Discipline),
    /// A rule that leads packets of other machines into the path.
    Rule(Rule),
    /// What comes in by the machine's own interface is led into the path.
    Ingress,
}

/// All that a plan takes, in order. `shares_kernel`: others use the kernel, too, whose settings stay as they are.
pub fn steps(plan: &Plan, run: &Run, shares_kernel: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    if !shares_kernel {
        steps.extend(sysctl::of_kernel(run).into_iter().map(Step::Kernel));
    }
    let has_ipv6 = sysctl::has_ipv6();
    for &place in &plan.places {
        steps.push(Step::Namespace(place));
        if place == Place::Machine {
            continue;
        }
        let forwards = place.is_router() || plan.passage.is_some();
        let settings = sysctl::of_namespace(place, forwards, run, has_ipv6, shares_kernel);
        steps.extend(settings.into_iter().map(|setting| Step::Setting(place, setting)));
    }
    steps.extend(plan.links().filter(|first| plan.relay_of(*first).is_none()).map(Step::Link));
    steps.extend(plan.ifb.map(Step::Ifb));
    steps.extend(plan.links().filter(|first| plan.relay_of(*first).is_some()).map(Step::Relay));
    let of_machine = plan.passage.iter().flat_map(Way::settings);
    steps.extend(of_machine.map(|setting| Step::Setting(Place::Machine, setting)));
    let is_linked = |device: &usize| plan.relay_of(*device).is_none() && Some(*device) != plan.ifb;
    let linked = (0..plan.devices.len()).filter(is_linked);
    steps.extend(linked.map(Step::Offloads));
    for &place in &plan.places {
        let here = |device: usize| plan.devices[device].place == place;
        let devices = (0..plan.devices.len()).filter(|device| here(*device)).map(Some);
        let loopback = (place != Place::Machine).then_some(None);
        steps.extend(devices.chain(loopback).map(|device| Step::Up(place, device)));
        let addresses = plan.addresses.iter().filter(|(device, _)| here(*device));
        steps.extend(addresses.map(|(device, address)| Step::Address(*device, *address)));
        steps.extend(plan.routes.iter().filter(|route| here(route.device)).map(|route| Step::Route(route.clone())));
        let disciplines = plan.disciplines.iter().filter(|(device, _)| here(*device));
        steps.extend(disciplines.map(|(device, discipline)| Step::Queue(*device, *discipline)));
    }
    let comes_in = plan.passage.as_ref().is_some_and(|way| way.passage == Passage::Receiver);
    steps.extend(plan.passage.iter().flat_map(Way::rules).map(Step::Rule));
    steps.extend(comes_in.then_some(Step::Ingress));
    steps
}

impl Step {
    /// Where it is done; none: for all namespaces.
    pub fn place(&self, plan: &Plan) -> Option<Place> {
        match self {
            Self::Kernel(_) => None,
            Self::Namespace(place) | Self::Setting(place, _) | Self::Up(place, _) => Some(*place),
            Self::Link(device) | Self::Ifb(device) | Self::Relay(device) | Self::Offloads(device) => {
                Some(plan.devices[*device].place)
            }
            Self::Address(device, _) | Self::Queue(device, _) => Some(plan.devices[*device].place),
            Self::Route(route) => Some(plan.devices[route.device].place),
            Self::Rule(_) | Self::Ingress => Some(Place::Machine),
        }
    }

    /// What it is about, in words.
    pub fn subject(&self, plan: &Plan) -> String {
        let name = |device: &usize| plan.devices[*device].name.as_str();
        match self {
            Self::Kernel((name, value)) | Self::Setting(_, (name, value)) => format!("{name} = {value}"),
            Self::Namespace(place) => format!("network namespace {}", place.name()),
            Self::Link(device) => format!("veth {}", name(device)),
            Self::Ifb(device) => format!("ifb {}", name(device)),
            Self::Relay(device) => {
                let treatment = plan.relay_of(*device).map(Discipline::text).unwrap_or_default();
                format!("relay from {} to {}: {treatment}", name(device), name(&(device + 1)))
            }
            Self::Offloads(device) => format!("offloads of {}", name(device)),
            Self::Up(place, device) => format!("{} of {} up", device.as_ref().map_or("lo", name), place.name()),
            Self::Address(device, address) => format!("address {address} of {}", name(device)),
            Self::Route(route) => format!("route to {} by {}", route.to.text(), name(&route.device)),
            Self::Queue(device, discipline) => format!("{} on {}", discipline.kind(), name(device)),
            Self::Rule(rule) => rule.text(),
            Self::Ingress => "what comes in is led into the path".to_owned(),
        }
    }

    /// Adds the requests for it to a message; none: it takes something else than requests. `namespace` has the
    /// descriptor of each place.
    pub fn push<'a>(
        &self,
        batch: &mut Batch,
        plan: &Plan,
        run: &Run,
        namespace: impl Fn(Place) -> BorrowedFd<'a>,
    ) -> bool {
        let device = |device: usize| -> &Device { &plan.devices[device] };
        let subject = self.subject(plan);
        match self {
            Self::Link(first) => batch.push(link::NEW_LINK, CREATE | EXCLUSIVE, subject, |bytes| {
                let ends = [device(*first), device(first + 1)].map(|end| (end, namespace(end.place)));
                link::encode_pair(bytes, ends, run.path.mtu_bytes);
            }),
            Self::Ifb(end) => batch.push(link::NEW_LINK, CREATE | EXCLUSIVE, subject, |bytes| {
                link::encode_ifb(bytes, device(*end), run.path.mtu_bytes);
            }),
            Self::Up(_, end) => batch.push(link::NEW_LINK, 0, subject, |bytes| {
                link::encode_up(bytes, end.map_or(link::LOOPBACK, |end| device(end).index));
            }),
            Self::Address(end, address) => batch.push(link::NEW_ADDRESS, CREATE | EXCLUSIVE, subject, |bytes| {
                link::encode_address(bytes, device(*end), *address);
            }),
            Self::Route(route) => batch.push(link::NEW_ROUTE, CREATE | EXCLUSIVE, subject, |bytes| {
                link::encode_route(bytes, device(route.device), route);
            }),
            Self::Queue(end, what) => discipline::push(batch, device(*end), what, seed(run, device(*end))),
            Self::Rule(rule) => rule.push(batch),
            Self::Ingress
            | Self::Kernel(_)
            | Self::Namespace(_)
            | Self::Setting(..)
            | Self::Relay(_)
            | Self::Offloads(_) => {
                return false;
            }
        }
        true
    }
}

/// Of the random draws at a device.
pub fn seed(run: &Run, device: &Device) -> u64 {
    run.seed ^ u64::from(device.index).rotate_left(32)
}
