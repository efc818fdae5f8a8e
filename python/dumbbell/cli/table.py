"""Tables in plain text."""

from __future__ import annotations

from itertools import islice, zip_longest
from textwrap import fill, wrap
from typing import TYPE_CHECKING

from dumbbell.metrics.number import numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

GAP = "  "
INDENT = "    "
NARROWEST_TEXT = 18
"""A column of text is broken into lines of this many letters at least."""
LONGEST_NUMBER = 30
"""Letters of a cell that has numbers and their units."""
BLOCK = 2000
"""Lines that are laid out together."""


def aligned(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lines of columns: numbers to the right, words to the left."""
    return "\n".join(blocks(header, rows))


def blocks(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of any length, piece by piece. Columns may grow wider further down, and are never narrower."""
    rest = iter(rows)
    block = [header, *islice(rest, BLOCK)]
    columns = list(zip(*block, strict=True))
    to_the_right = [numeric(column[1:]) for column in columns]
    widths = [0] * len(header)
    while block:
        widths = [max(width, *map(len, column)) for width, column in zip(widths, zip(*block, strict=True), strict=True)]
        line = "  ".join(f"%{'' if right else '-'}{width}s" for width, right in zip(widths, to_the_right, strict=True))
        yield "\n".join([(line % tuple(row)).rstrip() for row in block])
        block = list(islice(rest, BLOCK))


def fitted_blocks(header: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """A table of any length that is no wider, piece by piece, each with its headings."""
    rest = iter(rows)
    block = list(islice(rest, BLOCK))
    yield fitted(header, block, width)
    while block := list(islice(rest, BLOCK)):
        yield fitted(header, block, width)


def fitted(header: Sequence[str], rows: Iterable[Sequence[str]], width: int, keys: int = 1) -> str:
    """A table that is no wider. Texts are broken between words, within their column or, where that is narrow, below.

    What is too wide for that has some columns under the others, with the first `keys` columns repeated.
    """
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    if _total(widths) <= width:
        return aligned(header, cells)
    texts = [nth for nth, column in enumerate(zip(*cells, strict=True)) if nth >= keys and _is_text(column)]
    left = width - _total([each for nth, each in enumerate(widths) if nth not in texts]) - len(GAP) * len(texts)
    if texts and left >= len(texts) * max(NARROWEST_TEXT, *(len(header[nth]) for nth in texts)):
        return _with_broken_texts(
            header, cells, dict(zip(texts, _shared(left, [widths[nth] for nth in texts]), strict=True))
        )
    if texts and left + len(GAP) * len(texts) >= 0:
        return _with_texts_below(header, cells, texts, width)
    return "\n\n".join(_side_by_side(header, cells, widths, width, keys))


def without_spare(
    header: Sequence[str], rows: Iterable[Sequence[str]], width: int, spare: Sequence[str]
) -> tuple[str, list[str]]:
    """A table that is no wider, and the headings of what it leaves out for that, of `spare` the first ones first."""
    cells, left_out = [list(row) for row in rows], []
    columns = dict(zip(header, zip(*cells, strict=True), strict=True)) if cells else dict.fromkeys(header, ())

    def needed(name: str) -> int:
        full_width = max(map(len, (name, *columns[name])))
        return min(full_width, max(NARROWEST_TEXT, len(name))) if _is_text(columns[name]) else full_width

    for name in spare:
        if _total([needed(each) for each in columns]) > width and name in columns:
            del columns[name]
            left_out.append(name)
    return fitted(list(columns), list(zip(*columns.values(), strict=True)), width, keys=0), left_out


def _is_text(column: Sequence[str]) -> bool:
    """Whether its cells may be broken into lines: words, or what only begins with a number."""
    return any(" " in cell for cell in column) and (not numeric(column) or max(map(len, column)) > LONGEST_NUMBER)


def _with_broken_texts(header: Sequence[str], rows: Sequence[Sequence[str]], widths: Mapping[int, int]) -> str:
    """Each text in as many lines as it needs in its column."""
    lines: list[list[str]] = []
    for row in rows:
        parts = [wrap(cell, widths[nth]) if nth in widths else [cell] for nth, cell in enumerate(row)]
        lines += map(list, zip_longest(*parts, fillvalue=""))
    return aligned(header, lines)


def _with_texts_below(header: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int], width: int) -> str:
    """Each row without its texts, and these below it, indented."""
    short = [[cell for nth, cell in enumerate(row) if nth not in texts] for row in rows]
    first, *lines = aligned([name for nth, name in enumerate(header) if nth not in texts], short).splitlines()
    table_lines = [first]
    for row, line in zip(rows, lines, strict=True):
        table_lines.append(line)
        table_lines += (
            fill(row[nth], width, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False)
            for nth in texts
            if row[nth]
        )
    return "\n".join(table_lines)


def _side_by_side(
    header: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int], width: int, keys: int
) -> Iterator[str]:
    """As many columns beside the keys as fit, then the next ones."""
    repeated = list(range(keys))
    block = list(repeated)
    for nth in range(keys, len(header)):
        if len(block) > keys and _total([widths[each] for each in (*block, nth)]) > width:
            yield aligned([header[each] for each in block], [[row[each] for each in block] for row in rows])
            block = list(repeated)
        block.append(nth)
    yield aligned([header[each] for each in block], [[row[each] for each in block] for row in rows])


def _shared(room: int, wanted: Sequence[int]) -> list[int]:
    """What each gets of a room: no more than it wants, and what one leaves goes to the others."""
    given = dict.fromkeys(range(len(wanted)), 0)
    for place, nth in enumerate(sorted(given, key=wanted.__getitem__)):
        given[nth] = min(wanted[nth], room // (len(wanted) - place))
        room -= given[nth]
    return list(given.values())


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)
