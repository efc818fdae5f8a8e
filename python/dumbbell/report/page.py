"""The page of a store, or of a study by what each engine's runs say of it: what is read, and the template's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice, zip_longest
from pathlib import Path
from shlex import quote
from typing import Any, Final

import dumbbell.report.overview as overview
from dumbbell.charts.chart import Chart
from dumbbell.charts.style import label_of
from dumbbell.errors import StoreError
from dumbbell.findings.points import ExperimentRuns, PointRuns, read, runs_of
from dumbbell.metrics.number import counted
from dumbbell.report.describe import describe_runs
from dumbbell.report.figure import drawing, views
from dumbbell.report.html import LARGEST_BYTES, filled, write
from dumbbell.report.origin import origins
from dumbbell.report.readme import html
from dumbbell.report.verdict_matrix import verdict_matrix
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec.writer import toml
from dumbbell.studies import Study, StudyStatus, disputed, in_order, total
from dumbbell.studies.status import report_command, run_command

MOST_RUNS_IN_TIME: Final = 24
MOST_DESCRIBED: Final = 64
"""Points of an experiment whose path and hosts are read."""
MOST_MISSING: Final = 8
MOST_NOTICES: Final = 200
MOST_ROWS: Final = 400
"""Of an experiment's table."""
RUN_IN_TIME_SHARE: Final = 3
"""A line of a run in time has this much fewer points than one of a figure: there are many of them."""


