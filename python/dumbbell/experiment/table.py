"""The table of an experiment: a row a point and group of flows, or one a run and group, with columns by name.

A column is a quantity of the catalogue, a swept field, or one of `FACTS`. Terminal, page and Python show this table;
what it looks like is theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from dumbbell.errors import DumbbellError
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES, Quantity
from dumbbell.metrics.statistics import Estimate, estimates
from dumbbell.problem import quoted, suggestion
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec.point_text import swept_text
from dumbbell.spec.quantity import number_and_unit

FACTS: Final = ("group", "cc", "flows", "seed", "n")
"""Columns of what a row is, beside what was measured."""
FAIR_SHARE: Final = replace(QUANTITIES["share"], name="fair_share", label="fair share", short="fair")
"""A group's share if all flows had the same: what is fair is known, not measured."""
USUAL: Final = (
    "fct", "fct_p50", "fct_p95", "page_load", "page_load_p95", "goodput", "share", "fair_share", "harm", "late_p95",
    "stalled", "rtt", "pings_lost", "datagrams_lost", "delay", "late_frames", "frame_delay_p95", "loss", "random_loss",
    "retransmits", "jain", "harm_rtt", "harm_fct", "utilization", "rtt_p95", "queue", "total_goodput", "power",
    "starved", "convergence", "queueing_delay",
)  # fmt: skip
"""What a reader asks for, the first things first; the rest of the catalogue is for those who name it."""
TROUBLES: Final = ("stalled", "starved", "pings_lost", "datagrams_lost")
"""Among them, what is told only where there is any."""
PERCENTILES: Final = ("fct_p50", "fct_p95")
"""Of the usual columns those that say nothing new of a group with one transfer."""
DESCENDING: Final = "-"
"""Before the name of a column to sort by."""


