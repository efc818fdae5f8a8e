//! What a line does in time and to packets: what a spec's keys become, and which make no sense.

mod support;

use run::{
    Buffer, Change, Direction, Distribution, GilbertElliott, Hop, Impairments, Police, Reorder, ShaperKind, Trace,
};
use support::{problems, run};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MBIT: u64 = 1_000_000;
const PATH: &str = "duration = \"10 s\"\n[path]\nrtt = \"40 ms\"\nrate = \"80 Mbit/s\"\nbuffer = \"1 bdp\"\n";
const FLOW: &str = "[[flows]]\ncc = \"reno\"\n";

/// The one hop of the path with these keys.
fn hop(line: &str) -> Hop {
    run(&format!("{PATH}{line}\n{FLOW}")).path.hops(Direction::Down).remove(0)
}

#[track_caller]
fn refused(line: &str, expected: &[&str]) {
    assert_eq!(problems(&format!("{PATH}{line}\n{FLOW}")), expected, "{line}");
}

#[test]
fn losses_in_bursts_are_a_channels() {
    let channel = |line| hop(&format!("loss = {{ gilbert_elliott = {{ {line} }} }}")).impairments.burst_loss;
    let certain = GilbertElliott { to_bad_ppb: 0, to_good_ppb: 0, good_loss_ppb: 0, bad_loss_ppb: 1_000_000_000 };
    // 1/r is the burst, p/(p + r) the loss: p = 0.01 x 0.2 / 0.99.
    let losses = GilbertElliott { to_bad_ppb: 2_020_202, to_good_ppb: 200_000_000, ..certain };
    assert_eq!(channel("loss = \"1 %\", burst = 5"), Some(losses));
    assert!((losses.loss() - 0.01).abs() < 1e-8);
    let netem = GilbertElliott {
        to_bad_ppb: 10_000_000,
        to_good_ppb: 250_000_000,
        good_loss_ppb: 1_000_000,
        bad_loss_ppb: 700_000_000,
    };
    assert_eq!(channel("p = \"1 %\", r = \"25 %\", h = \"30 %\", k = \"99.9 %\""), Some(netem));
    assert_eq!(hop("loss = \"2 %\"").loss_ppb, 20_000_000);
    assert_eq!(hop("loss = { gilbert_elliott = { p = \"1 %\", r = \"25 %\" } }").loss_ppb, 0);
}

#[test]
fn a_channel_is_said_in_one_way() {
    let hint = "write loss and burst, or p and r";
    let place = "path.loss.gilbert_elliott";
    for (line, expected) in [
        ("", format!("{place}.p: missing; {hint}")),
        ("loss = \"1 %\"", format!("{place}.burst: missing; {hint}")),
        ("p = \"1 %\"", format!("{place}.r: missing; {hint}")),
        ("loss = \"1 %\", burst = 5, h = \"1 %\"", format!("{place}.h: the losses say it already; {hint}")),
        ("loss = \"80 %\", burst = 2", format!("{place}.burst: 2 is too short for a loss of 80 %; at least 4.01")),
        (
            "p = \"1 %\", r = \"0 %\"",
            format!("{place}.r: 0 %: the bad state would never end; more than 0 %; 20 % are bursts of 5 packets"),
        ),
        ("loss = \"1 %\", burst = 0.5", format!("{place}.burst: 0.5 is out of range; at least 1")),
    ] {
        refused(&format!("loss = {{ gilbert_elliott = {{ {line} }} }}"), &[&*expected]);
    }
    refused(
        "loss = { bernoulli = 1 }",
        &[
            "path.loss: a table with \"bernoulli\" is no loss; use \"0.1 %\" or { gilbert_elliott = { loss = \"1 %\", burst = 5 } }",
        ],
    );
}

