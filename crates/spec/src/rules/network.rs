//! The rules of the hops, and of the groups of flows that pass them.

use super::flow::Subject;
use super::{Problems, shown};
use crate::network::{Hop, Network, OF_A_HOP};
use crate::point::Point;
use crate::problem::{Problem, closest, quoted};
use crate::tree::{Unknown, View};
use run::Direction;

/// Keys that say of the path, or of the way back, what each of its hops says.
pub(super) fn keys(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    if network.is_listed(Direction::Down) {
        if network.path.table.is_written("link") {
            let hint = "leave it out, and write what you want of its keys";
            problems.push(Problem::new("path.link", "is one hop, and has no place with [[hops]]", hint));
        }
        displaced(&network.path, "path", "hops", problems);
        for (key, hint) in [
            ("shaper_at", "leave it out: queues stand in the order of [[hops]], the last one next to the receivers"),
            (
                "loss_at",
                "leave it out: a hop's loss strikes before its queue; for loss behind a queue give it to the next hop",
            ),
        ] {
            if network.path.table.is_written(key) {
                problems.push(Problem::new(format!("path.{key}"), "says nothing of [[hops]]", hint));
            }
        }
    }
    if network.is_listed(Direction::Up) {
        displaced(&network.path.table("back")?, "path.back", "path.back.hops", problems);
    }
    Ok(())
}

fn displaced(table: &View<'_>, place: &str, list: &str, problems: Problems<'_>) {
    for key in OF_A_HOP.into_iter().filter(|key| table.table.is_written(key)) {
        let message = format!("has no place with [[{list}]], each of which has its own");
        let hint = if key == "change" {
            format!("write [[{list}.change]] behind its hop")
        } else {
            format!("write {key} in [[{list}]]")
        };
        problems.push(Problem::new(format!("{place}.{key}"), message, hint));
    }
}

pub(super) fn names(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    // Those that have no key for it keep their names.
    let (listed, fixed): (Vec<&Hop<'_>>, Vec<&Hop<'_>>) = network.all().partition(|hop| hop.keys.has("name"));
    let mut owners: Vec<(&str, String)> = Vec::new();
    for hop in fixed.into_iter().chain(listed) {
        let Ok(name) = hop.name() else { continue };
        match owners.iter().find(|(known, _)| *known == name) {
            Some((_, owner)) => {
                let message = format!("{} is already the name of {owner}", quoted(name));
                problems.push(Problem::new(hop.field("name"), message, "give each hop a name of its own"));
            }
            None => owners.push((name, hop.table())),
        }
    }
    Ok(())
}

pub(super) fn bottleneck(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    let Some(name) = network.path.text_if("bottleneck")? else { return Ok(()) };
    let known = names_of(&network, Direction::Down)?;
    if !network.is_listed(Direction::Down) {
        let message = format!("{}: there are no [[hops]] that it could name", quoted(name));
        let hint = "leave it out, or write [[hops]] in place of path.rate and path.buffer";
        problems.push(Problem::new("path.bottleneck", message, hint));
    } else if !known.contains(&name) {
        problems.push(Problem::new(
            "path.bottleneck",
            format!("{} is none of [[hops]]", quoted(name)),
            closest(name, &known),
        ));
    }
    Ok(())
}

fn names_of<'a>(network: &Network<'a>, direction: Direction) -> Result<Vec<&'a str>, Unknown> {
    network.hops(direction).iter().map(Hop::name).collect()
}

pub(super) fn direction(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = subject.point.network()?;
    if subject.group.text("direction")? == "up" && network.hops(Direction::Up).is_empty() {
        let hint = "write [path.back] with its rate and buffer";
        let message = "\"up\", but there are no hops on the way back";
        problems.push(Problem::new(format!("{}.direction", subject.place), message, hint));
    }
    Ok(())
}

pub(super) fn route(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = subject.point.network()?;
    let Some(names) = subject.group.texts_if("route")? else { return Ok(()) };
    let ways = [names_of(&network, Direction::Down)?, names_of(&network, Direction::Up)?];
    let path = format!("{}.route", subject.place);
    let known = ways.concat();
    for (index, name) in names.iter().enumerate() {
        if !known.contains(&&**name) {
            problems.push(Problem::new(&*path, format!("{} is no hop", quoted(name)), closest(name, &known)));
        } else if names[..index].contains(name) {
            problems.push(Problem::new(&*path, format!("{} is named twice", quoted(name)), "name each hop once"));
        }
    }
    for way in &ways {
        let place = |name: &String| way.iter().position(|known| known == name);
        let places: Vec<usize> = names.iter().filter_map(place).collect();
        let Some(wrong) = places.windows(2).find(|pair| pair[1] != pair[0] + 1 && pair[0] != pair[1]) else { continue };
        let (before, after) = (quoted(way[wrong[0]]), quoted(way[wrong[1]]));
        let message = if wrong[1] < wrong[0] {
            format!("{after} stands behind {before}, and packets meet it first")
        } else {
            format!("{before} and {after} are no neighbours")
        };
        let (first, last) = (places.iter().min().copied(), places.iter().max().copied());
        let row: Vec<String> = way[first.unwrap_or(0)..=last.unwrap_or(0)].iter().map(|name| quoted(name)).collect();
        problems.push(Problem::new(&*path, message, format!("in a row they are {}", row.join(", "))));
    }
    Ok(())
}

/// Whether there is room for the delays of the hops in the base round-trip time of each group that passes them.
pub(super) fn delays(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    let mut is_said = false;
    for (index, group) in point.groups()?.iter().enumerate() {
        let own_ns = group.count_if("rtt")?;
        let rtt_ns = own_ns.map_or_else(|| network.path.count("rtt"), Ok)?;
        let (direction, route) = network.route(group)?;
        let (there_ns, _) = network.delays_ns(direction, route.data)?;
        let (back_ns, _) = network.delays_ns(direction.reversed(), route.acks)?;
        let delays_ns = there_ns + back_ns;
        if delays_ns <= rtt_ns || (is_said && own_ns.is_none()) {
            continue;
        }
        let path = if own_ns.is_some() { format!("flows[{index}].rtt") } else { "path.rtt".to_owned() };
        let passed = format!("than the delays of the hops that flows[{index}] passes, {} in all", shown(delays_ns));
        let hint = format!("at least \"{}\", or shorter delays", shown(delays_ns));
        problems.push(Problem::new(path, format!("{} is less {passed}", shown(rtt_ns)), hint));
        is_said |= own_ns.is_none();
    }
    Ok(())
}
