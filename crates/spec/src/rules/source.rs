//! The rules of a source of short transfers.

use super::flow::Subject;
use super::{Problems, shown};
use crate::derived::{arrivals_per_s, arriving_ns};
use crate::file::{ArrivalTimes, Content};
use crate::key::FileKind;
use crate::keys::MOST_ARRIVALS;
use crate::number::grouped;
use crate::problem::{Problem, quoted};
use crate::tree::{Unknown, View};

const NS_PER_S: f64 = 1e9;

/// The arrivals of a workload that is a source.
pub(super) fn arrivals_of<'a>(workload: &View<'a>) -> Result<Option<View<'a>>, Unknown> {
    if workload.table.node("arrivals").is_some() { workload.table("arrivals").map(Some) } else { Ok(None) }
}

pub(super) fn source(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(source) = subject.workload("arrivals")? else { return Ok(()) };
    let path = format!("{}.workload", subject.place);
    let flows = subject.group.integer("count")?;
    if flows > 1 {
        let hint =
            "write another [[flows]] table for each source; how many transfers arrive is workload.arrivals.count";
        let message = format!("{flows} sources of arrivals in one table");
        problems.push(Problem::new(format!("{}.count", subject.place), message, hint));
    }
    let before = problems.len();
    arrivals(subject, &source, &path, problems)?;
    let needs_mean = source.table("arrivals")?.has("load");
    sizes(&source, &format!("{path}.size"), needs_mean, problems)?;
    if problems.len() == before { load(subject, &source, &path, problems) } else { Ok(()) }
}

fn arrivals(subject: &Subject<'_>, source: &View<'_>, path: &str, problems: Problems<'_>) -> Result<(), Unknown> {
    let arrivals = source.table("arrivals")?;
    let kinds: Vec<&str> = ["load", "rate", "trace"].into_iter().filter(|kind| arrivals.has(kind)).collect();
    match kinds.split_first() {
        None => {
            let hint = "write load = 0.6, rate = \"50 /s\" or trace = \"arrivals.csv\"";
            problems.push(Problem::new(format!("{path}.arrivals"), "does not say when transfers arrive", hint));
        }
        Some((first, others)) => {
            for kind in others {
                let message = format!("beside {first}, which says it already");
                problems.push(Problem::new(format!("{path}.arrivals.{kind}"), message, "leave one of them out"));
            }
        }
    }
    let has_size = source.has("size");
    let size = format!("{path}.size");
    let Some(name) = arrivals.text_if("trace")? else {
        if !has_size {
            problems.push(Problem::new(size, "missing", "write size = \"100 kB\""));
        }
        return Ok(());
    };
    let Content::Arrivals(ArrivalTimes { at_ns, bytes }) = subject.point.contents.get(FileKind::Arrivals, name)? else {
        return Err(Unknown);
    };
    match (bytes, has_size) {
        (Some(_), true) => {
            let message = "the trace has a size for each arrival already";
            problems.push(Problem::new(size, message, "leave one of the two out"));
        }
        (None, false) => {
            let hint = "write size = \"100 kB\", or add a column";
            problems.push(Problem::new(size, "missing: the trace has times only", hint));
        }
        _ => {}
    }
    if let Some(count) = arrivals.integer_if("count")?.filter(|count| *count > at_ns.len() as u64) {
        let message = format!("{count} of the trace's {} arrivals", at_ns.len());
        problems.push(Problem::new(format!("{path}.arrivals.count"), message, format!("at most {}", at_ns.len())));
    }
    Ok(())
}

/// Of a table's `size`, whose mean is of use or not.
pub(super) fn sizes(table: &View<'_>, path: &str, needs_mean: bool, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(size) = table.table_if("size")? else { return Ok(()) };
    if size.table.node("lognormal").is_some() {
        one_of(&size.table("lognormal")?, &format!("{path}.lognormal"), "mean", "median", problems);
        return Ok(());
    }
    if size.table.node("pareto").is_none() {
        return Ok(());
    }
    let (tail, path) = (size.table("pareto")?, format!("{path}.pareto"));
    one_of(&tail, &path, "mean", "minimum", problems);
    let shape = tail.number("shape")?;
    let Some(most) = tail.quantity_if("maximum")? else {
        if shape <= 1.0 && (needs_mean || tail.has("mean")) {
            let message = format!("a Pareto distribution of shape {shape} has no mean");
            problems.push(Problem::new(format!("{path}.shape"), message, "a shape above 1, or maximum = \"100 MB\""));
        }
        return Ok(());
    };
    for key in ["mean", "minimum"] {
        if let Some(size) = tail.quantity_if(key)?.filter(|size| size.value >= most.value) {
            let message = format!("{} is not below the maximum", quoted(&size.text));
            problems.push(Problem::new(format!("{path}.{key}"), message, format!("less than {}", most.text)));
        }
    }
    Ok(())
}

fn one_of(table: &View<'_>, path: &str, first: &str, second: &str, problems: Problems<'_>) {
    let message = match (table.has(first), table.has(second)) {
        (true, true) => format!("{first} and {second} are both there"),
        (false, false) => format!("neither {first} nor {second} is there"),
        _ => return,
    };
    problems.push(Problem::new(path, message, format!("write one of them: {first} or {second}")));
}

fn load(subject: &Subject<'_>, source: &View<'_>, path: &str, problems: Problems<'_>) -> Result<(), Unknown> {
    let arrivals = source.table("arrivals")?;
    let per_s = arrivals_per_s(subject.point, subject.group, source)?;
    let arriving_ns = arriving_ns(subject.point, subject.group)?;
    let (Some(per_s), Some(arriving_ns), None) = (per_s, arriving_ns, arrivals.integer_if("count")?) else {
        return Ok(());
    };
    let expected = per_s * arriving_ns as f64 / NS_PER_S;
    if expected > MOST_ARRIVALS as f64 {
        let kind = if arrivals.has("load") { "load" } else { "rate" };
        let expected = grouped(expected.round_ties_even() as u128);
        let message = format!("{expected} arrivals in {} are too many", shown(arriving_ns));
        let hint = format!("at most {}: count = 10000, or a stop", grouped(MOST_ARRIVALS.into()));
        problems.push(Problem::new(format!("{path}.arrivals.{kind}"), message, hint));
    }
    Ok(())
}