#[test]
fn packets_overtake_by_a_share_or_by_a_spread() {
    let reorder = |line| hop(&format!("reorder = {line}")).impairments.reorder;
    assert_eq!(reorder("\"none\""), None);
    let late = Reorder::Late { share_ppb: 20_000_000, by_ns: 15 * MS };
    assert_eq!(reorder("{ share = \"2 %\", by = \"15 ms\" }"), Some(late));
    let even = Reorder::Spread {
        delay_ns: 8 * MS,
        spread_ns: 8 * MS,
        distribution: Distribution::Uniform,
        correlation_ppb: 0,
    };
    assert_eq!(reorder("{ spread = \"8 ms\" }"), Some(even));
    let normal = Reorder::Spread {
        delay_ns: 25 * MS,
        spread_ns: 8 * MS,
        distribution: Distribution::Normal,
        correlation_ppb: 250_000_000,
    };
    assert_eq!(
        reorder("{ delay = \"25 ms\", spread = \"8 ms\", distribution = \"normal\", correlation = \"25 %\" }"),
        Some(normal)
    );
    refused("reorder = { share = \"2 %\" }", &["path.reorder.by: missing; write by = \"15 ms\""]);
    refused(
        "reorder = { delay = \"2 ms\" }",
        &[
            "path.reorder: a table with \"delay\" is no reordering; use \"none\", { share = \"2 %\", by = \"15 ms\" } or { spread = \"8 ms\" }",
        ],
    );
}

#[test]
fn the_other_impairments_are_the_hops_own() {
    let line = "duplicate = \"0.1 %\"\ncorrupt = \"0.01 %\"\naggregation = \"4 ms\"\nack_filter = true";
    let impairments = Impairments {
        duplicate_ppb: 1_000_000,
        corrupt_ppb: 100_000,
        aggregation_ns: 4 * MS,
        thins_acks: true,
        ..Impairments::default()
    };
    assert_eq!(hop(line).impairments, impairments);
    let back = run(&format!("{PATH}[path.back]\nrate = \"8 Mbit/s\"\nbuffer = \"1 bdp\"\n{line}\n{FLOW}"));
    assert_eq!(back.path.back[0].impairments, impairments);
    assert_eq!(back.path.impairments, Impairments::default());
    refused(
        "qdisc = \"codel\"\nack_filter = true",
        &["path.ack_filter: a queue of codel has none; leave it out, or write qdisc = \"fifo\""],
    );
    refused(
        "shaper_at = \"receiver\"\nduplicate = \"1 %\"",
        &[
            "path.duplicate: a shaper at the receiver's ingress is the last hop: nothing of the path is behind it; leave it out, or write shaper_at = \"router\"",
        ],
    );
}

#[test]
fn a_policer_has_a_bucket_and_no_queue() {
    let path = PATH.replace("buffer = \"1 bdp\"\n", "");
    let line = "shaper = \"police\"\nburst = \"100 kB\"\npeak = \"100 Mbit/s\"\nexceed = \"mark\"";
    let own = run(&format!("{path}{line}\n{FLOW}")).path;
    assert_eq!((own.shaper, own.buffer, own.burst_bytes), (ShaperKind::Police, Buffer::Bytes(0), 100_000));
    assert_eq!(own.police, Police { peak_bps: Some(100 * MBIT), marks: true });
    assert_eq!(
        problems(&format!("{path}shaper = \"police\"\nburst = \"1 kB\"\npeak = \"1 Mbit/s\"\noffload = true\n{FLOW}")),
        [
            "path.burst: \"1 kB\" is less than one frame of 1514 B; no packet would pass; at least \"1514 B\"",
            "path.offload: super-packets do not fit a policer's bucket; leave it out, or write shaper = \"tbf\"",
            "path.peak: \"1 Mbit/s\" is below the rate, 80 Mbit/s; more than the rate, or leave it out",
        ]
    );
    refused(
        "shaper = \"police\"",
        &["path.buffer: is a queue's, and a policer has none; leave it out, or write shaper = \"tbf\""],
    );
    refused("peak = \"100 Mbit/s\"", &["path.peak: is a policer's; leave it out, or write shaper = \"police\""]);
}

