"""What the lines of a panel show, in words: which of two is above, where they cross; whether a single one falls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby, pairwise

import numpy as np

from dumbbell.charts.chart import TIME, Chart, Layer, Panel
from dumbbell.charts.style import style_of
from dumbbell.metrics.number import amount, percent


def courses(chart: Chart) -> Iterator[str]:
    """A sentence for each two lines of a panel, or for the only one; those that were published among themselves."""
    for panel in chart.panels:
        lines = [layer for layer in panel.layers if layer.y and layer.label and _is_line(layer)]
        about = panel.title or (panel.y.label if len(chart.panels) > 1 else "")
        for published in (False, True):
            own = [layer for layer in lines if style_of(layer.style).open == published]
            for sentence in _in_time(own) if panel.x.label == TIME else _swept(own, panel):
                yield f"{about}: {sentence}" if about else sentence


def _is_line(layer: Layer) -> bool:
    """It is no band, and no cloud with several values at one place."""
    return layer.kind != "band" and len(set(layer.x)) == len(layer.x)


def _in_time(lines: Sequence[Layer]) -> Iterator[str]:
    """How much of the time in which both are there one is above the other."""
    for first, second in combinations(lines, 2):
        begin, end = max(first.x[0], second.x[0]), min(first.x[-1], second.x[-1])
        at = np.array(sorted({x for x in (*first.x, *second.x) if begin <= x <= end}))
        if at.size > 1:
            above = np.interp(at, first.x, first.y) > np.interp(at, second.x, second.y)
            share = float(np.diff(at)[above[:-1]].sum() / (at[-1] - at[0]))
            time = amount(at[-1] - at[0], unit=" s")
            yield f"{first.label} is above {second.label} for {percent(share)} of {time}"


def _swept(lines: Sequence[Layer], panel: Panel) -> Iterator[str]:
    if len(lines) == 1 and len(lines[0].x) > 1:
        yield _course(lines[0], panel)
    for first, second in combinations(lines, 2):
        theirs = dict(zip(second.x, second.y, strict=True))
        differences = [(x, y - theirs[x]) for x, y in sorted(zip(first.x, first.y, strict=True)) if x in theirs]
        if differences:
            yield _order(first.label, second.label, differences, panel)


def _course(line: Layer, panel: Panel) -> str:
    (first_x, first), *_, (last_x, last) = points = sorted(zip(line.x, line.y, strict=True))
    steps = [after - before for (_, before), (_, after) in pairwise(points)]
    steadily = all(step <= 0 for step in steps) or all(step >= 0 for step in steps)
    goes = "falls" if last < first else "rises" if last > first else "is even"
    where = f"from {amount(first)} at {_place(panel, first_x)} to {amount(last)} at {_place(panel, last_x)}"
    return f"{line.label} {goes} {where}, {'' if steadily else 'not '}steadily"


def _order(first: str, second: str, differences: Sequence[tuple[float, float]], panel: Panel) -> str:
    """Who is above at which places, and between which two that changes, on the straight line between them."""
    stretches = []
    for sign, points in groupby(differences, key=lambda point: np.sign(point[1])):
        places = [_place(panel, x) for x, _ in points]
        name = (
            f"{first} is above {second}" if sign > 0 else f"{second} is above {first}" if sign < 0 else "both are even"
        )
        stretches.append(f"{name} at {places[0] if len(places) == 1 else f'{places[0]} to {places[-1]}'}")
    crossings = [
        amount(left + (right - left) * before / (before - after))
        for (left, before), (right, after) in pairwise(differences)
        if before * after < 0
    ]
    crossing_text = f"; they cross at {', '.join(crossings)}" if crossings else ""
    return f"{', '.join(stretches)}{crossing_text}"


def _place(panel: Panel, x: float) -> str:
    return next((label for position, label in panel.x.ticks if position == x), f"{x:g}")
