"""A cumulative counter as it was sampled, and rates in bins of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.window import ratio
from dumbbell.spec.path import Path
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """Bytes or packets up to each instant: nothing before the first one, straight lines between them."""

    time_s: Floats
    total: Floats

    @classmethod
    def of(cls, time_s: npt.ArrayLike, total: npt.ArrayLike, *, start_s: float | None = None) -> Counter:
        """Of two columns of equal length, in order of time; `start_s` is when it was 0, if it was not sampled then."""
        at, counted = np.asarray(time_s, dtype=np.float64), np.asarray(total, dtype=np.float64)
        if start_s is not None and (at.size == 0 or start_s < at[0]):
            at, counted = np.concatenate(([start_s], at)), np.concatenate(([0.0], counted))
        return cls(at, counted)

    def at(self, instants_s: npt.ArrayLike) -> Floats:
        """The count at each instant (seconds), interpolated; an array of the same shape."""
        if self.time_s.size == 0:
            return np.zeros(np.shape(instants_s))
        instants = np.asarray(instants_s, dtype=np.float64)
        return np.interp(instants, self.time_s, self.total, left=0.0).astype(np.float64)


def capacity_in_time(path: Path, end_s: float) -> Counter | None:
    """The bytes that a path's line can carry up to each instant; None of a line whose rate stays as it is."""
    if not (path.rates_in_time or path.deliveries_ns):
        return None
    at_ns, bits = zip(*path.capacity_in_time(end_s * NS_PER_S, path.mtu_bytes), strict=True)
    return Counter.of(np.divide(at_ns, NS_PER_S), np.divide(bits, BITS_PER_BYTE))


def edges(begin_s: float, end_s: float, bin_s: float) -> Floats:
    """The edges of the whole bins between two instants.

    >>> edges(0.0, 2.2, 0.5)
    array([0. , 0.5, 1. , 1.5, 2. ])
    """
    bins = int((end_s - begin_s) / bin_s + 1e-9)
    return np.asarray(begin_s + bin_s * np.arange(max(0, bins) + 1), dtype=np.float64)


def rates_bps(counted_bytes: Counter, begin_s: float, end_s: float, bin_s: float) -> Floats:
    """Bits per second in each whole bin between two instants, from bytes."""
    means_bps: Floats = BITS_PER_BYTE * np.diff(counted_bytes.at(edges(begin_s, end_s, bin_s))) / bin_s
    return means_bps


def variation(rates: npt.ArrayLike) -> float | None:
    """Population standard deviation over mean; None of fewer than two values, or when nothing flowed."""
    values = np.asarray(rates, dtype=np.float64)
    return ratio(float(values.std()), float(values.mean())) if values.size > 1 else None


def summed_quantiles(rates_of_flows: Sequence[npt.ArrayLike], shares: Sequence[float]) -> list[float]:
    """Quantiles over time of each flow by itself, summed over the flows, as Claypool et al. make a group's quartiles.

    Wider than the quantiles of the sum wherever flows take turns.
    """
    return [
        float(sum(float(np.quantile(np.asarray(rates, dtype=np.float64), share)) for rates in rates_of_flows))
        for share in shares
    ]


def ratio_in_bins(part: Counter, total: Counter, begin_s: float, end_s: float, bin_s: float) -> Floats:
    """`part / total` of what was counted in each whole bin: dropped / sent; NaN in a bin without any of the total."""
    at = edges(begin_s, end_s, bin_s)
    counted, of = np.diff(part.at(at)), np.diff(total.at(at))
    ratios: Floats = np.full(counted.shape, np.nan)
    np.divide(counted, of, out=ratios, where=of > 0)
    return ratios


def least_rate_bps(counted_bytes: Counter, begin_s: float, end_s: float, bin_s: float) -> float | None:
    """The smallest rate of the whole bins between two instants: an incumbent's, when another flow has joined."""
    return min(map(float, rates_bps(counted_bytes, begin_s, end_s, bin_s)), default=None)
