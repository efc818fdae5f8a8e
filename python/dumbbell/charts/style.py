"""One table: how every algorithm, variant and published curve looks and is called, in print and on a screen.

Colours are Okabe and Ito's, which colour-blind readers can tell apart, chosen so that those that meet in a figure also
differ in grey; marker and dash tell them apart without any colour. Numbers and ink stay apart: nothing is computed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.charts.chart import Layer

Marker: TypeAlias = Literal["circle", "square", "triangle-up", "triangle-down", "diamond", "cross", "x", "star"]
Dash: TypeAlias = Literal["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]

PUBLISHED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of one thing. What marker and dash are: `SHAPES`, `SYMBOLS` and `DASHES`."""

    colour: str
    """As #rrggbb."""
    marker: Marker
    dash: Dash
    label: str
    """With its version, for legends: "BBR of Linux 6.1"."""
    open: bool = False
    """The marker is an outline: it stands on another one without hiding it."""


FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first of them comes with the renderer for print, wherever it runs."""
DASHES: Final[dict[Dash, tuple[float, ...]]] = {
    "solid": (),
    "dash": (4, 1.6),
    "dot": (1, 1.5),
    "dashdot": (5, 1.6, 1, 1.6),
    "longdash": (8, 2),
    "longdashdot": (8, 1.8, 1, 1.8),
}
"""Lengths of strokes and gaps, by the line's width."""
SHAPES: Final[dict[Marker, str]] = {
    "circle": "circle",
    "square": "square",
    "triangle-up": "triangle-up",
    "triangle-down": "triangle-down",
    "diamond": "diamond",
    "cross": "cross",
    "x": "M-.7,-.7L.7,.7M-.7,.7L.7,-.7",
    "star": "M0,-1L.25,-.31L.95,-.31L.38,.1L.59,.81L0,.38L-.59,.81L-.38,.1L-.95,-.31L-.25,-.31Z",
}
"""Vega's names of markers, or paths from -1 to 1."""
SYMBOLS: Final[dict[Marker, str]] = {
    "circle": "M-.25,0A.25,.25,0,1,1,.25,0A.25,.25,0,1,1,-.25,0Z",
    "square": "M-.22,-.22H.22V.22H-.22Z",
    "triangle-up": "M0,-.28L.28,.22H-.28Z",
    "triangle-down": "M0,.28L.28,-.22H-.28Z",
    "diamond": "M0,-.3L.25,0L0,.3L-.25,0Z",
    "cross": "M-.27,-.09H-.09V-.27H.09V-.09H.27V.09H.09V.27H-.09V.09H-.27Z",
    "x": "M-.22,-.22L.22,.22M-.22,.22L.22,-.22",
    "star": "M0,-.33L.08,-.1L.31,-.1L.13,.03L.19,.27L0,.13L-.19,.27L-.13,.03L-.31,-.1L-.08,-.1Z",
}
"""The same in a legend, on a line from -1 to 1."""
_BLACK, _ORANGE, _SKY, _GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
_BLUE, _VERMILION, _PURPLE, _GREY = "#0072b2", "#d55e00", "#cc79a7", "#7f7f7f"

