//! What is refused of hops, ways back, directions and routes: where, why, and what would be right.

mod support;

use support::{load, problems};

const PATH: &str = "duration = \"10 s\"\n[path]\nrtt = \"40 ms\"\n";
const SHORT: &str = "rate = \"80 Mbit/s\"\nbuffer = \"1 bdp\"\n";
const HOPS: &str = "[[hops]]\nname = \"first\"\nrate = \"100 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"9 ms\"\n\
    [[hops]]\nname = \"core\"\nrate = \"50 Mbit/s\"\nbuffer = \"20 ms\"\n\
    [[hops]]\nname = \"last\"\nrate = \"100 Mbit/s\"\nbuffer = \"20 ms\"\n";
const BACK: &str = "[path.back]\nrate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"8 ms\"\n";
const FLOW: &str = "[[flows]]\ncc = \"reno\"\n";

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    assert_eq!(problems(text), expected, "{text}");
}

/// The path with these keys, hops, and the flow with those.
fn listed(path: &str, flow: &str) -> String {
    format!("{PATH}{path}{HOPS}{FLOW}{flow}")
}

#[test]
fn a_path_needs_its_keys_or_hops() {
    let expected = ["path.rate: missing; write rate = \"80 Mbit/s\"", "path.buffer: missing; write buffer = \"1 bdp\""];
    refused(&format!("{PATH}{FLOW}"), &expected);
    refused(&format!("{PATH}[path.back]\n{SHORT}{FLOW}"), &expected);
    assert!(load(&listed("", "")).is_ok());
    let no_rtt = listed("", "").replace("rtt = \"40 ms\"\n", "");
    refused(&no_rtt, &["path.rtt: missing; write rtt = \"25 ms\""]);
}

#[test]
fn a_hop_needs_its_keys() {
    let text = format!("{PATH}[[hops]]\nraet = \"1 Mbit/s\"\n{FLOW}");
    refused(
        &text,
        &[
            "hops[0].name: missing; write name = \"core\"",
            "hops[0].rate: missing; write rate = \"80 Mbit/s\"",
            "hops[0].raet: unknown key; did you mean \"rate\"?",
            "hops[0].buffer: missing; write buffer = \"1 bdp\"",
        ],
    );
    refused(&format!("hops = []\n{PATH}{FLOW}"), &["hops: the list is empty; write [[hops]]"]);
    refused(&format!("hops = \"core\"\n{PATH}{FLOW}"), &["hops: must be a list, not \"core\"; write [[hops]]"]);
    let long: String = (0..33).map(|it| format!("[[hops]]\nname = \"h{it}\"\n{SHORT}")).collect();
    refused(&format!("{PATH}{long}{FLOW}"), &["hops: the list is too long; at most 32"]);
    refused(
        &format!("{PATH}[path.back]\nrate = \"1 Mbit/s\"\n{SHORT_HOP}{FLOW}"),
        &["path.back.buffer: missing; write buffer = \"1 bdp\""],
    );
}

const SHORT_HOP: &str = "[[hops]]\nname = \"core\"\nrate = \"80 Mbit/s\"\nbuffer = \"1 bdp\"\n";

