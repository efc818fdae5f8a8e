"""Both engines' curves over one another: the reference below, with the limit as a band, the candidate dashed above."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.comparison.overlay import LOOKS
from dumbbell.studies.single_flows import text
from dumbbell.studies.single_flows.limits import FIVE_PERCENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.studies.single_flows.record import Case, Curve, Curves

NAME: Final = "curves"
EPOCHS: Final = ("epoch", "long_epoch")
"""Curves that have a limit, which is drawn as a band."""
OF_THE_FIGURE: Final = {"reno": ("epoch",), "cubic": ("epoch",), "bbr": ("start_up", "probe_rtt", "cycle")}
"""Curves of an algorithm in the figure for print; any other algorithm is a variant of BBR, and has its cycle there."""
_TITLES: Final = {"epoch": "loss epoch", "start_up": "start", "probe_rtt": "PROBE_RTT", "cycle": "gain cycle"}
_GAUGES: Final = {"cwnd": "cwnd (segm.)", "inflight": "in flight (segm.)"}
_COLUMNS: Final = 3


def figure(curves: Curves) -> Chart | None:
    """A panel an algorithm, three of BBR, on the path in the middle; None when nothing was compared."""
    drawn = [case for case in curves.cases if case.curves]
    if not drawn:
        return None
    paths = list(dict.fromkeys(map(text.path, drawn)))
    path = paths[len(paths) // 2]
    theirs, ours = curves.reference.engine, curves.candidate.engine
    return Chart(
        name=NAME,
        title=f"Single flows: {ours} over {theirs}",
        caption=f"One flow at {path}, {ours} over {theirs}: loss epochs since the reduction, the band being"
        f" {100 * FIVE_PERCENT:g} % of {theirs}'s window; BBR's start, its dip for the minimum RTT since the entry to"
        " PROBE_RTT, and its cycle of gains since a probe for bandwidth, the last of its variants too.",
        panels=tuple(panel for case in drawn if text.path(case) == path for panel in _of_the_figure(case, curves)),
        columns=_COLUMNS,
        alt=f"Small plots of windows over time, one or more an algorithm, each with a line of {theirs} and of {ours}.",
    )


def of_case(case: Case, curves: Curves) -> Chart:
    """All curves of a condition."""
    told = ", ".join(curve.label for curve in case.curves)
    return Chart(
        name=case.name,
        title=f"{case.cc}, {text.path(case)}",
        caption=f"{curves.candidate.engine} over {curves.reference.engine}: {told}. Medians over seeds and over epochs,"
        " cycles or entries; a band is the limit.",
        panels=tuple(_panel(curve, curve.label, curves) for curve in case.curves),
        columns=len(case.curves),
        alt=f"Windows over time of {case.cc} on both engines: {told}.",
    )


def _of_the_figure(case: Case, curves: Curves) -> Iterator[Panel]:
    for key in OF_THE_FIGURE.get(case.cc, ("cycle",)):
        for curve in case.curves:
            if curve.key == key:
                yield _panel(curve, f"{case.cc}: {_TITLES[key]}", curves)


def _panel(curve: Curve, title: str, curves: Curves) -> Panel:
    theirs, ours = _times_s(curve, curve.reference), _times_s(curve, curve.candidate)
    below = Layer(label=curves.reference.engine, style=LOOKS[0], x=theirs, y=curve.reference)
    above = Layer(label=curves.candidate.engine, style=LOOKS[1], x=ours, y=curve.candidate, instance=1)
    layers = [below, above]
    if curve.key in EPOCHS:
        low, high = (
            tuple(share * value for value in curve.reference) for share in (1 - FIVE_PERCENT, 1 + FIVE_PERCENT)
        )
        within = f"{curves.reference.engine} ± {100 * FIVE_PERCENT:g} %"
        layers.insert(0, replace(below, label=within, kind="band", y=(), low=low, high=high))
    return Panel(
        title=title,
        x=Axis(label="time (s)", limits=(curve.begin_s, max(*theirs, *ours))),
        y=Axis(label=_GAUGES[curve.gauge], limits=(0, None)),
        layers=tuple(layers),
    )


def _times_s(curve: Curve, values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(curve.begin_s + index * curve.step_s for index in range(len(values)))
