//! [`Quote`]: a value as a spec would write it, in constants.

use crate::word::Word;

/// A value as a spec would write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quote {
    /// Text.
    Text(&'static str),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list.
    List(&'static [Self]),
    /// The header of a table, which is no value.
    Header(&'static str),
}

impl From<Quote> for Word {
    fn from(quote: Quote) -> Self {
        match quote {
            Quote::Text(text) | Quote::Header(text) => Self::Text(text.to_owned()),
            Quote::Whole(number) => Self::Whole(number.into()),
            Quote::Number(number) => Self::Number(number),
            Quote::Flag(flag) => Self::Flag(flag),
            Quote::List(values) => Self::List(values.iter().map(|value| Self::from(*value)).collect()),
        }
    }
}
