"""Means of independent values, and how far they can be trusted: 95 % intervals by Student's t."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[np.float64]"
Integers: TypeAlias = "npt.NDArray[np.intp]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"

CONFIDENCE: Final = 0.95
T_OF_DEGREES: Final = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934, 2.5705818356363146,
    2.4469118511449786, 2.364624251592784, 2.306004135204166, 2.262157162798205, 2.228138851986274,
    2.200985160091639, 2.1788128296672284, 2.1603686564627913, 2.144786687917804, 2.131449545559776,
    2.1199052992212546, 2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245, 2.0595385527532972,
    2.0555294386428735, 2.0518305164802846, 2.0484071417952454, 2.045229642132703, 2.0422724563012378,
)  # fmt: skip
"""`t_quantile` of 1, 2, … degrees of freedom: SciPy takes a quarter of a second to load."""
POWER: Final = 0.8
"""How probable it is that what is looked for shows, where so many values are taken as that needs."""
MOST_VALUES: Final = 10_000
"""Nobody takes more."""
_ROUNDING: Final = 1e-9
"""So that equal sets have exactly the sum of their degrees."""


class Estimate(NamedTuple):  # a table of many runs has a million
    """A mean with the half-width of its 95 % interval."""

    mean: float
    half_width: float | None
    """None where there is one value or all are the same: nothing varied, so nothing is known of variation."""
    n: int
    """How many values it rests on; 1 where all are the same."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """The means of many sets of values; NaN of an empty one."""

    mean: Floats
    error: Floats
    """Standard error of the mean; NaN where there is one value, 0 where all are the same."""
    half_width: Floats
    """Of the 95 % interval; NaN where there is one value or all are the same."""
    count: Integers
    """Values in the set."""


@dataclass(frozen=True, slots=True)
class PooledEstimate:
    """The mean of sets' means."""

    mean: float
    half_width: float | None
    """None where nothing is known of variation."""
    degrees: int
    """Of freedom, behind the half-width; 0 without one."""
    within: bool
    """The interval comes from the scatter within the sets, or from their having none; not from their means' scatter."""


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent values and its interval.

    Raises:
        ValueError: there is no value.
    """
    if not len(values):
        raise ValueError("a mean needs at least one value")
    if min(values) == max(values):  # as of one value, of which a large sweep has many
        return Estimate(float(values[0]), None, 1)
    interval = estimates(np.asarray(values, np.float64), np.zeros(len(values), np.intp), 1)
    half_width = float(interval.half_width[0])
    if np.isnan(half_width):
        return Estimate(float(interval.mean[0]), None, 1)
    return Estimate(fmean(values), half_width, len(values))  # whose sum is exact


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
        mean = np.where(varied, np.bincount(owners, values, sets) / count, np.where(count, least, np.nan))
        squares = np.bincount(owners, (values - mean[owners]) ** 2, sets)
        error = np.where(varied, np.sqrt(squares / (count - 1) / count), np.where(count > 1, 0.0, np.nan))
    return Estimates(mean, error, np.where(varied, t_quantiles(count - 1) * error, np.nan), count)


def three_alike(groups: Sequence[Floats]) -> float:
    """How probable it is that three sets' means are as far apart by chance: a one-way analysis of variance.

    The tail of F with 2 and d degrees of freedom is (1 + 2 F / d) ** (-d / 2), and needs no library; 0 where nothing
    varies within the sets.

    >>> round(three_alike([np.array([1.0, 2.0]), np.array([1.5, 2.5]), np.array([9.0, 10.0])]), 6)
    0.002482

    Raises:
        ValueError: there are not three sets, or none has two values.
    """
    every = np.concatenate(groups)
    degrees = every.size - len(groups)
    if len(groups) != 3 or not degrees:  # noqa: PLR2004
        raise ValueError("an analysis of variance of three sets needs three, and two values in one")
    within = sum(float(((each - each.mean()) ** 2).sum()) for each in groups)
    between = sum(each.size * float(each.mean() - every.mean()) ** 2 for each in groups)
    if not within:
        return 0.0 if between else 1.0
    ratio = (between / 2) / (within / degrees)
    return float((1 + 2 * ratio / degrees) ** (-degrees / 2))


def pooled(means: Floats, errors: Floats, counts: Integers) -> PooledEstimate:
    """The mean over sets, each counting the same; `errors` are standard errors of their means.

    The sets are taken as they are, not as drawn from others like them: what is by chance is the scatter within them
    (Satterthwaite, Biometrics Bulletin 2(6), 1946, for the degrees of freedom, rounded down). Where a set has one value
    only, or nothing varied in any of them, that tells nothing, and the sets' means are taken as independent values.
    """
    squares = errors**2
    if squares.any() and not np.isnan(squares).any():
        degrees = int(squares.sum() ** 2 / (squares**2 / np.maximum(counts - 1, 1)).sum() + _ROUNDING)
        half_width = t_quantile(degrees) * float(np.sqrt(squares.sum())) / means.size
        return PooledEstimate(float(means.mean()), half_width, degrees, within=True)
    between_sets = estimate(means.tolist())
    degrees = 0 if between_sets.half_width is None else means.size - 1
    return PooledEstimate(between_sets.mean, between_sets.half_width, degrees, within=not degrees and not squares.any())


def values_needed(pilot: Estimate, difference: float) -> int | None:
    """How many values have an interval that excludes 0, with probability `POWER`, where their mean is `difference`.

    `pilot` is by some of them, which tell the standard deviation by so few degrees of freedom only: the probability is
    averaged over what that may be. With s of the pilot and S of the values, (z + t) / (s / S) has the noncentral t
    distribution, and `difference` / s * sqrt(n) has to be above it (the idea is Stein's, Annals of Mathematical
    Statistics 16(3), 1945). None: more than `MOST_VALUES`, or the pilot tells nothing of variation.

    >>> values_needed(Estimate(0.041, 0.06, 3), 0.05), values_needed(Estimate(0.041, 0.06, 12), 0.05)
    (7, 35)
    """
    from scipy.special import nctdtr  # noqa: PLC0415 (late: it takes long to load)

    if pilot.half_width is None:
        return None
    deviation = pilot.half_width / t_quantile(pilot.n - 1) * math.sqrt(pilot.n)

    def shows(count: int) -> bool:
        return bool(nctdtr(pilot.n - 1, t_quantile(count - 1), math.sqrt(count) * difference / deviation) >= POWER)

    needed = bisect_left(range(MOST_VALUES + 1), True, lo=2, key=shows)  # noqa: FBT003 (from there on it does)
    return needed if needed <= MOST_VALUES else None


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """The t that `confidence` of Student's distribution lies within, on both sides together."""
    if confidence == CONFIDENCE and 0 < degrees <= len(T_OF_DEGREES):
        return T_OF_DEGREES[degrees - 1]
    from scipy.special import stdtrit  # noqa: PLC0415 (late: it takes long to load)

    return float(stdtrit(degrees, (1 + confidence) / 2))


def t_quantiles(degrees: Integers) -> Floats:
    """`t_quantile` of each; NaN where there is no degree."""
    known, inverse = np.unique(degrees, return_inverse=True)
    return np.array([t_quantile(int(each)) if each > 0 else np.nan for each in known], np.float64)[inverse]
