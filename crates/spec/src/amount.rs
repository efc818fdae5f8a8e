//! What is swept as a number: of the texts of a point, for those who want to compute with them.

use crate::derived::{bdp_bytes, buffer_limit, ethernet_frame_bytes, filled_bytes, frame_bytes, jitter_ns};
use crate::keys::PATH;
use crate::quantity::{FREQUENCY, Kind, RATE, SHARE, SIZE, TIME};
use crate::reader::read_table;
use crate::tree::{Unknown, View};
use crate::word::{Fields, Word};
use run::Buffer;
use serde::Serialize;

const KINDS: [(&Kind, &str, f64); 4] =
    [(&RATE, "bps", 1.0), (&TIME, "s", 1e9), (&SHARE, "ratio", 1e9), (&FREQUENCY, "per_s", 1e9)];
const PPB: f64 = 1e9;

/// The columns that the value of a field has as a number, each with its unit behind the field's name, at a point of an
/// experiment whose table `path` has these words.
///
/// The unit is one of `bps`, `s`, `bytes`, `ratio` and `per_s`; the bottleneck's buffer has `bytes` and `bdp`. Words, and
/// what is a number already, have none.
pub fn amounts(field: &str, value: &Word, path: &Fields) -> Vec<(String, f64)> {
    let Word::Text(text) = value else { return Vec::new() };
    let numbers = match field {
        "path.jitter" => of_path(path, "jitter", value, |path| Ok(vec![("s", jitter_ns(path)? as f64 / 1e9)])),
        "path.buffer" => room(path, text, true),
        _ => {
            let simple = KINDS.iter().find_map(|(kind, unit, scale)| {
                kind.read(text).ok().map(|quantity| vec![(*unit, quantity.base() as f64 / scale)])
            });
            simple.map_or_else(|| room(path, text, false), Ok)
        }
    };
    numbers.unwrap_or_default().into_iter().map(|(unit, number)| (format!("{field}_{unit}"), number)).collect()
}

fn room(path: &Fields, text: &str, is_bottleneck: bool) -> Result<Vec<(&'static str, f64)>, Unknown> {
    let size = SIZE.read(text).map_err(|_| Unknown)?;
    of_path(path, "buffer", &Word::Text(text.to_owned()), |path| {
        let frame = if is_bottleneck { frame_bytes(path)? } else { ethernet_frame_bytes(path)? };
        let bytes = match buffer_limit(&size, path, path.count("rate")?, frame)? {
            Buffer::Bytes(bytes) => bytes as f64,
            Buffer::Packets(packets) => (packets * frame) as f64,
        };
        let mut numbers = vec![("bytes", bytes)];
        if is_bottleneck {
            numbers.push(("bdp", if size.unit == "bdp" { size.base() as f64 / PPB } else { bytes / bdp_bytes(path)? }));
        }
        Ok(numbers)
    })
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

/// The room of the bottleneck's queue before it is whole; None where these words of a path do not say it.
pub fn rooms(path: &Fields) -> Option<Rooms> {
    let table = read_table(&PATH, path);
    rooms_of(&View::new(&table, &[])).ok()
}

fn rooms_of(path: &View<'_>) -> Result<Rooms, Unknown> {
    let (size, rate_bps, frame) = (path.quantity("buffer")?, path.count("rate")?, frame_bytes(path)? as f64);
    let filled = filled_bytes(size, path, rate_bps)?;
    let counted = size.base() as f64;
    let bytes =
        filled.map_or_else(|| if size.unit == "packets" { counted * frame } else { counted }, |room| room.max(frame));
    let written = match size.unit {
        "bdp" | "packets" => size.unit,
        _ if filled.is_some() => "ms",
        _ => "kB",
    };
    let ms = bytes * 8e3 / rate_bps as f64;
    Ok(Rooms { written, bdp: bytes / bdp_bytes(path)?, ms, kilobytes: bytes / 1e3, packets: bytes / frame })
}

/// What follows from a path with another value at a key.
fn of_path<T>(
    path: &Fields,
    key: &str,
    value: &Word,
    read: impl Fn(&View<'_>) -> Result<T, Unknown>,
) -> Result<T, Unknown> {
    let mut fields: Fields = path.iter().filter(|(name, _)| name != key).cloned().collect();
    fields.push((key.to_owned(), value.clone()));
    let table = read_table(&PATH, &fields);
    read(&View::new(&table, &[]))
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
