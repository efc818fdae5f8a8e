"""The page: everything that the templates say, put together, and no ink."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from dumbbell import __version__
from dumbbell.report import overview
from dumbbell.report.claims import claims_of
from dumbbell.report.contents import read
from dumbbell.report.figure import drawing
from dumbbell.report.number import counted
from dumbbell.report.sources import sources
from dumbbell.report.specification import toml
from dumbbell.report.words import brief, facts
from dumbbell.results.failure import StoreError
from dumbbell.results.schema import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.plots.chart import Chart
    from dumbbell.report.claims import Claims
    from dumbbell.report.contents import Contents, Notice
    from dumbbell.report.figure import Drawing
    from dumbbell.report.overview import Cell
    from dumbbell.report.words import Fact
    from dumbbell.results.store import Store
    from dumbbell.studies.study import Study
    from dumbbell.studies.verdict import Verdict

MOST_RUNS_IN_TIME: Final = 24
MOST_DESCRIBED: Final = 64
"""Points of an experiment whose path and hosts are read."""
MOST_MISSING: Final = 8
MOST_NOTICES: Final = 200
RUN_IN_TIME_SHARE: Final = 3
"""A line of a run in time has this much fewer points than one of a figure: there are many of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentPart:
    """What the page says about an experiment."""

    name: str
    brief: str
    state: str
    facts: list[Fact]
    drawing: Drawing | None
    head: list[str]
    rows: list[list[Cell]]
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """How to run it again."""

    words: str
    commands: tuple[str, ...]
    specs: tuple[tuple[str, str], ...]
    """File name and text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the templates say."""

    version: str
    kind: str
    title: str
    citation: str
    summary: str
    made: str
    notices: tuple[str, ...]
    contents: tuple[tuple[str, str], ...]
    claims: Claims | None
    drawings: tuple[Drawing, ...]
    testbed: str
    here: str
    experiments: tuple[ExperimentPart, ...]
    series: tuple[Drawing, ...]
    series_note: str
    warnings: tuple[Notice, ...]
    no_warnings: str
    provenance: list[list[tuple[str, str]]]
    again: Again


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a page is made from; read once, drawn with as many points as fit."""

    study: Study | None
    engine: str
    store_name: str
    found: list[Contents]
    verdicts: Sequence[Verdict]
    charts: Sequence[Chart]
    in_time: list[Chart]
    in_time_note: str
    facts: list[list[Fact]]
    provenance: list[list[tuple[str, str]]]
    notices: Sequence[str]


def gather(  # noqa: PLR0913 (each is a part of the page)
    store: Store, *, study: Study | None, verdicts: Sequence[Verdict], charts: Sequence[Chart], engine: str,
    notices: Sequence[str],
) -> Material:  # fmt: skip
    """Reads all that the page needs out of the store."""
    if study is None:
        found = read(store)
    else:
        asked = {experiment.name: experiment for experiment in study.experiments.values()}
        found = read(store, engine=engine, experiments=asked)
    in_time, note = _in_time(store, found)
    return Material(
        study=study,
        engine=engine,
        store_name=store.folder.name or "results",
        found=found,
        verdicts=verdicts,
        charts=charts,
        in_time=in_time,
        in_time_note=note,
        facts=[list(_facts(store, contents)) for contents in found],
        provenance=sources(store, found),
        notices=notices,
    )


def compose(material: Material, most: int) -> Page:
    """The page, with at most `most` points a line."""
    study, found = material.study, material.found
    drawings = tuple(drawing(chart, most) for chart in material.charts)
    experiments = tuple(
        _experiment(contents, described, number, most)
        for number, (contents, described) in enumerate(zip(found, material.facts, strict=True))
    )
    series = tuple(drawing(chart, max(2, most // RUN_IN_TIME_SHARE)) for chart in material.in_time)
    there, failed = sum(contents.there for contents in found), sum(contents.failed for contents in found)
    warnings = tuple(islice((notice for contents in found for notice in contents.notices), MOST_NOTICES))
    claims = claims_of(material.verdicts, study.short if study else "the document")
    engines = ", ".join(dict.fromkeys(contents.engine for contents in found)) or material.engine
    return Page(
        version=__version__,
        kind=f"Study {study.name}, run again by dumbbell" if study else "Runs of a store of dumbbell",
        title=study.title if study else f"Store {material.store_name}",
        citation=study.citation if study else "",
        summary=study.summary if study else "",
        made=_made(found, engines),
        notices=(*material.notices, *_incomplete(material)),
        contents=tuple(_sections(claims, drawings, experiments, series, material.in_time_note)),
        claims=claims,
        drawings=drawings,
        testbed=study.testbed if study else "",
        here=study.here if study else "",
        experiments=experiments,
        series=series,
        series_note=material.in_time_note,
        warnings=warnings,
        no_warnings=_no_warnings(there, failed),
        provenance=material.provenance,
        again=_again(material),
    )


def _sections(
    claims: Claims | None, drawings: Sequence[Drawing], experiments: Sequence[ExperimentPart],
    series: Sequence[Drawing], note: str,
) -> Iterator[tuple[str, str]]:  # fmt: skip
    if claims:
        yield "claims", "Claims"
    if drawings:
        yield "figures", "Figures"
    yield "setting", "Path and hosts"
    if experiments:
        yield "runs", "Runs"
    if series or note:
        yield "series", "Runs in time"
    yield "warnings", "Warnings"
    yield "provenance", "Provenance"
    yield "again", "Run it again"


def _made(found: Sequence[Contents], engines: str) -> str:
    there, total = sum(contents.there for contents in found), sum(contents.total for contents in found)
    runs = counted(there, "run") if there == total else f"{there:,} of {counted(total, 'run')}"
    return f"Made from {runs} of {counted(len(found), 'experiment')} on engine {engines}, by dumbbell {__version__}."


def _incomplete(material: Material) -> Iterator[str]:
    if not material.found or not any(contents.there + contents.failed for contents in material.found):
        yield "There are no runs yet."
    for contents in material.found:
        missing = contents.total - contents.there - contents.failed
        if not missing:
            continue
        named = [words for words in contents.missing() if words] if contents.points else []
        which = "; ".join(named[:MOST_MISSING]) + (" …" if len(named) > MOST_MISSING else "")
        told = f"{contents.name}: {contents.there} of {counted(contents.total, 'run')} are there, {missing} are missing"
        yield f"{told}{f' ({which})' if which else ''}. “Run it again” below makes them."
    for contents in material.found:
        if contents.failed:
            yield f"{contents.name}: {counted(contents.failed, 'run')} failed; see “Warnings and failures”."


def _no_warnings(there: int, failed: int) -> str:
    if not there + failed:
        return "There are no runs."
    return (
        f"None: {'the one run that is there' if there == 1 else f'all {there:,} runs that are there'} kept every rule."
    )


def _experiment(contents: Contents, described: list[Fact], number: int, most: int) -> ExperimentPart:
    chart = overview.sweep(contents, f"sweep-{number}")
    head, rows = overview.table(contents)
    failed = f", {contents.failed} failed" if contents.failed else ""
    more = len(contents.points) - len(rows)
    return ExperimentPart(
        name=contents.name,
        brief=brief(described) or counted(len(contents.points), "point"),
        state=f"{contents.there} of {counted(contents.total, 'run')} on {contents.engine or 'no engine yet'}{failed}",
        facts=described,
        drawing=None if chart is None else drawing(chart, most),
        head=head,
        rows=rows,
        left_out=f"{counted(more, 'more point')} are in the store; `store.groups()` has all." if more > 0 else "",
    )


def _facts(store: Store, contents: Contents) -> Iterator[Fact]:
    """Path and hosts of an experiment, from the first run of each of its points."""

    def runs() -> Iterator[tuple[object, ...]]:
        for point in contents.points[:MOST_DESCRIBED]:
            for seed, run_id in sorted(point.run_ids.items())[:1]:
                del seed
                outcome = store.get(run_id)
                if isinstance(outcome, Result):
                    flows = outcome.flows
                    yield store.run(run_id), [flow.name for flow in flows], [flow.cc for flow in flows]

    yield from facts(runs())  # type: ignore[arg-type]


def _in_time(store: Store, found: Sequence[Contents]) -> tuple[list[Chart], str]:
    """The first seed of each point, as far as they fit; and what is to be said about the others."""
    charts: list[Chart] = []
    damaged: list[str] = []
    runs = [
        (contents, point, seed, run_id)
        for contents in found
        for point in contents.points
        for seed, run_id in sorted(point.run_ids.items())
    ]
    firsts = [run for run in runs if run[2] == min(run[1].run_ids)]
    without = 0
    for contents, point, seed, run_id in firsts:
        if len(charts) == MOST_RUNS_IN_TIME:
            break
        if store.run(run_id).measure.record == "summary":
            without += 1
            continue
        title = ", ".join(filter(None, [contents.name, point.words, f"seed {seed}"]))
        try:
            charts.append(overview.in_time(store, run_id, f"run-{len(charts)}", title))
        except StoreError as error:
            damaged.append(str(error).partition(": ")[2])
    notes = []
    if len(charts) < len(runs) - without:
        notes.append(
            f"Shown are {len(charts)} of {counted(len(runs), 'run')}: the first seed of each point, as far as they fit."
            " All series are in the store's Parquet files; dumbbell.open(store).flow_series(run_id) reads them."
        )
    if without and not charts:
        notes = ['The runs kept no series (measure.record = "summary").']
    notes += [f"Left out: {words}." for words in damaged]
    return charts, " ".join(notes) if runs else ""


def _again(material: Material) -> Again:
    study, store = material.study, material.store_name
    on = "" if material.engine == "sim" else f" --engine {material.engine}"
    if study is not None:
        seeds = _seeds_option(study)
        return Again(
            words="The study comes with dumbbell. Runs that are there are not repeated; --fresh repeats them."
            " An engine of the same identity, under Provenance, gives the same bytes.",
            commands=(
                f"dumbbell study run {study.name}{on}{_part_options(study)}{seeds}",
                f"dumbbell report out/{study.name}/store --study {study.name}{on}{seeds}",
            ),
            specs=(),
        )
    specs, commands = [], []
    for contents in material.found:
        if contents.experiment is not None:
            file = f"{_file_name(contents.name)}.toml"
            engine = "" if contents.engine == "sim" else f" --engine {contents.engine}"
            specs.append((file, toml(contents.experiment.words())))
            commands.append(f"dumbbell run {file} --out {store}{engine}")
    return Again(
        words="Save each spec below under its name. Runs that the store has are found again, not repeated.",
        commands=(*commands, f"dumbbell report {store}"),
        specs=tuple(specs),
    )


def _part_options(study: Study) -> str:
    """How to ask for these experiments and versions, if they are not all that the study has."""
    from dumbbell import studies  # noqa: PLC0415 (as below)

    if study.name not in studies.names():
        return ""
    own = studies.load(study.name)
    some = "" if set(study.experiments) == set(own.experiments) else f" --experiments {','.join(study.experiments)}"
    versions = "" if study.variants == own.variants else f" --variants {','.join(study.variants)}"
    return some + versions


def _seeds_option(study: Study) -> str:
    """How to ask for these seeds, if they are not the study's own."""
    from dumbbell import studies  # noqa: PLC0415 (a report without a study need not load them)

    seeds = {experiment.seeds for experiment in study.experiments.values() if isinstance(experiment.seeds, int)}
    if study.name not in studies.names() or len(seeds) != 1:
        return ""
    own = studies.load(study.name).experiments
    asked = seeds.pop()
    return f" --seeds {asked}" if any(own[title].seeds != asked for title in study.experiments) else ""


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
