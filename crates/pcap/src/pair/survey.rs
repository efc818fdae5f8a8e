//! The first pass: which place is nearer to which end, and the clocks.

use super::clock::{Lines, Samples};
use super::connections::{Connections, Ends};
use super::reading::Pass;
use super::window::{Waiting, Window};
use crate::header::Endpoint;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Comparisons of both ways after which a connection's place is known.
const ENOUGH: u32 = 8;
/// Samples of a connection that wait for it.
const MOST_PENDING: usize = 4096;
/// One part in so many is what two clocks may drift apart.
const LEAST_PER_DRIFT: i64 = 1000;

/// What is known of one connection so far.
#[derive(Default)]
struct Place {
    /// How much later the second place saw a packet: of the client's and of the server's last one.
    last: [Option<i64>; 2],
    /// Sum of what the client's were later than the server's: it is positive where the first place is nearer to the client.
    later_ns: i128,
    comparisons: u32,
    pending: Vec<(bool, i64, i64)>,
    decided: Option<bool>,
    bytes: u64,
}

/// Takes packets that are matched beyond doubt.
#[derive(Default)]
pub struct Survey {
    rough_ns: i64,
    /// The least delay of each way at last, and when: what the first clock showed, and by how much the second was ahead.
    least: [Option<(i64, i64)>; 2],
    samples: Option<Samples>,
    connections: Vec<Place>,
    /// Pairs with the same identification in IPv4's header and with different ones.
    ids: [u64; 2],
}

/// What the first pass says.
pub struct Plan {
    pub lines: Lines,
    /// Connections by their ends at the first place: whether that is nearer to the smaller one.
    near: BTreeMap<Ends, bool>,
    /// Those of which one way only was seen.
    pub assumed: u64,
    /// Whether the identification in IPv4's header is the same at both places.
    pub ids_last: bool,
    /// The connection with the most data in both captures.
    pub largest: Option<(Ends, Option<u32>)>,
}

impl Plan {
    /// Whether the first place is nearer to a connection's client.
    pub fn is_near(&self, ends: Ends, client: Endpoint) -> bool {
        self.near.get(&ends).is_none_or(|low_is_near| *low_is_near == (client == ends.0))
    }
}

impl Survey {
    pub fn new(rough_offset_ns: i64) -> Self {
        Self { rough_ns: rough_offset_ns, ..Self::default() }
    }

    fn sample(&mut self, number: u32, from_server: bool, x: i64, y: i64, bytes: u32) {
        let place = number as usize;
        if self.connections.len() <= place {
            self.connections.resize_with(place + 1, Place::default);
        }
        let side = usize::from(from_server);
        let connection = &mut self.connections[place];
        connection.bytes += u64::from(bytes);
        connection.last[side] = Some(y);
        if connection.decided.is_none() {
            if let [Some(of_client), Some(of_server)] = connection.last {
                connection.later_ns += i128::from(of_client) - i128::from(of_server);
                connection.comparisons += 1;
            }
            connection.pending.push((from_server, x, y));
            if connection.comparisons < ENOUGH && connection.pending.len() < MOST_PENDING {
                return;
            }
            let near = connection.later_ns >= 0;
            connection.decided = Some(near);
            let pending = std::mem::take(&mut connection.pending);
            pending.into_iter().for_each(|(from_server, x, y)| self.insert(near, from_server, x, y));
        } else if let Some(near) = connection.decided {
            self.insert(near, from_server, x, y);
        }
    }

    fn insert(&mut self, near: bool, from_server: bool, x: i64, y: i64) {
        let way = way(near, from_server);
        let least = &mut self.least[way];
        *least = Some(least.map_or((x, y), |(at, ahead)| {
            // As much as the fastest and the slowest clock may have moved apart since.
            let moved = x.saturating_sub(at).max(0) / LEAST_PER_DRIFT;
            (x.max(at), if way == 0 { y.min(ahead.saturating_add(moved)) } else { y.max(ahead.saturating_sub(moved)) })
        }));
        self.samples.get_or_insert_with(|| Samples::new(x, y)).insert(way, x, y);
    }

