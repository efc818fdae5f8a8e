"""How long a flow takes to its plateau."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SHARE = 0.9
PLATEAU_FROM = 0.5
"""Of the series: what comes after it is the plateau."""


def plateau(values: npt.ArrayLike, *, after: float = PLATEAU_FROM) -> float | None:
    """The median of a series' later half, or of what comes after another part of it; None without a value.

    >>> plateau([1.0, 50.0, 100.0, 102.0])
    101.0
    """
    series = np.asarray(values, dtype=np.float64)
    later = series[int(after * series.size) :]
    known = later[~np.isnan(later)]
    return float(np.median(known)) if known.size else None


def rise_time_s(
    time_s: npt.ArrayLike, values: npt.ArrayLike, start_s: float, *, share: float = SHARE, level: float | None = None
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