STYLES: dict[str, Style] = {
    "bbr": Style(colour=_BLUE, marker="circle", dash="solid", label="BBR of Linux 6.1"),
    "bbr_4_17": Style(colour=_ORANGE, marker="square", dash="dash", label="BBR as of Linux 4.17 (parameters)"),
    "bbr_shallow": Style(colour=_SKY, marker="triangle-up", dash="solid", label="BBR of Linux 6.1, cwnd gain 1.5"),
    "bbr_4_17_shallow": Style(
        colour=_SKY, marker="triangle-down", dash="dash", label="BBR as of Linux 4.17 (parameters), cwnd gain 1.5"
    ),
    "bbr_1_1": Style(colour=_PURPLE, marker="triangle-down", dash="solid", label="BBR of Linux 6.1, probe gain 1.1"),
    "bbr_1_5": Style(colour=_BLACK, marker="star", dash="solid", label="BBR of Linux 6.1, probe gain 1.5"),
    "bbr_4_17_1_1": Style(
        colour=_PURPLE,
        marker="triangle-down",
        dash="longdash",
        label="BBR as of Linux 4.17 (parameters), probe gain 1.1",
    ),
    "bbr_4_17_1_5": Style(
        colour=_BLACK, marker="star", dash="dash", label="BBR as of Linux 4.17 (parameters), probe gain 1.5"
    ),
    "bbr_lt_off": Style(colour=_GREY, marker="x", dash="dot", label="BBR of Linux 6.1 without its policer detector"),
    "bbr_steady_rtt": Style(
        colour=_ORANGE, marker="star", dash="solid", label="BBR of Linux 6.1 with a min_rtt that is slow to rise"
    ),
    "bbr_feedback": Style(
        colour=_PURPLE, marker="cross", dash="longdash", label="BBR of Linux 6.1 with a cwnd gain by feedback"
    ),
    "cubic": Style(colour=_VERMILION, marker="diamond", dash="dashdot", label="CUBIC of Linux 6.1"),
    "reno": Style(colour=_GREEN, marker="triangle-up", dash="dot", label="Reno of Linux 6.1"),
    "flow 1": Style(colour=_BLACK, marker="circle", dash="solid", label="flow 1"),
    "flow 2": Style(colour=_BLUE, marker="square", dash="longdash", label="flow 2"),
    "flow 3": Style(colour=_VERMILION, marker="triangle-up", dash="dash", label="flow 3"),
    "flow 4": Style(colour=_ORANGE, marker="diamond", dash="solid", label="flow 4"),
    "flow 5": Style(colour=_GREEN, marker="triangle-down", dash="dashdot", label="flow 5"),
    "flow 6": Style(colour=_SKY, marker="cross", dash="solid", label="flow 6"),
    "flow 7": Style(colour=_PURPLE, marker="star", dash="dash", label="flow 7"),
    "flow 8": Style(colour=_GREY, marker="x", dash="longdash", label="flow 8"),
    PUBLISHED: Style(colour=_BLACK, marker="x", dash="dot", label="published", open=True),
}
"""By the name that a spec gives the algorithm; "flow n" where all flows of a panel have the same one; "published" is
the document that a study is about."""

_COLOURS = (_PURPLE, _GREEN, _SKY, _GREY, _VERMILION, _BLUE)
_MARKERS: tuple[Marker, ...] = ("star", "triangle-down", "cross", "triangle-up", "diamond", "square")
_DASHES: tuple[Dash, ...] = ("longdash", "dashdot", "dot", "dash", "solid")
_IN_TURN: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


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
    return Style(
        colour=_COLOURS[digest[0] % len(_COLOURS)],
        marker=_MARKERS[digest[1] % len(_MARKERS)],
        dash=_DASHES[digest[2] % len(_DASHES)],
        label=name,
    )


USUAL: Final = "Linux 6.1"
"""The kernel that the table of styles speaks of: the one that `sim` models, and `linux`'s own."""


def label_of(name: str, engine: str) -> str:
    """A style's label with the kernel that the engine has.

    >>> label_of("bbr", "sim"), label_of("bbr", "linux:6.12")
    ('BBR of Linux 6.1', 'BBR of Linux 6.12')
    """
    family, _, kernel = engine.partition(":")
    label = style_of(name).label
    return label.replace(USUAL, f"Linux {kernel}") if family == "linux" and kernel else label


def ranked(layers: Sequence[Layer]) -> Iterator[tuple[Layer, int]]:
    """Each layer, and the number of its instance among those of its style in this panel."""
    instances: dict[str, dict[int, int]] = {}
    for layer in layers:
        ranks = instances.setdefault(layer.style, {})
        yield layer, ranks.setdefault(layer.instance, len(ranks))


def dash_of(style: Style, rank: int) -> Dash:
    """Layers of one style have its colour, and each its own dash."""
    return _IN_TURN[(_IN_TURN.index(style.dash) + rank) % len(_IN_TURN)]


def faint(colour: str) -> str:
    """Of an area, through which lines are seen."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
