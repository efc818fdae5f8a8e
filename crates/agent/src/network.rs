//! [`Network`]: the path of a run, built out of namespaces, links and queueing disciplines.
//!
//! ```text
//! sender ═ [lane] ═ [access] ═ [gate] ─ near ─ [thinner] ─ [far] ═ receiver    ═ one link a pair   ─ one link
//! ```
//!
//! Each is a namespace; those in brackets are there only when the run needs them, since each hop costs every packet a
//! pass through the kernel's receive path.
//!
//! * *sender, receiver*: all hosts. Each flow has a pair of them of its own, with two addresses, as soon as something of
//!   a host can be felt; else flows with the same delays share a pair. The receiver's address decides by which device a
//!   packet leaves, so that no routing by source is needed. On the sender's own device is its queue, if it has one: `fq`,
//!   or a `tbf` where its access line is a device. TCP's small queues hold back what waits there, and TCP sees at once
//!   what is dropped there. The `tbf` cuts the super-packets that TCP hands over (`tbf_segment`), `fq` does not. Both
//!   together are refused: below a `tbf`, `fq` would take the place of the drop-tail queue.
//! * *lane*: timing noise, a `netem` that keeps packets in order and draws once for each packet that it gets: for a
//!   burst, since it sees super-packets whole. With no queue at the sender it is on the sender's own device. Behind one
//!   it has this place, since `netem` frees TCP's small queues (`skb_orphan_partial`); there the sender's device lets
//!   super-packets pass, and the lane's cuts them. What a `tbf` has cut already draws for each frame.
//! * *access*: a `tbf` for each line of a router. TCP's small queues hold nothing back there. Unlike the model's line, an
//!   idle `tbf` lets its first frame through at once instead of after size/rate.
//! * *gate*: random loss before the queue. Its device gets single frames, where the sender's own queueing discipline
//!   would get super-packets whatever its offloads say: TCP hands them over whole, and they are cut below it. With
//!   `path.offload` the gate also counts: its counters, unlike those of dropped super-packets, are in segments.
//! * *near*: the bottleneck, a `tbf` or an `htb`, unless that is at the receivers' ingress: there it is on an `ifb`,
//!   through which goes what comes in by each of the receivers' devices; in the first shared router (this, or the gate) the return delays, a `netem`
//!   towards each pair's sender.
//! * *thinner*: random loss after the queue.
//! * *far*: the forward delays, a `netem` each; and what the receivers' NICs do, for which each pair has a link of its own
//!   from here. Interrupt moderation is a `slot` of that `netem`. With `host.gro` the receiver's device merges what comes
//!   to it together (`veth_poll`, `napi_gro_receive`). Its ring of 256 frames does not overflow, however large a lump: a
//!   queueing discipline hands over 64 frames before the device takes 64 (`dev_weight`, `__qdisc_run`, `net_rx_action`).
//!
//! Where there are several queues, each has the routers from the gate to the far one of its own, with its number
//! ([`row`]); its far router delays what goes on to the next hop. Hops of the way back are a row beside, and packets pass
//! each row one way:
//!
//! ```text
//! sender ═ near1 ─ far1 ─ near2 ═ receiver ─ upnear1 ═ sender
//! ```
//!
//! Flows enter at the first router of their first hop and leave behind their last one: there it has a route to their host,
//! which is longer than those onward. Those that go up send their data by the way back. All hosts that send are in one
//! namespace and all that receive in another, at whichever end they stand: only their links differ. Without hops on the
//! way back ACKs take the row of the path from the far to the near end, where no queue is.
//!
//! Where the kernel lacks `netem`, what one would do is done by [`relay`] on a line of its own beside that link.
//!
//! What is done is a list of [`step`]s, which [`command`] tells people as they would type them. See [`discipline`] for the
//! queueing disciplines, [`link`] for the links, [`sysctl`] for the kernel's settings.

