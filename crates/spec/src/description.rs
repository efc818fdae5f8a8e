//! Every key of a spec in words, for documents, controls and completion.

use crate::catalogue;
use crate::key::{Key, Kind, Section, Shape};
use crate::keys::{LONGEST_HOP_NAME, MOST_SEEDS, SPEC};
use crate::link;
use crate::number::grouped;
use crate::quantity::SIZE;
use crate::word::Word;
use num_traits::One;
use serde::Serialize;

/// One key in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// Where it stands: `path.loss`, `flows[].access.rate`; `[]`: in each table of a list.
    pub path: String,
    /// What it means: sentences, in Markdown.
    pub about: &'static str,
    /// Whether a spec, or the table that it is in, must have it; not of one that it may have something else in place of.
    pub required: bool,
    /// What stands there where nothing is written; None: there is no value that says the same.
    pub default: Option<Word>,
    /// Whether a list makes it an axis of the sweep.
    pub swept: bool,
    /// Whether a list has several at once.
    pub several: bool,
    /// What it takes: `a rate`, `a whole number`, `one of`, …
    pub noun: String,
    /// The units that it takes.
    pub units: Vec<&'static str>,
    /// Words that may stand there.
    pub options: Vec<&'static str>,
    /// As messages say them; empty: none.
    pub limits: String,
    /// Values, as a spec would write them.
    pub examples: Vec<Word>,
    /// The least and the most, and where the unit can say it what is just above the least.
    pub extremes: Vec<Word>,
}

/// Every key of a spec and of the tables in it, in their order.
pub fn descriptions() -> Vec<Description> {
    let mut descriptions = Vec::new();
    describe(&SPEC, "", &mut descriptions);
    descriptions
}

fn describe(section: &'static Section, within: &str, descriptions: &mut Vec<Description>) {
    for key in section.keys {
        let path = format!("{within}{}", key.name);
        let is_list = matches!(key.shape, Shape::Listed { .. });
        let inner = format!("{path}{}.", if is_list { "[]" } else { "" });
        let kind = Takes::of(&key.kind);
        descriptions.push(Description {
            path,
            about: key.about,
            required: key.required && key.unless.is_empty(),
            default: key.default.map(Word::from),
            swept: key.shape == Shape::Swept,
            several: key.shape == Shape::Several,
            noun: if is_list { "tables".to_owned() } else { kind.noun },
            units: kind.units,
            options: kind.options,
            limits: kind.limits,
            examples: key.examples.iter().map(|example| Word::from(*example)).collect(),
            extremes: kind.extremes,
        });
        for section in tables(key) {
            describe(section, &inner, descriptions);
        }
    }
}

/// The tables that may stand at a key.
fn tables(key: &Key) -> Vec<&'static Section> {
    match key.kind {
        Kind::Table(section) => vec![section],
        Kind::OneOf { tables, .. } => {
            let mut sections: Vec<&Section> = tables.iter().map(|(_, section)| *section).collect();
            sections.dedup_by(|one, other| std::ptr::eq(*one, *other));
            sections
        }
        _ => Vec::new(),
    }
}

/// What is said of a kind of value.
#[derive(Default)]
struct Takes {
    noun: String,
    units: Vec<&'static str>,
    options: Vec<&'static str>,
    limits: String,
    extremes: Vec<Word>,
}

