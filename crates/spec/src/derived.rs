//! What follows from the words of a point: its end, its window, its BDP, the room of its queues. All in base units.

use crate::file::{Content, Contents};
use crate::key::FileKind;
use crate::network::{Hop, Network};
use crate::number::{half_even, ratio, rounded};
use crate::point::Point;
use crate::quantity::Quantity;
use crate::tree::{Node, Unknown, View};
use run::{Buffer, Direction, ETHERNET_HEADER_BYTES, SEGMENT_HEADERS_BYTES, Sizes};

const BITS_PER_BYTE: u128 = 8;
const NS_PER_S: u128 = 1_000_000_000;
const PPB: u128 = 1_000_000_000;

/// When a run ends, at the latest.
pub fn end_ns(point: &Point<'_>) -> Result<u64, Unknown> {
    if is_until_done(point)? {
        point.top().count_if("time_limit")?.ok_or(Unknown)
    } else {
        point.top().count("duration")
    }
}

/// Whether a run ends when every finite transfer is complete.
pub fn is_until_done(point: &Point<'_>) -> Result<bool, Unknown> {
    Ok(point.top().quantity("duration")?.unit == "until done")
}

/// When the last flow of a group starts, without jitter.
pub fn last_start_ns(group: &View<'_>) -> Result<u64, Unknown> {
    Ok(group.count("start")? + (group.integer("count")? - 1) * group.count("stagger")?)
}

/// The places of the groups that run: all, or the one that is alone; none where there is no such group.
pub fn active_groups(point: &Point<'_>) -> Result<std::ops::Range<usize>, Unknown> {
    let groups = point.groups()?.len();
    let Some(alone) = point.top().text_if("alone")? else { return Ok(0..groups) };
    let place = alone.trim_start_matches("flows[").trim_end_matches(']').parse().unwrap_or(usize::MAX);
    Ok(if place < groups { place..place + 1 } else { 0..0 })
}

/// Begin and end of the summary's window, in nanoseconds.
pub fn window_ns(point: &Point<'_>) -> Result<(i128, i128), Unknown> {
    let end_ns = end_ns(point)?;
    let measure = point.measure()?;
    let Some([first, last]) = measure.window_if("window")? else {
        let sample_ns = measure.count("sample")?;
        let settled_ns = if is_steady(point)? { end_ns / SETTLING_PARTS } else { 0 };
        return Ok((settled_ns.min(end_ns.saturating_sub(sample_ns)).into(), end_ns.into()));
    };
    Ok((moment_ns(first, end_ns), moment_ns(last, end_ns)))
}

/// Of so many parts of a run whose flows go on, the first is for them to settle in.
const SETTLING_PARTS: u64 = 4;

/// Which datagrams a group's workload is, by the key that says so; none: it is TCP connections.
pub fn datagrams_of(group: &View<'_>) -> Result<Option<&'static str>, Unknown> {
    let Some(workload) = group.table_if("workload")? else { return Ok(None) };
    Ok(["ping", "udp", "media"].into_iter().find(|key| workload.table.node(key).is_some()))
}

/// Whether a steady state is what is asked for: each flow sends all that it can until the run's end. Where something is
/// to be complete, or has its own times, every part of a run counts.
fn is_steady(point: &Point<'_>) -> Result<bool, Unknown> {
    let groups = point.groups()?;
    for group in &groups[active_groups(point)?] {
        if group.table_if("workload")?.is_some() && datagrams_of(group)?.is_none() {
            return Ok(false);
        }
    }
    Ok(!is_until_done(point)?)
}

/// Within which each flow starts later: as long as is written, or one base round-trip time, and no longer than the run or
/// a flow has room for it.
pub fn start_jitter_bound_ns(point: &Point<'_>) -> Result<u64, Unknown> {
    if let Some(jitter_ns) = point.top().count_if("start_jitter")? {
        return Ok(jitter_ns);
    }
    let (end_ns, groups) = (end_ns(point)?, point.groups()?);
    let mut jitter_ns = point.path()?.count("rtt")?;
    for group in &groups[active_groups(point)?] {
        let until_ns = group.count_if("stop")?.map_or(end_ns, |stop_ns| stop_ns.min(end_ns));
        jitter_ns = jitter_ns.min(until_ns.saturating_sub(last_start_ns(group)? + 1));
    }
    Ok(jitter_ns)
}

/// A moment in nanoseconds from the beginning of a run that takes so long.
fn moment_ns(moment: &Quantity, duration_ns: u64) -> i128 {
    if moment.unit != "%" {
        return moment.base();
    }
    let exact = &moment.number * ratio(duration_ns, 100);
    crate::number::saturated(&half_even(&exact))
}

/// A line, as what stands before it needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its rate at the run's beginning.
    pub rate_bps: u64,
    /// What a full packet takes of it.
    pub frame_bytes: u64,
}