    /// The packet at the other place that this one must be: the only one that is known by the same, or of several the only
    /// one with the same identification in IPv4's header.
    fn only(&self, packet: &Waiting, window: &Window) -> Option<u64> {
        let single = |same_id: bool| {
            let mut alike =
                window.alike(packet.fingerprint).filter(|(_, other)| !same_id || other.ip_id == packet.ip_id);
            let only = alike.next().filter(|_| alike.next().is_none());
            only.filter(|(_, other)| other.place != packet.place && !other.matched)
        };
        let by_id = packet.ip_id.filter(|id| *id != 0).and_then(|_| single(true));
        let only = by_id.or_else(|| single(false).filter(|(_, other)| !self.ids_last() || other.ip_id == packet.ip_id));
        only.map(|(number, _)| number)
    }

    /// Whether the identification in IPv4's header is the same at both places.
    const fn ids_last(&self) -> bool {
        self.ids[0] > 8 && self.ids[1] * 100 < self.ids[0]
    }

    /// Ends. None without a packet that both captures have.
    pub fn plan(mut self, connections: &Connections, same_clock: bool) -> Option<Plan> {
        let mut near = BTreeMap::new();
        let mut by_address: BTreeMap<IpAddr, i64> = BTreeMap::new();
        let mut assumed = 0;
        let mut largest = None;
        // Those of which both ways were seen say for their addresses where others are.
        for certain in [true, false] {
            for number in 0..self.connections.len() {
                let Some(names) = connections.list()[number].names[0] else { continue };
                let place = &mut self.connections[number];
                if (place.comparisons > 0) != certain || place.bytes == 0 && place.last == [None; 2] {
                    continue;
                }
                let (client, server) = (names.client.address(), names.server.address());
                let votes = |address| by_address.get(&address).copied().unwrap_or(0);
                let of_addresses = votes(client) - votes(server);
                let is_near = if certain { place.later_ns >= 0 } else { of_addresses >= 0 };
                assumed += u64::from(!certain && of_addresses == 0);
                let is_near = *place.decided.get_or_insert(is_near);
                let vote = if is_near { 1 } else { -1 };
                if certain {
                    *by_address.entry(client).or_default() += vote;
                    *by_address.entry(server).or_default() -= vote;
                }
                let ends = names.ends();
                near.insert(ends, is_near == (names.client == ends.0));
                if largest.is_none_or(|(bytes, _)| place.bytes > bytes) {
                    largest = Some((place.bytes, (ends, connections.list()[number].isn)));
                }
                let pending = std::mem::take(&mut place.pending);
                pending.into_iter().for_each(|(from_server, x, y)| self.insert(is_near, from_server, x, y));
            }
        }
        let ids_last = self.ids_last();
        let lines = self.samples?.lines(same_clock)?;
        Some(Plan { lines, near, assumed, ids_last, largest: largest.map(|(_, identity)| identity) })
    }
}

/// From which place to which a packet goes: 0 towards the second, 1 towards the first; it is also where it is sent.
pub fn way(client_is_near: bool, from_server: bool) -> usize {
    usize::from(client_is_near == from_server)
}

impl Pass for Survey {
    fn to_second(&self, x: i64) -> i64 {
        let ahead_ns = match self.least {
            // The difference of two offsets has room where their sum has none.
            [Some((_, one)), Some((_, other))] => one.saturating_add(other.saturating_sub(one) / 2),
            [one, other] => one.or(other).map_or(self.rough_ns, |(_, ahead)| ahead),
        };
        x.saturating_add(ahead_ns)
    }

    fn packet(&mut self, mut packet: Waiting, window: &mut Window, _: &Connections) {
        let only = self.only(&packet, window);
        if let Some(number) = only {
            let other = window.pair(number);
            packet.matched = true;
            if let (Some(one), Some(two)) = (packet.ip_id, other.ip_id)
                && (one != 0 || two != 0)
            {
                self.ids[usize::from(one != two)] += 1;
            }
            let (first, second) = if packet.place == 0 { (packet, other) } else { (other, packet) };
            let y = second.time_ns.saturating_sub(first.time_ns);
            self.sample(packet.connection, packet.from_server, first.time_ns, y, packet.payload_bytes);
        }
        window.push(packet);
    }

    fn expire(&mut self, _: &Waiting, _: &Connections, _: bool) {}
}
