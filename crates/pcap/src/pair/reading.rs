//! Both captures read in turn, in the order of one clock as far as that is known.

use super::connections::Connections;
use super::fingerprint::pieces;
use super::place::{Open, Place, PlaceReport, Seen};
use super::window::{Waiting, Window};
use super::{Options, PairError};
use std::collections::BTreeMap;

/// What is done with packets while both captures are read.
pub trait Pass {
    /// What the second clock shows when the first one shows `x`, as far as that is known.
    fn to_second(&self, x: i64) -> i64;

    /// Takes a packet, finds its like and puts it into the window.
    fn packet(&mut self, packet: Waiting, window: &mut Window, connections: &Connections);

    /// A packet for whose like nothing waits any longer; `crowded`: only since there are too many.
    fn expire(&mut self, packet: &Waiting, connections: &Connections, crowded: bool);
}

/// Segments between two questions whether to go on.
const STRIDE: u64 = 4096;

/// Reads both to their ends.
pub fn read(
    opens: [Open<'_>; 2],
    options: &Options,
    bare: bool,
    pass: &mut impl Pass,
    wants_more: &mut dyn FnMut() -> bool,
) -> Result<(Connections, [PlaceReport; 2]), PairError> {
    let mut places = open(opens)?;
    let mut connections = Connections::default();
    let mut window = Window::new();
    let mut count: u64 = 0;
    loop {
        let place = match (places[0].next(), places[1].next()) {
            (Some(first), Some(second)) => usize::from(pass.to_second(first.time_ns) > second.time_ns),
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (None, None) => break,
        };
        let Some(Seen { time_ns, segment }) = places[place].take().map_err(|error| PairError::of(place, error))? else {
            continue;
        };
        count += 1;
        if count.is_multiple_of(STRIDE) && !wants_more() {
            return Err(PairError::Stopped);
        }
        let read_ns = if place == 0 { pass.to_second(time_ns) } else { time_ns };
        let Some((number, from_server)) = connections.of(place, &segment, options.most_connections) else { continue };
        let most = connections.list()[number as usize].most_payload(&segment);
        let direction = u64::from(number) << 1 | u64::from(from_server);
        for piece in pieces(direction, &segment, most, bare) {
            let ordinal = &mut connections.get_mut(number).pieces[place][usize::from(from_server)];
            let packet = Waiting {
                fingerprint: piece.fingerprint,
                time_ns,
                read_ns,
                ordinal: *ordinal,
                payload_bytes: piece.payload_bytes,
                connection: number,
                from_server,
                place: place as u8,
                ip_id: piece.ip_id,
                ..Waiting::default()
            };
            *ordinal += 1;
            pass.packet(packet, &mut window, &connections);
        }
        while let Some(first) = window.first() {
            let old = first.read_ns.saturating_add(options.horizon_ns) < read_ns;
            if !old && window.len() <= options.most_waiting {
                break;
            }
            let crowded = !old && first.read_ns.saturating_add(options.sure_ns) > read_ns;
            if let Some(packet) = window.pop() {
                pass.expire(&packet, &connections, crowded);
            }
        }
    }
    while let Some(packet) = window.pop() {
        pass.expire(&packet, &connections, false);
    }
    let reports = [places[0].report(), places[1].report()];
    Ok((connections, reports))
}

fn open(opens: [Open<'_>; 2]) -> Result<[Place; 2], PairError> {
    let open = |place: usize| Place::open(opens[place]).map_err(|error| PairError::of(place, error));
    Ok([open(0)?, open(1)?])
}

/// Packets of each capture's beginning that the other one is searched for.
const HEAD: usize = 1 << 16;
/// Packets of both that are enough for a median.
const ENOUGH: usize = 64;
/// Segments after the first such packet.
const MOST_AFTER: u64 = 1 << 16;

/// By about how much the second clock is ahead of the first one, by the packets of one capture's beginning that the other
/// one has somewhere. None: there are none.
pub fn rough_offset(
    opens: [Open<'_>; 2],
    options: &Options,
    bare: bool,
    wants_more: &mut dyn FnMut() -> bool,
) -> Result<Option<i64>, PairError> {
    let mut places = open(opens)?;
    let mut connections = Connections::default();
    let mut heads: [BTreeMap<u64, i64>; 2] = Default::default();
    let mut offsets = Vec::new();
    let (mut count, mut after) = (0_u64, 0);
    while offsets.len() < ENOUGH && after < MOST_AFTER && (places[0].next().is_some() || places[1].next().is_some()) {
        count += 1;
        if count.is_multiple_of(STRIDE) && !wants_more() {
            return Err(PairError::Stopped);
        }
        for place in 0..2 {
            let taken = places[place].take().map_err(|error| PairError::of(place, error))?;
            let Some(Seen { time_ns, segment }) = taken else { continue };
            let Some((number, from_server)) = connections.of(place, &segment, options.most_connections) else {
                continue;
            };
            // ACKs without data may be alike for hours.
            if segment.sequence_length() == 0 {
                continue;
            }
            let most = connections.list()[number as usize].most_payload(&segment);
            for piece in pieces(u64::from(number) << 1 | u64::from(from_server), &segment, most, bare) {
                if let Some(other_ns) = heads[1 - place].get(&piece.fingerprint) {
                    let later = time_ns.saturating_sub(*other_ns);
                    offsets.push(if place == 1 { later } else { -later });
                } else if heads[place].len() < HEAD {
                    heads[place].entry(piece.fingerprint).or_insert(time_ns);
                }
            }
        }
        after += u64::from(!offsets.is_empty());
    }
    offsets.sort_unstable();
    Ok(offsets.get(offsets.len() / 2).copied())
}
