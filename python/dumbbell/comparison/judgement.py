"""From pairs to differences: at each point over its seeds, and over all points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.comparison.pairing import paired
from dumbbell.comparison.side import OF_GROUP, OF_RUN
from dumbbell.metrics.grouped import estimates, t_quantile_of, whole
from dumbbell.metrics.statistics import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.comparison.pairing import Pairing
    from dumbbell.comparison.quantity import Quantity
    from dumbbell.comparison.selection import Selection
    from dumbbell.comparison.side import Place
    from dumbbell.metrics.grouped import Bools, Floats, Integers


HIGHER, LOWER, SAME, UNDECIDED = "higher", "lower", "same", "undecided"
"""Of B against A: the interval of the difference is above 0, below it, or neither; same: no pair differs at all.

Where several pairs differ by the same, which is not 0, nothing is left to chance: B is higher or lower.
"""
_SIGNS: Final = {1: HIGHER, -1: LOWER, 0: UNDECIDED, 2: SAME}


@dataclass(frozen=True, slots=True)
class Difference:
    """B - A with the half-width of its 95 % interval, in the summary's unit; relative: as shares of A's mean."""

    value: float
    half_width: float | None
    """None: one value, or nothing varied."""
    relative: float | None
    """None: A's mean is 0."""
    relative_half_width: float | None
    outcome: str
    """One of the four words above."""

    @property
    def marked(self) -> bool:
        """It has an interval, which excludes 0."""
        return self.half_width is not None and self.outcome in (HIGHER, LOWER)


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity at one point."""

    quantity: Quantity
    group: str | None
    """Whose; None of what belongs to the path."""
    point: int
    pairs: int
    a: float
    """Mean over the seeds that both have, in the summary's unit."""
    b: float
    """Likewise."""
    difference: Difference

    @property
    def verdict(self) -> str:
        """In words."""
        return verdict(self.quantity, self.difference.outcome)


@dataclass(frozen=True, slots=True)
class Overall:
    """One quantity over all points, each of which counts the same."""

    quantity: Quantity
    group: str | None
    points: int
    a: float
    """Mean over the points, in the summary's unit."""
    b: float
    """Likewise."""
    difference: Difference
    higher: int
    """Points where B is higher beyond chance."""
    lower: int
    same: int
    undecided: int
    degrees: int
    """Of freedom of the interval."""
    by_seeds: bool
    """The interval is by the scatter over seeds at these points; otherwise, where a point has one pair or the seeds
    change nothing anywhere, by that over points."""

    @property
    def verdict(self) -> str:
        """In words."""
        return verdict(self.quantity, self.difference.outcome)

    def worse(self, rows: int) -> bool:
        """Whether B is worse, by an interval so wide that chance alone gives one such row of so many in 5 %.

        Without an interval nothing of what differs is by chance.
        """
        found = self.difference
        if self.verdict != "worse" or found.half_width is None:
            return self.verdict == "worse"
        wider = t_quantile_of(self.degrees, 1 - (1 - CONFIDENCE) / rows) / t_quantile_of(self.degrees)
        return abs(found.value) > found.half_width * wider


def verdict(quantity: Quantity, outcome: str) -> str:
    """Better or worse, where one can say so."""
    if outcome not in (HIGHER, LOWER) or quantity.better is None:
        return outcome
    return "better" if outcome == quantity.better else "worse"


