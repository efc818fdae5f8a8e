"""The page of a study by what each engine's runs say of it, or of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from markupsafe import Markup

from dumbbell.charts.style import label_of
from dumbbell.experiment.charts import samples
from dumbbell.experiment.charts.gallery import single_runs
from dumbbell.experiment.charts.layout import Sweep
from dumbbell.experiment.charts.sweep import costs, shares
from dumbbell.experiment.points import ExperimentRuns, Notice, read, runs_of
from dumbbell.experiment.results_table import of_page
from dumbbell.hosts.record import HostRecord
from dumbbell.metrics.number import counted
from dumbbell.problem import typed
from dumbbell.report.describe import brief
from dumbbell.report.experiment import (
    MEANS,
    MOST_ROWS,
    MOST_RUNS_IN_TIME,
    REST,
    RUN_IN_TIME_SHARE,
    facts,
    read_part,
    rows,
)
from dumbbell.report.figure import Drawing, views
from dumbbell.report.file_name import file_names
from dumbbell.report.hosts import sections
from dumbbell.report.html import LARGEST_BYTES, fragment
from dumbbell.report.origin import origins
from dumbbell.report.readme import html
from dumbbell.report.section import Fact, Page, Section
from dumbbell.report.verdict_matrix import verdict_matrix
from dumbbell.results.store import Store
from dumbbell.spec import toml
from dumbbell.studies import Study, StudyStatus, disputed, in_order, total
from dumbbell.studies.measured import records
from dumbbell.studies.status import report_command, run_command
from dumbbell.tables.table import Table
from dumbbell.version import __version__

WORK: Final = 5.0
"""What a point of a store takes until it is on the page, in any unit; most of it is looked at for warnings."""
READING: Final = 1.0
"""Of that."""
DRAWING: Final = 2.0
"""Of that, in tables and figures."""
MOST_MISSING: Final = 8
MOST_NOTICES: Final = 200
MOST_NAMED: Final = 3
"""Experiments in the title of a page."""


def build(  # noqa: PLR0913 (each is a part of the report)
    target: Path,
    *,
    store: Store,
    study: Study | None = None,
    statuses: Sequence[StudyStatus] = (),
    experiment: str | None = None,
    largest_bytes: int = LARGEST_BYTES,
    index: str = "",
    comment: str = "",
    progress: Callable[[float, int], None] = lambda *_: None,
) -> Path:
    """Writes the report of a store, or of a study by what each engine's runs in it say; gives where it is.

    `experiment`: of the store the one with this name or label only. `index`: the file beside it that lists all
    studies; it has Vega's script beside it too. `comment`: how the commands about a study must be completed: "with the
    same --out". `progress`: called, of a store, with how much of the `WORK` of its points is done, and of how many
    points most of it.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
        StoreError: the store cannot be read, or has no such experiment.
    """
    if study is None and not statuses:
        runs = read(store, experiment, lambda points: progress(READING * points, 0))
        return _of_store(target, store, runs, largest_bytes, progress)
    return _of_study(target, store, study, statuses, largest_bytes, index, comment)


def _of_store(
    target: Path, store: Store, runs: Sequence[ExperimentRuns], largest_bytes: int,
    progress: Callable[[float, int], None],
) -> Path:  # fmt: skip
    alone, several = len(runs) == 1, len({each.engine for each in runs}) > 1
    parts = [
        read_part(
            store, each, "" if alone else f"experiment-{number}", most, lambda: progress(WORK - READING - DRAWING, 1)
        )
        for number, (each, most) in enumerate(zip(runs, _turns(runs), strict=True), 1)
    ]
    names = list(dict.fromkeys(each.name for each in runs))
    first = parts[0] if alone else None
    sections = (
        list(first.parts)
        if first
        else [
            replace(part, heading=f"{each.name} on {each.engine}" if several else each.name)
            for each, part in zip(runs, parts, strict=True)
        ]
    )
    warnings = [
        Notice(kind="warning", text=text, place=each.name, runs=each.measured)
        for each, part in zip(runs, parts, strict=True)
        for text in part.notices
    ]
    page = Page(
        kind=f"{'An experiment' if alone else f'{len(runs)} experiments'} in dumbbell",
        title=", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "") or store.folder.name,
        summary=first.answer if first else "",
        made=first.above if first else "",
        notices=[*(first.notices if first else ()), *_notices(None, (), runs, "")],
        sections=[*sections, *_shared(store, runs, warnings), _of_store_again(store.folder.name or "results", runs)],
    ).write(target, largest_bytes)
    progress(DRAWING * sum(len(each.points) for each in runs), 0)
    return page


def _of_study(  # noqa: PLR0913, PLR0917 (each is a part of the report)
    target: Path, store: Store, study: Study | None, statuses: Sequence[StudyStatus], largest_bytes: int, index: str,
    comment: str,
) -> Path:  # fmt: skip
    runs = read(store) if study is None else list(_runs_of_study(study, statuses, store))
    engines = list(dict.fromkeys(each.engine for each in runs))
    experiments = counted(len({each.name for each in runs}), "experiment")
    on = f"engine{'s' if len(engines) > 1 else ''} {', '.join(engines)}"
    source = f"{counted(_measured(runs), 'run')} of {experiments} on {on}" if runs else "no runs"
    return Page(
        kind=f"Study {study.name}, run again by dumbbell" if study else "Figures of dumbbell",
        title=study.manifest.title if study else "Figures",
        citation=study.manifest.citation if study else "",
        summary=study.manifest.summary if study else "",
        made=f"Made from {source}, by dumbbell {__version__}.",
        notices=list(_notices(study, statuses, runs, comment)),
        index=index,
        sections=[
            *_judged(study, statuses),
            *(hosts(records(study, store, statuses)) if study and study.measured else ()),
            *_set_up(store, study, runs),
            *_shared(store, runs),
            *_advised(study),
            _of_store_again(store.folder.name, runs) if study is None else _again(study, statuses, comment),
        ],
    ).write(target, largest_bytes)


def _judged(study: Study | None, statuses: Sequence[StudyStatus]) -> Iterator[Section]:
    """Verdicts, figures as each engine shows them, and claims: what only the page of a study has."""
    verdicts = in_order(each.judged for each in statuses)
    versions = dict.fromkeys(version for verdict in verdicts for version in verdict.versions)
    engines = dict.fromkeys(verdict.engine for verdict in verdicts)
    context = {
        "study": study,
        "verdicts": verdicts,
        "disputed": disputed(verdicts),
        "matrix": verdict_matrix([verdict for each in statuses for verdict in each.judged]),
        "labels": {each: list(dict.fromkeys(label_of(each, engine) for engine in engines)) for each in versions},
        "totals": [total(each) for each in statuses if each.judged],
    }
    figures = [(each.engine, one) for each in statuses for one in each.shown()]

    def displayed(most: int) -> tuple[Markup, list[Drawing]]:
        shown = views(figures, study, most)
        return fragment("figures.html.j2", displays=shown), [
            view.drawing for each in shown for view in each if view.drawing
        ]

    if verdicts:
        yield Section(
            anchor="verdicts", heading="Verdicts", html=lambda _: (fragment("verdicts.html.j2", **context), ())
        )
    if figures:
        has_tables = any(isinstance(one.display, Table) for _, one in figures)
        yield Section(anchor="figures", heading="Figures and tables" if has_tables else "Figures", html=displayed)
    if verdicts:
        yield Section(anchor="claims", heading="Claims", html=lambda _: (fragment("claims.html.j2", **context), ()))


def hosts(measured: Mapping[str, HostRecord]) -> Iterator[Section]:
    """What was measured on real hosts, and engines beside it: a part a table."""
    parts = [part for title, each in measured.items() for part in sections(each, name=title)]
    if parts:
        yield Section(anchor="hosts", heading="Real hosts: what was measured there, and engines beside it", parts=parts)


def _set_up(store: Store, study: Study | None, runs: Sequence[ExperimentRuns]) -> Iterator[Section]:
    """Path and hosts of each experiment, how a study's document was read, and its runs, over a sweep and in time."""
    described = [facts(store, each) for each in runs]
    names = [f"{each.name} on {each.engine}" for each in runs]
    places: list[Fact] = []
    if study and study.manifest.testbed:
        places = [("In the document", study.manifest.testbed), ("Here", study.manifest.here)]
    yield Section(
        anchor="setting", heading="Path and hosts", facts=places,
        below=() if runs else ("There are no runs to describe.",),
        parts=[
            Section(
                anchor=f"setting-{number}", folded=True, facts=list(about.items()),
                heading=f"{name}: {brief(about) or counted(len(each.points), 'point')}",
            )
            for number, (each, name, about) in enumerate(zip(runs, names, described, strict=True))
        ],
    )  # fmt: skip
    if study and study.readme:
        readme = Markup('<div class="readme">{}</div>').format(html(study.readme))
        part = Section(anchor="readme-text", heading="The study's README", folded=True, html=lambda _: (readme, ()))
        yield Section(anchor="readme", heading="Readings: how the document was understood", parts=[part])
    if runs:
        swept = [_swept(each, number) for number, each in enumerate(runs)]
        yield Section(anchor="runs", heading="Runs", above=MEANS, parts=swept)
    in_time = [samples.read(store, each, most) for each, most in zip(runs, _turns(runs), strict=True)]
    lines = [
        replace(chart, name=f"run-{number}", title=", ".join(filter(None, [name, chart.title])))
        for number, (name, chart) in enumerate(
            (name, chart)
            for each, name, run_samples in zip(runs, names, in_time, strict=True)
            for chart in single_runs(each, run_samples.runs)
        )
    ]
    yield Section(
        anchor="series", heading="Runs in time", charts=lambda: lines, choice="Run", points=RUN_IN_TIME_SHARE,
        below=list(dict.fromkeys(each.note for each in in_time if each.note)),
    )  # fmt: skip


