"""A table as lines of a terminal, no wider than that.

Numbers stand to the right, ± under ±, words to the left; what is the same for several rows is a matter of their cells.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from textwrap import fill, wrap
from typing import Final, NamedTuple

from dumbbell.tables.table import Cell, Column, Table
from dumbbell.tables.terminal import USUAL_COLUMNS, bold, columns, rule, wrapped

GAP: Final = "  "
INDENT: Final = "    "
NARROWEST_TEXT: Final = 18
"""A column of text is broken into lines of this many letters at least."""
LONGEST_NUMBER: Final = 30
"""Letters of a cell that has numbers and their units."""
MOST_OF_WIDTH: Final = 0.5
"""Columns that say what a row is may take; if they need more, those of the sweep stand above the row."""
PLUS_MINUS: Final = " ± "
POINT: Final = re.compile(r"(?<=[a-z\]]\.)(?=[a-z])")
"""Within the path of a field, behind a point."""
NO_BREAK: Final = "\N{NO-BREAK SPACE}"
"""Where a heading must not be broken."""
BLOCK: Final = 2000
"""Rows that are laid out together."""


class Lines(NamedTuple):
    """A table that fits a width."""

    lines: list[str]
    left_out: list[str]
    """Names of the columns for which there is no room."""


@dataclass(frozen=True, slots=True)
class _Column:
    of: Column
    heading: Sequence[str]
    """Its lines."""
    cells: Sequence[str]
    to_the_right: bool
    width: int

    @property
    def is_text(self) -> bool:
        """Whether its cells may be broken into lines: words, what only begins with a number, or fills a terminal."""
        return self.width >= USUAL_COLUMNS or (
            not self.of.key
            and any(" " in cell for cell in self.cells)
            and not (self.to_the_right and max(map(len, self.cells)) <= LONGEST_NUMBER)
        )

    @property
    def least(self) -> int:
        """The width that it needs, its texts broken."""
        longest = max(map(len, self.of.heading.split()), default=0)
        return min(self.width, max(NARROWEST_TEXT, longest)) if self.is_text else self.width

    def padded(self, text: str) -> str:
        return text.rjust(self.width) if self.to_the_right else text.ljust(self.width)


def text(table: Table, width: int) -> str:
    """A table that is no wider, whatever it must leave out, or put below."""
    return "\n".join(lay_out(table, width).lines)


def lay_out(table: Table, width: int) -> Lines:
    """The lines of a table.

    Where there is no room for all, spare columns go first; then texts are broken between words, within their column or
    below the row; then columns continue under the others, with the keys repeated.
    """
    columns, titles = _with_titles(_columns(table, [0] * len(table.columns)), width)
    room = width - (len(GAP) if any(titles) else 0)
    shown = [column for column in columns if not column.of.spare]
    for column in sorted((each for each in columns if each.of.spare), key=lambda each: each.of.spare):
        if _total(each.least for each in (*shown, column)) <= room:
            shown.append(column)
    left_out = [column.of.name or column.of.title for column in columns if column not in shown]
    shown = [column for column in columns if column in shown]
    return Lines(list(_fitted(shown, titles, width)), left_out)


def printed(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """A table of any length for standard output: on a terminal no wider than that, for a program a line a row."""
    return streamed(header, rows, columns() if sys.stdout.isatty() else None)


def streamed(header: Sequence[str], rows: Iterable[Sequence[Cell]], width: int | None) -> Iterator[str]:
    """A table of any length, piece by piece, each with its headings.

    Without a width a row has one line however long it is, and headings stand once: columns may grow wider further down.
    """
    rest, widths, first = iter(rows), [0] * len(header), True
    while (block := list(islice(rest, BLOCK))) or first:
        table = Table.of(header, block)
        if width is None:
            least = list(map(max, widths, (len(heading) for heading in header)))
            columns = [
                replace(column, heading=[column.of.heading] if first else ()) for column in _columns(table, least)
            ]
            widths = [column.width for column in columns]
            yield "\n".join(_block(columns, (), 0))
        else:
            yield text(table, width)
        first = False


def _columns(table: Table, least: Iterable[int]) -> list[_Column]:
    """A table's columns as wide as their cells, or as `least` says."""
    cells = list(zip(*table.texts(), strict=True)) or [()] * len(table.columns)
    return [
        _laid_out(column, own, width, to_the_right=right)
        for column, own, width, right in zip(table.columns, cells, least, table.numeric, strict=True)
    ]


def _laid_out(column: Column, cells: Sequence[str], least: int, *, to_the_right: bool) -> _Column:
    """The heading gets as many lines as it needs to be no wider than its cells, and ± stands under ±."""
    parts = [cell.partition(PLUS_MINUS) for cell in cells] if to_the_right else []
    right = max((len(half) for *_, half in parts), default=0)
    if right:
        left = max(len(mean) for mean, *_ in parts)
        cells = [f"{mean:>{left}}{sign or ' ' * len(PLUS_MINUS)}{half:<{right}}" for mean, sign, half in parts]
    widest = max(map(len, cells), default=0)
    lines = _folded(column.heading, widest)
    return _Column(column, lines, cells, to_the_right, max(widest, least, *map(len, lines)))


def _folded(heading: str, width: int) -> list[str]:
    """As many lines as it needs to be no wider: it breaks between words, and within them behind a point."""
    lines = wrap(heading, max(width, *map(len, heading.split(" ")), 1), break_on_hyphens=False) or [""]
    parts = (part for line in lines for part in ([line] if len(line) <= width else POINT.split(line)))
    return [part.replace(NO_BREAK, " ") for part in parts]


