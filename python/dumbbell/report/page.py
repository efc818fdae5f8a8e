"""The page: everything that the templates say, put together, and no ink."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Final

import dumbbell.report.overview as overview
from dumbbell.metrics.number import counted
from dumbbell.report.claims import SIGNS, claims_of
from dumbbell.report.contents import contents_of, read
from dumbbell.report.display import parts
from dumbbell.report.figure import drawing
from dumbbell.report.readme import html
from dumbbell.report.side import with_words
from dumbbell.report.sources import sources
from dumbbell.report.standpoint import side_by_side
from dumbbell.report.words import brief, facts
from dumbbell.results.failure import StoreError
from dumbbell.results.schema import Result
from dumbbell.spec.writer import toml
from dumbbell.studies import in_order, sentence
from dumbbell.studies.command import run_command
from dumbbell.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from markupsafe import Markup

    from dumbbell.plots.chart import Chart
    from dumbbell.report.claims import Claims
    from dumbbell.report.contents import Contents, Notice, PointRuns
    from dumbbell.report.display import Part
    from dumbbell.report.figure import Drawing
    from dumbbell.report.overview import Cell
    from dumbbell.report.side import Side
    from dumbbell.report.standpoint import Table
    from dumbbell.report.words import Fact
    from dumbbell.results.store import Store
    from dumbbell.studies.study import Study

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
    totals: tuple[str, ...]
    """How many claims hold, a sentence an engine."""
    standpoints: Table | None
    signs: tuple[tuple[str, str], ...]
    """What stands for each verdict."""
    claims: Claims | None
    parts: tuple[Part, ...]
    """Figures and tables."""
    engines: tuple[str, ...]
    """Whose runs they show."""
    testbed: str
    here: str
    readme: Markup | None
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
    how: str
    """What must be said with a command about the study, where it is not all."""
    store_name: str
    found: list[Contents]
    sides: Sequence[Side]
    in_time: list[Chart]
    in_time_note: str
    facts: list[list[Fact]]
    provenance: list[list[tuple[str, str]]]


def gather(store: Store, *, study: Study | None, sides: Sequence[Side], how: str = "") -> Material:
    """Reads all that the page needs out of the store."""
    found = read(store) if study is None else list(_of_study(study, sides))
    in_time, note = _in_time(store, found)
    return Material(
        study=study,
        how=how,
        store_name=store.folder.name or "results",
        found=found,
        sides=sides,
        in_time=in_time,
        in_time_note=note,
        facts=[list(_facts(store, contents)) for contents in found],
        provenance=sources(store, found),
    )


def _of_study(study: Study, sides: Sequence[Side]) -> Iterator[Contents]:
    """What was begun, the engines of an experiment one after the other."""
    for title in study.experiments:
        for each in sides:
            if each.outcomes.get(title):
                yield contents_of(
                    each.experiments.get(title, study.experiments[title]), each.engine, each.outcomes[title]
                )


def compose(material: Material, most: int) -> Page:
    """The page, with at most `most` points a line and rows a table."""
    study, found, sides = material.study, material.found, material.sides
    shown = parts(sides, study, most)
    experiments = tuple(
        _experiment(contents, described, number, most)
        for number, (contents, described) in enumerate(zip(found, material.facts, strict=True))
    )
    series = tuple(drawing(chart, max(2, most // RUN_IN_TIME_SHARE)) for chart in material.in_time)
    there, failed = sum(contents.there for contents in found), sum(contents.failed for contents in found)
    warnings = tuple(islice((notice for contents in found for notice in contents.notices), MOST_NOTICES))
    claims = claims_of(in_order(each.verdicts for each in sides), study.short if study else "the document")
    readme = html(study.readme) if study and study.readme else None
    return Page(
        version=__version__,
        kind=f"Study {study.name}, run again by dumbbell" if study else "Runs of a store of dumbbell",
        title=study.title if study else f"Store {material.store_name}",
        citation=study.citation if study else "",
        summary=study.summary if study else "",
        made=_made(found),
        notices=tuple(_notices(material)),
        contents=tuple(_sections(claims, shown, readme, experiments, [*series, material.in_time_note])),
        totals=tuple(sentence(each.total) for each in sides if each.total),
        standpoints=side_by_side(sides),
        signs=tuple((sign, word) for word, sign in SIGNS.items()),
        claims=claims,
        parts=shown,
        engines=tuple(dict.fromkeys(engine for part in shown for engine in part.engines)),
        testbed=study.testbed if study else "",
        here=study.here if study else "",
        readme=readme,
        experiments=experiments,
        series=series,
        series_note=material.in_time_note,
        warnings=warnings,
        no_warnings=_no_warnings(there, failed),
        provenance=material.provenance,
        again=_again(material),
    )


def _sections(
    claims: Claims | None, shown: Sequence[Part], readme: Markup | None,
    experiments: Sequence[ExperimentPart], in_time: Sequence[object],
) -> Iterator[tuple[str, str]]:  # fmt: skip
    if claims:
        yield "verdicts", "Verdicts"
    if shown:
        yield (
            "figures",
            "Figures and tables" if any(view.tabulated for each in shown for view in each.views) else "Figures",
        )
    if claims and claims.rows:
        yield "claims", "Claims"
    yield "setting", "Path and hosts"
    if readme:
        yield "readme", "Readings"
    if experiments:
        yield "runs", "Runs"
    if any(in_time):
        yield "series", "Runs in time"
    yield "warnings", "Warnings"
    yield "provenance", "Provenance"
    yield "again", "Run it again"


def _made(found: Sequence[Contents]) -> str:
    if not found:
        return f"Made from no runs, by dumbbell {__version__}."
    ids = {run_id for contents in found for point in contents.points for run_id in point.run_ids.values()}
    runs = counted(len(ids), "run")
    names, engines = (
        list(dict.fromkeys(each)) for each in zip(*((one.name, one.engine) for one in found), strict=True)
    )
    on = f"engine {engines[0]}" if len(engines) == 1 else f"engines {', '.join(engines)}"
    return f"Made from {runs} of {counted(len(names), 'experiment')} on {on}, by dumbbell {__version__}."


def _notices(material: Material) -> Iterator[str]:
    if not any(contents.there + contents.failed for contents in material.found):
        yield "There are no runs yet."
    for each in material.sides:
        if material.found and not each.begun:
            yield f"On {each.engine} the store has runs of another build of the engine only."
        if each.rest:
            yield each.rest
    if material.study is None:
        yield from _incomplete(material.found)
    for contents in material.found:
        if contents.failed:
            on = f" on {contents.engine}" if material.study else ""
            yield f"{contents.name}{on}: {counted(contents.failed, 'run')} failed; see “Warnings and failures”."


def _incomplete(found: Sequence[Contents]) -> Iterator[str]:
    for contents in found:
        missing = contents.total - contents.there - contents.failed
        if missing:
            named = [words for words in contents.missing() if words] if contents.points else []
            which = "; ".join(named[:MOST_MISSING]) + (" …" if len(named) > MOST_MISSING else "")
            there = f"{contents.there} of {counted(contents.total, 'run')} are there, {missing} are missing"
            yield f"{contents.name}: {there}{f' ({which})' if which else ''}. “Run it again” below makes them."


def _no_warnings(there: int, failed: int) -> str:
    if not there + failed:
        return "There are no runs."
    return (
        f"None: {'the one run that is there' if there == 1 else f'all {there:,} runs that are there'} kept every rule."
    )


def _experiment(contents: Contents, described: list[Fact], number: int, most: int) -> ExperimentPart:
    chart = overview.sweep(contents, f"sweep-{number}")
    head, rows = overview.table(contents, most)
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
    several = len({contents.engine for contents in found}) > 1
    firsts = list(_firsts(found))
    runs = sum(contents.there for contents in found)
    without = 0
    for contents, point, seed, run_id in firsts:
        if len(charts) == MOST_RUNS_IN_TIME:
            break
        if store.run(run_id).measure.record == "summary":
            without += 1
            continue
        title = ", ".join(filter(None, [contents.name, contents.engine * several, point.words, f"seed {seed}"]))
        try:
            charts.append(overview.in_time(store, run_id, f"run-{len(charts)}", title))
        except StoreError as error:
            damaged.append(str(error).partition(": ")[2])
    notes = []
    if len(charts) < runs - without:
        notes.append(
            f"Shown are {len(charts)} of {counted(runs, 'run')}: the first seed of each point, as far as they fit."
            " All series are in the store's Parquet files; dumbbell.open(store).flow_series(run_id) reads them."
        )
    if without and not charts:
        notes = ['The runs kept no series (measure.record = "summary").']
    notes += [f"Left out: {words}." for words in damaged]
    return charts, " ".join(notes) if runs else ""


def _firsts(found: Sequence[Contents]) -> Iterator[tuple[Contents, PointRuns, int, str]]:
    """The first seed's run of each point: the first point of each experiment and engine, then their second ones."""
    for points in zip_longest(*(contents.points for contents in found)):
        for contents, point in zip(found, points, strict=True):
            if point and point.run_ids:
                seed = min(point.run_ids)
                yield contents, point, seed, point.run_ids[seed]


def _again(material: Material) -> Again:
    study, store = material.study, material.store_name
    if study is not None:
        engines = [each.engine for each in material.sides] or ["sim"]
        return Again(
            words="The study comes with dumbbell. Runs that are there are not repeated; --fresh repeats them."
            " An engine of the same identity, under Provenance, gives the same bytes.",
            commands=(
                *(with_words(run_command(study, engine, *_part(study)), material.how) for engine in engines),
                with_words(f"dumbbell study report {study.name}", material.how),
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


def _part(study: Study) -> tuple[Collection[str], Collection[str]]:
    """Its experiments and its versions, if they are not all that the study has."""
    import dumbbell.studies as studies  # noqa: PLC0415 (a report without a study need not load them)

    if study.name not in studies.names():
        return (), ()
    own = studies.load(study.name)
    some = () if set(study.experiments) == set(own.experiments) else tuple(study.experiments)
    return some, () if study.variants == own.variants else study.variants


def _file_name(name: str) -> str:
    words = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in name)
    return "-".join(words.split())
