"""A chart ready for a page: its Vega-Lite, with no more points than a screen shows, and its numbers as rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from dumbbell.charts.style import style_of
from dumbbell.charts.vega import PAGE, vega_lite
from dumbbell.metrics.number import amount
from dumbbell.report.downsample import MOST_POINTS, method, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.chart import Chart, HeatMap, Panel

MOST_TABULATED: Final = 150
"""Points of a chart whose numbers are also given as a table."""
GAP: Final = 70
"""Pixels between two rows: axis labels and a title."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of the page."""

    name: str
    title: str
    caption: str
    alt: str
    height: int
    """About; the page's layout must not jump when the figure appears."""
    spec: dict[str, Any]
    """Vega-Lite."""
    rows: tuple[tuple[str, ...], ...]
    """Panel, curve, x, y and interval of each point; empty where they are too many."""


def drawing(chart: Chart, most: int = MOST_POINTS) -> Drawing:
    """A chart ready for the page, with at most `most` points a line."""
    panels = tuple(
        replace(panel, layers=tuple(thinned(layer, most) for layer in panel.layers)) for panel in chart.panels
    )
    is_thinned = any(len(layer.x) > most for panel in chart.panels for layer in panel.layers)
    return Drawing(
        name=chart.name,
        title=chart.title,
        caption=f"{chart.caption} {method(most)}" if is_thinned else chart.caption,
        alt=chart.alt or f"{chart.title}. {chart.caption}",
        height=math.ceil(len(chart.panels) / chart.columns) * (int(PAGE.height(chart)) + GAP),
        spec=vega_lite(replace(chart, panels=panels)),
        rows=tuple(_rows(chart)),
    )


def _rows(chart: Chart) -> Iterator[tuple[str, ...]]:
    layers = [(panel, layer) for panel in chart.panels for layer in panel.layers]
    if sum(len(layer.x) for _, layer in layers) > MOST_TABULATED:
        return
    for panel in chart.panels:
        if panel.heat is not None:
            yield from _cells(panel, panel.heat)
    for panel, layer in layers:
        ticks = dict(panel.x.ticks)
        for index, x in enumerate(layer.x):
            y = amount(layer.y[index]) if layer.y else ""
            ends = f"{amount(layer.low[index])} to {amount(layer.high[index])}" if layer.low else ""
            name = layer.label or style_of(layer.style).label
            yield (panel.title or panel.y.label, name, ticks.get(x, f"{x:g}"), y, ends)


def _cells(panel: Panel, heat: HeatMap) -> Iterator[tuple[str, ...]]:
    """Where a curve has its name, a cell has its row."""
    columns, lines = dict(panel.x.ticks), dict(panel.y.ticks)
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            half, published = heat.half_width(row, column), heat.theirs(row, column)
            words = amount(value) if math.isfinite(value) else ""
            beside = f" (published: {published:g})" if math.isfinite(published) else ""
            where = f"{panel.y.label} {lines.get(row, f'{row}')}"
            ends = f"{amount(value - half)} to {amount(value + half)}" if half else ""
            yield (panel.title or heat.label, where, columns.get(column, f"{column}"), words + beside, ends)
