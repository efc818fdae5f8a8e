//! The rules of what a line does to packets beside taking its time.

use super::Problems;
use crate::impairment::{channel, is_policer};
use crate::network::{Hop, Network};
use crate::point::Point;
use crate::problem::{Problem, quoted};
use crate::qdisc::Written;
use crate::tree::{Node, Unknown, View};

/// A rule about one hop.
type Rule = fn(&Network<'_>, &Hop<'_>, Problems<'_>) -> Result<(), Unknown>;

/// What is wrong with one hop leaves the others.
fn each(point: &Point<'_>, rule: Rule, problems: Problems<'_>) -> Result<(), Unknown> {
    let network = point.network()?;
    for hop in network.all() {
        let _: Result<(), Unknown> = rule(&network, hop, problems);
    }
    Ok(())
}

/// A channel is said by its losses or by its probabilities.
pub(super) fn losses(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    each(point, loss, problems)
}

fn loss(_: &Network<'_>, hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(channel) = channel(hop)? else { return Ok(()) };
    let place = hop.field("loss.gilbert_elliott");
    let hint = "write loss and burst, or p and r";
    let has_losses = channel.has("loss") || channel.has("burst");
    let own: [&str; 2] = if has_losses { ["loss", "burst"] } else { ["p", "r"] };
    if let Some(key) = own.into_iter().find(|key| !channel.has(key)) {
        problems.push(Problem::new(format!("{place}.{key}"), "missing", hint));
        return Ok(());
    }
    if has_losses {
        for key in ["p", "r", "h", "k"].into_iter().filter(|key| channel.table.is_written(key)) {
            problems.push(Problem::new(format!("{place}.{key}"), "the losses say it already", hint));
        }
        return burst(&channel, &place, problems);
    }
    if channel.count("r")? == 0 {
        let message = "0 %: the bad state would never end";
        problems.push(Problem::new(format!("{place}.r"), message, "more than 0 %; 20 % are bursts of 5 packets"));
    }
    Ok(())
}

/// So much loss in bursts so short: the good state would have to last for less than a packet.
fn burst(channel: &View<'_>, place: &str, problems: Problems<'_>) -> Result<(), Unknown> {
    let (loss, burst) = (channel.quantity("loss")?, channel.number("burst")?);
    let share = loss.count() as f64 / 1e9;
    let least = share / (1.0 - share);
    if burst < least {
        let message = format!("{burst} is too short for a loss of {}", loss.text);
        problems.push(Problem::new(format!("{place}.burst"), message, format!("at least {:.2}", least + 0.005)));
    }
    Ok(())
}

/// A policer has no queue, and only a policer has a peak.
pub(super) fn policers(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    each(point, policer, problems)
}

fn policer(network: &Network<'_>, hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let keys = &hop.keys.table;
    if !is_policer(hop)? {
        for key in ["peak", "exceed"].into_iter().filter(|key| keys.is_written(key)) {
            let hint = "leave it out, or write shaper = \"police\"";
            problems.push(Problem::new(hop.field(key), "is a policer's", hint));
        }
        return Ok(());
    }
    for key in ["buffer", "qdisc", "ack_filter"].into_iter().filter(|key| keys.is_written(key)) {
        let hint = "leave it out, or write shaper = \"tbf\"";
        problems.push(Problem::new(hop.field(key), "is a queue's, and a policer has none", hint));
    }
    let frame = crate::derived::line(network, hop)?.frame_bytes;
    let burst = hop.keys.quantity("burst")?;
    if burst.count() < frame {
        let message = format!("{} is less than one frame of {frame} B", quoted(&burst.text));
        problems.push(Problem::new(
            hop.field("burst"),
            message,
            format!("no packet would pass; at least \"{frame} B\""),
        ));
    }
    if network.path.flag("offload")? {
        let hint = "leave it out, or write shaper = \"tbf\"";
        problems.push(Problem::new("path.offload", "super-packets do not fit a policer's bucket", hint));
    }
    let rate_bps = hop.rate_bps()?;
    if let Some(peak) = hop.keys.quantity_if("peak")?.filter(|peak| peak.count() < rate_bps) {
        let rate = &hop.keys.quantity("rate")?.text;
        let message = format!("{} is below the rate, {rate}", quoted(&peak.text));
        problems.push(Problem::new(hop.field("peak"), message, "more than the rate, or leave it out"));
    }
    Ok(())
}

/// Only a queue that is first in, first out has a filter of ACKs; and what stands at the receiver's ingress has nothing behind it.
pub(super) fn filters(point: &Point<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    each(point, filter, problems)
}

fn filter(network: &Network<'_>, hop: &Hop<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let kind = Written::of(hop)?.kind;
    if hop.keys.flag("ack_filter")? && kind != "fifo" {
        let message = format!("a queue of {kind} has none");
        problems.push(Problem::new(hop.field("ack_filter"), message, "leave it out, or write qdisc = \"fifo\""));
    }
    if network.path.text("shaper_at")? != "receiver" || hop.table() != "path" {
        return Ok(());
    }
    for key in ["duplicate", "corrupt", "reorder", "aggregation"] {
        let is_any = match hop.keys.get(key)? {
            Some(Node::Quantity(quantity)) => quantity.count() > 0,
            node => matches!(node, Some(Node::Table(_))),
        };
        if is_any {
            let message = "a shaper at the receiver's ingress is the last hop: nothing of the path is behind it";
            problems.push(Problem::new(hop.field(key), message, "leave it out, or write shaper_at = \"router\""));
        }
    }
    Ok(())
}
