"""What a series does over time: it comes to a plateau, falls for a while, repeats itself, converges with others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.counter import Counter, Floats, rates_bps
from dumbbell.metrics.sharing import jain
from dumbbell.units import BITS_PER_BYTE


def plateau(values: npt.ArrayLike, *, after: float = 0.5) -> float | None:
    """The median of a series' later half, or of what comes after another part of it; None without a value.

    >>> plateau([1.0, 50.0, 100.0, 102.0])
    101.0
    """
    series = np.asarray(values, dtype=np.float64)
    later = series[int(after * series.size) :]
    known = later[~np.isnan(later)]
    return float(np.median(known)) if known.size else None


def rise_time_s(
    time_s: npt.ArrayLike, values: npt.ArrayLike, start_s: float, *, share: float = 0.9, level: float | None = None
) -> float | None:
    """How long after `start_s` a series is first at 90 % of its plateau, or of `level`; None where it never is.

    >>> rise_time_s([1.0, 2.0, 3.0, 4.0], [10.0, 92.0, 100.0, 100.0], 0.5)
    1.5
    """
    at, series = np.asarray(time_s, dtype=np.float64), np.asarray(values, dtype=np.float64)
    top = plateau(series) if level is None else level
    if top is None:
        return None
    there = np.flatnonzero((series >= share * top) & (at >= start_s))
    return None if there.size == 0 else float(at[there[0]] - start_s)


class Trough(NamedTuple):
    """A stretch of samples below a level."""

    begin_s: float
    """The first sample below."""
    end_s: float
    """The first one that is not any more; the last sample, of a trough that lasts to the end."""
    least: float
    """The smallest sample in it."""


def troughs(
    time_s: npt.ArrayLike, values: npt.ArrayLike, *, below: float = 0.5, level: float | None = None
) -> list[Trough]:
    """The stretches below `level`; if none is given, below `below` of the median. NaN is not below anything.

    >>> troughs([0, 1, 2, 3, 4], [20.0, 20.0, 4.0, 5.0, 20.0])
    [Trough(begin_s=2.0, end_s=4.0, least=4.0)]
    """
    at, series = np.asarray(time_s, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if series.size == 0 or bool(np.isnan(series).all()):
        return []
    threshold = below * float(np.nanmedian(series)) if level is None else level
    under = np.concatenate(([False], series < threshold, [False]))
    begins, ends = (np.flatnonzero(edge).tolist() for edge in (~under[:-1] & under[1:], under[:-1] & ~under[1:]))
    return [
        Trough(float(at[begin]), float(at[min(end, at.size - 1)]), float(series[begin:end].min()))
        for begin, end in zip(begins, ends, strict=True)
    ]


def intervals_s(dips: Sequence[Trough]) -> list[float]:
    """From each trough's begin to the next one's.

    >>> intervals_s([Trough(10.0, 10.2, 4.0), Trough(20.5, 20.7, 4.0)])
    [10.5]
    """
    return [after.begin_s - before.begin_s for before, after in pairwise(dips)]


def autocorrelation(values: npt.ArrayLike) -> npt.NDArray[np.float64] | None:
    """Of each lag from 0 on, in samples; None of a constant, or of fewer than two values.

    The sum over what overlaps, divided by the sum over all: it falls with the lag, so that of a period and its
    multiples the period itself is the highest.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.size < 2 or np.ptp(series) == 0:  # noqa: PLR2004
        return None
    around = series - series.mean()
    overlapping = np.correlate(around, around, mode="full")[series.size - 1 :]
    return np.asarray(overlapping / overlapping[0], dtype=np.float64)


def dominant_period_s(rates: npt.ArrayLike, bin_s: float, clear: float = 0.2) -> float | None:
    """The lag of the highest peak of the autocorrelation, in seconds; None where no peak is clear.

    `clear` is the least autocorrelation of a period: below it a series' own chance makes peaks too.

    A peak is a lag, after the autocorrelation was first negative and up to half of the series, at which it is higher
    than at both neighbours.

    >>> dominant_period_s([3, 3, 1, 1] * 10, 0.5)
    2.0
    """
    correlations = autocorrelation(rates)
    if correlations is None:
        return None
    negative = np.flatnonzero(correlations < 0)
    begin, end = (int(negative[0]) if negative.size else correlations.size), correlations.size // 2
    peaks = [
        lag
        for lag in range(begin + 1, min(end, correlations.size - 2) + 1)
        if correlations[lag - 1] < correlations[lag] >= correlations[lag + 1]
    ]
    highest = max(peaks, key=lambda lag: float(correlations[lag]), default=None)
    return None if highest is None or correlations[highest] < clear else highest * bin_s


def correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's, of two series of equal length: -1 where one has what the other lacks; None where one is constant.

    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:  # noqa: PLR2004
        return None
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))


MEAN_OVER_S = 5.0
"""A flow's rate is its mean over this long: a shorter one never converges, because of BBR's PROBE_RTT."""
FOR_S = 10.0
"""Flows have converged when they stay near one another for this long."""
STEP_S = 0.1


def jain_in_bins(
    flows: Sequence[Counter], begin_s: float, end_s: float, bin_s: float = MEAN_OVER_S
) -> list[float | None]:
    """Jain's index of the flows' rates in each whole bin; None in a bin in which nothing flowed."""
    rates = np.array([rates_bps(flow, begin_s, end_s, bin_s) for flow in flows])
    return [jain([float(rate) for rate in column]) for column in rates.T]


def centred_rates_bps(flow: Counter, instants_s: npt.ArrayLike, over_s: float = MEAN_OVER_S) -> Floats:
    """A flow's mean rate around each instant."""
    at = np.asarray(instants_s, dtype=np.float64)
    means_bps: Floats = BITS_PER_BYTE * (flow.at(at + over_s / 2) - flow.at(at - over_s / 2)) / over_s
    return means_bps


def convergence_time_s(  # noqa: PLR0913 (each is a part of the definition)
    flows: Sequence[Counter],
    start_s: float,
    end_s: float,
    *,
    within: float = 0.2,
    for_s: float = FOR_S,
    over_s: float = MEAN_OVER_S,
) -> float | None:
    """How long after `start_s` all flows are, for 10 s, within 20 % of an equal share in their centred 5-s means.

    The instants are 0.1 s apart. None if that does not come about before `end_s`, or too late to be seen. `within`,
    `for_s` and `over_s` stand for other numbers than these.
    """
    instants = start_s + STEP_S * np.arange(max(0, int((end_s - over_s / 2 - start_s) / STEP_S + 1e-9) + 1))
    total = np.zeros(instants.size)
    least, most = np.full(instants.size, np.inf), np.full(instants.size, -np.inf)
    for flow in flows:  # one at a time: there may be thousands
        rates = centred_rates_bps(flow, instants, over_s)
        total += rates
        np.minimum(least, rates, out=least)
        np.maximum(most, rates, out=most)
    fair = total / len(flows)
    near = (np.abs(least - fair) <= within * fair) & (np.abs(most - fair) <= within * fair) & (fair > 0)
    needed = round(for_s / STEP_S) + 1
    # how many of the last instants, up to each one, were near without a break
    far_before = np.maximum.accumulate(np.where(near, -1, np.arange(near.size)))
    long_enough = np.flatnonzero(np.arange(near.size) - far_before >= needed)
    return None if long_enough.size == 0 else float((long_enough[0] - needed + 1) * STEP_S)
