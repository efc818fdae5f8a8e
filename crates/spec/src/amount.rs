//! What is swept as a number: of the texts of a point, for those who want to compute with them.

use crate::derived::{Line, bdp_bytes, buffer_limit, ethernet_line, filled_bytes, jitter_ns, line};
use crate::file::Contents;
use crate::network::{Hop, Network};
use crate::problem::Problem;
use crate::quantity::{FREQUENCY, Kind, RATE, SHARE, SIZE, TIME};
use crate::reader::read;
use crate::source::set;
use crate::tree::{Unknown, View};
use crate::word::{Fields, Word};
use run::{Buffer, Direction};
use serde::Serialize;

const KINDS: [(&Kind, &str, f64); 4] =
    [(&RATE, "bps", 1.0), (&TIME, "s", 1e9), (&SHARE, "ratio", 1e9), (&FREQUENCY, "per_s", 1e9)];
const PPB: f64 = 1e9;

/// The columns that the value of a field has as a number, each with its unit behind the field's name, at a point of an
/// experiment with these fields; those of its table `path` alone will do where it has no `[[hops]]`.
///
/// The unit is one of `bps`, `s`, `bytes`, `ratio` and `per_s`; the buffer of a hop has `bytes` and `bdp`. Words, and
/// what is a number already, have none.
pub fn amounts(field: &str, value: &Word, fields: &Fields) -> Vec<(String, f64)> {
    let Word::Text(text) = value else { return Vec::new() };
    let simple = || {
        KINDS.iter().find_map(|(kind, unit, scale)| {
            kind.read(text).ok().map(|quantity| vec![(*unit, quantity.base() as f64 / scale)])
        })
    };
    let is_of_hop = !field.starts_with("flows");
    let mut spec = network_fields(fields);
    if is_of_hop {
        // What cannot be set has no number.
        let _: Result<(), Problem> = set(&mut spec, field, value.clone());
    }
    let numbers = match field.rsplit('.').next() {
        Some("jitter") if is_of_hop => with_network(&spec, |network| Ok(vec![("s", jitter_ns(network)? as f64 / 1e9)])),
        Some("buffer") if is_of_hop => with_network(&spec, |network| {
            let hop = network.all().find(|hop| hop.field("buffer") == field).ok_or(Unknown)?;
            room(hop, network)
        }),
        _ => simple().map_or_else(|| with_network(&spec, |network| room_of_access(text, network)), Ok),
    };
    numbers.unwrap_or_default().into_iter().map(|(unit, number)| (format!("{field}_{unit}"), number)).collect()
}

fn room(hop: &Hop<'_>, network: &Network<'_>) -> Result<Vec<(&'static str, f64)>, Unknown> {
    let (size, line) = (hop.keys.quantity("buffer")?, line(network, hop)?);
    let bytes = bytes(crate::qdisc::room(network, hop, line)?, line);
    let in_bdp = if size.unit == "bdp" { size.base() as f64 / PPB } else { bytes / bdp_bytes(network)? };
    Ok(vec![("bytes", bytes), ("bdp", in_bdp)])
}

fn room_of_access(text: &str, network: &Network<'_>) -> Result<Vec<(&'static str, f64)>, Unknown> {
    let size = SIZE.read(text).map_err(|_| Unknown)?;
    let line = ethernet_line(network, network.bottleneck(Direction::Down)?.rate_bps()?)?;
    Ok(vec![("bytes", bytes(buffer_limit(&size, network.counts_packets()?, network, line)?, line))])
}

const fn bytes(room: Buffer, line: Line) -> f64 {
    match room {
        Buffer::Bytes(bytes) => bytes as f64,
        Buffer::Packets(packets) => (packets * line.frame_bytes) as f64,
    }
}

/// The room of a queue in each unit in which people think of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rooms {
    /// The unit in which it is written; of every size in bytes `kB`, of every time `ms`.
    pub written: &'static str,
    /// Times what the path holds.
    pub bdp: f64,
    /// As long as the line takes to send it.
    pub ms: f64,
    /// Thousands of bytes.
    #[serde(rename = "kB")]
    pub kilobytes: f64,
    /// Full ones.
    pub packets: f64,
}

