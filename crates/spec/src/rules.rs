//! The rules between the fields of one point; those of single fields are in [`crate::keys`].
//!
//! A rule that needs a field with a problem of its own has nothing to say: it ends with [`Unknown`].

mod change;
mod datagrams;
mod expectation;
mod flow;
mod line;
mod media;
mod network;
mod pages;
mod queue;
mod source;

use crate::derived::{active_groups, datagrams_of, end_ns, is_until_done, window_ns};
use crate::impairment::loses;
use crate::keys::MOST_FLOWS;
use crate::names;
use crate::point::Point;
use crate::problem::{Problem, quoted};
use crate::quantity::TIME;
use crate::tree::{Node, Unknown};
use run::Direction;

const MOST_SAMPLES: u64 = 10_000_000;

type Problems<'a> = &'a mut Vec<Problem>;

/// Everything that is wrong between the fields of one point.
pub(crate) fn find(point: &Point<'_>, problems: &mut Vec<Problem>) {
    // Each goes as far as it can; what it found before stays.
    let rules = [
        alone,
        duration,
        network::keys,
        network::names,
        network::bottleneck,
        queue::buffers,
        queue::disciplines,
        queue::jitter,
        shaper,
        line::losses,
        line::policers,
        line::filters,
        change::changes,
        change::traces,
    ];
    let _: Vec<_> = rules.iter().map(|rule| rule(point, problems)).collect();
    for (index, group) in point.groups().unwrap_or_default().iter().enumerate() {
        let place = format!("flows[{index}]");
        let subject = flow::Subject { point, group, place: &place };
        let rules = [
            flow::start,
            flow::stop,
            flow::stream,
            flow::trace,
            datagrams::datagrams,
            source::source,
            pages::pages,
            flow::command,
            network::direction,
            network::route,
            flow::access,
        ];
        let _: Vec<_> = rules.iter().map(|rule| rule(&subject, problems)).collect();
    }
    let rules = [network::delays, counts, all_names, window, records, samples, expectation::expectations];
    let _: Vec<_> = rules.iter().map(|rule| rule(point, problems)).collect();
}

fn alone(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(alone) = point.top().text_if("alone")? else { return Ok(()) };
    if active_groups(point)?.is_empty() {
        let last = point.groups()?.len().saturating_sub(1);
        let hint = if last > 0 {
            format!("from \"flows[0]\" to \"flows[{last}]\"")
        } else {
            "the only one is \"flows[0]\"".to_owned()
        };
        problems.push(Problem::new("alone", format!("{} is no group of this spec", quoted(alone)), hint));
    }
    Ok(())
}

fn duration(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let has_limit = point.top().has("time_limit");
    if !is_until_done(point)? {
        if has_limit {
            let message = "is of use with duration = \"until done\" only";
            problems.push(Problem::new("time_limit", message, "leave one of the two out"));
        }
        return Ok(());
    }
    if !has_limit {
        let message = "missing: duration = \"until done\" needs one";
        problems.push(Problem::new("time_limit", message, "write time_limit = \"600 s\""));
    }
    let (groups, active) = (point.groups()?, active_groups(point)?);
    let mut endless = !active.is_empty();
    for place in active.clone() {
        let group = &groups[place];
        endless &= matches!(group.get("workload")?, Some(Node::Text(_)))
            || datagrams_of(group)?.is_some()
            || group.table_if("workload")?.is_some_and(|workload| workload.table.node("pages").is_some());
    }
    if endless {
        let hint = "give a flow a transfer, or write \"300 s\"";
        problems.push(Problem::new("duration", "\"until done\", but no flow is ever done", hint));
    }
    for place in active {
        let Some(workload) = groups[place].table_if("workload")? else { continue };
        let Some(arrivals) = source::arrivals_of(&workload)? else { continue };
        if !arrivals.has("count") && !arrivals.has("trace") && !groups[place].has("stop") {
            let hint = "say how many with count = 10000, or when with the flow's stop";
            let path = format!("flows[{place}].workload.arrivals");
            problems.push(Problem::new(path, "never end, and the run is \"until done\"", hint));
        }
    }
    Ok(())
}