mod bucket;
#[cfg(test)]
mod built_tests;
mod command;
mod counters;
mod device;
mod discipline;
mod facts;
mod handle;
#[cfg(test)]
mod hop_tests;
mod impaired;
mod ingress;
mod link;
mod loss;
mod machine;
mod managed;
mod means;
mod offers;
mod offload;
mod pair;
mod part;
mod passage;
mod place;
mod plan;
mod queues;
mod relay;
mod row;

mod step;
mod sysctl;
mod tap;
#[cfg(test)]
mod tests;

use crate::clock::sleep;
use crate::console;
use crate::error::Error;
use crate::namespace::Namespace;
use crate::netlink::{Batch, Socket};
use crate::part::Part;
use plan::{Device, Discipline, Place, Plan};
use relay::{Line, Relay};
use run::{CapturePoint, Ecn, Path, Places, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::rc::Rc;
use std::time::Duration;
use step::Step;
use tap::Tap;

pub use facts::late_facts;
pub use loss::{SOURCE_AT, TARGET_AT};
pub use machine::{Machine, Means};
pub use plan::window_bytes;
pub use relay::carry;

/// The kernel brings a new device into operation in a thread of its own, a hundred or two a second; until then it
/// throws packets away (`__linkwatch_run_queue` in `link_watch.c`). Time between two looks.
const ACTIVATION: Duration = Duration::from_millis(10);
/// Looks at a device that does not come up.
const LOOKS: u32 = 3_000;

/// Takes away what leads packets of an interface into a path, and what has connections offer ECN.
///
/// # Errors
/// The kernel refuses.
pub fn take_away(interface: &str) -> Result<(), Error> {
    passage::take_away(interface)?;
    offers::withdraw_offers()
}

/// Where a flow begins or ends.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The namespace to make its socket in.
    pub namespace: Rc<Namespace>,
    /// The address to bind the socket to.
    pub address: Ipv4Addr,
}

/// Where frames are captured in a built path.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Whose file they go into.
    pub point: CapturePoint,
    /// The numbers of the devices whose frames they are.
    pub numbers: Vec<u32>,
    /// These are all that the namespace has.
    pub is_of_all: bool,
    /// Only what leaves by them.
    pub is_outgoing: bool,
    /// Only what goes from the first to the second of such a pair; none: whatever there is.
    pub hosts: Vec<(Ipv4Addr, Ipv4Addr)>,
}

/// A namespace of the path, and the socket through which it is built and asked.
#[derive(Debug)]
struct Site {
    namespace: Rc<Namespace>,
    socket: Socket,
}

/// A path. It vanishes when it is dropped and the sockets in it are closed.
#[derive(Debug)]
pub struct Network {
    plan: Plan,
    sites: BTreeMap<Place, Site>,
    /// By flow.
    senders: Vec<Endpoint>,
    receivers: Vec<Endpoint>,
    /// Which flows begin and end on this machine; none: all do.
    part: Option<Part>,
    /// By which it reaches the others.
    interface: Option<Device>,
    path: Path,
    /// Steps are told on the standard error as they are done: whoever finds the agent killed reads there how far it came.
    tells_steps: bool,
    /// With offloads: never less than was once said, by hop.
    dropped_packets: Vec<u64>,
    relay: Option<Relay>,
    facts: BTreeMap<String, String>,
}

/// A step of a path, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDescription {
    /// Where it is done.
    pub host: String,
    /// What is done.
    pub what: String,
    /// The same as a command: an argument list.
    pub command: Vec<String>,
}

