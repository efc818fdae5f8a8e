"""How a heat map's cells look: the scale of their colours, and the words in them.

The colours get darker towards the ends of their scale, evenly, so that grey tells a value's size; its sign is printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from dumbbell.charts.chart import Dot, HeatMap, Panel
from dumbbell.charts.layout import Layout, Spec
from dumbbell.metrics.number import amount, trimmed

SEQUENTIAL: Final = ("#ffffff", "#cfe3f2", "#8dbfe0", "#3f8fc4", "#0a5c99", "#08306b")
DIVERGING: Final = ("#08407e", "#2a7ab9", "#74b0da", "#c3dcef", "#ffffff", "#fbcdb8", "#ee8f72", "#cf4a3c", "#8b1a10")
"""Blue below 0, red above, as papers have BBR's gains: both are told apart by every reader who sees colour."""
LEAST_SHARE: Final = 1e-5
"""Of the largest: the lowest colour of a logarithmic scale, unless there is a smaller value above 0."""
BORDER: Final = "#0a0a0a"
"""Of lines and dots on cells, which are as bright on a dark page as on a light one."""
LEVEL, UPRIGHT = 0.3, 0.62
"""Size of a cell's number, by its width: beside one another, and along its height where that would be too small."""
SMALLEST: Final = 0.55
"""Of a level number, by the size of the font."""
HATCH: Final = "#9a9a9a"
STROKES: Final = 4
"""Of a hatched cell."""
_UNITS: Final = ((1e6, 1e6, "M"), (1e4, 1e3, "k"), (0.0, 1.0, ""))
"""From which amount on, by what a value is divided, and how that is written."""


def limits(heat: HeatMap) -> tuple[float, float]:
    """The values with the first and with the last colour, the former the smaller."""
    known = [value for row in heat.cells for value in row if math.isfinite(value)]
    if heat.colours == "diverging":
        most = heat.most or max(map(abs, known), default=0.0) or 1.0
        return -most, most
    most = max(0.0, heat.most or max(known, default=0.0))
    if heat.colours == "logarithmic":
        most = most or 1.0
        low = min((value for value in known if value > 0), default=most)
        return (low if low < most else most * LEAST_SHARE), most
    low = min([0.0, *known])
    return low, most if low < most else 1.0


def scale(heat: HeatMap) -> dict[str, Any]:
    """Of the colours: values with their colours between the limits."""
    low, high = limits(heat)
    colours = DIVERGING if heat.colours == "diverging" else SEQUENTIAL
    steps = [index / (len(colours) - 1) for index in range(len(colours))]
    if heat.colours == "logarithmic":
        domain = [low * (high / low) ** step for step in steps]
    else:
        domain = [low + (high - low) * step for step in steps]
    return {"domain": domain, "range": list(colours), "clamp": True, "interpolate": "rgb"}


def cell_text(value: float, *, signed: bool) -> str:
    """A value in a cell: thousands as k, millions as M; of what has a sign, as it is a difference, hundredths at most.

    >>> cell_text(115.2, signed=True), cell_text(-7.5, signed=True), cell_text(235798, signed=False)
    ('+115', '-7.5', '236k')
    >>> cell_text(0.5, signed=False), cell_text(0.973, signed=False)
    ('0.5', '0.973')
    >>> cell_text(-0.413, signed=True), cell_text(-0.0018, signed=True)
    ('-0.41', '0')
    """
    if not math.isfinite(value):
        return ""
    by, unit = next((by, unit) for least, by, unit in _UNITS if abs(value) >= least)
    text = trimmed(round(value / by, 2) if signed else value / by)
    return f"{'+' if signed and value > 0 and text != '0' else ''}{text}{unit}"


def squares(panel: Panel, heat: HeatMap, encoding: Spec, name: str, layout: Layout) -> Spec:
    """Coloured squares with their values in them, and the bar of colours beside."""
    rows, columns = len(heat.cells), max(map(len, heat.cells), default=0)
    sign = heat.colours == "diverging"
    for axis, count in ((encoding["x"], columns), (encoding["y"], rows)):
        axis["scale"] = {"domain": [-0.5, count - 0.5], "nice": False, "zero": False}
        axis["axis"] |= {"grid": False, "ticks": False, "domain": False}
    colour = {
        "field": "value",
        "type": "quantitative",
        "scale": {"type": "log" if heat.colours == "logarithmic" else "linear", **scale(heat)},
        "legend": {
            "title": heat.label, "titleOrient": "right", "orient": "right", "offset": layout.font,
            "gradientLength": layout.heat_height,
            "gradientThickness": layout.font, "tickCount": 5, "format": "~s",
            **({"labelExpr": "(datum.value>0?'+':'')+datum.label"} if sign else {}),
        },
        "condition": {"test": "!isValid(datum.value)", "value": "#ffffff"},
    }  # fmt: skip
    square = {"x": {"field": "left"}, "x2": {"field": "right"}, "y": {"field": "bottom"}, "y2": {"field": "top"}}
    fields = [panel.x.label, panel.y.label, heat.label, *(["published"] if heat.published else [])]
    hover = (
        {"tooltip": [{"field": _escaped(field), "title": field} for field in fields]} if layout.is_interactive else {}
    )
    bright = f"isValid(datum.value)&&luminance(scale('{name}_color',datum.value))<0.22"
    ink = {"condition": {"test": bright, "value": "#fff"}, "value": "#000"}
    upright = f"panel_width/{columns}<{SMALLEST * layout.font / LEVEL:.0f}" if not heat.published else "false"
    size = f"min({layout.font},panel_width/{columns}*({upright}?{UPRIGHT}:{LEVEL}))"
    shift = {"expr": f"datum.beside?-0.55*{size}:0"}
    written = [("text", {"fontSize": {"expr": size}, "dy": shift, "angle": {"expr": f"{upright}?-90:0"}})]
    if heat.published:
        written.append(("beside", {"fontSize": {"expr": f"0.8*{size}"}, "dy": {"expr": f"0.65*{size}"}}))
    at = {"x": {"field": "column"}, "y": {"field": "row"}, "color": ink}
    cells = {
        "mark": {"type": "rect", "stroke": "#d9d9d9", "strokeWidth": 0.4, "invalid": "show"},
        "encoding": {**square, "color": colour, **hover},
    }
    texts: list[Spec] = [
        {"mark": {"type": "text", **mark}, "encoding": {**at, "text": {"field": field}}} for field, mark in written
    ]
    if heat.hatched_below:
        halo = {"type": "text", **written[0][1], "stroke": "#ffffff", "strokeWidth": 3, "strokeJoin": "round"}
        filtered = {"transform": [{"filter": "datum.hatched"}], "mark": halo}
        texts.insert(0, {**filtered, "encoding": {**at, "color": {"value": "#ffffff"}, "text": {"field": "text"}}})
    return {
        "data": {"values": list(_cells(panel, heat))},
        "layer": [cells, *_hatching(heat, layout), *texts, *_borders(heat, layout), *_dots(heat, colour, layout)],
    }


