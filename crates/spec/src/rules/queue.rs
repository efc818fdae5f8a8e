//! The rules of queues, and of the noise that is written in packets of the bottleneck's.

use super::{Problems, shown};
use crate::derived::{Line, buffer_limit, jitter_ns, line};
use crate::impairment::is_policer;
use crate::network::{Hop, Network};
use crate::point::Point;
use crate::problem::{Problem, quoted, suggestion};
use crate::qdisc::{Written, parameters};
use crate::quantity::{BYTES, JITTER, Quantity, TIME};
use crate::reader::example;
use crate::tree::{Node, Unknown};
use run::{Buffer, Direction, QueueDiscipline};

const LARGEST_BUFFER_BYTES: u64 = 1_000_000_000_000_000;

pub(super) fn buffers(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    for hop in network.all() {
        // What is wrong with one hop leaves the others.
        let _: Result<(), Unknown> = buffer(&network, hop, problems);
    }
    Ok(())
}

fn buffer(network: &Network<'_>, hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    if is_policer(hop)? {
        return Ok(());
    }
    let (written, place) = (Written::of(hop)?, hop.field("buffer"));
    let Some(size) = hop.keys.quantity_if("buffer")? else {
        // A preset that is misspelt would have had one.
        let has_preset = hop.keys.has("link") && hop.keys.text_if("link")?.is_some();
        if !written.counts_packets() && !has_preset {
            let hint = hop.keys.table.section.keys.iter().find(|key| key.name == "buffer").map(example);
            problems.push(Problem::new(place, "missing", hint.unwrap_or_default()));
        }
        return Ok(());
    };
    sized(network, hop, size, &place, problems)
}

/// The size of a hop's queue is in what it counts, and a packet fits.
pub(super) fn sized(
    network: &Network<'_>,
    hop: &Hop<'_>,
    size: &Quantity,
    place: &str,
    problems: Problems<'_>,
) -> Result<(), Unknown> {
    let written = Written::of(hop)?;
    let in_packets = written.counts_packets() || network.counts_packets()?;
    if in_packets && BYTES.units.iter().any(|(unit, _)| *unit == size.unit) {
        let (who, more) = if written.counts_packets() {
            (written.kind, "")
        } else {
            ("the queue", ", or leave out queue = \"packets\"")
        };
        let message = format!("{} is in bytes, but {who} counts packets", quoted(&size.text));
        let hint = format!("write the buffer in packets, in bdp or as a time{more}");
        problems.push(Problem::new(place, message, hint));
        return Ok(());
    }
    room(size, in_packets, network, line(network, hop)?, place, problems)
}

/// What a hop says of its queue discipline, and of what that counts.
pub(super) fn disciplines(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    let mut counting = network.all().filter_map(|hop| Written::of(hop).ok()).filter(Written::counts_packets);
    if let Some(written) = counting.next().filter(|_| network.path.table.is_written("queue"))
        && !network.counts_packets()?
    {
        let message = format!("\"bytes\", but {} counts packets", written.kind);
        problems.push(Problem::new("path.queue", message, "leave it out"));
    }
    for hop in network.all() {
        let _: Result<(), Unknown> = discipline(&network, hop, problems);
    }
    Ok(())
}

