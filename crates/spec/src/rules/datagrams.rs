//! The rules of datagrams, pings among them.

use super::flow::{MOST_WRITES, Subject};
use super::{Problems, media};
use crate::derived::{datagrams_of, end_ns};
use crate::file::Content;
use crate::key::FileKind;
use crate::problem::Problem;
use crate::tree::{Unknown, View};
use run::UDP_HEADERS_BYTES;

const BITS_PER_BYTE: u128 = 8;
const NS_PER_S: u128 = 1_000_000_000;
/// What a datagram has to have: its number.
const LEAST_BYTES: u64 = 8;

pub(super) fn datagrams(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Subject { point, group, place } = subject;
    let Some(key) = datagrams_of(group)? else { return Ok(()) };
    let (what, many) = match key {
        "ping" => ("a ping is", "pings"),
        "udp" => ("datagrams are", "datagrams"),
        _ => ("media are", "packets"),
    };
    for key in ["cc", "ecn"] {
        if group.table.is_written(key) {
            let message = format!("{what} no TCP connection");
            problems.push(Problem::new(format!("{place}.{key}"), message, "leave it out, or write another workload"));
        }
    }
    let workload = group.table("workload")?;
    let path = format!("{place}.workload.{key}");
    let room = point.network()?.path.integer("mtu")? - u64::from(UDP_HEADERS_BYTES);
    let count = match key {
        "ping" => {
            fits(workload.count("payload")?, room, format!("{place}.workload.payload"), problems);
            u128::from(end_ns(point)? / workload.count("ping")?)
        }
        "udp" => sent(subject, &workload.table("udp")?, &path, room, problems)?,
        _ => media::packets(point, &workload.table("media")?, &path, problems)?,
    };
    let all = count * u128::from(group.integer("count")?);
    if all > MOST_WRITES.into() {
        problems.push(Problem::new(path, format!("{all} {many} are too many"), format!("at most {MOST_WRITES}")));
    }
    Ok(())
}

fn fits(payload: u64, room: u64, path: String, problems: Problems<'_>) {
    if payload > room {
        let message = format!("longer than what path.mtu leaves a datagram, {room} B");
        problems.push(Problem::new(path, message, format!("at most \"{room} B\"")));
    }
}

/// How many are sent at most, each flow.
fn sent(subject: &Subject<'_>, udp: &View<'_>, path: &str, room: u64, problems: Problems<'_>) -> Result<u128, Unknown> {
    for (key, other) in [("on", "off"), ("off", "on")] {
        if udp.has(key) && !udp.has(other) {
            let message = format!("missing: {key} is nothing without it");
            problems.push(Problem::new(format!("{path}.{other}"), message, format!("write {other} = \"1 s\"")));
        }
    }
    match (udp.count_if("rate")?, udp.text_if("trace")?) {
        (None, None) => {
            let hint = "write rate = \"5 Mbit/s\" or trace = \"datagrams.csv\"";
            problems.push(Problem::new(path, "does not say when datagrams are sent", hint));
            Ok(0)
        }
        (Some(rate_bps), None) => {
            let payload = udp.count("payload")?;
            fits(payload, room, format!("{path}.payload"), problems);
            let bits = u128::from(rate_bps) * u128::from(end_ns(subject.point)?) / NS_PER_S;
            Ok(bits / (BITS_PER_BYTE * u128::from(payload)))
        }
        (_, Some(trace)) => {
            for key in ["rate", "payload", "spacing", "on", "off"] {
                if udp.table.is_written(key) {
                    let message = "the trace has all datagrams, each with its time and payload";
                    problems.push(Problem::new(format!("{path}.{key}"), message, "leave one of the two out"));
                }
            }
            let Content::Writes(datagrams) = subject.point.contents.get(FileKind::Writes, trace)? else {
                return Err(Unknown);
            };
            if let Some(wrong) = datagrams.iter().find(|each| !(LEAST_BYTES..=room).contains(&each.bytes)) {
                let message = format!("has a datagram of {} B", wrong.bytes);
                let hint = format!("from {LEAST_BYTES} B to what path.mtu leaves, {room} B");
                problems.push(Problem::new(format!("{path}.trace"), message, hint));
            }
            Ok(datagrams.len() as u128)
        }
    }
}
