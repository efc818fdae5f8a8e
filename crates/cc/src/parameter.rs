//! How an algorithm describes itself: its sources, and every constant as a parameter with its provenance.

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
}

/// One constant of an algorithm.
#[derive(Debug)]
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
