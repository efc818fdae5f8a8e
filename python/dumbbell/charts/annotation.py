"""What a panel says beside its layers, in Vega-Lite's words: marks, levels, names of lines, words at points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from dumbbell.charts.chart import Layer, Panel
from dumbbell.charts.extent import place
from dumbbell.charts.layout import CHARACTER, INK, NOWHERE, PAPER, Layout, Spec
from dumbbell.charts.placement import GAP, Box, Label, Place, along, crossed, places, points_of
from dumbbell.charts.style import Ranks, shade_of, style_of

Point: TypeAlias = tuple[float, float]

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

    def at(point: Point) -> Point:
        return across * place(panel.x, point[0]), up * place(panel.y, point[1])

    drawn = [_finite(layer) for layer in panel.layers if layer.y]
    known = [list(zip(layer.x, layer.y, strict=True)) for layer in drawn]
    lines = [list(map(at, points)) for points in known]
    hidden = [box for line in lines for box in along(line)]
    for layer, line in zip(drawn, lines, strict=True):
        hidden += points_of(line) if "points" in layer.kind else ()
    for layer in drawn:
        hidden += crossed([(at(begin), at(end)) for begin, end in _bars(layer)])
    corner = [Box(0, up - 1.4, len(BETTER[panel.better]) * CHARACTER + 1, up)] if panel.better else []
    requested = list(_requested(panel, drawn, known, across))
    wanted = [Label(text, list(map(at, points)), most) for text, points, most in requested]
    shown = [
        _row(text, position, points, unit)
        for (text, points, _), position in zip(requested, places(wanted, across, up, hidden, corner), strict=True)
        if position is not None
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
            "type": "text", "align": "left", "baseline": "top", "x": 2, "y": 2, "fontSize": unit, "color": INK,
            "opacity": 0.75, "text": BETTER[panel.better],
        }  # fmt: skip
        yield {"data": {"values": [{}]}, "mark": mark, "encoding": NOWHERE}


def _requested(
    panel: Panel, drawn: Sequence[Layer], known: Sequence[Sequence[Point]], across: float
) -> Iterator[tuple[str, Sequence[Point], float]]:
    """What is to be written, the most important first, at which points, and how much it may hide."""
    for level in panel.levels:
        half = len(level.text) * CHARACTER / 2 / across
        parts = [half + 0.01, 1 - half - 0.01, 0.5]
        yield level.text, [(_between(panel, part), level.at) for part in parts], math.inf
    for layer, points in zip(drawn, known, strict=True):
        if layer.tag and points and not layer.pinned:
            yield layer.tag, points[:: -math.ceil(len(points) / MOST_TRIED)], math.inf
    for layer, points in zip(drawn, known, strict=True):
        for index, (text, point) in enumerate(zip(layer.words, points, strict=False)):
            if text and (len(points) <= MOST_NAMED or index in {0, len(points) - 1}):
                yield text, [point], MOST_HIDDEN


def _finite(layer: Layer) -> Layer:
    points = enumerate(zip(layer.x, layer.y, strict=True))
    return layer.part(index for index, point in points if all(map(math.isfinite, point)))


def _between(panel: Panel, part: float) -> float:
    """The x so far between the ends of the axis."""
    first, last = (end or 0.0 for end in panel.x.limits)
    return first + part * (last - first) if panel.x.scale == "linear" else first * (last / first) ** part


def _bars(layer: Layer) -> Iterator[tuple[Point, Point]]:
    for x, low, high in zip(layer.x, layer.low, layer.high, strict=False):
        yield (x, low), (x, high)
    for y, left, right in zip(layer.y, layer.left, layer.right, strict=False):
        yield (left, y), (right, y)


def _row(text: str, position: Place, points: Sequence[Point], unit: float) -> dict[str, Any]:
    x, y = points[position.point]
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
            "type": "text", "align": "left", "baseline": "top", "dx": 3, "fontSize": SMALL * layout.font, "clip": True,
        }  # fmt: skip
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
