"""What comes again and again in a series of rates, and whether two of them take turns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

CLEAR = 0.2
"""The least autocorrelation that a period must have: below it a series' own chance makes peaks too."""


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


def dominant_period_s(rates: npt.ArrayLike, bin_s: float, clear: float = CLEAR) -> float | None:
    """The lag of the highest peak of the autocorrelation, in seconds; None where no peak is clear.

    A peak is a lag, after the autocorrelation was first negative and up to half of the series, at which it is higher
    than at both neighbours.

    >>> dominant_period_s([3, 3, 1, 1] * 10, 0.5)
    2.0
    """
    found = autocorrelation(rates)
    if found is None:
        return None
    negative = np.flatnonzero(found < 0)
    begin, end = (int(negative[0]) if negative.size else found.size), found.size // 2
    peaks = [
        lag for lag in range(begin + 1, min(end, found.size - 2) + 1) if found[lag - 1] < found[lag] >= found[lag + 1]
    ]
    highest = max(peaks, key=lambda lag: float(found[lag]), default=None)
    return None if highest is None or found[highest] < clear else highest * bin_s


def correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's, of two series of equal length: -1 where one has what the other lacks; None where one is constant.

    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:  # noqa: PLR2004
        return None
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))
