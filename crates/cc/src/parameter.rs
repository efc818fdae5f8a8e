//! How an algorithm describes itself: its sources, and every constant as a parameter with its provenance.

use std::collections::BTreeMap;
use std::fmt;

/// An algorithm, for the registry, for `dumbbell cc`, and for the check of a spec.
#[derive(Debug)]
pub struct Algorithm {
    /// Name in a spec, as Linux has it.
    pub name: &'static str,
    /// One line: what it is.
    pub title: &'static str,
    /// Where it is specified, and which implementation's arithmetic it follows.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Pairs of parameters of which the first may not exceed the second.
    pub ordered: &'static [(&'static str, &'static str)],
    /// Its connections negotiate ECN, whatever the host does else, all of their packets are ECT, and their receivers
    /// echo each mark (Linux's `TCP_CONG_NEEDS_ECN`).
    pub needs_ecn: bool,
    /// It does with accurate ECN only, and its packets are ECT(1): a scalable algorithm (RFC 9331 section 4; Linux's
    /// `TCP_CONG_NEEDS_ACCECN`).
    pub needs_accurate_ecn: bool,
}

/// One constant of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in `"bbr[name=value]"`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its unit, or "" for a ratio or a switch.
    pub unit: &'static str,
    /// Value when nothing is said. A switch is 0 or 1.
    pub default: f64,
    /// Smallest and largest value that make sense.
    pub range: (f64, f64),
    /// What kind of number.
    pub kind: Kind,
    /// Where the default comes from.
    pub source: &'static str,
}

impl Parameter {
    const fn new(name: &'static str, kind: Kind, default: f64, range: (f64, f64)) -> Self {
        Self { name, about: "", unit: "", default, range, kind, source: "" }
    }

    /// Any number from `low` to `high`; what it is about and where it comes from are said by the methods below.
    pub(crate) const fn number(name: &'static str, default: f64, low: f64, high: f64) -> Self {
        Self::new(name, Kind::Number, default, (low, high))
    }

    /// A whole number from `low` to `high`.
    pub(crate) const fn integer(name: &'static str, default: f64, low: f64, high: f64) -> Self {
        Self::new(name, Kind::Integer, default, (low, high))
    }

    /// Off or on.
    pub(crate) const fn switch(name: &'static str, on: bool) -> Self {
        Self::new(name, Kind::Switch, on as u8 as f64, (0.0, 1.0))
    }

    pub(crate) const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub(crate) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(crate) const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }
}

/// Two lists as one, of `N` in all.
pub(crate) const fn joined<const N: usize>(first: &[Parameter], second: &[Parameter]) -> [Parameter; N] {
    let mut all = [first[0]; N];
    let mut nth = 0;
    while nth < N {
        all[nth] = if nth < first.len() { first[nth] } else { second[nth - first.len()] };
        nth += 1;
    }
    all
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any number in the range.
    Number,
    /// A whole number in the range.
    Integer,
    /// 0 or 1.
    Switch,
}

/// A parameter, or an algorithm, that does not exist or has a value that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError(pub String);

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParameterError {}

impl Algorithm {
    /// Everything that is wrong with `given`, in the order of its names; empty when [`crate::build`] will succeed.
    pub fn check(&self, given: &BTreeMap<String, f64>) -> Vec<ParameterError> {
        let mut errors: Vec<_> =
            given.iter().filter_map(|(name, &value)| self.check_one(name, value).err()).map(ParameterError).collect();
        if errors.is_empty() {
            let values = Values { algorithm: self, given };
            let broken = self.ordered.iter().filter(|(low, high)| values.number(low) > values.number(high));
            errors.extend(broken.map(|(low, high)| {
                let (a, b) = (values.number(low), values.number(high));
                ParameterError(format!("{}[{low}={a}]: must not exceed {high}, which is {b}", self.name))
            }));
        }
        errors
    }

    fn check_one(&self, name: &str, value: f64) -> Result<(), String> {
        let algorithm = self.name;
        let Some(parameter) = self.parameters.iter().find(|p| p.name == name) else {
            let hint = unknown(name, self.parameters.iter().map(|p| p.name));
            return Err(format!("{algorithm}: unknown parameter {hint}"));
        };
        let Parameter { range: (low, high), kind, .. } = *parameter;
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(" {}", parameter.unit) };
        let wanted = match kind {
            _ if !value.is_finite() => "must be a finite number".to_owned(),
            Kind::Switch if value != 0.0 && value != 1.0 => "must be 0 or 1".to_owned(),
            Kind::Integer if value.fract() != 0.0 => "must be a whole number".to_owned(),
            _ if value < low || value > high => format!("must be from {low} to {high}{unit}"),
            _ => return Ok(()),
        };
        Err(format!("{algorithm}[{name}={value}]: {wanted}"))
    }
}

