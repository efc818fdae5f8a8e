"""A heat map as plotly's script takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from dumbbell.charts.heat import place, stops, ticks, words
from dumbbell.metrics.number import amount
from dumbbell.report.plotted import escaped, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.chart import HeatMap, Panel


def trace(panel: Panel, heat: HeatMap, number: int) -> dict[str, Any]:
    """Cells by their places on the scale of colours, with our value and the document's in each."""
    suffix = "" if number == 1 else str(number)
    across, up = escaped(panel.x.label), escaped(panel.y.label)
    return {
        "type": "heatmap",
        "x": list(range(len(heat.cells[0]))),
        "y": list(range(len(heat.cells))),
        "z": [numbers(place(value, heat) for value in values) for values in heat.cells],
        "text": [[_words(heat, *at) for at in row] for row in _places(heat)],
        "texttemplate": "%{text}",
        "customdata": [[_hover(heat, *at) for at in row] for row in _places(heat)],
        "hovertemplate": f"{across} %{{x}}, {up} %{{y}}<br>%{{customdata}}<extra></extra>",
        "coloraxis": f"coloraxis{suffix}",
        "xgap": 1,
        "ygap": 1,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def bar(heat: HeatMap, right: float, middle: float, length: float) -> dict[str, Any]:
    """The scale of colours, and its bar beside the heat map, which ends at `right`."""
    told = ticks(heat)
    return {
        "cmin": 0,
        "cmax": 1,
        "colorscale": [[at, colour] for at, colour in stops(heat)],
        "colorbar": {
            "title": {"text": escaped(heat.label), "side": "right"},
            "x": right + 0.005,
            "xanchor": "left",
            "y": middle,
            "len": length,
            "thickness": 12,
            "tickvals": [at for at, _ in told],
            "ticktext": [text for _, text in told],
        },
    }


def rows(panel: Panel, heat: HeatMap) -> Iterator[tuple[str, ...]]:
    """Its numbers as rows of a figure's table: where a curve has its name, a cell has its row."""
    columns, lines = dict(panel.x.ticks), dict(panel.y.ticks)
    for line in _places(heat):
        for row, column in line:
            value, half, theirs = heat.cells[row][column], heat.half_width(row, column), heat.theirs(row, column)
            told = amount(value) if math.isfinite(value) else ""
            beside = f" (published: {theirs:g})" if math.isfinite(theirs) else ""
            where = f"{panel.y.label} {lines.get(row, f'{row}')}"
            ends = f"{amount(value - half)} to {amount(value + half)}" if half else ""
            yield (panel.title or heat.label, where, columns.get(column, f"{column}"), told + beside, ends)


def _places(heat: HeatMap) -> list[list[tuple[int, int]]]:
    return [[(row, column) for column in range(len(values))] for row, values in enumerate(heat.cells)]


def _words(heat: HeatMap, row: int, column: int) -> str:
    ours, theirs = (
        words(value, signed=heat.colours == "diverging")
        for value in (heat.cells[row][column], heat.theirs(row, column))
    )
    return f"{ours}<br>({theirs})" if theirs else ours


def _hover(heat: HeatMap, row: int, column: int) -> str:
    theirs = heat.theirs(row, column)
    told = amount(heat.cells[row][column], heat.half_width(row, column))
    return f"{told}<br>published: {theirs:g}" if math.isfinite(theirs) else told
