//! From lists to points: the cross product of all lists, in order of appearance, of which the first varies slowest. Lists
//! named together in `zip` vary together and count as one.

use crate::place::Place;
use crate::problem::{Problem, quoted, suggestion};
use crate::tree::{Node, Table};
use crate::word::Word;
use crate::writer;
use std::collections::BTreeSet;

/// Of an experiment.
pub const MOST_POINTS: u128 = 1_000_000;

/// A list where one value belongs.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The field that it varies.
    pub path: String,
    /// Its values as they were written.
    pub values: Vec<Word>,
    /// Lists inside of its values, which are one list too many.
    inner: Vec<String>,
}

/// The points of an experiment by number.
#[derive(Clone, Debug)]
pub struct Grid {
    /// In order of appearance.
    pub axes: Vec<Axis>,
    /// Axes that vary together, by their places; the first bundle varies slowest.
    bundles: Vec<Vec<usize>>,
}

impl Grid {
    /// Finds the axes of a spec, and lets each vary alone.
    pub fn of(table: &mut Table) -> Self {
        let mut axes = Vec::new();
        number(table, &Place::Top, &mut axes);
        let bundles = (0..axes.len()).map(|axis| vec![axis]).collect();
        Self { axes, bundles }
    }

    /// Bundles the axes as `zip` says, in which nothing is wrong.
    pub fn zip(&mut self, zip: &[Vec<String>]) {
        let mut placed: BTreeSet<usize> = BTreeSet::new();
        let find = |path: &String| self.axes.iter().position(|axis| axis.path == *path);
        let mut bundles = Vec::new();
        for (place, axis) in self.axes.iter().enumerate() {
            if placed.contains(&place) {
                continue;
            }
            let partners = zip.iter().find(|bundle| bundle.contains(&axis.path));
            let bundle: Vec<usize> =
                partners.map_or_else(|| vec![place], |bundle| bundle.iter().filter_map(find).collect());
            placed.extend(&bundle);
            bundles.push(bundle);
        }
        self.bundles = bundles;
    }

    /// The paths of the axes, those that vary together in one list.
    pub fn bundles(&self) -> Vec<Vec<&str>> {
        let path = |axis: &usize| &*self.axes[*axis].path;
        self.bundles.iter().map(|bundle| bundle.iter().map(path).collect()).collect()
    }

    /// How many points there are.
    pub fn len(&self) -> u128 {
        self.bundles.iter().fold(1, |points, bundle| points.saturating_mul(self.length(bundle) as u128))
    }

    /// Whether there is none, which there always is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of the value of each axis, at the point of this number, from 0.
    pub fn chosen(&self, mut number: u128, chosen: &mut Vec<usize>) {
        chosen.clear();
        chosen.resize(self.axes.len(), 0);
        for bundle in self.bundles.iter().rev() {
            let length = self.length(bundle) as u128;
            for axis in bundle {
                chosen[*axis] = (number % length) as usize;
            }
            number /= length;
        }
    }

    fn length(&self, bundle: &[usize]) -> usize {
        bundle.first().map_or(1, |axis| self.axes[*axis].values.len())
    }

    /// What is wrong with `zip`; `unknown` are the paths of fields with a problem.
    pub fn zip_problems(&self, zip: &[Vec<String>], unknown: &[String]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let known: Vec<&str> = self.axes.iter().map(|axis| &*axis.path).collect();
        for (index, bundle) in zip.iter().enumerate() {
            let here = format!("zip[{index}]");
            let mut lengths: Vec<(&str, usize)> = Vec::new();
            for path in bundle {
                match self.axes.iter().find(|axis| axis.path == *path) {
                    Some(axis) if !lengths.iter().any(|(path, _)| *path == axis.path) => {
                        lengths.push((&axis.path, axis.values.len()));
                    }
                    _ => {}
                }
                let is_known = known.contains(&&**path);
                if !is_known && !unknown.iter().any(|unknown| path.starts_with(unknown)) {
                    let message = format!("{} is no list of this spec", quoted(path));
                    problems.push(Problem::new(&*here, message, suggestion(path, &known)));
                } else if seen.contains(&**path) {
                    let message = format!("{} is named twice", quoted(path));
                    problems.push(Problem::new(&*here, message, "name each list once"));
                }
                seen.insert(path);
            }
            if lengths.windows(2).any(|pair| pair[0].1 != pair[1].1) {
                let each: Vec<String> = lengths.iter().map(|(path, length)| format!("{path} has {length}")).collect();
                let message = format!("the lists differ in length: {}", each.join(", "));
                problems.push(Problem::new(&*here, message, "give them equally many values"));
            }
        }
        problems
    }

