"""One experiment as a page shows it: its answer, its figures, its table, how it was set up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from dumbbell.charts.chart import Chart
from dumbbell.experiment.answer import answer
from dumbbell.experiment.charts import gallery, samples
from dumbbell.experiment.expectations import judged, table
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.results_table import of_hops, of_page
from dumbbell.experiment.warning import summaries
from dumbbell.experiment.warnings import warnings
from dumbbell.metrics.number import counted
from dumbbell.report.describe import brief, describe_runs
from dumbbell.report.section import Section
from dumbbell.results.harm import ADDS_HARM
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Point, expand
from dumbbell.spec.point_text import point_text
from dumbbell.spec.quantity import Time
from dumbbell.spec.run import Run
from dumbbell.tables.table import Table

MOST_RUNS_IN_TIME: Final = 24
"""Of all experiments of a page."""
MOST_DESCRIBED: Final = 64
"""Points of an experiment whose path and hosts are read."""
MOST_ROWS: Final = 400
"""Of an experiment's table."""
REST: Final = "`dumbbell results show --json` and `store.groups()` have all"
"""Where the rows are for which a page has no room."""
RUN_IN_TIME_SHARE: Final = 1 / 3
"""Points of a line of a run in time, of those of a figure: there are many of them."""
MEANS: Final = (
    "Means over n seeds with their 95 % intervals (Student's t); n is 1, and there is none, where all seeds gave the"
    " same."
)


def read_part(
    store: Store, runs: ExperimentRuns, anchor: str = "", most: int = MOST_RUNS_IN_TIME,
    progress: Callable[[], None] = lambda: None,
) -> Section:  # fmt: skip
    """Reads an experiment; its warnings are notices, and `most` of its runs are drawn over time.

    `anchor` begins the names of its parts; it is empty where the page is about this one only.
    `progress` is called after each point.
    """

    def named(name: str) -> str:
        return f"{anchor}-{name}" if anchor else name

    def renamed(charts: Iterable[Chart]) -> list[Chart]:
        return [replace(chart, name=named(chart.name)) for chart in charts]

    run_samples = samples.read(store, runs, most)
    charts = renamed([*gallery.of_summaries(store, runs), *gallery.of_series(runs, run_samples.runs)])
    series = list(gallery.single_runs(runs, run_samples.runs)) if len(run_samples.runs) > 1 else []
    differing, state = gallery.most_differing(runs, run_samples.runs)
    overlays = [replace(differing, title=f"what differs most: {differing.title}")] if differing else []
    states = renamed(filter(None, [state]))
    in_time, texts = renamed([*overlays, *series]), list(summaries(warnings(runs, progress)).values())
    path, verdicts = facts(store, runs), judged(store, runs)
    tables = of_page(runs, MOST_ROWS)
    parts = [
        Section(anchor=named("figures"), heading="Figures", charts=lambda: charts, titled=True),
        Section(
            anchor=named("time"), heading="Runs in time", charts=lambda: in_time, points=RUN_IN_TIME_SHARE,
            choice="Run", over="laid over it", below=(run_samples.note,) if run_samples.note else (),
        ),
        Section(anchor=named("algorithms"), heading="State of each algorithm", charts=lambda: states, titled=True,
                folded=True),
        Section(
            anchor=named("expectations"), heading="Expectations", table=table(verdicts) if verdicts else None,
            below=[f"{each.verdict}: {each.text}" for each in verdicts if each.verdict != "holds"],
        ),
        _table(named("table"), runs, tables) if tables else Section(anchor=named("table"), heading=""),
        Section(anchor=named("hops"), heading="Queues", table=of_hops(runs, MOST_ROWS), legend=MEANS),
        Section(anchor=named("setting"), heading="Path, senders and hosts", facts=list(path.items()),
                folded=bool(anchor)),
    ]  # fmt: skip
    return Section(
        anchor=anchor, heading=runs.name, answer=" ".join(answer(runs)), above=f"{_scale(runs, path)}.", notices=texts,
        parts=parts,
    )  # fmt: skip


def _table(anchor: str, runs: ExperimentRuns, tables: Sequence[Table]) -> Section:
    shared = any(len(point.ccs) > 1 for point in runs.points)
    harm = f"Harm, what the others cost a group, is not known: {ADDS_HARM}."
    return Section(
        anchor=anchor, heading="Table", table=tables[0], more=tables[1] if len(tables) > 1 else None,
        rows=rows(runs), rest=REST, below=[harm] * (shared and not runs.knows_harm),
        legend=f"{MEANS} What belongs to the path stands at each of its groups.",
    )  # fmt: skip


def rows(runs: ExperimentRuns) -> int:
    """How many rows its table has in full: a group of a point each."""
    return sum(max(1, len(point.ccs)) for point in runs.points)


def _scale(runs: ExperimentRuns, path: Mapping[str, Sequence[str]]) -> str:
    """How much was measured, in words."""
    seeds = {seed for point in runs.points for seed in point.run_ids}
    there = counted(runs.measured, "run")
    if runs.measured < runs.total:
        there = f"{runs.measured:,} of {counted(runs.total, 'run')}"
    parts = [there, counted(len(runs.points), "point") if runs.axes else "", counted(len(seeds), "seed")]
    parts += [f"engine {runs.engine}", runs.validity, brief(path)]
    return ", ".join(filter(None, parts))


def _in_time(point: Point | None, run: Run) -> dict[str, Any]:
    """Changes and traces of each line as a point's spec has them, by the paths of their fields."""
    if point is None:
        return {}
    own = point.fields()

    def value(path: str) -> Any:  # noqa: ANN401 (whatever a field may have)
        table: Any = own
        for name in path.split("."):
            table = table.get(name) if isinstance(table, Mapping) else None
        return table or point.get(path)  # the link's, or a hop's

    return {f"{line}.{key}": value(f"{line}.{key}") for line in run.path.queues for key in ("change", "trace")}


def facts(store: Store, runs: ExperimentRuns) -> dict[str, list[str]]:
    """Path and hosts, from the first run of each point: by label, a text where all runs have one, else each."""
    firsts = (min(point.run_ids.items())[1] for point in runs.points[:MOST_DESCRIBED] if point.run_ids)
    stored_runs = [(store.run(run_id), store.get(run_id)) for run_id in firsts]
    usual = runs.spec.get("rtt_spread", "0 s")
    points = {} if runs.experiment is None else {point_text(each.values): each for each in expand(runs.experiment)}
    described = (
        (
            run,
            [(flow.name, flow.cc) for flow in result.flows],
            Time(result.point.get("rtt_spread", usual)).ns,
            _in_time(points.get(point_text(result.point)), run),
        )
        for run, result in stored_runs
        if isinstance(result, Result)
    )
    return describe_runs(described, runs.engine)
