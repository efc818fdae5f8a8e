//! Cost of a spec: its text is read and checked, and each of its points becomes a run.
//!
//! `cargo bench -p spec` prints nanoseconds a spec or a run, the least of many rounds.

#[path = "../../sim/benches/row/mod.rs"]
mod row;

use row::row;
use spec::{Experiment, Files, Refusal, Registry, parse};
use std::hint::black_box;

const PLAIN: &str = "\
duration = '60 s'
[path]
rate = '100 Mbit/s'
rtt = '40 ms'
buffer = '1 bdp'
[[flows]]
cc = 'cubic'
[[flows]]
cc = 'bbr'
";

const HOPS: &str = "\
duration = '60 s'
[path]
rtt = '40 ms'
[[hops]]
name = 'first'
rate = '100 Mbit/s'
buffer = '1 bdp'
delay = '2 ms'
[[hops]]
name = 'core'
rate = '50 Mbit/s'
buffer = '20 ms'
delay = '5 ms'
[[hops]]
name = 'last'
rate = '80 Mbit/s'
buffer = '20 ms'
[[path.back.hops]]
name = 'home'
rate = '10 Mbit/s'
buffer = '1 bdp'
[[flows]]
cc = 'cubic'
[[flows]]
cc = 'bbr'
";

/// 10 x 10 x 2 = 200 points.
const SWEEP: &str = "\
duration = '60 s'
[path]
rate = '100 Mbit/s'
rtt = ['5 ms', '10 ms', '20 ms', '30 ms', '40 ms', '60 ms', '80 ms', '100 ms', '150 ms', '200 ms']
buffer = ['0.2 bdp', '0.5 bdp', '0.8 bdp', '1 bdp', '1.5 bdp', '2 bdp', '3 bdp', '4 bdp', '6 bdp', '8 bdp']
[[flows]]
cc = ['cubic', 'bbr']
[[flows]]
cc = 'reno'
";

const SPECS: u64 = 20;

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &str) -> Result<String, Refusal> {
        Err(Refusal::new("no such file", ""))
    }
}

fn experiment(text: &str) -> Experiment {
    let fields = parse(text, "spec").expect("TOML");
    Experiment::load(&fields, &NoFiles, Registry::known()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Resolves one seed of each point. Gives the number of runs.
fn resolve(experiment: &Experiment) -> u64 {
    let points = experiment.len();
    for point in 0..points {
        black_box(experiment.point(point).resolve(1, false).expect("a run"));
    }
    points as u64
}

fn main() {
    for (name, text) in [("a plain spec", PLAIN), ("three hops and one back", HOPS), ("a sweep of 200 points", SWEEP)] {
        row(&format!("{name}: read and checked"), "spec", || {
            (0..SPECS).for_each(|_| _ = black_box(experiment(text)));
            SPECS
        });
        let experiment = experiment(text);
        row(&format!("{name}: resolved"), "run", || {
            let rounds = SPECS.div_ceil(resolve(&experiment));
            (0..rounds).map(|_| resolve(&experiment)).sum()
        });
    }
}
