"""A figure's numbers, apart from its ink: whoever draws a `Chart` computes nothing.

A chart is panels over one another or side by side; a panel has axes and layers. The style of a layer follows from its
`style` key (an algorithm's or group's name, or "published"), by the one table in `dumbbell.plots.style`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of a panel."""

    label: str
    """Quantity and unit, e.g. "throughput (Mbit/s)"."""
    scale: Literal["linear", "log2", "log10"] = "linear"
    limits: tuple[float | None, float | None] = (None, None)
    ticks: tuple[tuple[float, str], ...] = ()
    """Positions and labels; empty: chosen by whoever draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One thing drawn in a panel: a line, points, or a band between two curves."""

    label: str
    """For the legend; names the version ("BBR of Linux 6.1"), never just "BBR". Empty: not in the legend."""
    style: str
    """Key into the style table: an algorithm or variant ("bbr", "cubic", "bbr_4_17"), a group, or "published"."""
    kind: Literal["line", "points", "line+points", "band", "step"] = "line"
    x: tuple[float, ...]
    y: tuple[float, ...]
    """For a band: its middle, or empty."""
    low: tuple[float, ...] = ()
    """Lower ends of error bars, or of the band; empty: none."""
    high: tuple[float, ...] = ()
    instance: int = 0
    """Tells layers of one style apart (several flows of one algorithm): 0, 1, 2, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Axes with layers."""

    title: str = ""
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    marks: tuple[tuple[float, str], ...] = ()
    """Vertical lines: x and what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure."""

    name: str
    """File name without suffix, e.g. "figure7"."""
    title: str
    caption: str
    """What it shows, n and seeds, what the interval is, and the source of published numbers."""
    panels: tuple[Panel, ...]
    columns: int = 1
    """Panels beside one another; with 1 they are stacked and share their x axis."""
    alt: str = field(default="")
    """For those who cannot see it."""
