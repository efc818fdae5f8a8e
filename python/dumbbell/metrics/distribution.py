"""How values are distributed: quantiles, spreads, and two kinds of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


def cdf(samples: npt.ArrayLike, most: int = 500) -> tuple[list[float], list[float]]:
    """Values, and the share of the samples that does not exceed each: every sample, or `most` of them, evenly ranked.

    The smallest and the largest are always among them. NaN is no sample.

    >>> cdf([3.0, 1.0, 2.0, 2.0])
    ([1.0, 2.0, 2.0, 3.0], [0.25, 0.5, 0.75, 1.0])
    """
    ordered = np.sort(_known(samples))
    if ordered.size == 0:
        return [], []
    ranks = np.unique(np.round(np.linspace(1, ordered.size, min(most, ordered.size))).astype(np.intp))
    return ordered[ranks - 1].tolist(), (ranks / ordered.size).tolist()


def quantiles(samples: npt.ArrayLike, shares: Sequence[float]) -> list[float] | None:
    """The values that these shares of the samples do not exceed (Hyndman's type 7); None without a sample.

    >>> quantiles([1.0, 2.0, 3.0], [0.5, 0.9])
    [2.0, 2.8]
    """
    known = _known(samples)
    return np.quantile(known, shares).tolist() if known.size else None


def relative_iqr(samples: npt.ArrayLike) -> float | None:
    """The interquartile range over the median; None without a sample, or where the median is 0.

    >>> relative_iqr([90.0, 100.0, 100.0, 110.0, 200.0])
    0.1
    """
    quartiles = quantiles(samples, [0.25, 0.5, 0.75])
    return None if quartiles is None or quartiles[1] == 0 else (quartiles[2] - quartiles[0]) / quartiles[1]


def _known(samples: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.asarray(samples, dtype=np.float64)
    return values[~np.isnan(values)]


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the others do not exceed; between two of them on a straight line (Hyndman's type 7).

    >>> quantile([1.0, 2.0, 3.0], 0.9)
    2.8
    """
    return float(np.quantile(np.asarray(values, dtype=np.float64), share))


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The order statistics between which the median of what these are drawn from lies, with at least `confidence`.

    All of the values where they are too few for it.

    >>> median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), median_interval(list(range(100)))
    ((1.0, 6.0), (39, 60))
    """
    ordered, n = sorted(values), len(values)
    left_out, tail = 0, 1 / 2**n
    while left_out + 1 < n / 2 and 2 * (tail + comb(n, left_out + 1) / 2**n) <= 1 - confidence:
        left_out += 1
        tail += comb(n, left_out) / 2**n
    return ordered[left_out], ordered[n - 1 - left_out]


def half_interquartile(values: Sequence[float]) -> float:
    """Half the distance between the quartiles; 0 of one value.

    >>> half_interquartile([1.0, 2.0, 5.0])
    1.0
    """
    return (quantile(values, 0.75) - quantile(values, 0.25)) / 2


def beyond(difference: float, excused: float) -> float:
    """What is left of a difference, whichever its sign, when `excused` of it is excused.

    >>> beyond(-5.0, 2.0), beyond(1.0, 2.0)
    (3.0, 0.0)
    """
    return max(0.0, abs(difference) - excused)


class Modes(NamedTuple):
    """The medians of the values on both sides of a boundary; None where there is none."""

    low: float | None
    high: float | None


def boundary(values: Sequence[float]) -> float | None:
    """Between the two kinds: the middle of the gap at which the values on each side differ least among themselves.

    Otsu's threshold, which is also 2-means in one dimension. None where there are no two different values.

    >>> boundary([25.0, 60.0, 26.0, 61.0, 62.0])
    43.0
    """
    ordered = sorted(values)
    gaps = [index for index in range(1, len(ordered)) if ordered[index - 1] < ordered[index]]
    best = min(gaps, key=lambda index: _scatter(ordered[:index]) + _scatter(ordered[index:]), default=None)
    return None if best is None else (ordered[best - 1] + ordered[best]) / 2


def modes(values: Sequence[float], between: float) -> Modes:
    """Splits values; one at the boundary is high.

    >>> modes([25.0, 60.0, 26.0, 61.0, 62.0], 40.0)
    Modes(low=25.5, high=61.0)
    """
    low = [value for value in values if value < between]
    high = [value for value in values if value >= between]
    return Modes(median(low) if low else None, median(high) if high else None)


def alternation(sequences: Sequence[Sequence[float]], between: float) -> float | None:
    """Of all values that have a successor in their own sequence, the share that it is across the boundary from.

    1 where each low value follows a high one, 0 where all are on one side; None where no value has a successor.

    >>> alternation([[25.0, 60.0, 26.0, 27.0]], 40.0)
    0.6666666666666666
    """
    pairs = [(first < between, second < between) for values in sequences for first, second in pairwise(values)]
    return sum(first != second for first, second in pairs) / len(pairs) if pairs else None


def _scatter(values: Sequence[float]) -> float:
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)