fn discipline(network: &Network<'_>, hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let (written, place) = (Written::of(hop)?, hop.field("qdisc"));
    if written.kind == "red" && network.counts_packets()? {
        let hint = "leave out queue = \"packets\", or write qdisc = \"codel\"";
        problems.push(Problem::new(&*place, "\"red\" counts bytes", hint));
    }
    let Some(table) = written.table else { return Ok(()) };
    let known = parameters(written.kind);
    for (key, node) in table.table.written().filter(|(key, _)| *key != "kind") {
        let here = format!("{place}.{key}");
        if !known.contains(&key) {
            let hint = if known.is_empty() { "it takes none".to_owned() } else { suggestion(key, known) };
            problems.push(Problem::new(here, format!("{} has no such parameter", written.kind), hint));
            continue;
        }
        let unit_ns = if key == "tupdate" { 1_000_000 } else { 1_000 };
        if let Node::Quantity(time) = node
            && TIME.units.iter().any(|(unit, _)| *unit == time.unit)
            && !time.count().is_multiple_of(unit_ns)
        {
            let message = format!("{} is between two steps of {}'s clock", quoted(&time.text), written.kind);
            problems.push(Problem::new(here, message, format!("a multiple of {}", shown(unit_ns))));
        } else if let Node::Number(weight) = node
            && written.kind == "pie"
            && weight.fract() != 0.0
        {
            let message = format!("{weight} is no integer");
            problems.push(Problem::new(here, message, "from 0 to 32, as tc takes it"));
        }
    }
    if hop.keys.has("buffer") && table.has("limit") {
        problems.push(Problem::new(format!("{place}.limit"), "the buffer says it already", "leave one of the two out"));
    }
    if table.has("ce_threshold_selector") && !table.has("ce_threshold") {
        let message = "there is no ce_threshold that it could be about";
        problems.push(Problem::new(format!("{place}.ce_threshold_selector"), message, "write ce_threshold, too"));
    }
    thresholds(network, hop, written, &place, problems)
}

/// RED's thresholds are in their order, and its queue has room for them.
fn thresholds(
    network: &Network<'_>,
    hop: &Hop<'_>,
    written: Written<'_>,
    place: &str,
    problems: Problems<'_>,
) -> Result<(), Unknown> {
    let Buffer::Bytes(limit) = crate::qdisc::room(network, hop, line(network, hop)?)? else { return Ok(()) };
    let QueueDiscipline::Red(red) = written.discipline(Buffer::Bytes(limit), network.path.integer("mtu")?)? else {
        return Ok(());
    };
    if red.min_bytes >= red.max_bytes {
        let message = format!("{} B is not below max, {} B", red.min_bytes, red.max_bytes);
        problems.push(Problem::new(format!("{place}.min"), message, "a third of max is usual"));
    } else if red.max_bytes > limit {
        let message = format!("{} B is more than the queue holds, {limit} B", red.max_bytes);
        problems.push(Problem::new(format!("{place}.max"), message, "a quarter of the buffer is usual"));
    }
    Ok(())
}

/// Whether a packet fits into the queue before a line, and its room into numbers.
pub(super) fn room(
    size: &Quantity,
    in_packets: bool,
    network: &Network<'_>,
    line: Line,
    place: &str,
    problems: Problems<'_>,
) -> Result<(), Unknown> {
    let frame = line.frame_bytes;
    let Buffer::Bytes(bytes) = buffer_limit(size, in_packets, network, line)? else { return Ok(()) };
    if bytes < frame {
        let same = if size.unit == "B" { String::new() } else { format!(" ({bytes} B)") };
        let message = format!("{}{same} is less than one frame of {frame} B", quoted(&size.text));
        problems.push(Problem::new(place, message, format!("no packet would fit; at least \"{frame} B\"")));
    } else if bytes > LARGEST_BUFFER_BYTES {
        let message = format!("{} is {bytes} B", quoted(&size.text));
        problems.push(Problem::new(place, message, "at most 1000000 GB"));
    }
    Ok(())
}

pub(super) fn jitter(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    let jitter = network.path.quantity("jitter")?;
    if jitter.unit != "packet" {
        return Ok(());
    }
    let ns = jitter_ns(&network)?;
    let (least, most) = JITTER.bounds.unwrap_or_default();
    let bound = |text| JITTER.read(text).map_or(0, |bound| bound.count());
    if !(bound(least)..=bound(most)).contains(&ns) {
        let bottleneck = network.bottleneck(Direction::Down)?;
        let (frame, rate) = (line(&network, bottleneck)?.frame_bytes, &bottleneck.keys.quantity("rate")?.text);
        let message = format!("{} of {frame} B at {rate} is {}", quoted(&jitter.text), shown(ns));
        problems.push(Problem::new("path.jitter", message, JITTER.describe_bounds().unwrap_or_default()));
    }
    Ok(())
}
