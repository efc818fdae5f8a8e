"""What a panel says beside its layers, in Vega-Lite's words: marks, levels, names of lines, words at points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from dumbbell.charts.chart import Layer, Panel
from dumbbell.charts.extent import place
from dumbbell.charts.layout import CHARACTER, INK, NOWHERE, PAPER, Layout, Spec
from dumbbell.charts.placement import GAP, Box, Label, Place, along, crossed, places, points_of
from dumbbell.charts.style import Ranks, shade_of, style_of

SMALL: Final = 0.88
"""Of what is written in a panel, by the size of the font."""
MOST_TRIED: Final = 12
"""Points of a line at which its name may stand."""
MOST_NAMED: Final = 5
"""Points of a layer whose words all stand beside them; of more, those of the first and the last."""
MOST_HIDDEN: Final = 0.7
"""By words at a point: there is the pointer to tell them."""
HALO: Final = 3.0
"""Width of the paper around words, on which lines end."""
BETTER: Final = {"upper left": "← ↑ better", "up": "↑ better", "down": "↓ better"}
"""What is written in a corner, with arrows that the print's font has."""


def is_written_in(panel: Panel) -> bool:
    """Whether there are words whose places must be found."""
    return bool(panel.levels or panel.better or any(layer.tag or layer.words for layer in panel.layers))


def levels(panel: Panel, layout: Layout, ranks: Ranks) -> Iterator[Spec]:
    """Dashed lines across the panel; their words are among those of `labels`."""
    for level in panel.levels:
        colour = shade_of(style_of(level.style), ranks.get((level.style, level.instance), 0))
        dash = [3 * layout.line, 2 * layout.line]
        yield {
            "data": {"values": [{"at": level.at}]},
            "mark": {"type": "rule", "color": colour, "strokeDash": dash, "strokeWidth": 0.7 * layout.line},
            "encoding": {"x": None, "y": {"field": "at"}},
        }


def labels(panel: Panel, layout: Layout, height: float, columns: int) -> Iterator[Spec]:
    """Names of levels and layers, and words at points, where they have room in a panel that is settled."""
    unit = SMALL * layout.font
    across, up = layout.narrowest(columns) / unit, height / unit
    lines = [
        [(across * place(panel.x, x), up * place(panel.y, y)) for x, y in zip(layer.x, layer.y, strict=True)
         if math.isfinite(x) and math.isfinite(y)]
        for layer in panel.layers if layer.y
    ]  # fmt: skip
    drawn = [layer for layer in panel.layers if layer.y]
    hidden = [box for line in lines for box in along(line)]
    hidden += [
        box for layer, line in zip(drawn, lines, strict=True) if "points" in layer.kind for box in points_of(line)
    ]
    hidden += [box for layer in drawn for box in _bars(layer, panel, across, up)]
    corner = [Box(0, up - 1.4, len(BETTER[panel.better]) * CHARACTER + 1, up)] if panel.better else []
    requested, origins = _requested_labels(panel, drawn, lines, across, up)
    positions = places(requested, across, up, hidden, corner)
    shown = [
        _row(label.text, place_, origin, unit)
        for label, place_, origin in zip(requested, positions, origins, strict=True)
        if place_ is not None
    ]
    shown += [
        _row(layer.tag, Place(0, GAP, 0.0, "left"), [(layer.x[0], layer.y[0])], unit)
        for layer in drawn
        if layer.pinned and layer.tag and layer.x
    ]
    if shown:
        yield from _texts(shown, unit)
    if panel.better:
        mark = {
            "type": "text",
            "align": "left",
            "baseline": "top",
            "x": 2,
            "y": 2,
            "fontSize": unit,
            "color": INK,
            "opacity": 0.75,
        }
        yield {"data": {"values": [{}]}, "mark": {**mark, "text": BETTER[panel.better]}, "encoding": NOWHERE}


def _requested_labels(
    panel: Panel, drawn: Sequence[Layer], lines: Sequence[Sequence[tuple[float, float]]], across: float, up: float
) -> tuple[list[Label], list[Sequence[tuple[float, float]]]]:
    """What is to be written, the most important first, and the points of each in the panel's own numbers."""
    requested: list[Label] = []
    origins: list[Sequence[tuple[float, float]]] = []
    for level in panel.levels:
        ends = [panel.x.limits[0] or 0.0, panel.x.limits[1] or 0.0]
        half = len(level.text) * CHARACTER / 2 / across
        parts = [half + 0.01, 1 - half - 0.01, 0.5]
        at = up * place(panel.y, level.at)
        requested.append(Label(level.text, [(across * part, at) for part in parts]))
        origins.append([(_between(panel, part, ends), level.at) for part in parts])
    for layer, line in zip(drawn, lines, strict=True):
        finite = [
            point for point in zip(layer.x, layer.y, strict=True) if math.isfinite(point[0]) and math.isfinite(point[1])
        ]
        if layer.tag and line and not layer.pinned:
            some = range(len(line) - 1, -1, -math.ceil(len(line) / MOST_TRIED))
            requested.append(Label(layer.tag, [line[index] for index in some]))
            origins.append([finite[index] for index in some])
    for layer, line in zip(drawn, lines, strict=True):
        outer = {0, len(line) - 1}
        known = zip(layer.words, line, zip(layer.x, layer.y, strict=True), strict=False)
        for index, (text, point, origin) in enumerate(known):
            if text and (len(line) <= MOST_NAMED or index in outer):
                requested.append(Label(text, [point], MOST_HIDDEN))
                origins.append([origin])
    return requested, origins