/// An algorithm's parameters: what was given, else the default. Made only of what [`Algorithm::check`] passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) algorithm: &'a Algorithm,
    pub(crate) given: &'a BTreeMap<String, f64>,
}

impl Values<'_> {
    /// The value as given. Panics on a name that the algorithm's table does not have: only a bug asks for one.
    pub(crate) fn number(&self, name: &str) -> f64 {
        let described = self.algorithm.parameters.iter().find(|p| p.name == name);
        let default = described.unwrap_or_else(|| panic!("{} describes no {name}", self.algorithm.name)).default;
        self.given.get(name).copied().unwrap_or(default)
    }

    /// A whole number.
    pub(crate) fn integer(&self, name: &str) -> u32 {
        self.number(name) as u32
    }

    /// A switch.
    pub(crate) fn switch(&self, name: &str) -> bool {
        self.number(name) != 0.0
    }

    /// The value as a whole number of 1/`one`, rounded down as C's integer division does: 1.1 is 281/256.
    pub(crate) fn truncated(&self, name: &str, one: f64) -> u32 {
        (self.number(name) * one) as u32
    }

    /// The value as a whole number of 1/`one`, rounded to the nearest: 0.7 is 717/1024.
    pub(crate) fn rounded(&self, name: &str, one: f64) -> u32 {
        (self.number(name) * one).round() as u32
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! Parameters for tests.

    use super::*;

    pub(crate) fn given(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    impl Algorithm {
        /// What `build` makes of the defaults but for these.
        pub(crate) fn with<T>(&self, pairs: &[(&str, f64)], build: impl FnOnce(&Values<'_>) -> T) -> T {
            let given = given(pairs);
            assert_eq!(self.check(&given), []);
            build(&Values { algorithm: self, given: &given })
        }
    }
}

/// `"nmae"; did you mean "name"?`, or the whole list, nearest first, when nothing is near.
pub(crate) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<_> = known.map(|candidate| (distance(name, candidate), candidate)).collect();
    known.sort();
    let list = known.iter().map(|(_, candidate)| *candidate).collect::<Vec<_>>().join(", ");
    match known.first() {
        Some(&(edits, nearest)) if edits <= nearest.len() / 3 + 1 => {
            format!("{name:?}; did you mean {nearest:?}? known: {list}")
        }
        _ => format!("{name:?}; known: {list}"),
    }
}

/// Levenshtein's distance: the fewest letters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    static SAMPLE: Algorithm = Algorithm {
        name: "sample",
        title: "",
        source: "",
        parameters: &[
            Parameter::number("gain", 1.1, 0.5, 4.0),
            Parameter::integer("low", 4.0, 0.0, 100.0).unit("ms"),
            Parameter::integer("high", 16.0, 0.0, 100.0).unit("ms"),
            Parameter::switch("on", true),
        ],
        ordered: &[("low", "high")],
        needs_ecn: false,
        needs_accurate_ecn: false,
    };

    fn complaints(given: &[(&str, f64)]) -> Vec<String> {
        SAMPLE.check(&samples::given(given)).into_iter().map(|e| e.0).collect()
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let problems = complaints(&[("gain", 9.0), ("high", 1.5), ("lwo", 1.0), ("low", -1.0), ("on", 0.5)]);
        assert_eq!(
            problems,
            [
                "sample[gain=9]: must be from 0.5 to 4",
                "sample[high=1.5]: must be a whole number",
                "sample[low=-1]: must be from 0 to 100 ms",
                "sample: unknown parameter \"lwo\"; did you mean \"low\"? known: low, on, gain, high",
                "sample[on=0.5]: must be 0 or 1",
            ]
        );
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let problems = complaints(&[("gain", value)]);
            assert_eq!(problems.len(), 1);
            assert!(problems[0].ends_with("must be a finite number"), "{problems:?}");
        }
    }

    #[test]
    fn a_pair_in_the_wrong_order_is_refused_also_against_a_default() {
        assert_eq!(complaints(&[("low", 17.0)]), ["sample[low=17]: must not exceed high, which is 16"]);
        assert!(complaints(&[("low", 17.0), ("high", 17.0)]).is_empty());
    }

    #[test]
    fn a_name_like_nothing_known_gets_the_list_alone() {
        assert_eq!(unknown("vegas", ["bbr", "cubic"].into_iter()), "\"vegas\"; known: bbr, cubic");
    }

    #[test]
    fn fractions_are_cut_or_rounded_as_their_source_does() {
        let given = BTreeMap::new();
        let values = Values { algorithm: &SAMPLE, given: &given };
        assert_eq!(values.truncated("gain", 256.0), 281);
        assert_eq!(values.rounded("gain", 256.0), 282);
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("cwnd_gian", "cwnd_gain"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