#[test]
fn a_hop_has_the_limits_of_a_path() {
    let with = |line: &str| format!("{PATH}{SHORT_HOP}{line}\n{FLOW}");
    for (key, line, expected) in [
        ("loss", "loss = \"100 %\"", "\"100 %\" is out of range; from 0 % to 99.9999999 %"),
        ("overhead", "overhead = \"2 kB\"", "\"2 kB\" is out of range; from 0 B to 1 kB"),
        ("burst", "burst = \"0 B\"", "\"0 B\" is out of range; from 1 B to 1 GB"),
        ("shaper", "shaper = \"tbff\"", "unknown \"tbff\"; did you mean \"tbf\"?"),
        ("delay", "delay = \"101 s\"", "\"101 s\" is out of range; from 0 s to 100 s"),
        ("delay", "delay = 5", "5 has no unit; write it with a unit, as \"5 ms\" or \"5 s\""),
    ] {
        let prefixed = format!("hops[0].{key}: {expected}");
        refused(&with(line), &[&*prefixed]);
        if key != "delay" {
            // The same words at the path itself.
            let short = format!("{PATH}{SHORT}{line}\n{FLOW}");
            refused(&short, &[&*format!("path.{key}: {expected}")]);
        }
    }
    refused(&with("loss_at = \"after\""), &["hops[0].loss_at: unknown key; \"loss_at\" belongs in [path]"]);
    refused(
        &with(
            "[[hops.change]]\nat = \"0 s\"\nrate = \"1 Mbit/s\"\n[[hops.change]]\nat = \"10 s\"\nrate = \"1 Mbit/s\"",
        ),
        &[
            "hops[0].change[0].at: 0 s is not after 0 s; write the first rate as hops[0].rate",
            "hops[0].change[1].at: 10 s is at the end of the run, 10 s; make it earlier, or the duration longer",
        ],
    );
    refused(
        &with("").replace("\"1 bdp\"", "\"1513 B\""),
        &["hops[0].buffer: \"1513 B\" is less than one frame of 1514 B; no packet would fit; at least \"1514 B\""],
    );
    refused(
        &with("").replace("\"1 bdp\"", "\"9 kB\"").replace("[path]\n", "[path]\nqueue = \"packets\"\n"),
        &[
            "hops[0].buffer: \"9 kB\" is in bytes, but the queue counts packets; write the buffer in packets, in bdp or as a \
         time, or leave out queue = \"packets\"",
        ],
    );
}

#[test]
fn a_hop_has_a_name_of_its_own() {
    let named = |name: &str| listed("", "").replace("\"core\"", name);
    let expected = "hops[1].name: \"the core\" is no name of a hop; a letter or digit, and behind it up to 31 more, \"-\" or \"_\"";
    refused(&named("\"the core\""), &[expected]);
    for wrong in ["", "-core", "_", "kern€", "core "] {
        let expected = format!("hops[1].name: \"{wrong}\" is no name of a hop;");
        assert!(problems(&named(&format!("\"{wrong}\"")))[0].starts_with(&expected), "{wrong}");
    }
    assert_eq!(problems(&named(&format!("\"{}\"", "a".repeat(33)))).len(), 1);
    assert!(load(&named(&format!("\"{}\"", "a".repeat(32)))).is_ok());
    let expected = "hops[1].name: \"first\" is already the name of hops[0]; give each hop a name of its own";
    refused(&named("\"first\""), &[expected]);
    let expected = "hops[1].name: \"back\" is already the name of path.back; give each hop a name of its own";
    refused(&named("\"back\"").replace("[[flows]]", &format!("{BACK}[[flows]]")), &[expected]);
    assert!(load(&named("\"back\"")).is_ok());
    let back = |name: &str| format!("[[path.back.hops]]\nname = \"{name}\"\n{SHORT}");
    let expected = "path.back.hops[0].name: \"last\" is already the name of hops[2]; give each hop a name of its own";
    refused(&listed("", "").replace("[[flows]]", &format!("{}[[flows]]", back("last"))), &[expected]);
    let expected =
        "path.back.hops[0].name: \"bottleneck\" is already the name of path; give each hop a name of its own";
    refused(&format!("{PATH}{SHORT}{}{FLOW}", back("bottleneck")), &[expected]);
    let swept = "hops[1].name: must be text, not a list; write name = \"core\"";
    refused(&named("[\"a\", \"b\"]"), &[swept]);
}