def _between(panel: Panel, part: float, ends: Sequence[float]) -> float:
    """The x so far between the ends of the axis."""
    first, last = ends
    return first + part * (last - first) if panel.x.scale == "linear" else first * (last / first) ** part


def _bars(layer: Layer, panel: Panel, across: float, up: float) -> Iterator[Box]:
    bars = [
        *(((x, low), (x, high)) for low, high, x in zip(layer.low, layer.high, layer.x, strict=False)),
        *(((left, y), (right, y)) for left, right, y in zip(layer.left, layer.right, layer.y, strict=False)),
    ]
    yield from crossed(
        [
            (
                (across * place(panel.x, x), up * place(panel.y, y)),
                (across * place(panel.x, to_x), up * place(panel.y, to_y)),
            )
            for (x, y), (to_x, to_y) in bars
        ]
    )


def _row(text: str, position: Place, origin: Sequence[tuple[float, float]], unit: float) -> dict[str, Any]:
    x, y = origin[position.point]
    moved = {"dx": round(position.across * unit, 1), "dy": round(-position.up * unit, 1)}
    return {"x": x, "y": y, "what": text, "align": position.align, **moved}


def _texts(rows: list[dict[str, Any]], unit: float) -> Iterator[Spec]:
    """Words on a halo, so that they can be read on a line; moved as their places say."""
    moved = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}
    text: Spec = {"type": "text", "baseline": "middle", "fontSize": unit, "clip": False, **moved}
    halo = {**text, "stroke": PAPER, "strokeWidth": HALO, "strokeJoin": "round", "color": PAPER}
    units = [{"mark": mark, "encoding": {"text": {"field": "what"}}} for mark in (halo, {**text, "color": INK})]
    yield {"data": {"values": rows}, "encoding": {"x": {"field": "x"}, "y": {"field": "y"}}, "layer": units}


def marks(panel: Panel, layout: Layout) -> Iterator[Spec]:
    """Vertical lines, each with what is there."""
    if panel.marks:
        text = {
            "type": "text",
            "align": "left",
            "baseline": "top",
            "dx": 3,
            "fontSize": 0.88 * layout.font,
            "clip": True,
        }
        yield {
            "data": {"values": [{"at": at, "what": what} for at, what in panel.marks]},
            "encoding": {"x": {"field": "at"}, "y": None},
            "layer": [
                {"mark": {"type": "rule", "color": "#7f7f7f", "strokeDash": [1, 2], "clip": True}},
                {"mark": {**text, "y": 2}, "encoding": {"text": {"field": "what"}}},
            ],
        }


def opposite(panel: Panel, layout: Layout) -> Iterator[Spec]:
    """Labels of the same positions in another unit: Vega-Lite gives a scale one axis only."""
    small, gap = 0.94 * layout.font, layout.font / 3
    for which, other in (("x", panel.x.opposite), ("y", panel.y.opposite)):
        if other is None:
            continue
        longest = max((len(text) for _, text in other.ticks), default=0) * CHARACTER * small
        beyond = {"expr": f"panel_width+{gap}"}, {"expr": f"panel_width+{2 * gap + longest + layout.font / 2:.1f}"}
        if which == "x":
            labels: Spec = {"y": -gap, "baseline": "bottom"}
            title: Spec = {"x": {"expr": "panel_width/2"}, "y": -2 * gap - 1.1 * small, "baseline": "bottom"}
        else:
            labels = {"x": beyond[0], "align": "left"}
            title = {"x": beyond[1], "y": {"expr": "childHeight/2"}, "angle": 90, "baseline": "bottom"}
        yield {
            "data": {"values": [{"at": at, "what": text} for at, text in other.ticks]},
            "mark": {"type": "text", "fontSize": small, "clip": False, **labels},
            "encoding": {**NOWHERE, which: {"field": "at"}, "text": {"field": "what"}},
        }
        mark = {"type": "text", "fontSize": layout.font, "text": other.label, "clip": False, **title}
        yield {"data": {"values": [{}]}, "mark": mark, "encoding": NOWHERE}
