//! Facts of a path: what is built, in words, and how late what had a time was.

use super::plan::{Discipline, Place, Plan};
use run::{Histogram, Run};
use std::collections::BTreeMap;

/// What counts as late, in words and nanoseconds.
const LATE: [(&str, u64); 4] = [("100us", 100_000), ("500us", 500_000), ("1ms", 1_000_000), ("5ms", 5_000_000)];

/// What is built, in words.
pub fn describe(plan: &Plan, run: &Run) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let row = |is_back: bool| {
        let there = plan.places.iter().filter(|place| matches!(place, Place::Up(..)) == is_back);
        there.map(|place| place.name()).collect::<Vec<String>>().join(" - ")
    };
    let back = if run.path.back.is_empty() { String::new() } else { format!(", back {}", row(true)) };
    let what = format!("{}{back}, {} lanes, mtu {}", row(false), plan.pairs.len(), run.path.mtu_bytes);
    facts.insert("path".to_owned(), what);
    // Devices of one place with the same are named together: the first, and how many more.
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
    for (takes, discipline) in &plan.relays {
        let name = format!("relay {}", plan.devices[*takes].name);
        facts.insert(name, format!("in user space: {}", discipline.text()));
    }
    facts
}

/// How many there were, and how many of them were late by so much and more.
pub fn late_facts(what: &str, late: &Histogram) -> BTreeMap<String, String> {
    let from = |least_ns: u64| -> u64 {
        let bins = late.counts.iter().zip(late.first_bin as usize..);
        bins.filter(|(_, bin)| Histogram::lower_bound(*bin) >= least_ns).map(|(count, _)| u64::from(*count)).sum()
    };
    LATE.iter()
        .map(|(label, least_ns)| (format!("{what}_late_{label}"), from(*least_ns)))
        .chain([(what.to_owned(), late.count)])
        .map(|(name, count)| (name, count.to_string()))
        .collect()
}
