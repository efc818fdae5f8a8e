"""A figure's numbers, apart from its ink: whoever draws a `Chart` computes nothing.

A chart is panels over one another or side by side; a panel has axes and layers, or a heat map. The style of a layer
follows from its `style` key (an algorithm's or group's name, or "published"), by the one table in
`dumbbell.charts.style`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from dumbbell.metrics.number import ANY_NUMBER, Limits

Kind: TypeAlias = Literal["line", "points", "line+points", "band", "step"]
COLUMNS: Final = ("x", "y", "low", "high", "left", "right")
"""The numbers of a layer's points."""
TIME: Final = "time (s)"
"""The label of an axis that has it."""
Shape: TypeAlias = Literal["sweep", "time", "distribution", "scatter"]
"""What a figure is of: values over a sweep or over time, their distribution, or two over one another."""
Colours: TypeAlias = Literal["sequential", "logarithmic", "diverging"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of a panel."""

    label: str
    """Quantity and unit, e.g. "throughput (Mbit/s)"."""
    scale: Literal["linear", "log2", "log10"] = "linear"
    limits: tuple[float | None, float | None] = (None, None)
    ticks: tuple[tuple[float, str], ...] = ()
    """Positions and labels; empty: chosen by whoever draws."""
    is_reversed: bool = False
    """The largest value comes first."""
    opposite: Axis | None = None
    """The same positions in another unit, told on the other side: its label and ticks; no more of it is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One thing drawn in a panel: a line, points, or a band between two curves."""

    label: str
    """For the legend; names the version ("BBR of Linux 6.1"), never just "BBR". Empty: not in the legend."""
    style: str
    """Key into the style table: an algorithm or variant ("bbr", "cubic", "bbr_4_17"), a group, or "published"."""
    kind: Kind = "line"
    x: tuple[float, ...]
    y: tuple[float, ...]
    """For a band: its middle, or empty."""
    low: tuple[float, ...] = ()
    """Lower ends of error bars, or of the band; empty: none."""
    high: tuple[float, ...] = ()
    left: tuple[float, ...] = ()
    """Ends of error bars along x; empty: none."""
    right: tuple[float, ...] = ()
    instance: int = 0
    """Tells layers of one style apart (several groups or flows of one algorithm): 0, 1, 2, …"""
    tag: str = ""
    """Its name, written beside one of its points where there is room."""
    pinned: bool = False
    """Its name stands to the right of its first point, whatever else is there."""
    words: tuple[str, ...] = ()
    """What is written beside each point, where there is room."""

    def part(self, indices: Iterable[int]) -> Layer:
        """The same with these of its points."""
        columns = {name: getattr(self, name) for name in (*COLUMNS, "words")}
        some = list(indices)
        own: dict[str, Any] = {name: tuple(column[at] for at in some) for name, column in columns.items() if column}
        return replace(self, **own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A dashed line across a panel, as of what would be fair."""

    at: float
    text: str
    style: str = "level"
    instance: int = 0
    """As a layer's: the line has its colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A value from elsewhere on a heat map, between its cells or in one, with the colour that a cell would have."""

    column: float
    row: float
    value: float
    words: str
    """What it is, for whoever points at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """A value in each cell of a grid, printed there and coloured by its size.

    Column c and row r lie at (c, r); the ticks of the panel's axes say which values of the sweep these are. A cell
    without a value is NaN; a row without cells is a gap.
    """

    label: str
    """Quantity and unit, for the bar of colours."""
    cells: tuple[tuple[float, ...], ...]
    """Row by row, the lowest first."""
    half_widths: tuple[tuple[float, ...], ...] = ()
    """Of the intervals; 0: nothing varied; empty: there are none."""
    limits: Limits = ANY_NUMBER
    """What the quantity can be: no interval goes beyond."""
    published: tuple[tuple[float, ...], ...] = ()
    """The document's cells, printed below ours; empty: it has none."""
    colours: Colours = "sequential"
    """Logarithmic: what is not above 0 has the lowest colour. Diverging: around 0, and every cell tells its sign."""
    most: float | None = None
    """The value with the darkest colour, larger ones likewise; None: the largest. Diverging: of either sign."""
    hatched_below: float = 0.0
    """Cells whose value is smaller, of either sign, are hatched: grey print, too, tells that it does not matter."""
    kinds: tuple[tuple[str, ...], ...] = ()
    """Of each cell; a line is drawn between cells of two kinds. Empty: it has none."""
    dots: tuple[Dot, ...] = ()

    def half_width(self, row: int, column: int) -> float:
        """Of a cell's interval; 0 where there is none."""
        half_width = self.half_widths[row][column] if self.half_widths else 0.0
        return half_width if math.isfinite(half_width) else 0.0

    def theirs(self, row: int, column: int) -> float:
        """The document's value in a cell; NaN where it has none."""
        return self.published[row][column] if self.published else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Axes with layers, or with a heat map."""

    title: str = ""
    x: Axis
    y: Axis
    layers: tuple[Layer, ...] = ()
    heat: HeatMap | None = None
    marks: tuple[tuple[float, str], ...] = ()
    """Vertical lines: x and what is there."""
    levels: tuple[Level, ...] = ()
    better: Literal["", "upper left", "up", "down"] = ""
    """Where what is better lies, which an arrow tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure."""

    name: str
    """File name without suffix, e.g. "figure7"."""
    title: str
    caption: str
    """What it shows, n and seeds, what the interval is, and the source of published numbers."""
    panels: tuple[Panel, ...]
    shape: Shape = "sweep"
    columns: int = 1
    """Panels beside one another; with 1 they are stacked and share their x axis."""
    alt: str = field(default="")
    """For those who cannot see it."""
