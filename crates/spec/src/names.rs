//! Names of groups and flows. A flow's name names its random streams, so it must not depend on chance.
//!
//! A group `bbr` of three flows has `bbr`, `bbr-2` and `bbr-3`. A group without a name takes its algorithm's; a second one of
//! the same algorithm goes on counting where the first stopped.

use crate::derived::datagrams_of;
use crate::problem::{Problem, quoted};
use crate::tree::{Unknown, View};
use std::collections::BTreeMap;

/// Of a number behind a name.
const MOST_DIGITS: usize = 9;

/// Finds names that two flows would have.
pub(crate) fn problems(groups: &[View<'_>], problems: &mut Vec<Problem>) -> Result<(), Unknown> {
    let mut owners: Vec<(&str, usize)> = Vec::new();
    let mut place_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        let Some(name) = group.text_if("name")? else { continue };
        if let Some(owner) = place_of.get(name) {
            let message = format!("{} is already the name of flows[{owner}]", quoted(name));
            problems.push(Problem::new(format!("flows[{index}].name"), message, "give each group a name of its own"));
            continue;
        }
        place_of.insert(name, index);
        owners.push((name, index));
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, index) in &owners {
        counts.insert(name, groups[*index].integer("count")?);
    }
    for (name, index) in owners {
        if let Some(other) = member(name, &counts) {
            let (name, other) = (quoted(name), quoted(other));
            let message = format!("{name} is also a flow of group {other}, which counts its flows so");
            problems.push(Problem::new(format!("flows[{index}].name"), message, "give it another name"));
        }
    }
    Ok(())
}

/// The names of each group's flows; the first is the group's.
pub(crate) fn of(groups: &[View<'_>]) -> Result<Vec<Vec<String>>, Unknown> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for group in groups {
        if let Some(name) = group.text_if("name")? {
            counts.insert(name, group.integer("count")?);
        }
    }
    let mut used: BTreeMap<&str, u64> = BTreeMap::new();
    let mut names = Vec::new();
    for group in groups {
        let count = group.integer("count")?;
        if let Some(name) = group.text_if("name")? {
            names.push((1..=count).map(|number| numbered(name, number)).collect());
            continue;
        }
        let written = control_name(group)?;
        let base = written.split_once('[').map_or(written, |(base, _)| base).trim();
        let number = used.entry(base).or_insert(0);
        let mut own = Vec::new();
        while (own.len() as u64) < count {
            *number += 1;
            let candidate = numbered(base, *number);
            if !counts.contains_key(&*candidate) && member(&candidate, &counts).is_none() {
                own.push(candidate);
            }
        }
        names.push(own);
    }
    Ok(names)
}

/// A group's congestion control as it is written; of one without, its workload's name.
pub(crate) fn control_name<'a>(group: &View<'a>) -> Result<&'a str, Unknown> {
    datagrams_of(group)?.map_or_else(|| group.text("cc"), Ok)
}

fn numbered(name: &str, number: u64) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

/// The group, if any, whose second or later flow has this name.
fn member<'a>(name: &'a str, counts: &BTreeMap<&str, u64>) -> Option<&'a str> {
    let (group, digits) = name.rsplit_once('-')?;
    let is_number = (1..=MOST_DIGITS).contains(&digits.len())
        && !digits.starts_with('0')
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number: u64 = if is_number { digits.parse().ok()? } else { return None };
    (!group.is_empty() && 1 < number && number <= *counts.get(group)?).then_some(group)
}
