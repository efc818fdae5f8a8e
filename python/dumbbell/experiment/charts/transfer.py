"""Charts of short transfers: how long they take by their size, or, where all have one, how their times spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.shapes import Look, distribution, scatter
from dumbbell.errors import StoreError
from dumbbell.experiment.charts.layout import Curve, Sweep, conditions, evenly
from dumbbell.experiment.charts.sweep import MOST_COLUMNS, MOST_PANELS, alike, column_count
from dumbbell.metrics.distribution import quantiles
from dumbbell.metrics.number import counted
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS: Final = 200
"""Of a distribution that is drawn."""
BINS: Final = 10
"""Of sizes, with as many transfers each."""
FEWEST: Final = 20
"""Transfers of a bin: of fewer the 95th percentile is the slowest one."""
KB: Final = 1e-3
SHARES: Final = (0.5, 0.95)


@dataclass(frozen=True, slots=True)
class Source:
    """The transfers of a group at a point."""

    look: Look
    bytes: Sequence[float]
    fct_s: Sequence[float]
    """NaN: it was not complete."""


def transfers(store: Store, sweep: Sweep) -> Chart | None:
    """Completion time against size at some points of the sweep; None where there is no source of transfers."""
    runs = sweep.runs
    by_condition = conditions(runs, (point for point in runs.points if point.run_ids))
    shown = dict(evenly(list(by_condition.items()), MOST_PANELS))
    by_panel = {title: list(_sources(store, sweep, points)) for title, points in shown.items()}
    sources = [each for members in by_panel.values() for each in members]
    if not sources:
        return None
    by_size = any(len(set(each.bytes)) > 1 for each in sources)
    panels = [_panel(title, members, by_size=by_size) for title, members in by_panel.items() if members]
    count = sum(len(each.fct_s) for each in sources)
    ended = sum(int(np.isfinite(each.fct_s).sum()) for each in sources)
    left = f" {count - ended:,} of them were not complete, and count as the slowest." if ended < count else ""
    bins = f"Marks: the median of each of up to {BINS} equally large classes of sizes; lines: the 95th percentile."
    spread = "Part of the transfers that took no longer than each time; all have one size."
    return Chart(
        name="transfers",
        shape="sweep" if by_size else "distribution",
        title="Completion time by size" if by_size else "How completion times are distributed",
        caption=f"{bins if by_size else spread} {counted(count, 'transfer')} of the first seed of each point that is"
        f" shown.{left} On {runs.engine}.",
        panels=tuple(alike(panels)) if by_size else tuple(panels),
        columns=min(MOST_COLUMNS, column_count(panels)),
        alt="Completion times of short transfers by their size, by group and point.",
    )


def _sources(store: Store, sweep: Sweep, points: Sequence[MeasuredPoint]) -> Iterator[Source]:
    point_ids = set(map(id, points))
    for curve in sweep.curves:
        for point in curve.points:
            if id(point) in point_ids:
                yield from _of_point(store, sweep, curve, point)


def _of_point(store: Store, sweep: Sweep, curve: Curve, point: MeasuredPoint) -> Iterator[Source]:
    _, run_id = min(point.run_ids.items())
    if "transfers" not in store.kinds(run_id):
        return
    try:
        frame: pd.DataFrame = store.transfers(run_id)
    except StoreError:  # damaged: `results verify` says so
        return
    for group, cc in point.ccs.items():
        own = frame[frame["name"] == group]
        if len(own):
            yield Source(sweep.look(group, cc, curve), own["bytes"].tolist(), own["fct_s"].tolist())


def _panel(title: str, members: Sequence[Source], *, by_size: bool) -> Panel:
    layers = [layer for each in members for layer in (_by_size(each) if by_size else _spread(each))]
    if by_size:
        x, y = Axis(label="size (kB)", scale="log10"), Axis(label="completion time (s)", scale="log10")
    else:
        x, y = Axis(label="completion time (s)"), Axis(label="part of the transfers (%)", limits=(0, 100))
    return Panel(title=title, x=x, y=y, layers=tuple(layers), better="down" if by_size else "")


def _by_size(source: Source) -> Iterator[Layer]:
    """The median in each bin of sizes, with marks, and the 95th percentile as a line."""
    size, fct_s = np.array(source.bytes, np.float64) * KB, np.array(source.fct_s)
    order = np.argsort(size, kind="stable")
    bins = np.array_split(order, max(1, min(BINS, len(order) // FEWEST)))
    x = tuple(float(np.median(size[own])) for own in bins)
    with np.errstate(invalid="ignore"):  # between two that never ended
        bin_quantiles = [
            quantiles(np.where(np.isnan(fct_s[own]), math.inf, fct_s[own]), SHARES) or [math.nan] * 3 for own in bins
        ]
    middle, high = zip(*bin_quantiles, strict=True)
    yield scatter(source.look, x, middle, kind="line+points")
    yield scatter(replace(source.look, label="", tag=""), x, high, kind="line")


def _spread(source: Source) -> Iterator[Layer]:
    ended = float(np.isfinite(source.fct_s).mean())
    layer = distribution(source.look, source.fct_s, full=100, part=ended, most=MOST_STEPS)
    if layer.x:
        yield layer
