//! The spec as Python calls it: words are dictionaries, lists, texts and numbers.

use num_bigint::BigInt;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use run::{Buffer, Direction, ETHERNET_HEADER_BYTES, Red};
use spec::{Fields, Problem, Refusal, Registry, Seeds, Word};

/// So deep is no field of a spec.
const LEVELS: usize = 32;

/// `(path, message, hint)`.
type Parts = (String, String, String);

/// Unit, numerator and denominator of the number, value in base units.
type Read = (&'static str, (BigInt, BigInt), BigInt);

/// Name, noun, units with their base units, examples.
type QuantityKind = (&'static str, &'static str, Vec<(&'static str, u64)>, Vec<(&'static str, &'static str)>);

/// Name, sentences, and of each key its path, value and source.
type Link<'py> = (&'static str, &'static str, Vec<(&'static str, Bound<'py, PyAny>, &'static str)>);

/// What was asked for, or every problem of it.
#[derive(IntoPyObject)]
pub(crate) enum Outcome<T> {
    Given(T),
    Refused(Vec<Parts>),
}

fn outcome<T>(result: Result<T, Vec<Problem>>) -> Outcome<T> {
    match result {
        Ok(given) => Outcome::Given(given),
        Err(problems) => Outcome::Refused(problems.into_iter().map(parts).collect()),
    }
}

fn parts(Problem { path, message, hint }: Problem) -> Parts {
    (path, message, hint)
}

/// Unit, number (a ratio) and value in base units of a quantity of a kind; or why it is none.
#[pyfunction]
pub(crate) fn quantity(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Outcome<Read>> {
    let kind = kind_named(kind)?;
    Ok(match kind.read_word(&word(value, 1)?, None) {
        Ok(quantity) => {
            let (numerator, denominator) = quantity.number.into_raw();
            Outcome::Given((quantity.unit, (numerator, denominator), quantity.value))
        }
        Err(refusal) => Outcome::Refused(vec![parts(refusal.at(""))]),
    })
}

/// A value in base units as text that reads back as the same value.
#[pyfunction]
pub(crate) fn show_quantity(kind: &str, value: BigInt) -> PyResult<String> {
    Ok(kind_named(kind)?.show(&value))
}

/// Of every kind of quantity its name, its noun, its units, each with its base units, and examples.
#[pyfunction]
pub(crate) fn quantity_kinds() -> Vec<QuantityKind> {
    spec::KINDS.iter().map(|kind| (kind.name, kind.noun, kind.units.to_vec(), kind.usual.to_vec())).collect()
}

/// The number at the beginning of any text, and the unit behind it; None of a text that is no quantity.
#[pyfunction]
pub(crate) fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    spec::number_and_unit(text)
}

/// The known word that was probably meant, or all of them; or what there is instead.
#[pyfunction]
pub(crate) fn suggestion(word: &str, known: Vec<String>) -> String {
    spec::suggestion(word, &known.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What there is instead of something that this version has not.
#[pyfunction]
pub(crate) fn instead_of(word: &str) -> Option<&'static str> {
    spec::instead_of(word)
}

/// A value as a message shows it.
#[pyfunction]
pub(crate) fn quoted(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(word(value, 2)?.quoted())
}

/// A text whose every letter prints.
#[pyfunction]
pub(crate) fn visible(text: &str) -> String {
    spec::visible(text)
}

/// Every key of a spec: the fields of `dumbbell.spec.keys.Key`.
#[pyfunction]
pub(crate) fn keys(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let keys = spec::descriptions().into_iter().map(|key| {
        let description = PyDict::new(py);
        description.set_item("path", key.path)?;
        description.set_item("meaning", key.about)?;
        description.set_item("required", key.required)?;
        description.set_item("default", key.default.map(|word| python(py, word)).transpose()?)?;
        description.set_item("swept", key.swept)?;
        description.set_item("several", key.several)?;
        description.set_item("noun", key.noun)?;
        description.set_item("units", PyTuple::new(py, key.units)?)?;
        description.set_item("options", PyTuple::new(py, key.options)?)?;
        description.set_item("limits", key.limits)?;
        for (name, entries) in [("examples", key.examples), ("extremes", key.extremes)] {
            let values = entries.into_iter().map(|word| python(py, word)).collect::<PyResult<Vec<_>>>()?;
            description.set_item(name, PyTuple::new(py, values)?)?;
        }
        Ok(description)
    });
    keys.collect()
}

/// Of every preset of links its name, what it is, and of each of its keys the path in `[path]`, the value and the source.
#[pyfunction]
pub(crate) fn links(py: Python<'_>) -> PyResult<Vec<Link<'_>>> {
    let links = spec::links().iter().map(|link| {
        let keys = link.keys.iter().map(|key| Ok((&*key.path, python(py, key.value.clone())?, &*key.source)));
        Ok((&*link.name, &*link.about, keys.collect::<PyResult<Vec<_>>>()?))
    });
    links.collect()
}

/// The keys as a JSON Schema, in JSON.
#[pyfunction]
pub(crate) fn schema() -> String {
    spec::schema().to_string()
}

/// Every congestion control of Linux's own tree, and what it is.
#[pyfunction]
pub(crate) fn linux_controls() -> Vec<(&'static str, &'static str)> {
    spec::LINUX.to_vec()
}

/// The variants of algorithms in TOML.
#[pyfunction]
pub(crate) const fn variants() -> &'static str {
    spec::VARIANTS
}

/// The columns that the value of a swept field has as a number, at a point of an experiment with these words of its path.
#[pyfunction]
pub(crate) fn amounts<'py>(
    field: &str,
    value: &Bound<'py, PyAny>,
    path: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(value.py());
    for (column, number) in spec::amounts(field, &word(value, LEVELS)?, &table_of(path)?) {
        columns.set_item(column, number)?;
    }
    Ok(columns)
}

/// What may stand in braces in the words of a program, and what it stands for.
#[pyfunction]
pub(crate) fn placeholders() -> Vec<(&'static str, &'static str)> {
    spec::PLACEHOLDERS.to_vec()
}

/// The field that `path=value` of a command line sets, and its value; or that it sets none.
#[pyfunction]
pub(crate) fn assignment<'py>(py: Python<'py>, text: &str) -> PyResult<Outcome<(String, Bound<'py, PyAny>)>> {
    match spec::assignment(text) {
        Ok((path, value)) => Ok(Outcome::Given((path, python(py, value)?))),
        Err(problem) => Ok(Outcome::Refused(vec![parts(problem)])),
    }
}

