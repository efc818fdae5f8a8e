//! Packets that wait for the other capture, in the order in which they were read, and by what they are known by.

use std::collections::VecDeque;

/// A packet that was captured at one place.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waiting {
    pub fingerprint: u64,
    /// By its place's clock, ns.
    pub time_ns: i64,
    /// By the second place's clock, as far as that is known, ns.
    pub read_ns: i64,
    /// Which one of its direction at its place, from 0 on.
    pub ordinal: u64,
    pub payload_bytes: u32,
    pub connection: u32,
    pub from_server: bool,
    pub place: u8,
    pub ip_id: Option<u16>,
    /// Whether its like at the other place was found.
    pub matched: bool,
    /// Whether one that is known by the same was matched before it.
    pub repeats: bool,
    /// The one before it that is known by the same; a window sets it.
    pub earlier: u64,
}

const NONE: u64 = u64::MAX;
const MOST_ALIKE: usize = 64;

/// Packets of both places.
pub struct Window {
    packets: VecDeque<Waiting>,
    /// How many went before the first.
    gone: u64,
    /// Open addressing with linear probing: what packets are known by, and the number of the last of them.
    index: Vec<(u64, u64)>,
    known: usize,
}

impl Window {
    pub fn new() -> Self {
        Self { packets: VecDeque::new(), gone: 0, index: vec![(0, NONE); 1 << 10], known: 0 }
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// The packets known by a fingerprint, the last one first; not more than so many, so that a flood of one packet
    /// takes no time.
    pub fn alike(&self, fingerprint: u64) -> impl Iterator<Item = (u64, &Waiting)> {
        let mut number = self.index[self.slot(fingerprint)].1;
        std::iter::from_fn(move || {
            if number == NONE || number < self.gone {
                return None;
            }
            let packet = &self.packets[(number - self.gone) as usize];
            let current = std::mem::replace(&mut number, packet.earlier);
            Some((current, packet))
        })
        .take(MOST_ALIKE)
    }

    /// Notes that a packet and its like found each other.
    pub fn pair(&mut self, number: u64) -> Waiting {
        let packet = &mut self.packets[(number - self.gone) as usize];
        packet.matched = true;
        *packet
    }

    pub fn push(&mut self, mut packet: Waiting) -> u64 {
        if (self.known + 1) * 2 > self.index.len() {
            self.grow();
        }
        let number = self.gone + self.packets.len() as u64;
        let slot = self.slot(packet.fingerprint);
        packet.earlier = self.index[slot].1;
        self.known += usize::from(packet.earlier == NONE);
        self.index[slot] = (packet.fingerprint, number);
        self.packets.push_back(packet);
        number
    }

    pub fn first(&self) -> Option<&Waiting> {
        self.packets.front()
    }

    /// Takes the first one out.
    pub fn pop(&mut self) -> Option<Waiting> {
        let packet = self.packets.pop_front()?;
        let slot = self.slot(packet.fingerprint);
        if self.index[slot].1 == self.gone {
            self.forget(slot);
        }
        self.gone += 1;
        Some(packet)
    }

    /// Where a fingerprint is, or would be.
    fn slot(&self, fingerprint: u64) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = fingerprint as usize & mask;
        while self.index[slot].1 != NONE && self.index[slot].0 != fingerprint {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let larger = vec![(0, NONE); self.index.len() * 2];
        for entry in std::mem::replace(&mut self.index, larger) {
            if entry.1 != NONE {
                let slot = self.slot(entry.0);
                self.index[slot] = entry;
            }
        }
    }

    /// Those behind that may not stand behind a gap move up (Knuth, volume 3, algorithm 6.4 R).
    fn forget(&mut self, mut slot: usize) {
        let mask = self.index.len() - 1;
        let mut next = slot;
        loop {
            next = (next + 1) & mask;
            if self.index[next].1 == NONE {
                break;
            }
            let home = self.index[next].0 as usize & mask;
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(slot) & mask {
                self.index[slot] = self.index[next];
                slot = next;
            }
        }
        self.index[slot] = (0, NONE);
        self.known -= 1;
    }
}