    /// What is wrong with the lists themselves.
    pub fn problems(&self) -> Vec<Problem> {
        let inner = self.axes.iter().flat_map(|axis| &axis.inner);
        let mut problems: Vec<Problem> = inner
            .map(|path| Problem::new(path, "a list inside a list", "write every combination out, or use one list"))
            .collect();
        for bundle in &self.bundles {
            let mut combinations: BTreeSet<String> = BTreeSet::new();
            for index in 0..self.length(bundle) {
                let values: Vec<String> = bundle.iter().map(|axis| shown(&self.axes[*axis].values[index])).collect();
                let combination = values.join(", ");
                if combinations.contains(&combination) {
                    let message = format!("{combination} is listed twice");
                    problems.push(Problem::new(&self.axes[bundle[0]].path, message, "list each value once"));
                }
                combinations.insert(combination);
            }
        }
        if self.len() > MOST_POINTS {
            let lengths: Vec<String> = self.bundles.iter().map(|bundle| self.length(bundle).to_string()).collect();
            let longest = self.axes.iter().rev().max_by_key(|axis| axis.values.len());
            let message = format!("{} = {} points are too many", lengths.join(" x "), self.len());
            let path = longest.map_or("", |axis| &*axis.path);
            problems.push(Problem::new(path, message, format!("at most {MOST_POINTS}")));
        }
        problems
    }
}

/// The paths of every field with a problem of its own.
pub fn unknown_fields(table: &Table) -> Vec<String> {
    let mut paths = Vec::new();
    find_unknown(table, &Place::Top, &mut paths);
    paths
}

fn find_unknown(table: &Table, here: &Place<'_>, paths: &mut Vec<String>) {
    for (key, node) in table.written() {
        let place = here.key(key);
        match node {
            Node::Unknown => paths.push(place.to_string()),
            Node::Table(table) => find_unknown(table, &place, paths),
            Node::Tables(tables) => {
                for (index, table) in tables.iter().enumerate() {
                    find_unknown(table, &place.entry(index), paths);
                }
            }
            Node::Sweep(sweep) => {
                for (index, value) in sweep.values.iter().enumerate() {
                    if let Node::Table(table) = value {
                        find_unknown(table, &place.entry(index), paths);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Gives every list where one value belongs its place among the axes.
fn number(table: &mut Table, here: &Place<'_>, axes: &mut Vec<Axis>) {
    table.for_each_written(|key, node| {
        let place = here.key(key);
        match node {
            Node::Table(table) => number(table, &place, axes),
            Node::Tables(tables) => {
                for (index, table) in tables.iter_mut().enumerate() {
                    number(table, &place.entry(index), axes);
                }
            }
            Node::Sweep(sweep) => {
                sweep.axis = Some(axes.len());
                let mut inner = Vec::new();
                for (index, value) in sweep.values.iter().enumerate() {
                    if let Node::Table(table) = value {
                        find_lists(table, &place.entry(index), &mut inner);
                    }
                }
                let values = sweep.values.iter().map(Node::word).collect();
                axes.push(Axis { path: place.to_string(), values, inner });
            }
            _ => {}
        }
    });
}

/// The paths of the lists in a table that is a value of a list itself.
fn find_lists(table: &Table, here: &Place<'_>, paths: &mut Vec<String>) {
    for (key, node) in table.written() {
        let place = here.key(key);
        match node {
            Node::Table(table) => find_lists(table, &place, paths),
            Node::Sweep(_) => paths.push(place.to_string()),
            _ => {}
        }
    }
}

fn shown(word: &Word) -> String {
    if let Word::Text(text) = word { quoted(text) } else { writer::value(word) }
}