impl Takes {
    fn of(kind: &Kind) -> Self {
        let noun = |noun: &str| Self { noun: noun.to_owned(), ..Self::default() };
        match kind {
            Kind::Quantity { of, bounds, remark } => {
                let (units, options) = (of.units.iter().map(|(unit, _)| *unit).collect(), of.keywords.to_vec());
                let limits = bounds.map(|(least, most)| format!("from {least} to {most}{remark}"));
                let extremes = bounds.or(of.bounds).and_then(|(least, most)| {
                    let least = of.read(least).ok()?;
                    let above = of.show(&(&least.value + num_bigint::BigInt::one()));
                    Some([least.text, above, most.to_owned()].map(Word::Text).to_vec())
                });
                Self {
                    noun: of.noun.to_owned(),
                    units,
                    options,
                    limits: limits.or(of.describe_bounds()).unwrap_or_default(),
                    extremes: extremes.unwrap_or_default(),
                }
            }
            Kind::Room { .. } => Self {
                noun: SIZE.noun.to_owned(),
                units: SIZE.units.iter().map(|(unit, _)| *unit).collect(),
                limits: "More than none and at most 1000 GB, 1000000000 packets, 100000 bdp or 1000 s".to_owned(),
                ..Self::default()
            },
            Kind::Options(options) => Self { options: options.to_vec(), ..noun("a word") },
            Kind::Integer { least, most } => Self {
                limits: format!("from {least} to {}", grouped((*most).into())),
                extremes: vec![Word::Integer((*least).into()), Word::Integer((*most).into())],
                ..noun("a whole number")
            },
            Kind::Number { least, inclusive, most } => Self {
                limits: format!("{} {least}, at most {most}", if *inclusive { "at least" } else { "more than" }),
                ..noun("a number")
            },
            Kind::Flag => noun("true or false"),
            Kind::Switch(options) => Self { options: options.to_vec(), ..noun("true or false") },
            Kind::Name | Kind::Control | Kind::File(_) => noun("text"),
            Kind::Group => {
                Self { limits: "A group of flows by its place: `flows[0]` is the first".to_owned(), ..noun("text") }
            }
            Kind::Link => Self { options: link::names(), ..noun("a word") },
            Kind::Measured => Self { options: catalogue::names(), ..noun("a word") },
            Kind::Level => noun("a number with the quantity's unit"),
            Kind::Values => noun("a table of values"),
            Kind::Hop => Self {
                limits: format!("1 to {LONGEST_HOP_NAME} ASCII letters, digits, `-` and `_`, a letter or digit first"),
                ..noun("text")
            },
            Kind::Seeds => Self::of(&Kind::Integer { least: 1, most: MOST_SEEDS }),
            Kind::Zip => noun("a list of lists of paths"),
            Kind::Window => {
                let of = Self::of(&Kind::Quantity { of: &crate::quantity::MOMENT, bounds: None, remark: "" });
                Self { noun: format!("a list of two, each {}", of.noun), ..of }
            }
            Kind::Command | Kind::Route => noun("a list of words"),
            Kind::Table(_) => noun("a table"),
            Kind::OneOf { simple, .. } => {
                let simple = Self::of(simple);
                Self { noun: format!("{}, or a table", simple.noun), ..simple }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read;

    #[test]
    fn every_key_says_what_it_is() {
        let keys = descriptions();
        assert!(keys.iter().all(|key| !key.about.is_empty() && !key.noun.is_empty()));
        let rate = keys.iter().find(|key| key.path == "path.change[].rate").expect("a key");
        let is_needed = |path: &str| keys.iter().find(|key| key.path == path).is_some_and(|key| key.required);
        assert!(
            is_needed("path.change[].at")
                && !is_needed("path.rtt")
                && !is_needed("path.rate")
                && !is_needed("path.back.buffer")
        );
        assert_eq!(rate.limits, "from 0 bit/s to 1 Tbit/s");
    }

    #[test]
    fn what_examples_and_defaults_say_is_right() {
        for key in descriptions().iter().filter(|key| !key.path.contains("[]") && !key.noun.contains("table")) {
            for value in key.examples.iter().chain(&key.default) {
                let mut fields = crate::word::Fields::new();
                crate::source::set(&mut fields, &key.path, value.clone()).expect("a place");
                let (_, problems) = read(&fields);
                assert!(problems.iter().all(|problem| problem.path != key.path), "{}: {problems:?}", key.path);
            }
        }
    }
}
