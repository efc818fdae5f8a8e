"""Figures and tables of a page: as each engine shows them, with no more points a line than a screen shows.

Fewer points are for display only. Whatever is counted, averaged or judged uses all samples, and the store's Parquet
files keep them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from dumbbell.charts.chart import Chart, Layer
from dumbbell.charts.layout import PAGE
from dumbbell.charts.numbers import tables
from dumbbell.charts.vega import vega_lite
from dumbbell.studies.status import Shown
from dumbbell.studies.study import Study
from dumbbell.tables.table import Table

MOST_POINTS = 1500
"""Of one line, unless the page would become too large."""
MOST_TABULATED: Final = 150
"""Points of a chart whose numbers are also given as tables."""
GAP: Final = 70
"""Pixels between two rows: axis labels and a title."""
ALL_SEEDS = "all"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart ready for the page."""

    name: str
    """Names it on the page."""
    chart: Chart
    caption: str
    """With how lines were thinned."""
    spec: dict[str, Any]
    """Vega-Lite."""

    @property
    def alt(self) -> str:
        """For those who cannot see it."""
        return self.chart.alt or f"{self.chart.title}. {self.chart.caption}"

    @property
    def height(self) -> int:
        """About, in pixels; the page's layout must not jump when the figure appears."""
        return math.ceil(len(self.chart.panels) / self.chart.columns) * (int(PAGE.height(self.chart)) + GAP)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A figure or a table as one engine shows it."""

    key: str
    """Names it on the page."""
    engine: str
    seed: str
    display: Chart | Table
    drawing: Drawing | None
    """None of a table."""
    tables: list[Table]
    """The numbers; empty where they are too many."""

    @property
    def where(self) -> str:
        return self.engine if self.seed == ALL_SEEDS else f"{self.engine}, seed {self.seed}"


def drawing(chart: Chart, most: int = MOST_POINTS, name: str = "") -> Drawing:
    """A chart ready for the page, with at most `most` points a line."""
    panels = tuple(
        replace(panel, layers=tuple(thinned(layer, most) for layer in panel.layers)) for panel in chart.panels
    )
    is_thinned = any(len(layer.x) > most for panel in chart.panels for layer in panel.layers)
    return Drawing(
        name or chart.name,
        chart,
        f"{chart.caption} {method(most)}" if is_thinned else chart.caption,
        vega_lite(replace(chart, panels=panels)),
    )


def numbers(display: Chart | Table) -> list[Table]:
    """A table's numbers, or a chart's where they are few."""
    points = (
        sum(len(layer.x) for panel in display.panels for layer in panel.layers) if isinstance(display, Chart) else 0
    )
    return [] if points > MOST_TABULATED else list(tables(display, bands=True))


def views(shown: Sequence[tuple[str, Shown]], study: Study | None, most: int = MOST_POINTS) -> list[list[View]]:
    """In the document's order, the views of every figure and table that an engine, which stands before it, shows."""
    planned = [*(each.name for each in study.figures), *(each.name for each in study.tables)] if study else []
    by_name: dict[str, list[View]] = {name: [] for name in planned}
    several = Counter(one.display.name for _, one in shown)
    for engine, one in shown:
        seed = ALL_SEEDS if one.seed is None else str(one.seed)
        name, display = one.display.name, one.display
        key = "-".join((name, engine.replace(":", "-"), seed)) if several[name] > 1 else name
        drawn = drawing(display, most, key) if isinstance(display, Chart) else None
        view = View(key=key, engine=engine, seed=seed, display=display, drawing=drawn, tables=numbers(display))
        by_name.setdefault(name, []).append(view)
    return [each for each in by_name.values() if each]


def method(most: int) -> str:
    """How lines are thinned, in words."""
    return (
        f"A line of more than {most:,} samples is drawn with at most that many: its first, its last, and the lowest "
        f"and the highest of each of {max(1, (most - 2) // 2):,} stretches"
        " of equally many samples, so that no peak is lost."
    )


def thinned(layer: Layer, most: int = MOST_POINTS) -> Layer:
    """The layer with at most `most` points; the very same where it has no more than that."""
    if len(layer.x) <= most:
        return layer
    indices = lowest_and_highest(layer.y, most) if layer.y else _of_band(layer.low, layer.high, most)
    return layer.part(indices)


def lowest_and_highest(values: Sequence[float], most: int) -> npt.NDArray[np.intp]:
    """Indices, in order, of the first and last value and of the extremes of each stretch; NaN is a value of none."""
    column = np.asarray(values, dtype=np.float64)
    edges = np.linspace(0, column.size, max(1, (most - 2) // 2) + 1).astype(np.intp)
    low, high = np.where(np.isnan(column), np.inf, column), np.where(np.isnan(column), -np.inf, column)
    indices = {0, column.size - 1}
    for begin, end in pairwise(edges):
        if begin < end:
            indices |= {begin + int(low[begin:end].argmin()), begin + int(high[begin:end].argmax())}
    return np.array(sorted(indices), dtype=np.intp)


def _of_band(low: Sequence[float], high: Sequence[float], most: int) -> npt.NDArray[np.intp]:
    """Where a band without a middle is lowest and where it is highest."""
    half = max(4, most // 2)
    return np.union1d(lowest_and_highest(low, half), lowest_and_highest(high, half))