/// What a full packet takes of a hop's queue and line.
fn frame_bytes(network: &Network<'_>, hop: &Hop<'_>) -> Result<u64, Unknown> {
    Ok(network.path.integer("mtu")? + hop.keys.count("overhead")?)
}

/// The line of a hop.
pub fn line(network: &Network<'_>, hop: &Hop<'_>) -> Result<Line, Unknown> {
    Ok(Line { rate_bps: hop.rate_bps()?, frame_bytes: frame_bytes(network, hop)? })
}

/// A host's own line of this rate.
pub fn ethernet_line(network: &Network<'_>, rate_bps: u64) -> Result<Line, Unknown> {
    let frame_bytes = network.path.integer("mtu")? + u64::from(ETHERNET_HEADER_BYTES);
    Ok(Line { rate_bps, frame_bytes })
}

/// The bottleneck's rate times the path's own round-trip time, in queue bytes.
pub fn bdp_bytes(network: &Network<'_>) -> Result<f64, Unknown> {
    Ok(divided(bdp_bits(network)?, BITS_PER_BYTE * NS_PER_S))
}

/// Likewise, in billionths of a bit.
fn bdp_bits(network: &Network<'_>) -> Result<u128, Unknown> {
    Ok(u128::from(network.bottleneck(Direction::Down)?.rate_bps()?) * u128::from(network.path.count("rtt")?))
}

/// The float that is nearest to a fraction in eighteen decimal places; the denominator is at most [`FILLED_PER_BYTE`].
fn divided(numerator: u128, denominator: u128) -> f64 {
    let (quotient, rest) = (numerator / denominator, numerator % denominator);
    format!("{quotient}.{:018}", rest * PPB * PPB / denominator).parse().unwrap_or(f64::NAN)
}

/// The bound of the hosts' timing noise; a packet is a full one at the rate of the run's beginning.
pub fn jitter_ns(network: &Network<'_>) -> Result<u64, Unknown> {
    let jitter = network.path.quantity("jitter")?;
    if jitter.unit != "packet" {
        return Ok(jitter.count());
    }
    let Line { rate_bps, frame_bytes } = line(network, network.bottleneck(Direction::Down)?)?;
    let exact = &jitter.number * ratio(u128::from(frame_bytes) * BITS_PER_BYTE * NS_PER_S, rate_bps);
    Ok(u64::try_from(half_even(&exact)).unwrap_or(u64::MAX))
}

/// The room of a queue that is written in bdp or as a time, before a line of this rate, times 8 x 10^18; None of others.
fn filled(size: &Quantity, network: &Network<'_>, rate_bps: u64) -> Result<Option<u128>, Unknown> {
    let value = size.base().unsigned_abs();
    Ok(match size.unit {
        "bdp" => Some(value * bdp_bits(network)?),
        "ns" | "us" | "ms" | "s" => Some(value * PPB * u128::from(rate_bps)),
        _ => None,
    })
}

const FILLED_PER_BYTE: u128 = PPB * BITS_PER_BYTE * NS_PER_S;

/// The bytes of a queue that is written in bdp or as a time, before they are whole; None of others.
pub fn filled_bytes(size: &Quantity, network: &Network<'_>, rate_bps: u64) -> Result<Option<f64>, Unknown> {
    Ok(filled(size, network, rate_bps)?.map(|room| divided(room, FILLED_PER_BYTE)))
}

impl Point<'_> {
    /// Room of the bottleneck's queue that is written in bdp or as a time, in bytes before they are whole.
    pub fn filled_bytes(&self) -> Option<f64> {
        let network = self.network().ok()?;
        let bottleneck = network.bottleneck(Direction::Down).ok()?;
        filled_bytes(bottleneck.keys.quantity_if("buffer").ok()??, &network, bottleneck.rate_bps().ok()?).ok()?
    }
}

