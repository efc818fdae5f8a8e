"""How samples are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_STEPS = 500


def cdf(samples: npt.ArrayLike, most: int = MOST_STEPS) -> tuple[list[float], list[float]]:
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
    found = quantiles(samples, [0.25, 0.5, 0.75])
    return None if found is None or found[1] == 0 else (found[2] - found[0]) / found[1]


def _known(samples: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.asarray(samples, dtype=np.float64)
    return values[~np.isnan(values)]
