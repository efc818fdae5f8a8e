//! Ranges of sequence numbers that the capture has not seen, though it has seen what lies behind them.

/// Such a range, and what revealed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hole {
    pub start: u64,
    pub end: u64,
    /// When the segment behind it came.
    pub since_ns: i64,
    /// How many data packets of the direction had come then.
    pub packets: u64,
    /// TSval of the segment behind it.
    pub stamp: Option<u32>,
}

/// No connection that works has more.
const MOST: usize = 4096;

#[derive(Default)]
pub struct Holes {
    /// In order.
    holes: Vec<Hole>,
}

impl Holes {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }

    /// Bytes of memory.
    #[inline]
    pub const fn memory_bytes(&self) -> usize {
        self.holes.capacity() * size_of::<Hole>()
    }

    /// A hole behind all others. The bytes of the first one, when there are too many.
    pub fn push(&mut self, hole: Hole) -> u64 {
        self.holes.push(hole);
        if self.holes.len() <= MOST {
            return 0;
        }
        let first = self.holes.remove(0);
        first.end - first.start
    }

    /// Closes what a segment fills: its bytes, and the first hole that it touches. `each` is given each part.
    pub fn fill(&mut self, start: u64, end: u64, mut each: impl FnMut(u64, u64)) -> (u64, Option<Hole>) {
        let mut place = self.holes.partition_point(|hole| hole.end <= start);
        let mut bytes = 0;
        let mut first = None;
        while let Some(hole) = self.holes.get(place).copied().filter(|hole| hole.start < end) {
            first.get_or_insert(hole);
            let (from, until) = (hole.start.max(start), hole.end.min(end));
            bytes += until - from;
            each(from, until);
            let before = Hole { end: from, ..hole };
            let behind = Hole { start: until, ..hole };
            match (before.start < before.end, behind.start < behind.end) {
                (true, true) => {
                    self.holes[place] = before;
                    self.holes.insert(place + 1, behind);
                    break;
                }
                (true, false) => {
                    self.holes[place] = before;
                    place += 1;
                }
                (false, true) => {
                    self.holes[place] = behind;
                    break;
                }
                (false, false) => {
                    self.holes.remove(place);
                }
            }
        }
        (bytes, first)
    }

    /// Gives up what was acknowledged without having been seen: its bytes.
    pub fn acknowledge(&mut self, ack: u64) -> u64 {
        let closed = self.holes.partition_point(|hole| hole.end <= ack);
        let mut bytes: u64 = self.holes.drain(..closed).map(|hole| hole.end - hole.start).sum();
        if let Some(hole) = self.holes.first_mut().filter(|hole| hole.start < ack) {
            bytes += ack - hole.start;
            hole.start = ack;
        }
        bytes
    }
}