/// The steps that build the path of a run, as commands, and then the programs of its flows. Namespaces are named after `id`.
///
/// # Errors
/// The kernel would round what is asked for, or take it for something else.
pub fn describe_steps(
    run: &Run,
    controls: &[String],
    machine: Machine,
    means: Means,
    id: &str,
) -> Result<Vec<StepDescription>, Error> {
    pair::check(run)?;
    let plan = Plan::of(run, 0, controls, means);
    plan.disciplines.iter().try_for_each(|(_, discipline)| discipline.check())?;
    let describe_step = |step: &Step| {
        let host = step.place(&plan).map_or_else(|| "all".to_owned(), Place::name);
        let what = step.subject(&plan);
        let description = |command| StepDescription { host: host.clone(), what: what.clone(), command };
        command::commands(step, &plan, run, id).into_iter().map(description).collect::<Vec<StepDescription>>()
    };
    let mut all: Vec<StepDescription> =
        step::steps(&plan, run, machine == Machine::Shared).iter().flat_map(describe_step).collect();
    if let Some(snap_bytes) = run.measure.snap_bytes {
        for tap in Tap::of(&plan, run) {
            let what = tap.text(&plan, snap_bytes);
            let commands = tap.commands(&plan, snap_bytes).into_iter();
            all.extend(commands.map(|command| StepDescription {
                host: tap.place.name(),
                what: what.clone(),
                command: command::within(&command::name(id, tap.place), command),
            }));
        }
    }
    for (flow, of) in run.flows.iter().enumerate() {
        let what = format!("a program of {}", of.name);
        let programs = command::programs(flow, &plan, run, id).into_iter();
        all.extend(programs.map(|(place, command)| StepDescription {
            host: place.name(),
            what: what.clone(),
            command,
        }));
    }
    Ok(all)
}

impl Network {
    /// Builds the path of a run. `reorder_ppb` packets per billion do not take the forward delay, and so overtake
    /// others: no run wants that, tests of a path's judge do.
    /// `controls`: each flow's congestion control, which programs take from their route.
    pub fn build(
        run: &Run,
        controls: &[String],
        reorder_ppb: u32,
        machine: Machine,
        means: Means,
    ) -> Result<Self, Error> {
        pair::check(run)?;
        let plan = Plan::of(run, reorder_ppb, controls, means);
        plan.disciplines.iter().try_for_each(|(_, discipline)| discipline.check())?;
        let mut network = Self {
            senders: Vec::new(),
            receivers: Vec::new(),
            facts: facts::describe(&plan, run),
            dropped_packets: vec![0; plan.hops.len()],
            plan,
            sites: BTreeMap::new(),
            path: run.path.clone(),
            tells_steps: machine == Machine::Shared,
            relay: None,
            part: None,
            interface: None,
        };
        if machine == Machine::Shared {
            for (name, _) in sysctl::of_kernel(run) {
                network.facts.insert(name.replace('/', "."), sysctl::look(name)?);
            }
        }
        network.begin(run, machine)?;
        let endpoint = |network: &Self, place: Place, address| Endpoint {
            namespace: Rc::clone(&network.sites[&place].namespace),
            address,
        };
        for pair in network.plan.pair_of_flow.clone() {
            network.senders.push(endpoint(&network, Place::Sender, network.plan.sender(pair)));
            network.receivers.push(endpoint(&network, Place::Receiver, network.plan.receiver(pair)));
        }
        Ok(network)
    }

    /// Builds what is planned.
    fn begin(&mut self, run: &Run, machine: Machine) -> Result<(), Error> {
        self.execute_steps(&step::steps(&self.plan, run, machine == Machine::Shared), run)?;
        self.look_at_offloads()?;
        self.look_at_queues()?;
        self.await_devices()
    }

    /// Where a flow begins: connect from this namespace, bound to this address.
    pub fn sender(&self, flow: usize) -> &Endpoint {
        &self.senders[flow]
    }

    /// Where a flow ends: listen in this namespace on this address.
    pub fn receiver(&self, flow: usize) -> &Endpoint {
        &self.receivers[flow]
    }

    /// Connects a sender of a flow, which offers the ECN that the flow has. Other machines keep their settings.
    ///
    /// # Errors
    /// The kernel does not know accurate ECN.
    pub fn connect<T>(&self, run: &Run, flow: usize, connect: impl FnOnce() -> T) -> Result<T, Error> {
        if run.flows[flow].ecn != Ecn::Accurate || self.part.is_some() {
            return Ok(connect());
        }
        let [usual, offering] = sysctl::ecn_settings(run);
        self.senders[flow].namespace.within(|| {
            sysctl::apply(&offering)?;
            let connected = connect();
            sysctl::apply(&usual).map(|_| connected)
        })?
    }

