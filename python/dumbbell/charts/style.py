"""How every algorithm, variant and published curve looks and is called: the table `styles.toml`.

Numbers and ink stay apart: nothing is computed.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.errors import KernelError
from dumbbell.kernel.recipe import recipe
from dumbbell.kernel.shelf import find, folder

PUBLISHED = "published"
Ranks: TypeAlias = Mapping[tuple[str, int], int]
"""By style and instance: which one of its style it is, 0, 1, 2, …"""
_LIGHT: Final = 380
"""Sum of red, green and blue, of 765."""
_SHADE: Final = 0.4
"""How far towards white or black."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of one thing. What marker and dash are: `MARKERS` and `DASHES`."""

    colour: str
    """As #rrggbb."""
    marker: str
    dash: str
    label: str
    """With its version, for legends: "BBR of Linux 6.1"."""
    open: bool = False
    """The marker is an outline: it stands on another one without hiding it."""


FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first of them comes with the renderer for print, wherever it runs."""
_TABLE: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    files("dumbbell.charts").joinpath("styles.toml").read_text(encoding="utf-8")
)
DASHES: Final[dict[str, list[float]]] = _TABLE["dashes"]
"""Lengths of strokes and gaps, by the line's width; layers of one style take them in turn."""
MARKERS: Final[dict[str, tuple[str, str]]] = _TABLE["markers"]
"""Vega's name of a marker, or a path from -1 to 1; and the same in a legend, on a line from -1 to 1."""
STYLES: Final = {
    name: Style(colour=_TABLE["colours"][colour], marker=marker, dash=dash, label=label, open=name == PUBLISHED)
    for name, (colour, marker, dash, label) in _TABLE["styles"].items()
}
"""By the name that a spec gives the algorithm; "flow n" where all flows of a panel have the same one; "published" is
the document that a study is about."""
_UNKNOWN: Final = (
    ("purple", "green", "sky", "grey", "vermilion", "blue"),
    ("star", "triangle-down", "cross", "triangle-up", "diamond", "square"),
    ("longdash", "dashdot", "dot", "dash", "solid"),
)
"""Colours, markers and dashes of names that are in no table."""


def style_of(name: str) -> Style:
    """The style of an algorithm, a variant or "published"; an unknown name gets one that is always the same.

    "published cubic" and the like look as the published does, with the marker of what was published.

    >>> style_of("bbr").label
    'BBR of Linux 6.1'
    >>> style_of("vegas") == style_of("vegas")
    True
    """
    if name in STYLES:
        return STYLES[name]
    first, _, rest = name.partition(" ")
    if first == PUBLISHED:
        return replace(STYLES[PUBLISHED], marker=style_of(rest).marker, label=f"{rest}, published")
    digest = hashlib.sha256(name.encode()).digest()
    colour, marker, dash = (some[byte % len(some)] for some, byte in zip(_UNKNOWN, digest, strict=False))
    return Style(colour=_TABLE["colours"][colour], marker=marker, dash=dash, label=name)


USUAL: Final = "Linux 6.1"
"""The kernel that the table of styles speaks of: the one that `sim` models, and `linux`'s own."""
PATCHED: Final = "Linux 6.12, patched"
"""And that of what only patched kernels have: distributions' BBR version 3, as `sim` models it."""


def kernel_of(engine: str) -> str:
    """Whose TCP an engine has, in words; `sim` models that of the usual kernel.

    A kernel that somebody named is what its record on this machine says.

    >>> kernel_of("sim"), kernel_of("linux:6.12"), kernel_of("netns")
    ('Linux 6.1', 'Linux 6.12', "the machine's kernel")
    """
    family, _, kernel = engine.partition(":")
    if family in {"sim", "linux"}:
        return USUAL if not kernel else _title(kernel, folder()) or f"Linux {kernel}"
    return "the machine's kernel"


@cache
def _title(kernel: str, _shelf: Path) -> str:
    """What is known of a kernel of a name of its own; empty: it is Linux of that version, or not on this machine."""
    try:
        return "" if kernel in recipe().sources else find(kernel).title
    except KernelError:
        return ""


def label_of(name: str, engine: str) -> str:
    """A style's label with the kernel that the engine has.

    >>> label_of("bbr", "sim"), label_of("bbr", "linux:6.12"), label_of("bbr3", "sim")
    ('BBR of Linux 6.1', 'BBR of Linux 6.12', 'BBR v3 (Linux 6.12, patched)')
    """
    label = style_of(name).label
    if engine == "sim":
        return label
    return label.replace(PATCHED if PATCHED in label else USUAL, kernel_of(engine))


def ranked(layers: Iterable[Layer]) -> Ranks:
    """The number of each instance among those of its style in a chart."""
    instances: dict[str, set[int]] = {}
    for layer in layers:
        instances.setdefault(layer.style, set()).add(layer.instance)
    return {(style, each): rank for style, some in instances.items() for rank, each in enumerate(sorted(some))}


def dash_of(style: Style, rank: int) -> str:
    """Layers of one style have its hue, and each its own dash."""
    return _after(style.dash, rank, list(DASHES))


def marker_of(style: Style, rank: int) -> str:
    """And its own marker; what was published keeps that of what it stands beside."""
    return style.marker if style.open else _after(style.marker, rank, list(MARKERS))


def shade_of(style: Style, rank: int) -> str:
    """And each second one is lighter, or darker where the colour is light."""
    if rank % 2 == 0 or style.open:
        return style.colour
    parts = [int(style.colour[at : at + 2], 16) for at in (1, 3, 5)]
    towards = 0 if sum(parts) > _LIGHT else 255
    return "#" + "".join(f"{round(part + _SHADE * (towards - part)):02x}" for part in parts)


def faint(colour: str) -> str:
    """Of an area, through which lines are seen."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def _after(name: str, rank: int, names: Sequence[str]) -> str:
    return names[(names.index(name) + rank) % len(names)]
