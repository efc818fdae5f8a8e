"""How large short transfers are: distributions, each with its mean and its inverse."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, log
from statistics import NormalDist
from typing import Protocol

_NORMAL = NormalDist()
_HALVINGS = 200
"""Of an interval of logarithms of sizes: far more than its digits need."""


class Sizes(Protocol):
    """A distribution of sizes."""

    @property
    def mean_bytes(self) -> float:
        """Its mean; infinite where it has none."""
        ...

    def at(self, share: float) -> float:
        """Give the size, in bytes, that this share of transfers is no larger than; 0 < share < 1."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """All alike."""

    bytes: int

    @property
    def mean_bytes(self) -> float:
        """The size itself."""
        return self.bytes

    def at(self, share: float) -> float:  # noqa: ARG002 (whatever it is)
        """Give the size itself."""
        return self.bytes


@dataclass(frozen=True, slots=True)
class Lognormal:
    """The logarithm is normally distributed, with standard deviation `sigma`."""

    median_bytes: float
    sigma: float

    @classmethod
    def of_mean(cls, mean_bytes: float, sigma: float) -> Lognormal:
        """Give the one with this mean."""
        return cls(mean_bytes * exp(-(sigma**2) / 2), sigma)

    @property
    def mean_bytes(self) -> float:
        """The median times exp(sigma^2 / 2)."""
        return self.median_bytes * exp(self.sigma**2 / 2)

    def at(self, share: float) -> float:
        """Invert the normal distribution."""
        return self.median_bytes * exp(self.sigma * _NORMAL.inv_cdf(share))


@dataclass(frozen=True, slots=True)
class Pareto:
    """P(size > x) = (minimum / x) ** shape; with a maximum the part below it, by itself (bounded Pareto)."""

    minimum_bytes: float
    shape: float
    maximum_bytes: float = inf

    @classmethod
    def of_mean(cls, mean_bytes: float, shape: float, maximum_bytes: float = inf) -> Pareto:
        """Give the one with this mean, which must lie below the maximum; without a maximum the shape is above 1."""
        if maximum_bytes == inf:
            return cls(mean_bytes * (shape - 1) / shape, shape)
        low, high = log(mean_bytes) - 100, log(mean_bytes)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if cls(exp(middle), shape, maximum_bytes).mean_bytes < mean_bytes:
                low = middle
            else:
                high = middle
        return cls(exp(low), shape, maximum_bytes)

    @property
    def mean_bytes(self) -> float:
        """By integration; of a shape of 1 or less infinite without a maximum."""
        least, shape = self.minimum_bytes, self.shape
        if self.maximum_bytes == inf:
            return least * shape / (shape - 1) if shape > 1 else inf
        ratio = self.maximum_bytes / least
        below: float = 1 - ratio**-shape
        if shape == 1:
            return least * log(ratio) / below
        above: float = 1 - ratio ** (1 - shape)
        return least * shape / (shape - 1) * above / below

    def at(self, share: float) -> float:
        """Invert the distribution."""
        within: float = 1 - (self.minimum_bytes / self.maximum_bytes) ** self.shape
        times: float = (1 - share * within) ** (-1 / self.shape)
        return self.minimum_bytes * times


@dataclass(frozen=True, slots=True)
class Cdf:
    """As measured: sizes, and the share that is no larger than each. Between two of them all sizes are as likely."""

    points: tuple[tuple[int, float], ...]
    """In order; the last share is 1. The first share is that of transfers of just that size."""

    @property
    def mean_bytes(self) -> float:
        """The sum over the pieces."""
        first, share = self.points[0]
        pieces = ((b - a) * (y + x) / 2 for (x, a), (y, b) in pairwise(self.points))
        return first * share + sum(pieces)

    def at(self, share: float) -> float:
        """Interpolate."""
        index = bisect_left(self.points, share, key=lambda point: point[1])
        size, upper = self.points[index]
        if not index:
            return size
        before, lower = self.points[index - 1]
        return before + (size - before) * (share - lower) / (upper - lower)
