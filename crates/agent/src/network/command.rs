//! Each step of a path as commands that a person could type, what `ip`, `tc`, `sysctl` and `ethtool` are told; and the
//! programs of its flows.
//!
//! Namespaces have names here, which those of the agent do without.

use super::link;
use super::plan::{Discipline, Place, Plan};
use super::step::Step;
use crate::sockets::RECEIVER_PORT;
use run::{Buffer, Places, Run, ShaperKind, Workload};
use serde::Serialize;
use std::net::Ipv4Addr;

/// The agent's executable, in a step that only it can do.
const AGENT: &str = "dumbbell-agent";

/// A namespace's name; runs of other `id`s have others.
pub fn name(id: &str, place: Place) -> String {
    format!("dumbbell-{id}-{}", place.name())
}

/// A step as argument lists, to be run one after the other. The relay's goes on for as long as the path is there.
pub fn commands(step: &Step, plan: &Plan, run: &Run, id: &str) -> Vec<Vec<String>> {
    let device = |device: usize| plan.devices[device].name.as_str();
    let host = |device: usize| name(id, plan.devices[device].place);
    match step {
        Step::Kernel(setting) => vec![strings(["sysctl", "-w", &assignment(setting)])],
        Step::Namespace(place) => vec![strings(["ip", "netns", "add", &name(id, *place)])],
        Step::Setting(place, setting) => {
            vec![within(&name(id, *place), strings(["sysctl", "-w", &assignment(setting)]))]
        }
        Step::Link(first) => pair(*first, plan, run, id),
        Step::Ifb(end) => {
            let of = &plan.devices[*end];
            let (mac, mtu, index) = (link::mac_text(of), run.path.mtu_bytes.to_string(), of.index.to_string());
            let mut command = strings(["ip", "-n", &host(*end), "link", "add", "name", &of.name, "index", &index]);
            command.extend(strings([
                "address",
                &mac,
                "mtu",
                &mtu,
                "numtxqueues",
                "1",
                "numrxqueues",
                "1",
                "type",
                "ifb",
            ]));
            vec![command]
        }
        Step::Relay(first) => {
            let mut command = strings([AGENT, "relay", &run.path.mtu_bytes.to_string(), &run.seed.to_string()]);
            for end in [*first, first + 1] {
                command.extend([host(end), device(end).to_owned(), plan.devices[end].index.to_string()]);
            }
            command.extend(plan.relay_of(*first).iter().flat_map(|treatment| treatment.arguments()));
            vec![command]
        }
        Step::Offloads(end) => {
            let offloads = plan.devices[*end].offloads;
            let on = |on: bool| if on { "on" } else { "off" };
            let (cuts, merges) = (on(offloads.segmentation), on(offloads.merging));
            let command = strings(["ethtool", "-K", device(*end), "tso", cuts, "gso", cuts, "gro", merges]);
            vec![within(&host(*end), command)]
        }
        Step::Up(place, end) => {
            let end = end.map_or("lo", device);
            vec![strings(["ip", "-n", &name(id, *place), "link", "set", "dev", end, "up"])]
        }
        Step::Address(end, address) => {
            vec![strings(["ip", "-n", &host(*end), "address", "add", &format!("{address}/32"), "dev", device(*end)])]
        }
        Step::Route(route) => {
            let to = route.to.text();
            let mut command =
                strings(["ip", "-n", &host(route.device), "route", "add", &to, "dev", device(route.device)]);
            command.extend(strings(["proto", "static", "scope", "link"]));
            command.extend(route.source.iter().flat_map(|source| strings(["src", &source.to_string()])));
            let window = route.initial_window_segments;
            command.extend(window.iter().flat_map(|segments| strings(["initcwnd", &segments.to_string()])));
            command.extend(route.window_bytes.iter().flat_map(|bytes| strings(["window", &bytes.to_string()])));
            command.extend(if route.offers_ecn { strings(["features", "ecn"]) } else { Vec::new() });
            command.extend(route.control.iter().flat_map(|control| strings(["congctl", "lock", control])));
            vec![command]
        }
        Step::Queue(end, discipline) => {
            let tc = |rest: &str| {
                let mut command = strings(["tc", "-n", &host(*end)]);
                command.extend(rest.split(' ').map(str::to_owned));
                command
            };
            queue(discipline, device(*end)).iter().map(|rest| tc(rest)).collect()
        }
        // No run of one machine has it.
        Step::Ingress => Vec::new(),
        Step::Rule(rule) => vec![strings(["ip", "rule", "add", &rule.text()])],
    }
}