    /// The namespaces in which these flows begin and end, each once.
    pub fn ends(&self, flows: impl IntoIterator<Item = usize>) -> Vec<&Rc<Namespace>> {
        let mut namespaces: Vec<&Rc<Namespace>> = Vec::new();
        for namespace in
            flows.into_iter().flat_map(|flow| [self.sender(flow), self.receiver(flow)].map(|it| &it.namespace))
        {
            if !namespaces.iter().any(|known| Rc::ptr_eq(known, namespace)) {
                namespaces.push(namespace);
            }
        }
        namespaces
    }

    /// Where the run's frames are captured, each with its namespace.
    pub fn taps(&self, run: &Run) -> Vec<(Capture, &Namespace)> {
        let number = |device: &usize| self.plan.devices[*device].index;
        let capture = |tap: Tap| {
            let numbers = tap.devices.iter().map(number).collect();
            let Tap { point, is_of_all, is_outgoing, .. } = tap;
            let hosts = Vec::new();
            (Capture { point, numbers, is_of_all, is_outgoing, hosts }, &*self.sites[&tap.place].namespace)
        };
        match &self.part {
            None => Tap::of(&self.plan, run).into_iter().map(capture).collect(),
            Some(part) => {
                let bottlenecks = self.bottleneck_taps(run).into_iter().map(capture);
                bottlenecks.chain(self.own_captures(part, run)).collect()
            }
        }
    }

    /// The pair of a flow: flows of one pair share their addresses.
    pub fn pair(&self, flow: usize) -> usize {
        self.plan.pair_of_flow[flow]
    }

    /// What the words of a flow's programs may name.
    pub fn places(&self, run: &Run, flow: usize) -> Places {
        command::places(flow, [self.sender(flow).address, self.receiver(flow).address], run)
    }

    /// From now on nothing more leaves a flow's sender, which shares its devices with no other.
    pub fn cut(&mut self, flow: usize) -> Result<(), Error> {
        if self.part.is_some() {
            return Ok(()); // its devices are the machine's
        }
        let to = self.receiver(flow).address;
        let leads =
            |route: &&plan::Route| self.plan.devices[route.device].place == Place::Sender && route.to.address == to;
        let Some(route) = self.plan.routes.iter().find(leads) else { return Ok(()) };
        let device = &self.plan.devices[route.device];
        let mut batch = Batch::default();
        batch.push(link::NEW_LINK, 0, format!("{} down", device.name), |bytes| link::encode_down(bytes, device.index));
        site(&mut self.sites, Place::Sender).socket.execute(batch)
    }

    /// Settings as the kernel has them, queueing disciplines and offloads.
    pub fn facts(&self) -> BTreeMap<String, String> {
        self.facts.clone()
    }

    /// Each namespace by its place: what its descriptor in this process's `/proc/PID/fd` leads to, e.g. `net:[4026532281]`.
    pub fn namespaces(&self) -> BTreeMap<String, String> {
        let target = |site: &Site| {
            let path = format!("/proc/self/fd/{}", site.namespace.as_fd().as_raw_fd());
            std::fs::read_link(path).map_or_else(|error| error.to_string(), |target| target.display().to_string())
        };
        self.sites.iter().map(|(place, site)| (place.name(), target(site))).collect()
    }

    /// How well the relay did, as facts; none where there is no relay. Of the packets that left after their time, those
    /// are counted that were late by so much and more.
    ///
    /// # Errors
    /// It has stopped, or the kernel does not tell what it dropped before the relay could take it.
    pub fn relay_facts(&mut self) -> Result<BTreeMap<String, String>, Error> {
        let Some(counts) = self.relay.as_ref().map(Relay::counts).transpose()? else { return Ok(BTreeMap::new()) };
        let mut dropped = counts.refused;
        for line in 0..self.plan.relays.len() {
            let device = &self.plan.devices[self.plan.relays[line].0];
            let socket = &mut site(&mut self.sites, device.place).socket;
            let question = |bytes: &mut Vec<u8>| link::encode_question(bytes, device);
            dropped += link::parse_dropped(socket.ask(link::GET_LINK, &device.name, question)?);
        }
        let mut facts = late_facts("live.relay", &counts.late);
        facts.insert("live.relay_dropped".to_owned(), dropped.to_string());
        Ok(facts)
    }

