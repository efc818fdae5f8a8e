//! The queue discipline of a hop out of its words: which parameters each has, `tc`'s defaults, and the room of its queue.

use crate::derived::{Line, buffer_limit};
use crate::network::{Hop, Network};
use crate::tree::{Node, Unknown, View};
use run::{Buffer, Codel, DualPi2, Fq, FqCodel, Pie, QueueDiscipline, Red};

/// Their names.
pub const KINDS: [&str; 8] = ["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"];

const MS: u64 = 1_000_000;
const USUAL_MTU_BYTES: u64 = 1_500;
/// `tc`'s unit of what PIE's controller weighs, and DualPI2's, a second.
const PIE_PARTS: f64 = 16.0;
const DUALPI2_PARTS: f64 = 256.0;

/// What a spec says of a hop's discipline.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Its name.
    pub kind: &'a str,
    /// Its parameters, if any are written.
    pub table: Option<View<'a>>,
}

/// What a kind takes beside its name.
pub fn parameters(kind: &str) -> &'static [&'static str] {
    match kind {
        "codel" => &["limit", "target", "interval", "ecn", "ce_threshold"],
        "fq_codel" => {
            &["limit", "target", "interval", "ecn", "ce_threshold", "ce_threshold_selector", "flows", "quantum"]
        }
        "fq" => &["limit", "flow_limit", "quantum", "initial_quantum", "ce_threshold", "orphan_mask"],
        "pie" => &["limit", "target", "tupdate", "alpha", "beta", "ecn"],
        "red" => &["min", "max", "probability", "ecn"],
        "dualpi2" => &["limit", "target", "tupdate", "alpha", "beta", "coupling", "step"],
        _ => &[],
    }
}

/// Of each discipline its name, the parameters that it takes, and itself with `tc`'s.
pub fn disciplines() -> Vec<(&'static str, &'static [&'static str], QueueDiscipline)> {
    let usual = |kind: &'static str| {
        let room = Buffer::Packets(Written { kind, table: None }.default_limit());
        Written { kind, table: None }.discipline(room, USUAL_MTU_BYTES).unwrap_or_default()
    };
    KINDS.iter().map(|&kind| (kind, parameters(kind), usual(kind))).collect()
}

impl<'a> Written<'a> {
    /// Those of a hop.
    ///
    /// # Errors
    /// When they have a problem.
    pub fn of(hop: &Hop<'a>) -> Result<Self, Unknown> {
        match hop.keys.get("qdisc")? {
            Some(Node::Text(kind)) => Ok(Self { kind, table: None }),
            Some(Node::Table(_)) => {
                let table = hop.keys.table("qdisc")?;
                Ok(Self { kind: table.text("kind")?, table: Some(table) })
            }
            _ => Err(Unknown),
        }
    }

    /// It counts packets, so that its queue needs no size.
    pub fn counts_packets(&self) -> bool {
        !matches!(self.kind, "fifo" | "red")
    }

