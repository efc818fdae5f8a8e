//! ECN of flows: what it resolves to.

mod support;

use run::Ecn;
use support::{problems, run};

fn spec(flow: &str) -> String {
    format!(
        "duration = \"10 s\"\n[path]\nrate = \"100 Mbit/s\"\nrtt = \"20 ms\"\nbuffer = \"1 bdp\"\n[[flows]]\n{flow}\n"
    )
}

#[test]
fn a_flow_has_ecn_where_it_says_so_and_a_run_says_so_then_only() {
    for (flow, ecn) in [
        ("cc = \"cubic\"", Ecn::Off),
        ("cc = \"cubic\"\necn = false", Ecn::Off),
        ("cc = \"cubic\"\necn = true", Ecn::Classic),
        ("cc = \"cubic\"\necn = \"accurate\"", Ecn::Accurate),
        ("cc = \"dctcp\"", Ecn::Off), // it needs none of this
    ] {
        let flows = run(&spec(flow)).flows;
        assert_eq!(flows[0].ecn, ecn, "{flow}");
        let written = serde_json::to_string(&flows[0]).expect("JSON");
        assert_eq!(written.contains("ecn"), ecn != Ecn::Off, "{written}");
    }
    assert_eq!(
        problems(&spec("cc = \"cubic\"\necn = 1")),
        ["flows[0].ecn: must be true, false or a word, not 1; write ecn = true"]
    );
    assert_eq!(
        problems(&spec("cc = \"cubic\"\necn = \"acurate\"")),
        ["flows[0].ecn: unknown \"acurate\"; did you mean \"accurate\"?"]
    );
}