#[test]
fn an_outage_is_a_rate_of_none() {
    let changes = hop("[[path.change]]\nat = \"2 s\"\nrate = \"0 bit/s\"\n[[path.change]]\nat = \"3 s\"\nrate = \"80 Mbit/s\"\nloss = \"1 %\"\nbuffer = \"0.5 bdp\"").changes;
    let again = Change {
        loss_ppb: Some(10_000_000),
        buffer: Some(Buffer::Bytes(200_000)),
        ..Change::of_rate(3 * SECOND, 80 * MBIT)
    };
    assert_eq!(changes, [Change::of_rate(2 * SECOND, 0), again]);
}

#[test]
fn a_ramp_becomes_steps_and_a_periodic_change_comes_again() {
    let ramp = hop("[[path.change]]\nat = \"2 s\"\nover = \"40 ms\"\nrate = \"40 Mbit/s\"").changes;
    let step = |after_ms: u64, mbit: u64| Change::of_rate(2 * SECOND + after_ms * MS, mbit * MBIT);
    assert_eq!(ramp, [step(10, 70), step(20, 60), step(30, 50), step(40, 40)]);
    let long = hop("[[path.change]]\nat = \"1 s\"\nover = \"10 s\"\nrate = \"40 Mbit/s\"").changes;
    assert!(long.len() == 899 && long.windows(2).all(|pair| pair[1].at_ns - pair[0].at_ns == 10 * MS));
    let periodic = hop("[[path.change]]\nat = \"2 s\"\nevery = \"4 s\"\nrate = \"8 Mbit/s\"\n[[path.change]]\nat = \"4 s\"\nevery = \"4 s\"\nrate = \"80 Mbit/s\"").changes;
    let at = |second: u64, mbit: u64| Change::of_rate(second * SECOND, mbit * MBIT);
    assert_eq!(periodic, [at(2, 8), at(4, 80), at(6, 8), at(8, 80)]);
}

#[test]
fn delays_change_beyond_the_least() {
    let text = format!(
        "{PATH}[[path.change]]\nat = \"2 s\"\nrtt = \"25 ms\"\n[[path.change]]\nat = \"4 s\"\nrtt = \"60 ms\"\n{FLOW}\
         [[flows]]\ncc = \"bbr\"\nrtt = \"100 ms\"\n"
    );
    let changed = run(&text);
    let beyond = |at_ns: u64, ms: u64| Change { delay_ns: Some(ms * MS), ..Change::at(at_ns) };
    assert_eq!(changed.path.changes, [beyond(0, 15), beyond(2 * SECOND, 0), beyond(4 * SECOND, 35)]);
    assert_eq!(changed.flows.iter().map(run::Flow::base_rtt_ns).collect::<Vec<_>>(), [25 * MS, 85 * MS]);
    let back = format!(
        "{PATH}[path.back]\nrate = \"8 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"10 ms\"\n[[path.back.change]]\nat = \"1 s\"\n\
         delay = \"2 ms\"\n{FLOW}"
    );
    let changed = run(&back);
    assert_eq!(changed.path.back[0].delay_ns, 2 * MS);
    assert_eq!(changed.path.back[0].changes, [beyond(0, 8), beyond(SECOND, 0)]);
    assert_eq!((changed.flows[0].forward_delay_ns, changed.flows[0].return_delay_ns), (0, 32 * MS));
}

