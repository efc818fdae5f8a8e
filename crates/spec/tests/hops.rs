//! Hops, the way back, directions and routes: what a spec's words become.

mod support;

use run::samples::hop;
use run::{Buffer, Change, Direction, Hop, LossAt, Route, Run, ShaperKind};
use support::{experiment, resolved, run};

const TOP: &str = "duration = \"10 s\"\n";
const RENO: &str = "[[flows]]\ncc = \"reno\"\n";
/// Three hops of which the second is the slowest, 50 Mbit/s x 40 ms = 250 kB.
const ROW: &str = "[path]\nrtt = \"40 ms\"\n\
    [[hops]]\nname = \"first\"\nrate = \"100 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"2 ms\"\n\
    [[hops]]\nname = \"core\"\nrate = \"50 Mbit/s\"\nbuffer = \"20 ms\"\ndelay = \"5 ms\"\n\
    [[hops]]\nname = \"last\"\nrate = \"100 Mbit/s\"\nbuffer = \"20 ms\"\n";
const BACK: &str = "[[path.back.hops]]\nname = \"out\"\nrate = \"2 Mbit/s\"\nbuffer = \"10 packets\"\ndelay = \"3 ms\"\n\
    [[path.back.hops]]\nname = \"home\"\nrate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\ndelay = \"4 ms\"\n";

fn row(rest: &str) -> String {
    format!("{TOP}{ROW}{rest}")
}

fn plain(name: &str, rate_bps: u64, buffer_bytes: u64, delay_ns: u64) -> Hop {
    Hop { delay_ns, burst_bytes: 5_000, ..hop(name, rate_bps, buffer_bytes) }
}

#[test]
fn hops_stand_in_a_row_and_the_path_has_what_its_bottleneck_has() {
    let experiment = experiment(&row(RENO));
    let resolved = resolved(&experiment, 0);
    let path = &resolved.run.path;
    let first = plain("first", 100_000_000, 250_000, 2_000_000);
    let core = plain("core", 50_000_000, 125_000, 5_000_000);
    assert_eq!(path.hops, [first, core, plain("last", 100_000_000, 250_000, 0)]);
    assert_eq!((path.bottleneck, path.rate_bps, path.buffer), (1, 50_000_000, Buffer::Bytes(125_000)));
    assert!(path.back.is_empty());
    assert_eq!(resolved.bdp_bytes.to_bits(), 250_000_f64.to_bits());
    assert_eq!(experiment.point(0).filled_bytes(), Some(125_000.0));
}

#[test]
fn the_named_hop_is_the_bottleneck_and_of_equals_the_first() {
    let named = ROW.replace("rtt = \"40 ms\"", "rtt = \"40 ms\"\nbottleneck = \"last\"\njitter = \"1 packet\"");
    let text = format!(
        "{TOP}{named}overhead = \"38 B\"\nloss = \"1 %\"\nburst = \"1 B\"\nshaper = \"htb\"\n\
                        [[hops.change]]\nat = \"5 s\"\nrate = \"1 Mbit/s\"\n{RENO}"
    );
    let experiment = experiment(&text);
    let resolved = resolved(&experiment, 0);
    let Run { path, .. } = &resolved.run;
    assert_eq!((path.bottleneck, path.rate_bps), (2, 100_000_000));
    assert_eq!(resolved.bdp_bytes.to_bits(), 500_000_f64.to_bits());
    assert_eq!(path.hops[0].buffer, Buffer::Bytes(500_000), "the bdp of another hop");
    assert_eq!((path.overhead_bytes, path.loss_ppb, path.burst_bytes), (38, 10_000_000, 1));
    assert_eq!((path.shaper, path.loss_at), (ShaperKind::Htb, LossAt::Before));
    assert_eq!(path.changes, [Change::of_rate(5_000_000_000, 1_000_000)]);
    assert_eq!(path.changes, path.hops[2].changes);
    assert!(path.hops[0].changes.is_empty() && path.hops[1].changes.is_empty());
    assert_eq!(path.jitter_ns, Some((1_500 + 38) * 80), "a packet takes the bottleneck's line so long");
    let equal = run(&row(RENO).replace("100 Mbit/s", "50 Mbit/s"));
    assert_eq!(equal.path.bottleneck, 0);
    assert_eq!(equal.path.changes, []);
}

#[test]
fn packets_are_of_each_hops_own_overhead() {
    let text = row(RENO).replace("buffer = \"20 ms\"", "buffer = \"10 packets\"\noverhead = \"38 B\"");
    let buffers = |run: Run| run.path.hops.iter().map(|hop| hop.buffer).collect::<Vec<_>>();
    let tens = [Buffer::Bytes(250_000), Buffer::Bytes(15_380), Buffer::Bytes(15_380)];
    assert_eq!(buffers(run(&text)), tens);
    let counted = text.replace("[path]\n", "[path]\nqueue = \"packets\"\n");
    assert_eq!(buffers(run(&counted)), [Buffer::Packets(165), Buffer::Packets(10), Buffer::Packets(10)]);
}

