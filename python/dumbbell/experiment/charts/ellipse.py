"""Goodput against queueing delay as ellipses: RFC 7928 section 2.7."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.in_time import MBPS, MS
from dumbbell.charts.shapes import ROOM, Look, band, scatter
from dumbbell.experiment.charts.layout import is_mixed
from dumbbell.experiment.charts.samples import Sampled
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.counter import Floats, edges
from dumbbell.metrics.ellipse import ellipse
from dumbbell.metrics.number import counted
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.run_series import gauge, goodputs_bps
from dumbbell.units import NS_PER_S

ROUND_TRIPS: Final = 10
"""Of the shortest path in an interval: K of RFC 7928 section 2.7."""
LEAST_MS: Final = 0.01
"""A delay below has this place on a logarithmic axis."""


def ellipses(runs: ExperimentRuns, there: Sequence[Sampled]) -> Chart | None:
    """One for each group at each point, over the intervals of all its runs that were read."""
    points = list({id(each.point): each.point for each in there}.values())
    layers = [
        layer
        for number, point in enumerate(points)
        for layer in _of_point(runs, point, [each for each in there if each.point is point], number)
    ]
    if not layers:
        return None
    delays = [value for layer in layers for value in layer.x]
    rates = [value for layer in layers for value in (*layer.y, *layer.high)]
    ends = min(delays) / ROOM, max(delays) * ROOM
    x = Axis(label="queueing delay (ms)", scale="log10", limits=ends, ticks=tuple(_ticks(*ends)), is_reversed=True)
    labels = [layer.label for layer in layers if layer.label]
    return Chart(
        name="ellipses",
        shape="scatter",
        title="Goodput and queueing delay",
        caption=f"Each sample is {ROUND_TRIPS} base round trips of the window of one of {counted(len(there), 'run')}:"
        " the goodput of a group's flows, and the mean of their smoothed RTT beyond the base RTT. Points are medians,"
        " outlines the 1-sigma ellipses of the samples, over the logarithm of the delay (RFC 7928 section 2.7). Higher"
        f" and further right is better. On {runs.engine}.",
        panels=(Panel(x=x, y=Axis(label="goodput (Mbit/s)", limits=(0, ROOM * max(rates))), layers=tuple(layers)),),
        alt=f"Ellipses of goodput against queueing delay of {', '.join(labels)}.",
    )


def _ticks(low: float, high: float) -> Iterator[tuple[float, str]]:
    """1, 2 and 5 of each power of ten between two values."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        yield from ((at, f"{at:g}") for part in (1, 2, 5) if low <= (at := part * 10.0**power) <= high)


def _of_point(runs: ExperimentRuns, point: MeasuredPoint, there: Sequence[Sampled], number: int) -> Iterator[Layer]:
    """The outline and the median of each of its groups."""
    for place, (group, cc) in enumerate(point.ccs.items()):
        samples = [_samples(each, group) for each in there]
        delay_ms, goodput = (np.concatenate(column) for column in zip(*samples, strict=True))
        drawn = ellipse(np.log10(np.maximum(delay_ms, LEAST_MS)), goodput)
        if drawn is None:
            continue
        label = "; ".join(filter(None, [there[0].label, group if is_mixed(runs) or not there[0].label else ""]))
        look = Look(base_name(cc), number * len(point.ccs) + place, label)
        if drawn.x.size:
            outline = Look(look.style, look.instance)
            yield band(outline, (10**drawn.x).tolist(), np.maximum(drawn.low, 0).tolist(), drawn.high.tolist())
        yield scatter(look, [10 ** drawn.median[0]], [drawn.median[1]])


def _samples(each: Sampled, group: str) -> tuple[Floats, Floats]:
    """Queueing delay in ms and goodput in Mbit/s of a group's flows, in intervals of the window with both."""
    base_s = [each.run.flows[flow.flow].base_rtt_s for flow in each.series.result.flows if flow.name == group]
    begin_s, end_s = each.series.window_s
    sample_s = each.run.measure.sample_ns / NS_PER_S
    bin_s = max(ROUND_TRIPS * min(base_s), sample_s)
    at = edges(begin_s, end_s, bin_s)
    goodput = goodputs_bps(each.series, group, begin_s, end_s, bin_s)
    count, total = np.zeros(len(at) - 1), np.zeros(len(at) - 1)
    members = (flow.flow for flow in each.series.result.flows if flow.name == group)
    for flow, base in zip(members, base_s, strict=True):
        rtt = gauge(each.series, flow, "srtt_s", begin_s, end_s)
        count += np.histogram(rtt.time_s, at)[0]
        total += np.histogram(rtt.time_s, at, weights=rtt.value - base)[0]
    known = (count > 0) & (goodput > 0)
    return MS * total[known] / count[known], MBPS * goodput[known]
