//! What is wrong with an expectation at a point: its bound, whose it is, its time, and the points that it names.

use super::{Problems, after_the_end, shown};
use crate::catalogue::{Measured, Whose, measured, names_over_time};
use crate::derived::{active_groups, end_ns};
use crate::experiment::find;
use crate::names;
use crate::point::Point;
use crate::problem::{Problem, closest, quoted};
use crate::tree::{Node, Unknown, View};
use crate::word::Word;

/// The bins of what is expected by a time.
const BIN_NS: u64 = 500_000_000;

/// A rule of one expectation at a point.
type Rule = fn(&Subject<'_>, Problems<'_>) -> Result<(), Unknown>;

/// An expectation at a point.
struct Subject<'a> {
    point: &'a Point<'a>,
    table: &'a View<'a>,
    place: String,
    measured: &'static Measured,
}

pub(super) fn expectations(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    for (index, table) in point.top().tables("expect")?.iter().enumerate() {
        let place = format!("expect[{index}]");
        let is_here = values(point, table, &place, problems)?;
        let Ok(quantity) = table.text("quantity") else { continue };
        let subject = Subject { point, table, place, measured: measured(quantity).ok_or(Unknown)? };
        let mut rules: Vec<Rule> = vec![bound, times];
        if is_here {
            rules.extend([owner as Rule, series]);
        }
        let _: Vec<_> = rules.iter().map(|rule| rule(&subject, problems)).collect();
    }
    Ok(())
}

/// Whether the point is one that the expectation names; and what is wrong with the names.
fn values(point: &Point<'_>, table: &View<'_>, place: &str, problems: Problems<'_>) -> Result<bool, Unknown> {
    let Some(Node::Values(values)) = table.get("where")? else { return Ok(true) };
    let swept = point.values();
    let mut is_here = true;
    for (path, value) in values {
        let here = format!("{place}.where");
        let axis = point.axes.iter().find(|axis| axis.path == *path);
        let own = swept.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone());
        let Some(own) = own.or_else(|| find(point.table, path).map(Node::word)) else {
            let known: Vec<&str> = point.axes.iter().map(|axis| &*axis.path).collect();
            problems.push(Problem::new(
                here,
                format!("{} is no field of this spec", quoted(path)),
                closest(path, &known),
            ));
            continue;
        };
        is_here &= own == *value;
        if let Some(axis) = axis.filter(|axis| !axis.values.contains(value)) {
            let known: Vec<String> = axis.values.iter().map(plain).collect();
            let message = format!("{} is no value of {path}", value.quoted());
            problems.push(Problem::new(
                here,
                message,
                closest(&plain(value), &known.iter().map(String::as_str).collect::<Vec<_>>()),
            ));
        }
    }
    Ok(is_here)
}

fn plain(word: &Word) -> String {
    if let Word::Text(text) = word { text.clone() } else { word.quoted() }
}

