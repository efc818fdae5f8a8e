"""A study's table as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.charts.numbers import laid_out
from dumbbell.charts.table import Amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.table import Entry, Table


@dataclass(frozen=True, slots=True)
class Box:
    """What stands in one place of the table."""

    text: str
    sort: str
    """What its column is sorted by."""
    number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabulated:
    """A table of the page."""

    name: str
    title: str
    caption: str
    head: list[str]
    rows: list[list[Box]]


def tabulated(table: Table) -> Tabulated:
    """A table ready for the page: the terminal's cells, and what each column is sorted by."""
    head, rows = laid_out(table)
    boxes = []
    for entries, texts in zip(table.rows, rows, strict=True):
        sorts = iter(_sorts(table, entries))
        boxes.append([Box(text, *next(sorts)) for text in texts])
    return Tabulated(name=table.name, title=table.title, caption=table.caption, head=head, rows=boxes)


def _sorts(table: Table, entries: tuple[Entry, ...]) -> Iterator[tuple[str, bool]]:
    """For each cell of a row, what it is sorted by and whether it is a number; in the order of `laid_out`."""
    for index, entry in enumerate(entries):
        if isinstance(entry, Amount):
            yield "" if entry.mean is None else f"{entry.mean:.6g}", True
        else:
            yield entry, False
        if table.has_published(index):
            written = entry.published if isinstance(entry, Amount) else None
            yield "" if written is None else f"{written}", True
