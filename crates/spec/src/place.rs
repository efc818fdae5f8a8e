//! [`Place`]: where in a spec something stands, which is written as a path only where a message needs it.

use std::fmt;

/// A place in a spec, inside of another one.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// The spec itself.
    Top,
    /// A key of a table.
    Key(&'a Place<'a>, &'a str),
    /// An entry of a list.
    Entry(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    /// A key of the table that is here.
    pub const fn key(&'a self, name: &'a str) -> Self {
        Self::Key(self, name)
    }

    /// An entry of the list that is here.
    pub const fn entry(&'a self, index: usize) -> Self {
        Self::Entry(self, index)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Key(Self::Top, name) => f.write_str(name),
            Self::Key(outer, name) => write!(f, "{outer}.{name}"),
            Self::Entry(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}
