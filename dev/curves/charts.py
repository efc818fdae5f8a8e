"""Charts of single flows on two engines, one over the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dev.curves.judgement import FIVE_PERCENT
from dev.curves.record import Case, Curve, Curves
from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.in_time import MBPS
from dumbbell.comparison.agreement_text import path as path_of
from dumbbell.comparison.charts import CANDIDATE, NOISE

EPOCHS: Final = ("epoch", "long_epoch")
"""Curves that have a limit, which is drawn as a band."""
BOUND: Final = "bound"
"""The key of a bound, which is not always set, and so has points."""
OF_THE_FIGURE: Final = {
    "reno": ("epoch",), "cubic": ("epoch",), "bbr": ("start_up", "probe_rtt", "cycle"),
    "bbr3": ("start_up", "probe_rtt", "cycle", BOUND),
}  # fmt: skip
"""Curves of an algorithm in the figure for print; any other algorithm is a variant of BBR, and has its cycle there."""
_TITLES: Final = {"epoch": "loss epoch", "start_up": "start", "probe_rtt": "PROBE_RTT", "cycle": "gain cycle"}
_GAUGES: Final = {
    "cwnd": ("cwnd (segm.)", 1.0), "inflight": ("in flight (segm.)", 1.0),
    "inflight_hi": ("inflight_hi (segm.)", 1.0), "inflight_lo": ("inflight_lo (segm.)", 1.0),
    "bw_lo": ("bw_lo (Mbit/s)", MBPS),
}  # fmt: skip
"""By its word: its label, and what it is multiplied by."""


def curves_figure(curves: Curves) -> Chart | None:
    """A panel an algorithm, three of BBR, on the path in the middle; None when nothing was compared."""
    paths = list(dict.fromkeys(path_of(case) for case in curves.cases if case.curves))
    if not paths:
        return None
    path = paths[len(paths) // 2]
    candidate, reference = curves.engine_names
    return Chart(
        name="curves",
        title=f"Single flows: {candidate} over {reference}",
        caption=f"One flow at {path}, {candidate} over {reference}: loss epochs since the reduction, the band being"
        f" {100 * FIVE_PERCENT:g} % of {reference}'s window; BBR's start, its dip for the minimum RTT since the entry"
        " to PROBE_RTT, and its cycle of gains since a probe for bandwidth, the last of its variants too; of version 3"
        " its bounds, of one seed each.",
        panels=tuple(
            _panel(curve, f"{case.cc}: {_TITLES.get(key, curve.gauge)}", curves)
            for case in curves.cases
            if path_of(case) == path
            for key in OF_THE_FIGURE.get(base_name(case.cc), ("cycle",))
            for curve in case.curves
            if curve.key == key
        ),
        columns=3,
        alt="Small plots of windows over time, one or more an algorithm, each with a line of"
        f" {reference} and of {candidate}.",
    )


def chart_of_case(case: Case, curves: Curves) -> Chart:
    """All curves of a condition."""
    labels = ", ".join(curve.label for curve in case.curves)
    candidate, reference = curves.engine_names
    return Chart(
        name=case.name,
        title=f"{case.cc}, {path_of(case)}",
        caption=f"{candidate} over {reference}: {labels}. Medians over seeds and over"
        " epochs, cycles or entries; a band is the limit.",
        panels=tuple(_panel(curve, curve.label, curves) for curve in case.curves),
        columns=len(case.curves),
        alt=f"Windows over time of {case.cc} on both engines: {labels}.",
    )


def _panel(curve: Curve, title: str, curves: Curves) -> Panel:
    candidate, reference = curves.engine_names
    engines = (reference, candidate)
    name, factor = _GAUGES[curve.gauge]
    layers = [
        Layer(
            label=engine,
            style=(NOISE, CANDIDATE)[index],
            instance=index,
            kind="points" if curve.key == BOUND else "line",
            x=tuple(curve.begin_s + place * curve.step_s for place in known),
            y=tuple(known.values()),
        )
        for index, (engine, values) in enumerate(zip(engines, (curve.reference, curve.candidate), strict=True))
        for known in [{place: factor * value for place, value in enumerate(values) if value is not None}]
    ]
    end_s = max(time_s for layer in layers for time_s in layer.x)
    values = [value for layer in layers for value in layer.y]
    limits = (0.9 * min(values), 1.02 * max(values)) if curve.key == BOUND else (0, None)
    if curve.key in EPOCHS:
        low, high = (tuple(part * value for value in layers[0].y)
                     for part in (1 - FIVE_PERCENT, 1 + FIVE_PERCENT))  # fmt: skip
        label = f"{engines[0]} ± {100 * FIVE_PERCENT:g} %"
        layers.insert(0, replace(layers[0], label=label, kind="band", y=(), low=low, high=high))
    return Panel(
        title=title,
        x=Axis(label="time (s)", limits=(curve.begin_s, end_s)),
        y=Axis(label=name, limits=limits),
        layers=tuple(layers),
    )
