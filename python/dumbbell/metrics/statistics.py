"""A mean over seeds, and how far it can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the half-width of its 95 % interval."""

    mean: float
    half_width: float | None
    """None where there is one value or all are the same: nothing varied, so nothing is known of variation."""
    n: int
    """How many values it rests on; 1 where all are the same."""


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent values and its interval by Student's t.

    Raises:
        StatisticsError: there is no value.
    """
    if len(values) > 0 and min(values) == max(values):
        return Estimate(values[0], None, 1)
    mean, n = fmean(values), len(values)
    return Estimate(mean, t_quantile(n - 1) * stdev(values) / math.sqrt(n), n)


def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """The t that `confidence` of Student's distribution lies within, on both sides together."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _t_within(angle, degrees) < confidence else (low, angle)
    return math.sqrt(degrees) * math.tan(low)


def _t_within(angle: float, degrees: int) -> float:
    """Probability of `|t| <= sqrt(degrees) tan(angle)`: Abramowitz and Stegun 26.7.3 and 26.7.4."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for k in range(2 + odd, degrees + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