/// What a flow's programs are, the server first, each with its host; none: it has none.
pub fn programs(flow: usize, plan: &Plan, run: &Run, id: &str) -> Vec<(Place, Vec<String>)> {
    let Workload::Command { command, server, .. } = &run.flows[flow].workload else { return Vec::new() };
    let pair = plan.pair_of_flow[flow];
    let places = places(flow, [plan.sender(pair), plan.receiver(pair)], run);
    let ends = [(Place::Receiver, server), (Place::Sender, command)];
    let filled = ends.into_iter().filter(|(_, arguments)| !arguments.is_empty()).map(|(place, arguments)| {
        // What has no meaning is refused before a job comes here, and stays as it is written.
        (place, within(&name(id, place), places.fill(arguments).unwrap_or_else(|_| arguments.clone())))
    });
    filled.collect()
}

/// What the words of a flow's programs may name.
pub fn places(flow: usize, [sender, receiver]: [Ipv4Addr; 2], run: &Run) -> Places {
    Places {
        receiver: receiver.to_string(),
        sender: sender.to_string(),
        port: RECEIVER_PORT + flow as u16,
        seconds: run.full_seconds(flow),
    }
}

/// A veth pair. `ip` cannot say at once that a device does without ARP.
fn pair(first: usize, plan: &Plan, run: &Run, id: &str) -> Vec<Vec<String>> {
    let ends = [&plan.devices[first], &plan.devices[first + 1]];
    let (mac, mtu) = (link::mac_text(ends[0]), run.path.mtu_bytes.to_string());
    let [here, there] = ends.map(|end| name(id, end.place));
    let end = |position: usize| {
        let (name, index) = (&ends[position].name, ends[position].index.to_string());
        strings(["name", name, "index", &index, "address", &mac, "mtu", &mtu, "numtxqueues", "1", "numrxqueues", "1"])
    };
    let mut command = strings(["ip", "-n", &here, "link", "add"]);
    command.extend(end(0));
    command.extend(strings(["type", "veth", "peer"]));
    command.extend(end(1));
    command.extend(strings(["netns", &there]));
    let quiet = |host: &str, name: &str| strings(["ip", "-n", host, "link", "set", "dev", name, "arp", "off"]);
    vec![command, quiet(&here, &ends[0].name), quiet(&there, &ends[1].name)]
}

/// What `tc` is told for a discipline.
fn queue(discipline: &Discipline, device: &str) -> Vec<String> {
    let root = format!("qdisc replace dev {device} root handle 1:");
    match *discipline {
        Discipline::Bucket { kind, rate_bps, burst_bytes, room, managed, extra_bytes, has_valve } => {
            let rate = super::bucket::rate_in_bytes(rate_bps);
            let root = format!("{root} {}", super::bucket::stab_text(extra_bytes));
            let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = room;
            let mut commands = match kind {
                ShaperKind::Police => Vec::new(),
                ShaperKind::Tbf => vec![format!("{root}tbf rate {rate}bps burst {burst_bytes} limit {limit}")],
                ShaperKind::Htb => {
                    let turn = super::bucket::TURN_BYTES;
                    let bucket = format!("rate {rate}bps ceil {rate}bps burst {burst_bytes} cburst {burst_bytes}");
                    vec![
                        format!("{root}htb default 1"),
                        format!("class add dev {device} parent 1: classid 1:1 htb {bucket} quantum {turn}"),
                    ]
                }
            };
            if has_valve {
                let rate = super::bucket::rate_in_bytes(super::bucket::OPEN_BPS);
                let valve = format!("tbf rate {rate}bps burst {} limit {limit}", super::bucket::OPEN_BYTES);
                commands.push(format!("qdisc replace dev {device} parent 1:1 handle 2: {valve}"));
            }
            let above = if has_valve { ShaperKind::Tbf } else { kind };
            if super::discipline::takes_queue(above, room, managed) {
                let queue = super::discipline::queue_text(room, managed);
                let at = if has_valve { "parent 2:1 handle 3:" } else { "parent 1:1 handle 2:" };
                commands.push(format!("qdisc replace dev {device} {at} {queue}"));
            }
            commands
        }
        Discipline::Redirect { to } => {
            let to = super::device::ifb_name(to);
            vec![
                format!("qdisc add dev {device} handle ffff: ingress"),
                format!(
                    "filter add dev {device} parent ffff: protocol ip prio 1 u32 match u32 0 0 \
                     action mirred egress redirect dev {to}"
                ),
            ]
        }
        Discipline::Delay { delay_ns, reorder_ppb, slot_ns } => {
            let mut text = format!("{root} netem limit {} delay {delay_ns}ns", super::handle::UNLIMITED_PACKETS);
            if reorder_ppb > 0 {
                text += &format!(" reorder {}% gap 1", f64::from(reorder_ppb) / 1e7);
            }
            if slot_ns > 0 {
                text += &format!(" slot {slot_ns}ns {slot_ns}ns");
            }
            vec![text]
        }
        Discipline::Jitter { jitter_ns } => {
            let (half_ns, limit) = (jitter_ns / 2, super::handle::UNLIMITED_PACKETS);
            let rate = super::discipline::BOUNDLESS;
            vec![format!("{root} netem limit {limit} delay {half_ns}ns {half_ns}ns rate {rate}bps")]
        }
        Discipline::Loss { loss_ppb } => loss(&root, device, &share(loss_ppb), &super::loss::SHORT),
        Discipline::LossOfAll { loss_ppb } => loss(&root, device, &share(loss_ppb), &super::loss::OPENING),
        Discipline::BurstLoss { channel, of_all } => {
            let spared: &[super::loss::Match] = if of_all { &super::loss::OPENING } else { &super::loss::SHORT };
            loss(&root, device, &super::loss::bursts_text(channel), spared)
        }
        Discipline::Impaired(impairments) => vec![format!("{root} {}", super::impaired::text(&impairments))],
        Discipline::Police { .. } => vec![
            format!("{root} pfifo limit {}", super::handle::UNLIMITED_PACKETS),
            format!("qdisc add dev {device} clsact"),
            format!(
                "filter add dev {device} egress protocol ip prio 1 u32 match u32 0 0 action {}",
                discipline.police_text().unwrap_or_default()
            ),
        ],
        Discipline::Fair => vec![format!("{root} fq")],
        Discipline::Counter => vec![format!("{root} pfifo limit {}", super::handle::UNLIMITED_PACKETS)],
    }
}

