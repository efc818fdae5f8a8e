//! The rules of one group of flows, but for sources of short transfers.

use super::queue::room;
use super::{Problems, after_the_end, shown};
use crate::derived::{end_ns, ethernet_line, last_start_ns, start_jitter_bound_ns};
use crate::file::Content;
use crate::key::FileKind;
use crate::placeholder;
use crate::point::Point;
use crate::problem::Problem;
use crate::tree::{Unknown, View};
use run::Direction;

pub(super) const MOST_WRITES: u64 = 10_000_000;
const NS_PER_S: i128 = 1_000_000_000;
const BITS_PER_BYTE: u128 = 8;

/// The group that a rule is asked about.
pub(super) struct Subject<'a> {
    pub point: &'a Point<'a>,
    pub group: &'a View<'a>,
    pub place: &'a str,
}

impl<'a> Subject<'a> {
    /// The group's workload, if it is a table that has this key.
    pub(super) fn workload(&self, key: &str) -> Result<Option<View<'a>>, Unknown> {
        Ok(self.group.table_if("workload")?.filter(|workload| workload.table.node(key).is_some()))
    }
}

pub(super) fn start(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, group, place } = subject;
    let (end, start) = (end_ns(point)?, group.count("start")?);
    if start >= end {
        problems.push(after_the_end(format!("{place}.start"), start.into(), end, ""));
        return Ok(());
    }
    let last = last_start_ns(group)?;
    if last >= end {
        let what = format!("flow {} of the group starts late: ", group.integer("count")?);
        problems.push(after_the_end(format!("{place}.stagger"), last.into(), end, &what));
        return Ok(());
    }
    let latest = last + written_start_jitter_ns(point)?;
    if latest > end {
        problems.push(after_the_end(
            "start_jitter",
            latest.into(),
            end,
            &format!("{place} may start as late as that: "),
        ));
    }
    Ok(())
}

/// None that is not written makes a flow start too late: there is room for it.
fn written_start_jitter_ns(point: &Point<'_>) -> Result<u64, Unknown> {
    Ok(point.top().count_if("start_jitter")?.unwrap_or(0))
}

pub(super) fn stop(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, group, place } = subject;
    let Some(stop) = group.count_if("stop")? else { return Ok(()) };
    let start = group.count("start")?;
    let latest = last_start_ns(group)? + written_start_jitter_ns(point)?;
    let path = format!("{place}.stop");
    if stop <= start {
        let message = format!("{} is not after the start, {}", shown(stop), shown(start));
        problems.push(Problem::new(&*path, message, "stop is a moment of the run, not a length"));
    } else if stop <= latest {
        let message = format!("{} is not after the latest start in the group, {}", shown(stop), shown(latest));
        problems.push(Problem::new(&*path, message, "stagger and start_jitter count too"));
    }
    let end = end_ns(point)?;
    if stop > end {
        problems.push(after_the_end(path, stop.into(), end, ""));
    }
    Ok(())
}

pub(super) fn stream(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(stream) = subject.workload("stream")? else { return Ok(()) };
    let (rate, length, every) = (stream.count("stream")?, stream.count("for")?, stream.count("every")?);
    let path = format!("{}.workload", subject.place);
    if length < every {
        let message = format!("{} is shorter than the {} between two writes", shown(length), shown(every));
        problems.push(Problem::new(format!("{path}.for"), message, "a stream has one write at least"));
    }
    let writes = length / every * subject.group.integer("count")?;
    if writes > MOST_WRITES {
        let message = format!("{writes} writes are too many");
        problems.push(Problem::new(format!("{path}.every"), message, format!("at most {MOST_WRITES}")));
    }
    if u128::from(rate) * u128::from(every) < BITS_PER_BYTE * NS_PER_S.unsigned_abs() {
        let rate = &stream.quantity("stream")?.text;
        let message = format!("{} at {rate} is less than one byte a write", shown(every));
        problems.push(Problem::new(format!("{path}.every"), message, "write less often"));
    }
    Ok(())
}

pub(super) fn trace(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(trace) = subject.workload("trace")? else { return Ok(()) };
    let Content::Writes(writes) = subject.point.contents.get(FileKind::Writes, trace.text("trace")?)? else {
        return Err(Unknown);
    };
    let writes = writes.len() as u64 * subject.group.integer("count")?;
    if writes > MOST_WRITES {
        let message = format!("{writes} writes of all flows of the group are too many");
        let path = format!("{}.workload.trace", subject.place);
        problems.push(Problem::new(path, message, format!("at most {MOST_WRITES}")));
    }
    Ok(())
}

pub(super) fn command(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, group, place } = subject;
    let Some(program) = subject.workload("command")? else { return Ok(()) };
    let names = |arguments: &[String], name: &str| {
        arguments.iter().any(|word| placeholder::names(word).is_ok_and(|names| names.contains(&name)))
    };
    let command = program.texts_if("command")?.ok_or(Unknown)?;
    let mut counts_seconds = names(command, "seconds");
    if let Some(server) = program.texts_if("server")? {
        let has = |arguments| names(arguments, "port");
        if has(command) != has(server) {
            let (lacks, other) = if has(command) { ("server", "command") } else { ("command", "server") };
            let message = format!("without {{port}}, which {other} has: the two would not meet");
            let hint = "write {port} in both, or a port of yours in both";
            problems.push(Problem::new(format!("{place}.workload.{lacks}"), message, hint));
        }
        counts_seconds |= names(server, "seconds");
    }
    let end = match group.count_if("stop")? {
        Some(stop) => stop,
        None => end_ns(point)?,
    };
    let lasts = i128::from(end) - i128::from(last_start_ns(group)?) - i128::from(start_jitter_bound_ns(point)?);
    if counts_seconds && (1..NS_PER_S).contains(&lasts) {
        let message = format!("{{seconds}} of a flow that may last {} only: none is whole", shown(lasts));
        problems.push(Problem::new(format!("{place}.workload.command"), message, "let it last 1 s at least"));
    }
    Ok(())
}

pub(super) fn access(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(access) = subject.group.table_if("access")? else { return Ok(()) };
    let network = subject.point.network()?;
    if network.is_listed(Direction::Down) {
        let hint = "write the line as one of [[hops]], which other groups pass by with a route of their own";
        problems.push(Problem::new(format!("{}.access", subject.place), "is a line before [[hops]]", hint));
        return Ok(());
    }
    let line = ethernet_line(&network, access.count("rate")?)?;
    room(
        access.quantity("buffer")?,
        network.counts_packets()?,
        &network,
        line,
        &format!("{}.access.buffer", subject.place),
        problems,
    )
}
