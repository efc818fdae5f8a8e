//! [`Word`]: what TOML, or Python's dictionaries, say, before any key is known.

use crate::number;
use crate::problem::{quoted, shortened};
use serde::{Serialize, Serializer};

/// A value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A number with a point or an exponent.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Word>),
    /// A table, in the order in which it was written.
    Table(Fields),
    /// Nothing: a key of Python's that says none.
    Nothing,
    /// What no spec has: how a message calls it.
    Other(String),
}

/// The keys of a table and their values, as they were written.
pub type Fields = Vec<(String, Word)>;

impl Word {
    /// As a message shows it.
    pub fn quoted(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => shortened(&number::float(*number)),
            Self::Flag(flag) => flag.to_string(),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
            Self::Nothing => "nothing".to_owned(),
            Self::Other(what) => what.clone(),
        }
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<toml::Value> for Word {
    fn from(value: toml::Value) -> Self {
        match value {
            toml::Value::String(text) => Self::Text(text),
            toml::Value::Integer(number) => Self::Integer(number.into()),
            toml::Value::Float(number) => Self::Number(number),
            toml::Value::Boolean(flag) => Self::Flag(flag),
            toml::Value::Array(values) => Self::List(values.into_iter().map(Self::from).collect()),
            toml::Value::Table(table) => Self::Table(fields_of(table)),
            toml::Value::Datetime(_) => Self::Other("a date".to_owned()),
        }
    }
}

/// The fields of a table of TOML.
pub fn fields_of(table: toml::Table) -> Fields {
    table.into_iter().map(|(key, value)| (key, Word::from(value))).collect()
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) | Self::Other(text) => to.serialize_str(text),
            Self::Nothing => to.serialize_unit(),
            Self::Integer(number) => match i64::try_from(*number) {
                Ok(number) => to.serialize_i64(number),
                Err(_) => to.serialize_f64(*number as f64),
            },
            Self::Number(number) => to.serialize_f64(*number),
            Self::Flag(flag) => to.serialize_bool(*flag),
            Self::List(entries) => to.collect_seq(entries),
            Self::Table(fields) => to.collect_map(fields.iter().map(|(key, word)| (key, word))),
        }
    }
}
