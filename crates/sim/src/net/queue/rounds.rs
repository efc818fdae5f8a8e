//! [`Rounds`]: which flow is served next, of those that have just begun and of the others (RFC 8290 section 4), by a [`Credit`]
//! of each.

use std::collections::VecDeque;

/// Bytes that a flow may send in this round. It may overdraw them by less than a frame (deficit round robin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credit(i64);

impl Credit {
    /// So many.
    pub fn of(bytes: u32) -> Self {
        Self(bytes.into())
    }

    /// So many at least.
    pub fn at_least(self, bytes: u32) -> Self {
        Self(self.0.max(bytes.into()))
    }

    /// A frame or a burst leaves.
    #[inline]
    pub fn spend(&mut self, bytes: u32) {
        self.0 -= i64::from(bytes);
    }

    /// Whether the flow may send now; one that may not has a round's quantum more.
    #[inline]
    pub fn may_send(&mut self, quantum_bytes: u32) -> bool {
        let may_send = self.0 > 0;
        self.0 += if may_send { 0 } else { i64::from(quantum_bytes) };
        may_send
    }
}

/// Two lists of flows, each in the order in which they are served; one that has just begun comes before the others.
#[derive(Debug)]
pub struct Rounds<F> {
    new: VecDeque<F>,
    old: VecDeque<F>,
}

impl<F: Copy> Rounds<F> {
    /// Nobody waits.
    pub const fn new() -> Self {
        Self { new: VecDeque::new(), old: VecDeque::new() }
    }

    /// A flow that is in no list has begun.
    pub fn begin(&mut self, flow: F) {
        self.new.push_back(flow);
    }

    /// Whether a flow is among those that have just begun.
    pub fn is_new(&self, flow: F) -> bool
    where
        F: PartialEq,
    {
        self.new.contains(&flow)
    }

    /// A flow that was taken away is among the others again.
    pub fn return_to_others(&mut self, flow: F) {
        self.old.push_back(flow);
    }

    /// The flow that is served now: the first that `may_send`. Those before it, which may in the next round, go to the end.
    pub fn first(&mut self, mut may_send: impl FnMut(F) -> bool) -> Option<F> {
        loop {
            let flow = *self.list().front()?;
            if may_send(flow) {
                return Some(flow);
            }
            self.take_away();
            self.old.push_back(flow);
        }
    }

    /// The flow that is served now is in no list any more.
    pub fn take_away(&mut self) {
        self.list().pop_front();
    }

    /// The flow that is served now has nothing more: one that has just begun waits behind the others before it may begin
    /// again. Whether it is in no list any more.
    pub fn retire(&mut self) -> bool {
        let waits = !self.new.is_empty() && !self.old.is_empty();
        if let Some(flow) = self.list().pop_front().filter(|_| waits) {
            self.old.push_back(flow);
        }
        !waits
    }

    fn list(&mut self) -> &mut VecDeque<F> {
        if self.new.is_empty() { &mut self.old } else { &mut self.new }
    }
}
