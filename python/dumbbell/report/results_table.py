"""The table of an experiment on a page: a row a point and group, the number of seeds in a column of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final, NamedTuple

from dumbbell.findings.points import ExperimentRuns
from dumbbell.findings.table import Row, Table, table
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import ABSENT, percent
from dumbbell.report.html import sort_key

MAIN: Final = (
    "goodput", "share", "fair_share", "harm", "rtt", "loss", "random_loss", "retransmits", "jain", "fct",
)  # fmt: skip
"""Columns that fit beside one another; all others are in the second table."""


_ALGORITHM: Final = re.compile(r"flows\[\d+\]\.cc")
"""A swept field that the column of algorithms has too, where all groups have the same one."""


class Cell(NamedTuple):
    """One cell."""

    text: str
    key: str = ""
    """What it is sorted by."""
    is_number: bool = False


class ResultsTable(NamedTuple):
    """Header and rows, as a page has them."""

    header: list[str]
    rows: list[list[Cell]]
    left_out: int
    """Rows that the page has no room for."""


def results_tables(runs: ExperimentRuns, most: int) -> list[ResultsTable]:
    """The table with the columns that decide, and the one with all others, if there are any; at most so many rows.

    Of very many points only those that are shown have their means computed.
    """
    firsts = list(accumulate((max(1, len(point.ccs)) for point in runs.points), initial=0))
    points = [point for point, first in zip(runs.points, firsts, strict=False) if first < most]
    shown = table(replace(runs, points=points))
    main = [name for name in MAIN if name in shown.columns]
    others = [name for name in shown.columns if name not in main]
    left_out = max(0, firsts[-1] - most)
    return [_laid_out(shown, columns, most, left_out) for columns in (main, others) if columns and shown.rows]


def _laid_out(shown: Table, columns: Sequence[str], most: int, left_out: int) -> ResultsTable:
    alike = all(len(set(point.ccs.values())) <= 1 for point in shown.runs.points)
    axes = [axis for axis in shown.runs.axes if not (alike and _ALGORITHM.fullmatch(axis))]
    grouped = any(row.group not in {"", row.cc} for row in shown.rows)
    several = any(row.flows > 1 for row in shown.rows)
    header = [*axes, *(["group"] if grouped else []), "algorithm", *(["flows"] if several else []), "n"]
    header += [_heading(name) for name in columns]
    rows = []
    for row in shown.rows[:most]:
        cells = [_written(row.point.swept.get(axis)) for axis in axes]
        cells += [Cell(row.group)] if grouped else []
        cells.append(Cell(row.cc))
        cells += [Cell(str(row.flows), str(row.flows), is_number=True)] if several else []
        rows.append([*cells, _count(row), *(_cell(row, name) for name in columns)])
    return ResultsTable(header, rows, left_out)


def _heading(name: str) -> str:
    return "fair %" if name == "fair_share" else QUANTITIES[name].heading


def _written(value: object) -> Cell:
    return Cell(ABSENT if value is None else str(value), sort_key(None if value is None else str(value)))


def _count(row: Row) -> Cell:
    """Of values, and of runs that failed."""
    failed = len(row.point.failed)
    return Cell(f"{row.n}, {failed} failed" if failed else str(row.n), str(row.n), is_number=True)


def _cell(row: Row, name: str) -> Cell:
    if name == "fair_share":
        share = row.fair_share
        return Cell(percent(share).removesuffix(" %"), sort_key(share), is_number=True)
    estimate = row.estimates.get(name)
    if estimate is None:
        return Cell(ABSENT, is_number=True)
    text = QUANTITIES[name].text(estimate.mean, estimate.half_width).removesuffix(" %")
    return Cell(text, sort_key(estimate.mean), is_number=True)
