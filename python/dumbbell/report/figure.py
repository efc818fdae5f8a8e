"""A chart as plotly's script takes it: the one place that knows plotly's words. It computes nothing but positions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import dumbbell.report.heat as heat
from dumbbell.charts.style import dash_of, ranked, style_of
from dumbbell.metrics.number import amount
from dumbbell.report.downsample import MOST_POINTS, method, thinned
from dumbbell.report.plotted import escaped, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.charts.chart import Axis, Chart, Layer, Panel
    from dumbbell.charts.style import Style

PANEL_HEIGHT: Final = {1: 380, 2: 250}
"""Pixels of a row by the number of rows; more rows are `LOW_PANEL` high."""
LOW_PANEL: Final = 200
HEAT_PANEL: Final = 460
"""Pixels of a row that has a heat map."""
BAR_SHARE: Final = 0.1
"""Of a heat map's width: its bar of colours, with its words."""
OPPOSITE: Final = 50
"""Number of a panel's first axis for another unit: after those of all panels."""
GAP: Final = 62
"""Pixels between two rows: axis labels and a title."""
OPPOSITE_GAP: Final = 40
"""Pixels more, where a panel has a second axis above it."""
LEGEND_LINE: Final = 22
MARGIN_TOP: Final = 44
MARGIN_BOTTOM: Final = 56
MOST_TICKS: Final = 12
MOST_TABULATED: Final = 150
"""Points of a chart whose numbers are also given as a table."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of the page."""

    name: str
    title: str
    caption: str
    alt: str
    height: int
    plot: dict[str, Any]
    """`data` and `layout`, for plotly."""
    rows: tuple[tuple[str, ...], ...]
    """The numbers, for those who read tables; empty where they are too many."""


def drawing(chart: Chart, most: int = MOST_POINTS) -> Drawing:
    """A chart ready for the page, with at most `most` points a line."""
    rows = math.ceil(len(chart.panels) / chart.columns)
    gap = GAP + _above(chart)
    plotted = _row_height(chart, rows) * rows + gap * (rows - 1)
    layout = _layout(chart, rows, plotted, shares_x=chart.columns == 1, gap=gap)
    legend: set[str] = set()
    data = [
        trace
        for number, panel in enumerate(chart.panels, start=1)
        for layer, rank in ranked(panel.layers)
        for trace in _traces(thinned(layer, most), rank, number, legend)
    ]
    for number, panel in enumerate(chart.panels, start=1):
        if panel.heat is not None:
            data.append(heat.trace(panel, panel.heat, number))
        data += _opposite_traces(panel, number)
    layout["height"] = height = MARGIN_TOP + _above(chart) + plotted + MARGIN_BOTTOM  # the page adds the legend
    is_thinned = any(len(layer.x) > most for panel in chart.panels for layer in panel.layers)
    return Drawing(
        name=chart.name,
        title=chart.title,
        caption=f"{chart.caption} {method(most)}" if is_thinned else chart.caption,
        alt=chart.alt or f"{chart.title}. {chart.caption}",
        height=height + LEGEND_LINE * len(legend),
        plot={"data": data, "layout": layout, **({"narrow": _narrow(chart)} if chart.columns > 1 else {})},
        rows=tuple(_table(chart)),
    )


def _narrow(chart: Chart) -> dict[str, Any]:
    """The layout with all panels above one another."""
    rows = len(chart.panels)
    plotted = (HEAT_PANEL if _heated(chart) else LOW_PANEL) * rows + (GAP + MARGIN_TOP) * (rows - 1)
    stacked = _layout(replace(chart, columns=1), rows, plotted, shares_x=False, gap=GAP + MARGIN_TOP)
    return {**stacked, "height": plotted + MARGIN_TOP + _above(chart) + MARGIN_BOTTOM}


def _above(chart: Chart) -> int:
    """Pixels that an axis above the panels takes."""
    return OPPOSITE_GAP if any(panel.x.opposite for panel in chart.panels) else 0


def _row_height(chart: Chart, rows: int) -> int:
    return HEAT_PANEL if _heated(chart) else PANEL_HEIGHT.get(rows, LOW_PANEL)


def _heated(chart: Chart) -> bool:
    return any(panel.heat for panel in chart.panels)


