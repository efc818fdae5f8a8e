//! Queue disciplines: what they resolve to, and what is refused of them.

mod support;

use run::{Buffer, Codel, FqCodel, Pie, QueueDiscipline, Red};
use support::{problems, run};

const MS: u64 = 1_000_000;
const FLOW: &str = "[[flows]]\ncc = \"reno\"\n";

/// A path of 100 Mbit/s and 20 ms with these keys.
fn path(keys: &str) -> String {
    format!("duration = \"10 s\"\n[path]\nrate = \"100 Mbit/s\"\nrtt = \"20 ms\"\n{keys}\n{FLOW}")
}

#[track_caller]
fn refused(keys: &str, expected: &[&str]) {
    assert_eq!(problems(&path(keys)), expected, "{keys}");
}

#[test]
fn a_name_is_a_discipline_with_the_defaults_of_tc() {
    let codel = Codel { target_ns: 5 * MS, interval_ns: 100 * MS, ecn: false, ce_threshold_ns: None };
    let cases = [
        ("codel", 1_000, QueueDiscipline::Codel(codel)),
        (
            "fq_codel",
            10_240,
            QueueDiscipline::FqCodel(FqCodel {
                codel: Codel { ecn: true, ..codel },
                flows: 1_024,
                quantum_bytes: 1_514,
                ce_threshold_selector: None,
            }),
        ),
        (
            "pie",
            1_000,
            QueueDiscipline::Pie(Pie { target_ns: 15 * MS, tupdate_ns: 15 * MS, alpha: 2, beta: 20, ecn: false }),
        ),
    ];
    for (name, limit, discipline) in cases {
        let path = run(&path(&format!("qdisc = \"{name}\""))).path;
        assert_eq!((path.buffer, path.qdisc), (Buffer::Packets(limit), discipline));
        assert_eq!(path.qdisc.name(), name);
    }
}

#[test]
fn a_buffer_is_a_limit_in_frames_where_packets_are_counted() {
    for (keys, limit) in [
        ("buffer = \"1 bdp\"", 165), // 250,000 / 1514
        ("buffer = \"50 packets\"", 50),
        ("buffer = \"1 ms\"", 8),
        ("[path.qdisc]\nkind = \"codel\"\nlimit = 7", 7),
    ] {
        let qdisc = if keys.contains("kind") { "" } else { "qdisc = \"codel\"\n" };
        assert_eq!(run(&path(&format!("{qdisc}{keys}"))).path.buffer, Buffer::Packets(limit), "{keys}");
    }
}

#[test]
fn red_has_its_thresholds_from_its_buffer() {
    let red = |min_bytes, max_bytes| Red { min_bytes, max_bytes, probability_ppb: 20_000_000, ecn: false };
    for (more, expected) in [
        ("", red(30_000, 90_000)),
        (", max = \"120 kB\"", red(40_000, 120_000)),
        (", min = \"20 kB\"", red(20_000, 60_000)),
    ] {
        let keys = format!("buffer = \"360 kB\"\nqdisc = {{ kind = \"red\"{more} }}");
        assert_eq!(run(&path(&keys)).path.qdisc, QueueDiscipline::Red(expected));
    }
    refused(
        "buffer = \"36 kB\"\nqdisc = { kind = \"red\", min = \"20 kB\", max = \"20 kB\" }",
        &["path.qdisc.min: 20000 B is not below max, 20000 B; a third of max is usual"],
    );
    refused(
        "buffer = \"36 kB\"\nqdisc = { kind = \"red\", max = \"60 kB\" }",
        &["path.qdisc.max: 60000 B is more than the queue holds, 36000 B; a quarter of the buffer is usual"],
    );
}

#[test]
fn each_hop_has_its_own_and_a_list_of_them_is_an_axis() {
    let hop = |name: &str, rest: &str| format!("[[hops]]\nname = \"{name}\"\nrate = \"9 Mbit/s\"\n{rest}\n");
    let text = format!(
        "duration = \"10 s\"\n[path]\nrtt = \"20 ms\"\n{}{}{FLOW}",
        hop("first", "buffer = \"1 bdp\""),
        hop("home", "qdisc = \"fq_codel\"")
    );
    let path = run(&text).path;
    assert_eq!((path.hops[0].qdisc.name(), path.hops[1].qdisc.name()), ("fifo", "fq_codel"));
    assert_eq!(path.hops[1].buffer, Buffer::Packets(10_240));
    let swept = support::experiment(&self::path(
        "buffer = \"1 bdp\"\nqdisc = [\"fifo\", \"pie\", { kind = \"codel\", ecn = true }]",
    ));
    let names: Vec<&str> = (0..3).map(|point| support::resolved(&swept, point).run.path.qdisc.name()).collect();
    assert_eq!(names, ["fifo", "pie", "codel"]);
}

#[test]
fn what_is_wrong_is_said() {
    refused("", &["path.buffer: missing; write buffer = \"1 bdp\""]);
    refused("qdisc = \"red\"", &["path.buffer: missing; write buffer = \"1 bdp\""]);
    refused(
        "qdisc = \"codel\"\nbuffer = \"1 MB\"",
        &[
            "path.buffer: \"1 MB\" is in bytes, but codel counts packets; write the buffer in packets, in bdp or as a time",
        ],
    );
    refused("qdisc = \"pie\"\nqueue = \"bytes\"", &["path.queue: \"bytes\", but pie counts packets; leave it out"]);
    refused(
        "qdisc = \"red\"\nqueue = \"packets\"\nbuffer = \"1 bdp\"",
        &["path.qdisc: \"red\" counts bytes; leave out queue = \"packets\", or write qdisc = \"codel\""],
    );
    refused(
        "qdisc = { kind = \"codel\", tarjet = \"5 ms\" }",
        &["path.qdisc.tarjet: unknown key; did you mean \"target\"?"],
    );
    refused(
        "qdisc = { kind = \"pie\", interval = \"5 ms\", alpha = 1.5, tupdate = \"1500 us\", target = \"1500 ns\" }",
        &[
            "path.qdisc.interval: pie has no such parameter; known: limit, target, tupdate, alpha, beta, ecn",
            "path.qdisc.alpha: 1.5 is no integer; from 0 to 32, as tc takes it",
            "path.qdisc.tupdate: \"1500 us\" is between two steps of pie's clock; a multiple of 1 ms",
            "path.qdisc.target: \"1500 ns\" is between two steps of pie's clock; a multiple of 1 us",
        ],
    );
    refused(
        "buffer = \"1 bdp\"\nqdisc = { kind = \"fq_codel\", limit = 9, ce_threshold_selector = \"0x01/0x01\" }",
        &[
            "path.qdisc.limit: the buffer says it already; leave one of the two out",
            "path.qdisc.ce_threshold_selector: there is no ce_threshold that it could be about; write ce_threshold, too",
        ],
    );
    refused(
        "buffer = \"1 bdp\"\nqdisc = { kind = \"cake\", ecn = true }",
        &["path.qdisc.ecn: cake has no such parameter; it takes none"],
    );
    refused(
        "buffer = \"1 bdp\"\nqdisc = { target = \"5 ms\" }",
        &[
            "path.qdisc: a table with \"target\" is no queue discipline; use \"fifo\", \"codel\", \"fq_codel\", \"fq\", \"pie\", \"red\", \"dualpi2\", \"cake\" or { kind = \"codel\", target = \"5 ms\" }",
        ],
    );
}
