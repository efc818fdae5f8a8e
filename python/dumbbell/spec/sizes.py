"""How large short transfers are: the distributions by their parameters, in bytes. `crates/draw` has their formulas."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from dumbbell.spec.chance import drawn


@dataclass(frozen=True, slots=True)
class Fixed:
    """All alike."""

    bytes: int

    def words(self) -> dict[str, Any]:
        """As a request has it."""
        return {"fixed": self.bytes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lognormal:
    """The logarithm is normally distributed, with standard deviation `sigma`; by its mean or its median."""

    sigma: float
    mean: int | None = None
    median: int | None = None

    def words(self) -> dict[str, Any]:
        """As a request has it."""
        return {"lognormal": {"sigma": self.sigma} | _known(mean=self.mean, median=self.median)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pareto:
    """P(size > x) = (minimum / x) ** shape; with a maximum the part below it, by itself (bounded Pareto).

    By its minimum or its mean, which must lie below the maximum; without a maximum the shape is above 1.
    """

    shape: float
    mean: int | None = None
    minimum: int | None = None
    maximum: int | None = None

    def words(self) -> dict[str, Any]:
        """As a request has it."""
        known = _known(mean=self.mean, minimum=self.minimum, maximum=self.maximum)
        return {"pareto": {"shape": self.shape} | known}


@dataclass(frozen=True, slots=True)
class Cdf:
    """As measured: sizes, and the share that is no larger than each. Between two of them all sizes are as likely."""

    points: tuple[tuple[int, float], ...]
    """In order; the last share is 1. The first share is that of transfers of just that size."""

    def words(self) -> dict[str, Any]:
        """As a request has it."""
        return {"cdf": self.points}


Sizes: TypeAlias = Fixed | Lognormal | Pareto | Cdf


def mean_bytes(sizes: Sizes) -> float:
    """Give the mean of a distribution; infinite where it has none.

    >>> mean_bytes(Pareto(mean=100_000, shape=2.5)), mean_bytes(Pareto(minimum=1000, shape=1))
    (100000.0, inf)
    """
    mean: float | None = drawn("mean_bytes", sizes.words())
    return inf if mean is None else mean


def _known(**parameters: int | None) -> dict[str, int]:
    return {name: value for name, value in parameters.items() if value is not None}
