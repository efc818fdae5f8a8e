//! [`Key`]: one key of a spec as data, and [`Section`]: the keys of a table.

use crate::literal::Literal;
use crate::quantity;

/// A table of a spec.
#[derive(Debug)]
pub struct Section {
    /// Its keys, in the order of the documents.
    pub keys: &'static [Key],
    /// What to say of a key that it does not have, whatever the key; empty: what was probably meant.
    pub only: &'static str,
}

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// How many values it may have.
    pub shape: Shape,
    /// Whether a spec must have it.
    pub required: bool,
    /// What a spec, or the table itself, may have in place of one that it must have, each as a path: `hops`.
    pub unless: &'static [&'static str],
    /// What stands there where nothing is written; None: there is no value that says the same.
    pub default: Option<Literal>,
    /// Values, as a spec would write them.
    pub examples: &'static [Literal],
    /// What it means: sentences, in Markdown.
    pub about: &'static str,
}

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// The writes of an application.
    Writes,
    /// When short transfers arrive.
    Arrivals,
    /// A distribution of sizes.
    Cdf,
    /// A line as it was recorded.
    Link,
}

/// How many values a key may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One, at every point.
    One,
    /// One, or a list of them: an axis of the sweep.
    Swept,
    /// One, or a list of different ones, all of which hold.
    Several,
    /// A list of tables, which is no sweep.
    Listed {
        /// The fewest.
        least: usize,
        /// The most.
        most: usize,
    },
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number with a unit.
    Quantity {
        /// Its kind.
        of: &'static quantity::Kind,
        /// The least and the most, where the kind's own bounds are not enough.
        bounds: Option<quantity::Bounds>,
        /// What else to say of one that is outside.
        remark: &'static str,
    },
    /// Room of a queue.
    Room {
        /// Whether it may be in BDP.
        in_bdp: bool,
    },
    /// One of these words.
    Options(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number without a unit.
    Number {
        /// The least, or what it must be above.
        least: f64,
        /// Whether the least itself is one.
        inclusive: bool,
        /// The most.
        most: f64,
    },
    /// True or false.
    Flag,
    /// True, false, or one of these words.
    Switch(&'static [&'static str]),
    /// A name in stores, tables and figures.
    Name,
    /// A name of one word, of a hop.
    Hop,
    /// The names of hops that follow each other.
    Route,
    /// A group of flows by its place.
    Group,
    /// A preset of links.
    Link,
    /// A quantity of the catalogue.
    Measured,
    /// A number with the unit of a quantity of the catalogue, or without one.
    Level,
    /// Values of fields by their paths.
    Values,
    /// A congestion control.
    Control,
    /// A file, relative to the spec's folder.
    File(FileKind),
    /// How many seeds, or a list of them.
    Seeds,
    /// Lists of paths of fields that vary together.
    Zip,
    /// Two moments.
    Window,
    /// The words of a program.
    Command,
    /// A table.
    Table(&'static Section),
    /// One of several tables, known by its first key, or something simpler in place of them.
    OneOf {
        /// What a message calls it.
        noun: &'static str,
        /// What may stand in place of a table.
        simple: &'static Self,
        /// The tables, each with the key that it is known by.
        tables: &'static [(&'static str, &'static Section)],
        /// What to write.
        hint: &'static str,
    },
}

impl Key {
    /// A key that must be there.
    pub const fn required(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, shape: Shape::Swept, required: true, unless: &[], default: None, examples: &[], about: "" }
    }

    /// A key that may be there.
    pub const fn optional(name: &'static str, kind: Kind) -> Self {
        Self { required: false, ..Self::required(name, kind) }
    }

    /// It need not be there where a spec has one of these.
    pub const fn unless(self, paths: &'static [&'static str]) -> Self {
        Self { unless: paths, ..self }
    }

    /// What stands there where nothing is written.
    pub const fn default(self, default: Literal) -> Self {
        Self { default: Some(default), ..self }
    }

    /// It is no axis of a sweep.
    pub const fn once(self) -> Self {
        Self { shape: Shape::One, ..self }
    }

    /// It may have several values at once.
    pub const fn several(self) -> Self {
        Self { shape: Shape::Several, ..self }
    }

    /// A list of tables.
    pub const fn listed(self, least: usize, most: usize) -> Self {
        Self { shape: Shape::Listed { least, most }, ..self }
    }

    /// How it may be written.
    pub const fn examples(self, examples: &'static [Literal]) -> Self {
        Self { examples, ..self }
    }

    /// What it means.
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }
}

impl Section {
    /// The place of a key.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| key.name == name)
    }
}