@dataclass(frozen=True)
class Column:
    """One quantity, at every point, in the summary's unit; NaN where it does not exist."""

    quantity: Quantity
    group: str | None
    pairs: Integers
    """How many each point has."""
    a: Floats
    """Mean over the seeds that both have."""
    b: Floats
    """Likewise."""
    difference: Floats
    """Mean of B - A."""
    error: Floats
    """Standard error of the difference; 0 where several pairs differ by the same, NaN of one pair."""
    half_width: Floats
    """Of the difference's 95 % interval; NaN where there is none."""

    @cached_property
    def sign(self) -> Integers:
        """1: higher, -1: lower, 2: same, 0: undecided."""
        beyond = (np.abs(self.difference) > self.half_width) | (self.error == 0)  # never of NaN
        same = (self.difference == 0) & np.isnan(self.half_width)
        return np.where(same, 2, np.where(beyond, np.sign(self.difference), 0)).astype(np.intp)

    @property
    def there(self) -> Integers:
        """The points that have it."""
        return np.flatnonzero(self.pairs)

    def at(self, point: int) -> Row:
        """The row of one point."""
        a, value, half = (float(column[point]) for column in (self.a, self.difference, self.half_width))
        half_width = None if math.isnan(half) else half
        found = Difference(
            value,
            half_width,
            value / abs(a) if a else None,
            half_width / abs(a) if a and half_width is not None else None,
            _SIGNS[int(self.sign[point])],
        )
        return Row(self.quantity, self.group, point, int(self.pairs[point]), a, float(self.b[point]), found)

    @property
    def marked(self) -> Bools:
        """The interval excludes 0."""
        found: Bools = (np.abs(self.sign) == 1) & ~np.isnan(self.half_width)
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything."""

    pairing: Pairing
    points: Sequence[Place]
    """Those of A that have a pair."""
    columns: Sequence[Column]
    overall: Sequence[Overall]

    def rows(self, *, marked: bool = False) -> Iterator[Row]:
        """Point by point; with `marked` those only whose interval excludes 0."""
        wanted = np.array([each.marked if marked else each.pairs > 0 for each in self.columns])
        for point, column in np.argwhere(wanted.T):
            yield self.columns[column].at(int(point))

    @property
    def count(self) -> int:
        """Rows of all points."""
        return sum(each.there.size for each in self.columns)

    @property
    def marked(self) -> int:
        """Rows whose interval excludes 0."""
        return sum(int(each.marked.sum()) for each in self.columns)

    @property
    def intervals(self) -> int:
        """Rows that have one."""
        return sum(int((~np.isnan(each.half_width)).sum()) for each in self.columns)

    @property
    def by_chance(self) -> float:
        """Rows that would be marked if nothing differed."""
        return (1 - CONFIDENCE) * self.intervals

    @property
    def worse(self) -> list[Overall]:
        """Quantities in which B is worse over all points, at 5 % for all of them together (Bonferroni)."""
        rows = sum(each.difference.half_width is not None for each in self.overall)
        return [each for each in self.overall if each.worse(rows)]


def compare(first: Selection, second: Selection, quantities: Sequence[Quantity]) -> Comparison:
    """Both sides, held against one another: B - A.

    Raises:
        ComparisonError: there is no pair, or no run of a side.
        StoreError: a store cannot be read.
    """
    pairing = paired(first, second)
    places, owners = np.unique(np.array(pairing.a.place)[pairing.of_a], return_inverse=True)
    columns = [
        each for each in _columns(pairing, owners, places.size, quantities) if each.there.size
    ]  # fmt: skip
    return Comparison(
        pairing=pairing,
        points=[pairing.a.places[place] for place in places],
        columns=columns,
        overall=[_overall(each) for each in columns],
    )


def _columns(pairing: Pairing, owners: Integers, points: int, quantities: Sequence[Quantity]) -> Iterator[Column]:
    of_a, of_b = pairing.of_a, pairing.of_b
    members = list(_members(pairing))
    for quantity in quantities:
        if quantity.of == "run":
            index = OF_RUN.index(quantity)
            yield _column(quantity, None, pairing.a.of_run[of_a, index], pairing.b.of_run[of_b, index], owners, points)
            continue
        index = OF_GROUP.index(quantity)
        for name, pairs, positions in members:
            yield _column(
                quantity, name,
                pairing.a.of_group[of_a[pairs], positions, index], pairing.b.of_group[of_b[pairs], positions, index],
                owners[pairs], points,
            )  # fmt: skip


def _members(pairing: Pairing) -> Iterator[tuple[str, Integers, Integers]]:
    """Each group with the pairs that have it, and where in them it is."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    named: dict[tuple[object, ...], list[str]] = {}
    a, b = pairing.a, pairing.b
    for pair, (ours, theirs) in enumerate(zip(pairing.of_a.tolist(), pairing.of_b.tolist(), strict=True)):
        key = (a.groups[ours], b.groups[theirs], a.at(ours).exchanged)
        if key not in named:
            named[key] = _names(*key)
        for position, name in enumerate(named[key]):
            pairs, positions = found.setdefault(name, ([], []))
            pairs.append(pair)
            positions.append(position)
    for name, (pairs, positions) in found.items():
        yield name, np.array(pairs, np.intp), np.array(positions, np.intp)


def _names(ours: tuple[str, ...], theirs: tuple[str, ...], exchanged: tuple[int, ...]) -> list[str]:
    """A group's name; both, where its algorithm is what is compared and named it."""
    return [
        f"{mine} → {other}" if position in exchanged and mine != other else mine
        for position, (mine, other) in enumerate(zip(ours, theirs, strict=True))
    ]


def _column(  # noqa: PLR0913, PLR0917 (both sides, and where they belong)
    quantity: Quantity, group: str | None, a: Floats, b: Floats, owners: Integers, points: int
) -> Column:
    a, b = np.where(np.isnan(b), np.nan, a), np.where(np.isnan(a), np.nan, b)
    found = estimates(b - a, owners, points)
    return Column(
        quantity, group, found.count, estimates(a, owners, points).mean, estimates(b, owners, points).mean,
        found.mean, found.error, found.half_width,
    )  # fmt: skip


def _overall(column: Column) -> Overall:
    there = column.there
    signs = column.sign[there]
    higher, lower, same, undecided = (int((signs == sign).sum()) for sign in (1, -1, 2, 0))
    a, differences, errors, pairs = column.a[there], column.difference[there], column.error[there], column.pairs[there]
    found = whole(differences, errors, pairs)
    decided = (errors == 0).all() if found.half_width is None else abs(found.mean) > found.half_width
    if decided and found.mean:
        outcome = HIGHER if found.mean > 0 else LOWER
    else:
        outcome = UNDECIDED if differences.any() else SAME
    known = np.flatnonzero(a)
    size = np.abs(a[known])
    shares = whole(differences[known] / size, errors[known] / size, pairs[known]) if known.size else None
    relative, its_half_width = (shares.mean, shares.half_width) if shares else (None, None)
    return Overall(
        column.quantity, column.group, there.size, float(a.mean()), float(column.b[there].mean()),
        Difference(found.mean, found.half_width, relative, its_half_width, outcome), higher, lower, same, undecided,
        found.degrees, by_seeds=found.within,
    )  # fmt: skip