/// The room of the bottleneck's queue before it is whole; None where these fields, of a spec or of its table `path`, do not
/// say it.
pub fn rooms(fields: &Fields) -> Option<Rooms> {
    with_network(&network_fields(fields), rooms_of).ok()
}

fn rooms_of(network: &Network<'_>) -> Result<Rooms, Unknown> {
    let bottleneck = network.bottleneck(Direction::Down)?;
    let (size, line) = (bottleneck.keys.quantity("buffer")?, line(network, bottleneck)?);
    let filled = filled_bytes(size, network, line.rate_bps)?;
    let (counted, frame) = (size.base() as f64, line.frame_bytes as f64);
    let bytes =
        filled.map_or_else(|| if size.unit == "packets" { counted * frame } else { counted }, |room| room.max(frame));
    let written = match size.unit {
        "bdp" | "packets" => size.unit,
        _ if filled.is_some() => "ms",
        _ => "kB",
    };
    let ms = bytes * 8e3 / line.rate_bps as f64;
    Ok(Rooms { written, bdp: bytes / bdp_bytes(network)?, ms, kilobytes: bytes / 1e3, packets: bytes / frame })
}

/// What a spec says of its hops: of all of its fields, or of those of its path alone.
fn network_fields(fields: &Fields) -> Fields {
    let own: Fields = fields.iter().filter(|(key, _)| ["path", "hops"].contains(&&**key)).cloned().collect();
    if own.is_empty() { vec![("path".to_owned(), Word::Table(fields.clone()))] } else { own }
}

fn with_network<T>(spec: &Fields, read_of: impl Fn(&Network<'_>) -> Result<T, Unknown>) -> Result<T, Unknown> {
    let (table, _) = read(spec);
    read_of(&Network::of(&View::new(&table, &[]), &Contents::default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(buffer: &str) -> Fields {
        [("rate", "80 Mbit/s"), ("rtt", "25 ms"), ("buffer", buffer)]
            .map(|(key, text)| (key.to_owned(), Word::from(text)))
            .to_vec()
    }

    #[test]
    fn a_room_has_every_unit() {
        let all = |buffer: &str| rooms(&path(buffer)).map(|it| (it.written, it.bdp, it.ms, it.kilobytes, it.packets));
        assert_eq!(all("2 BDP"), Some(("bdp", 2.0, 50.0, 500.0, 500e3 / 1514.0)));
        assert_eq!(all("50000 us"), Some(("ms", 2.0, 50.0, 500.0, 500e3 / 1514.0)));
        assert_eq!(all("0.5 MB"), Some(("kB", 2.0, 50.0, 500.0, 500e3 / 1514.0)));
        assert_eq!(all("1 packet").map(|units| (units.0, units.3)), Some(("packets", 1.514)));
        assert_eq!(all("0.001 bdp").map(|units| units.3), Some(1.514), "a frame at least");
        assert_eq!((all("big"), rooms(&Fields::new())), (None, None));
    }

    #[test]
    fn a_field_has_its_number() {
        let path = path("1 bdp");
        let amounts_of = |field: &str, text: &str| amounts(field, &text.into(), &path);
        let buffer = [("path.buffer_bytes".to_owned(), 500_000.0), ("path.buffer_bdp".to_owned(), 2.0)];
        assert_eq!(amounts_of("path.buffer", "2 bdp"), buffer);
        assert_eq!(amounts_of("path.loss", "2 %"), [("path.loss_ratio".to_owned(), 0.02)]);
        assert_eq!(amounts_of("path.jitter", "1 packet"), [("path.jitter_s".to_owned(), 0.0001514)]);
        assert_eq!(amounts_of("flows[0].cc", "bbr"), []);
        assert_eq!(amounts("path.mtu", &Word::Integer(1500), &path), []);
    }
}
