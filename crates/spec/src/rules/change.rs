//! The rules of changes in time.

use super::{Problems, after_the_end, queue, shown};
use crate::change::{MOST_CHANGES, occurrences};
use crate::derived::end_ns;
use crate::impairment::{channel, is_policer};
use crate::network::{Hop, Network};
use crate::point::Point;
use crate::problem::{Problem, quoted};
use crate::tree::{Unknown, View};
use run::Trace;

/// The least rate of a line that has one.
const LEAST_RATE_BPS: u64 = 1_000;
/// What a change may change.
const CHANGED: [&str; 5] = ["rate", "rtt", "delay", "loss", "buffer"];

pub(super) fn changes(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    for hop in network.all() {
        // What is wrong with one leaves the others.
        let _: Result<(), Unknown> = moments(hop, end_ns(point), problems);
        for (place, change) in hop.keys.tables("change")?.iter().enumerate() {
            let place = format!("{}[{place}]", hop.field("change"));
            let _: Result<(), Unknown> = values(&network, hop, change, &place, problems);
        }
    }
    Ok(())
}

/// They follow one another, and each begins before the run's end.
fn moments(hop: &Hop<'_>, end_ns: Result<u64, Unknown>, problems: Problems<'_>) -> Result<(), Unknown> {
    let changes = hop.keys.tables("change")?;
    let moments = changes.iter().map(|change| change.count("at")).collect::<Result<Vec<u64>, Unknown>>()?;
    let place = hop.field("change");
    let before = problems.len();
    let mut last = 0;
    for (index, moment) in moments.iter().enumerate() {
        if *moment <= last {
            let written = CHANGED.into_iter().find(|key| changes[index].table.is_written(key)).unwrap_or("rate");
            let first = format!("write the first {written} as {}", hop.field(written));
            let hint = if index > 0 { "order the changes by time" } else { &first };
            let message = format!("{} is not after {}", shown(*moment), shown(last));
            problems.push(Problem::new(format!("{place}[{index}].at"), message, hint));
        }
        last = *moment;
    }
    let end_ns = end_ns?;
    let is_own = hop.keys.table.is_written("change");
    for (index, moment) in moments.iter().enumerate().filter(|_| is_own) {
        // Those of a preset need not come.
        if *moment >= end_ns {
            problems.push(after_the_end(format!("{place}[{index}].at"), (*moment).into(), end_ns, ""));
        }
    }
    if problems.len() > before {
        return Ok(());
    }
    let Some(all) = occurrences(hop, end_ns)? else {
        let message = format!("the changes are more than {MOST_CHANGES} until the run's end");
        problems.push(Problem::new(place, message, "let them come less often"));
        return Ok(());
    };
    let overlap = all.windows(2).find(|pair| pair[0].at_ns + pair[0].over_ns > pair[1].at_ns);
    if let Some([first, next]) = overlap {
        let (began, begins) = (shown(first.at_ns), shown(next.at_ns));
        let message = format!("the ramp that begins at {began} is not over when the change of {begins} comes");
        let hint = "a shorter ramp, or a later change";
        problems.push(Problem::new(format!("{place}[{}].over", first.place), message, hint));
    }
    Ok(())
}

/// What one says goes together with what its hop is.
fn values(
    network: &Network<'_>,
    hop: &Hop<'_>,
    change: &View<'_>,
    place: &str,
    problems: Problems<'_>,
) -> Result<(), Unknown> {
    let known: Vec<&str> = CHANGED.into_iter().filter(|key| change.table.node(key).is_some()).collect();
    if !known.iter().any(|key| change.has(key)) {
        problems.push(Problem::new(place, "changes nothing", format!("write one of {}", known.join(", "))));
    }
    if let Some(rate) = change.quantity_if("rate")?.filter(|rate| (1..LEAST_RATE_BPS).contains(&rate.count())) {
        let message = format!("{} is out of range", quoted(&rate.text));
        let hint = "from 1 kbit/s to 1 Tbit/s, or \"0 bit/s\" for an outage";
        problems.push(Problem::new(format!("{place}.rate"), message, hint));
    }
    if change.has("loss") && channel(hop)?.is_some() {
        let message = format!("changes independent loss, and {} is in bursts", hop.field("loss"));
        problems.push(Problem::new(format!("{place}.loss"), message, "leave one of the two out"));
    }
    let Some(size) = change.quantity_if("buffer")? else { return Ok(()) };
    let here = format!("{place}.buffer");
    if is_policer(hop)? {
        problems.push(Problem::new(here, "is a queue's, and a policer has none", "leave it out"));
        return Ok(());
    }
    queue::sized(network, hop, size, &here, problems)
}

/// A line that was recorded changes by nothing else.
pub(super) fn traces(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    for hop in point.network()?.all() {
        let _: Result<(), Unknown> = trace(hop, problems);
    }
    Ok(())
}

fn trace(hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(recorded) = hop.recorded()? else { return Ok(()) };
    let is_written = |key: &&str| hop.keys.table.is_written(key);
    if is_written(&"change") {
        let message = "the trace says already what changes";
        problems.push(Problem::new(
            hop.field("change"),
            message,
            format!("leave out {}, or the changes", hop.field("trace")),
        ));
    }
    match &recorded.trace {
        Trace::Deliveries(_) => {
            for key in ["burst", "shaper"].iter().filter(|key| is_written(key)) {
                let message = "says nothing of a line that delivers packets one by one";
                problems.push(Problem::new(hop.field(key), message, "leave it out"));
            }
        }
        Trace::Changes(changes) => {
            if hop.rate_bps().is_err() && !is_written(&"rate") {
                problems.push(Problem::new(
                    hop.field("rate"),
                    "missing: the trace has no rates",
                    "write rate = \"80 Mbit/s\"",
                ));
            }
            if channel(hop)?.is_some() && changes.iter().any(|change| change.loss_ppb.is_some()) {
                let message = format!("has losses, and {} is in bursts", hop.field("loss"));
                problems.push(Problem::new(hop.field("trace"), message, "leave one of the two out"));
            }
        }
    }
    Ok(())
}
