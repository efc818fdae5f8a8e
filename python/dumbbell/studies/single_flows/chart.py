"""Both engines' curves over one another: the reference below, with the limit as a band, the candidate dashed above."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.comparison.overlay import LOOKS
from dumbbell.studies.single_flows import text
from dumbbell.studies.single_flows.limits import FIVE_PERCENT

if TYPE_CHECKING:
    from dumbbell.studies.single_flows.record import Case, Curve, Curves

EPOCHS: Final = ("epoch", "long_epoch")
"""Curves that have a limit, which is drawn as a band."""
OF_THE_FIGURE: Final = {"reno": ("epoch",), "cubic": ("epoch",), "bbr": ("start_up", "probe_rtt", "cycle")}
"""Curves of an algorithm in the figure for print; any other algorithm is a variant of BBR, and has its cycle there."""
_TITLES: Final = {"epoch": "loss epoch", "start_up": "start", "probe_rtt": "PROBE_RTT", "cycle": "gain cycle"}
_GAUGES: Final = {"cwnd": "cwnd (segm.)", "inflight": "in flight (segm.)"}


def figure(curves: Curves) -> Chart | None:
    """A panel an algorithm, three of BBR, on the path in the middle; None when nothing was compared."""
    paths = list(dict.fromkeys(text.path(case) for case in curves.cases if case.curves))
    if not paths:
        return None
    path = paths[len(paths) // 2]
    reference, candidate = curves.reference.engine, curves.candidate.engine
    return Chart(
        name="curves",
        title=f"Single flows: {candidate} over {reference}",
        caption=f"One flow at {path}, {candidate} over {reference}: loss epochs since the reduction, the band being"
        f" {100 * FIVE_PERCENT:g} % of {reference}'s window; BBR's start, its dip for the minimum RTT since the entry"
        " to PROBE_RTT, and its cycle of gains since a probe for bandwidth, the last of its variants too.",
        panels=tuple(
            _panel(curve, f"{case.cc}: {_TITLES[key]}", curves)
            for case in curves.cases
            if text.path(case) == path
            for key in OF_THE_FIGURE.get(case.cc, ("cycle",))
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
    return Chart(
        name=case.name,
        title=f"{case.cc}, {text.path(case)}",
        caption=f"{curves.candidate.engine} over {curves.reference.engine}: {labels}. Medians over seeds and over"
        " epochs, cycles or entries; a band is the limit.",
        panels=tuple(_panel(curve, curve.label, curves) for curve in case.curves),
        columns=len(case.curves),
        alt=f"Windows over time of {case.cc} on both engines: {labels}.",
    )


def _panel(curve: Curve, title: str, curves: Curves) -> Panel:
    engines = (curves.reference.engine, curves.candidate.engine)
    layers = [
        Layer(label=engine, style=LOOKS[index], x=_times_s(curve, values), y=values, instance=index)
        for index, (engine, values) in enumerate(zip(engines, (curve.reference, curve.candidate), strict=True))
    ]
    end_s = max(time_s for layer in layers for time_s in layer.x)
    if curve.key in EPOCHS:
        low, high = (tuple(factor * value for value in curve.reference)
                     for factor in (1 - FIVE_PERCENT, 1 + FIVE_PERCENT))  # fmt: skip
        label = f"{engines[0]} ± {100 * FIVE_PERCENT:g} %"
        layers.insert(0, replace(layers[0], label=label, kind="band", y=(), low=low, high=high))
    return Panel(
        title=title,
        x=Axis(label="time (s)", limits=(curve.begin_s, end_s)),
        y=Axis(label=_GAUGES[curve.gauge], limits=(0, None)),
        layers=tuple(layers),
    )


def _times_s(curve: Curve, values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(curve.begin_s + index * curve.step_s for index in range(len(values)))