#[test]
fn a_way_back_is_one_hop_or_several() {
    let short = "[path]\nrate = \"80 Mbit/s\"\nrtt = \"25 ms\"\nbuffer = \"1 bdp\"\n";
    let one = format!(
        "{TOP}{short}[path.back]\nrate = \"1 Mbit/s\"\nbuffer = \"0.5 bdp\"\ndelay = \"3 ms\"\nloss = \"2 %\"\n\
                       [[path.back.change]]\nat = \"4 s\"\nrate = \"2 Mbit/s\"\n{RENO}"
    );
    let path = run(&one).path;
    let changes = vec![Change::of_rate(4_000_000_000, 2_000_000)];
    let back = Hop { loss_ppb: 20_000_000, changes, ..plain("back", 1_000_000, 125_000, 3_000_000) };
    assert_eq!(path.back, [back], "0.5 bdp of the bottleneck");
    assert!(path.hops.is_empty() && path.changes.is_empty());
    assert_eq!(path.hops(Direction::Down)[0].buffer, Buffer::Bytes(250_000));
    let several = run(&format!("{TOP}{short}{BACK}{RENO}")).path;
    let out = plain("out", 2_000_000, 15_140, 3_000_000);
    assert_eq!(several.back, [out, plain("home", 1_000_000, 250_000, 4_000_000)]);
    assert_eq!(several.bottleneck(Direction::Up), Some(1));
}

#[test]
fn delays_are_parts_of_the_base_rtt_and_the_rest_lies_where_it_should() {
    let delays = |side: &str, flow: &str| {
        let text =
            row(&format!("{BACK}{RENO}{flow}")).replace("[path]\n", &format!("[path]\ndelay_side = \"{side}\"\n"));
        let flow = run(&text).flows.remove(0);
        (flow.forward_delay_ns / 1_000, flow.return_delay_ns / 1_000)
    };
    // 40 ms, of which 7 are on the way of the data and 7 on that of the ACKs.
    assert_eq!(delays("return", ""), (7_000, 33_000));
    assert_eq!(delays("forward", ""), (33_000, 7_000));
    assert_eq!(delays("split", ""), (20_000, 20_000));
    assert_eq!(delays("return", "rtt = \"100 ms\"\n"), (7_000, 93_000));
    assert_eq!(delays("return", "rtt = \"14 ms\"\n"), (7_000, 7_000), "nothing is left over");
    assert_eq!(delays("return", "direction = \"up\"\nroute = [\"core\"]\n"), (7_000, 33_000));
    assert_eq!(delays("forward", "direction = \"up\"\nroute = [\"core\"]\n"), (35_000, 5_000));
    assert_eq!(delays("forward", "route = [\"first\", \"out\"]\n"), (37_000, 3_000));
    let spread = run(&format!("rtt_spread = \"1 ms\"\n{}", row(RENO))).flows.remove(0);
    assert!(spread.forward_delay_ns == 7_000_000 && spread.return_delay_ns > 33_000_000, "{spread:?}");
}

#[test]
fn a_flow_passes_what_its_route_names() {
    let route = |flow: &str| {
        let flow = run(&row(&format!("{BACK}{RENO}{flow}"))).flows.remove(0);
        (flow.direction, flow.route)
    };
    let (down, up) = (Direction::Down, Direction::Up);
    assert_eq!(route(""), (down, Route::default()));
    assert_eq!(route("route = [\"core\", \"last\"]"), (down, Route { data: Some((1, 2)), acks: None }));
    assert_eq!(route("route = [\"home\", \"first\"]"), (down, Route { data: Some((0, 0)), acks: Some((1, 1)) }));
    let both = Route { data: Some((1, 1)), acks: Some((0, 0)) };
    assert_eq!(route("direction = \"up\"\nroute = [\"first\", \"home\"]"), (up, both));
    assert_eq!(route("route = [\"first\", \"core\", \"last\"]"), (down, Route::default()), "all, as without it");
    let short = format!("{TOP}[path]\nrate = \"8 Mbit/s\"\nrtt = \"25 ms\"\nbuffer = \"1 bdp\"\n{RENO}");
    assert_eq!(run(&format!("{short}route = [\"bottleneck\"]\n")), run(&short));
    assert_eq!(run(&short).path.hops(down)[0].name, "bottleneck");
}

