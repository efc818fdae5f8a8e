"""Means of many sets of values at once, each with its interval: `statistics.estimate` for a hundred thousand points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from dumbbell.metrics.statistics import CONFIDENCE, t_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[np.float64]"
Integers: TypeAlias = "npt.NDArray[np.intp]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"

_ROUNDING: Final = 1e-9
"""So that equal sets have exactly the sum of their degrees."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """One mean a set; NaN of an empty one."""

    mean: Floats
    error: Floats
    """Standard error of the mean; NaN where there is one value, 0 where all are the same."""
    half_width: Floats
    """Of the 95 % interval by Student's t; NaN where there is one value or all are the same."""
    count: Integers
    """Values in the set."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The mean of sets' means."""

    mean: float
    half_width: float | None
    """None where nothing is known of variation."""
    degrees: int
    """Of freedom, behind the half-width; 0 without one."""
    within: bool
    """By the scatter of values within sets, or by their having none, not by the scatter of the sets' means."""


def estimates(values: Floats, owners: Integers, sets: int) -> Estimates:
    """The mean of each set of independent values and its interval; `owners` has the set of each value, 0 to `sets` - 1.

    What is NaN counts in no set.
    """
    known = ~np.isnan(values)
    values, owners = values[known], owners[known]
    count = np.bincount(owners, minlength=sets).astype(np.intp)
    least, most = np.full(sets, np.inf), np.full(sets, -np.inf)
    np.minimum.at(least, owners, values)
    np.maximum.at(most, owners, values)
    varied = least < most
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(varied, np.bincount(owners, values, sets) / count, least)
        mean[count == 0] = np.nan
        squares = np.bincount(owners, (values - mean[owners]) ** 2, sets)
        error = np.where(varied, np.sqrt(squares / (count - 1) / count), np.where(count > 1, 0.0, np.nan))
    half_width = np.where(varied, t_quantiles(count - 1) * error, np.nan)
    return Estimates(mean, error, half_width, count)


def whole(means: Floats, errors: Floats, counts: Integers) -> Whole:
    """The mean over sets, each counting the same; `errors` are standard errors of their means.

    The sets are taken as they are, not as drawn from others like them: what is by chance is the scatter within them
    (Satterthwaite, Biometrics Bulletin 2(6), 1946, for the degrees of freedom, rounded down). Where a set has one value
    only, or nothing varied in any of them, that tells nothing, and the sets' means are taken as independent values.
    """
    squares = errors**2
    if squares.any() and not np.isnan(squares).any():
        degrees = int(squares.sum() ** 2 / (squares**2 / np.maximum(counts - 1, 1)).sum() + _ROUNDING)
        half_width = t_quantile_of(degrees) * float(np.sqrt(squares.sum())) / means.size
        return Whole(float(means.mean()), half_width, degrees, within=True)
    found = estimates(means, np.zeros(means.size, np.intp), 1)
    half_width = float(found.half_width[0])
    if np.isnan(half_width):
        return Whole(float(found.mean[0]), None, 0, within=not squares.any())
    return Whole(float(found.mean[0]), half_width, means.size - 1, within=False)


def t_quantiles(degrees: Integers) -> Floats:
    """Student's t of each; NaN where there is none."""
    known, inverse = np.unique(degrees, return_inverse=True)
    found = [t_quantile_of(int(each)) if each > 0 else np.nan for each in known]
    return np.array(found, np.float64)[inverse]


@cache
def t_quantile_of(degrees: int, confidence: float = CONFIDENCE) -> float:
    """`t_quantile`, computed once for each number of degrees: it takes long where there are many."""
    return t_quantile(degrees, confidence)
