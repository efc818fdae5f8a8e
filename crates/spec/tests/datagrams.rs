//! Pings and other datagrams: what a spec's words become, and what is refused.

mod support;

use run::{Spacing, Workload};
use support::{experiment, problems, resolved, run};

const TOP: &str = "duration = \"10 s\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"40 ms\"\nbuffer = \"1 bdp\"\n";
const RENO: &str = "[[flows]]\ncc = \"reno\"\n";

fn with(flow: &str) -> String {
    format!("{TOP}{RENO}[[flows]]\n{flow}")
}

#[test]
fn a_ping_needs_no_congestion_control() {
    let text = format!("{TOP}{RENO}[[flows]]\nworkload = {{ ping = \"100 ms\" }}\ncount = 2\n");
    let resolved = resolved(&experiment(&text), 0);
    let ping = &resolved.run.flows[1];
    assert_eq!((ping.cc.as_ref(), &ping.workload), (None, &Workload::Ping { every_ns: 100_000_000, bytes: 64 }));
    assert_eq!(resolved.groups, ["reno", "ping", "ping"]);
    assert_eq!(resolved.ccs, ["reno", "ping", "ping"]);
    // A steady state is what is asked for.
    assert_eq!(resolved.run.measure.window_begin_ns, 2_500_000_000);
    let json = serde_json::to_string(ping).expect("json");
    assert!(
        json.contains(r#""workload":{"ping":{"every_ns":100000000,"bytes":64}}"#) && !json.contains("\"cc\""),
        "{json}"
    );
    assert_eq!(run(&text).flows[0].cc.as_ref().map(|cc| &*cc.algorithm), Some("reno"));
}

#[test]
fn what_a_ping_cannot_be_is_refused_by_its_path() {
    for (flow, begins) in [
        ("cc = \"reno\"\nworkload = { ping = \"1 s\" }\n", "flows[1].cc: a ping is no TCP connection"),
        ("ecn = true\nworkload = { ping = \"1 s\" }\n", "flows[1].ecn: a ping is no TCP connection"),
        ("workload = { ping = \"1 s\", payload = \"1473 B\" }\n", "flows[1].workload.payload: longer than"),
        ("count = 2\nworkload = { ping = \"1 us\" }\n", "flows[1].workload.ping: 20000000 pings are too many"),
        ("workload = { transfer = \"1 MB\" }\n", "flows[1].cc: missing"),
        ("name = \"x\"\n", "flows[1].cc: missing"),
    ] {
        let lines = problems(&with(flow));
        assert!(lines.len() == 1 && lines[0].starts_with(begins), "{flow}: {lines:?}");
    }
    assert_eq!(run(&with("workload = { ping = \"1 s\", payload = \"1472 B\" }\n")).flows.len(), 2);
}

#[test]
fn datagrams_have_a_rate_or_a_trace() {
    let udp = |table: &str| run(&with(&format!("workload = {{ udp = {table} }}\n"))).flows[1].clone();
    let even = Workload::Datagrams { rate_bps: 5_000_000, bytes: 1_200, spacing: Spacing::Even, on_ns: 0, off_ns: 0 };
    let flow = udp("{ rate = \"5 Mbit/s\" }");
    assert_eq!((&*flow.name, flow.cc.as_ref(), &flow.workload), ("udp", None, &even));
    let paused =
        udp("{ rate = \"1 Mbit/s\", payload = \"172 B\", spacing = \"poisson\", on = \"1 s\", off = \"2 s\" }");
    let (rate_bps, bytes, spacing, on_ns, off_ns) = (1_000_000, 172, Spacing::Poisson, 1_000_000_000, 2_000_000_000);
    assert_eq!(paused.workload, Workload::Datagrams { rate_bps, bytes, spacing, on_ns, off_ns });
    for (table, begins) in [
        ("{ }", "flows[1].workload.udp: does not say when datagrams are sent"),
        ("{ rate = \"1 Mbit/s\", payload = \"1473 B\" }", "flows[1].workload.udp.payload: longer than"),
        ("{ rate = \"1 Mbit/s\", on = \"1 s\" }", "flows[1].workload.udp.off: missing"),
        ("{ rate = \"10 Gbit/s\" }", "flows[1].workload.udp: 10416666 datagrams are too many"),
    ] {
        let lines = problems(&with(&format!("workload = {{ udp = {table} }}\n")));
        assert!(lines.len() == 1 && lines[0].starts_with(begins), "{table}: {lines:?}");
    }
    let lines = problems(&with("cc = \"reno\"\nworkload = { udp = { rate = \"1 Mbit/s\" } }\n"));
    assert!(lines.len() == 1 && lines[0].starts_with("flows[1].cc: datagrams are no TCP connection"), "{lines:?}");
}
