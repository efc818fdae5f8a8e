"""A table's numbers, apart from its lines: terminal, page and Markdown lay out the same `Table`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dumbbell.metrics.number import ANY_NUMBER, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What stands below one heading."""

    title: str
    unit: str = ""

    @property
    def heading(self) -> str:
        """With the unit.

        >>> Column(title="throughput", unit="Mbit/s").heading
        'throughput (Mbit/s)'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True, slots=True)
class Amount:
    """A mean with the half-width of its interval, and what the document has in its place; in the column's unit."""

    mean: float | None
    """None: there is none."""
    half_width: float | None = None
    """None: nothing varied, or one seed."""
    published: float | str | None = None
    """A text where it is no number, or one that must stand as it was written."""
    limits: Limits = ANY_NUMBER
    """What it can be."""


Entry: TypeAlias = str | Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table."""

    name: str
    """As figures are called: "table1"."""
    title: str
    caption: str
    """What it shows, n and seeds, what the interval is, and the source of published numbers."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    """An entry a column: words, or an amount."""

    def has_published(self, index: int) -> bool:
        """Whether the document has a number in this column."""
        entries = (row[index] for row in self.rows)
        return any(isinstance(entry, Amount) and entry.published is not None for entry in entries)