    fn get<T>(&self, read: impl FnOnce(&View<'a>) -> Result<Option<T>, Unknown>) -> Result<Option<T>, Unknown> {
        self.table.as_ref().map_or(Ok(None), read)
    }

    fn time(&self, key: &str) -> Result<Option<u64>, Unknown> {
        self.get(|table| table.count_if(key))
    }

    fn integer(&self, key: &str, default: u32) -> Result<u32, Unknown> {
        Ok(self.get(|table| table.integer_if(key))?.map_or(default, |number| number as u32))
    }

    fn weight(&self, key: &str, parts: f64, default: u32) -> Result<u32, Unknown> {
        let scaled = |number: f64| if parts == PIE_PARTS { number as u32 } else { (number * parts).round() as u32 };
        Ok(self.get(|table| table.number_if(key))?.map_or(default, scaled))
    }

    fn marks(&self, default: bool) -> Result<bool, Unknown> {
        Ok(self.get(|table| if table.has("ecn") { table.flag("ecn").map(Some) } else { Ok(None) })?.unwrap_or(default))
    }

    fn codel(&self, marks: bool) -> Result<Codel, Unknown> {
        Ok(Codel {
            target_ns: self.time("target")?.unwrap_or(5 * MS),
            interval_ns: self.time("interval")?.unwrap_or(100 * MS),
            ecn: self.marks(marks)?,
            ce_threshold_ns: self.time("ce_threshold")?,
        })
    }

    /// The discipline of a hop whose queue has this room.
    ///
    /// # Errors
    /// When a word has a problem.
    pub fn discipline(&self, room: Buffer, mtu_bytes: u64) -> Result<QueueDiscipline, Unknown> {
        let frame_bytes = (mtu_bytes + u64::from(run::ETHERNET_HEADER_BYTES)) as u32;
        let bytes = |key: &str| Ok(self.time(key)?.map(|bytes| bytes as u32));
        Ok(match self.kind {
            "codel" => QueueDiscipline::Codel(self.codel(false)?),
            "fq_codel" => QueueDiscipline::FqCodel(FqCodel {
                codel: self.codel(true)?,
                flows: self.integer("flows", 1_024)?,
                quantum_bytes: bytes("quantum")?.unwrap_or(frame_bytes),
                ce_threshold_selector: self
                    .get(|table| table.text_if("ce_threshold_selector"))?
                    .and_then(|text| text.split_once('/'))
                    .map(|(value, mask)| (hexadecimal(value), hexadecimal(mask))),
            }),
            "fq" => QueueDiscipline::Fq(Fq {
                flow_limit_packets: self.integer("flow_limit", 100)?,
                quantum_bytes: bytes("quantum")?.unwrap_or(2 * frame_bytes),
                initial_quantum_bytes: bytes("initial_quantum")?.unwrap_or(10 * frame_bytes),
                ce_threshold_ns: self.time("ce_threshold")?,
                orphan_mask: self.integer("orphan_mask", 1_023)?,
            }),
            "pie" => QueueDiscipline::Pie(Pie {
                target_ns: self.time("target")?.unwrap_or(15 * MS),
                tupdate_ns: self.time("tupdate")?.unwrap_or(15 * MS),
                alpha: self.weight("alpha", PIE_PARTS, 2)?,
                beta: self.weight("beta", PIE_PARTS, 20)?,
                ecn: self.marks(false)?,
            }),
            "red" => {
                let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = room;
                let (min, max) = (self.time("min")?, self.time("max")?);
                let max_bytes = max.unwrap_or_else(|| min.map_or(limit / 4, |min| 3 * min));
                QueueDiscipline::Red(Red {
                    min_bytes: min.unwrap_or(max_bytes / 3),
                    max_bytes,
                    probability_ppb: self.time("probability")?.map_or(20_000_000, |ppb| ppb as u32),
                    ecn: self.marks(false)?,
                })
            }
            "dualpi2" => QueueDiscipline::Dualpi2(DualPi2 {
                target_ns: self.time("target")?.unwrap_or(15 * MS),
                tupdate_ns: self.time("tupdate")?.unwrap_or(16 * MS),
                alpha: self.weight("alpha", DUALPI2_PARTS, 41)?,
                beta: self.weight("beta", DUALPI2_PARTS, 819)?,
                coupling: self.integer("coupling", 2)?,
                step_ns: self.time("step")?.unwrap_or(MS),
            }),
            "cake" => QueueDiscipline::Cake,
            _ => QueueDiscipline::Fifo,
        })
    }

    /// The frames that a queue holds which nobody gave a size, as `tc` has it.
    fn default_limit(&self) -> u64 {
        match self.kind {
            "fq_codel" => 10_240,
            "fq" | "dualpi2" => 10_000,
            _ => 1_000,
        }
    }
}

/// The room of a hop's queue: its buffer, or what its discipline says.
///
/// # Errors
/// When a word has a problem.
pub fn room(network: &Network<'_>, hop: &Hop<'_>, line: Line) -> Result<Buffer, Unknown> {
    let written = Written::of(hop)?;
    if let Some(size) = hop.keys.quantity_if("buffer")? {
        return buffer_limit(size, written.counts_packets() || network.counts_packets()?, network, line);
    }
    let limit = written.get(|table| table.integer_if("limit"))?;
    Ok(Buffer::Packets(limit.unwrap_or_else(|| written.default_limit())))
}

fn hexadecimal(text: &str) -> u8 {
    u8::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_default()
}
