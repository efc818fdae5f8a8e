"""How far two engines are apart: medians over seeds, what the reference's own spread excuses, who wins."""

from __future__ import annotations

import math
from statistics import median as middle
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle.

    Raises:
        StatisticsError: there is no value.
    """
    return float(middle(values))


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the others do not exceed; between two of them on a straight line (Hyndman's type 7).

    >>> quantile([1.0, 2.0, 3.0], 0.9)
    2.8
    """
    return float(np.quantile(np.asarray(values, dtype=np.float64), share))


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


def winner(rates: Mapping[str, float]) -> str | None:
    """Whoever has most; None where two have the same, or nobody has anything."""
    most = max(rates.values(), default=0.0)
    leaders = [name for name, rate in rates.items() if math.isclose(rate, most, rel_tol=1e-12)]
    return leaders[0] if len(leaders) == 1 and most > 0 else None
