"""The table of an experiment: on a terminal, and on a page.

A row is a group of flows at a point, or in a run; on a terminal what belongs to the path stands on the first of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Final

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.table import FAIR_SHARE, ResultRows, Row, quantity, table
from dumbbell.metrics.catalogue import OF_HOP, rate_below
from dumbbell.metrics.number import trimmed
from dumbbell.metrics.statistics import estimate
from dumbbell.spec.point_text import swept_text
from dumbbell.tables.table import Amount, Cell, Column, Table

LONGEST_NAME: Final = 24
"""Of a group on a terminal; longer ones are cut."""
MAIN: Final = (
    "goodput", "share", "fair_share", "harm", "rtt", "loss", "random_loss", "retransmits", "jain", "fct",
)  # fmt: skip
"""Columns that fit beside one another on a page; all others are in the second table."""
_ALGORITHM: Final = re.compile(r"flows\[\d+\]\.cc")
"""A swept field that the column of algorithms has too, where all groups have the same one."""
_GROUP: Final = re.compile(r"^flows\[(\d+)\]\.")


def of_terminal(rows: ResultRows, *, everything: bool) -> Table:
    """Keys, and the columns of which as many are shown as fit, the first ones first; with `everything` all."""
    runs, own = rows.runs, rows.rows
    new_point, new_run = _firsts(own)
    headings = _headings(runs)
    columns: list[tuple[Column, Iterable[Cell]]] = [
        (Column(heading, name=axis, key=True, axis=True), _where(new_point, (row.value(axis) for row in own)))
        for axis, heading in headings.items()
    ]
    if any(row.seed is not None for row in own):
        columns.append((Column("seed", key=True), _where(new_run, (row.seed for row in own))))
    if len(runs.groups) > 1 or not headings:
        columns.append((Column("group", key=True), [_clipped(row.group) or None for row in own]))
    if all(row.seed is None for row in own) and "n" not in rows.columns:
        columns.append((Column("n", key=True), [row.n for row in own]))
    for place, name in enumerate(rows.columns, start=1):
        known, values = quantity(name), [_value(row, name) for row in own]
        heading = name
        if known is not None and rate_below(name) is None:
            heading = f"{known.short or known.label} {known.unit}".strip()
        shown = _where(new_run, values) if known and known.of == "run" else values
        columns.append((Column(heading, name=name, spare=0 if everything else place), shown))
    return Table([column for column, _ in columns], list(zip(*(cells for _, cells in columns), strict=True)))


def _value(row: Row, name: str) -> Cell:
    """A terminal has no room for both ends of an interval that leaves the quantity's limits: pages have them."""
    known, estimate = quantity(name), row.estimates.get(name)
    if known is None:
        value = row.value(name)
        return None if value == "" else value
    if estimate is None:
        return None
    if known is FAIR_SHARE:
        return trimmed(known.factor * estimate.mean)
    return Amount(estimate.mean, estimate.half_width, known.factor)


def _headings(runs: ExperimentRuns) -> dict[str, str]:
    """The swept fields that are shown, with what stands above each; a field that groups sweep alike is there once."""
    headings: dict[str, str] = {}
    alike: dict[tuple[str, ...], list[str]] = {}
    for axis in runs.axes:
        if not _is_name_of_group(axis, runs):
            field = _GROUP.sub("", axis)
            own = [str(point.swept.get(axis)) for point in runs.points]
            alike.setdefault((field, *own) if field != axis else (axis,), []).append(axis)
    for axes in alike.values():
        indices = ",".join(_GROUP.findall(axis)[0] for axis in axes if _GROUP.match(axis))
        headings[axes[0]] = _GROUP.sub(f"flows[{indices}].", axes[0])
    return headings


def _is_name_of_group(axis: str, runs: ExperimentRuns) -> bool:
    """Whether it is the algorithm of a group that has its name from it at each point."""
    groups = [list(point.ccs) for point in runs.points if point.ccs]
    places = {f"flows[{index}].cc": index for names in groups for index in range(len(names))}
    return axis in places and all(
        point.swept.get(axis) == list(point.ccs)[places[axis]] for point in runs.points if point.ccs
    )