/// The room of a queue before a line, which counts packets or bytes.
///
/// One in bdp or as a time holds a frame at least: a queue that none fits in is no queue.
pub fn buffer_limit(size: &Quantity, in_packets: bool, network: &Network<'_>, line: Line) -> Result<Buffer, Unknown> {
    let frame = line.frame_bytes;
    if let Some(room) = filled(size, network, line.rate_bps)? {
        return Ok(if in_packets {
            Buffer::Packets(((room / FILLED_PER_BYTE / u128::from(frame)) as u64).max(1))
        } else {
            Buffer::Bytes((rounded(room, FILLED_PER_BYTE) as u64).max(frame))
        });
    }
    let count = size.count();
    Ok(match size.unit {
        "packets" if in_packets => Buffer::Packets(count),
        "packets" => Buffer::Bytes(count * frame),
        _ => Buffer::Bytes(count),
    })
}

/// The distribution of the sizes of a source; None where none is written.
pub fn sizes(source: &View<'_>, contents: &Contents) -> Result<Option<Sizes>, Unknown> {
    let Some(node) = source.get("size")? else { return Ok(None) };
    if let Node::Quantity(bytes) = node {
        return Ok(Some(Sizes::Fixed(bytes.count())));
    }
    let size = source.table("size")?;
    let bytes = |table: &View<'_>, key: &str| Ok(table.count_if(key)?.map(|bytes| bytes as f64));
    if size.table.node("lognormal").is_some() {
        let table = size.table("lognormal")?;
        let sigma = table.number("sigma")?;
        return Ok(Some(match (bytes(&table, "mean")?, bytes(&table, "median")?) {
            (Some(mean), _) => Sizes::lognormal_of_mean(mean, sigma),
            (None, median) => Sizes::Lognormal { median: median.ok_or(Unknown)?, sigma },
        }));
    }
    if size.table.node("pareto").is_some() {
        let table = size.table("pareto")?;
        let (shape, maximum) = (table.number("shape")?, bytes(&table, "maximum")?);
        return Ok(Some(match (bytes(&table, "mean")?, bytes(&table, "minimum")?) {
            (Some(mean), _) => Sizes::pareto_of_mean(mean, shape, maximum),
            (None, minimum) => Sizes::Pareto { minimum: minimum.ok_or(Unknown)?, shape, maximum },
        }));
    }
    match contents.get(FileKind::Cdf, size.text("cdf")?)? {
        Content::Cdf(points) => Ok(Some(Sizes::Cdf(points.clone()))),
        _ => Err(Unknown),
    }
}

/// How many transfers of a group's source arrive in a second, in the mean; None where a trace tells.
pub fn arrivals_per_s(point: &Point<'_>, group: &View<'_>, source: &View<'_>) -> Result<Option<f64>, Unknown> {
    let arrivals = source.table("arrivals")?;
    if let Some(rate) = arrivals.quantity_if("rate")? {
        return Ok(Some(rate.written()));
    }
    let Some(load) = arrivals.number_if("load")? else { return Ok(None) };
    let Some(sizes) = sizes(source, point.contents)? else { return Ok(None) };
    let network = point.network()?;
    let (direction, _) = network.route(group)?;
    let hop = network.bottleneck(direction)?;
    let wire = wire_bytes(sizes.mean_bytes(), network.path.integer("mtu")?, hop.keys.count("overhead")?);
    Ok(Some(load * hop.rate_bps()? as f64 / (BITS_PER_BYTE as f64 * wire)))
}

/// Length of all frames of so much payload, headers included, in full segments and a last one.
fn wire_bytes(payload_bytes: f64, mtu_bytes: u64, overhead_bytes: u64) -> f64 {
    let headers_bytes = u64::from(SEGMENT_HEADERS_BYTES);
    let segments = (payload_bytes / (mtu_bytes - headers_bytes) as f64).ceil();
    payload_bytes + segments * (headers_bytes + overhead_bytes) as f64
}

/// How long transfers of a source arrive after its start, without jitter; None: until there are no more.
pub fn arriving_ns(point: &Point<'_>, group: &View<'_>) -> Result<Option<u64>, Unknown> {
    let start_ns = group.count("start")?;
    if let Some(stop_ns) = group.count_if("stop")? {
        return Ok(Some(stop_ns.saturating_sub(start_ns)));
    }
    if is_until_done(point)? {
        return Ok(None);
    }
    Ok(Some(end_ns(point)?.saturating_sub(start_ns)))
}