def _with_titles(columns: list[_Column], width: int) -> tuple[list[_Column], Sequence[str]]:
    """Where what says which row it is needs too much of the width, the sweep's columns become lines above rows."""
    axes = [column for column in columns if column.of.axis]
    if not axes or _total(column.width for column in columns if column.of.key) <= MOST_OF_WIDTH * width:
        return columns, ()
    rows = zip(*(column.cells for column in axes), strict=True)
    titles = [
        ", ".join(f"{column.of.title} = {cell.strip()}" for column, cell in zip(axes, row, strict=True))
        if any(cell.strip() for cell in row) else ""
        for row in rows
    ]  # fmt: skip
    return [column for column in columns if not column.of.axis], titles


def _fitted(columns: Sequence[_Column], titles: Sequence[str], width: int) -> Iterator[str]:
    room = width - (len(GAP) if titles else 0)
    if _total(column.width for column in columns) <= room:
        yield from _block(columns, titles, width)
        return
    texts = [column for column in columns if column.is_text]
    others = [column.width for column in columns if not column.is_text]
    left = room - _total(others) - len(GAP) * len(texts)
    if texts and left >= sum(column.least for column in texts):
        yield from _block(*_broken(columns, titles, left), width)
    elif texts and not titles and left + len(GAP) * len(texts) >= 0:
        yield from _with_texts_below([column for column in columns if not column.is_text], texts, width)
    else:
        yield from _side_by_side(columns, titles, width)


def _block(columns: Sequence[_Column], titles: Sequence[str], width: int) -> Iterator[str]:
    indent = GAP if titles else ""
    depth = max(len(column.heading) for column in columns)
    for line in range(depth):
        texts = (["", *column.heading][max(0, line - depth + len(column.heading) + 1)] for column in columns)
        yield bold(_joined(columns, texts, indent))
    if depth:
        yield from rule(len(indent) + _total(column.width for column in columns))
    for title, cells in zip_longest(titles, zip(*(column.cells for column in columns), strict=True), fillvalue=""):
        if title:
            yield wrapped(title, width, hanging=GAP * 2)
        yield _joined(columns, cells, indent)


def _broken(columns: Sequence[_Column], titles: Sequence[str], room: int) -> tuple[list[_Column], Sequence[str]]:
    """Each text in as many lines as it needs in its column; a title stands above the first."""
    texts = [nth for nth, column in enumerate(columns) if column.is_text]
    widths = dict(zip(texts, _shared(room, [columns[nth].width for nth in texts]), strict=True))
    lines: list[Sequence[str]] = []
    above: list[str] = []
    for title, row in zip_longest(titles, zip(*(column.cells for column in columns), strict=True), fillvalue=""):
        parts = [(wrap(cell, widths[nth]) or [""]) if nth in widths else [cell] for nth, cell in enumerate(row)]
        above += [title, *[""] * (max(map(len, parts)) - 1)]
        lines += zip_longest(*parts, fillvalue="")
    broken = [
        replace(column, cells=cells, width=widths[nth], heading=_folded(column.of.heading, widths[nth]))
        if nth in widths
        else replace(column, cells=cells)
        for nth, (column, cells) in enumerate(zip(columns, zip(*lines, strict=True), strict=True))
    ]
    return broken, above if titles else ()


def _with_texts_below(columns: Sequence[_Column], texts: Sequence[_Column], width: int) -> Iterator[str]:
    """Each row without its texts, and these below it, indented."""
    *heading, _ = _block([replace(column, cells=[""]) for column in columns], (), width)
    yield from heading
    for row, below in zip(
        zip(*(column.cells for column in columns), strict=True),
        zip(*(column.cells for column in texts), strict=True),
        strict=True,
    ):
        yield _joined(columns, row, "")
        for paragraph in filter(None, below):
            yield fill(paragraph, width, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False)


def _side_by_side(columns: Sequence[_Column], titles: Sequence[str], width: int) -> Iterator[str]:
    """As many columns beside the keys as fit, then the next ones."""
    keys = [column for column in columns if column.of.key]
    room = width - (len(GAP) if titles else 0)
    blocks = [list(keys)]
    for column in (each for each in columns if not each.of.key):
        if len(blocks[-1]) > len(keys) and _total(each.least for each in (*blocks[-1], column)) > room:
            blocks.append(list(keys))
        blocks[-1].append(column)
    if len(blocks) == 1:  # one value that has no room
        yield from _block(columns, titles, width)
        return
    for nth, block in enumerate(blocks):
        yield from [""] if nth else []
        yield from _fitted(block, titles, width)


def _shared(room: int, wanted: Sequence[int]) -> list[int]:
    """What each gets of a room: no more than it wants, and what one leaves goes to the others."""
    given = dict.fromkeys(range(len(wanted)), 0)
    for place, nth in enumerate(sorted(given, key=wanted.__getitem__)):
        given[nth] = min(wanted[nth], room // (len(wanted) - place))
        room -= given[nth]
    return list(given.values())


def _total(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + len(GAP) * (len(every) - 1)


def _joined(columns: Sequence[_Column], texts: Iterable[str], indent: str) -> str:
    return indent + GAP.join(column.padded(text) for column, text in zip(columns, texts, strict=True)).rstrip()