/// Whether a text is written as the path of a field.
#[pyfunction]
pub(crate) fn is_path(text: &str) -> bool {
    spec::is_path(text)
}

/// Fields as a spec file.
#[pyfunction]
pub(crate) fn to_toml(fields: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(spec::toml(&table_of(fields)?))
}

/// The algorithm that a text names, what it calls it, and the parameters that differ; or what is wrong with it.
#[pyfunction]
#[pyo3(signature = (written, registry=None))]
pub(crate) fn choose<'py>(
    py: Python<'py>,
    written: &str,
    registry: Option<Vec<String>>,
) -> PyResult<Outcome<(String, String, Bound<'py, PyDict>)>> {
    match spec::choose(written, &named(registry)) {
        Ok(choice) => {
            let parameters = PyDict::new(py);
            for (name, value) in choice.parameters {
                parameters.set_item(name, value)?;
            }
            Ok(Outcome::Given((choice.name, choice.algorithm, parameters)))
        }
        Err(problems) => Ok(Outcome::Refused(problems.into_iter().map(parts).collect())),
    }
}

/// The name of a run, with the group and the congestion control of each flow, on an engine.
#[pyfunction]
pub(crate) fn run_id(
    run: &str,
    groups: Vec<String>,
    ccs: Vec<String>,
    bdp_bytes: f64,
    engine: &str,
    identity: &str,
) -> PyResult<String> {
    Ok(spec::run_id(&crate::parse(run)?, &(&*groups, &*ccs, bdp_bytes), engine, identity))
}

/// The number by which quantities are put in order; None of a text that is none.
#[pyfunction]
pub(crate) fn magnitude(text: &str) -> Option<f64> {
    spec::magnitude(text)
}

/// A flow's own part of the start jitter, uniform below a bound.
#[pyfunction]
pub(crate) fn start_jitter_ns(seed: u64, flow: &str, jitter_ns: u64) -> u64 {
    spec::start_jitter_ns(seed, flow, jitter_ns)
}

/// Bits that the mean of RED with these thresholds takes with its fraction, and the most that Linux has.
#[pyfunction]
pub(crate) fn red_mean_bits(min_bytes: u64, max_bytes: u64, frame_bytes: u64) -> (u32, u32) {
    let red = Red { min_bytes, max_bytes, probability_ppb: 0, ecn: false };
    (red.mean_bits(frame_bytes), Red::MOST_MEAN_BITS)
}

/// What manages each queue of a run that is not drop-tail, in `tc`'s own syntax, by the table of the spec that describes it.
#[pyfunction]
pub(crate) fn tc_lines(run_json: &str) -> PyResult<Vec<(String, String)>> {
    let path = crate::parse(run_json)?.path;
    let frame_bytes = u64::from(path.mtu_bytes + ETHERNET_HEADER_BYTES);
    let every = Direction::BOTH.into_iter().flat_map(|direction| path.tables(direction).zip(path.hops(direction)));
    let managed = every.filter(|(_, hop)| !hop.qdisc.is_fifo());
    Ok(managed
        .map(|(table, hop)| {
            let (Buffer::Bytes(limit) | Buffer::Packets(limit)) = hop.buffer;
            (table, hop.qdisc.tc(limit, frame_bytes))
        })
        .collect())
}