class ColumnError(DumbbellError):
    """A column that no table has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A group of flows at a point of the sweep, or, of one seed, in a run."""

    point: MeasuredPoint
    group: str
    """Its name; empty of a point where every run failed."""
    seed: int | None
    """None: over all seeds."""
    estimates: Mapping[str, Estimate]
    """In base units by name of the quantity: those of the group, and those of the path, which all its groups share.

    What the runs have not is not there. Where nothing varied over the seeds n is 1.
    """
    n: int
    """How many values the row's means rest on: the seeds that were measured, or 1 where they are all alike."""

    @classmethod
    def of(cls, point: MeasuredPoint, group: str, seed: int | None, estimates: Mapping[str, Estimate]) -> Row:
        """A row with what is fair, where something says what that is."""
        there = len(point.run_ids) if seed is None else 1
        n = max((each.n for each in estimates.values()), default=there)
        fair = {FAIR_SHARE.name: Estimate(point.fair_shares[group], None, n)} if group in point.fair_shares else {}
        return cls(point=point, group=group, seed=seed, estimates={**estimates, **fair}, n=n)

    @property
    def cc(self) -> str:
        """The group's algorithm as the spec wrote it."""
        return self.point.ccs.get(self.group, "")

    @property
    def flows(self) -> int:
        return self.point.sizes.get(self.group, 0)

    def value(self, column: str) -> float | str | None:
        """What the row has in a column: a number in base units, or a text; None if it has nothing there."""
        if column in FACTS:
            fact: float | str | None = getattr(self, column)
            return fact
        if column in self.estimates:
            return self.estimates[column].mean
        written = self.point.swept.get(column)
        return None if written is None else swept_text(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRows:
    """Rows in their order, and the columns that any of them has something in."""

    runs: ExperimentRuns
    rows: Sequence[Row]
    columns: Sequence[str]
    """Names in the order asked for; or those of `USUAL`, or all, that any row has."""


def table(
    runs: ExperimentRuns,
    columns: Sequence[str] | None = None,
    sort: str | None = None,
    *,
    each_seed: bool = False,
    everything: bool = False,
) -> ResultRows:
    """The table of an experiment.

    `columns` are names of the catalogue or of `FACTS`; without them there are the usual ones that some run has and the
    sizes of transfers do not decide, or, with `everything`, the whole catalogue. Rows are in the order of expansion, or
    of a column: `sort` is its name, which may be a swept field, too, with a minus before it for the largest first. What
    has nothing there is last.

    Raises:
        ColumnError: there is no such column.
    """
    check(columns, sort, runs.axes)
    rows = list(_of_seeds(runs) if each_seed else _of_points(runs))
    if columns is None:
        there = {
            name
            for row in rows
            for name, each in row.estimates.items()
            if each.mean or everything or name not in TROUBLES
        }
        if not everything:
            there -= runs.decided
            there -= {name for name in PERCENTILES if _all_like_the_mean(name, rows)}
        columns = [name for name in dict.fromkeys([*USUAL, *QUANTITIES] if everything else USUAL) if name in there]
    return ResultRows(runs=runs, rows=_sorted(rows, sort) if sort else rows, columns=list(columns))


def check(columns: Sequence[str] | None, sort: str | None, axes: Sequence[str]) -> None:
    """Raises `ColumnError` where a table of an experiment with these swept fields has no such column."""
    known = [*QUANTITIES, *FACTS, FAIR_SHARE.name, *axes]
    for name in (*(columns or ()), *([sort.removeprefix(DESCENDING)] if sort else ())):
        if name not in known and name not in QUANTITIES:  # which knows more than it lists
            raise ColumnError(f"unknown column {quoted(name)}; {suggestion(name, known)}")


def quantity(column: str) -> Quantity | None:
    """That of a column; None of one that says what a row is."""
    if column == FAIR_SHARE.name:
        return FAIR_SHARE
    return QUANTITIES[column] if column in QUANTITIES else None  # noqa: SIM401 (it knows more than it lists)


def _all_like_the_mean(name: str, rows: Sequence[Row]) -> bool:
    return all(row.estimates.get(name) == row.estimates.get("fct") for row in rows)


def _of_points(runs: ExperimentRuns) -> Iterator[Row]:
    places = [(point, group) for point in runs.points for group in point.ccs or ("",)]
    rows: list[dict[str, Estimate]] = [{} for _ in places]
    measured = {name for point in runs.points for name, _ in point.numbers}
    for name in [*filter(measured.__contains__, QUANTITIES), *sorted(measured - QUANTITIES.keys())]:
        of_run = QUANTITIES[name].of == "run"
        single = [point.numbers.get((name, "" if of_run else group), ()) for point, group in places]
        values = [
            one if len(one) == 1 and not math.isnan(one[0]) else point.known(name, group)  # of one seed in less time
            for one, (point, group) in zip(single, places, strict=True)
        ]
        counts = [len(own) for own in values]
        if not any(counts):
            continue
        means = estimates(
            np.fromiter(chain.from_iterable(values), float), np.repeat(range(len(places)), counts), len(places)
        )
        for estimates_of_row, mean, half_width, n in zip(
            rows, means.mean.tolist(), means.half_width.tolist(), counts, strict=True
        ):
            if n:
                alike = math.isnan(half_width)
                estimates_of_row[name] = Estimate(mean, None if alike else half_width, 1 if alike else n)
    for (point, group), own in zip(places, rows, strict=True):
        yield Row.of(point, group, None, own)


def _of_seeds(runs: ExperimentRuns) -> Iterator[Row]:
    for point in runs.points:
        for nth, seed in enumerate(point.run_ids):
            for group in point.ccs:
                estimates = {
                    name: Estimate(values[nth], None, 1)
                    for (name, of), values in point.numbers.items()
                    if of in ("", group) and not math.isnan(values[nth])
                }
                yield Row.of(point, group, seed, estimates)


def _sorted(rows: Sequence[Row], sort: str) -> list[Row]:
    """Numbers by size, also those of texts that all have the same unit; other texts by the alphabet."""
    column = sort.removeprefix(DESCENDING)
    there = [row for row in rows if row.value(column) is not None]
    values = [row.value(column) for row in there]
    amounts = [number_and_unit(value) if isinstance(value, str) else (value, "") for value in values]
    known = [each for each in amounts if each is not None]
    alike = len(known) == len(there) and len({unit for _, unit in known}) <= 1
    keys: Sequence[Any] = [number or 0.0 for number, _ in known] if alike else list(map(str, values))
    order = sorted(range(len(there)), key=keys.__getitem__, reverse=sort.startswith(DESCENDING))
    return [*(there[index] for index in order), *(row for row in rows if row.value(column) is None)]
