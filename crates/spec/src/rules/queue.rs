//! The rules of queues, and of the noise that is written in packets of the bottleneck's.

use super::{Problems, shown};
use crate::derived::{Line, buffer_limit, jitter_ns, line};
use crate::network::{Hop, Network};
use crate::point::Point;
use crate::problem::{Problem, quoted};
use crate::quantity::{BYTES, JITTER, Quantity};
use crate::tree::Unknown;
use run::{Buffer, Direction};

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
    let (size, place) = (hop.keys.quantity("buffer")?, hop.field("buffer"));
    if network.path.text("queue")? == "packets" && BYTES.units.iter().any(|(unit, _)| *unit == size.unit) {
        let hint = "write the buffer in packets, in bdp or as a time, or leave out queue = \"packets\"";
        let message = format!("{} is in bytes, but the queue counts packets", quoted(&size.text));
        problems.push(Problem::new(place, message, hint));
        return Ok(());
    }
    room(size, network, line(network, hop)?, &place, problems)
}

/// Whether a packet fits into the queue before a line, and its room into numbers.
pub(super) fn room(
    size: &Quantity,
    network: &Network<'_>,
    line: Line,
    place: &str,
    problems: Problems<'_>,
) -> Result<(), Unknown> {
    let frame = line.frame_bytes;
    let Buffer::Bytes(bytes) = buffer_limit(size, network, line)? else { return Ok(()) };
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
