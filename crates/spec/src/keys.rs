//! Every key that a spec may have: what it may say, its default, how it is written, and what it means.

mod expect;
mod experiment;
mod flow;
mod hop;
mod impairment;
mod media;
mod pages;
mod path;
mod qdisc;
mod size;
mod workload;

pub use expect::EXPECT;
pub use experiment::SPEC;
pub use flow::FLOW;
pub use hop::{BACK, HOP};
pub use impairment::{BURST_LOSS, LATE, SPREAD};
pub use media::MEDIA;
pub use pages::PAGES;
pub use path::PATH;
pub use qdisc::QDISC;
pub use size::{CDF_SIZE, LOGNORMAL_SIZE, PARETO_SIZE};
pub use workload::{COMMAND, DATAGRAMS, PING, SHORT_FLOWS, STREAM, TRACE, TRANSFER};

use crate::key::Kind::{
    Command, Control, File, Flag, Group, Hop, Integer, Level, Link, Measured, Name, Number, OneOf, Options, Room,
    Route, Seeds, Switch, Table, Values, Window, Zip,
};
use crate::key::{FileKind, Key, Kind, Section};
use crate::literal::Literal;
use crate::literal::Literal::{Flag as Is, Header, Integer as Count, List, Number as Decimal, Text};
use crate::quantity::{self, BYTES, DURATION, FREQUENCY, JITTER, RATE, SHARE, TIME};

/// Of all groups together.
pub const MOST_FLOWS: u64 = 100_000;
/// Of a point.
pub const MOST_SEEDS: u64 = 1_000_000;
/// One way.
pub const MOST_HOPS: usize = 32;
/// In letters.
pub const LONGEST_HOP_NAME: usize = 32;
/// Of an experiment.
pub const MOST_EXPECTATIONS: usize = 1_000;
/// Of a source.
pub const MOST_ARRIVALS: u64 = 1_000_000;
/// Of a page.
pub const MOST_OBJECTS: u64 = 100_000;
/// Of a client.
pub const MOST_CONNECTIONS: u64 = 256;

const fn plain(of: &'static quantity::Kind) -> Kind {
    Kind::Quantity { of, bounds: None, remark: "" }
}

const fn bounded(of: &'static quantity::Kind, least: &'static str, most: &'static str) -> Kind {
    Kind::Quantity { of, bounds: Some((least, most)), remark: "" }
}

const LINE_RATE: Kind = bounded(&RATE, "1 kbit/s", "1 Tbit/s");
const CHANGED_RATE: Kind = bounded(&RATE, "0 bit/s", "1 Tbit/s");
const ROUND_TRIP: Kind = bounded(&TIME, "1 us", "100 s");
const TIME_LIMIT: Kind = bounded(&TIME, "1 ms", "1000000 s");
const INSTANT: Kind = bounded(&TIME, "0 s", "1000000 s");
const INTERVAL: Kind = bounded(&TIME, "1 us", "1000000 s");
const PAYLOAD: Kind = bounded(&BYTES, "1 B", "1000000 GB");
/// Payload of a datagram: its number has room, and IPv4 for it.
const DATAGRAM: Kind = bounded(&BYTES, "8 B", "65507 B");
/// Of an encoder. What a report says of a rate has 32 bits (RFC 8698 section 5.3).
const MEDIA_RATE: Kind = bounded(&RATE, "1 kbit/s", "4 Gbit/s");
const LOAD: Kind = Number { least: 0.0, inclusive: false, most: 10.0 };
const SIGMA: Kind = LOAD;
const SHAPE: Kind = Number { least: 0.1, inclusive: true, most: 100.0 };
static BULK: Kind = Options(&["bulk"]);
static FIXED: Kind = PAYLOAD;
const WORKLOAD: Kind = OneOf {
    noun: "workload",
    simple: &BULK,
    tables: &[
        ("transfer", &TRANSFER),
        ("stream", &STREAM),
        ("trace", &TRACE),
        ("arrivals", &SHORT_FLOWS),
        ("pages", &PAGES),
        ("ping", &PING),
        ("udp", &DATAGRAMS),
        ("media", &MEDIA),
        ("command", &COMMAND),
    ],
    hint: "use \"bulk\", { transfer = \"100 MB\" }, { stream = … }, { trace = \"writes.csv\" }, { arrivals = … }, \
           { pages = … }, { ping = \"100 ms\" }, { udp = … }, { media = … } or { command = […] }",
};
static QDISCS: Kind = Options(&crate::qdisc::KINDS);
const QUEUE_DISCIPLINE: Kind = OneOf {
    noun: "queue discipline",
    simple: &QDISCS,
    tables: &[("kind", &QDISC)],
    hint: "use \"fifo\", \"codel\", \"fq_codel\", \"fq\", \"pie\", \"red\", \"dualpi2\", \"cake\" or { kind = \"codel\", \
           target = \"5 ms\" }",
};
static LOSS_SHARE: Kind = bounded(&SHARE, "0 %", "99.9999999 %");
const LOSS_OF_PACKETS: Kind = OneOf {
    noun: "loss",
    simple: &LOSS_SHARE,
    tables: &[("gilbert_elliott", &BURST_LOSS)],
    hint: "use \"0.1 %\" or { gilbert_elliott = { loss = \"1 %\", burst = 5 } }",
};
static A_LEVEL: Kind = Level;
const BOUND: Kind = OneOf {
    noun: "bound",
    simple: &A_LEVEL,
    tables: &[("of", &expect::RELATIVE), ("against", &expect::RELATIVE)],
    hint: "use \"40 Mbit/s\", 0.9, { of = \"cubic\", times = 2 } or { against = \"flows[0].cc\" }",
};
static IN_ORDER: Kind = Options(&["none"]);
const REORDERING: Kind = OneOf {
    noun: "reordering",
    simple: &IN_ORDER,
    tables: &[("share", &LATE), ("spread", &SPREAD)],
    hint: "use \"none\", { share = \"2 %\", by = \"15 ms\" } or { spread = \"8 ms\" }",
};
const SIZE_OF_TRANSFERS: Kind = OneOf {
    noun: "size",
    simple: &FIXED,
    tables: &[("lognormal", &LOGNORMAL_SIZE), ("pareto", &PARETO_SIZE), ("cdf", &CDF_SIZE)],
    hint: "use \"100 kB\", { lognormal = … }, { pareto = … } or { cdf = \"sizes.csv\" }",
};