    /// Does one step after the other. Requests that follow one another in one namespace are one message.
    fn execute_steps(&mut self, steps: &[Step], run: &Run) -> Result<(), Error> {
        let mut lines = Vec::new();
        let mut batch: Option<(Place, Batch)> = None;
        for step in steps {
            if self.tells_steps {
                let place = step.place(&self.plan).map_or_else(|| "all".to_owned(), Place::name);
                console::print_line(&format!("{place}: {}", step.subject(&self.plan)));
            }
            // Links between any two namespaces are made from one.
            let at = if matches!(step, Step::Link(_)) { Some(Place::Sender) } else { step.place(&self.plan) };
            if batch.as_ref().is_some_and(|(place, _)| Some(*place) != at) {
                self.execute(batch.take())?;
            }
            let (place, mut requests) = match batch.take() {
                None => (at.unwrap_or(Place::Sender), Batch::default()),
                Some(begun) => begun,
            };
            let descriptor = |place: Place| self.sites[&place].namespace.as_fd();
            let is_request = step.push(&mut requests, &self.plan, run, descriptor);
            if !requests.is_empty() {
                batch = Some((place, requests));
            }
            if !is_request {
                self.execute(batch.take())?;
                self.execute_step_alone(step, run, &mut lines)?;
            }
        }
        self.execute(batch)?;
        if !lines.is_empty() {
            self.relay = Some(Relay::begin(lines)?);
        }
        Ok(())
    }

    fn execute(&mut self, batch: Option<(Place, Batch)>) -> Result<(), Error> {
        batch.map_or(Ok(()), |(place, batch)| site(&mut self.sites, place).socket.execute(batch))
    }

    /// A step that no request to the kernel does.
    fn execute_step_alone(&mut self, step: &Step, run: &Run, lines: &mut Vec<Line>) -> Result<(), Error> {
        match step {
            Step::Kernel(setting) => apply(setting, "", &mut self.facts),
            Step::Namespace(Place::Machine) => {
                self.sites.insert(Place::Machine, Site::current()?);
                Ok(())
            }
            Step::Namespace(place) => self.sites.insert(*place, Site::create()?).map_or(Ok(()), |_| {
                Err(Error::new(format_args!("network namespace {}", place.name()), "the plan has it twice"))
            }),
            Step::Ingress => {
                let Some(way) = &self.plan.passage else { return Ok(()) };
                let batch = way.ingress(&self.plan);
                site(&mut self.sites, Place::Machine).socket.execute(batch)
            }
            Step::Setting(place, setting) => {
                let namespace = Rc::clone(&self.sites[place].namespace);
                namespace.within(|| apply(setting, &place.name(), &mut self.facts))?
            }
            Step::Offloads(device) => {
                let device = &self.plan.devices[*device];
                offload::set(self.sites[&device.place].socket.as_fd(), &device.name, device.offloads)
            }
            Step::Relay(first) => {
                let mut ends = [*first, first + 1].into_iter().map(|end| self.open_relay_end(end, run));
                let (Some(takes), Some(gives)) = (ends.next(), ends.next()) else { return Ok(()) };
                lines.push(Line {
                    takes: takes?,
                    gives: gives?,
                    treatment: self.plan.relay_of(*first).unwrap_or(Discipline::Counter),
                    seed: step::seed(run, &self.plan.devices[*first]),
                    mtu_bytes: run.path.mtu_bytes as usize,
                });
                Ok(())
            }
            Step::Link(_)
            | Step::Ifb(_)
            | Step::Up(..)
            | Step::Address(..)
            | Step::Route(_)
            | Step::Queue(..)
            | Step::Rule(_) => Ok(()),
        }
    }