/// What a flow's base round-trip time is longer by, uniform below a bound.
#[pyfunction]
pub(crate) fn rtt_offset_ns(seed: u64, flow: &str, spread_ns: u64) -> u64 {
    spec::rtt_offset_ns(seed, flow, spread_ns)
}

/// A spec in which nothing is wrong.
#[pyclass(frozen, module = "dumbbell._core")]
pub(crate) struct Experiment(spec::Experiment);

/// A run with what of the spec's words about it engines need not know.
#[derive(IntoPyObject)]
pub(crate) struct Resolved {
    run: String,
    groups: Vec<String>,
    ccs: Vec<String>,
    bdp_bytes: f64,
    start_jitter_ns: u64,
    rtt_spread_ns: u64,
}

/// What the runs must show: the fields of `dumbbell.spec.expectation.Expectation`.
#[derive(IntoPyObject)]
pub(crate) struct Expectation<'py> {
    quantity: String,
    of: Option<String>,
    is_least: bool,
    level: Option<f64>,
    text: String,
    relative: Option<(String, f64)>,
    against: Option<(String, Bound<'py, PyAny>, f64)>,
    slack: f64,
    by_s: Option<f64>,
    from_s: Option<f64>,
    all_seeds: bool,
    values: Bound<'py, PyAny>,
}

#[pymethods]
impl Experiment {
    /// Makes an experiment of words, or of a text in TOML that a problem calls `where`, with overrides by their paths;
    /// `name`: of one that says none. `read` gives the text of a file, or a message and a hint.
    #[staticmethod]
    fn load(
        source: &Bound<'_, PyAny>,
        r#where: &str,
        name: Option<String>,
        overrides: &Bound<'_, PyAny>,
        read: Bound<'_, PyAny>,
        registry: Option<Vec<String>>,
    ) -> PyResult<Outcome<Self>> {
        let mut fields = match source.cast::<PyString>() {
            Ok(text) => match spec::parse(&text.to_string_lossy(), r#where) {
                Ok(fields) => fields,
                Err(problem) => return Ok(Outcome::Refused(vec![parts(problem)])),
            },
            Err(_) => table_of(source)?,
        };
        if let Some(name) = name.filter(|_| fields.iter().all(|(key, _)| key != "name")) {
            fields.push(("name".to_owned(), Word::Text(name)));
        }
        let mut problems = Vec::new();
        for (path, value) in table_of(overrides)? {
            problems.extend(spec::set(&mut fields, &path, value).err());
        }
        if !problems.is_empty() {
            return Ok(outcome(Err(problems)));
        }
        let files = Files { read };
        let experiment = spec::Experiment::load(&fields, &files, named(registry));
        Ok(outcome(experiment.map(Self)))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A number of seeds, or those that are listed.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.seeds() {
            Seeds::Count(count) => count.into_bound_py_any(py),
            Seeds::Listed(seeds) => seeds.into_bound_py_any(py),
        }
    }

    /// `(path, values)` of every list where one value belongs, in order of appearance.
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let axes = self.0.axes().iter();
        axes.map(|axis| Ok((axis.path.clone(), python(py, Word::List(axis.values.clone()))?))).collect()
    }

    /// The paths of the axes, those that vary together in one list; the first list varies slowest.
    fn bundles(&self) -> Vec<Vec<&str>> {
        self.0.bundles()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Each swept value of a point, by its path.
    fn values<'py>(&self, py: Python<'py>, point: usize) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.point(point)?.values())
    }

    /// The experiment as it is at a point, without its lists.
    fn fields_at<'py>(&self, py: Python<'py>, point: usize) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.point(point)?.fields())
    }

    /// A run of a point; `live`: for an engine of real hosts. Or why the point makes no sense.
    fn resolve(&self, point: usize, seed: u64, live: bool) -> PyResult<Outcome<Resolved>> {
        let result = self.point(point)?.resolve(seed, live);
        Ok(outcome(result.map(|resolved| Resolved {
            run: serde_json::to_string(&resolved.run).unwrap_or_default(),
            groups: resolved.groups,
            ccs: resolved.ccs,
            bdp_bytes: resolved.bdp_bytes,
            start_jitter_ns: resolved.start_jitter_ns,
            rtt_spread_ns: resolved.rtt_spread_ns,
        })))
    }

    /// What its runs must show.
    fn expectations<'py>(&self, py: Python<'py>) -> PyResult<Vec<Expectation<'py>>> {
        let expectations = self.0.expectations().into_iter().map(|each| {
            let against = each.against.map(|(path, first, times)| Ok::<_, PyErr>((path, python(py, first)?, times)));
            Ok(Expectation {
                quantity: each.quantity,
                of: each.of,
                is_least: each.is_least,
                level: each.level,
                text: each.text,
                relative: each.relative,
                against: against.transpose()?,
                slack: each.slack,
                by_s: each.by_s,
                from_s: each.from_s,
                all_seeds: each.all_seeds,
                values: table(py, each.values)?,
            })
        });
        expectations.collect()
    }

    /// What a field has, written or by default, as written; None: nothing.
    fn get<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.get(path).map(|word| python(py, word)).transpose()
    }

    /// Room of the bottleneck's queue at a point, in bytes before they are whole; None of one that is written in bytes or
    /// packets.
    fn filled_bytes(&self, point: usize) -> PyResult<Option<f64>> {
        Ok(self.point(point)?.filled_bytes())
    }

    /// Whether a field of a table, as `path.jitter`, was written.
    fn is_written(&self, path: &str) -> bool {
        self.0.is_written(path)
    }

    /// As it was written; what is at its default is left out.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.0.fields())
    }

    /// The names of the congestion controls that it may name.
    #[getter]
    fn registry(&self) -> Vec<String> {
        self.0.registry().0.clone()
    }
}

