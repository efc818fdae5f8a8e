"""The page of a study by what each engine's runs say of it, or of a store: what is read, and the template's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from dumbbell.charts.style import label_of
from dumbbell.findings.charts import samples
from dumbbell.findings.charts.gallery import single_runs
from dumbbell.findings.charts.sweep import costs, shares
from dumbbell.findings.points import ExperimentRuns, Notice, read, runs_of
from dumbbell.metrics.number import counted
from dumbbell.problem import typed
from dumbbell.report.experiment import MOST_ROWS, MOST_RUNS_IN_TIME, RUN_IN_TIME_SHARE, ExperimentView, facts
from dumbbell.report.figure import Drawing, drawing, views
from dumbbell.report.file_name import file_names
from dumbbell.report.hosts import sections
from dumbbell.report.html import LARGEST_BYTES, filled, write
from dumbbell.report.origin import origins
from dumbbell.report.readme import html
from dumbbell.report.results_table import results_tables
from dumbbell.report.verdict_matrix import verdict_matrix
from dumbbell.results.store import Store
from dumbbell.spec import toml
from dumbbell.studies import Study, StudyStatus, disputed, in_order, total
from dumbbell.studies.measured import records
from dumbbell.studies.status import report_command, run_command

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
    target: Path,
    store: Store,
    runs: Sequence[ExperimentRuns],
    largest_bytes: int,
    progress: Callable[[float, int], None],
) -> Path:
    name = store.folder.name or "results"
    alone, engines = len(runs) == 1, dict.fromkeys(each.engine for each in runs)
    experiment_views = [
        ExperimentView.read(
            store, each, "" if alone else f"experiment-{number}", most, lambda: progress(WORK - READING - DRAWING, 1)
        )
        for number, (each, most) in enumerate(zip(runs, _turns(runs), strict=True), 1)
    ]
    names = list(dict.fromkeys(each.name for each in runs))
    context = {
        "title": ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "") if names else name,
        "several_engines": len(engines) > 1,
        "notices": list(_notices(None, (), runs, "")),
        **_shared(store, runs, [caution for each in experiment_views for caution in each.cautions]),
        **_of_store_again(name, runs),
    }

    def rendered(points: int) -> str:
        drawn = [each.drawn(points) for each in experiment_views]
        drawings = [one for each in drawn for one in each.drawings]
        return filled("store.html.j2", drawings, experiments=drawn, study=None, **context)

    page = write(target, rendered, largest_bytes)
    progress(DRAWING * sum(len(each.points) for each in runs), 0)
    return page


def _of_study(  # noqa: PLR0913, PLR0917 (each is a part of the report)
    target: Path, store: Store, study: Study | None, statuses: Sequence[StudyStatus], largest_bytes: int, index: str,
    comment: str,
) -> Path:  # fmt: skip
    runs = read(store) if study is None else list(_runs_of_study(study, statuses, store))
    described = [facts(store, each) for each in runs]
    in_time = [samples.read(store, each, most) for each, most in zip(runs, _turns(runs), strict=True)]
    lines = [
        replace(chart, title=", ".join(filter(None, [each.name, each.engine, chart.title])))
        for each, run_samples in zip(runs, in_time, strict=True)
        for chart in single_runs(each, run_samples.runs)
    ]
    verdicts = in_order(each.judged for each in statuses)
    versions = dict.fromkeys(version for verdict in verdicts for version in verdict.versions)
    engines = dict.fromkeys(verdict.engine for verdict in verdicts)
    figures = [(each.engine, one) for each in statuses for one in each.shown()]
    measured = records(study, store, statuses) if study and study.measured else {}
    context = {
        "index": index,
        "study": study,
        "readme": html(study.readme) if study and study.readme else None,
        "notices": list(_notices(study, statuses, runs, comment)),
        "verdicts": verdicts,
        "disputed": disputed(verdicts),
        "matrix": verdict_matrix([verdict for each in statuses for verdict in each.judged]),
        "labels": {each: list(dict.fromkeys(label_of(each, engine) for engine in engines)) for each in versions},
        "totals": [total(each) for each in statuses if each.judged],
        "series_note": " ".join(dict.fromkeys(each.note for each in in_time if each.note)),
        **_shared(store, runs),
        **(_of_store_again(store.folder.name, runs) if study is None else _again(study, statuses, comment)),
    }

    def rendered(most: int) -> str:
        shown = views(figures, study, most)
        hosts = [section for title, each in measured.items() for section in sections(each, most, name=title)]
        fewer = max(2, most // RUN_IN_TIME_SHARE)
        series = [drawing(chart, fewer, f"run-{number}") for number, chart in enumerate(lines)]
        experiments = [
            (each, about, _swept(each, number, most), results_tables(each, min(most, MOST_ROWS)))
            for number, (each, about) in enumerate(zip(runs, described, strict=True))
        ]
        drawings = [
            *(view.drawing for each in shown for view in each if view.drawing),
            *(one for _, _, swept, _ in experiments for one in swept), *series,
            *(one for section in hosts for one in section.figures),
        ]  # fmt: skip
        more: dict[str, Any] = {"displays": shown, "series": series, "experiments": experiments, "hosts": hosts}
        return filled("page.html.j2", drawings, external_script=bool(index), **context, **more)

    return write(target, rendered, largest_bytes)


def _turns(runs: Sequence[ExperimentRuns]) -> list[int]:
    """How many runs of each experiment are drawn over time: of the first ones one more, where it does not come out."""
    return [len(range(number, MOST_RUNS_IN_TIME, len(runs))) for number in range(len(runs))]


def _swept(runs: ExperimentRuns, number: int, most: int) -> list[Drawing]:
    """What the groups share over a sweep, and what the link loses."""
    link = next(reversed([*costs(runs)]), None)
    return [
        drawing(chart, most, f"sweep-{number}-{chart.name}") for chart in (shares(runs), link) if chart and runs.axes
    ]


def _shared(store: Store, runs: Sequence[ExperimentRuns], cautions: Sequence[Notice] = ()) -> dict[str, Any]:
    """What a page of either kind has. A run that several experiments ask for counts once."""
    notices = (notice for each in runs for notice in each.notices)
    return {
        "warnings": list(islice(chain(cautions, notices), MOST_NOTICES)),
        "run_count": len({run_id for each in runs for point in each.points for run_id in point.run_ids.values()}),
        "provenance": origins(store, runs),
    }


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


def _again(study: Study, statuses: Sequence[StudyStatus], comment: str) -> dict[str, Any]:
    """The commands that carry out a study, or the part of it that this is, and report it."""
    import dumbbell.studies as studies  # noqa: PLC0415 (a report without a study need not load them)

    full_study = studies.load(study.name) if study.name in studies.names() else study
    some = () if set(study.experiments) == set(full_study.experiments) else tuple(study.experiments)
    variants = () if study.variants == full_study.variants else study.variants
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
            text = toml(each.experiment.fields())
            file = next(file for file in file_names(each.name, ".toml") if specs.get(file, text) == text)
            specs[file] = text
            on = "" if each.engine == "sim" else f" --engine {each.engine}"
            commands.append(f"dumbbell run {file} --out {typed(store)}{on}")
    return {"commands": [*commands, f"dumbbell report {typed(store)}"], "specs": specs}
