//! Congestion controls as a spec names them: an algorithm, a variant of one, and parameters.
//!
//! `bbr`, `bbr_4_17`, `bbr[cwnd_gain=1.5]` and `bbr_4_17[cwnd_gain=1.5, probe_gain=1.1]` all come down to an algorithm and
//! the parameters that differ from its defaults.

use crate::problem::{Problem, suggestion};
use cc::{Algorithm, Kind, Parameter};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const LONGEST: usize = 500;
const LONGEST_QUOTE: usize = 60;

/// The variants, with what makes each of the algorithm in Linux's source.
pub const VARIANTS: &str = include_str!("variants.toml");

/// Every congestion control of Linux's own tree, which a kernel that `dumbbell` builds has, and what it is.
pub const LINUX: [(&str, &str); 17] = [
    ("reno", "Reno"),
    ("cubic", "CUBIC"),
    ("bbr", "BBR"),
    ("bic", "BIC: binary search for the window, CUBIC's predecessor"),
    ("cdg", "CAIA Delay-Gradient"),
    (
        "dctcp",
        "Data Center TCP (RFC 8257): answers to the share of marked packets; always negotiates ECN, and unmarked it is Reno",
    ),
    ("highspeed", "HighSpeed TCP (RFC 3649)"),
    ("htcp", "H-TCP: grows with the time since the last loss"),
    ("hybla", "Hybla: as fast on long paths as Reno on short ones"),
    ("illinois", "TCP-Illinois: growth and retreat depend on delay"),
    ("lp", "TCP-LP: meant to take what others leave; Linux's misreads the delay and takes about as much as Reno"),
    ("nv", "New Vegas"),
    ("scalable", "Scalable TCP: a fixed share more each round trip"),
    ("vegas", "Vegas: a few packets in the queue and no more"),
    ("veno", "Veno: Reno that tells random loss from congestion by delay"),
    ("westwood", "Westwood+: after a loss, what was delivered before it"),
    ("yeah", "YeAH-TCP: fast while the queue is short, Reno while it is not"),
];

/// The names of the algorithms that a spec may name. What the simulator models of them has its parameters there; what only
/// Linux has takes none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry(pub Vec<String>);

impl Registry {
    /// What there is to name before an engine is chosen: what the simulator has, and what every Linux tree has.
    pub fn known() -> Self {
        let modelled = cc::algorithms().iter().map(|algorithm| algorithm.name);
        let mut names: Vec<String> = Vec::new();
        for name in modelled.chain(LINUX.iter().map(|(name, _)| *name)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Self(names)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

/// A named set of parameters of an algorithm.
#[derive(Debug)]
struct Variant {
    name: String,
    base: String,
    parameters: BTreeMap<String, f64>,
}

/// One of `variants.toml`.
#[derive(Debug, Deserialize)]
struct Row {
    base: String,
    #[serde(default)]
    parameters: BTreeMap<String, f64>,
}

static KNOWN_VARIANTS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let rows: toml::Table = VARIANTS.parse().unwrap_or_default();
    let mut variants: Vec<Variant> = Vec::new();
    for (name, row) in rows {
        let row: Row = row.try_into().expect("a base and its parameters");
        let below = variants.iter().find(|variant| variant.name == row.base);
        let base = below.map_or(row.base, |variant| variant.base.clone());
        let mut parameters = below.map(|variant| variant.parameters.clone()).unwrap_or_default();
        parameters.extend(row.parameters);
        variants.push(Variant { name, base, parameters });
    }
    variants
});

/// What a text names.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The algorithm or variant that it names, without parameters.
    pub name: String,
    /// The algorithm.
    pub algorithm: String,
    /// Those that differ from the algorithm's defaults.
    pub parameters: BTreeMap<String, f64>,
}

