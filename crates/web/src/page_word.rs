//! [`PageWord`]: a word as the page has it.

use serde::{Deserialize, Serialize};
use spec::{Fields, Word};

/// A word in JSON that JavaScript reads without a loss: its objects change the order of keys, and its numbers are floats, so
/// that a table is a list of pairs, and a whole number a text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum PageWord {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Integer { integer: String },
    Table { table: Vec<(String, Self)> },
}

impl PageWord {
    /// Of a table its fields, of anything else none.
    pub(crate) fn fields(self) -> Fields {
        if let Self::Table { table } = self { pairs(table) } else { Fields::new() }
    }
}

fn pairs<A, B: From<A>>(table: Vec<(String, A)>) -> Vec<(String, B)> {
    table.into_iter().map(|(key, value)| (key, value.into())).collect()
}

impl From<PageWord> for Word {
    fn from(word: PageWord) -> Self {
        match word {
            PageWord::Flag(flag) => Self::Flag(flag),
            PageWord::Number(number) => Self::Number(number),
            PageWord::Text(text) => Self::Text(text),
            PageWord::List(entries) => Self::List(entries.into_iter().map(Self::from).collect()),
            PageWord::Integer { integer } => integer.parse().map_or(Self::Text(integer), Self::Integer),
            PageWord::Table { table } => Self::Table(pairs(table)),
        }
    }
}

impl From<Word> for PageWord {
    fn from(word: Word) -> Self {
        match word {
            Word::Flag(flag) => Self::Flag(flag),
            // JSON has no others.
            Word::Number(number) if number.is_finite() => Self::Number(number),
            Word::Number(number) => Self::Text(number.to_string()),
            Word::Text(text) | Word::Other(text) => Self::Text(text),
            Word::Nothing => Self::Text(String::new()), // TOML has none, and words of a page come from it
            Word::Integer(number) => Self::Integer { integer: number.to_string() },
            Word::List(entries) => Self::List(entries.into_iter().map(Self::from).collect()),
            Word::Table(fields) => Self::Table { table: pairs(fields) },
        }
    }
}