#[test]
fn keys_of_a_hop_have_no_place_with_hops() {
    let own = "rate = \"9 Mbit/s\"\nbuffer = \"9 kB\"\nburst = \"5 kB\"\nshaper = \"tbf\"\noverhead = \"14 B\"\nloss = \"0 %\"\n\
               change = [{ at = \"1 s\", rate = \"1 Mbit/s\" }]\nshaper_at = \"router\"\nloss_at = \"before\"\n";
    let each = "has no place with [[hops]], each of which has its own";
    refused(
        &listed(own, ""),
        &[
            &format!("path.rate: {each}; write rate in [[hops]]"),
            &format!("path.buffer: {each}; write buffer in [[hops]]"),
            &format!("path.burst: {each}; write burst in [[hops]]"),
            &format!("path.shaper: {each}; write shaper in [[hops]]"),
            &format!("path.overhead: {each}; write overhead in [[hops]]"),
            &format!("path.loss: {each}; write loss in [[hops]]"),
            &format!("path.change: {each}; write [[hops.change]] behind its hop"),
            "path.shaper_at: says nothing of [[hops]]; leave it out: queues stand in the order of [[hops]], the last one next to \
         the receivers",
            "path.loss_at: says nothing of [[hops]]; leave it out: a hop's loss strikes before its queue; for loss behind a \
         queue give it to the next hop",
        ],
    );
    refused(
        &listed("", "access = { rate = \"1 Gbit/s\", buffer = \"1 MB\" }\n"),
        &[
            "flows[0].access: is a line before [[hops]]; write the line as one of [[hops]], which other groups pass by with a \
         route of their own",
        ],
    );
    let both = format!("{PATH}{SHORT}{BACK}[[path.back.hops]]\nname = \"out\"\n{SHORT}{FLOW}");
    let each = "has no place with [[path.back.hops]], each of which has its own";
    refused(
        &both,
        &[
            &format!("path.back.rate: {each}; write rate in [[path.back.hops]]"),
            &format!("path.back.buffer: {each}; write buffer in [[path.back.hops]]"),
            &format!("path.back.delay: {each}; write delay in [[path.back.hops]]"),
        ],
    );
    for shared in
        ["queue = \"packets\"\n", "mtu = 9000\n", "jitter = \"none\"\n", "offload = true\n", "delay_side = \"split\"\n"]
    {
        assert!(load(&listed(shared, "")).is_ok(), "{shared}");
    }
}

#[test]
fn the_bottleneck_is_one_of_the_hops() {
    refused(
        &listed("bottleneck = \"cor\"\n", ""),
        &["path.bottleneck: \"cor\" is none of [[hops]]; did you mean \"core\"?"],
    );
    refused(
        &format!("{PATH}{SHORT}bottleneck = \"core\"\n{FLOW}"),
        &[
            "path.bottleneck: \"core\": there are no [[hops]] that it could name; leave it out, or write [[hops]] in place of \
         path.rate and path.buffer",
        ],
    );
    let swept = listed("bottleneck = [\"core\", \"up\", \"last\"]\n", "");
    refused(
        &swept,
        &["path.bottleneck: \"up\" is none of [[hops]] (at path.bottleneck = \"up\"); known: first, core, last"],
    );
}

#[test]
fn data_goes_up_where_there_are_hops() {
    refused(
        &listed("", "direction = \"up\"\n"),
        &[
            "flows[0].direction: \"up\", but there are no hops on the way back; write [path.back] with its rate and buffer",
        ],
    );
    refused(&listed("", "direction = \"upp\"\n"), &["flows[0].direction: unknown \"upp\"; did you mean \"up\"?"]);
    assert!(load(&format!("{PATH}{SHORT}{BACK}{FLOW}direction = \"up\"\n")).is_ok());
}

