"""How a heat map's cells look, in print and on a screen: colour, words, and the ink that can be read on the colour.

The colours get darker towards the ends of their scale, evenly, so that grey tells a value's size; its sign is printed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dumbbell.metrics.number import trimmed

if TYPE_CHECKING:
    from dumbbell.charts.chart import HeatMap

SEQUENTIAL: Final = ("#ffffff", "#cfe3f2", "#8dbfe0", "#3f8fc4", "#0a5c99", "#08306b")
DIVERGING: Final = ("#08407e", "#2a7ab9", "#74b0da", "#c3dcef", "#ffffff", "#fbcdb8", "#ee8f72", "#cf4a3c", "#8b1a10")
"""Blue below 0, red above, as papers have BBR's gains: both are told apart by every reader who sees colour."""
LEAST_SHARE: Final = 1e-5
"""Of the largest: the lowest colour of a logarithmic scale, unless there is a smaller value above 0."""
MOST_TICKS: Final = 5
"""Of the bar of colours, about."""
DARK: Final = 130
"""Below this lightness ink is white."""
_UNITS: Final = ((1e6, 1e6, "M"), (1e4, 1e3, "k"), (0.0, 1.0, ""))
"""From which amount on, by what a value is divided, and how that is written."""


def stops(heat: HeatMap) -> list[tuple[float, str]]:
    """Colours along the scale, from 0 to 1."""
    colours = DIVERGING if heat.colours == "diverging" else SEQUENTIAL
    return [(index / (len(colours) - 1), colour) for index, colour in enumerate(colours)]


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


def place(value: float, heat: HeatMap) -> float:
    """Where a value lies on the scale of colours: 0 to 1."""
    low, high = limits(heat)
    if heat.colours == "logarithmic":
        if value <= low:
            return 0.0
        return min(1.0, math.log(value / low) / math.log(high / low))
    return min(1.0, max(0.0, (value - low) / (high - low)))


def ticks(heat: HeatMap) -> list[tuple[float, str]]:
    """Round values for the bar of colours, each with its place."""
    low, high = limits(heat)
    if heat.colours == "logarithmic":
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
        values = [10.0**power for power in range(first, last + 1, step)]
    else:
        rough = (high - low) / (MOST_TICKS - 1)
        unit = 10.0 ** math.floor(math.log10(rough))
        step_size = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
        values = [
            number * step_size
            for number in range(math.ceil(low / step_size - 1e-9), math.floor(high / step_size + 1e-9) + 1)
        ]
    return [(place(value, heat), words(value, signed=heat.colours == "diverging")) for value in values]


def colour(value: float, heat: HeatMap) -> str:
    """Of a cell, as #rrggbb; white without a value."""
    if not math.isfinite(value):
        return "#ffffff"
    along, colours = place(value, heat), stops(heat)
    right = next(index for index, (at, _) in enumerate(colours) if at >= along)
    if right == 0:
        return colours[0][1]
    (before, one), (after, other) = colours[right - 1], colours[right]
    part = (along - before) / (after - before)
    mixed = (round(a + (b - a) * part) for a, b in zip(_channels(one), _channels(other), strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink(background: str) -> str:
    """Black or white, whichever can be read."""
    red, green, blue = _channels(background)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < DARK else "#000000"


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


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