fn shaper(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let (path, host) = (point.path()?, point.host()?);
    if path.text("shaper_at")? != "receiver" {
        return Ok(());
    }
    let last = "a shaper at the receiver's ingress is the last hop: nothing of the path is behind it";
    if path.text("delay_side")? != "return" {
        let hint = "delay_side = \"return\", or shaper_at = \"router\"";
        problems.push(Problem::new("path.delay_side", last, hint));
    }
    if loses(point.network()?.hops(Direction::Down).first().ok_or(Unknown)?)? && path.text("loss_at")? != "before" {
        let hint = "loss_at = \"before\", or shaper_at = \"router\"";
        problems.push(Problem::new("path.loss_at", last, hint));
    }
    let first = "what a NIC holds back comes before the receiver's ingress, and no shaper is there";
    if host.flag("gro")? {
        let hint = "path.offload = true, or path.shaper_at = \"router\"";
        problems.push(Problem::new("host.gro", first, hint));
    }
    if host.count("ack_aggregation")? > 0 {
        let hint = "leave it out, or write path.shaper_at = \"router\"";
        problems.push(Problem::new("host.ack_aggregation", first, hint));
    }
    Ok(())
}

fn after_the_end(path: impl Into<String>, moment_ns: i128, end_ns: u64, what: &str) -> Problem {
    let place = if moment_ns == i128::from(end_ns) { "at" } else { "after" };
    let message = format!("{what}{} is {place} the end of the run, {}", shown(moment_ns), shown(end_ns));
    Problem::new(path, message, "make it earlier, or the duration longer")
}

fn counts(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let mut flows = 0;
    for group in point.groups()? {
        flows += group.integer("count")?;
    }
    if flows > MOST_FLOWS {
        let message = format!("{flows} flows in all are too many");
        problems.push(Problem::new("flows", message, format!("at most {MOST_FLOWS}")));
    }
    Ok(())
}

fn all_names(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    names::problems(&point.groups()?, problems)
}

fn window(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(moments) = point.measure()?.window_if("window")? else { return Ok(()) };
    if is_until_done(point)?
        && let Some(index) = moments.iter().position(|moment| moment.unit == "%")
    {
        let message = format!("{} of a duration that is \"until done\"", quoted(&moments[index].text));
        let hint = "write the window in times, or leave it out";
        problems.push(Problem::new(format!("measure.window[{index}]"), message, hint));
        return Ok(());
    }
    let ((begin, end), last) = (window_ns(point)?, end_ns(point)?);
    if begin >= end {
        let message = format!("begins at {}, not before its end at {}", shown(begin), shown(end));
        problems.push(Problem::new("measure.window", message, "write the earlier moment first"));
    }
    if begin >= last.into() {
        problems.push(after_the_end("measure.window[0]", begin, last, ""));
    }
    if end > last.into() {
        problems.push(after_the_end("measure.window[1]", end, last, ""));
    }
    Ok(())
}

fn records(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let measure = point.measure()?;
    let records = measure.each_text("record")?;
    let has = |record: &str| records.iter().any(|each| each == record);
    for (key, values) in [("record", records), ("capture_at", measure.each_text("capture_at")?)] {
        if let Some(twice) = (1..values.len()).find(|place| values[..*place].contains(&values[*place])) {
            let path = format!("measure.{key}[{twice}]");
            problems.push(Problem::new(path, format!("{} a second time", quoted(&values[twice])), "leave it out"));
        }
    }
    if has("summary") && (has("series") || has("acks")) {
        let message = "\"summary\" keeps no series, and \"series\" and \"acks\" do";
        problems.push(Problem::new("measure.record", message, "leave \"summary\" out"));
    }
    for path in ["measure.snap", "measure.capture_at"] {
        if measure.table.is_written(&path["measure.".len()..]) && !has("pcap") {
            problems.push(Problem::new(path, "nothing is captured", "record = \"pcap\", or leave it out"));
        }
    }
    Ok(())
}

fn samples(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let (sample, end) = (point.measure()?.count("sample")?, end_ns(point)?);
    if end / sample > MOST_SAMPLES {
        let message = format!("{} samples are too many", end / sample);
        problems.push(Problem::new("measure.sample", message, format!("at most {MOST_SAMPLES} a run")));
    }
    let (begin, end) = window_ns(point)?;
    if (1..i128::from(sample)).contains(&(end - begin)) {
        let message = format!("{} is longer than the window, {}", shown(sample), shown(end - begin));
        problems.push(Problem::new("measure.sample", message, "sample more often, or widen the window"));
    }
    Ok(())
}

/// A time as a message shows it.
fn shown(ns: impl Into<i128>) -> String {
    TIME.show(&ns.into().into())
}
