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
//! * *near*: the bottleneck, a `tbf`; in the first shared router (this, or the gate) the return delays, a `netem`
//!   towards each pair's sender.
//! * *thinner*: random loss after the queue.
//! * *far*: the forward delays, a `netem` each; and what the receivers' NICs do, for which each pair has a link of its own
//!   from here. Interrupt moderation is a `slot` of that `netem`. With `host.gro` the receiver's device merges what comes
//!   to it together (`veth_poll`, `napi_gro_receive`). Its ring of 256 frames does not overflow, however large a lump: a
//!   queueing discipline hands over 64 frames before the device takes 64 (`dev_weight`, `__qdisc_run`, `net_rx_action`).
//!
//! See [`discipline`] for the queueing disciplines, [`link`] for the links, [`sysctl`] for the kernel's settings.

mod discipline;
mod link;
mod offload;
mod plan;
mod sysctl;
#[cfg(test)]
mod tests;

use crate::error::{Error, Subject};
use crate::namespace::Namespace;
use crate::netlink::{Batch, CREATE, EXCLUSIVE, Socket};
use discipline::Counters;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use plan::{Discipline, Place, Plan};
use run::{Buffer, QueueCounters, Run};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Duration;

/// The kernel brings a new device into operation in a thread of its own, a hundred or two a second; until then it
/// throws packets away (`__linkwatch_run_queue` in `link_watch.c`). Time between two looks.
const ACTIVATION: Duration = Duration::from_millis(10);
/// Looks at a device that does not come up.
const LOOKS: u32 = 3_000;

/// Where a flow begins or ends.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The namespace to make its socket in.
    pub namespace: Rc<Namespace>,
    /// The address to bind the socket to.
    pub address: Ipv4Addr,
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
    senders: Vec<Endpoint>,
    receivers: Vec<Endpoint>,
    burst_bytes: u64,
    room: Buffer,
    frame_bytes: u64,
    /// With offloads: never less than was once said.
    dropped_packets: u64,
    facts: BTreeMap<String, String>,
}

impl Network {
    /// Builds the path of a run. `reorder_ppb` packets per billion do not take the forward delay, and so overtake
    /// others: no run wants that, tests of a path's judge do.
    pub fn build(run: &Run, reorder_ppb: u32) -> Result<Self, Error> {
        let plan = Plan::new(run, reorder_ppb);
        plan.disciplines.iter().try_for_each(|(_, discipline)| discipline.check())?;
        let mut facts = describe(&plan, run);
        let mut sites = BTreeMap::new();
        if std::process::id() == 1 {
            apply(&sysctl::of_kernel(run), "", &mut facts)?;
        } else {
            for (name, _) in sysctl::of_kernel(run) {
                facts.insert(name.replace('/', "."), sysctl::look(name)?);
            }
        }
        let has_ipv6 = sysctl::has_ipv6();
        for &place in &plan.places {
            let settings = sysctl::of_namespace(place, run, has_ipv6);
            sites.insert(place, Site::create(place, &settings, &mut facts)?);
        }
        let site = |place: Place| &sites[&place];
        let endpoint = |place: Place, address| Endpoint { namespace: Rc::clone(&site(place).namespace), address };
        let pairs = 0..plan.pairs.len();
        let mut network = Self {
            senders: pairs.clone().map(|pair| endpoint(Place::Sender, Plan::sender(pair))).collect(),
            receivers: pairs.map(|pair| endpoint(Place::Receiver, Plan::receiver(pair))).collect(),
            plan,
            sites,
            burst_bytes: run.path.burst_bytes,
            room: run.path.buffer,
            frame_bytes: run.path.frame_bytes(),
            dropped_packets: 0,
            facts,
        };
        network.link(run)?;
        network.configure(run)?;
        network.look_at_fair()?;
        network.await_devices()?;
        Ok(network)
    }

    /// Where a flow begins: connect from this namespace, bound to this address.
    pub fn sender(&self, flow: usize) -> &Endpoint {
        &self.senders[self.plan.pair_of_flow[flow]]
    }

    /// Where a flow ends: listen in this namespace on this address.
    pub fn receiver(&self, flow: usize) -> &Endpoint {
        &self.receivers[self.plan.pair_of_flow[flow]]
    }

    /// The pair of a flow: flows of one pair share their addresses.
    pub fn pair(&self, flow: usize) -> usize {
        self.plan.pair_of_flow[flow]
    }

