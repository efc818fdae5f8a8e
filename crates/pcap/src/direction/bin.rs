//! The bin of time that a direction is in.

use crate::sink::BinCounts;

/// Counts of the present bin.
#[derive(Default)]
pub struct Bin {
    index: u64,
    open: bool,
    counts: BinCounts,
}

impl Bin {
    /// The counts of bin `index`; the one before it, when that is complete. A time that runs backwards stays in its bin.
    #[inline]
    pub fn at(&mut self, index: u64) -> (&mut BinCounts, Option<(u64, BinCounts)>) {
        let mut complete = None;
        if !self.open || index > self.index {
            if self.open {
                complete = Some((self.index, self.counts));
            }
            *self = Self { index, open: true, counts: BinCounts::default() };
        }
        (&mut self.counts, complete)
    }

    /// The last bin.
    pub fn close(&mut self) -> Option<(u64, BinCounts)> {
        let complete = self.open.then_some((self.index, self.counts));
        self.open = false;
        complete
    }
}