def _advised(study: Study | None) -> Iterator[Section]:
    """The document's question to `dumbbell advise`, and the answer."""
    if study and study.advised:
        command = f"dumbbell advise {study.advised.options}"
        yield Section(
            anchor="advice", heading="What dumbbell advises", above=study.advised.question,
            facts=list(study.advised.answer.items()), code=[("Command", command)],
        )  # fmt: skip


def _turns(runs: Sequence[ExperimentRuns]) -> list[int]:
    """How many runs of each experiment are drawn over time: of the first ones one more, where it does not come out."""
    return [len(range(number, MOST_RUNS_IN_TIME, len(runs))) for number in range(len(runs))]


def _swept(runs: ExperimentRuns, number: int) -> Section:
    """An experiment's table, what the groups share over its sweep, and what the link loses."""
    sweep = Sweep.of(runs)
    link = next(reversed([*costs(sweep)]), None)
    charts = [replace(each, name=f"sweep-{number}-{each.name}") for each in (shares(sweep), link) if each and runs.axes]
    there = f"{runs.measured} of {counted(runs.total, 'run')} on {runs.engine or 'no engine yet'}"
    parts = [there, f"{runs.failed} failed" if runs.failed else "", runs.validity]
    table = next(iter(of_page(runs, MOST_ROWS)), None)
    return Section(
        anchor=f"sweep-{number}", heading=f"{runs.name}: {', '.join(filter(None, parts))}", folded=True, table=table,
        charts=lambda: charts, titled=True, rows=rows(runs), rest=REST,
    )  # fmt: skip


