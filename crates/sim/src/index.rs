//! Indices into a run's lists that must not be taken for one another.

use std::num::NonZeroU32;

/// A connection, by its place: that of its flow in the run, or, of a source's connections, one after all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(u32);

/// A hop of the network, by its place. An option of it takes no more room than itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopId(NonZeroU32);

impl FlowId {
    /// The flow at this place.
    #[inline]
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
    /// The hop at this place.
    pub fn new(index: usize) -> Self {
        let number = u32::try_from(index + 1).expect("no more hops than a few for each flow");
        Self(NonZeroU32::new(number).expect("counted from 1"))
    }

    /// Its place.
    #[inline]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}