/// Finds what a text names.
///
/// # Errors
/// Everything that is wrong with it, in problems without a path.
pub fn choose(written: &str, registry: &Registry) -> Result<Choice, Vec<Problem>> {
    let Some((name, inline)) = (written.chars().count() <= LONGEST).then(|| split(written)).flatten() else {
        let shown: String = written.chars().take(LONGEST_QUOTE).collect();
        return Err(vec![fault(
            format!("\"{shown}\" names no congestion control"),
            "write it as \"bbr\" or \"bbr[cwnd_gain=1.5]\"",
        )]);
    };
    let variant = KNOWN_VARIANTS.iter().find(|variant| variant.name == name);
    let algorithm = variant.map_or(name, |variant| &variant.base);
    if !registry.has(algorithm) {
        let variants = KNOWN_VARIANTS.iter().filter(|variant| registry.has(&variant.base));
        let known: Vec<&str> =
            registry.0.iter().map(String::as_str).chain(variants.map(|variant| &*variant.name)).collect();
        return Err(vec![fault(format!("unknown \"{name}\""), suggestion(name, &known))]);
    }
    let modelled = cc::algorithms().iter().find(|each| each.name == algorithm).copied();
    let mut parameters = variant.map(|variant| variant.parameters.clone()).unwrap_or_default();
    let (mut problems, mut given) = (Vec::new(), Vec::new());
    for text in inline.filter(|inline| !inline.trim().is_empty()).into_iter().flat_map(|inline| inline.split(',')) {
        match parameter(text, algorithm, modelled) {
            Ok((key, value)) => {
                if given.contains(&key) {
                    problems.push(fault(format!("parameter \"{key}\" is given twice"), "give it once"));
                }
                given.push(key);
                parameters.insert(key.to_owned(), value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let default = |name: &str| {
        let known = modelled.iter().flat_map(|algorithm| algorithm.parameters).find(|known| known.name == name);
        known.map(|known| known.default)
    };
    parameters.retain(|name, value| default(name) != Some(*value));
    Ok(Choice { name: name.to_owned(), algorithm: algorithm.to_owned(), parameters })
}

/// The name, and what stands in brackets behind it.
fn split(written: &str) -> Option<(&str, Option<&str>)> {
    let trimmed = written.trim();
    let (name, inline) = match trimmed.split_once('[') {
        Some((name, rest)) => (name.trim_end(), Some(rest.strip_suffix(']')?)),
        None => (trimmed, None),
    };
    let is_one_word = !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter == ']');
    (is_one_word && inline.is_none_or(|inline| !inline.contains(['[', ']']))).then_some((name, inline))
}

fn parameter<'a>(
    text: &'a str,
    algorithm: &str,
    modelled: Option<&'static Algorithm>,
) -> Result<(&'a str, f64), Problem> {
    let text = text.trim();
    let is_name = |name: &str| {
        !name.starts_with(|letter: char| letter.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    };
    let halves = text.split_once('=').map(|(name, digits)| (name.trim_end(), digits.trim_start()));
    let Some((name, digits)) =
        halves.filter(|(name, digits)| is_name(name) && !digits.is_empty() && !digits.contains(char::is_whitespace))
    else {
        let shown: String = text.chars().take(LONGEST_QUOTE).collect();
        return Err(fault(format!("\"{shown}\" sets no parameter"), "write it as \"cwnd_gain=1.5\""));
    };
    let parameters = modelled.map_or(&[] as &[Parameter], |algorithm| algorithm.parameters);
    let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
        let hint = if names.is_empty() { "it has none".to_owned() } else { suggestion(name, &names) };
        return Err(fault(format!("{algorithm} has no parameter \"{name}\""), hint));
    };
    let value = number(parameter, digits);
    let shown: String = digits.chars().take(LONGEST_QUOTE).collect();
    let (least, most) = parameter.range;
    if !(least..=most).contains(&value) {
        let what = if value.is_finite() { "is out of range" } else { "is no number" };
        return Err(fault(format!("{name}={shown} {what}"), wanted(parameter)));
    }
    if parameter.kind != Kind::Number && value.fract() != 0.0 {
        let what = if parameter.kind == Kind::Integer { "a whole number" } else { "a switch" };
        return Err(fault(format!("{name}={shown} is not {what}"), wanted(parameter)));
    }
    Ok((name, value))
}

/// The number that digits write, or a switch's words; not a number where they write none.
fn number(parameter: &Parameter, digits: &str) -> f64 {
    match (parameter.kind, digits) {
        (Kind::Switch, "true") => return 1.0,
        (Kind::Switch, "false") => return 0.0,
        _ => {}
    }
    let is_number = digits.bytes().all(|letter| letter.is_ascii_digit() || b"+-.eE".contains(&letter));
    let value = if is_number { digits.parse().unwrap_or(f64::NAN) } else { f64::NAN };
    value + 0.0 // no negative zero: it would be another run
}

fn wanted(parameter: &Parameter) -> String {
    let (least, most) = parameter.range;
    let what = match parameter.kind {
        Kind::Switch => return "0 or 1".to_owned(),
        Kind::Integer => "a whole number from",
        Kind::Number => "from",
    };
    format!("{what} {least} to {most} {}", parameter.unit).trim_end().to_owned()
}

fn fault(message: String, hint: impl Into<String>) -> Problem {
    Problem::new("", message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(written: &str) -> String {
        let problems = choose(written, &Registry::known()).expect_err(written);
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn a_text_names_an_algorithm_and_what_differs() {
        let choice = choose(" bbr_4_17 [ cwnd_gain = 1.5 , probe_gain=1.25 ]", &Registry::known()).expect("a choice");
        assert_eq!((&*choice.name, &*choice.algorithm), ("bbr_4_17", "bbr"));
        assert_eq!(choice.parameters.get("cwnd_gain"), Some(&1.5));
        assert!(!choice.parameters.contains_key("probe_gain"), "it is the default");
        let only_linux = choose("vegas", &Registry::known()).expect("a choice");
        assert!(only_linux.parameters.is_empty());
    }

    #[test]
    fn what_names_none_is_refused() {
        assert_eq!(
            refused("bbr["),
            "\"bbr[\" names no congestion control; write it as \"bbr\" or \"bbr[cwnd_gain=1.5]\""
        );
        assert_eq!(refused("bbrr"), "unknown \"bbrr\"; did you mean \"bbr\"?");
        assert!(refused("bbr[cwnd_gain=99, cwnd_gain]").starts_with("cwnd_gain=99 is out of range; from"));
        assert_eq!(refused("vegas[alpha=2]"), "vegas has no parameter \"alpha\"; it has none");
    }
}
