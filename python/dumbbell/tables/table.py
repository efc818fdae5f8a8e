"""A table as data: columns, and rows of texts and numbers with their units. Each renderer lays out the same `Table`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from dumbbell.metrics.number import ABSENT, ANY_NUMBER, Limits, amount

if TYPE_CHECKING:
    from dumbbell.metrics.catalogue import Quantity
    from dumbbell.metrics.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in base units, and how it is written; see `metrics.number.amount`."""

    value: float | None
    """None: there is none."""
    half_width: float | None = None
    """Of its interval; None: nothing varied, or nobody knows."""
    factor: float = 1.0
    """From base units to its unit."""
    unit: str = ""
    """Behind the number, with the space before it; empty where the column's heading has it."""
    signed: bool = False
    limits: Limits = ANY_NUMBER
    """What it can be."""
    ends: tuple[float, float] | None = None
    """Of an interval that is not symmetric."""

    @classmethod
    def of(cls, quantity: Quantity, value: Estimate | float | None, *, unit: bool = False) -> Amount:
        """A value of the catalogue, with its unit where no heading has it."""
        mean, half = (value, None) if value is None or isinstance(value, float) else (value.mean, value.half_width)
        return cls(mean, half, quantity.factor, quantity.suffix if unit else "", limits=quantity.limits)

    @property
    def text(self) -> str:
        """As it is read.

        >>> Amount(0.5, 0.02, 100.0, " %").text, Amount(None).text, Amount(2.0, signed=True, ends=(1.0, 4.0)).text
        ('50.0 ± 2.0 %', '-', '+2.00 [+1.00, +4.00]')
        """
        unit = self.unit if self.ends is None else ""
        text = amount(self.value, self.half_width, self.factor, unit, signed=self.signed, limits=self.limits)
        if self.ends is None or self.value is None:
            return text
        low, high = (amount(end, None, self.factor, signed=self.signed) for end in self.ends)
        return f"{text} [{low}, {high}]{self.unit}"


class TextCell(str):
    """A text that is no number, whatever it begins with: the id of a run."""

    __slots__ = ()


Cell: TypeAlias = "str | int | float | Amount | None"
"""A text, a count, a number with three digits, an amount; None and NaN where there is nothing."""


def cell_text(cell: Cell) -> str:
    """A cell as it is read.

    >>> [cell_text(each) for each in ("bbr", 12000, 0.5, Amount(3.0, unit=" ms"), None)]
    ['bbr', '12000', '0.500', '3.00 ms', '-']
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Amount):
        return cell.text
    return str(cell) if isinstance(cell, int) else ABSENT if cell is None else amount(cell)


@dataclass(frozen=True, slots=True)
class Column:
    """What stands below one heading."""

    title: str
    unit: str = ""
    name: str = ""
    """What chooses it, where that is not its title."""
    key: bool = False
    """It says what a row is, so that it is repeated where columns continue below."""
    axis: bool = False
    """It is a key of the sweep: where keys need too much room it stands above the row."""
    spare: int = 0
    """Where there is no room for all columns, those with the largest number go first; 0: it never goes."""

    @property
    def heading(self) -> str:
        """With the unit.

        >>> Column("throughput", "Mbit/s").heading
        'throughput (Mbit/s)'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True, slots=True)
class Table:
    """A table: a cell a column in each row."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    name: str = ""
    """As figures are called: "table1"."""
    caption: str = ""
    """What it shows, n and seeds, what the interval is, and the source of published numbers."""

    @classmethod
    def of(cls, headings: Iterable[str], rows: Iterable[Sequence[Cell]], keys: int = 1, title: str = "") -> Table:
        """A table whose headings are plain, and the first `keys` columns say what a row is."""
        columns = [Column(heading, key=nth < keys) for nth, heading in enumerate(headings)]
        return cls(columns, list(rows), title)

    @property
    def header(self) -> list[str]:
        """The headings."""
        return [column.heading for column in self.columns]

    def texts(self) -> list[list[str]]:
        """The cells as they are read."""
        return [[cell_text(cell) for cell in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Which columns have numbers."""
        return [all(map(_is_number, column)) for column in zip(*self.rows, strict=True)] or [False] * len(self.columns)


_NUMBER_BEGINS: Final = "-+.0123456789"


def _is_number(cell: Cell) -> bool:
    """Whether a cell stands to the right; an empty one does not say."""
    return not isinstance(cell, str) or not cell or (cell[0] in _NUMBER_BEGINS and not isinstance(cell, TextCell))
