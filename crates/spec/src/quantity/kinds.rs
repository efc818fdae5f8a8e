//! The kinds of quantities.

use super::{Kind, Spelling, misread};

const TIMES: [(&str, u64); 5] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];
const WITHOUT_END: &[&str] = &["unlimited", "infinite", "none", "max"];

const PLAIN: Kind = Kind {
    name: "",
    noun: "",
    zero: "",
    usual: &[],
    units: &[],
    keywords: &[],
    bounds: None,
    remark: "",
    refused: (&[], ""),
    spelling: Spelling::Exact,
    misread: |_| None,
};

/// Bits a second: `80 Mbit/s`, `100mbit`.
pub static RATE: Kind = Kind {
    name: "Rate",
    noun: "a rate",
    zero: "bit/s",
    usual: &[("Mbit/s", "80")],
    units: &[
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
        ("Tbit/s", 1_000_000_000_000),
    ],
    refused: (WITHOUT_END, "a path has a rate: without a shaper its slowest NIC's, as \"10 Gbit/s\""),
    spelling: Spelling::Rate,
    misread: misread::rate,
    ..PLAIN
};

const A_TIME: Kind = Kind {
    name: "Time",
    noun: "a time",
    zero: "s",
    usual: &[("ms", "25"), ("s", "5")],
    units: &TIMES,
    misread: misread::time,
    ..PLAIN
};

/// A span or a moment in nanoseconds: `25 ms`.
pub static TIME: Kind = A_TIME;

/// How often, in billionths of a time a second: `50 /s`.
pub static FREQUENCY: Kind = Kind {
    name: "Frequency",
    noun: "a number a second",
    zero: "/s",
    usual: &[("/s", "50")],
    units: &[("/s", 1_000_000_000)],
    misread: misread::frequency,
    ..PLAIN
};

/// A part of a whole, in billionths: `0.01 %`.
pub static SHARE: Kind =
    Kind { name: "Share", noun: "a share", zero: "%", usual: &[("%", "0.01")], units: &[("%", 10_000_000)], ..PLAIN };

const SIZES: [(&str, u64); 7] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

const A_SIZE: Kind = Kind {
    name: "Bytes",
    noun: "a size",
    zero: "B",
    usual: &[("kB", "100")],
    units: &SIZES,
    misread: misread::bytes,
    ..PLAIN
};

/// An amount of data in bytes: `100 MB`.
pub static BYTES: Kind = A_SIZE;

/// Room of a queue: `125 kB`, `100 packets`, `0.5 bdp`, `20 ms`; in bytes or packets, of a bdp in billionths, of a time
/// in nanoseconds.
pub static SIZE: Kind = Kind {
    name: "Size",
    usual: &[("kB", "100"), ("packets", "100"), ("bdp", "0.5"), ("ms", "20")],
    units: &[
        SIZES[0],
        SIZES[1],
        SIZES[2],
        SIZES[3],
        SIZES[4],
        SIZES[5],
        SIZES[6],
        ("packets", 1),
        ("bdp", 1_000_000_000),
        TIMES[0],
        TIMES[1],
        TIMES[2],
        TIMES[3],
    ],
    refused: (WITHOUT_END, "a queue has an end: write more than flows fill, as \"20 bdp\""),
    spelling: Spelling::Packets,
    ..A_SIZE
};

/// A moment of a run: a time in nanoseconds, or a share of its duration.
pub static MOMENT: Kind = Kind {
    name: "Moment",
    noun: "a time or a share of the duration",
    zero: "s",
    usual: &[("s", "20"), ("%", "50")],
    units: &[TIMES[0], TIMES[1], TIMES[2], TIMES[3], TIMES[4], ("%", 10_000_000)],
    ..PLAIN
};

/// How long a run takes, in nanoseconds, or `until done`.
pub static DURATION: Kind = Kind {
    name: "Duration",
    usual: &[("s", "300")],
    keywords: &["until done"],
    bounds: Some(("1 ms", "1000000 s")),
    ..A_TIME
};

/// Limit of the socket buffers in bytes, `max` or `default`.
pub static MEMORY: Kind = Kind {
    name: "SocketMemory",
    usual: &[("MB", "16")],
    keywords: &["max", "default"],
    bounds: Some(("4 kB", "2 GiB")),
    ..A_SIZE
};

/// Timing noise of hosts: a time in nanoseconds, billionths of a full packet's time on the line, or `none`.
///
/// Its most is what every engine can draw evenly below: Linux's `netem` draws from a mean and a bound on both sides of it,
/// half the jitter, which has 31 bits of nanoseconds (`tabledist`): 4.29 s.
pub static JITTER: Kind = Kind {
    name: "Jitter",
    noun: "a time or packets",
    usual: &[("us", "50"), ("packet", "1")],
    units: &[TIMES[0], TIMES[1], TIMES[2], TIMES[3], TIMES[4], ("packet", 1_000_000_000)],
    keywords: &["none"],
    bounds: Some(("1 ns", "4 s")),
    remark: ", or \"none\"",
    spelling: Spelling::Packets,
    ..A_TIME
};
