//! The second pass: what became of each packet.

use super::connections::{Connection, Connections};
use super::flow::{Flow, PairBin};
use super::reading::Pass;
use super::survey::{Plan, way};
use super::window::{Waiting, Window};
use std::collections::BTreeMap;

/// How much earlier than it was sent a packet may arrive: clocks of two processors differ, and a capture stamps late.
const SLACK_NS: i64 = 1_000_000;

/// Bins of the largest connection.
const MOST_BINS: usize = 1 << 20;

/// Matches packets by known clocks.
pub struct Matching<'a> {
    plan: &'a Plan,
    /// First and last frame of each place, by its clock.
    spans: [(i64, i64); 2],
    bin_ns: i64,
    start_ns: i64,
    pub flows: Vec<[Flow; 2]>,
    pub bins: BTreeMap<(bool, u64), PairBin>,
}

impl<'a> Matching<'a> {
    pub fn new(plan: &'a Plan, spans: [(i64, i64); 2], bin_ns: u64) -> Self {
        let start_ns = spans[0].0.min(plan.lines.to_first(spans[1].0));
        let bin_ns = i64::try_from(bin_ns).unwrap_or(i64::MAX).max(1);
        Self { plan, spans, bin_ns, start_ns, flows: Vec::new(), bins: BTreeMap::new() }
    }

    /// When bin 0 begins, by the first place's clock.
    pub const fn start_ns(&self) -> i64 {
        self.start_ns
    }

    /// Whether a connection is near to the first place with its client; none before it is seen there.
    pub fn is_near(&self, connection: &Connection) -> Option<bool> {
        connection.names[0].map(|names| self.plan.is_near(names.ends(), names.client))
    }

    fn way(&self, connection: &Connection, from_server: bool) -> Option<usize> {
        self.is_near(connection).map(|near| way(near, from_server))
    }

    fn flow(&mut self, packet: &Waiting) -> &mut Flow {
        let place = packet.connection as usize;
        if self.flows.len() <= place {
            self.flows.resize_with(place + 1, Default::default);
        }
        &mut self.flows[place][usize::from(packet.from_server)]
    }

    fn bin(&mut self, sent: &Waiting, connection: &Connection) -> Option<&mut PairBin> {
        let identity = connection.names[0].map(|names| (names.ends(), connection.isn));
        if identity.is_none() || identity != self.plan.largest {
            return None;
        }
        let at_ns = if sent.place == 0 { sent.time_ns } else { self.plan.lines.to_first(sent.time_ns) };
        let key = (sent.from_server, (at_ns.saturating_sub(self.start_ns).max(0) / self.bin_ns) as u64);
        (self.bins.len() < MOST_BINS || self.bins.contains_key(&key)).then(|| self.bins.entry(key).or_default())
    }

    /// How much longer than at least a packet needed.
    fn above_ns(&self, way: usize, one: &Waiting, other: &Waiting) -> i64 {
        let (first, second) = if one.place == 0 { (one, other) } else { (other, one) };
        self.plan.lines.above_least(way, first.time_ns, second.time_ns.saturating_sub(first.time_ns))
    }

    /// Of those that wait at the other place the one whose delay is nearest to that of the packet before: a queue changes
    /// less from one packet to the next than in the time after which a sender sends again.
    fn partner(&self, packet: &Waiting, way: usize, last_ns: i64, window: &Window) -> Option<(u64, i64)> {
        let least_ns = -(self.plan.lines.half_gap() + SLACK_NS);
        // After one that was sent again and arrived, the one before it that was lost can only come as late as others do:
        // what comes later is a copy.
        let of_sender = |(_, other): &(u64, &Waiting)| other.matched && usize::from(other.place) == way;
        let last_matched = window.alike(packet.fingerprint).find(of_sender).map(|(number, _)| number);
        let most_ns = self.plan.lines.most_ns[way].cast_signed() + SLACK_NS;
        let candidates = window.alike(packet.fingerprint).filter(|(_, other)| {
            let same_id = !self.plan.ids_last || packet.ip_id == other.ip_id;
            other.place != packet.place && !other.matched && same_id
        });
        candidates
            .map(|(number, other)| (number, self.above_ns(way, packet, other)))
            .filter(|(number, above_ns)| {
                *above_ns >= least_ns && (*above_ns <= most_ns || last_matched.is_none_or(|last| *number > last))
            })
            // The first of those that are equally near, which is the last one here.
            .min_by_key(|(number, above_ns)| (above_ns.abs_diff(last_ns), *number))
    }