fn bound(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { table, place, measured, .. } = subject;
    match (table.has("at_least"), table.has("at_most")) {
        (false, false) => {
            problems.push(Problem::new(&**place, "has no bound", "write at_least or at_most"));
        }
        (true, true) => {
            let hint = "write an [[expect]] for each";
            problems.push(Problem::new(format!("{place}.at_most"), "there is at_least already", hint));
        }
        _ => {}
    }
    for key in ["at_least", "at_most"] {
        match table.get(key) {
            Ok(None) | Err(Unknown) => {}
            Ok(Some(Node::Table(other))) => {
                let place = format!("{place}.{key}");
                let _: Result<(), Unknown> = baseline(subject, &View::new(other, &[]), &place, problems);
            }
            Ok(Some(level)) => {
                if let Err(refusal) = measured.level(level) {
                    problems.push(refusal.at(format!("{place}.{key}")));
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with a bound that a group, a hop or another point gives.
fn baseline(subject: &Subject<'_>, other: &View<'_>, place: &str, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, table, measured, .. } = subject;
    if let Ok(Some(slack)) = other.get("slack") {
        match measured.level(slack) {
            Ok(level) if level < 0.0 => {
                let message = format!("{} is less than nothing", slack.word().quoted());
                problems.push(Problem::new(format!("{place}.slack"), message, "write how far beyond it may be"));
            }
            Ok(_) => {}
            Err(refusal) => problems.push(refusal.at(format!("{place}.slack"))),
        }
    }
    let Some(path) = other.text_if("against")? else { return Ok(()) };
    let place = format!("{place}.against");
    if other.has("of") {
        problems.push(Problem::new(&*place, "there is of already", "write an [[expect]] for each"));
    }
    if table.has("by") {
        let message = "there is by, and a time has no baseline";
        problems.push(Problem::new(&*place, message, "write a level, or leave by out"));
    }
    if !point.axes.iter().any(|axis| axis.path == path) {
        let known: Vec<&str> = point.axes.iter().map(|axis| &*axis.path).collect();
        problems.push(Problem::new(&*place, format!("{} is not swept", quoted(path)), closest(path, &known)));
    }
    Ok(())
}

fn times(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, table, place, measured } = subject;
    if !table.has("by") {
        if table.has("from") {
            problems.push(Problem::new(format!("{place}.from"), "there is no by that it begins", "write by = \"5 s\""));
        }
        return Ok(());
    }
    if !measured.over_time() {
        let message = format!("{} has no bins over time", quoted(&measured.name));
        let hint = format!("{} have; or leave it out", names_over_time().join(", "));
        problems.push(Problem::new(format!("{place}.by"), message, hint));
    }
    if let Some(from_ns) = table.count_if("from")? {
        let end_ns = end_ns(point)?;
        if from_ns >= end_ns {
            problems.push(after_the_end(format!("{place}.from"), from_ns.into(), end_ns, ""));
        }
    }
    Ok(())
}

/// Whether a run keeps what an expectation by a time is judged by.
fn series(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, table, place, .. } = subject;
    if !table.has("by") {
        return Ok(());
    }
    let measure = point.measure()?;
    if measure.each_text("record")?.iter().any(|record| record == "summary") {
        let message = "it needs series, and measure.record = \"summary\" keeps none";
        problems.push(Problem::new(format!("{place}.by"), message, "write record = \"series\", or leave by out"));
    }
    let sample_ns = measure.count("sample")?;
    if sample_ns > BIN_NS {
        let message = format!("its bins are of {}, and measure.sample is {}", shown(BIN_NS), shown(sample_ns));
        problems.push(Problem::new(format!("{place}.by"), message, "sample more often, or leave by out"));
    }
    Ok(())
}

/// Whose the quantity is, and whose gives the bound.
fn owner(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, table, place, measured } = subject;
    let active = active_groups(point)?;
    let groups: Vec<String> = names::of(&point.groups()?)?
        .into_iter()
        .enumerate()
        .filter(|(index, names)| active.contains(index) && !names.is_empty())
        .map(|(_, mut names)| names.swap_remove(0))
        .collect();
    let network = point.network()?;
    let hops: Vec<&str> = network.all().map(|hop| hop.name()).collect::<Result<_, _>>()?;
    let (known, noun): (Vec<&str>, &str) = match measured.whose() {
        Whose::Group => (groups.iter().map(String::as_str).collect(), "group of flows"),
        _ if measured.of_hop() => (hops, "hop"),
        _ => (Vec::new(), ""),
    };
    let name = quoted(&measured.name);
    let mut find_in = |path: String, of: &str| {
        if known.is_empty() {
            problems.push(Problem::new(path, format!("{name} is of the run, and of no part of it"), "leave it out"));
        } else if !known.contains(&of) {
            problems.push(Problem::new(path, format!("{} is no {noun} here", quoted(of)), closest(of, &known)));
        }
    };
    let whose = table.text_if("of")?;
    if let Some(of) = whose {
        find_in(format!("{place}.of"), of);
    }
    for key in ["at_least", "at_most"] {
        if let Ok(Some(other)) = table.table_if(key)
            && let Some(of) = other.text_if("of")?
        {
            find_in(format!("{place}.{key}.of"), of);
        }
    }
    let is_needed = match measured.whose() {
        Whose::Group => known.len() > 1,
        Whose::Hop => true,
        Whose::Run => false,
    };
    if whose.is_none() && is_needed {
        let message = format!("missing: each {noun} has {name}");
        problems.push(Problem::new(format!("{place}.of"), message, closest("", &known)));
    }
    Ok(())
}
