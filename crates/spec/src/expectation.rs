//! [`Expectation`]: what the runs of an experiment must show, in base units.

use crate::catalogue::measured;
use crate::experiment::Experiment;
use crate::tree::{Node, Unknown, View};
use crate::word::{Fields, Word};

const NS_PER_S: f64 = 1e9;

/// One `[[expect]]`, in base units of the catalogue: bit/s, seconds, bytes, shares of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The name of the quantity.
    pub quantity: String,
    /// A group of flows or a hop; None: the only group, or the bottleneck.
    pub of: Option<String>,
    /// Whether the bound is the least that it may be, and not the most.
    pub is_least: bool,
    /// The bound; None: another group or hop gives it.
    pub level: Option<f64>,
    /// The bound as it is written; of one that another group gives empty.
    pub text: String,
    /// The other group or hop, and how many times as much.
    pub relative: Option<(String, f64)>,
    /// A swept field, the first of its values, the baseline, and how many times as much as there.
    pub against: Option<(String, Word, f64)>,
    /// How far beyond a bound that another group, hop or point gives it may be, in base units.
    pub slack: f64,
    /// Within which time it must be so; None: it is of the window.
    pub by_s: Option<f64>,
    /// When that time begins; None: at the start of the group's first flow.
    pub from_s: Option<f64>,
    /// Whether each seed decides, and not the median.
    pub all_seeds: bool,
    /// Values of fields by their paths, of the points that it is about.
    pub values: Fields,
}

impl Experiment {
    /// What its runs must show.
    pub fn expectations(&self) -> Vec<Expectation> {
        let view = View::new(&self.table, &[]);
        let tables = view.tables("expect").unwrap_or_default();
        tables.iter().filter_map(|table| self.expectation(table).ok()).collect()
    }

    fn expectation(&self, table: &View<'_>) -> Result<Expectation, Unknown> {
        let (quantity, is_least) = (table.text("quantity")?, table.has("at_least"));
        let bound = table.get(if is_least { "at_least" } else { "at_most" })?.ok_or(Unknown)?;
        let level_of = |node: &Node| measured(quantity).ok_or(Unknown)?.level(node).map_err(|_| Unknown);
        let seconds = |key: &str| Ok(table.count_if(key)?.map(|ns| ns as f64 / NS_PER_S));
        let mut expectation = Expectation {
            quantity: quantity.to_owned(),
            of: table.text_if("of")?.map(str::to_owned),
            is_least,
            level: None,
            text: String::new(),
            relative: None,
            against: None,
            slack: 0.0,
            by_s: seconds("by")?,
            from_s: seconds("from")?,
            all_seeds: table.text("seeds")? == "all",
            values: if let Some(Node::Values(values)) = table.get("where")? { values.clone() } else { Fields::new() },
        };
        if let Node::Table(other) = bound {
            let other = View::new(other, &[]);
            let times = other.number("times")?;
            expectation.relative = other.text_if("of")?.map(|of| (of.to_owned(), times));
            expectation.slack = other.get("slack")?.map_or(Ok(0.0), level_of)?;
            if let Some(path) = other.text_if("against")? {
                let axis = self.axes().iter().find(|axis| axis.path == path).ok_or(Unknown)?;
                let first = axis.values.first().ok_or(Unknown)?;
                expectation.against = Some((path.to_owned(), first.clone(), times));
            }
        } else {
            expectation.level = Some(level_of(bound)?);
            expectation.text =
                if let Node::Text(text) = bound { text.trim().to_owned() } else { bound.word().quoted() };
        }
        Ok(expectation)
    }
}
