//! A spec as the page asks about it: what is wrong with it, and its runs.

use crate::page_word::PageWord;
use run::Record;
use serde::{Deserialize, Serialize};
use spec::{Experiment, Fields, Files, Problem, Refusal, Registry, Seeds, Word};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const ENGINE: &str = "sim";

/// A spec, and the files that the page was given with it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    spec: Text,
    /// Their texts by their names.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Text {
    Toml(String),
    Fields(PageWord),
}

/// What there is to say of a spec.
#[derive(Debug, Serialize)]
pub(crate) struct Checked {
    problems: Vec<Problem>,
    /// As it is written; None of what is no TOML.
    fields: Option<PageWord>,
    /// In digits, as they may be larger than JavaScript's numbers; none of a spec with problems.
    seeds: Vec<String>,
}

/// Which run of a spec's first point the page wants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resolve {
    source: Source,
    seed: u64,
    #[serde(default)]
    record: Option<Recorded>,
}

/// What a run records, where it is not what the spec says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Recorded {
    /// No series.
    Summary,
    /// A series with a sample at each such time, of a run that ends no later than this.
    Series { sample_ns: u64, until_ns: u64 },
}

/// A run.
#[derive(Debug, Serialize)]
pub(crate) struct Resolved {
    /// JSON as a text, for the page to hand on: its numbers may be larger than JavaScript's.
    run: String,
    /// Its name in every store, where it records what the spec says.
    id: String,
    /// The group of each flow.
    groups: Vec<String>,
    /// Each flow's congestion control as the spec wrote it.
    ccs: Vec<String>,
    bdp_bytes: f64,
    /// Length of a full frame, as the bottleneck counts it.
    frame_bytes: u64,
    /// By how much each flow starts later, of its start.
    start_jitters_ns: Vec<u64>,
}

thread_local! {
    /// The last experiment, which is asked about more than once.
    static LAST: RefCell<Option<(Source, Rc<Experiment>)>> = const { RefCell::new(None) };
}

impl Source {
    /// What there is to say of it.
    pub(crate) fn checked(self) -> Checked {
        let fields = match self.fields() {
            Ok(fields) => fields,
            Err(problem) => return Checked { problems: vec![problem], fields: None, seeds: Vec::new() },
        };
        let written = Some(Word::Table(fields.clone()).into());
        match self.loaded(&fields) {
            Ok(experiment) => Checked { problems: Vec::new(), fields: written, seeds: seeds(&experiment) },
            Err(problems) => Checked { problems, fields: written, seeds: Vec::new() },
        }
    }

    fn experiment(self) -> Result<Rc<Experiment>, Vec<Problem>> {
        let last = LAST.with_borrow(|last| {
            last.as_ref().filter(|(source, _)| *source == self).map(|(_, experiment)| Rc::clone(experiment))
        });
        if let Some(experiment) = last {
            return Ok(experiment);
        }
        let fields = self.fields().map_err(|problem| vec![problem])?;
        self.loaded(&fields)
    }

    fn loaded(self, fields: &Fields) -> Result<Rc<Experiment>, Vec<Problem>> {
        let experiment = Rc::new(Experiment::load(fields, &self, Registry::known())?);
        LAST.set(Some((self, Rc::clone(&experiment))));
        Ok(experiment)
    }

    fn fields(&self) -> Result<Fields, Problem> {
        match &self.spec {
            Text::Toml(text) => spec::parse(text, "spec"),
            Text::Fields(fields) => Ok(fields.clone().fields()),
        }
    }
}

impl Files for Source {
    /// A browser gives a file without its folder.
    fn text(&self, name: &str) -> Result<String, Refusal> {
        let base = name.rsplit('/').next().unwrap_or(name);
        let text = self.files.get(name).or_else(|| self.files.get(base)).cloned();
        let hint = format!("open {base} on this page, with the spec or after it, or drop it here");
        text.ok_or_else(|| Refusal::new(format!("{}: no such file", Word::from(name).quoted()), hint))
    }
}