    /// The bottleneck's counters now; the caller knows the time. Two system calls, two more with random loss and with
    /// offloads.
    ///
    /// With offloads a dropped super-packet counts once and a sent one by its segments. There `offered` is the count
    /// of segments that passed the gate, `queued` is the backlog in frames of full size, and `dropped` what remains:
    /// exact when the queue is empty.
    pub fn counters(&mut self) -> Result<QueueCounters, Error> {
        let queue = self.count(self.plan.bottleneck, discipline::ROOT)?;
        let random_lost_packets = match self.plan.loss {
            Some(device) => self.count(device, discipline::CHILD)?.dropped_packets,
            None => 0,
        };
        let mut counters = QueueCounters {
            at_ns: 0,
            offered_packets: queue.sent_packets + queue.dropped_packets + queue.queued_packets,
            sent_packets: queue.sent_packets,
            sent_bytes: queue.sent_bytes,
            dropped_packets: queue.dropped_packets,
            random_lost_packets,
            queued_packets: queue.queued_packets,
            queued_bytes: queue.queued_bytes,
        };
        if let Some(device) = self.plan.arrivals {
            let arrived = self.count(device, discipline::ROOT)?.sent_packets;
            counters.queued_packets = queue.queued_bytes.div_ceil(self.frame_bytes);
            let dropped = arrived.saturating_sub(counters.sent_packets + counters.queued_packets);
            self.dropped_packets = self.dropped_packets.max(dropped);
            counters.dropped_packets = self.dropped_packets;
            counters.offered_packets = counters.sent_packets + counters.dropped_packets + counters.queued_packets;
        }
        Ok(counters)
    }

    /// From now on the bottleneck has another rate. What waits stays; the bucket is full again, and the frame at the
    /// head may keep the time that it had (`tbf_change` in the kernel's `sch_tbf.c`).
    pub fn change_rate(&mut self, rate_bps: u64) -> Result<(), Error> {
        let device = &self.plan.devices[self.plan.bottleneck];
        let mut batch = Batch::default();
        discipline::push_rate(&mut batch, device, rate_bps, self.burst_bytes, self.room);
        site(&mut self.sites, device.place).socket.execute(batch)
    }

    /// Settings as the kernel has them, queueing disciplines and offloads.
    pub fn facts(&self) -> BTreeMap<String, String> {
        self.facts.clone()
    }

    /// Makes every link, its ends still down, and their offloads as asked.
    fn link(&mut self, run: &Run) -> Result<(), Error> {
        let mut batch = Batch::default();
        for pair in self.plan.devices.chunks_exact(2) {
            let end = |device: usize| (&pair[device], self.sites[&pair[device].place].namespace.as_fd());
            batch.push(link::NEW_LINK, CREATE | EXCLUSIVE, format!("veth {}", pair[0].name), |bytes| {
                link::encode_pair(bytes, [end(0), end(1)], run.path.mtu_bytes);
            });
        }
        site(&mut self.sites, Place::Sender).socket.execute(batch)?;
        for device in &self.plan.devices {
            offload::set(self.sites[&device.place].socket.as_fd(), &device.name, device.offloads)?;
        }
        // One device tells for all that are alike.
        for place in [Place::Sender, Place::Receiver] {
            let device = self.plan.devices.iter().find(|device| device.place == place).expect("a device of each host");
            let offloads = offload::get(self.sites[&place].socket.as_fd(), &device.name)?;
            self.facts.insert(format!("offloads ({})", place.name()), offloads);
        }
        Ok(())
    }

    /// Settings of `fq` that are the kernel's own.
    fn look_at_fair(&mut self) -> Result<(), Error> {
        let fair = self.plan.disciplines.iter().find(|(_, discipline)| *discipline == Discipline::Fair);
        let Some(&(device, _)) = fair else { return Ok(()) };
        let text = discipline::fair_text(self.ask(device, discipline::ROOT)?);
        self.facts.insert("fq".to_owned(), text.ok_or_else(|| Error::new("fq", "an answer without its settings"))?);
        Ok(())
    }

