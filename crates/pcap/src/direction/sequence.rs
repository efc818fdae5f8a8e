//! Sequence numbers: which is before which, and as positions that do not wrap.

/// Far from zero, so that what lies before the first number seen is positive, too.
const ORIGIN: u64 = 1 << 40;

/// Whether `a` is before `b` on the circle of sequence numbers.
#[inline]
pub const fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

/// The numbers of one end's data as 64-bit positions.
#[derive(Default)]
pub struct Sequence {
    begun: bool,
    /// Whether a packet of this end was seen, and not only acknowledgements of it.
    sent: bool,
    first: u64,
    most: u64,
    most_32: u32,
    acked: u64,
    syn: Option<u64>,
    fin: Option<u64>,
}

impl Sequence {
    /// The position of a number: the one nearest to the highest seen.
    #[inline]
    pub fn position(&mut self, number: u32) -> u64 {
        if !self.begun {
            *self =
                Self { begun: true, first: ORIGIN, most: ORIGIN, most_32: number, acked: ORIGIN, ..Self::default() };
        }
        self.most.wrapping_add_signed(i64::from(number.wrapping_sub(self.most_32) as i32))
    }

    /// Behind the last number that was sent, or acknowledged.
    #[inline]
    pub const fn most(&self) -> u64 {
        self.most
    }

    /// Behind the last number that was acknowledged.
    #[inline]
    pub const fn acked(&self) -> u64 {
        self.acked
    }

    /// Where the first number seen stands.
    #[inline]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Whether anything was sent; notes that it is now. The first packet begins at `start`.
    #[inline]
    pub fn begin(&mut self, start: u64) -> bool {
        let sent = self.sent;
        if !sent {
            self.sent = true;
            self.first = start;
            if start > self.most {
                // Acknowledgements came before it: what lies between was before the capture.
                self.raise(start);
                self.acked = start;
            }
        }
        sent
    }

    /// Notes that `end` was sent.
    #[inline]
    pub fn raise(&mut self, end: u64) {
        if end > self.most {
            self.most_32 = self.most_32.wrapping_add((end - self.most) as u32);
            self.most = end;
        }
    }

    /// Notes where SYN or FIN have their numbers, which are no data.
    pub fn flags(&mut self, syn: Option<u64>, fin: Option<u64>) {
        self.syn = syn.or(self.syn);
        self.fin = fin.or(self.fin);
    }

    /// Whether everything with the FIN is acknowledged.
    #[inline]
    pub fn finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.acked > fin)
    }

    /// Notes an acknowledgement: how many bytes of data are newly so.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64) -> u64 {
        if ack <= self.acked {
            return 0;
        }
        let numbers = ack - self.acked;
        let flags = [self.syn, self.fin].into_iter().flatten().filter(|at| (self.acked..ack).contains(at)).count();
        self.acked = ack;
        // A SYN and a FIN that contradict each other may have one number.
        if self.sent { numbers.saturating_sub(flags as u64) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence;

    #[test]
    fn flags_are_no_data() {
        let mut sequence = Sequence::default();
        let start = sequence.position(7);
        sequence.begin(start);
        sequence.flags(Some(start), Some(start + 101));
        sequence.raise(start + 102);
        assert_eq!(sequence.acknowledge(start + 51), 50);
        assert_eq!((sequence.acknowledge(start + 102), sequence.finished()), (50, true));
        sequence.flags(Some(start + 102), Some(start + 102));
        sequence.raise(start + 103);
        assert_eq!(sequence.acknowledge(start + 103), 0);
    }

    #[test]
    fn positions_go_on_where_numbers_wrap() {
        let mut sequence = Sequence::default();
        let start = sequence.position(u32::MAX - 99);
        sequence.begin(start);
        for kilobytes in 1..10_000_000_u64 {
            let position = start + kilobytes * 1000;
            assert_eq!(sequence.position((u32::MAX - 99).wrapping_add((kilobytes * 1000) as u32)), position);
            sequence.raise(position);
        }
        assert_eq!(sequence.most() - start, 9_999_999_000);
    }
}