def build(  # noqa: PLR0913 (each is a part of the report)
    target: Path,
    *,
    store: Store,
    study: Study | None = None,
    statuses: Sequence[StudyStatus] = (),
    largest_bytes: int = LARGEST_BYTES,
    index: str = "",
    comment: str = "",
) -> Path:
    """Writes the report of a store, or of a study by what each engine's runs in it say; gives where it is.

    `index`: the file beside it that lists all studies; it has Vega's script beside it too. `comment`: how the
    commands about a study must be completed: "with the same --out".

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
        StoreError: the store cannot be read.
    """
    runs = read(store) if study is None else list(_of_study(study, statuses))
    facts = [_facts(store, each) for each in runs]
    in_time, note = _in_time(store, runs)
    verdicts = in_order(each.judged for each in statuses)
    versions = dict.fromkeys(version for verdict in verdicts for version in verdict.versions)
    engines = dict.fromkeys(verdict.engine for verdict in verdicts)
    figures = [(each.engine, one) for each in statuses for one in each.shown()]
    name = store.folder.name or "results"
    words = {
        "index": index,
        "study": study,
        "store_name": name,
        "readme": html(study.readme) if study and study.readme else None,
        "notices": list(_notices(study, statuses, runs, comment)),
        "verdicts": verdicts,
        "disputed": disputed(verdicts),
        "matrix": verdict_matrix([verdict for each in statuses for verdict in each.judged]),
        "labels": {each: list(dict.fromkeys(label_of(each, engine) for engine in engines)) for each in versions},
        "totals": [total(each) for each in statuses if each.judged],
        "run_count": len({run_id for each in runs for point in each.points for run_id in point.run_ids.values()}),
        "series_note": note,
        "warnings": list(islice((notice for each in runs for notice in each.notices), MOST_NOTICES)),
        "provenance": origins(store, runs),
        **(_of_store_again(name, runs) if study is None else _of_study_again(study, statuses, comment)),
    }

    def rendered(most: int) -> str:
        shown = views(figures, study, most)
        series = [drawing(chart, max(2, most // RUN_IN_TIME_SHARE)) for chart in in_time]
        sweeps = (overview.sweep(each, f"sweep-{number}") for number, each in enumerate(runs))
        swept = [None if chart is None else drawing(chart, most) for chart in sweeps]
        drawings = [*(view.drawing for each in shown for view in each), *swept, *series]
        more: dict[str, Any] = {
            "displays": shown, "series": series, "most_rows": min(most, MOST_ROWS),
            "experiments": list(zip(runs, facts, swept, strict=True)),
        }  # fmt: skip
        return filled("page.html.j2", filter(None, drawings), beside=bool(index), **words, **more)

    return write(target, rendered, largest_bytes)


def rest(status: StudyStatus, comment: str) -> str:
    """What a study has beyond what is shown, and the command that makes it; empty if nothing."""
    words = status.rest().replace("`", "")
    return f"{words.removesuffix('.')} ({comment})." if words and comment else words


def commented(command: str, comment: str) -> str:
    """A command, and how it is to be completed: a page names no machine's folders.

    >>> commented("dumbbell study run theory", "with the same --out")
    'dumbbell study run theory  # with the same --out'
    """
    return f"{command}  # {comment}" if comment else command


def _of_study(study: Study, statuses: Sequence[StudyStatus]) -> Iterator[ExperimentRuns]:
    """The runs of whole seeds, the engines of an experiment one after the other."""
    parts = [(each, each.experiments) for each in statuses]
    for title in study.experiments:
        for status, experiments in parts:
            if title in experiments:
                seeds = experiments[title].seed_values
                outcomes = [each for each in status.evidence.outcomes[title] if each.seed in seeds]
                yield runs_of(experiments[title], status.engine, outcomes)


def _facts(store: Store, runs: ExperimentRuns) -> dict[str, list[str]]:
    """Path and hosts, from the first run of each point: by label, a text where all runs have one, else each."""
    firsts = (min(point.run_ids.items())[1] for point in runs.points[:MOST_DESCRIBED] if point.run_ids)
    found = [(store.run(run_id), store.get(run_id)) for run_id in firsts]
    return describe_runs(
        (run, [(flow.name, flow.cc) for flow in result.flows]) for run, result in found if isinstance(result, Result)
    )


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
    for each in runs:
        missing = each.total - each.measured - each.failed
        if missing and study is None:
            named = [words for words in each.missing() if words] if each.points else []
            which = "; ".join(named[:MOST_MISSING]) + (" …" if len(named) > MOST_MISSING else "")
            there = f"{each.measured} of {counted(each.total, 'run')} are there, {missing} are missing"
            yield f"{each.name}: {there}{f' ({which})' if which else ''}. “Run it again” below makes them."
    for each in runs:
        if each.failed:
            on = f" on {each.engine}" if study else ""
            yield f"{each.name}{on}: {counted(each.failed, 'run')} failed; see “Warnings and failures”."


def _in_time(store: Store, runs: Sequence[ExperimentRuns]) -> tuple[list[Chart], str]:
    """The first seed of each point, as far as they fit; and what is to be said about the others."""
    charts: list[Chart] = []
    damaged: list[str] = []
    several = len({each.engine for each in runs}) > 1
    total = sum(each.measured for each in runs)
    without = 0
    for each, point in _by_turns(runs):
        if len(charts) == MOST_RUNS_IN_TIME:
            break
        seed, run_id = min(point.run_ids.items())
        if store.run(run_id).measure.record == "summary":
            without += 1
            continue
        title = ", ".join(filter(None, [each.name, each.engine * several, point.words, f"seed {seed}"]))
        try:
            charts.append(overview.in_time(store, run_id, f"run-{len(charts)}", title))
        except StoreError as error:
            damaged.append(error.message)
    notes = []
    if len(charts) < total - without:
        notes.append(
            f"Shown are {len(charts)} of {counted(total, 'run')}: the first seed of each point, as far as they fit."
            " All series are in the store's Parquet files; dumbbell.open(store).flow_series(run_id) reads them."
        )
    if without and not charts:
        notes = ['The runs kept no series (measure.record = "summary").']
    notes += [f"Left out: {words}." for words in damaged]
    return charts, " ".join(notes) if total else ""


def _by_turns(runs: Sequence[ExperimentRuns]) -> Iterator[tuple[ExperimentRuns, PointRuns]]:
    """Points that were measured: the first one of each experiment and engine, then their second ones."""
    for points in zip_longest(*(each.points for each in runs)):
        yield from ((each, point) for each, point in zip(runs, points, strict=True) if point and point.run_ids)


def _of_study_again(study: Study, statuses: Sequence[StudyStatus], comment: str) -> dict[str, Any]:
    """The commands that carry out a study, or the part of it that this is, and report it."""
    import dumbbell.studies as studies  # noqa: PLC0415 (a report without a study need not load them)

    whole = studies.load(study.name) if study.name in studies.names() else study
    some = () if set(study.experiments) == set(whole.experiments) else tuple(study.experiments)
    variants = () if study.variants == whole.variants else study.variants
    engines = [each.engine for each in statuses] or ["sim"]
    commands = [run_command(study, engine, some, variants) for engine in engines]
    commands.append(report_command(study))
    return {"commands": [commented(command, comment) for command in commands], "specs": {}}


def _of_store_again(store: str, runs: Sequence[ExperimentRuns]) -> dict[str, Any]:
    """The commands that fill a store, with the specs that they name."""
    commands: list[str] = []
    specs: dict[str, str] = {}
    for each in runs:
        if each.experiment is not None:
            text = toml(each.experiment.words())
            file = next(file for file in _file_names(each.name) if specs.get(file, text) == text)
            specs[file] = text
            on = "" if each.engine == "sim" else f" --engine {each.engine}"
            commands.append(f"dumbbell run {file} --out {quote(store)}{on}")
    return {"commands": [*commands, f"dumbbell report {quote(store)}"], "specs": specs}


def _file_names(experiment: str) -> Iterator[str]:
    """Names for its spec, each for the case that those before are taken; case alone tells no two apart everywhere."""
    words = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in experiment.casefold())
    stem = "-".join(words.split()).strip(".") or "experiment"
    yield f"{stem}.toml"
    yield from (f"{stem}-{number}.toml" for number in count(2))
