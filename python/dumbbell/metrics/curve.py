"""Curves over a sweep: how straight one is, and where two cross."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence


def linear_r2(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """The share of y's variance that the least-squares line explains; None of fewer than three points, or a constant.

    >>> linear_r2([0, 1, 2], [1.0, 3.0, 5.0])
    1.0
    """
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if across.size < 3 or np.ptp(across) == 0 or np.ptp(up) == 0:  # noqa: PLR2004
        return None
    return float(np.corrcoef(across, up)[0, 1]) ** 2


def interpolated(x: Sequence[float], y: Sequence[float], at: float) -> float | None:
    """The value at `at` on the straight lines between the points; None outside of them."""
    if not x or not x[0] <= at <= x[-1]:
        return None
    return float(np.interp(at, x, y))


def crossover(x: Sequence[float], first: Sequence[float], second: Sequence[float]) -> float | None:
    """Where the first of two curves comes down to the second for good; None where it does not.

    Interpolated linearly between points. A curve that starts below and stays there never comes down; one that touches
    and rises again has not come down for good.

    >>> round(crossover([4.0, 8.0], [43.4, 26.8], [33.9, 50.2]), 2)
    5.16
    """
    above = [one - other for one, other in zip(first, second, strict=True)]
    found = None
    for (left, left_above), (right, right_above) in pairwise(zip(x, above, strict=True)):
        if left_above > 0 >= right_above:
            found = left + (right - left) * left_above / (left_above - right_above)
        elif right_above > 0:
            found = None
    return found