def _measured(runs: Sequence[ExperimentRuns]) -> int:
    """How many runs there are; one that several experiments ask for counts once."""
    return len({run_id for each in runs for point in each.points for run_id in point.run_ids.values()})


def _shared(store: Store, runs: Sequence[ExperimentRuns], warnings: Sequence[Notice] = ()) -> Iterator[Section]:
    """What a page of either kind ends with: warnings, and where the runs are from."""
    notices = list(islice(chain(warnings, (notice for each in runs for notice in each.notices)), MOST_NOTICES))
    count = _measured(runs)
    all_runs = "the one run that is there" if count == 1 else f"all {count:,} runs that are there"
    none = f"None: {all_runs} kept every rule." if count else "There are no runs."
    rows = [(notice.text, notice.kind, notice.runs, notice.place) for notice in notices]
    yield Section(
        anchor="warnings", heading="Warnings and failures",
        above="A warning means: look at this before you trust the result.",
        table=Table.of(("What", "Kind", "Runs", "First of them"), rows), below=() if notices else (none,),
    )  # fmt: skip
    sources = [
        Section(anchor=f"origin-{number}", heading="", facts=source)
        for number, source in enumerate(origins(store, runs))
    ]
    below = () if sources else ("No run says where it comes from.",)
    yield Section(anchor="provenance", heading="Provenance", parts=sources, below=below)