def _hatching(heat: HeatMap, layout: Layout) -> Iterator[Spec]:
    """Strokes across each hatched cell, from lower left to upper right."""
    rows = []
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            for stroke in range(1, 2 * STROKES, 2) if _is_hatched(heat, value) else ():
                at = stroke / STROKES - 1  # of the line y = x - at through a cell from 0 to 1
                ends = (max(0.0, at), max(0.0, -at)), (1 + min(0.0, at), 1 - max(0.0, at))
                (x, y), (x2, y2) = ((column - 0.5 + across, row - 0.5 + up) for across, up in ends)
                rows.append({"x": x, "y": y, "x2": x2, "y2": y2})
    if rows:
        yield _rules(rows, {"color": HATCH, "strokeWidth": 0.4 * layout.line})


def _borders(heat: HeatMap, layout: Layout) -> Iterator[Spec]:
    """Lines between cells of two kinds."""
    kinds = {(row, column): kind for row, line in enumerate(heat.kinds) for column, kind in enumerate(line)}
    rows = []
    for (row, column), kind in kinds.items():
        if kind and (kinds.get((row, column + 1)) or kind) != kind:
            rows.append({"x": column + 0.5, "x2": column + 0.5, "y": row - 0.5, "y2": row + 0.5})
        if kind and (kinds.get((row + 1, column)) or kind) != kind:
            rows.append({"x": column - 0.5, "x2": column + 0.5, "y": row + 0.5, "y2": row + 0.5})
    if rows:
        yield _rules(rows, {"color": BORDER, "strokeWidth": 1.5 * layout.line, "strokeCap": "square"})


def _rules(rows: list[Spec], look: Spec) -> Spec:
    places = {name: {"field": name} for name in ("x", "y", "x2", "y2")}
    return {"data": {"values": rows}, "mark": {"type": "rule", **look}, "encoding": places}


def _dots(heat: HeatMap, colour: Spec, layout: Layout) -> Iterator[Spec]:
    """A marker each: its colour is a cell's, and its shape points where the value lies: grey print tells it, too."""
    if not heat.dots:
        return
    shapes = [_shape(heat, dot) for dot in heat.dots]
    rows = [
        {"x": dot.column, "y": dot.row, "value": dot.value, "shape": shape, "measured": dot.words,
         heat.label: cell_text(dot.value, signed=True)}
        for dot, shape in zip(heat.dots, shapes, strict=True)
    ]  # fmt: skip
    tooltip = [{"field": _escaped(field), "title": field} for field in ("measured", heat.label)]
    fill = {**{name: colour[name] for name in ("field", "type", "scale")}, "legend": None}
    encoding = {
        "x": {"field": "x"}, "y": {"field": "y"}, "fill": fill,
        "shape": {"field": "shape", "type": "nominal", "scale": None},
        **({"tooltip": tooltip} if layout.is_interactive else {}),
    }  # fmt: skip
    mark = {
        "type": "point", "size": 0.9 * layout.marker, "stroke": BORDER, "strokeWidth": 0.5 * layout.line, "opacity": 1,
    }  # fmt: skip
    yield {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _shape(heat: HeatMap, dot: Dot) -> str:
    if _is_hatched(heat, dot.value):
        return "circle"
    return "triangle-up" if dot.value > 0 else "triangle-down"


def _is_hatched(heat: HeatMap, value: float) -> bool:
    return abs(value) < heat.hatched_below


def _cells(panel: Panel, heat: HeatMap) -> Iterator[Spec]:
    low, _ = limits(heat)
    sign = heat.colours == "diverging"
    across, up = dict(panel.x.ticks), dict(panel.y.ticks)
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            published = cell_text(heat.theirs(row, column), signed=sign)
            yield {
                "column": column, "row": row, "left": column - 0.5, "right": column + 0.5, "bottom": row - 0.5,
                "top": row + 0.5, "value": max(value, low) if math.isfinite(value) else None,
                "text": cell_text(value, signed=sign), "hatched": _is_hatched(heat, value),
                "beside": f"({published})" if published else "",
                panel.x.label: across.get(column, str(column)), panel.y.label: up.get(row, str(row)),
                heat.label: amount(value, heat.half_width(row, column), limits=heat.limits),
                "published": f"{heat.theirs(row, column):g}" if published else "-",
            }  # fmt: skip


def _escaped(field: str) -> str:
    """Dots and brackets in a field's name lead into it."""
    return field.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")
