"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.number import amount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dumbbell.results.listing import GroupLine


COLUMNS = ("goodput", "share", "rtt", "loss", "random_loss", "queue", "utilization")
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
    numeric = [all(cell == "" or cell[0] in "-+.0123456789" for cell in column[1:]) for column in columns]
    widths = [0] * len(header)
    while block:
        widths = [max(width, *map(len, column)) for width, column in zip(widths, zip(*block, strict=True), strict=True)]
        line = "  ".join(f"%{'' if right else '-'}{width}s" for width, right in zip(widths, numeric, strict=True))
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
        axes, lossy = list(first.point), has_random_loss(spec)
        names = [QUANTITIES[name].heading.removesuffix(" %") for name in COLUMNS if lossy or name != "random_loss"]
        yield from blocks([*axes, "seed", "group", *names], _rows(chain([first], rest), axes, lossy=lossy))


def _rows(lines: Iterable[GroupLine], axes: Sequence[str], *, lossy: bool) -> Iterator[list[str]]:
    goodput, share, rtt, loss, random_loss, queue, utilization = map(_text, COLUMNS)
    empty, nothing = [""] * (len(axes) + 1), [""] * (3 + lossy)
    for point, seed, nth, group, bps, part, rtt_s, lost, at_random, bdp, used in lines:
        cells = [group, goodput(bps), share(part), rtt(rtt_s)]
        if nth:
            yield [*empty, *cells, *nothing]
        else:
            shared = [loss(lost), *([random_loss(at_random)] if lossy else []), queue(bdp), utilization(used)]
            yield [*[str(point[axis]) for axis in axes], str(seed), *cells, *shared]


def _text(name: str) -> Callable[[float | None], str]:
    """The quantity's `text`, faster."""
    from dumbbell.metrics.catalogue import QUANTITIES

    factor, suffix = QUANTITIES[name].factor, QUANTITIES[name].suffix
    return lambda value: amount(value, None, factor, suffix)
