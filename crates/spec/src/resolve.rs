//! From a point and a seed to a [`Run`]: text becomes integers, groups become flows, defaults become values.

use crate::chance::{Arrivals, SizesOf, below};
use crate::change::changes;
use crate::control::choose;
use crate::derived::{
    active_groups, arrivals_per_s, arriving_ns, bdp_bytes, buffer_limit, end_ns, ethernet_line, is_until_done,
    jitter_ns, line, sizes, start_jitter_bound_ns, window_ns,
};
use crate::file::Content;
use crate::impairment::{impairments, is_policer, loss_ppb, police};
use crate::key::FileKind;
use crate::names;
use crate::network::{self, Network};
use crate::point::Point;
use crate::problem::Problem;
use crate::qdisc::{Written, room};
use crate::rules;
use crate::tree::{Node, Unknown, View};
use run::{
    Access, AccessKind, AlgorithmChoice, Arrival, Buffer, CapturePoint, Direction, Ecn, Flow, Hop, Host, LossAt,
    Measure, Path, Qdisc, Record, Run, ShaperAt, ShaperKind, SocketMemory, Spacing, Think, User, Workload, Write,
};
use std::iter::repeat_n;
use std::mem::take;

/// A run, and the spec's words about it that engines need not know.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What engines take.
    pub run: Run,
    /// The group of each flow, in the run's order.
    pub groups: Vec<String>,
    /// Each flow's congestion control as the spec wrote it.
    pub ccs: Vec<String>,
    /// The path's rate times its round-trip time, in queue bytes.
    pub bdp_bytes: f64,
    /// Within which each flow's start was drawn.
    pub start_jitter_ns: u64,
    /// Within which each flow's base round-trip time is longer.
    pub rtt_spread_ns: u64,
}

/// A flow's own part of the start jitter, uniform below `jitter_ns`.
pub fn start_jitter_ns(seed: u64, flow: &str, jitter_ns: u64) -> u64 {
    drawn("start_jitter", seed, flow, jitter_ns)
}

/// What a flow's base round-trip time is longer by, uniform below `spread_ns`.
pub fn rtt_offset_ns(seed: u64, flow: &str, spread_ns: u64) -> u64 {
    drawn("rtt_spread", seed, flow, spread_ns)
}

fn drawn(what: &str, seed: u64, flow: &str, bound: u64) -> u64 {
    // As most specs leave nothing to chance here.
    if bound == 0 { 0 } else { below(what, seed, flow, bound) }
}

