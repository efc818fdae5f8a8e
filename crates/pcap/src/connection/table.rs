//! The connections that are open, by their ends and by how long they have been silent.

use super::{Connection, Key};

const NONE: u32 = u32::MAX;

/// A place for a connection.
struct Slot {
    key: Key,
    hash: u64,
    connection: Option<Box<Connection>>,
    /// Neighbours in a row, the longest silent first: those of one that is over and of one that is not are two rows.
    earlier: u32,
    later: u32,
    over: bool,
}

/// A row of slots.
#[derive(Clone, Copy)]
struct Row {
    first: u32,
    last: u32,
}

/// Connections, with an order that does not depend on a hash.
pub struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Open addressing with linear probing: parts of the hash, and slots.
    index: Vec<(u32, u32)>,
    count: usize,
    rows: [Row; 2],
    last: u32,
}

impl Table {
    pub fn new() -> Self {
        let empty = Row { first: NONE, last: NONE };
        Self { slots: Vec::new(), free: Vec::new(), index: vec![(0, NONE); 64], count: 0, rows: [empty; 2], last: NONE }
    }

    pub const fn len(&self) -> usize {
        self.count
    }

    /// The slot of a connection.
    #[inline(always)]
    pub fn find(&self, key: Key) -> Option<u32> {
        if let Some(slot) = self.slots.get(self.last as usize)
            && slot.key == key
            && slot.connection.is_some()
        {
            return Some(self.last);
        }
        let hash = key.hash();
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.index[place] {
                (_, NONE) => return None,
                (part, slot) if part == (hash >> 32) as u32 && self.slots[slot as usize].key == key => {
                    return Some(slot);
                }
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Puts a connection in, whose key is not there.
    pub fn insert(&mut self, key: Key, connection: Connection) -> u32 {
        if (self.count + 1) * 2 > self.index.len() {
            self.grow();
        }
        let hash = key.hash();
        let filled =
            Slot { key, hash, connection: Some(Box::new(connection)), earlier: NONE, later: NONE, over: false };
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = filled;
            slot
        } else {
            self.slots.push(filled);
            (self.slots.len() - 1) as u32
        };
        self.enter(hash, slot);
        self.count += 1;
        self.append(slot);
        slot
    }

    fn enter(&mut self, hash: u64, slot: u32) {
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place].1 != NONE {
            place = (place + 1) & mask;
        }
        self.index[place] = ((hash >> 32) as u32, slot);
    }

    fn grow(&mut self) {
        self.index = vec![(0, NONE); self.index.len() * 2];
        for slot in 0..self.slots.len() {
            if self.slots[slot].connection.is_some() {
                self.enter(self.slots[slot].hash, slot as u32);
            }
        }
    }

    /// The connection in a slot that [`Self::find`] gave, now the one that has been silent for the shortest time.
    #[inline(always)]
    pub fn touch(&mut self, slot: u32) -> &mut Connection {
        self.last = slot;
        if self.slots[slot as usize].later != NONE {
            self.unlink(slot);
            self.append(slot);
        }
        self.slots[slot as usize].connection.as_mut().expect("a slot that was found is filled")
    }

    /// Notes that a connection is over.
    pub fn end(&mut self, slot: u32) {
        if !self.slots[slot as usize].over {
            self.unlink(slot);
            self.slots[slot as usize].over = true;
            self.append(slot);
        }
    }

    fn append(&mut self, slot: u32) {
        let row = &mut self.rows[usize::from(self.slots[slot as usize].over)];
        let last = std::mem::replace(&mut row.last, slot);
        if last == NONE {
            row.first = slot;
        } else {
            self.slots[last as usize].later = slot;
        }
        let entry = &mut self.slots[slot as usize];
        (entry.earlier, entry.later) = (last, NONE);
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { earlier, later, over, .. } = self.slots[slot as usize];
        let row = &mut self.rows[usize::from(over)];
        if earlier == NONE {
            row.first = later;
        }
        if later == NONE {
            row.last = earlier;
        }
        if earlier != NONE {
            self.slots[earlier as usize].later = later;
        }
        if later != NONE {
            self.slots[later as usize].earlier = earlier;
        }
    }

    /// Takes a connection out.
    pub fn remove(&mut self, slot: u32) -> Connection {
        self.unlink(slot);
        let hash = self.slots[slot as usize].hash;
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place].1 != slot {
            place = (place + 1) & mask;
        }
        // Those behind that may not stand behind a gap move up (Knuth, volume 3, algorithm 6.4 R).
        let mut next = place;
        loop {
            next = (next + 1) & mask;
            let (_, moved) = self.index[next];
            if moved == NONE {
                break;
            }
            let home = self.slots[moved as usize].hash as usize & mask;
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(place) & mask {
                self.index[place] = self.index[next];
                place = next;
            }
        }
        self.index[place] = (0, NONE);
        self.free.push(slot);
        self.count -= 1;
        *self.slots[slot as usize].connection.take().expect("a slot that is in the table is filled")
    }

    /// The one that is over and silent for the longest time.
    pub fn first_over(&self) -> Option<(u32, &Connection)> {
        self.first_of(1)
    }

    /// The one that is open and silent for the longest time.
    pub fn first_open(&self) -> Option<(u32, &Connection)> {
        self.first_of(0)
    }

    fn first_of(&self, row: usize) -> Option<(u32, &Connection)> {
        let slot = self.rows[row].first;
        let connection = self.slots.get(slot as usize)?.connection.as_deref()?;
        Some((slot, connection))
    }
}
