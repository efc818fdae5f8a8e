"""One experiment as a page shows it: its answer, its figures, its table, how it was set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dumbbell.charts.chart import Chart
from dumbbell.findings.answer import answer
from dumbbell.findings.caution import CautionSummary, Kind, caution_summaries
from dumbbell.findings.charts import gallery, samples
from dumbbell.findings.points import ExperimentRuns, Notice
from dumbbell.findings.warnings import warnings
from dumbbell.metrics.number import counted
from dumbbell.report.describe import brief, describe_runs
from dumbbell.report.figure import Drawing, drawing
from dumbbell.report.results_table import ResultsTable, results_tables
from dumbbell.results.harm import ADDS_HARM
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec.quantity import Time

MOST_RUNS_IN_TIME: Final = 24
"""Of all experiments of a page."""
MOST_DESCRIBED: Final = 64
"""Points of an experiment whose path and hosts are read."""
MOST_ROWS: Final = 400
"""Of an experiment's table."""
RUN_IN_TIME_SHARE: Final = 3
"""A line of a run in time has this much fewer points than one of a figure: there are many of them."""
ABOUT: Final[Mapping[Kind, str]] = {"few losses": "costs"}
"""The chart that a kind of warning is about; the others are about who gets how much, which the page begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentView:
    """What is read of an experiment for a page, once."""

    anchor: str
    """Begins the names of its parts; empty where the page is about this one only."""
    runs: ExperimentRuns
    answer: Sequence[str]
    facts: Mapping[str, Sequence[str]]
    charts: Sequence[Chart]
    overlay: Chart | None
    """The two runs that differ most, over time."""
    series: Sequence[Chart]
    """Single runs over time."""
    note: str
    """What is to be said of runs that are not drawn."""
    warnings_by_chart: Mapping[str, Sequence[str]]
    """Warnings by the name of the chart that they are about; those about no chart by ""."""

    @classmethod
    def read(
        cls, store: Store, runs: ExperimentRuns, anchor: str = "", most: int = MOST_RUNS_IN_TIME,
        progress: Callable[[], None] = lambda: None,
    ) -> ExperimentView:  # fmt: skip
        """Reads an experiment; `most` of its runs are drawn over time; `progress` is called after each point."""
        run_samples = samples.read(store, runs, most)
        over_time = gallery.of_series(runs, run_samples.runs)
        charts = [*gallery.of_summaries(store, runs), *over_time[:-1]]
        return cls(
            anchor=anchor,
            runs=runs,
            answer=answer(runs),
            facts=facts(store, runs),
            charts=charts,
            overlay=over_time[-1] if over_time else None,
            series=list(gallery.single_runs(runs, run_samples.runs)) if len(run_samples.runs) > 1 else [],
            note=run_samples.note,
            warnings_by_chart=_warnings_by_chart(caution_summaries(warnings(runs, progress)), charts),
        )

    @property
    def scale(self) -> str:
        """How much was measured, in words."""
        runs, seeds = self.runs, {seed for point in self.runs.points for seed in point.run_ids}
        there = counted(runs.measured, "run")
        if runs.measured < runs.total:
            there = f"{runs.measured:,} of {counted(runs.total, 'run')}"
        parts = [there, counted(len(runs.points), "point") if runs.axes else "", counted(len(seeds), "seed")]
        parts += [f"engine {runs.engine}", runs.validity, brief(self.facts)]
        return ", ".join(filter(None, parts))

    @property
    def harm_note(self) -> str:
        """What would tell the harm, where groups share the path and it is not known."""
        shared = any(len(point.ccs) > 1 for point in self.runs.points)
        return (
            f"Harm, what the others cost a group, is not known: {ADDS_HARM}."
            if shared and not self.runs.knows_harm
            else ""
        )

    @property
    def cautions(self) -> list[Notice]:
        """Its warnings about all of its runs, as lines beside those of single runs."""
        texts = dict.fromkeys(text for several in self.warnings_by_chart.values() for text in several)
        runs = self.runs
        return [Notice(kind="warning", text=each, place=runs.name, runs=runs.measured) for each in texts]

    def named(self, name: str) -> str:
        """A name that only this experiment has."""
        return f"{self.anchor}-{name}" if self.anchor else name

    def drawn(self, most: int) -> DrawnExperiment:
        """With at most so many points a line, and rows of a table."""
        fewer = max(2, most // RUN_IN_TIME_SHARE)
        over = [self.overlay, *self.series] if self.overlay else self.series
        return DrawnExperiment(
            view=self,
            figures=[drawing(chart, most, self.named(chart.name)) for chart in self.charts],
            series=[drawing(chart, fewer, self.named(chart.name)) for chart in over],
            tables=results_tables(self.runs, min(most, MOST_ROWS)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnExperiment:
    """An experiment ready for the page."""

    view: ExperimentView
    figures: Sequence[Drawing]
    series: Sequence[Drawing]
    """The overlay first."""
    tables: Sequence[ResultsTable]

    @property
    def drawings(self) -> list[Drawing]:
        return [*self.figures, *self.series]


def facts(store: Store, runs: ExperimentRuns) -> dict[str, list[str]]:
    """Path and hosts, from the first run of each point: by label, a text where all runs have one, else each."""
    firsts = (min(point.run_ids.items())[1] for point in runs.points[:MOST_DESCRIBED] if point.run_ids)
    stored_runs = [(store.run(run_id), store.get(run_id)) for run_id in firsts]
    usual = runs.spec.get("rtt_spread", "0 s")
    described = (
        (run, [(flow.name, flow.cc) for flow in result.flows], Time(result.point.get("rtt_spread", usual)).ns)
        for run, result in stored_runs
        if isinstance(result, Result)
    )
    return describe_runs(described, runs.engine)


def _warnings_by_chart(summaries: Sequence[CautionSummary], charts: Sequence[Chart]) -> dict[str, list[str]]:
    there = {chart.name for chart in charts}
    texts: dict[str, list[str]] = {}
    for each in summaries:
        chart = ABOUT.get(each.worst.kind, "")
        texts.setdefault(chart if chart in there else "", []).append(each.text)
    return texts