impl Point<'_> {
    /// Resolves the point with a seed; `live`: for an engine of real hosts, whose noise is their own unless it is written.
    ///
    /// # Errors
    /// Where a point of a sweep too large to be checked in advance makes no sense.
    pub fn resolve(&self, seed: u64, live: bool) -> Result<Resolved, Vec<Problem>> {
        let mut problems = Vec::new();
        if !self.is_checked {
            rules::find(self, &mut problems);
        }
        if problems.is_empty() { self.resolved(seed, live).map_err(|Unknown| problems) } else { Err(problems) }
    }

    fn resolved(&self, seed: u64, live: bool) -> Result<Resolved, Unknown> {
        let (groups, active) = (self.groups()?, active_groups(self)?);
        let mut names = names::of(&groups)?;
        let start_jitter_ns = start_jitter_bound_ns(self)?;
        let (mut flows, mut group_names, mut ccs) = (Vec::new(), Vec::new(), Vec::new());
        for place in active {
            let (group, own) = (&groups[place], take(&mut names[place]));
            group_names.extend(repeat_n(own[0].clone(), own.len()));
            ccs.extend(repeat_n(names::control_name(group)?.to_owned(), own.len()));
            flows.extend(self.flows(place, group, own, seed, start_jitter_ns)?);
        }
        let network = self.network()?;
        let mut path = path(&network, end_ns(self)?)?;
        if live && !self.table.is_written("path.jitter") {
            path.jitter_ns = None;
        }
        let run = Run {
            seed,
            duration_ns: end_ns(self)?,
            until_done: is_until_done(self)?,
            path,
            flows,
            host: host(&self.host()?)?,
            measure: self.measured()?,
        };
        Ok(Resolved {
            run,
            groups: group_names,
            ccs,
            bdp_bytes: bdp_bytes(&network)?,
            start_jitter_ns,
            rtt_spread_ns: self.top().count("rtt_spread")?,
        })
    }

    fn flows(
        &self,
        place: usize,
        group: &View<'_>,
        names: Vec<String>,
        seed: u64,
        jitter_ns: u64,
    ) -> Result<impl Iterator<Item = Flow>, Unknown> {
        let choice = |name| choose(name, self.registry).map_err(|_| Unknown);
        let cc = group.text_if("cc")?.map(choice).transpose()?;
        let cc = cc.map(|cc| AlgorithmChoice { algorithm: cc.algorithm, parameters: cc.parameters });
        let (start_ns, stagger_ns) = (group.count("start")?, group.count("stagger")?);
        let spread_ns = self.top().count("rtt_spread")?;
        let end_ns = end_ns(self)?;
        let stop_ns = group.count_if("stop")?.filter(|stop_ns| *stop_ns != end_ns);
        let network = self.network()?;
        let rtt_ns = group.count_if("rtt")?.map_or_else(|| network.path.count("rtt"), Ok)?;
        let side = network.path.text("delay_side")?;
        let (direction, route) = network.route(group)?;
        let (there_ns, forward_ns) = network.delays_ns(direction, route.data)?;
        let (back_ns, return_ns) = network.delays_ns(direction.reversed(), route.acks)?;
        let ecn = match group.get("ecn")? {
            Some(Node::Flag(true)) => Ecn::Classic,
            Some(Node::Text(_)) => Ecn::Accurate,
            _ => Ecn::Off,
        };
        let (workload, access) = (self.workload(place, group, seed)?, access(&network, group)?);
        let flow = move |(index, name): (usize, String)| {
            let rest_ns = rtt_ns + rtt_offset_ns(seed, &name, spread_ns) - there_ns - back_ns;
            let forward_delay_ns = forward_ns
                + match side {
                    "forward" => rest_ns,
                    "split" => rest_ns / 2,
                    _ => 0,
                };
            Flow {
                start_ns: start_ns + index as u64 * stagger_ns + start_jitter_ns(seed, &name, jitter_ns),
                name,
                cc: cc.clone(),
                stop_ns,
                workload: workload.clone(),
                forward_delay_ns,
                return_delay_ns: forward_ns + rest_ns + return_ns - forward_delay_ns,
                access,
                direction,
                route,
                ecn,
            }
        };
        Ok(names.into_iter().enumerate().map(flow))
    }

    fn workload(&self, place: usize, group: &View<'_>, seed: u64) -> Result<Workload, Unknown> {
        let Some(table) = group.table_if("workload")? else { return Ok(Workload::Bulk) };
        let has = |key: &str| table.table.node(key).is_some();
        if has("transfer") {
            return Ok(Workload::Transfer { bytes: table.count("transfer")? });
        }
        if has("stream") {
            let (rate_bps, for_ns, every_ns) = (table.count("stream")?, table.count("for")?, table.count("every")?);
            return Ok(Workload::Stream { rate_bps, for_ns, every_ns });
        }
        if has("ping") {
            return Ok(Workload::Ping { every_ns: table.count("ping")?, bytes: table.count("payload")? });
        }
        if has("udp") {
            return self.datagrams(&table.table("udp")?);
        }
        if has("media") {
            let video = table.table("media")?;
            return Ok(Workload::Media {
                least_bps: video.count("least")?,
                most_bps: video.count("most")?,
                frames: video.integer("frames")? as u32,
                deadline_ns: video.count("deadline")?,
            });
        }
        if has("command") {
            let command = table.texts_if("command")?.ok_or(Unknown)?.to_vec();
            let server = table.texts_if("server")?.unwrap_or_default().to_vec();
            let user = if table.text("user")? == "root" { User::Root } else { User::Caller };
            return Ok(Workload::Command { command, server, user });
        }
        if has("pages") {
            return self.pages(&table.table("pages")?);
        }
        if has("arrivals") {
            return Ok(Workload::Arrivals { arrivals: self.arrivals(place, group, &table, seed)? });
        }
        Ok(Workload::Trace { writes: self.writes(&table)? })
    }

    /// What the trace of a table lists.
    fn writes(&self, table: &View<'_>) -> Result<Vec<Write>, Unknown> {
        match self.contents.get(FileKind::Writes, table.text("trace")?)? {
            Content::Writes(writes) => Ok(writes.clone()),
            _ => Err(Unknown),
        }
    }

    fn datagrams(&self, udp: &View<'_>) -> Result<Workload, Unknown> {
        let Some(rate_bps) = udp.count_if("rate")? else {
            return Ok(Workload::DatagramTrace { datagrams: self.writes(udp)? });
        };
        Ok(Workload::Datagrams {
            rate_bps,
            bytes: udp.count("payload")?,
            spacing: if udp.text("spacing")? == "poisson" { Spacing::Poisson } else { Spacing::Even },
            on_ns: udp.count_if("on")?.unwrap_or(0),
            off_ns: udp.count_if("off")?.unwrap_or(0),
        })
    }

    fn pages(&self, pages: &View<'_>) -> Result<Workload, Unknown> {
        Ok(Workload::Pages {
            connections: pages.integer("connections")? as u32,
            objects: pages.integer("objects")?,
            sizes: sizes(pages, self.contents)?.ok_or(Unknown)?,
            request_bytes: pages.count("request")? as u32,
            think: match pages.get("think")? {
                Some(Node::Quantity(think)) => Think::Fixed(think.count()),
                _ => Think::Exponential(pages.table("think")?.count("exponential")?),
            },
        })
    }

    /// A source's transfers, drawn under its name or, of a table without one, its place, so that cc changes nothing.
    fn arrivals(&self, place: usize, group: &View<'_>, source: &View<'_>, seed: u64) -> Result<Vec<Arrival>, Unknown> {
        let name = group.text_if("name")?.map_or_else(|| format!("flows[{place}]"), ToOwned::to_owned);
        let (end_ns, arrivals) = (arriving_ns(self, group)?, source.table("arrivals")?);
        let count = arrivals.integer_if("count")?.map(|count| count as usize);
        let (sizes, per_s) = (sizes(source, self.contents)?, arrivals_per_s(self, group, source)?);
        let pairs = if let Some(file) = arrivals.text_if("trace")? {
            let Content::Arrivals(trace) = self.contents.get(FileKind::Arrivals, file)? else { return Err(Unknown) };
            let times = trace.at_ns.iter().take(count.unwrap_or(usize::MAX)).copied();
            let times: Vec<u64> = times.filter(|at_ns| end_ns.is_none_or(|end_ns| *at_ns < end_ns)).collect();
            let bytes = match &trace.bytes {
                Some(bytes) => bytes.clone(),
                None => SizesOf { seed, name, sizes: sizes.ok_or(Unknown)?, count: times.len() }.drawn(),
            };
            times.into_iter().zip(bytes).collect()
        } else {
            let (sizes, per_s) = sizes.zip(per_s).ok_or(Unknown)?;
            Arrivals { seed, name, per_s, sizes, end_ns, count }.drawn().map_err(|_| Unknown)?
        };
        Ok(pairs.into_iter().map(Arrival::from).collect())
    }

    fn measured(&self) -> Result<Measure, Unknown> {
        let measure = self.measure()?;
        let (begin_ns, end_ns) = window_ns(self)?;
        let within = |ns: i128| u64::try_from(ns).map_err(|_| Unknown);
        let records = measure.each_text("record")?;
        let has = |record: &str| records.iter().any(|each| each == record);
        let points = measure.each_text("capture_at")?;
        let captured = |point: &CapturePoint| points.iter().any(|name| name == point.name());
        Ok(Measure {
            window_begin_ns: within(begin_ns)?,
            window_end_ns: within(end_ns)?,
            sample_ns: measure.count("sample")?,
            record: match (has("acks"), has("summary")) {
                (true, _) => Record::Acks,
                (false, true) => Record::Summary,
                (false, false) => Record::Series,
            },
            snap_bytes: if has("pcap") { Some(measure.count("snap")? as u32) } else { None },
            capture_at: CapturePoint::ALL.into_iter().filter(captured).collect::<Vec<_>>().into(),
            qlog: has("qlog"),
            ss_ns: measure.count_if("ss")?,
        })
    }
}

