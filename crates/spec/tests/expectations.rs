//! Expectations: what a spec may ask of its runs, and what is wrong with one.

mod support;

use spec::Word;
use support::{experiment, problems, resolved};

const SPEC: &str = "duration = \"30 s\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"20 ms\"\nbuffer = [\"1 bdp\", \"2 bdp\"]\n\
                    [[flows]]\ncc = \"bbr\"\n[[flows]]\ncc = \"cubic\"\n";

fn with(expectation: &str) -> String {
    format!("{SPEC}[[expect]]\n{expectation}\n")
}

#[test]
fn an_expectation_is_in_base_units() {
    let text = "quantity = \"goodput\"\nof = \"bbr\"\nat_least = \"10 Mbit/s\"\nby = \"5 s\"\nfrom = \"2 s\"\nseeds = \"all\"\n\
                where = { \"path.buffer\" = \"2 bdp\" }";
    let expectations = experiment(&with(text)).expectations();
    let [own] = &*expectations else { panic!("{expectations:?}") };
    assert_eq!((&*own.quantity, own.of.as_deref(), own.is_least, own.level), ("goodput", Some("bbr"), true, Some(1e7)));
    assert_eq!((own.by_s, own.from_s, own.all_seeds, &*own.text), (Some(5.0), Some(2.0), true, "10 Mbit/s"));
    assert_eq!(own.values, vec![("path.buffer".to_owned(), Word::from("2 bdp"))]);
    let relative = experiment(&with("quantity = \"rtt\"\nof = \"bbr\"\nat_most = { of = \"cubic\" }")).expectations();
    assert_eq!((relative[0].level, relative[0].relative.clone()), (None, Some(("cubic".to_owned(), 1.0))));
    assert!(!relative[0].is_least && !relative[0].all_seeds);
    let text = "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"path.buffer\", times = 2, slack = \"5 ms\" }";
    let against = &experiment(&with(text)).expectations()[0];
    assert_eq!(against.against, Some(("path.buffer".to_owned(), Word::from("1 bdp"), 2.0)));
    assert_eq!((against.level, against.relative.as_ref(), against.slack), (None, None, 0.005));
}

#[test]
fn an_expectation_is_written_as_it_was() {
    let text = "quantity = \"share\"\nof = \"bbr\"\nat_most = { of = \"cubic\", times = 1.5 }\nwhere = { \"path.buffer\" = \"1 bdp\" }";
    let loaded = experiment(&with(text));
    let again = experiment(&loaded.to_toml());
    assert_eq!(loaded.fields(), again.fields());
    assert!(loaded.to_toml().contains("[[expect]]\nquantity = \"share\""), "{}", loaded.to_toml());
}

#[test]
fn an_expectation_decides_nothing_of_a_run() {
    let (without, with) = (experiment(SPEC), experiment(&with("quantity = \"jain\"\nat_least = 0.9")));
    let id = |experiment| resolved(experiment, 1).id("sim", "0123456789abcdef");
    assert_eq!(id(&without), id(&with));
}

