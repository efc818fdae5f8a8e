//! [`Network`]: the hops of a point, those of the path and those on the way back, as its words have them.

use crate::file::{Content, Contents, RecordedLine};
use crate::key::FileKind;
use crate::tree::{Unknown, View};
use run::{Direction, Route};

/// What the one hop of a path without `[[hops]]` is called.
const OF_PATH: &str = "bottleneck";
/// What the one hop of a way back without a list is called.
const OF_BACK: &str = "back";
/// The keys of a queue and its line: where there is a list of hops, each of them has its own.
pub const OF_A_HOP: [&str; 17] = [
    "rate",
    "buffer",
    "qdisc",
    "burst",
    "shaper",
    "peak",
    "exceed",
    "overhead",
    "loss",
    "duplicate",
    "corrupt",
    "reorder",
    "aggregation",
    "ack_filter",
    "change",
    "trace",
    "delay",
];

/// A queue and its line.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'a> {
    /// The table that has its keys: one of its own, or that of the path, which has no delay.
    pub keys: View<'a>,
    /// The path of that table, or of the list that it is in.
    table: &'static str,
    /// Its place in the list; None: it is the only one.
    place: Option<usize>,
    contents: &'a Contents,
    /// What a frame may have.
    mtu_bytes: u64,
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

    /// The rate of its line at the run's beginning; that which is written, or the mean of its trace.
    pub fn rate_bps(&self) -> Result<u64, Unknown> {
        if let Some(rate_bps) = self.keys.count_if("rate")? {
            return Ok(rate_bps);
        }
        let recorded = self.recorded()?.ok_or(Unknown)?;
        recorded.mean_rate_bps(self.mtu_bytes + self.keys.count("overhead")?).ok_or(Unknown)
    }

    /// Its line as it was recorded.
    pub fn recorded(&self) -> Result<Option<&'a RecordedLine>, Unknown> {
        let Some(name) = self.keys.text_if("trace")? else { return Ok(None) };
        match self.contents.get(FileKind::Link, name)? {
            Content::Link(line) => Ok(Some(line)),
            _ => Err(Unknown),
        }
    }

    /// The propagation delay behind it at the run's beginning; of the path's short form the part of the round trip that changes.
    pub fn delay_ns(&self) -> Result<u64, Unknown> {
        Ok(self.delays_ns()?.0)
    }

    /// The least that this ever is.
    pub fn least_delay_ns(&self) -> Result<u64, Unknown> {
        Ok(self.delays_ns()?.1)
    }

    /// What a change makes of it, in addition to the least; None: it leaves it.
    pub fn added_delay_ns(&self, change: &View<'_>) -> Result<Option<u64>, Unknown> {
        let (_, least_ns) = self.written_delays_ns()?;
        Ok(change.count_if(self.delay_key())?.map(|delay_ns| delay_ns - least_ns))
    }

    /// The key of what changes: of the path's short form the round-trip time.
    fn delay_key(&self) -> &'static str {
        if self.keys.table.node("rtt").is_some() { "rtt" } else { "delay" }
    }

    fn delays_ns(&self) -> Result<(u64, u64), Unknown> {
        let (first_ns, least_ns) = self.written_delays_ns()?;
        Ok(if self.delay_key() == "rtt" { (first_ns - least_ns, 0) } else { (first_ns, least_ns) })
    }

    fn written_delays_ns(&self) -> Result<(u64, u64), Unknown> {
        let first_ns = self.keys.count(self.delay_key())?;
        let mut least_ns = first_ns;
        for change in self.keys.tables("change")? {
            least_ns = change.count_if(self.delay_key())?.map_or(least_ns, |delay_ns| delay_ns.min(least_ns));
        }
        Ok((first_ns, least_ns))
    }
}

impl<'a> Network<'a> {
    /// Of a spec at a point.
    ///
    /// # Errors
    /// When its lists have a problem.
    pub fn of(spec: &View<'a>, contents: &'a Contents) -> Result<Self, Unknown> {
        let path = spec.table("path")?;
        let back = path.table("back")?;
        let mtu_bytes = path.integer("mtu").unwrap_or(0);
        let hop = |keys, table, place| Hop { keys, table, place, contents, mtu_bytes };
        let listed = |tables: Vec<View<'a>>, table| {
            tables.into_iter().enumerate().map(|(place, keys)| hop(keys, table, Some(place))).collect::<Vec<_>>()
        };
        let mut down = listed(spec.tables("hops")?, "hops");
        if down.is_empty() {
            down.push(hop(path, "path", None));
        }
        let mut up = listed(back.tables("hops")?, "path.back.hops");
        if up.is_empty() && (back.has("rate") || back.has("trace")) {
            up.push(hop(back, "path.back", None));
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

    /// What the delays of these hops are together, at the run's beginning, and the least that they ever are.
    pub fn delays_ns(&self, direction: Direction, part: Option<(usize, usize)>) -> Result<(u64, u64), Unknown> {
        let hops = self.hops(direction);
        let hops = part.map_or(hops, |(first, last)| &hops[first..=last]);
        let both = hops.iter().map(Hop::delays_ns).collect::<Result<Vec<_>, Unknown>>()?;
        Ok(both.into_iter().fold((0, 0), |(firsts, leasts), (first, least)| (firsts + first, leasts + least)))
    }
}
