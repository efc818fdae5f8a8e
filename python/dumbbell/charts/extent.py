"""Where the axes of a panel end, for those that must know it before it is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from dumbbell.charts.chart import Axis, Layer, Panel

ROOM: Final = 0.06
"""Beyond the first and the last point, by the distance between them."""
STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
INTERVALS: Final = 6
"""Between the ticks of an axis, at most."""


def settled(panel: Panel, neighbours: Sequence[Panel]) -> Panel:
    """The panel with both ends of both axes told; its `neighbours` share its x axis."""
    across = [value for each in neighbours for layer in each.layers for value in _values(layer, "x")]
    up = [value for layer in panel.layers for value in _values(layer, "y")]
    up += [level.at for level in panel.levels]
    return replace(
        panel,
        x=replace(panel.x, limits=_limits(panel.x, across)),
        y=replace(panel.y, limits=_limits(panel.y, up, nice=True)),
    )


def place(axis: Axis, value: float) -> float:
    """Where a value lies between the ends of an axis that is settled: 0 to 1."""
    low, high = (_linear(axis, end or 0.0) for end in axis.limits)
    return (_linear(axis, value) - low) / (high - low) if high > low else 0.5


def _values(layer: Layer, which: str) -> Iterable[float]:
    columns = (layer.x, layer.left, layer.right) if which == "x" else (layer.y, layer.low, layer.high)
    return (value for column in columns for value in column if math.isfinite(value))


def _limits(axis: Axis, values: Sequence[float], *, nice: bool = False) -> tuple[float, float]:
    low, high = axis.limits
    if axis.scale != "linear":
        values = [value for value in values if value > 0]
    least, most = min(values, default=0.0 if axis.scale == "linear" else 1.0), max(values, default=1.0)
    if axis.scale != "linear":
        first, last = math.log(low or least), math.log(high or most)
        room = ROOM * (last - first) or 0.1
        return low or math.exp(first - room), high or math.exp(last + room)
    least, most = least if low is None else low, most if high is None else high
    room = ROOM * (most - least) or abs(most) * ROOM or 1.0
    ends = least - room if low is None else low, most + room if high is None else high
    if not nice or high is not None:
        return ends
    step = _step(ends[1] - ends[0])
    return (ends[0] if low is not None else step * math.floor(ends[0] / step)), step * math.ceil(ends[1] / step)


def _step(span: float) -> float:
    """Of the ticks of an axis so long."""
    rough = span / INTERVALS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough)


def _linear(axis: Axis, value: float) -> float:
    return value if axis.scale == "linear" else math.log(value) if value > 0 else -math.inf
