//! [`Point`]: one point of an experiment, where each list has one value.

use crate::control::Registry;
use crate::file::Contents;
use crate::network::Network;
use crate::problem::Problem;
use crate::source;
use crate::sweep::Axis;
use crate::tree::{Table, Unknown, View};
use crate::word::Fields;

/// One point of an experiment: each list has one value.
#[derive(Clone, Debug)]
pub struct Point<'a> {
    pub(crate) table: &'a Table,
    pub(crate) axes: &'a [Axis],
    pub(crate) registry: &'a Registry,
    pub(crate) contents: &'a Contents,
    /// Whether the rules were asked about all points of the experiment: of a large sweep's only about some.
    pub(crate) is_checked: bool,
    /// The place of the value of each axis.
    pub(crate) chosen: Vec<usize>,
}

impl Point<'_> {
    /// Each swept field and its value as the spec wrote it, in order of appearance.
    pub fn values(&self) -> Fields {
        let axes = self.axes.iter().zip(&self.chosen);
        axes.map(|(axis, place)| (axis.path.clone(), axis.values[*place].clone())).collect()
    }

    /// The experiment as it is here, without its lists.
    pub fn fields(&self) -> Fields {
        let mut fields = self.table.fields();
        fields.retain(|(key, _)| key != "zip");
        for (path, value) in self.values() {
            // Each is a field that the spec has.
            let _: Result<(), Problem> = source::set(&mut fields, &path, value);
        }
        fields
    }

    pub(crate) fn top(&self) -> View<'_> {
        View::new(self.table, &self.chosen)
    }

    pub(crate) fn path(&self) -> Result<View<'_>, Unknown> {
        self.top().table("path")
    }

    pub(crate) fn network(&self) -> Result<Network<'_>, Unknown> {
        Network::of(&self.top(), self.contents)
    }

    pub(crate) fn host(&self) -> Result<View<'_>, Unknown> {
        self.top().table("host")
    }

    pub(crate) fn measure(&self) -> Result<View<'_>, Unknown> {
        self.top().table("measure")
    }

    pub(crate) fn groups(&self) -> Result<Vec<View<'_>>, Unknown> {
        self.top().tables("flows")
    }
}
