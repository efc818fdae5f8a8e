//! Units that a kind refuses for a reason: what tools disagree about, and what is meant in another unit.

use super::Misread;
use crate::number::{decimal, ratio, times};
use crate::problem::{Refusal, quoted};
use num_rational::BigRational;

const PREFIXES: [&str; 5] = ["", "k", "m", "g", "t"];

pub(super) fn rate(misread: &Misread<'_>) -> Option<Refusal> {
    let Misread { text, number, unit, .. } = *misread;
    let prefixed = |prefix: &str| spelt(misread, &format!("{prefix}bit/s"));
    let rest = unit.strip_suffix("/sec").or(unit.strip_suffix("/s")).unwrap_or(unit);
    if let Some(rest) = rest.strip_suffix('B') {
        let (prefix, binary) = rest.strip_suffix('i').map_or((rest, false), |prefix| (prefix, true));
        let prefix = prefix.to_lowercase();
        if let Some((power, wanted)) = PREFIXES.iter().position(|each| **each == prefix).zip(prefixed(&prefix)) {
            let kilo = if binary { ratio(1024, 1000) } else { ratio(1, 1) };
            let factor = kilo.pow(power as i32) * ratio(8, 1);
            return Some(Refusal::new(
                format!("{} is in bytes", quoted(text)),
                in_unit(misread, "bits", &factor, wanted),
            ));
        }
    }
    let lower = unit.to_lowercase();
    let ends = ["bits/sec", "bit/sec", "bits/s", "bitps", "bits", "bps", "b/s", "b"];
    let wanted = ends.iter().filter_map(|end| lower.strip_suffix(end)).find_map(prefixed)?;
    let message = format!("{} is ambiguous: tools read {} as bits or as bytes a second", quoted(text), quoted(unit));
    Some(Refusal::new(message, format!("write \"{number} {wanted}\"")))
}

pub(super) fn time(misread: &Misread<'_>) -> Option<Refusal> {
    let Misread { text, number, unit, .. } = *misread;
    let meant = match &*unit.to_lowercase() {
        "sec" | "secs" | "second" | "seconds" => "s",
        "msec" => "ms",
        "usec" | "µs" | "μs" => "us",
        "nsec" => "ns",
        "minute" | "minutes" => "min",
        _ if is_followed_by_another(unit) => {
            let hint = "write one; path.jitter delays packets, in order";
            return Some(Refusal::new(format!("{} is more than a time", quoted(text)), hint));
        }
        _ if unit == "m" => {
            let hint = format!("write \"{number} min\" or \"{number} ms\"");
            return Some(Refusal::new(format!("{} is ambiguous: \"m\"", quoted(text)), hint));
        }
        _ => return None,
    };
    Some(unknown(misread, format!("write \"{number} {meant}\"")))
}

pub(super) fn frequency(misread: &Misread<'_>) -> Option<Refusal> {
    let factor = match &*misread.unit.to_lowercase() {
        "hz" | "per s" | "per second" | "/sec" | "1/s" => ratio(1, 1),
        "/ms" => ratio(1000, 1),
        "/min" => ratio(1, 60),
        _ => return None,
    };
    let rate = times(misread.number, &factor).map(|exact| {
        let digits = if exact.denom().magnitude() % 3_u8 == 0_u8.into() { rounded(&exact) } else { exact };
        format!("write \"{} /s\"", decimal(&digits))
    });
    Some(unknown(misread, rate.unwrap_or_else(|| misread.kind.advice("", None))))
}

pub(super) fn bytes(misread: &Misread<'_>) -> Option<Refusal> {
    let Misread { text, number, unit, .. } = *misread;
    let lower = unit.to_lowercase();
    let amount = match lower.strip_suffix('b').unwrap_or(&lower) {
        "k" => Some(("kB", "KiB")),
        "m" => Some(("MB", "MiB")),
        "g" => Some(("GB", "GiB")),
        _ => None,
    };
    if let Some((decimal, binary)) = amount {
        let message = format!("{} is ambiguous: bits or bytes, of 1000 or of 1024", quoted(text));
        return Some(Refusal::new(
            message,
            format!("write \"{number} {decimal}\" (decimal) or \"{number} {binary}\" (binary)"),
        ));
    }
    let prefix = if unit == "b" { "" } else { lower.strip_suffix('s').unwrap_or(&lower).strip_suffix("bit")? };
    let wanted = match prefix {
        "" => "B",
        "k" => "kB",
        "m" => "MB",
        "g" => "GB",
        _ => return None,
    };
    Some(Refusal::new(format!("{} is in bits", quoted(text)), in_unit(misread, "bytes", &ratio(1, 8), wanted)))
}

/// Of a rate in another unit, six digits are enough.
fn rounded(exact: &BigRational) -> BigRational {
    (exact * ratio(1_000_000, 1)).round() / ratio(1_000_000, 1)
}

fn in_unit(misread: &Misread<'_>, what: &str, factor: &BigRational, unit: &str) -> String {
    times(misread.number, factor).map_or_else(
        || misread.kind.advice("", None),
        |amount| format!("write {what}: \"{} {unit}\"", decimal(&amount)),
    )
}

fn spelt(misread: &Misread<'_>, lower: &str) -> Option<&'static str> {
    misread.kind.units.iter().map(|(known, _)| *known).find(|known| known.to_lowercase() == lower)
}

fn unknown(misread: &Misread<'_>, hint: String) -> Refusal {
    Refusal::new(format!("{}: unknown unit {}", quoted(misread.text), quoted(misread.unit)), hint)
}

/// Whether a unit has another number behind it, as netem's `25ms 5ms`.
fn is_followed_by_another(unit: &str) -> bool {
    let rest = unit.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let rest = if rest.len() < unit.len() { rest.strip_prefix(',').unwrap_or(rest) } else { "" };
    rest.starts_with(' ') && rest.trim_start_matches(' ').starts_with(|digit: char| digit.is_ascii_digit())
}
