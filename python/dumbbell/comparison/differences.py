"""From pairs to differences: at each point over its seeds, and over all points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dumbbell.comparison.pairs import Pairs, pair
from dumbbell.comparison.selection import SelectedPoint, Selection
from dumbbell.metrics.catalogue import Quantity
from dumbbell.metrics.contrast import beyond_chance, verdict
from dumbbell.metrics.number import NOTHING, counted, rounded
from dumbbell.metrics.statistics import (
    CONFIDENCE,
    Bools,
    Floats,
    Integers,
    PooledEstimate,
    estimates,
    pooled,
    t_quantile,
    t_quantiles,
)

if TYPE_CHECKING:
    import pandas as pd

ARROW: Final = " → "
"""Between the names of a group in A and in B, where they differ."""
HIGHER, LOWER, SAME, UNDECIDED, INCOMPLETE = "higher", "lower", "same", "undecided", "not complete"
"""Of B against A: the interval of the difference is above 0, below it, or neither; same: no pair differs at all; not
complete: there is no difference, as a run has none of a quantity that needs all.

Where several pairs differ by the same, which is not 0, nothing is left to chance: B is higher or lower.
"""
SCHEMA_VERSION: Final = 1
"""Of the objects that `--json` prints; `docs/results-format.md` explains their keys."""
_NUMBERS: Final = ("a", "b", "difference", "half_width", "relative", "relative_half_width")
_SIGNS: Final = {1: HIGHER, -1: LOWER, 2: SAME, 0: UNDECIDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """B - A in one quantity over pairs of runs with its 95 % interval, in the summary's unit."""

    quantity: Quantity
    group: str | None
    """Whose; None of what belongs to the path."""
    point: int = 0
    count: int
    """Pairs of the point; over all points those that have a difference."""
    a: float
    """Mean over the seeds that both have, or over the points, each of which counts the same; NaN where a run lacks
    what needs all."""
    b: float
    difference: float
    """NaN where a run lacks a quantity that needs all."""
    half_width: float | None
    """None: one value, or nothing varied."""
    relative: float | None
    """B's mean over A's, less 1; None: A's mean is 0, or no more than what rounding leaves."""
    relative_half_width: float | None
    """None: as of `half_width`, or A's own interval includes 0, and then there is no largest ratio."""
    outcome: str
    """One of the words above."""
    runs: int
    """Of each side, with a partner on the other."""
    runs_a: int
    """Those of A that have the quantity."""
    runs_b: int

    @property
    def verdict(self) -> str:
        return verdict(self.outcome, self.quantity.better)

    @property
    def not_complete(self) -> str:
        """In how many runs of each side, in words."""
        lacking = {"A": self.runs - self.runs_a, "B": self.runs - self.runs_b}
        return "not complete in " + " and ".join(
            f"{count} of {counted(self.runs, 'run')} of {name}" for name, count in lacking.items() if count
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall(PairedDifference):
    """The same over all points."""

    higher: int
    """Points where B is higher beyond chance."""
    lower: int
    same: int
    undecided: int
    incomplete: int
    """Points apart from these, where a run lacks what needs all."""
    degrees: int
    """Of freedom of the interval."""
    by_seeds: bool
    """The interval is by the scatter over seeds at these points; otherwise, where a point has one pair or the seeds
    change nothing anywhere, by that over points."""

    @property
    def only_a_complete(self) -> bool:
        """All runs of A have what needs all, and not all of B."""
        return self.incomplete > 0 and self.runs_a == self.runs

    def worse(self, rows: int) -> bool:
        """Whether B is worse, by an interval so wide that chance alone gives one such row of so many in 5 %.

        Without an interval nothing of what differs is by chance. B is worse too where only A is complete.
        """
        if self.only_a_complete:
            return True
        if self.verdict != "worse" or self.half_width is None:
            return self.verdict == "worse"
        wider = t_quantile(self.degrees, 1 - (1 - CONFIDENCE) / rows) / t_quantile(self.degrees)
        return abs(self.difference) > self.half_width * wider


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
    difference: Floats
    """Mean of B - A."""
    error: Floats
    """Standard error of the difference; 0 where several pairs differ by the same, NaN of one pair."""
    half_width: Floats
    """Of the difference's 95 % interval; NaN where there is none."""
    errors: tuple[Floats, Floats]
    """Standard errors of A's mean and of B's."""
    runs: Integers
    """How many each point has of each side, whether they have the quantity or not."""
    known: tuple[Integers, Integers]
    """Those of A, and of B, that have it."""

    def of_one_run(self, sides: int) -> Column:
        """The same with intervals within which one more run would be, as a capture is of one, whatever the seeds.

        Its own scatter is taken to be that of the other side's runs: a prediction interval, sqrt(n + 1) times as wide
        as that of their mean. Where both sides are captures nothing tells the scatter.
        """
        wider = np.sqrt(self.pairs + 1.0) if sides == 1 else np.full(self.pairs.size, np.nan)
        a, b = self.errors
        return replace(
            self, error=wider * self.error, half_width=wider * self.half_width, errors=(wider * a, wider * b)
        )

    @cached_property
    def relative(self) -> Floats:
        """The difference as a share of A's mean; NaN where there is none."""
        return np.divide(self.difference, _positive(self.a))

    @cached_property
    def relative_half_width(self) -> Floats:
        """Of its 95 % interval by the delta method; NaN where there is none, or where it would deny `sign`."""
        size, t = _positive(self.a), t_quantiles(self.pairs - 1)
        half = t * self.ratio_error(1 + self.relative) / size
        agrees = (np.abs(self.relative) > half) == (np.abs(self.sign) == 1)
        return np.where((half > 0) & (t * self.errors[0] < size) & agrees, half, np.nan)

    def ratio_error(self, ratio: Floats | float) -> Floats:
        """Standard error of the mean of B - `ratio` x A, over the same pairs."""
        of_a, of_b = (error**2 for error in self.errors)
        standard_error: Floats = np.sqrt(np.maximum(0.0, (1 - ratio) * (of_b - ratio * of_a) + ratio * self.error**2))
        return standard_error

    @cached_property
    def sign(self) -> Integers:
        """1: higher, -1: lower, 2: same, 0: undecided."""
        beyond = (np.abs(self.difference) > self.half_width) | (self.error == 0)  # never of NaN
        same = (self.difference == 0) & np.isnan(self.half_width)
        return np.where(same, 2, np.where(beyond, np.sign(self.difference), 0)).astype(np.intp)

    @property
    def there(self) -> Integers:
        """The points that have a difference."""
        return np.flatnonzero(self.pairs)

    @property
    def incomplete(self) -> Bools:
        """The points without one, as a run lacks what needs all."""
        return _incomplete(self.quantity, self.runs, self.known)

    @property
    def shown(self) -> Bools:
        """The points that have a row."""
        mask: Bools = (self.pairs > 0) | self.incomplete
        return mask

    @property
    def marked(self) -> Bools:
        """The points with an interval that excludes 0."""
        mask: Bools = (np.abs(self.sign) == 1) & ~np.isnan(self.half_width)
        return mask

    def at(self, point: int) -> PairedDifference:
        half_width, relative, relative_half_width = (
            None if math.isnan(values[point]) else float(values[point])
            for values in (self.half_width, self.relative, self.relative_half_width)
        )
        return PairedDifference(
            quantity=self.quantity, group=self.group, point=point, count=int(self.pairs[point]),
            a=float(self.a[point]), b=float(self.b[point]), difference=float(self.difference[point]),
            half_width=half_width, relative=relative, relative_half_width=relative_half_width,
            outcome=INCOMPLETE if self.incomplete[point] else _SIGNS[int(self.sign[point])],
            runs=int(self.runs[point]), runs_a=int(self.known[0][point]), runs_b=int(self.known[1][point]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    pairs: Pairs
    points: Sequence[SelectedPoint]
    """Those of A that have a pair."""
    columns: Sequence[Column]
    overall: Sequence[Overall]
    absent: Sequence[Quantity]
    """Asked for by name, and no pair has them."""

    def rows(self, *, marked: bool = False) -> Iterator[PairedDifference]:
        """Point by point; with `marked` those only whose interval excludes 0."""
        wanted = np.array([each.marked if marked else each.shown for each in self.columns])
        for point, column in np.argwhere(wanted.T):
            yield self.columns[column].at(int(point))

    @property
    def count(self) -> int:
        return sum(int(each.shown.sum()) for each in self.columns)

    @property
    def incomplete(self) -> int:
        """Rows without a difference."""
        return sum(int(each.incomplete.sum()) for each in self.columns)

    @property
    def marked(self) -> int:
        """Rows whose interval excludes 0."""
        return sum(int(each.marked.sum()) for each in self.columns)

    @property
    def intervals(self) -> int:
        return sum(int((~np.isnan(each.half_width)).sum()) for each in self.columns)

    @property
    def worse(self) -> list[Overall]:
        """Quantities in which B is worse over all points, at 5 % for all of them together (Bonferroni)."""
        rows = sum(each.half_width is not None for each in self.overall)
        return [each for each in self.overall if each.worse(rows)]


def compare(first: Selection, second: Selection, quantities: Sequence[Quantity], *, named: bool = False) -> Comparison:
    """The differences B - A of two selections; `named`: the quantities were asked for by their names.

    Raises:
        ComparisonError: there is no pair, or no run of a side.
        StoreError: a store cannot be read.
    """
    pairs = pair(first, second)
    points, owners = np.unique(pairs.table["point"], return_inverse=True)
    columns = [each for each in _columns(pairs, owners, points.size, quantities) if each.shown.any()]
    captured = pairs.captured
    columns = [each.of_one_run(len(captured)) for each in columns] if captured else columns
    present = {each.quantity.name for each in columns}
    return Comparison(
        pairs=pairs,
        points=[pairs.a.points[point] for point in points],
        columns=columns,
        overall=[overall(each) for each in columns],
        absent=[each for each in quantities if named and each.name not in present],
    )


def _columns(pairs: Pairs, owners: Integers, points: int, quantities: Sequence[Quantity]) -> Iterator[Column]:
    table = pairs.table.assign(owner=owners)
    groups = _group_pairs(pairs, table)
    for quantity in quantities:
        if quantity.of == "run":
            a, b = (
                side.runs[quantity.name].to_numpy(np.float64)[table[run]]
                for side, run in ((pairs.a, "run_a"), (pairs.b, "run_b"))
            )
            yield column(quantity, None, a, b, owners, points)
        elif not _is_unmeasured(pairs, quantity):
            for name, own in groups:
                a, b = (own[f"{quantity.name}_{side}"].to_numpy(np.float64) for side in ("a", "b"))
                yield column(quantity, name, a, b, own["owner"].to_numpy(), points)


def _is_unmeasured(pairs: Pairs, quantity: Quantity) -> bool:
    """Whether a side has nothing of it for another reason than that its runs took too long: nobody measured it."""
    differ = quantity.harm_in is not None or pairs.a.origins("metrics") != pairs.b.origins("metrics")
    return differ and any(side.groups[quantity.name].isna().all() for side in (pairs.a, pairs.b))


def _group_pairs(pairs: Pairs, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The groups of all pairs by what they are called, in the order of appearance."""
    of_a, of_b = (side.groups.rename(columns={"run": run}) for side, run in ((pairs.a, "run_a"), (pairs.b, "run_b")))
    both = table.merge(of_a, on="run_a").merge(of_b, on=["run_b", "position"], suffixes=("_a", "_b"))
    exchanged = both["run_a"].map(pairs.a.runs["groups"].map(pairs.exchanged))
    both["name"] = [
        f"{a}{ARROW}{b}" if position in positions and a != b else a
        for a, b, position, positions in zip(both["name_a"], both["name_b"], both["position"], exchanged, strict=True)
    ]
    return [(str(name), own) for name, own in both.groupby("name", sort=False)]


def column(  # noqa: PLR0913, PLR0917 (both sides, and where they belong)
    quantity: Quantity, group: str | None, a: Floats, b: Floats, owners: Integers, points: int
) -> Column:
    """The differences between values of pairs, whose points `owners` has; NaN of a pair that has none."""
    runs = np.bincount(owners, minlength=points).astype(np.intp)
    known_a, known_b = (np.bincount(owners[~np.isnan(side)], minlength=points).astype(np.intp) for side in (a, b))
    incomplete = _incomplete(quantity, runs, (known_a, known_b))
    differences = np.where(incomplete[owners], np.nan, b - a)
    of_a, of_b = (  # where the other side is not complete, the mean of the one that is
        estimates(
            np.where(np.isnan(differences) & ~(incomplete & (known == runs))[owners], np.nan, side), owners, points
        )
        for side, known in ((a, known_a), (b, known_b))
    )
    of_difference = estimates(differences, owners, points)
    return Column(
        quantity, group, of_difference.count, of_a.mean, of_b.mean, of_difference.mean, of_difference.error,
        of_difference.half_width, (of_a.error, of_b.error), runs, (known_a, known_b),
    )  # fmt: skip


def _incomplete(quantity: Quantity, runs: Integers, known: tuple[Integers, Integers]) -> Bools:
    """The points where some runs have a quantity that needs all, and others lack it."""
    mask: Bools = (np.minimum(*known) < runs) & (np.maximum(*known) > 0) & quantity.needs_all
    return mask


def overall(column: Column) -> Overall:
    """A quantity over all points that have it."""
    there, shown = column.there, column.shown
    estimate, outcome = PooledEstimate(math.nan, None, 0, within=False), INCOMPLETE
    relative: tuple[float | None, float | None] = (None, None)
    if there.size:
        differences, errors = column.difference[there], column.error[there]
        estimate = pooled(differences, errors, column.pairs[there])
        outcome = UNDECIDED if differences.any() else SAME
        without_chance = estimate.half_width is not None or bool((errors == 0).all())
        if without_chance and beyond_chance(estimate.mean, estimate.half_width):
            outcome = HIGHER if estimate.mean > 0 else LOWER
        relative = _relative(column, estimate.mean, outcome)
    a, b = (float(side[there if there.size else shown].mean()) for side in (column.a, column.b))
    runs, runs_a, runs_b = (int(each[shown].sum()) for each in (column.runs, *column.known))
    return Overall(
        quantity=column.quantity, group=column.group, count=there.size, a=a, b=b, difference=estimate.mean,
        half_width=estimate.half_width, relative=relative[0], relative_half_width=relative[1], outcome=outcome,
        runs=runs, runs_a=runs_a, runs_b=runs_b, incomplete=int(column.incomplete.sum()), degrees=estimate.degrees,
        by_seeds=estimate.within,
        **{word: int((column.sign[there] == sign).sum()) for sign, word in _SIGNS.items()},
    )  # fmt: skip


def _relative(column: Column, difference: float, outcome: str) -> tuple[float | None, float | None]:
    """A mean difference as a share of A's mean over all points, and the half-width of its interval.

    An interval that would deny the outcome of the difference itself is none.
    """
    there = column.there
    a, b, pairs = column.a[there], column.b[there], column.pairs[there]
    size = abs(float(a.mean()))
    if size < NOTHING:
        return None, None
    relative = difference / size
    rest = pooled(b - (1 + relative) * a, column.ratio_error(1 + relative)[there], pairs)
    of_a = pooled(a, column.errors[0][there], pairs)
    if not rest.half_width or (of_a.half_width or 0.0) >= size:
        return relative, None
    half_width = rest.half_width / size
    agrees = (abs(relative) > half_width) == (outcome in {HIGHER, LOWER})
    return relative, half_width if agrees else None


def _positive(means: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    return np.where(np.abs(means) < NOTHING, np.nan, np.abs(means))


def objects(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """As `compare --json` prints it: what is not paired, every quantity over all points, and each at every point."""
    for each in comparison.pairs.unpaired:
        yield {"schema": SCHEMA_VERSION, "row": "unpaired", **asdict(each)}
    for total in comparison.overall:
        counts = {key: getattr(total, key) for key in (HIGHER, LOWER, SAME, UNDECIDED, "incomplete", "by_seeds")}
        yield {"schema": SCHEMA_VERSION, "row": "overall", **_object(total, "points", counts)}
    for row in comparison.rows():
        place = comparison.points[row.point]
        yield {
            "schema": SCHEMA_VERSION, "row": "point", "experiment": place.experiment, "engine": place.engine,
            "point": place.swept, **_object(row, "pairs", {}),
        }  # fmt: skip


def _object(row: PairedDifference, count: str, more: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: getattr(row, name) for name in _NUMBERS}
    return {
        "metric": row.quantity.name, "group": row.group, count: row.count,
        **{name: None if each is None or math.isnan(each) else rounded(each) for name, each in numbers.items()},
        "outcome": row.outcome, "better": row.quantity.better, **more,
        "runs": row.runs, "runs_a": row.runs_a, "runs_b": row.runs_b,
    }  # fmt: skip