    /// What became of a packet that was sent and is not at the other place.
    fn unseen_sent(&mut self, packet: &Waiting, connection: &Connection, way: usize, crowded: bool) {
        let earliest_ns = self.plan.lines.earliest_arrival(way, packet.time_ns);
        let latest_ns = earliest_ns.saturating_add(self.plan.lines.most_ns[way].cast_signed());
        let (begin_ns, end_ns) = self.spans[1 - way];
        let flow = self.flow(packet);
        if earliest_ns < begin_ns || earliest_ns > end_ns {
            flow.outside += 1;
        } else if crowded {
            flow.given_up += 1;
        } else if flow.arrived > 0 && packet.time_ns <= flow.last_sent_ns || latest_ns <= end_ns {
            flow.lost += 1;
            flow.lost_bytes += u64::from(packet.payload_bytes);
            if let Some(bin) = self.bin(packet, connection) {
                bin.lost += 1;
            }
        } else {
            flow.under_way += 1;
        }
    }

    /// What a packet is that arrived and was not sent at the other place.
    fn unseen_arrived(&mut self, packet: &Waiting, way: usize, crowded: bool) {
        let latest_ns = self.plan.lines.latest_departure(way, packet.time_ns);
        let earliest_ns = latest_ns.saturating_sub(self.plan.lines.most_ns[way].cast_signed());
        let (begin_ns, end_ns) = self.spans[way];
        let flow = self.flow(packet);
        if packet.repeats {
            flow.duplicated += 1;
        } else if earliest_ns < begin_ns || latest_ns > end_ns {
            flow.outside += 1;
        } else if crowded {
            flow.given_up += 1;
        } else {
            flow.unsent += 1;
        }
    }
}

impl Pass for Matching<'_> {
    fn to_second(&self, x: i64) -> i64 {
        self.plan.lines.to_second(x)
    }

    fn packet(&mut self, mut packet: Waiting, window: &mut Window, connections: &Connections) {
        let connection = &connections.list()[packet.connection as usize];
        if let Some(way) = self.way(connection, packet.from_server).filter(|_| connection.is_at_both()) {
            let last_ns = self.flow(&packet).last_above_ns;
            if let Some((number, above_ns)) = self.partner(&packet, way, last_ns, window) {
                let other = window.pair(number);
                packet.matched = true;
                let sent = if usize::from(packet.place) == way { packet } else { other };
                let above = above_ns.max(0).cast_unsigned();
                self.flow(&packet).arrive(&sent, above);
                if let Some(bin) = self.bin(&sent, connection) {
                    bin.arrive(above);
                }
            } else {
                let mut alike = window.alike(packet.fingerprint);
                packet.repeats = alike.any(|(_, other)| other.place == packet.place && other.matched);
            }
        }
        window.push(packet);
    }

    fn expire(&mut self, packet: &Waiting, connections: &Connections, crowded: bool) {
        let connection = &connections.list()[packet.connection as usize];
        if packet.matched || !connection.is_at_both() {
            return;
        }
        match self.way(connection, packet.from_server) {
            Some(way) if way == usize::from(packet.place) => self.unseen_sent(packet, connection, way, crowded),
            Some(way) => self.unseen_arrived(packet, way, crowded),
            None => {}
        }
    }
}
