"""Curves over a sweep: how straight one is, and where two cross."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Kind = TypeVar("Kind")


def linear_r2(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """The share of y's variance that the least-squares line explains; None of fewer than three points, or a constant.

    >>> linear_r2([0, 1, 2], [1.0, 3.0, 5.0])
    1.0
    """
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if across.size < 3 or np.ptp(across) == 0 or np.ptp(up) == 0:  # noqa: PLR2004
        return None
    from scipy.stats import linregress  # noqa: PLC0415 (late: it takes long to load)

    return float(linregress(across, up).rvalue) ** 2


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
    crossing = None
    for (left, left_above), (right, right_above) in pairwise(zip(x, above, strict=True)):
        if left_above > 0 >= right_above:
            crossing = left + (right - left) * left_above / (left_above - right_above)
        elif right_above > 0:
            crossing = None
    return crossing


def changes(points: Sequence[tuple[float, Kind]]) -> Iterator[tuple[Kind, Kind, float]]:
    """Where the kind of a sweep's points changes: before and after, and half way between, the geometric mean.

    >>> list(changes([(1.0, "bbr"), (4.0, "cubic"), (8.0, "cubic")]))
    [('bbr', 'cubic', 2.0)]
    """
    for (left, before), (right, after) in pairwise(points):
        if before != after:
            yield before, after, sqrt(left * right)


def argmax(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Where a curve is highest, the first such place; None of no curve.

    >>> argmax([1.0, 2.0, 4.0], [0.7, 0.99, 0.8])
    2.0
    """
    return max(zip(x, y, strict=True), key=lambda point: point[1], default=(None, 0.0))[0]


def is_unimodal(y: Sequence[float], slack: float = 0.0) -> bool:
    """Whether a curve rises to its highest point and falls from there on, but for steps of at most `slack`.

    >>> is_unimodal([0.6, 0.9, 0.99, 0.8]), is_unimodal([0.6, 0.9, 0.7, 0.99]), is_unimodal([0.9, 0.89, 0.95], 0.02)
    (True, False, True)
    """
    if not y:
        return False
    top = max(range(len(y)), key=y.__getitem__)
    rises = all(after >= before - slack for before, after in pairwise(y[: top + 1]))
    return rises and all(after <= before + slack for before, after in pairwise(y[top:]))


def one_peak(x: Sequence[float], y: Sequence[float], slack: float) -> float | None:
    """1 if a curve rises to one peak inside of its ends and falls, but for steps of at most `slack`; else 0.

    None of no curve.

    >>> one_peak([1, 2, 4, 8], [0.6, 0.9, 0.99, 0.8], 0.0), one_peak([1, 2, 4], [0.6, 0.7, 0.9], 0.0)
    (1.0, 0.0)
    """
    if not x:
        return None
    return float(argmax(x, y) not in {x[0], x[-1]} and is_unimodal(y, slack))


def threshold(x: Sequence[float], y: Sequence[float], most: float) -> float | None:
    """The first place from which on a curve is at most so high; None if it is higher at its end.

    >>> threshold([1, 2, 4, 8], [0.1, 0.0, 0.2, 0.0], 0.05)
    8
    """
    return next((at for index, at in enumerate(x) if max(y[index:]) <= most), None)


def last_at_least(x: Sequence[float], y: Sequence[float], levels: Sequence[float]) -> float | None:
    """The largest x of the points whose value, and that of all points before, is at least the level there.

    Of goodput over the random loss p, with levels of 0.8 x rate x (1 - p), it is the cliff. None if the first point is
    below.

    >>> last_at_least([0.0, 0.1, 0.2, 0.3], [100.0, 88.0, 30.0, 60.0], [80.0, 72.0, 64.0, 56.0])
    0.1
    """
    largest = None
    for at, value, level in zip(x, y, levels, strict=True):
        if value < level:
            break
        largest = at
    return largest


def cliff(losses: Sequence[float], goodputs_bps: Sequence[float], rate_bps: float, share: float = 0.8) -> float | None:
    """The largest random loss, all smaller ones included, with 80 % of what rate x (1 - loss) would carry.

    >>> cliff([0.0, 0.1, 0.2], [95e6, 80e6, 10e6], 100e6)
    0.1
    """
    return last_at_least(losses, goodputs_bps, [share * rate_bps * (1 - loss) for loss in losses])


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's: 1 where one rises whenever the other does. Equal values share their ranks; None of a constant.

    >>> rank_correlation([1.0, 2.0, 30.0], [5.0, 6.0, 7.0])
    1.0
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:  # noqa: PLR2004
        return None
    from scipy.stats import spearmanr  # noqa: PLC0415 (late: it takes long to load)

    return float(np.clip(spearmanr(first, second).statistic, -1, 1))
