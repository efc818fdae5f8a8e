//! Everything that is wrong with an experiment, at once: its lists, its algorithms, its files, and its points.

use crate::control::{Registry, choose};
use crate::experiment::Experiment;
use crate::file::{Contents, Files};
use crate::key::{FileKind, Kind};
use crate::place::Place;
use crate::problem::Problem;
use crate::reader::read;
use crate::rules;
use crate::sweep::{Axis, Grid, unknown_fields};
use crate::tree::{Node, Table};
use crate::word::Fields;
use std::collections::{BTreeMap, BTreeSet};

/// So many groups of flows are looked at before the points of a large sweep are only sampled.
const GROUPS_WORTH: u128 = 1_000_000;
const FEWEST_POINTS: u128 = 20;
/// Of the swept fields, in a problem that not every point has.
const MOST_SHOWN: usize = 4;
const STRIDE: u128 = 7919;

impl Experiment {
    /// Makes an experiment of a spec's fields.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load(fields: &Fields, files: &dyn Files, registry: Registry) -> Result<Self, Vec<Problem>> {
        let (mut table, mut problems) = read(fields);
        let grid = Grid::of(&mut table);
        let mut experiment = Self { table, grid, registry, contents: Contents::default(), is_checked: false };
        experiment.read_files(files, &mut problems);
        experiment.find_problems(&mut problems);
        if problems.is_empty() { Ok(experiment) } else { Err(problems) }
    }

    fn read_files(&mut self, files: &dyn Files, problems: &mut Vec<Problem>) {
        let mut named = Vec::new();
        find_files(&self.table, &Place::Top, &mut named);
        for (path, kind, name) in named {
            let known = (kind, name);
            if self.contents.has(&known) {
                continue;
            }
            match files.text(&known.1).and_then(|text| kind.read(&text, &known.1)) {
                Ok(content) => {
                    self.contents.add(known, content);
                }
                Err(refusal) => problems.push(refusal.at(path)),
            }
        }
    }

    /// Everything that is wrong with an experiment whose single fields are right, or unknown.
    fn find_problems(&mut self, problems: &mut Vec<Problem>) {
        self.find_seeds(problems);
        self.find_controls(problems);
        let unknown = unknown_fields(&self.table);
        let zip = if let Some(Node::Zip(zip)) = self.table.node("zip") { zip.clone() } else { Vec::new() };
        let wrong = self.grid.zip_problems(&zip, &unknown);
        let is_zip_right = wrong.is_empty();
        problems.extend(wrong);
        if is_zip_right && unknown.is_empty() {
            self.grid.zip(&zip);
        }
        let lists = if is_zip_right { self.grid.problems() } else { Vec::new() };
        let one = !is_zip_right || !unknown.is_empty() || !lists.is_empty();
        problems.extend(lists);
        self.find_between_fields(if one { 1 } else { self.grid.len() }, problems);
    }

    fn find_seeds(&self, problems: &mut Vec<Problem>) {
        let Some(Node::Seeds(seeds)) = self.table.node("seeds") else { return };
        let mut times: BTreeMap<u64, usize> = BTreeMap::new();
        for seed in seeds {
            *times.entry(*seed).or_default() += 1;
        }
        let mut said = BTreeSet::new();
        for seed in seeds.iter().filter(|seed| times[seed] > 1) {
            if said.insert(seed) {
                let message = format!("{seed} is listed {} times", times[seed]);
                problems.push(Problem::new("seeds", message, "list each seed once"));
            }
        }
    }

    fn find_controls(&self, problems: &mut Vec<Problem>) {
        let Some(Node::Tables(groups)) = self.table.node("flows") else { return };
        for (index, group) in groups.iter().enumerate() {
            let flows = Place::Top.key("flows");
            let (group_place, node) = (flows.entry(index), group.node("cc"));
            let place = group_place.key("cc");
            for (here, node) in each(node, &place) {
                if let Node::Text(name) = node
                    && let Err(control_problems) = choose(name, &self.registry)
                {
                    problems
                        .extend(control_problems.into_iter().map(|problem| Problem { path: here.clone(), ..problem }));
                }
            }
        }
    }

    /// Asks about the points: all, or of a large sweep so many that every value of every list is among them often.
    fn find_between_fields(&mut self, points: u128, problems: &mut Vec<Problem>) {
        let groups = if let Some(Node::Tables(groups)) = self.table.node("flows") { groups.len() } else { 1 };
        let points = points.min(FEWEST_POINTS.max(GROUPS_WORTH / groups.max(1) as u128));
        self.is_checked = points == self.grid.len();
        let stride = if points == self.grid.len() { 1 } else { coprime(self.grid.len()) };
        let mut point = self.at(Vec::new());
        let mut occurrences: Vec<(Problem, Vec<usize>, u128)> = Vec::new();
        let mut known: BTreeMap<(String, usize), usize> = BTreeMap::new();
        let mut here = Vec::new();
        for step in 0..points {
            self.grid.chosen(step * stride % self.grid.len(), &mut point.chosen);
            rules::find(&point, &mut here);
            let mut times: BTreeMap<String, usize> = BTreeMap::new();
            for problem in here.drain(..) {
                let nth = times.entry(problem.path.clone()).or_default();
                let place = *known.entry((problem.path.clone(), *nth)).or_insert(occurrences.len());
                *nth += 1;
                match occurrences.get_mut(place) {
                    Some((_, _, times)) => *times += 1,
                    None => occurrences.push((problem, point.chosen.clone(), 1)),
                }
            }
        }
        for (problem, chosen, times) in occurrences {
            problems.push(if times == points { problem } else { self.located(problem, &chosen) });
        }
    }

    /// Adds at which point a problem was met first, when not every point has it.
    fn located(&self, problem: Problem, chosen: &[usize]) -> Problem {
        let shown = |(axis, place): (&Axis, &usize)| format!("{} = {}", axis.path, axis.values[*place].quoted());
        let values: Vec<String> = self.axes().iter().zip(chosen).take(MOST_SHOWN).map(shown).collect();
        let more = if self.axes().len() > MOST_SHOWN { ", …" } else { "" };
        Problem { message: format!("{} (at {}{more})", problem.message, values.join(", ")), ..problem }
    }
}