#[test]
fn what_makes_no_sense_of_a_change_is_refused() {
    let change = |line: &str| format!("[[path.change]]\nat = \"2 s\"\n{line}");
    for (line, expected) in [
        (change(""), "path.change[0]: changes nothing; write one of rate, rtt, loss, buffer"),
        (
            change("rate = \"10 bit/s\""),
            "path.change[0].rate: \"10 bit/s\" is out of range; from 1 kbit/s to 1 Tbit/s, or \"0 bit/s\" for an outage",
        ),
        (
            change("over = \"2 s\"\nevery = \"1 s\"\nrate = \"1 Mbit/s\""),
            "path.change[0].over: the ramp that begins at 2 s is not over when the change of 3 s comes; a shorter ramp, or a later change",
        ),
        (
            change("every = \"1 us\"\nrate = \"1 Mbit/s\""),
            "path.change: the changes are more than 100000 until the run's end; let them come less often",
        ),
        (
            format!("loss = {{ gilbert_elliott = {{ loss = \"1 %\", burst = 5 }} }}\n{}", change("loss = \"1 %\"")),
            "path.change[0].loss: changes independent loss, and path.loss is in bursts; leave one of the two out",
        ),
        (
            change("buffer = \"100 B\""),
            "path.change[0].buffer: \"100 B\" is less than one frame of 1514 B; no packet would fit; at least \"1514 B\"",
        ),
        (
            change("delay = \"1 ms\""),
            "path.change[0].delay: unknown key; write rtt = \"50 ms\": the base round trip, twice a delay of one way",
        ),
    ] {
        let all = problems(&format!("{PATH}{line}\n{FLOW}"));
        assert!(all.contains(&expected.to_owned()), "{line}: {all:?}");
    }
    let flow = format!("{PATH}{}\n{FLOW}rtt = \"10 ms\"\n", change("rtt = \"20 ms\""));
    assert_eq!(
        problems(&flow),
        [
            "flows[0].rtt: 10 ms is less than the delays of the hops that flows[0] passes, 20 ms in all; at least \"20 ms\", or shorter delays"
        ]
    );
}

#[test]
fn a_trace_stands_in_place_of_the_rate() {
    let path = PATH.replace("rate = \"80 Mbit/s\"\n", "");
    let own = run(&format!("{path}trace = \"rates\"\n{FLOW}")).path;
    // 8 Mbit/s for 2 s of 3, and then nothing.
    assert_eq!((own.rate_bps, own.buffer), (5_333_333, Buffer::Bytes(26_667)));
    let Some(Trace::Changes(changes)) = &own.trace else { panic!("{:?}", own.trace) };
    assert_eq!((changes.len(), own.hops(Direction::Down)[0].changes_in_time().len()), (3, 3));
    // Four frames of 1514 B in 2 ms.
    let deliveries = run(&format!("{path}trace = \"deliveries\"\n{FLOW}")).path;
    assert_eq!((deliveries.rate_bps, deliveries.trace), (24_224_000, Some(Trace::Deliveries([0, 1, 1, 2].into()))));
    let written = hop("trace = \"losses\"");
    assert_eq!((written.rate_bps, written.changes_in_time().len()), (80 * MBIT, 1));
    let back = run(&format!("{PATH}[path.back]\ntrace = \"deliveries\"\nbuffer = \"1 bdp\"\n{FLOW}"));
    assert_eq!(back.path.back[0].rate_bps, 24_224_000);
}

#[test]
fn what_a_trace_does_not_go_with_is_refused() {
    let path = PATH.replace("rate = \"80 Mbit/s\"\n", "");
    assert_eq!(
        problems(&format!("{path}trace = \"losses\"\n{FLOW}")),
        ["path.rate: missing: the trace has no rates; write rate = \"80 Mbit/s\""]
    );
    refused("trace = \"gone\"", &["path.trace: no such file"]);
    refused(
        "trace = \"rates\"\n[[path.change]]\nat = \"1 s\"\nrate = \"1 Mbit/s\"",
        &["path.change: the trace says already what changes; leave out path.trace, or the changes"],
    );
    refused(
        "shaper = \"htb\"\ntrace = \"deliveries\"",
        &["path.shaper: says nothing of a line that delivers packets one by one; leave it out"],
    );
    refused(
        "loss = { gilbert_elliott = { loss = \"1 %\", burst = 5 } }\ntrace = \"losses\"",
        &["path.trace: has losses, and path.loss is in bursts; leave one of the two out"],
    );
}
