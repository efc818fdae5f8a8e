"""Values of two kinds, a low and a high one: where each lies, and whether they take turns."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    """The sum of the squared distances from the mean."""
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)
