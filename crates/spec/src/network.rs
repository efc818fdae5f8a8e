//! [`Network`]: the hops of a point, those of the path and those on the way back, as its words have them.

use crate::tree::{Unknown, View};
use run::{Direction, Route};

/// What the one hop of a path without `[[hops]]` is called.
const OF_PATH: &str = "bottleneck";
/// What the one hop of a way back without a list is called.
const OF_BACK: &str = "back";
/// The keys of a queue and its line: where there is a list of hops, each of them has its own.
pub const OF_A_HOP: [&str; 9] = ["rate", "buffer", "qdisc", "burst", "shaper", "overhead", "loss", "change", "delay"];

/// A queue and its line.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'a> {
    /// The table that has its keys: one of its own, or that of the path, which has no delay.
    pub keys: View<'a>,
    /// The path of that table, or of the list that it is in.
    table: &'static str,
    /// Its place in the list; None: it is the only one.
    place: Option<usize>,
}

/// The path's hops and those on the way back.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    /// What goes for all hops.
    pub path: View<'a>,
    down: Vec<Hop<'a>>,
    up: Vec<Hop<'a>>,
}

impl<'a> Hop<'a> {
    fn listed(tables: Vec<View<'a>>, table: &'static str) -> Vec<Self> {
        tables.into_iter().enumerate().map(|(place, keys)| Self { keys, table, place: Some(place) }).collect()
    }

    /// The table that has its keys, as a message shows it: `hops[1]`.
    pub fn table(&self) -> String {
        self.place.map_or_else(|| self.table.to_owned(), |place| format!("{}[{place}]", self.table))
    }

    /// The path of a key of its table: `hops[1].rate`.
    pub fn field(&self, key: &str) -> String {
        format!("{}.{key}", self.table())
    }

    /// What it is called.
    pub fn name(&self) -> Result<&'a str, Unknown> {
        match (self.place, self.table) {
            (Some(_), _) => self.keys.text("name"),
            (None, "path") => Ok(OF_PATH),
            (None, _) => Ok(OF_BACK),
        }
    }

    /// The rate of its line at the run's beginning.
    pub fn rate_bps(&self) -> Result<u64, Unknown> {
        self.keys.count("rate")
    }

    /// The propagation delay behind it.
    pub fn delay_ns(&self) -> Result<u64, Unknown> {
        if self.keys.table.node("delay").is_some() { self.keys.count("delay") } else { Ok(0) }
    }
}

impl<'a> Network<'a> {
    /// Of a spec at a point.
    ///
    /// # Errors
    /// When its lists have a problem.
    pub fn of(spec: &View<'a>) -> Result<Self, Unknown> {
        let path = spec.table("path")?;
        let back = path.table("back")?;
        let mut down = Hop::listed(spec.tables("hops")?, "hops");
        if down.is_empty() {
            down.push(Hop { keys: path, table: "path", place: None });
        }
        let mut up = Hop::listed(back.tables("hops")?, "path.back.hops");
        if up.is_empty() && back.has("rate") {
            up.push(Hop { keys: back, table: "path.back", place: None });
        }
        Ok(Self { path, down, up })
    }

    /// The hops of a direction, in the order in which packets pass them; there may be none on the way back.
    pub fn hops(&self, direction: Direction) -> &[Hop<'a>] {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }

    /// Queues are written to count packets.
    ///
    /// # Errors
    /// When the word has a problem.
    pub fn counts_packets(&self) -> Result<bool, Unknown> {
        Ok(self.path.text("queue")? == "packets")
    }

    /// Those of the path, then those on the way back.
    pub fn all(&self) -> impl Iterator<Item = &Hop<'a>> {
        self.down.iter().chain(&self.up)
    }

    /// The hops of a direction are listed, and not written as keys of the path.
    pub fn is_listed(&self, direction: Direction) -> bool {
        self.hops(direction).first().is_some_and(|hop| hop.place.is_some())
    }

    /// The place of a hop of this name.
    pub fn place(&self, direction: Direction, name: &str) -> Option<usize> {
        self.hops(direction).iter().position(|hop| hop.name() == Ok(name))
    }

    /// The hop that the path names, or the slowest; on the way back the slowest. Of equals the first, as
    /// [`run::Path::bottleneck`] has it.
    ///
    /// # Errors
    /// When there are no hops, or their rates have a problem.
    pub fn bottleneck(&self, direction: Direction) -> Result<&Hop<'a>, Unknown> {
        Ok(&self.hops(direction)[self.bottleneck_place(direction)?])
    }

    /// Its place.
    ///
    /// # Errors
    /// Likewise.
    pub fn bottleneck_place(&self, direction: Direction) -> Result<usize, Unknown> {
        if direction == Direction::Down
            && let Some(name) = self.path.text_if("bottleneck")?
        {
            return self.place(direction, name).ok_or(Unknown);
        }
        let rates = self.hops(direction).iter().map(Hop::rate_bps).collect::<Result<Vec<u64>, Unknown>>()?;
        (0..rates.len()).min_by_key(|place| rates[*place]).ok_or(Unknown)
    }

    /// Where a group's data goes, and the places of the hops that its packets pass, if not all.
    pub fn route(&self, group: &View<'_>) -> Result<(Direction, Route), Unknown> {
        let direction = if group.text("direction")? == "up" { Direction::Up } else { Direction::Down };
        let names = group.texts_if("route")?.unwrap_or_default();
        let part = |direction| {
            let places: Vec<usize> = names.iter().filter_map(|name| self.place(direction, name)).collect();
            let ends = places.iter().min().copied().zip(places.iter().max().copied());
            ends.filter(|(first, last)| last - first + 1 < self.hops(direction).len())
        };
        Ok((direction, Route { data: part(direction), acks: part(direction.reversed()) }))
    }

    /// What the delays of these hops are together.
    pub fn delay_ns(&self, direction: Direction, part: Option<(usize, usize)>) -> Result<u64, Unknown> {
        let hops = self.hops(direction);
        let hops = part.map_or(hops, |(first, last)| &hops[first..=last]);
        hops.iter().map(Hop::delay_ns).sum()
    }
}
