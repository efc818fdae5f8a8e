//! [`Experiment`]: a spec in which nothing is wrong.

use crate::control::Registry;
use crate::file::Contents;
use crate::point::Point;
use crate::sweep::{Axis, Grid};
use crate::tree::{Node, Table};
use crate::word::{Fields, Word};
use crate::writer;

/// One description of an experiment; lists in it make it a sweep.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub(crate) table: Table,
    pub(crate) grid: Grid,
    pub(crate) registry: Registry,
    pub(crate) contents: Contents,
    /// Whether all of its points were asked about: of a large sweep's only some are.
    pub(crate) is_checked: bool,
}

/// How often each point is run, and with which seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// With seeds from 1 to this one.
    Count(u64),
    /// With these.
    Listed(Vec<u64>),
}

impl Experiment {
    /// Its name.
    pub fn name(&self) -> &str {
        if let Some(Node::Text(name)) = self.table.node("name") { name } else { "" }
    }

    /// Its seeds.
    pub fn seeds(&self) -> Seeds {
        match self.table.node("seeds") {
            Some(Node::Seeds(seeds)) => Seeds::Listed(seeds.clone()),
            Some(Node::Integer(count)) => Seeds::Count(*count),
            _ => Seeds::Count(1),
        }
    }

    /// Every list where one value belongs, in order of appearance.
    pub fn axes(&self) -> &[Axis] {
        &self.grid.axes
    }

    /// The paths of the axes, those that vary together in one list; the first list varies slowest.
    pub fn bundles(&self) -> Vec<Vec<&str>> {
        self.grid.bundles()
    }

    /// How many points it has: at most [`crate::MOST_POINTS`].
    pub fn len(&self) -> usize {
        self.grid.len() as usize
    }

    /// Whether it has none, which it always has.
    pub fn is_empty(&self) -> bool {
        self.grid.is_empty()
    }

    /// The point of this number, from 0; the first list varies slowest.
    pub fn point(&self, number: usize) -> Point<'_> {
        let mut chosen = Vec::new();
        self.grid.chosen(number as u128, &mut chosen);
        self.at(chosen)
    }

    pub(crate) fn at(&self, chosen: Vec<usize>) -> Point<'_> {
        let Self { table, grid, registry, contents, is_checked } = self;
        Point { table, axes: &grid.axes, registry, contents, is_checked: *is_checked, chosen }
    }

    /// As it was written; what is at its default is left out.
    pub fn fields(&self) -> Fields {
        self.table.fields()
    }

    /// As a spec file.
    pub fn to_toml(&self) -> String {
        writer::toml(&self.fields())
    }

    /// The congestion controls that it may name.
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What a field has, written or by default; a field of a table that is not there has nothing.
    pub fn get(&self, path: &str) -> Option<Word> {
        let node = find(&self.table, path)?;
        match node {
            Node::Absent | Node::Unknown => None,
            node => Some(node.word()),
        }
    }

    /// Whether a field of a table, as `path.jitter`, was written.
    pub fn is_written(&self, path: &str) -> bool {
        self.table.is_written(path)
    }
}

/// The node at a path, as `flows[0].cc`.
pub(crate) fn find<'a>(table: &'a Table, path: &str) -> Option<&'a Node> {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let (key, entry) = match step.split_once('[') {
        Some((key, entry)) => (key, Some(entry.strip_suffix(']')?.parse::<usize>().ok()?)),
        None => (step, None),
    };
    let node = table.node(key)?;
    let inner = match (node, entry) {
        (Node::Tables(tables), Some(entry)) => tables.get(entry),
        (Node::Table(table), None) => Some(table),
        _ => None,
    };
    match rest {
        None if entry.is_none() => Some(node),
        None => None,
        Some(rest) => find(inner?, rest),
    }
}