#[test]
fn what_is_wrong_with_an_expectation_is_said_with_its_path() {
    for (text, problem) in [
        ("quantity = \"godput\"\nat_least = 1", "expect[0].quantity: unknown \"godput\"; did you mean \"goodput\"?"),
        ("quantity = \"jain\"", "expect[0]: has no bound; write at_least or at_most"),
        (
            "quantity = \"jain\"\nat_least = 0.9\nat_most = 1.0",
            "expect[0].at_most: there is at_least already; write an [[expect]] for each",
        ),
        (
            "quantity = \"goodput\"\nof = \"bbrr\"\nat_least = \"1 Mbit/s\"",
            "expect[0].of: \"bbrr\" is no group of flows here; did you mean \"bbr\"?",
        ),
        (
            "quantity = \"goodput\"\nat_least = \"1 Mbit/s\"",
            "expect[0].of: missing: each group of flows has \"goodput\"; known: bbr, cubic",
        ),
        (
            "quantity = \"goodput\"\nof = \"bbr\"\nat_least = \"40 ms\"",
            "expect[0].at_least: \"40 ms\": unknown unit \"ms\"; known: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s",
        ),
        (
            "quantity = \"share\"\nof = \"bbr\"\nat_least = 40",
            "expect[0].at_least: 40 is more than all: without a unit 1 is all; write \"40 %\"",
        ),
        (
            "quantity = \"jain\"\nat_least = \"90 %\"",
            "expect[0].at_least: \"90 %\" is no number; write it without a unit, as 0.9",
        ),
        (
            "quantity = \"queue\"\nat_most = \"1 ms\"",
            "expect[0].at_most: \"1 ms\" is not in bdp; write it as \"1.5 bdp\"",
        ),
        (
            "quantity = \"jain\"\nof = \"bbr\"\nat_least = 0.9",
            "expect[0].of: \"jain\" is of the run, and of no part of it; leave it out",
        ),
        (
            "quantity = \"loss\"\nof = \"bbr\"\nat_most = \"1 %\"",
            "expect[0].of: \"bbr\" is no hop here; known: bottleneck",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { of = \"reno\", times = 2 }",
            "expect[0].at_most.of: \"reno\" is no group of flows here; known: bbr, cubic",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { times = 2 }",
            "expect[0].at_most: a table with \"times\" is no bound; use \"40 Mbit/s\", 0.9, { of = \"cubic\", times = 2 } or { against = \"flows[0].cc\" }",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"path.bufer\" }",
            "expect[0].at_most.against: \"path.bufer\" is not swept; did you mean \"path.buffer\"?",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"flows[0].cc\" }",
            "expect[0].at_most.against: \"flows[0].cc\" is not swept; known: path.buffer",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"path.buffer\", of = \"cubic\" }",
            "expect[0].at_most.against: there is of already; write an [[expect]] for each",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"path.buffer\" }\nby = \"2 s\"",
            "expect[0].at_most.against: there is by, and a time has no baseline; write a level, or leave by out",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = { against = \"path.buffer\", slack = \"5 Mbit/s\" }",
            "expect[0].at_most.slack: \"5 Mbit/s\": unknown unit \"Mbit/s\"; known: ns, us, ms, s, min",
        ),
        (
            "quantity = \"jain\"\nat_least = { against = \"path.buffer\", slack = -0.1 }",
            "expect[0].at_least.slack: -0.1 is less than nothing; write how far beyond it may be",
        ),
        (
            "quantity = \"jain\"\nat_least = { against = \"path.buffer\", slak = 0.1 }",
            "expect[0].at_least.slak: unknown key; did you mean \"slack\"?",
        ),
        (
            "quantity = \"retransmits\"\nof = \"bbr\"\nat_most = \"1 %\"\nby = \"5 s\"",
            "expect[0].by: \"retransmits\" has no bins over time; goodput, share, rtt have; or leave it out",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = \"30 ms\"\nfrom = \"5 s\"",
            "expect[0].from: there is no by that it begins; write by = \"5 s\"",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = \"30 ms\"\nby = \"1 s\"\nfrom = \"30 s\"",
            "expect[0].from: 30 s is at the end of the run, 30 s; make it earlier, or the duration longer",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = \"30 ms\"\nwhere = { \"path.bufer\" = \"1 bdp\" }",
            "expect[0].where: \"path.bufer\" is no field of this spec; did you mean \"path.buffer\"?",
        ),
        (
            "quantity = \"rtt\"\nof = \"bbr\"\nat_most = \"30 ms\"\nwhere = { \"path.buffer\" = \"20 ms\" }",
            "expect[0].where: \"20 ms\" is no value of path.buffer; known: 1 bdp, 2 bdp",
        ),
    ] {
        assert_eq!(problems(&with(text)), [problem]);
    }
    let late = "quantity = \"rtt\"\nof = \"bbr\"\nat_most = \"30 ms\"\nby = \"1 s\"\n[measure]\n";
    assert_eq!(
        problems(&with(&format!("{late}record = \"summary\""))),
        [
            "expect[0].by: it needs series, and measure.record = \"summary\" keeps none; write record = \"series\", or leave by out"
        ]
    );
    assert_eq!(
        problems(&with(&format!("{late}sample = \"1 s\""))),
        ["expect[0].by: its bins are of 500 ms, and measure.sample is 1 s; sample more often, or leave by out"]
    );
}

#[test]
fn a_group_need_only_be_where_it_is_expected() {
    let spec = SPEC.replace("cc = \"cubic\"", "cc = [\"cubic\", \"reno\"]");
    let expect = "[[expect]]\nquantity = \"goodput\"\nof = \"reno\"\nat_least = \"1 Mbit/s\"\n";
    assert_eq!(
        problems(&format!("{spec}{expect}")),
        [
            "expect[0].of: \"reno\" is no group of flows here (at path.buffer = \"1 bdp\", flows[1].cc = \"cubic\"); known: bbr, cubic"
        ]
    );
    experiment(&format!("{spec}{expect}where = {{ \"flows[1].cc\" = \"reno\" }}\n"));
    let hops = SPEC.replace("rate = \"50 Mbit/s\"\n", "").replace("buffer = [\"1 bdp\", \"2 bdp\"]\n", "");
    let hop = |name: &str| format!("[[hops]]\nname = \"{name}\"\nrate = \"50 Mbit/s\"\nbuffer = \"1 bdp\"\n");
    experiment(&format!(
        "{hops}{}{}[[expect]]\nquantity = \"queue_mean\"\nof = \"core\"\nat_most = {{ of = \"first\", times = 3 }}\n",
        hop("first"),
        hop("core")
    ));
}
