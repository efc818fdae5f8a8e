//! Clients that load pages: what a spec's words become, and what is refused.

mod support;

use run::{Sizes, Think, Workload};
use support::{problems, run};

const TOP: &str = "duration = \"10 s\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"40 ms\"\nbuffer = \"1 bdp\"\n";

fn with(pages: &str) -> String {
    format!("{TOP}[[flows]]\nname = \"web\"\ncc = \"cubic\"\ncount = 2\nworkload = {{ pages = {pages} }}\n")
}

#[test]
fn each_flow_of_a_group_is_a_client() {
    let run = run(&with("{ objects = 50, size = \"20 kB\" }"));
    let pages = Workload::Pages {
        connections: 6,
        objects: 50,
        sizes: Sizes::Fixed(20_000),
        request_bytes: 400,
        think: Think::Fixed(1_000_000_000),
    };
    assert_eq!([&*run.flows[0].name, &*run.flows[1].name], ["web", "web-2"]);
    assert!(run.flows.iter().all(|flow| flow.workload == pages && flow.connections() == 6 && !flow.is_finite()));
    // From the first page on: nothing has to settle.
    assert_eq!(run.measure.window_begin_ns, 0);
}

#[test]
fn sizes_and_pauses_may_be_of_chance() {
    let text = "{ objects = 1, size = { pareto = { mean = \"10 kB\", shape = 2 } }, think = { exponential = \"10 s\" }, \
                connections = 1, request = \"1448 B\" }";
    let flow = run(&with(text)).flows[0].clone();
    let Workload::Pages { connections, sizes, request_bytes, think, .. } = flow.workload else {
        panic!("pages: {:?}", flow.workload)
    };
    assert_eq!((connections, request_bytes, think), (1, 1_448, Think::Exponential(10_000_000_000)));
    assert_eq!(sizes, Sizes::Pareto { minimum: 5_000.0, shape: 2.0, maximum: None });
}

#[test]
fn what_no_client_can_be_is_refused_by_its_path() {
    for (pages, begins) in [
        ("{ size = \"20 kB\" }", "flows[0].workload.pages.objects: missing"),
        ("{ objects = 1 }", "flows[0].workload.pages.size: missing"),
        ("{ objects = 0, size = \"1 kB\" }", "flows[0].workload.pages.objects: "),
        ("{ objects = 1, size = \"1 kB\", request = \"1449 B\" }", "flows[0].workload.pages.request: longer than"),
        ("{ objects = 1, size = \"1 kB\", connections = 257 }", "flows[0].workload.pages.connections: "),
        ("{ objects = 1, size = \"1 kB\", think = \"-1 s\" }", "flows[0].workload.pages.think: "),
        ("{ objects = 1, size = \"1 kB\", think = { uniform = \"1 s\" } }", "flows[0].workload.pages.think"),
        ("{ objects = 1, size = { lognormal = { sigma = 1 } } }", "flows[0].workload.pages.size.lognormal: neither"),
        (
            "{ objects = 1, size = { pareto = { mean = \"1 kB\", shape = 0.9 } } }",
            "flows[0].workload.pages.size.pareto.shape: a Pareto distribution of shape 0.9 has no mean",
        ),
    ] {
        let lines = problems(&with(pages));
        assert!(lines.len() == 1 && lines[0].starts_with(begins), "{pages}: {lines:?}");
    }
    let endless = with("{ objects = 1, size = \"1 kB\" }").replace("\"10 s\"", "\"until done\"\ntime_limit = \"10 s\"");
    let lines = problems(&endless);
    assert!(lines.len() == 1 && lines[0].starts_with("duration: \"until done\", but no flow"), "{lines:?}");
}