def _firsts(rows: Sequence[Row]) -> tuple[list[bool], list[bool]]:
    """Whether each row is the first of its point, and of its run."""
    first = [True] * bool(rows)
    new_point = first + [after.point is not before.point for before, after in pairwise(rows)]
    new_seed = first + [after.seed != before.seed for before, after in pairwise(rows)]
    return new_point, [point or seed for point, seed in zip(new_point, new_seed, strict=True)]


def _where(first: Sequence[bool], cells: Iterable[Cell]) -> list[Cell]:
    """A cell in the first row of several that share it."""
    return [cell if new else "" for new, cell in zip(first, cells, strict=True)]


def _clipped(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def of_hops(runs: ExperimentRuns, most: int) -> Table | None:
    """A row a point and queue, at most so many, with means over seeds; None where each path has but one queue."""
    axes = _headings(runs)
    quantities = {
        field: known for field, known in OF_HOP.items()
        if any(any(values) for point in runs.points for (own, _), values in point.hops.items() if own == field)
    }  # fmt: skip
    rows: list[list[Cell]] = []
    for point in runs.points:
        names = list(dict.fromkeys(name for _, name in point.hops))
        for nth, name in enumerate(names[: most - len(rows)]):
            swept = [None if (value := point.swept.get(axis)) is None else swept_text(value) for axis in axes]
            known = {field: estimate(own) for field in quantities if (own := _numbers(point.hops.get((field, name))))}
            cells = (Amount.of(of, known.get(field)) for field, of in quantities.items())
            rows.append([*_where([nth == 0] * len(swept), swept), name, *cells])
    keys = [*(Column(heading, key=True, axis=True) for heading in axes.values()), Column("hop", key=True)]
    columns = [Column(known.heading, spare=place) for place, known in enumerate(quantities.values())]
    return Table([*keys, *columns], rows) if rows else None


def _numbers(values: Sequence[float] | None) -> list[float]:
    return [value for value in values or () if not math.isnan(value)]


def of_page(runs: ExperimentRuns, most: int) -> list[Table]:
    """The table with the columns that decide, and the one with all others, if there are any; at most so many rows.

    Of very many points only those that are shown have their means computed.
    """
    firsts = accumulate((max(1, len(point.ccs)) for point in runs.points), initial=0)
    points = [point for point, first in zip(runs.points, firsts, strict=False) if first < most]
    rows = table(replace(runs, points=points))
    main = [name for name in MAIN if name in rows.columns]
    others = [name for name in rows.columns if name not in main]
    return [of_rows(rows, columns, most) for columns in (main, others) if columns and rows.rows]


def of_rows(rows: ResultRows, names: Sequence[str], most: int) -> Table:
    """The first rows with these quantities, each with all of its keys."""
    alike = all(len(set(point.ccs.values())) <= 1 for point in rows.runs.points)
    axes = [axis for axis in rows.runs.axes if not (alike and _ALGORITHM.fullmatch(axis))]
    grouped = any(row.group not in {"", row.cc} for row in rows.rows)
    several = any(row.flows > 1 for row in rows.rows)
    quantities = [known for name in names if (known := quantity(name))]
    header = [*axes, *(["group"] if grouped else []), "algorithm", *(["flows"] if several else []), "n"]
    cells: list[list[Cell]] = [
        [
            *(row.value(axis) for axis in axes),
            *([row.group] if grouped else []), row.cc, *([row.flows] if several else []), _count(row),
            *(Amount.of(known, row.estimates.get(known.name)) for known in quantities),
        ]
        for row in rows.rows[:most]
    ]  # fmt: skip
    return Table.of([*header, *(known.heading for known in quantities)], cells)


def _count(row: Row) -> Cell:
    """Of values, and of runs that failed."""
    failed = len(row.point.errors)
    return f"{row.n}, {failed} failed" if failed else row.n