impl Resolve {
    /// The run.
    pub(crate) fn resolved(self) -> Result<Resolved, Vec<Problem>> {
        let experiment = self.source.experiment()?;
        let mut resolved = experiment.point(0).resolve(self.seed, false)?;
        let id = resolved.id(ENGINE, env!("DUMBBELL_IDENTITY"));
        let run = &mut resolved.run;
        let jitter = |flow: &run::Flow| spec::start_jitter_ns(self.seed, &flow.name, resolved.start_jitter_ns);
        let start_jitters_ns = run.flows.iter().map(jitter).collect();
        match self.record {
            None => {}
            Some(Recorded::Summary) => run.measure.record = Record::Summary,
            Some(Recorded::Series { sample_ns, until_ns }) => {
                run.duration_ns = run.duration_ns.min(until_ns);
                (run.measure.record, run.measure.sample_ns) = (Record::Series, sample_ns);
                (run.measure.window_begin_ns, run.measure.window_end_ns) = (0, run.duration_ns);
            }
        }
        Ok(Resolved {
            run: serde_json::to_string(run).unwrap_or_default(),
            id,
            groups: resolved.groups,
            ccs: resolved.ccs,
            bdp_bytes: resolved.bdp_bytes,
            frame_bytes: run.path.frame_bytes(),
            start_jitters_ns,
        })
    }
}

fn seeds(experiment: &Experiment) -> Vec<String> {
    match experiment.seeds() {
        Seeds::Count(count) => (1..=count).map(|seed| seed.to_string()).collect(),
        Seeds::Listed(seeds) => seeds.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "duration = \"9 s\"\nseeds = [9007199254740993]\nstart_jitter = \"1 s\"\n\
        [path]\nrate = \"10 Mbit/s\"\nrtt = \"25 ms\"\nbuffer = \"1 bdp\"\n[[flows]]\ncc = \"bbr\"\n";
    const TRACE: &str = "workload = { trace = \"folder/writes.csv\" }\n";

    fn source(text: &str) -> Source {
        Source { spec: Text::Toml(text.to_owned()), files: BTreeMap::new() }
    }

    fn resolved(source: Source, record: Option<Recorded>) -> (Resolved, run::Run) {
        let resolved = Resolve { source, seed: 9_007_199_254_740_993, record }.resolved().expect("a run");
        let run = serde_json::from_str(&resolved.run).expect("a run");
        (resolved, run)
    }

    #[test]
    fn a_spec_has_its_problems_or_its_seeds() {
        let right = source(SPEC).checked();
        assert_eq!((right.problems.len(), right.seeds), (0, vec!["9007199254740993".to_owned()]));
        let wrong = source(&SPEC.replace("\"bbr\"", "\"bbrr\"")).checked();
        assert_eq!((&*wrong.problems[0].path, wrong.fields.is_some(), wrong.seeds.len()), ("flows[0].cc", true, 0));
        let broken = source("path = [").checked();
        assert_eq!((&*broken.problems[0].path, broken.fields), ("spec", None));
    }

    #[test]
    fn fields_are_the_same_spec_as_their_text() {
        let fields = source(SPEC).checked().fields.expect("fields");
        let (of_fields, _) = resolved(Source { spec: Text::Fields(fields), ..source("") }, None);
        assert_eq!(of_fields.run, resolved(source(SPEC), None).0.run);
    }

    #[test]
    fn a_file_is_read_by_its_name_and_else_requested() {
        let mut source = source(&format!("{SPEC}{TRACE}"));
        let problem = &source.clone().checked().problems[0];
        assert_eq!(
            problem.to_string(),
            "flows[0].workload.trace: \"folder/writes.csv\": no such file; open writes.csv on this page, with the spec or after it, or drop it here"
        );
        source.files.insert("writes.csv".to_owned(), "0,1000\n1,2000\n".to_owned());
        let (_, run) = resolved(source, None);
        assert!(matches!(&run.flows[0].workload, run::Workload::Trace { writes } if writes.len() == 2));
    }

    #[test]
    fn a_run_records_what_the_page_shows() {
        let (full, run) = resolved(source(SPEC), None);
        assert_eq!(run.flows[0].start_ns, full.start_jitters_ns[0]);
        let (summary, short) = resolved(source(SPEC), Some(Recorded::Summary));
        assert_eq!((summary.id, short.measure.record), (full.id, Record::Summary));
        let fine = Recorded::Series { sample_ns: 1_000_000, until_ns: 3_000_000_000 };
        let (_, fine) = resolved(source(SPEC), Some(fine));
        assert_eq!((fine.duration_ns, fine.measure.window_end_ns), (3_000_000_000, 3_000_000_000));
        assert_eq!(resolved(source(SPEC), None).1, run, "what is kept is not changed");
    }
}
