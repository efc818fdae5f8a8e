//! Which connection a segment of one of the captures is of: in both the same, also where a NAT gave it other addresses.

use crate::header::{ACK, Endpoint, SYN, Segment};
use std::collections::BTreeMap;

/// Both ends, the smaller one first.
pub type Ends = (Endpoint, Endpoint);

/// What a connection is called at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    pub client: Endpoint,
    pub server: Endpoint,
}

impl Names {
    pub fn ends(self) -> Ends {
        if self.client <= self.server { (self.client, self.server) } else { (self.server, self.client) }
    }
}

/// A connection, as far as it is to be known again.
#[derive(Debug, Clone)]
pub struct Connection {
    /// At each place; none before it is seen there.
    pub names: [Option<Names>; 2],
    /// The client's first sequence number.
    pub isn: Option<u32>,
    /// The largest segment that the SYNs allow, without options.
    mss: Option<u16>,
    /// Segments at each place.
    pub segments: [u64; 2],
    /// Of the client and the server, at each place.
    pub pieces: [[u64; 2]; 2],
}

impl Connection {
    pub const fn is_at_both(&self) -> bool {
        self.names[0].is_some() && self.names[1].is_some()
    }

    /// How much data a segment on the wire has at most: what is larger was captured before it was cut up, or after
    /// segments were joined. Without a SYN that of Ethernet is taken; what is cut alike at both places does no harm.
    pub fn most_payload(&self, segment: &Segment) -> u32 {
        let headers = if segment.source.address().is_ipv6() { 60 } else { 40 };
        let mss = self.mss.map_or(1500 - headers, u32::from);
        let stamps = if segment.options.timestamps.is_some() { 12 } else { 0 };
        mss.saturating_sub(stamps).max(1)
    }
}

/// All connections so far.
#[derive(Default)]
pub struct Connections {
    list: Vec<Connection>,
    of_ends: [BTreeMap<Ends, u32>; 2],
    /// Those that one place has not seen yet, by the client's first sequence number.
    of_isn: BTreeMap<u32, Vec<u32>>,
    last: [Option<(Ends, u32)>; 2],
    /// Segments of connections for which there was no room.
    pub passed_over: u64,
}

impl Connections {
    pub fn list(&self) -> &[Connection] {
        &self.list
    }

    pub fn get_mut(&mut self, number: u32) -> &mut Connection {
        &mut self.list[number as usize]
    }

    /// The connection of a segment, and whether its server sent it; none if there are `most` others.
    pub fn of(&mut self, place: usize, segment: &Segment, most: usize) -> Option<(u32, bool)> {
        let ends = Names { client: segment.source, server: segment.destination }.ends();
        let number = match self.last[place] {
            Some((last, number)) if last == ends && !segment.has(SYN) => number,
            _ => {
                let Some(number) = self.find(place, ends, segment, most) else {
                    self.passed_over += 1;
                    return None;
                };
                self.last[place] = Some((ends, number));
                number
            }
        };
        let connection = &mut self.list[number as usize];
        connection.segments[place] += 1;
        if segment.has(SYN)
            && let Some(mss) = segment.options.mss
        {
            connection.mss = Some(connection.mss.map_or(mss, |other| other.min(mss)));
        }
        let from_server = connection.names[place].is_some_and(|names| segment.source != names.client);
        Some((number, from_server))
    }

    fn find(&mut self, place: usize, ends: Ends, segment: &Segment, most: usize) -> Option<u32> {
        let known = self.of_ends[place].get(&ends).copied();
        if !segment.has(SYN) {
            if known.is_some() {
                return known;
            }
            // Seen at the other place by the same name, and here not yet.
            let other = self.of_ends[1 - place].get(&ends).copied();
            let other = other.filter(|number| self.list[*number as usize].names[place].is_none());
            if let Some(number) = other {
                let names = self.list[number as usize].names[1 - place]?;
                self.name(number, place, names);
                return other;
            }
            return self.begin(place, Names { client: segment.source, server: segment.destination }, None, most);
        }
        let answers = segment.has(ACK);
        let isn = if answers { segment.ack.wrapping_sub(1) } else { segment.seq };
        if let Some(number) = known
            && self.list[number as usize].isn == Some(isn)
        {
            return known;
        }
        let (client, server) =
            if answers { (segment.destination, segment.source) } else { (segment.source, segment.destination) };
        let names = Names { client, server };
        if let Some(number) = self.waiting(place, isn, names).or_else(|| self.midstream(place, ends)) {
            self.list[number as usize].isn = Some(isn);
            self.name(number, place, names);
            // Without a SYN the other place took who sent first for the client.
            if let Some(other) = &mut self.list[number as usize].names[1 - place]
                && other.client == names.server
                && other.server == names.client
            {
                *other = names;
            }
            if let Some(others) = self.of_isn.get_mut(&isn) {
                others.retain(|other| *other != number);
            }
            return Some(number);
        }
        self.begin(place, names, Some(isn), most)
    }

    /// A connection that began with the same number at the other place and was not seen here: by the same name, or by
    /// another one if it is the only one, as behind a NAT.
    fn waiting(&self, place: usize, isn: u32, names: Names) -> Option<u32> {
        let candidates = self.of_isn.get(&isn)?;
        let mut unseen = candidates.iter().filter(|number| self.list[**number as usize].names[place].is_none());
        let same = unseen.clone().find(|number| self.list[**number as usize].names[1 - place] == Some(names));
        same.or_else(|| {
            let first = unseen.next().filter(|_| unseen.next().is_none() && isn != 0)?;
            // Not one that has this name at the other place, where it is another connection.
            (!self.of_ends[1 - place].contains_key(&names.ends())).then_some(first)
        })
        .copied()
    }

    /// One that the other place has without its SYN.
    fn midstream(&self, place: usize, ends: Ends) -> Option<u32> {
        let number = self.of_ends[1 - place].get(&ends).copied()?;
        let other = &self.list[number as usize];
        (other.isn.is_none() && other.names[place].is_none()).then_some(number)
    }

    fn begin(&mut self, place: usize, names: Names, isn: Option<u32>, most: usize) -> Option<u32> {
        if self.list.len() >= most {
            return None;
        }
        let number = self.list.len() as u32;
        self.list.push(Connection { names: [None; 2], isn, mss: None, segments: [0; 2], pieces: [[0; 2]; 2] });
        self.name(number, place, names);
        if let Some(isn) = isn {
            self.of_isn.entry(isn).or_default().push(number);
        }
        Some(number)
    }

    fn name(&mut self, number: u32, place: usize, names: Names) {
        self.list[number as usize].names[place] = Some(names);
        self.of_ends[place].insert(names.ends(), number);
    }
}
