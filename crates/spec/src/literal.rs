//! [`Literal`]: a value as a spec would write it, in constants.

use crate::word::Word;

/// A value as a spec would write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// Text.
    Text(&'static str),
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A list.
    List(&'static [Self]),
    /// The header of a table, which is no value.
    Header(&'static str),
}

impl From<Literal> for Word {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Text(text) | Literal::Header(text) => Self::Text(text.to_owned()),
            Literal::Integer(number) => Self::Integer(number.into()),
            Literal::Number(number) => Self::Number(number),
            Literal::Flag(flag) => Self::Flag(flag),
            Literal::List(values) => Self::List(values.iter().map(|value| Self::from(*value)).collect()),
        }
    }
}
