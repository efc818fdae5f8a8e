"""Where a series goes down for a while: a flow's throughput in PROBE_RTT, an RTT that falls to the path's."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

BELOW = 0.5
"""Of the median."""


class Trough(NamedTuple):
    """A stretch of samples below a level."""

    begin_s: float
    """The first sample below."""
    end_s: float
    """The first one that is not any more; the last sample, of a trough that lasts to the end."""
    least: float
    """The smallest sample in it."""


def troughs(
    time_s: npt.ArrayLike, values: npt.ArrayLike, *, below: float = BELOW, level: float | None = None
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


def intervals_s(found: Sequence[Trough]) -> list[float]:
    """From each trough's begin to the next one's.

    >>> intervals_s([Trough(10.0, 10.2, 4.0), Trough(20.5, 20.7, 4.0)])
    [10.5]
    """
    return [after.begin_s - before.begin_s for before, after in pairwise(found)]
