"""Some runs of an experiment with their series: few enough to be read at once, chosen so that all points are seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from dumbbell.errors import StoreError
from dumbbell.experiment.charts.layout import conditions, evenly, swept_label
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.run_series import RunSeries, stored
from dumbbell.results.store import Store
from dumbbell.spec import Run

MOST_RUNS: Final = 16
MOST_ROWS: Final = 2_000_000
"""Samples of all flows together that are read; a run of one minute with two flows has some thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A run that was measured, with what is known of it over time."""

    point: MeasuredPoint
    seed: int
    run_id: str
    label: str
    """Its swept values; empty where nothing is swept."""
    run: Run
    series: RunSeries

    @property
    def title(self) -> str:
        """Its swept values and its seed."""
        return ", ".join(filter(None, [self.label, f"seed {self.seed}"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The runs that were read, and what is to be said of the others."""

    runs: list[Sampled]
    note: str = ""


def chosen(runs: ExperimentRuns, most: int = MOST_RUNS) -> list[tuple[MeasuredPoint, int]]:
    """At most so many runs: the first seed of each point, and then their second ones.

    Points are left out evenly, and algorithms that are compared with one another together.
    """
    by_condition = list(conditions(runs, (point for point in runs.points if point.run_ids)).values())
    if not most or not by_condition:
        return []
    at_each = max(map(len, by_condition))
    points = [point for members in evenly(by_condition, max(1, most // at_each)) for point in members]
    turns = zip_longest(*([(point, seed) for seed in sorted(point.run_ids)] for point in points))
    return [each for turn in turns for each in turn if each][:most]


def read(
    store: Store,
    runs: ExperimentRuns,
    most: int = MOST_RUNS,
    *,
    points: Collection[int] | None = None,
    seeds: Collection[int] | None = None,
) -> Samples:
    """The series of some runs; `points` are indices into the experiment's, `seeds` those that count.

    Raises:
        StoreError: all runs that were asked for kept no series, or they are damaged.
    """
    selection = (
        list(_matching_runs(runs, points, seeds)) if points is not None or seeds is not None else chosen(runs, most)
    )
    sampled: list[Sampled] = []
    damaged: list[str] = []
    rows = without = 0
    for point, seed in selection[:most]:
        run_id = point.run_ids[seed]
        resolved = store.run(run_id)
        if resolved.measure.record == "summary":
            without += 1
            continue
        rows += len(resolved.flows) * (resolved.duration_ns // max(1, resolved.measure.sample_ns))
        if sampled and rows > MOST_ROWS:
            break
        try:
            series = stored(store, run_id)
        except StoreError as error:
            damaged.append(error.message)
            continue
        label = swept_label(runs, point.swept)
        sampled.append(Sampled(point=point, seed=seed, run_id=run_id, label=label, run=resolved, series=series))
    return Samples(runs=sampled, note=" ".join(_notes(runs, sampled, without, damaged)))


def _matching_runs(
    runs: ExperimentRuns, points: Collection[int] | None, seeds: Collection[int] | None
) -> Iterator[tuple[MeasuredPoint, int]]:
    for index, point in enumerate(runs.points):
        if points is None or index in points:
            yield from ((point, seed) for seed in sorted(point.run_ids) if seeds is None or seed in seeds)


def _notes(runs: ExperimentRuns, sampled: list[Sampled], without: int, damaged: list[str]) -> Iterator[str]:
    if without and not sampled:
        yield 'The runs kept no series (measure.record = "summary"): record = "series" keeps them.'
    elif len(sampled) < runs.measured:
        yield f"{len(sampled)} of {runs.measured:,} runs can be chosen: first seeds before second ones."
        yield "All series are in the store's Parquet files; dumbbell.open(store).flow_series(run_id) reads them."
    yield from (f"Left out: {message}." for message in damaged)