def rest(status: StudyStatus, comment: str) -> str:
    """What a study has beyond what is shown, and the command that makes it; empty if nothing."""
    text = status.rest().replace("`", "")
    return f"{text.removesuffix('.')} ({comment})." if text and comment else text


def commented(command: str, comment: str) -> str:
    """A command, and how it is to be completed: a page names no machine's folders.

    >>> commented("dumbbell study run theory", "with the same --out")
    'dumbbell study run theory  # with the same --out'
    """
    return f"{command}  # {comment}" if comment else command


def _runs_of_study(study: Study, statuses: Sequence[StudyStatus], store: Store) -> Iterator[ExperimentRuns]:
    """The runs of whole seeds, the engines of an experiment one after the other."""
    parts = [(each, each.experiments) for each in statuses]
    for title in study.experiments:
        for status, experiments in parts:
            if title in experiments:
                seeds = experiments[title].seed_values
                outcomes = [each for each in status.evidence.outcomes[title] if each.seed in seeds]
                yield runs_of(store, experiments[title], status.engine, outcomes)


def _notices(
    study: Study | None, statuses: Sequence[StudyStatus], runs: Sequence[ExperimentRuns], comment: str
) -> Iterator[str]:
    if not any(each.measured + each.failed for each in runs):
        yield "There are no runs yet."
    engines = {each.engine for each in runs}
    for status in statuses:
        if runs and status.engine not in engines:
            yield f"On {status.engine} the store has runs of another build of the engine only."
        if status.rest():
            yield rest(status, comment)
    yield from dict.fromkeys(filter(None, (each.not_computed_text for each in statuses)))
    for each in runs:
        missing = each.total - each.measured - each.failed
        if missing and study is None:
            named = [label for label in each.missing() if label] if each.points else []
            which = "; ".join(named[:MOST_MISSING]) + (" …" if len(named) > MOST_MISSING else "")
            there = f"{each.measured} of {counted(each.total, 'run')} are there, {missing} are missing"
            yield f"{each.name}: {there}{f' ({which})' if which else ''}. “Run it again” below makes them."
    for each in runs:
        if each.failed:
            on = f" on {each.engine}" if study else ""
            yield f"{each.name}{on}: {counted(each.failed, 'run')} failed; see “Warnings and failures”."


def _again(study: Study, statuses: Sequence[StudyStatus], comment: str) -> Section:
    """The commands that run a study, or the part of it that this is, and report it."""
    import dumbbell.studies as studies  # noqa: PLC0415 (a report without a study need not load them)

    full_study = studies.load(study.name) if study.name in studies.names() else study
    some = () if set(study.experiments) == set(full_study.experiments) else tuple(study.experiments)
    variants = () if study.variants == full_study.variants else study.variants
    engines = [each.engine for each in statuses] or ["sim"]
    commands = [run_command(study, engine, some, variants) for engine in engines]
    commands.append(report_command(study))
    text = (
        "The study comes with dumbbell. Runs that are there are not repeated; --fresh repeats them. An engine of the"
        " same identity, under Provenance, gives the same bytes."
    )
    code = [("Commands", "\n".join(commented(command, comment) for command in commands))]
    return Section(anchor="again", heading="How to run it again", above=text, code=code)


def _of_store_again(store: str, runs: Sequence[ExperimentRuns]) -> Section:
    """The commands that fill a store, with the specs that they name."""
    commands: list[str] = []
    specs: dict[str, str] = {}
    for each in runs:
        if each.experiment is not None:
            text = toml(each.experiment.fields())
            file = next(file for file in file_names(each.name, ".toml") if specs.get(file, text) == text)
            specs[file] = text
            on = "" if each.engine == "sim" else f" --engine {each.engine}"
            commands.append(f"dumbbell run {file} --out {typed(store)}{on}")
    text = "Save each spec below under its name. Runs that the store has are found again, not repeated."
    code = [("Commands", "\n".join([*commands, f"dumbbell report {typed(store)}"])), *specs.items()]
    return Section(anchor="again", heading="How to run it again", above=text, code=code)