    fn open_relay_end(&mut self, device: usize, run: &Run) -> Result<std::fs::File, Error> {
        let device = &self.plan.devices[device];
        let site = self.sites.get_mut(&device.place).expect("a site for every place of the plan");
        relay::open_end(&site.namespace, &mut site.socket, device, run.path.mtu_bytes)
    }

    /// One device tells for all that are alike.
    fn look_at_offloads(&mut self) -> Result<(), Error> {
        for place in [Place::Sender, Place::Receiver] {
            let device = self.plan.devices.iter().find(|device| device.place == place).expect("a device of each host");
            let offloads = offload::get(self.sites[&place].socket.as_fd(), &device.name)?;
            self.facts.insert(format!("offloads ({})", place.name()), offloads);
        }
        Ok(())
    }

    /// Settings of the senders' `fq` and of managed queues, as the kernel has them: some are its own, and times are rounded.
    fn look_at_queues(&mut self) -> Result<(), Error> {
        let fair = self.plan.disciplines.iter().find(|(_, discipline)| *discipline == Discipline::Fair);
        let fair = fair.map(|(device, _)| ("fq".to_owned(), String::new(), *device, handle::ROOT));
        let managed = self.plan.disciplines.iter().filter_map(|(device, discipline)| match discipline {
            Discipline::Bucket { managed: Some(queue), .. } => {
                let handle = discipline.queue_handle();
                let fact = format!("queue {}", self.plan.devices[*device].name);
                Some((fact, format!("{} ", queue.discipline.name()), *device, handle))
            }
            _ => None,
        });
        for (fact, kind, device, handle) in fair.into_iter().chain(managed).collect::<Vec<_>>() {
            let settings = managed::settings_text(self.ask(device, handle)?);
            let settings = settings.ok_or_else(|| Error::new(&fact, "an answer without its settings"))?;
            self.facts.insert(fact, kind + &settings);
        }
        Ok(())
    }

    /// Waits until every device passes packets on.
    fn await_devices(&mut self) -> Result<(), Error> {
        let mut looks = 0;
        for (position, device) in self.plan.devices.iter().enumerate() {
            if self.plan.relay_of(position).is_some() || self.plan.ifb == Some(position) {
                continue; // it passes them on at once, and says nothing of itself
            }
            let socket = &mut site(&mut self.sites, device.place).socket;
            let question = |bytes: &mut Vec<u8>| link::encode_question(bytes, device);
            while !link::parse_up(socket.ask(link::GET_LINK, &device.name, question)?) {
                if looks == LOOKS {
                    return Err(Error::new(&device.name, "did not come up"));
                }
                looks += 1;
                sleep(ACTIVATION)?;
            }
        }
        Ok(())
    }

    /// What the kernel says of a queueing discipline.
    fn ask(&mut self, device: usize, handle: u32) -> Result<&[u8], Error> {
        let device = &self.plan.devices[device];
        let socket = &mut site(&mut self.sites, device.place).socket;
        let question = |bytes: &mut Vec<u8>| counters::encode_question(bytes, device, handle);
        socket.ask(counters::GET_QDISC, "state of a queueing discipline", question)
    }
}

impl Site {
    fn create() -> Result<Self, Error> {
        Self::of(Namespace::create()?)
    }

    /// That of the calling thread.
    fn current() -> Result<Self, Error> {
        Self::of(Namespace::current()?)
    }

    fn of(namespace: Namespace) -> Result<Self, Error> {
        let socket = namespace.within(Socket::open)??;
        Ok(Self { namespace: Rc::new(namespace), socket })
    }
}

/// Makes a setting, and notes it as `net.ipv4.tcp_rmem (sender)`.
fn apply(setting: &sysctl::Setting, whose: &str, facts: &mut BTreeMap<String, String>) -> Result<(), Error> {
    let name = setting.0.replace('/', ".");
    let name = if whose.is_empty() { name } else { format!("{name} ({whose})") };
    facts.insert(name, sysctl::apply(setting)?);
    Ok(())
}

fn site(sites: &mut BTreeMap<Place, Site>, place: Place) -> &mut Site {
    sites.get_mut(&place).expect("a site for every place of the plan")
}
