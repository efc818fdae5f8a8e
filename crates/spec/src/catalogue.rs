//! The quantities of Python's catalogue that a spec may name: `catalogue.toml` is made out of it, and tested against it.

use crate::problem::{Refusal, quoted};
use crate::quantity::{BYTES, RATE, SHARE, SIZE, TIME};
use crate::tree::Node;
use crate::word::Word;
use serde::Deserialize;
use std::sync::LazyLock;

const PPB: f64 = 1e9;
const NS_PER_S: f64 = 1e9;

/// What a quantity is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// Of each group of flows.
    Group,
    /// Of the run, or its bottleneck.
    Run,
    /// Of each queue.
    Hop,
}

/// A quantity of the catalogue.
#[derive(Debug)]
pub struct Measured {
    /// How a spec names it.
    pub name: String,
    row: Row,
}

#[derive(Debug, Deserialize)]
struct Row {
    unit: String,
    of: Whose,
    #[serde(default)]
    of_hop: bool,
    #[serde(default)]
    over_time: bool,
}

static MEASURED: LazyLock<Vec<Measured>> = LazyLock::new(|| {
    let rows: toml::Table = include_str!("catalogue.toml").parse().unwrap_or_default();
    let measured = |(name, row): (String, toml::Value)| Measured { name, row: row.try_into().expect("a quantity") };
    rows.into_iter().map(measured).collect()
});

/// The names, in the order of the catalogue.
pub fn names() -> Vec<&'static str> {
    MEASURED.iter().map(|each| &*each.name).collect()
}

/// The names of those that have bins over time.
pub fn names_over_time() -> Vec<&'static str> {
    MEASURED.iter().filter(|each| each.row.over_time).map(|each| &*each.name).collect()
}

/// The quantity of a name.
pub fn measured(name: &str) -> Option<&'static Measured> {
    MEASURED.iter().find(|each| each.name == name)
}

impl Measured {
    /// What has one of it.
    pub const fn whose(&self) -> Whose {
        self.row.of
    }

    /// Whether each queue has one, too.
    pub const fn of_hop(&self) -> bool {
        self.row.of_hop
    }

    /// Whether there are bins of it over time.
    pub const fn over_time(&self) -> bool {
        self.row.over_time
    }

    /// A level in the catalogue's base unit: bit/s, seconds, bytes, a share of 1, or the number itself.
    ///
    /// # Errors
    /// Where it is not in a unit of the quantity.
    pub fn level(&self, node: &Node) -> Result<f64, Refusal> {
        let word = node.word();
        let plain = match &word {
            Word::Integer(number) => Some(*number as f64),
            Word::Number(number) => Some(*number),
            Word::Text(text) => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
            _ => None,
        };
        match (&*self.row.unit, plain) {
            ("%", Some(number)) if number > 1.0 => {
                let hint = format!("write \"{number} %\"");
                Err(Refusal::new(format!("{} is more than all: without a unit 1 is all", word.quoted()), hint))
            }
            ("%" | "", Some(number)) => Ok(number),
            ("%", None) => Ok(SHARE.read_word(&word, None)?.base() as f64 / PPB),
            ("Mbit/s", _) => Ok(RATE.read_word(&word, None)?.base() as f64),
            ("ms" | "s", _) => Ok(TIME.read_word(&word, None)?.base() as f64 / NS_PER_S),
            ("kB", _) => Ok(BYTES.read_word(&word, None)?.base() as f64),
            ("BDP", _) => Self::size(&word, "bdp", PPB, "1.5 bdp"),
            ("packets", _) => Self::size(&word, "packets", 1.0, "100 packets"),
            _ => Err(Refusal::new(format!("{} is no number", word.quoted()), "write it without a unit, as 0.9")),
        }
    }

    fn size(word: &Word, unit: &str, scale: f64, example: &str) -> Result<f64, Refusal> {
        let hint = format!("write it as \"{example}\"");
        match SIZE.read_word(word, None) {
            Ok(size) if size.unit == unit => Ok(size.base() as f64 / scale),
            Ok(size) => Err(Refusal::new(format!("{} is not in {unit}", quoted(&size.text)), hint)),
            Err(refusal) => Err(Refusal::new(refusal.message, hint)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_the_catalogue_can_be_written() {
        for each in MEASURED.iter() {
            let text = match &*each.row.unit {
                "BDP" => "2 bdp".to_owned(),
                unit => format!("2 {unit}").trim_end().to_owned(),
            };
            let level = each.level(&Node::Text(text)).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", each.name));
            assert!(level > 0.0, "{}", each.name);
        }
        assert!(MEASURED.len() > 40);
    }

    #[test]
    fn a_level_has_the_unit_of_its_quantity() {
        let level = |name: &str, text: &str| measured(name).expect("a quantity").level(&Node::Text(text.to_owned()));
        assert_eq!(level("goodput", "40 Mbit/s"), Ok(4e7));
        assert_eq!(level("share", "0.4"), Ok(0.4));
        assert_eq!(level("share", "40 %"), Ok(0.4));
        assert_eq!(level("rtt", "50 ms"), Ok(0.05));
        assert!(
            level("goodput", "50 ms").is_err() && level("jain", "50 %").is_err() && level("queue", "5 ms").is_err()
        );
    }
}