def _layout(chart: Chart, rows: int, plotted: int, *, shares_x: bool, gap: int) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "margin": {"l": 64, "r": 16, "t": MARGIN_TOP + _above(chart), "b": MARGIN_BOTTOM},
        "hovermode": "closest",
        "hoverlabel": {"namelength": -1},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "y": 0, "yanchor": "bottom"},
        "annotations": [],
        "shapes": [],
    }
    between = gap / plotted
    height = (1 - between * (rows - 1)) / rows
    width_gap = 0.09 if chart.columns > 1 else 0.0
    width = (1 - width_gap * (chart.columns - 1)) / chart.columns
    for number, panel in enumerate(chart.panels, start=1):
        row, column = divmod(number - 1, chart.columns)
        top, left = 1 - row * (height + between), column * (width + width_gap)
        suffix = "" if number == 1 else str(number)
        right = left + width * (1 - BAR_SHARE if panel.heat else 1)
        bottom = max(0.0, top - height)
        last = number > len(chart.panels) - chart.columns
        layout[f"xaxis{suffix}"] = {
            **_axis(panel.x, _values(panel, "x")),
            "domain": [left, right],
            "anchor": f"y{suffix}",
            **({"matches": "x"} if shares_x and number > 1 else {}),
            **({} if last or not shares_x else {"title": {"text": ""}}),
        }
        layout[f"yaxis{suffix}"] = {
            **_axis(panel.y, _values(panel, "y")),
            "domain": [bottom, top],
            "anchor": f"x{suffix}",
        }
        if panel.heat is not None:
            for which in "xy":
                layout[f"{which}axis{suffix}"] |= {"showgrid": False, "ticks": "", "showline": False}
            layout[f"coloraxis{suffix}"] = heat.bar(panel.heat, right, (top + bottom) / 2, top - bottom)
        for which in "xy":
            layout |= _opposite(getattr(panel, which), which, suffix, number)
        if panel.title:
            layout["annotations"].append({
                "text": f"<b>{escaped(panel.title)}</b>", "showarrow": False, "xref": "paper", "yref": "paper",
                "x": left, "xanchor": "left", "y": top, "yanchor": "bottom", "yshift": 34 if panel.x.opposite else 0,
            })  # fmt: skip
        for at, what in panel.marks:
            _mark(layout, suffix, math.log10(at) if panel.x.scale != "linear" else at, what)
    return layout


def _axis(axis: Axis, values: Sequence[float]) -> dict[str, Any]:
    linear = axis.scale == "linear"
    found: dict[str, Any] = {
        "title": {"text": escaped(axis.label), "standoff": 8},
        "type": "linear" if linear else "log",
        "automargin": True,
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "autotickangles": [0, -90],
    }
    ticks = axis.ticks or (_powers_of_two(values) if axis.scale == "log2" else ())
    if ticks:
        found |= {"tickvals": [at for at, _ in ticks], "ticktext": [escaped(words) for _, words in ticks]}
    elif not linear:
        found |= {"dtick": 1}
    low, high = axis.limits
    if not linear and (low is not None or high is not None):  # a missing end is found by plotly
        found["range"] = [None if end is None else math.log10(end) for end in (low, high)]
    elif low is not None and high is not None:
        found["range"] = [low, high]
    elif low is not None or high is not None:
        found["autorangeoptions"] = {"minallowed": low} if low is not None else {"maxallowed": high}
    return found


def _opposite(axis: Axis, which: str, suffix: str, number: int) -> dict[str, Any]:
    """The other side's axis, which keeps to the first one's positions."""
    if axis.opposite is None:
        return {}
    ticks = axis.opposite.ticks
    return {
        f"{which}axis{OPPOSITE + number}": {
            "title": {"text": escaped(axis.opposite.label), "standoff": 6},
            "type": "linear" if axis.scale == "linear" else "log",
            "overlaying": f"{which}{suffix}",
            "matches": f"{which}{suffix}",
            "side": "top" if which == "x" else "right",
            "tickvals": [at for at, _ in ticks],
            "ticktext": [escaped(words) for _, words in ticks],
            "ticks": "outside",
            "showgrid": False,
            "automargin": True,
            "zeroline": False,
        }
    }


def _opposite_traces(panel: Panel, number: int) -> Iterator[dict[str, Any]]:
    """Plotly draws an axis only where something is drawn by it: nothing is."""
    suffix = "" if number == 1 else str(number)
    for which, axis in (("x", panel.x), ("y", panel.y)):
        if axis.opposite is not None:
            yield {
                "type": "scatter", "x": [None], "y": [None], "showlegend": False, "hoverinfo": "skip",
                **{f"{each}axis": f"{each}{OPPOSITE + number if each == which else suffix}" for each in "xy"},
            }  # fmt: skip