fn path(network: &Network<'_>, end_ns: u64) -> Result<Path, Unknown> {
    let hops = |direction| {
        network.hops(direction).iter().map(|each| hop(network, each, end_ns)).collect::<Result<Vec<_>, _>>()
    };
    let (path, place, mut down) = (network.path, network.bottleneck_place(Direction::Down)?, hops(Direction::Down)?);
    let is_listed = network.is_listed(Direction::Down);
    let own = if is_listed { down[place].clone() } else { down.remove(place) };
    Ok(Path {
        rate_bps: own.rate_bps,
        buffer: own.buffer,
        qdisc: own.qdisc,
        overhead_bytes: own.overhead_bytes,
        burst_bytes: own.burst_bytes,
        shaper: own.shaper,
        shaper_at: if path.text("shaper_at")? == "receiver" { ShaperAt::Receiver } else { ShaperAt::Router },
        jitter_ns: Some(jitter_ns(network)?),
        loss_ppb: own.loss_ppb,
        loss_at: own.loss_at,
        mtu_bytes: path.integer("mtu")? as u32,
        offload: path.flag("offload")?,
        police: own.police,
        impairments: own.impairments,
        changes: own.changes,
        trace: own.trace,
        hops: down,
        bottleneck: place,
        back: hops(Direction::Up)?,
    })
}

