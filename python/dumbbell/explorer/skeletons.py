"""The charts of reports without their numbers: the page fills them in, and so decides nothing about their ink.

A skeleton is what `vega_lite` makes of a chart with one layer a panel. The page puts the layers of a run in the place
of that one, each with the look that its style has here; a test holds what it makes to what `vega_lite` makes of the
same run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import dumbbell.cc as cc
from dumbbell.charts.annotation import levels
from dumbbell.charts.chart import Axis, Chart, HeatMap, Kind, Layer, Level, Panel
from dumbbell.charts.heat import DIVERGING, SEQUENTIAL
from dumbbell.charts.in_time import panels
from dumbbell.charts.layout import CHARACTER, PAGE, SYMBOL
from dumbbell.charts.shapes import ErrorBar, Look, scatter
from dumbbell.charts.style import STYLES
from dumbbell.charts.vega import look, vega_lite
from dumbbell.experiment.charts.time import (
    BINS_S,
    FEWEST_BINS,
    GAUGE_BINS,
    MOST_BINS,
    MOST_FLOWS,
    ROWS,
    STATE,
    USUAL_BIN_S,
)
from dumbbell.experiment.curves import NOUNS
from dumbbell.metrics.contrast import MATTERS

RANKS: Final = 8
"""So many layers of one style are told apart; more begin again."""
KINDS: Final[dict[str, Kind]] = {"line": "line", "mean": "line+points", "each": "points"}
"""By the page's word for it: samples in time, means with their intervals over a sweep, and what has no order."""


def skeletons() -> dict[str, Any]:
    """The charts of the page, and how each style looks in them."""
    return {
        "in_time": vega_lite(_in_time()),
        "sweep": vega_lite(_sweep()),
        "map": vega_lite(_map()),
        "level": next(levels(Panel(x=Axis(label=""), y=Axis(label=""), levels=(Level(at=0.0, text=""),)), PAGE, {})),
        "looks": {style: [_looks(style, rank) for rank in range(RANKS)] for style in _styles()},
        "labels": {style: STYLES[style].label for style in _styles() if style in STYLES},
        "heat": {"sequential": SEQUENTIAL, "diverging": DIVERGING},
        "bins": {
            "sizes_s": BINS_S, "most": MOST_BINS, "fewest": FEWEST_BINS, "usual_s": USUAL_BIN_S, "gauge": GAUGE_BINS,
            "flows": MOST_FLOWS,
        },
        "nouns": NOUNS,
        "state": {column: name for column, (name, _) in STATE.items()},
        "matters": MATTERS,
        "letter": CHARACTER * PAGE.font,
        "entry": (SYMBOL + 1.5) * PAGE.font,
    }  # fmt: skip


def _styles() -> list[str]:
    """Of every algorithm and variant, and of what the table has beside them."""
    return list(dict.fromkeys([*STYLES, *cc.installed(), *cc.variants()]))


def _looks(style: str, rank: int) -> dict[str, Any]:
    return {word: look(replace(_placeholder(word), style=style), rank) for word in KINDS}


def _in_time() -> Chart:
    """As `experiment.charts.time.in_time` has it, but without names beside the lines."""
    return Chart(
        name="series",
        title="",
        caption="",
        alt="",
        panels=panels(1.0, {label: [_placeholder("line")] for label in ROWS}),
    )


def _sweep() -> Chart:
    panel = Panel(x=Axis(label="x"), y=Axis(label="y", limits=(0, None)), layers=(_placeholder("mean"),))
    return Chart(name="sweep", title="", caption="", alt="", panels=(panel,))


def _map() -> Chart:
    panel = Panel(x=Axis(label="x"), y=Axis(label="y"), heat=HeatMap(label="value", cells=((0.0, 1.0), (0.5, 0.25))))
    return Chart(name="map", title="", caption="", alt="", panels=(panel,))


def _placeholder(word: str) -> Layer:
    ends = (0.0, 1.0)
    y = ends if word == "line" else [ErrorBar(each, each, each) for each in ends]
    return scatter(Look("bbr", label="placeholder"), ends, y, kind=KINDS[word])