impl Experiment {
    fn point(&self, number: usize) -> PyResult<spec::Point<'_>> {
        if number < self.0.len() { Ok(self.0.point(number)) } else { Err(PyIndexError::new_err(number)) }
    }
}

fn kind_named(name: &str) -> PyResult<&'static spec::QuantityKind> {
    let kind = spec::KINDS.iter().find(|kind| kind.name == name);
    kind.copied().ok_or_else(|| PyKeyError::new_err(name.to_owned()))
}

fn named(registry: Option<Vec<String>>) -> Registry {
    registry.map_or_else(Registry::known, Registry)
}

/// Files that Python reads.
struct Files<'py> {
    read: Bound<'py, PyAny>,
}

impl spec::Files for Files<'_> {
    fn text(&self, name: &str) -> Result<String, Refusal> {
        let answer = self.read.call1((name,)).map_err(|error| Refusal::new(error.to_string(), ""))?;
        match answer.extract::<String>() {
            Ok(text) => Ok(text),
            Err(_) => match answer.extract::<(String, String)>() {
                Ok((message, hint)) => Err(Refusal::new(message, hint)),
                Err(error) => Err(Refusal::new(error.to_string(), "")),
            },
        }
    }
}

fn table_of(value: &Bound<'_, PyAny>) -> PyResult<Fields> {
    match word(value, LEVELS)? {
        Word::Table(fields) => Ok(fields),
        _ => Ok(Vec::new()),
    }
}

/// A value of Python's as a word; what lies too deep, or no spec can have, is what a message calls it.
fn word(value: &Bound<'_, PyAny>, levels: usize) -> PyResult<Word> {
    if levels == 0 {
        return Ok(Word::Other("something too deep".to_owned()));
    }
    if value.is_none() {
        return Ok(Word::Nothing);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Word::Text(text.to_string_lossy().into_owned()));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Word::Flag(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.extract().map_or_else(|_| Word::Other("a huge number".to_owned()), Word::Integer));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Word::Number(number.value()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| word(&item?, levels - 1));
        return Ok(Word::List(items.collect::<PyResult<_>>()?));
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let mut fields = Vec::new();
        for item in mapping.items()?.iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            fields.push((key.str()?.to_string_lossy().into_owned(), word(&value, levels - 1)?));
        }
        return Ok(Word::Table(fields));
    }
    Ok(Word::Other(format!("a {}", value.get_type().name()?)))
}

fn table(py: Python<'_>, fields: Fields) -> PyResult<Bound<'_, PyAny>> {
    let table = PyDict::new(py);
    for (key, word) in fields {
        table.set_item(key, python(py, word)?)?;
    }
    Ok(table.into_any())
}

fn python(py: Python<'_>, word: Word) -> PyResult<Bound<'_, PyAny>> {
    match word {
        Word::Text(text) | Word::Other(text) => text.into_bound_py_any(py),
        Word::Nothing => Ok(py.None().into_bound(py)),
        Word::Integer(number) => number.into_bound_py_any(py),
        Word::Number(number) => number.into_bound_py_any(py),
        Word::Flag(flag) => flag.into_bound_py_any(py),
        Word::List(entries) => {
            let values = entries.into_iter().map(|word| python(py, word)).collect::<PyResult<Vec<_>>>()?;
            values.into_bound_py_any(py)
        }
        Word::Table(fields) => table(py, fields),
    }
}
