//! Indices into a run's lists that must not be taken for one another.

/// A connection, by its place: that of its flow in the run, or, of a source's connections, one after all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(u32);

/// A line of constant delay, by its place among those of its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineId(u32);

/// A hop of the network, by its place: the bottleneck, then the hosts' access lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopId(u32);

impl FlowId {
    /// The flow at this place.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a spec has at most 100 000 flows, a source a million"))
    }

    /// The first so many of a run, in its order.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(Self::new)
    }

    /// Its place.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl HopId {
    /// The hop that all flows share.
    pub const BOTTLENECK: Self = Self(0);

    /// The hop at this place.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("no more access lines than flows"))
    }

    /// Its place.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LineId {
    /// The first of its direction.
    pub const FIRST: Self = Self(0);

    /// The line at this place.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("no more lines than flows"))
    }

    /// Its place.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
