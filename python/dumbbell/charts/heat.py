"""How a heat map's cells look: the scale of their colours, and the words in them.

The colours get darker towards the ends of their scale, evenly, so that grey tells a value's size; its sign is printed.
"""

from __future__ import annotations

import math
from typing import Any, Final

from dumbbell.charts.chart import HeatMap
from dumbbell.metrics.number import trimmed

SEQUENTIAL: Final = ("#ffffff", "#cfe3f2", "#8dbfe0", "#3f8fc4", "#0a5c99", "#08306b")
DIVERGING: Final = ("#08407e", "#2a7ab9", "#74b0da", "#c3dcef", "#ffffff", "#fbcdb8", "#ee8f72", "#cf4a3c", "#8b1a10")
"""Blue below 0, red above, as papers have BBR's gains: both are told apart by every reader who sees colour."""
LEAST_SHARE: Final = 1e-5
"""Of the largest: the lowest colour of a logarithmic scale, unless there is a smaller value above 0."""
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


def words(value: float, *, signed: bool) -> str:
    """A value in a cell: thousands as k, millions as M; of what has a sign, as it is a difference, hundredths at most.

    >>> words(115.2, signed=True), words(-7.5, signed=True), words(235798, signed=False), words(0.5, signed=False)
    ('+115', '-7.5', '236k', '0.5')
    >>> words(0.973, signed=False), words(-0.413, signed=True), words(-0.0018, signed=True)
    ('0.973', '-0.41', '0')
    """
    if not math.isfinite(value):
        return ""
    by, unit = next((by, unit) for least, by, unit in _UNITS if abs(value) >= least)
    text = trimmed(round(value / by, 2) if signed else value / by)
    return f"{'+' if signed and value > 0 and text != '0' else ''}{text}{unit}"