def _powers_of_two(values: Sequence[float]) -> tuple[tuple[float, str], ...]:
    positive = [value for value in values if value > 0]
    if not positive:
        return ()
    first, last = math.floor(math.log2(min(positive))), math.ceil(math.log2(max(positive)))
    step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
    return tuple((2.0**power, f"{2.0**power:g}") for power in range(first, last + 1, step))


def _values(panel: Panel, which: str) -> list[float]:
    if which == "x":
        return list(chain.from_iterable(layer.x for layer in panel.layers))
    return list(chain.from_iterable((*layer.y, *layer.low, *layer.high) for layer in panel.layers))


def _mark(layout: dict[str, Any], suffix: str, at: float, what: str) -> None:
    where = {"xref": f"x{suffix}", "yref": f"y{suffix} domain"}
    dashed = {"width": 1, "dash": "dot", "color": "#7f7f7f"}
    layout["shapes"].append({"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": dashed, **where})
    layout["annotations"].append({
        "text": escaped(what), "showarrow": False, "x": at, "y": 1, "xanchor": "left", "yanchor": "top",
        "xshift": 3, **where,
    })  # fmt: skip


def _traces(layer: Layer, rank: int, number: int, legend: set[str]) -> Iterator[dict[str, Any]]:
    """The traces of a layer. One label is in the legend once, however many panels it is in."""
    style, suffix = style_of(layer.style), "" if number == 1 else str(number)
    shown = bool(layer.label) and layer.label not in legend
    legend |= {layer.label} if layer.label else set()
    base = {
        "type": "scatter",
        "name": escaped(layer.label or style.label),
        "legendgroup": layer.label or f"{layer.style} {layer.instance}",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }
    x = numbers(layer.x)
    line: dict[str, Any] = {"color": style.colour, "dash": dash_of(style, rank), "width": 2}
    if layer.kind == "band":
        edge = {**line, "width": 0.75}
        no_hover = {"mode": "lines", "hoverinfo": "skip", "line": edge}
        yield {**base, **no_hover, "x": x, "y": numbers(layer.low), "showlegend": False}
        yield {
            **base, **no_hover, "x": x, "y": numbers(layer.high), "fill": "tonexty",
            "fillcolor": _faint(style.colour), "showlegend": shown and not layer.y,
        }  # fmt: skip
        if not layer.y:
            return
    draws_line, draws_points = layer.kind != "points", layer.kind in {"points", "line+points"}
    trace = {
        **base,
        "mode": "+".join([*(["lines"] if draws_line else []), *(["markers"] if draws_points else [])]),
        "x": x,
        "y": numbers(layer.y),
        "line": {**line, **({"shape": "hv"} if layer.kind == "step" else {})},
        "showlegend": shown,
        "cliponaxis": not draws_points,
    }
    if draws_points:
        trace["marker"] = _marker(style)
    if layer.low and layer.kind != "band":
        ends = list(zip(layer.low, layer.y, layer.high, strict=True))
        trace["error_y"] = {
            "type": "data", "symmetric": False, "thickness": 1.5, "width": 4, "color": style.colour,
            "array": numbers(high - middle for _, middle, high in ends),
            "arrayminus": numbers(middle - low for low, middle, _ in ends),
        }  # fmt: skip
    yield trace


def _marker(style: Style) -> dict[str, Any]:
    open_ = style.open or style.colour == "#000000"
    symbol = {"x": "x-thin", "cross": "cross-thin"}.get(style.marker, style.marker) if open_ else style.marker
    return {
        "symbol": f"{symbol}-open" if open_ else symbol,
        "size": 10 if open_ else 8,
        "color": style.colour,
        "line": {"width": 2 if open_ else 0, "color": style.colour},
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"


def _table(chart: Chart) -> Iterator[tuple[str, ...]]:
    layers = [(panel, layer) for panel in chart.panels for layer in panel.layers]
    if sum(len(layer.x) for _, layer in layers) > MOST_TABULATED:
        return
    for panel in chart.panels:
        if panel.heat is not None:
            yield from heat.rows(panel, panel.heat)
    ticks = {panel: dict(panel.x.ticks) for panel in chart.panels}
    for panel, layer in layers:
        for index, x in enumerate(layer.x):
            y = amount(layer.y[index]) if layer.y else ""
            ends = f"{amount(layer.low[index])} to {amount(layer.high[index])}" if layer.low else ""
            name = layer.label or style_of(layer.style).label
            yield (panel.title or panel.y.label, name, ticks[panel].get(x, f"{x:g}"), y, ends)