/// Independent loss.
fn share(loss_ppb: u32) -> String {
    format!("loss {}%", f64::from(loss_ppb) / 1e7)
}

/// Random loss of all but what is spared.
fn loss(root: &str, device: &str, loss: &str, spared: &[super::loss::Match]) -> Vec<String> {
    let limit = super::handle::UNLIMITED_PACKETS;
    let value = |it: &super::loss::Match| if it.value == 0 { "0".to_owned() } else { format!("{:#010x}", it.value) };
    let matches: Vec<String> =
        spared.iter().map(|it| format!("match u32 {} {:#010x} at {}", value(it), it.mask, it.at)).collect();
    vec![
        format!("{root} prio bands 2 priomap{}", " 1".repeat(16)),
        format!("qdisc replace dev {device} parent 1:2 handle 2: netem limit {limit} {loss}"),
        format!("filter add dev {device} parent 1: protocol ip prio 1 u32 {} flowid 1:1", matches.join(" ")),
    ]
}

impl Discipline {
    /// What the role `relay` is told to do: a word, and numbers.
    pub fn arguments(self) -> Vec<String> {
        match self {
            Self::Delay { delay_ns, reorder_ppb, slot_ns } => {
                strings(["delay", &delay_ns.to_string(), &reorder_ppb.to_string(), &slot_ns.to_string()])
            }
            Self::Jitter { jitter_ns } => strings(["jitter", &jitter_ns.to_string()]),
            Self::Loss { loss_ppb } => strings(["loss", &loss_ppb.to_string()]),
            Self::LossOfAll { loss_ppb } => strings(["loss-of-all", &loss_ppb.to_string()]),
            Self::BurstLoss { channel, of_all } => {
                strings([if of_all { "bursts-of-all" } else { "bursts" }, &json(&channel)])
            }
            Self::Impaired(impairments) => strings(["impair", &json(&impairments)]),
            Self::Bucket { .. } | Self::Police { .. } | Self::Fair | Self::Counter | Self::Redirect { .. } => {
                Vec::new()
            }
        }
    }

    /// The same read back; none: it is none of a relay's.
    pub fn of_arguments(arguments: &[String]) -> Option<Self> {
        let number = |text: &String| text.parse::<u64>().ok();
        match arguments.split_first()? {
            (word, [delay, reorder, slot]) if word == "delay" => Some(Self::Delay {
                delay_ns: number(delay)?,
                reorder_ppb: reorder.parse().ok()?,
                slot_ns: number(slot)?,
            }),
            (word, [jitter]) if word == "jitter" => Some(Self::Jitter { jitter_ns: number(jitter)? }),
            (word, [loss]) if word == "loss" => Some(Self::Loss { loss_ppb: loss.parse().ok()? }),
            (word, [loss]) if word == "loss-of-all" => Some(Self::LossOfAll { loss_ppb: loss.parse().ok()? }),
            (word, [channel]) if word == "bursts" || word == "bursts-of-all" => {
                let channel = serde_json::from_str(channel).ok()?;
                Some(Self::BurstLoss { channel, of_all: word == "bursts-of-all" })
            }
            (word, [impairments]) if word == "impair" => serde_json::from_str(impairments).ok().map(Self::Impaired),
            _ => None,
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// `net/ipv4/ip_forward` and 1: `net.ipv4.ip_forward=1`.
fn assignment((name, value): &super::sysctl::Setting) -> String {
    format!("{}={value}", name.replace('/', "."))
}

/// A command in a namespace.
pub fn within(namespace: &str, command: Vec<String>) -> Vec<String> {
    let mut all = strings(["ip", "netns", "exec", namespace]);
    all.extend(command);
    all
}

fn strings<const N: usize>(arguments: [&str; N]) -> Vec<String> {
    arguments.map(str::to_owned).to_vec()
}