#[test]
fn the_keys_of_hops_are_swept_as_any_others() {
    let text = format!("zip = [[\"hops[0].rate\", \"path.back.rate\"]]\n{}", row(&format!(
        "[path.back]\nrate = [\"1 Mbit/s\", \"2 Mbit/s\"]\nbuffer = \"9 packets\"\n{RENO}route = [[\"first\"], [\"core\", \"last\"]]\n"
    )))
    .replacen("rate = \"100 Mbit/s\"", "rate = [\"20 Mbit/s\", \"60 Mbit/s\"]", 1)
    .replacen("buffer = \"20 ms\"", "buffer = [\"1 bdp\", \"2 bdp\", \"1 MB\"]", 1);
    let experiment = experiment(&text);
    let axes: Vec<&str> = experiment.axes().iter().map(|axis| &*axis.path).collect();
    assert_eq!(axes, ["path.back.rate", "hops[0].rate", "hops[1].buffer", "flows[0].route"]);
    assert_eq!(experiment.len(), 2 * 3 * 2);
    let last = resolved(&experiment, 9).run;
    assert_eq!((last.path.back[0].rate_bps, last.path.hops[0].rate_bps), (2_000_000, 60_000_000));
    assert_eq!((last.path.hops[1].buffer, last.flows[0].route.data), (Buffer::Bytes(500_000), Some((1, 2))));
    let bottlenecks: Vec<usize> = (0..12).map(|point| resolved(&experiment, point).run.path.bottleneck).collect();
    assert_eq!(bottlenecks, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], "the slowest of each point");
    assert_eq!(resolved(&experiment, 2).run.path.hops[1].buffer, Buffer::Bytes(200_000), "2 bdp of 20 Mbit/s");
    let fields = experiment.point(9).fields();
    assert!(spec::toml(&fields).contains("[path.back]\nrate = \"2 Mbit/s\"\n"), "{}", spec::toml(&fields));
}

#[test]
fn a_field_is_set_from_outside() {
    let mut fields = spec::parse(&row(RENO), "spec").expect("TOML");
    spec::set(&mut fields, "hops[1].buffer", "3 bdp".into()).expect("a place");
    spec::set(&mut fields, "path.back.rate", "1 Mbit/s".into()).expect("a place");
    spec::set(&mut fields, "path.back.buffer", "9 kB".into()).expect("a place");
    let path = run(&spec::toml(&fields)).path;
    assert_eq!((path.buffer, path.back[0].buffer), (Buffer::Bytes(750_000), Buffer::Bytes(9_000)));
}

#[test]
fn what_is_written_reads_back() {
    let text = row(&format!(
        "[[hops.change]]\nat = \"5 s\"\nrate = \"1 Mbit/s\"\n{BACK}[[path.back.hops.change]]\n\
                             at = \"6 s\"\nrate = \"3 Mbit/s\"\n{RENO}direction = \"up\"\nroute = [\"home\"]\n"
    ));
    let first = experiment(&text);
    let written = first.to_toml();
    for header in
        ["[path]", "[[path.back.hops]]", "[[path.back.hops.change]]", "[[hops]]", "[[hops.change]]", "[[flows]]"]
    {
        assert!(written.lines().any(|line| line == header), "{header}:\n{written}");
    }
    assert_eq!(resolved(&experiment(&written), 0).id("sim", "x"), resolved(&first, 0).id("sim", "x"));
    let last = &resolved(&first, 0).run.path;
    assert_eq!((last.hops[2].changes.len(), last.back[1].changes.len(), last.back[0].changes.len()), (1, 1, 0));
}

#[test]
fn the_load_of_arrivals_is_of_the_bottleneck_on_their_way() {
    let arrivals = |flow: &str| {
        let workload = "workload = { arrivals = { load = 0.5 }, size = \"1 kB\" }";
        run(&row(&format!("{BACK}{RENO}{workload}\n{flow}"))).flows[0].arrivals().len() as f64
    };
    // A transfer of 1 kB is 1066 bytes of frames.
    let (down, up) = (0.5 * 50e6 * 10.0 / (8.0 * 1066.0), 0.5 * 1e6 * 10.0 / (8.0 * 1066.0));
    assert!((arrivals("") / down - 1.0).abs() < 0.05, "{}", arrivals(""));
    let back = arrivals("direction = \"up\"\n");
    assert!((back / up - 1.0).abs() < 0.2, "{back}");
}

#[test]
fn the_buffer_of_a_hop_has_its_amounts() {
    let fields = experiment(&row(&format!("{BACK}{RENO}"))).fields();
    let amounts = |field: &str, text: &str| spec::amounts(field, &text.into(), &fields);
    let both = |field: &str, bytes, bdp| vec![(format!("{field}_bytes"), bytes), (format!("{field}_bdp"), bdp)];
    assert_eq!(amounts("hops[0].buffer", "2 bdp"), both("hops[0].buffer", 500_000.0, 2.0));
    assert_eq!(amounts("hops[0].buffer", "10 ms"), both("hops[0].buffer", 125_000.0, 0.5));
    assert_eq!(amounts("path.back.hops[1].buffer", "1 bdp"), both("path.back.hops[1].buffer", 250_000.0, 1.0));
    assert_eq!(amounts("hops[1].rate", "5 Mbit/s"), [("hops[1].rate_bps".to_owned(), 5e6)]);
    assert_eq!(amounts("hops[1].delay", "5 ms"), [("hops[1].delay_s".to_owned(), 0.005)]);
    assert_eq!(amounts("path.jitter", "1 packet"), [("path.jitter_s".to_owned(), 0.000_242_24)]);
    assert_eq!(amounts("hops[7].buffer", "1 bdp"), []);
    let rooms = spec::rooms(&fields).expect("a room");
    assert_eq!((rooms.written, rooms.bdp, rooms.ms, rooms.kilobytes), ("ms", 0.5, 20.0, 125.0));
}
