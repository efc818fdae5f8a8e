"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.number import amounts, numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dumbbell.results.listing import GroupLine


GROUP_COLUMNS = ("goodput", "share", "rtt")
COLUMNS = (*GROUP_COLUMNS, "loss", "random_loss", "queue", "utilization")
"""Quantities of a group and of its run, in the order of a `GroupLine`."""
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


def of_groups(lines: Iterable[GroupLine], spec: Mapping[str, Any]) -> Iterator[str]:
    """One line a group of flows; what belongs to the whole run is on the run's first line. Piece by piece.

    Random loss has a column where the path has any.
    """
    from dumbbell.metrics.catalogue import QUANTITIES, has_random_loss

    rest = iter(lines)
    first = next(rest, None)
    if first is not None:
        axes = list(first.point)
        shown = [name for name in COLUMNS if name != "random_loss" or has_random_loss(spec)]
        headings = [QUANTITIES[name].heading.removesuffix(" %") for name in shown]
        yield from blocks([*axes, "seed", "group", *headings], _rows(chain([first], rest), axes, shown))


def _rows(lines: Iterable[GroupLine], axes: Sequence[str], shown: Sequence[str]) -> Iterator[Sequence[str]]:
    """The cells of each line, made a column at a time: a hundred thousand runs have a million of them."""
    from dumbbell.metrics.catalogue import QUANTITIES

    rest = iter(lines)
    while block := list(islice(rest, BLOCK)):
        points, seeds, places, names, *values = zip(*block, strict=True)
        firsts = [nth == 0 for nth in places]

        def of_runs(cells: Iterable[str], firsts: Sequence[bool] = firsts) -> list[str]:
            own = iter(cells)
            return [next(own) if first else "" for first in firsts]

        columns = [of_runs(str(point[axis]) for point in compress(points, firsts)) for axis in axes]
        columns += [of_runs(map(str, compress(seeds, firsts))), names]
        for name, column in zip(COLUMNS, values, strict=True):
            if name in shown:
                factor, suffix = QUANTITIES[name].factor, QUANTITIES[name].suffix
                if name in GROUP_COLUMNS:
                    columns.append(amounts(column, factor, suffix))
                else:
                    columns.append(of_runs(amounts(compress(column, firsts), factor, suffix)))
        yield from zip(*columns, strict=True)
