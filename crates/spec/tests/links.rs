//! Presets of links: what one says, what goes before it, and where none has a place.

mod support;

use run::{Buffer, Change, Direction, Hop, QueueDiscipline};
use spec::{Word, links};
use support::{problems, run};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// A spec whose `[path]` has these lines, of a run that is so long.
fn spec(seconds: u64, path: &str) -> String {
    format!("duration = \"{seconds} s\"\n[path]\n{path}\n[[flows]]\ncc = \"reno\"\n")
}

fn hop(path: &str, direction: Direction) -> Hop {
    run(&spec(10, path)).path.hops(direction).remove(0)
}

#[test]
fn every_preset_is_a_spec() {
    assert!(links().len() >= 6);
    for link in links() {
        // Shorter than a change, and long enough for all of them.
        for seconds in [10, 200] {
            let run = run(&spec(seconds, &format!("link = \"{}\"", link.name)));
            assert!(!run.path.hops(Direction::Down).is_empty() && !run.path.hops(Direction::Up).is_empty());
        }
        assert!(!link.about.is_empty() && link.keys.iter().all(|key| key.source.ends_with('.')), "{}", link.name);
        // Rates, sizes and moments in the words of a spec; and each key once.
        let paths: Vec<&str> = link.keys.iter().map(|key| &*key.path).collect();
        assert!(paths.iter().enumerate().all(|(place, path)| !paths[..place].contains(path)), "{paths:?}");
    }
}

#[test]
fn a_preset_says_the_same_as_its_keys() {
    let written = "rate = \"25 Mbit/s\"\nrtt = \"50 ms\"\nbuffer = \"250 ms\"\noverhead = \"30 B\"\n\
                   [path.back]\nrate = \"5 Mbit/s\"\nbuffer = \"250 ms\"\noverhead = \"30 B\"";
    let (named, spelled) = (run(&spec(10, "link = \"dsl_25_5\"")), run(&spec(10, written)));
    assert_eq!(named, spelled);
    let up = hop("link = \"cable\"", Direction::Up);
    assert!(matches!(up.qdisc, QueueDiscipline::Pie(pie) if pie.target_ns == 10 * MS), "{up:?}");
}

#[test]
fn what_a_spec_writes_goes_before() {
    let down = hop("link = \"dsl_25_5\"\nrate = \"10 Mbit/s\"", Direction::Down);
    // A buffer as a time follows the rate.
    assert_eq!((down.rate_bps, down.buffer, down.overhead_bytes), (10_000_000, Buffer::Bytes(312_500), 30));
    let up = hop("link = \"dsl_25_5\"\n[path.back]\nbuffer = \"9 kB\"", Direction::Up);
    assert_eq!((up.rate_bps, up.buffer), (5_000_000, Buffer::Bytes(9_000)));
    let codel = hop("link = \"dsl_25_5\"\nqdisc = \"codel\"", Direction::Down);
    assert!(matches!(codel.qdisc, QueueDiscipline::Codel(_)));
    let row = "link = \"dsl_25_5\"\n[[path.back.hops]]\nname = \"up\"\nrate = \"1 Mbit/s\"\nbuffer = \"9 kB\"";
    assert_eq!(hop(row, Direction::Up).rate_bps, 1_000_000);
}

#[test]
fn a_change_of_a_preset_leaves_what_a_spec_writes() {
    let changes = |path: &str| run(&spec(30, path)).path.hops(Direction::Down).remove(0).changes;
    let at = |at_ns, rate_bps, delay_ns| Change { rate_bps, delay_ns, ..Change::at(at_ns) };
    let outage = |at_ns| at(at_ns, Some(0), None);
    let (first, last) = (12 * SECOND + 70 * MS, 27 * SECOND + 70 * MS);
    // The least of its round trips is 49 ms.
    assert_eq!(
        changes("link = \"starlink\""),
        [
            at(0, None, Some(MS)),
            outage(12 * SECOND),
            at(first, Some(37_800_000), Some(3 * MS)),
            outage(27 * SECOND),
            at(last, Some(43_500_000), Some(0)),
        ]
    );
    assert_eq!(
        changes("link = \"starlink\"\nrate = \"50 Mbit/s\""),
        [at(0, None, Some(MS)), at(first, None, Some(3 * MS)), at(last, None, Some(0))]
    );
    let rates = changes("link = \"starlink\"\nrtt = \"80 ms\"");
    assert_eq!((rates.len(), rates.iter().any(|change| change.delay_ns.is_some())), (4, false));
    assert_eq!(changes("link = \"starlink\"\nrate = \"50 Mbit/s\"\nrtt = \"80 ms\""), []);
    assert_eq!(changes("link = \"starlink\"\n[[path.change]]\nat = \"5 s\"\nloss = \"1 %\"").len(), 1);
}

#[test]
fn what_names_no_preset_or_has_no_place_is_refused() {
    let known = "known: dsl_25_5, cable, lte, wifi, starlink, geo";
    for (path, expected) in [
        ("link = \"dsl\"", vec![format!("path.link: unknown \"dsl\"; {known}")]),
        ("link = \"starlinc\"", vec!["path.link: unknown \"starlinc\"; did you mean \"starlink\"?".to_owned()]),
        ("link = [\"lte\", \"geo\"]", vec![format!("path.link: unknown a list; {known}")]),
        (
            "link = \"dsl_25_5\"\n[[hops]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nbuffer = \"9 kB\"",
            vec![
                "path.link: is one hop, and has no place with [[hops]]; leave it out, and write what you want of its keys"
                    .to_owned(),
            ],
        ),
        (
            "link = \"dsl_25_5\"\nqdisc = \"codel\"\nbuffer = \"9 kB\"",
            vec![
                "path.buffer: \"9 kB\" is in bytes, but codel counts packets; write the buffer in packets, in bdp or as a time"
                    .to_owned(),
            ],
        ),
    ] {
        assert_eq!(problems(&spec(10, path)), expected, "{path}");
    }
}

#[test]
fn an_experiment_stays_as_it_was_written() {
    let text = spec(10, "link = \"starlink\"\nrtt = \"80 ms\"");
    let experiment = support::experiment(&text);
    assert!(!experiment.is_written("path.rate") && experiment.is_written("path.rtt"));
    assert_eq!(experiment.get("path.rate"), Some(Word::from("58.4 Mbit/s")));
    assert_eq!(experiment.to_toml().matches("link = \"starlink\"\nrtt = \"80 ms\"\n\n[[flows]]").count(), 1);
}