fn hop(network: &Network<'_>, hop: &network::Hop<'_>, end_ns: u64) -> Result<Hop, Unknown> {
    let (keys, line) = (&hop.keys, line(network, hop)?);
    let buffer = if is_policer(hop)? { Buffer::Bytes(0) } else { room(network, hop, line)? };
    let is_after = keys.table.node("loss_at").is_some() && keys.text("loss_at")? == "after";
    Ok(Hop {
        name: hop.name()?.to_owned(),
        rate_bps: line.rate_bps,
        buffer,
        qdisc: Written::of(hop)?.discipline(buffer, network.path.integer("mtu")?)?,
        delay_ns: hop.least_delay_ns()?,
        overhead_bytes: keys.count("overhead")? as u32,
        burst_bytes: keys.count("burst")?,
        shaper: match keys.text("shaper")? {
            "htb" => ShaperKind::Htb,
            "police" => ShaperKind::Police,
            _ => ShaperKind::Tbf,
        },
        loss_ppb: loss_ppb(hop)?,
        loss_at: if is_after { LossAt::After } else { LossAt::Before },
        police: police(hop)?,
        impairments: impairments(hop)?,
        changes: changes(network, hop, line, end_ns)?,
        trace: hop.recorded()?.map(|recorded| recorded.trace.clone()),
    })
}

fn access(network: &Network<'_>, group: &View<'_>) -> Result<Option<Access>, Unknown> {
    let Some(access) = group.table_if("access")? else { return Ok(None) };
    let rate_bps = access.count("rate")?;
    Ok(Some(Access {
        rate_bps,
        buffer: buffer_limit(
            access.quantity("buffer")?,
            network.counts_packets()?,
            network,
            ethernet_line(network, rate_bps)?,
        )?,
        kind: if access.text("kind")? == "router" { AccessKind::Router } else { AccessKind::Device },
    }))
}

fn host(host: &View<'_>) -> Result<Host, Unknown> {
    let memory = host.quantity("socket_memory")?;
    Ok(Host {
        socket_memory: match memory.unit {
            "max" => SocketMemory::Max,
            "default" => SocketMemory::Default,
            _ => SocketMemory::Bytes(memory.count()),
        },
        receive_window_bytes: host.count_if("receive_window")?,
        initial_window_segments: host.integer("initial_window")? as u32,
        qdisc: if host.text("qdisc")? == "fq" { Qdisc::Fq } else { Qdisc::None },
        sack_compression: host.flag("sack_compression")?,
        gro: host.flag("gro")?,
        ack_aggregation_ns: host.count("ack_aggregation")?,
    })
}
