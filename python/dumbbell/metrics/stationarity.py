"""Whether what a group of flows gets stays the same within a window: its halves, and a trend over ten bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.window import Window, ended_ns
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.metrics.counter import Floats

BINS: Final = 10
_PAIRS: Final = BINS * (BINS - 1) // 2
_VARIANCE: Final = BINS * (BINS - 1) * (2 * BINS + 5) / 18
"""Of concordant less discordant pairs where there is no trend (Kendall, Biometrika 30, 1938)."""
LEAST_PRESENT: Final = 0.9
"""Flows that are absent for more of the window than the rest leave nothing to compare."""


class Steadiness(NamedTuple):
    """A group's goodput in the two halves of a window, and its trend; all None where there is nothing to compare."""

    first_half_bps: float | None = None
    second_half_bps: float | None = None
    trend: float | None = None
    """Kendall's rank correlation of ten bins' goodput with time: 1 rises and -1 falls from each bin to the next."""


def steadiness(flows: Sequence[FlowMeasurement], present: Window | None) -> Steadiness:
    """Of a group's flows, in the part of a window in which all flows are there."""
    if present is None:
        return Steadiness()
    edges_ns = np.linspace(present.begin_ns, present.end_ns, BINS + 1)
    advances = [_delivered_by(flow, edges_ns) for flow in flows]
    known = [each for each in advances if each is not None]
    if len(known) < len(advances):
        return Steadiness()
    rates_bps = BITS_PER_BYTE * np.diff(np.sum(known, axis=0)) / (present.seconds / BINS)
    first, second = rates_bps[: BINS // 2], rates_bps[BINS // 2 :]
    return Steadiness(float(first.mean()), float(second.mean()), _kendall(rates_bps))


def present(flows: Sequence[FlowMeasurement], changes_ns: Sequence[int], window: Window) -> Window | None:
    """The part of a window in which all flows are there and the line's rate is the same; None if that is not most."""
    begin_ns = max([window.begin_ns, *(flow.started_ns for flow in flows)])
    end_ns = min([window.end_ns, *(ended_ns(flow) for flow in flows)])
    part = Window(begin_ns, end_ns)
    if part.seconds < LEAST_PRESENT * window.seconds or not part.seconds:
        return None
    return None if any(begin_ns < at_ns < end_ns for at_ns in changes_ns) else part


def least_trend(runs: int, confidence: float = 0.99) -> float:
    """What the mean of so many runs' trends is within with that confidence where there is none, and bins are chance.

    >>> round(least_trend(1), 2), round(least_trend(4), 2)
    (0.64, 0.32)
    """
    return NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(_VARIANCE / runs) / _PAIRS


def _delivered_by(flow: FlowMeasurement, instants_ns: Floats) -> Floats | None:
    """Payload up to each instant, interpolated between samples; None where those lie too far apart to tell."""
    times_ns = np.concatenate(([flow.started_ns], flow.series.at_ns, [flow.at_end.at_ns])).astype(np.float64)
    total = np.concatenate(([0], flow.series.delivered_bytes, [flow.at_end.delivered_bytes])).astype(np.float64)
    inside = (times_ns[1:] > instants_ns[0]) & (times_ns[:-1] < instants_ns[-1])
    if np.diff(times_ns)[inside].max(initial=0) > (instants_ns[1] - instants_ns[0]) / 2:
        return None
    return np.asarray(np.interp(instants_ns, times_ns, total), dtype=np.float64)


def _kendall(values: Floats) -> float:
    later = np.sign(values[None, :] - values[:, None])
    return float(np.triu(later, 1).sum()) / _PAIRS
