"""One table: how every algorithm, variant and published curve looks and is called, in print and on a screen.

Colours are Okabe and Ito's, which colour-blind readers can tell apart, chosen so that those that meet in a figure also
differ in grey; marker and dash tell them apart without any colour. Numbers and ink stay apart: nothing is computed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.charts.chart import Layer

Marker: TypeAlias = Literal["circle", "square", "triangle-up", "triangle-down", "diamond", "cross", "x", "star"]
Dash: TypeAlias = Literal["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]

PUBLISHED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of one thing. The words of marker and dash are plotly's; `paper` translates them."""

    colour: str
    """As #rrggbb."""
    marker: Marker
    dash: Dash
    label: str
    """With its version, for legends: "BBR of Linux 6.1"."""
    open: bool = False
    """The marker is an outline: it stands on another one without hiding it."""


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


def ranked(layers: Sequence[Layer]) -> Iterator[tuple[Layer, int]]:
    """Each layer, and the number of its instance among those of its style in this panel."""
    instances: dict[str, dict[int, int]] = {}
    for layer in layers:
        ranks = instances.setdefault(layer.style, {})
        yield layer, ranks.setdefault(layer.instance, len(ranks))


def dash_of(style: Style, rank: int) -> Dash:
    """Layers of one style have its colour, and each its own dash."""
    return _IN_TURN[(_IN_TURN.index(style.dash) + rank) % len(_IN_TURN)]
