"""The numbers of a chart as tables, for those who would rather read them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.charts.style import style_of
from dumbbell.metrics.number import amount, ends
from dumbbell.tables import csv as table_csv
from dumbbell.tables.table import Table


def tables(display: Chart | Table, *, bands: bool = False) -> Iterator[Table]:
    """A table as it is; of a chart one for each panel.

    A panel of layers has a row for each position on the x axis, and a column a layer; `bands`: those, too, with both
    ends, of which the middle is often a layer of its own. A heat map has a row a row, the highest first. A value with
    an interval is `value ± half its width`; "" where a layer has no value.
    """
    if isinstance(display, Table):
        yield display
        return
    for panel in display.panels:
        title = panel.title or display.title
        if panel.heat is not None:
            yield Table.of(*_cells(panel, panel.heat), title=f"{title}; {panel.heat.label}")
            continue
        layers = [layer for layer in panel.layers if layer.kind != "band" or bands]
        positions = sorted({x for layer in layers for x in layer.x})
        columns = [_column(layer) for layer in layers]
        rows = [[_tick(panel.x, x), *(column.get(x, "") for column in columns)] for x in positions]
        yield Table.of([panel.x.label, *(layer.label for layer in layers)], rows, title=f"{title}; {panel.y.label}")


CSV_HEADER: Final = (
    "panel", "x_axis", "y_axis", "series", "point", "x", "x_low", "x_high", "y", "y_low", "y_high",
)  # fmt: skip


def csv(display: Chart | Table) -> str:
    """All numbers of a chart, a line each, with both ends of their intervals; of a table its cells.

    The columns of a chart are `CSV_HEADER`'s: `point` is a tick's or a point's text, and what is not there is empty.
    A cell of a heat map has its column and row as x and y axis' texts, and its value as y.
    """
    if isinstance(display, Table):
        return table_csv.csv(display)
    lines = (_lines_of_heat(panel, panel.heat) if panel.heat else _lines(panel) for panel in display.panels)
    return table_csv.of_rows(chain([CSV_HEADER], chain.from_iterable(lines)))


def _lines(panel: Panel) -> Iterator[Sequence[str]]:
    ticks = dict(panel.x.ticks)
    for layer in panel.layers:
        for index, x in enumerate(layer.x):
            columns = (layer.left, layer.right, layer.y, layer.low, layer.high)
            left, right, y, low, high = (column[index] if column else math.nan for column in columns)
            point = layer.words[index] if layer.words and layer.words[index] else ticks.get(x, "")
            numbers = (_exact(value) for value in (x, left, right, y, low, high))
            name = layer.label or layer.tag or style_of(layer.style).label
            yield (panel.title, panel.x.label, panel.y.label, name, point, *numbers)


def _lines_of_heat(panel: Panel, heat: HeatMap) -> Iterator[Sequence[str]]:
    across, up = dict(panel.x.ticks), dict(panel.y.ticks)
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            low_high = ends(value, heat.half_width(row, column), heat.limits)
            numbers = (_exact(each) for each in (value, *low_high))
            point = f"{across.get(column, column)}; {up.get(row, row)}"
            yield (panel.title, panel.x.label, panel.y.label, heat.label, point, str(column), "", "", *numbers)
    for dot in heat.dots:
        numbers = (_exact(each) for each in (dot.column, math.nan, math.nan, dot.value, math.nan, math.nan))
        yield (panel.title, panel.x.label, panel.y.label, "measured", dot.words, *numbers)


def _exact(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""


def _cells(panel: Panel, heat: HeatMap) -> tuple[list[str], list[list[str]]]:
    columns = [label for _, label in panel.x.ticks] or [str(index) for index in range(len(heat.cells[0]))]
    rows = [
        [_tick(panel.y, row), *(_cell(heat, row, column) for column in range(len(columns)))]
        for row in reversed(range(len(heat.cells)))
        if heat.cells[row]
    ]
    return [f"{panel.y.label} \\ {panel.x.label}", *columns], rows


def _cell(heat: HeatMap, row: int, column: int) -> str:
    published = heat.theirs(row, column)
    text = amount(heat.cells[row][column], heat.half_width(row, column), limits=heat.limits)
    return f"{text} ({published:g})" if math.isfinite(published) else text


def _tick(axis: Axis, x: float) -> str:
    return next((label for position, label in axis.ticks if position == x), f"{x:g}")


def _column(layer: Layer) -> dict[float, str]:
    """A layer's values by position, a band's ends; the first where it has several at one."""
    if not layer.y:
        ends = (f"{amount(low)} to {amount(high)}" for low, high in zip(layer.low, layer.high, strict=True))
        return dict(zip(layer.x, ends, strict=True))
    halves = ((high - low) / 2 for low, high in zip(layer.low, layer.high, strict=True)) if layer.low else repeat(0.0)
    values = [amount(y, half if 0 < half < math.inf else None) for y, half in zip(layer.y, halves, strict=False)]
    return dict(zip(reversed(layer.x), reversed(values), strict=True))
