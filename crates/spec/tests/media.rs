//! Media: what a spec's words become, and what is refused.

mod support;

use run::Workload;
use support::{problems, run};

const TOP: &str = "duration = \"10 s\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"40 ms\"\nbuffer = \"1 bdp\"\n";

fn with(media: &str) -> String {
    format!("{TOP}[[flows]]\nworkload = {{ media = {media} }}\n")
}

#[test]
fn media_have_the_defaults_of_the_rfc() {
    let media = |table: &str| run(&with(table)).flows[0].clone();
    let flow = media("{ }");
    let expected = Workload::Media { least_bps: 150_000, most_bps: 1_500_000, frames: 30, deadline_ns: 150_000_000 };
    assert_eq!((&*flow.name, flow.cc.as_ref(), &flow.workload), ("media", None, &expected));
    let own = media("{ least = \"300 kbit/s\", most = \"2.5 Mbit/s\", frames = 60, deadline = \"400 ms\" }");
    let expected = Workload::Media { least_bps: 300_000, most_bps: 2_500_000, frames: 60, deadline_ns: 400_000_000 };
    assert_eq!(own.workload, expected);
}

#[test]
fn what_media_cannot_be_is_refused_by_its_path() {
    for (table, begins) in [
        (
            "{ least = \"2 Mbit/s\" }",
            "flows[0].workload.media.least: more than most, 1.5 Mbit/s; write most = \"2 Mbit/s\"",
        ),
        ("{ most = \"5 Gbit/s\" }", "flows[0].workload.media.most: "),
        ("{ frames = 0 }", "flows[0].workload.media.frames: "),
        ("{ deadline = \"150\" }", "flows[0].workload.media.deadline: "),
        ("{ rate = \"1 Mbit/s\" }", "flows[0].workload.media.rate: unknown"),
    ] {
        let lines = problems(&with(table));
        assert!(lines.len() == 1 && lines[0].starts_with(begins), "{table}: {lines:?}");
    }
    assert_eq!(run(&with("{ most = \"4 Gbit/s\", frames = 240 }")).flows.len(), 1);
    let lines = problems(&with("{ most = \"4 Gbit/s\" }").replace("10 s", "30 s"));
    assert!(lines.len() == 1 && lines[0].starts_with("flows[0].workload.media: 12500"), "{lines:?}");
    let lines = problems(&format!("{}cc = \"reno\"\n", with("{ }")));
    assert!(lines.len() == 1 && lines[0].starts_with("flows[0].cc: media are no TCP connection"), "{lines:?}");
}