/// A field's only value, or each of its list, with its path.
fn each<'a>(node: Option<&'a Node>, place: &Place<'_>) -> Vec<(String, &'a Node)> {
    match node {
        None => Vec::new(),
        Some(Node::Sweep(sweep)) => {
            let values = sweep.values.iter().enumerate();
            values.map(|(index, node)| (place.entry(index).to_string(), node)).collect()
        }
        Some(node) => vec![(place.to_string(), node)],
    }
}

/// Every file that a table names: the field's path, what it has, and its name as written.
fn find_files(table: &Table, here: &Place<'_>, named: &mut Vec<(String, FileKind, String)>) {
    for key in table.section.keys {
        let place = here.key(key.name);
        match (key.kind, table.node(key.name)) {
            (Kind::File(kind), node) => {
                for (path, node) in each(node, &place) {
                    if let Node::Text(name) = node {
                        named.push((path, kind, name.clone()));
                    }
                }
            }
            (_, Some(Node::Table(table))) => find_files(table, &place, named),
            (_, Some(Node::Tables(tables))) => {
                for (index, table) in tables.iter().enumerate() {
                    find_files(table, &place.entry(index), named);
                }
            }
            (_, Some(Node::Sweep(sweep))) => {
                for (index, value) in sweep.values.iter().enumerate() {
                    if let Node::Table(table) = value {
                        find_files(table, &place.entry(index), named);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A stride that visits every value of every list of a grid of so many points.
fn coprime(number: u128) -> u128 {
    (STRIDE..).find(|stride| num_integer::gcd(*stride, number) == 1).unwrap_or(1)
}