    /// Addresses, routes and queueing disciplines: one message a namespace.
    fn configure(&mut self, run: &Run) -> Result<(), Error> {
        let plan = &self.plan;
        for &place in &plan.places {
            let here = |device: &usize| plan.devices[*device].place == place;
            let mut batch = Batch::default();
            let devices = plan.devices.iter().filter(|device| device.place == place);
            let (indices, names): (Vec<u32>, Vec<&str>) = devices.map(|device| (device.index, &*device.name)).unzip();
            for (index, name) in indices.into_iter().chain([link::LOOPBACK]).zip(names.into_iter().chain(["lo"])) {
                batch.push(link::NEW_LINK, 0, format!("{name} of {} up", place.name()), |bytes| {
                    link::encode_up(bytes, index);
                });
            }
            for (device, address) in plan.addresses.iter().filter(|(device, _)| here(device)) {
                let device = &plan.devices[*device];
                let subject = format!("address {address} of {}", device.name);
                batch.push(link::NEW_ADDRESS, CREATE | EXCLUSIVE, subject, |bytes| {
                    link::encode_address(bytes, device, *address);
                });
            }
            for route in plan.routes.iter().filter(|route| here(&route.device)) {
                let device = &plan.devices[route.device];
                let subject = format!("route to {} by {}", route.to.text(), device.name);
                batch.push(link::NEW_ROUTE, CREATE | EXCLUSIVE, subject, |bytes| {
                    link::encode_route(bytes, device, route);
                });
            }
            for (device, discipline) in plan.disciplines.iter().filter(|(device, _)| here(device)) {
                let device = &plan.devices[*device];
                let seed = run.seed ^ u64::from(device.index).rotate_left(32);
                discipline::push(&mut batch, device, discipline, seed);
            }
            site(&mut self.sites, place).socket.execute(batch)?;
        }
        Ok(())
    }

    /// Waits until every device passes packets on.
    fn await_devices(&mut self) -> Result<(), Error> {
        let mut looks = 0;
        for device in &self.plan.devices {
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

    fn count(&mut self, device: usize, handle: u32) -> Result<Counters, Error> {
        let counters = discipline::parse_counters(self.ask(device, handle)?);
        counters.ok_or_else(|| Error::new("counters of a queueing discipline", "an answer without them"))
    }

    /// What the kernel says of a queueing discipline.
    fn ask(&mut self, device: usize, handle: u32) -> Result<&[u8], Error> {
        let device = &self.plan.devices[device];
        let socket = &mut site(&mut self.sites, device.place).socket;
        let question = |bytes: &mut Vec<u8>| discipline::encode_question(bytes, device, handle);
        socket.ask(discipline::GET_QDISC, "state of a queueing discipline", question)
    }
}

impl Site {
    fn create(place: Place, settings: &[sysctl::Setting], facts: &mut BTreeMap<String, String>) -> Result<Self, Error> {
        let namespace = Namespace::create()?;
        let socket = namespace.within(|| {
            apply(settings, place.name(), facts)?;
            Socket::open()
        })??;
        Ok(Self { namespace: Rc::new(namespace), socket })
    }
}

/// Makes settings, and notes them as `net.ipv4.tcp_rmem (sender)`.
fn apply(settings: &[sysctl::Setting], whose: &str, facts: &mut BTreeMap<String, String>) -> Result<(), Error> {
    for setting in settings {
        let name = setting.0.replace('/', ".");
        let name = if whose.is_empty() { name } else { format!("{name} ({whose})") };
        facts.insert(name, sysctl::apply(setting)?);
    }
    Ok(())
}

fn site(sites: &mut BTreeMap<Place, Site>, place: Place) -> &mut Site {
    sites.get_mut(&place).expect("a site for every place of the plan")
}

/// What is built, in words.
fn describe(plan: &Plan, run: &Run) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let places: Vec<&str> = plan.places.iter().map(|place| place.name()).collect();
    facts.insert(
        "path".to_owned(),
        format!("{}, {} lanes, mtu {}", places.join(" - "), plan.pairs.len(), run.path.mtu_bytes),
    );
    // Devices of one place with the same are told together: the first, and how many more.
    let mut alike: Vec<(Place, Discipline, &str, usize)> = Vec::new();
    for (device, discipline) in &plan.disciplines {
        let device = &plan.devices[*device];
        match alike.iter_mut().find(|(place, other, ..)| *place == device.place && other == discipline) {
            Some((.., more)) => *more += 1,
            None => alike.push((device.place, *discipline, &device.name, 0)),
        }
    }
    for (_, discipline, first, more) in alike {
        let others = if more > 0 { format!("; the same on {more} more") } else { String::new() };
        facts.insert(format!("qdisc {first}"), discipline.text() + &others);
    }
    facts
}

/// Lets time pass: all others run meanwhile.
pub fn sleep(span: Duration) -> Result<(), Error> {
    clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::empty(), &TimeSpec::from_duration(span))
        .map(drop)
        .about("sleep")
}