#[test]
fn a_route_is_a_row_of_neighbours() {
    for (route, expected) in [
        (
            "[\"first\", \"last\"]",
            "\"first\" and \"last\" are no neighbours; in a row they are \"first\", \"core\", \"last\"",
        ),
        (
            "[\"core\", \"first\"]",
            "\"first\" stands behind \"core\", and packets meet it first; in a row they are \"first\", \"core\"",
        ),
        ("[\"core\", \"core\"]", "\"core\" is named twice; name each hop once"),
        ("[\"cor\"]", "\"cor\" is no hop; did you mean \"core\"?"),
        ("[\"core\", \"router\"]", "\"router\" is no hop; known: first, core, last"),
        ("[]", "the list is empty; write route = [\"first\", \"core\"]"),
        ("\"core\"", "must be a list, not \"core\"; write route = [\"first\", \"core\"]"),
    ] {
        let expected = format!("flows[0].route: {expected}");
        refused(&listed("", &format!("route = {route}\n")), &[&*expected]);
    }
    refused(
        &listed("", "route = [\"core\", 3]\n"),
        &["flows[0].route[1]: must be text, not 3; write route = [\"first\", \"core\"]"],
    );
    let back = format!("{BACK}{FLOW}").replace("[path.back]", "[path.back]\nhops = [
        { name = \"a\", rate = \"1 Mbit/s\", buffer = \"1 bdp\" }, { name = \"b\", rate = \"1 Mbit/s\", buffer = \"1 bdp\" }]");
    let back = back.replace("rate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"8 ms\"\n", "");
    refused(
        &format!("{PATH}{HOPS}{back}route = [\"b\", \"core\", \"a\"]\n"),
        &["flows[0].route: \"a\" stands behind \"b\", and packets meet it first; in a row they are \"a\", \"b\""],
    );
    assert!(load(&format!("{PATH}{HOPS}{back}route = [\"b\", \"core\"]\n")).is_ok());
}

#[test]
fn delays_have_room_in_the_base_rtt() {
    let text = |rtt: &str, flows: &str| {
        format!("{PATH}{HOPS}{BACK}{FLOW}{FLOW}{flows}").replace("rtt = \"40 ms\"", &format!("rtt = \"{rtt}\""))
    };
    assert!(load(&text("17 ms", "")).is_ok());
    let said = "than the delays of the hops that flows[0] passes, 17 ms in all; at least \"17 ms\", or shorter delays";
    refused(&text("16.999 ms", ""), &[&*format!("path.rtt: 16.999 ms is less {said}")]);
    refused(
        &text("40 ms", "rtt = \"10 ms\"\n"),
        &[&*format!("flows[1].rtt: 10 ms is less {}", said.replace("[0]", "[1]"))],
    );
    assert!(load(&text("40 ms", "rtt = \"10 ms\"\nroute = [\"core\"]\n")).is_ok(), "8 ms of the way back alone");
    let up = text("40 ms", "rtt = \"10 ms\"\ndirection = \"up\"\nroute = [\"last\"]\n");
    assert!(load(&up).is_ok(), "of data on the way back, too");
}

#[test]
fn what_was_meant_is_said() {
    let with = |path: &str| format!("{PATH}{SHORT}{path}{FLOW}");
    refused(
        &with("[[path.hops]]\nname = \"core\"\n"),
        &["path.hops: unknown key; it is a table of its own: write [[hops]]"],
    );
    refused(
        &with("uplink = \"1 Mbit/s\"\n"),
        &[
            "path.uplink: unknown key; the way of the ACKs is [path.back], with a rate and a buffer of its own, and data on it a \
         flow of direction = \"up\"",
        ],
    );
    refused(
        &with("delay = \"10 ms\"\n"),
        &["path.delay: unknown key; write rtt = \"50 ms\": the base round trip, twice a delay of one way"],
    );
    refused(
        &format!("links = 3\n{PATH}{SHORT}{FLOW}"),
        &["links: unknown key; queues in a row are [[hops]], each with a name, a rate and a buffer"],
    );
    refused(
        &with("[[path.back]]\nrate = \"1 Mbit/s\"\n"),
        &["path.back: must be a table, not a list; write [path.back]"],
    );
}
