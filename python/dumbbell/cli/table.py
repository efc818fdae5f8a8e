"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.catalogue import QUANTITIES, Setup, group_values, run_values
from dumbbell.metrics.loss import has_random_loss, loss_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dumbbell.results.listing import RunSummary
    from dumbbell.results.schema import Result

OF_GROUP = ("goodput", "share", "rtt")
OF_RUN = ("loss", "random_loss", "queue", "utilization")
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


def of_results(results: Iterable[Result | RunSummary], spec: Mapping[str, Any]) -> Iterator[str]:
    """One line a group of flows; what belongs to the whole run is on the run's first line. Piece by piece.

    Random loss has a column where the path has any.
    """
    rest = iter(results)
    first = next(rest, None)
    if first is None:
        return
    of_run = [name for name in OF_RUN if name != "random_loss" or has_random_loss(spec)]
    axes = list(first.point)
    names = [QUANTITIES[name].heading.removesuffix(" %") for name in (*OF_GROUP, *of_run)]
    rows = (row for result in chain([first], rest) for row in _rows(result, axes, of_run, spec))
    yield from blocks([*axes, "seed", "group", *names], rows)


def _rows(
    result: Result | RunSummary, axes: Sequence[str], of_run: Sequence[str], spec: Mapping[str, Any]
) -> Iterator[list[str]]:
    run = [*(str(result.point[axis]) for axis in axes), str(result.seed)]
    setup = Setup(loss_at(spec, result.point)) if "random_loss" in of_run else Setup()
    values = run_values(result, setup, of_run)
    shared = [QUANTITIES[name].text(value) for name, value in values.items()]
    for group, own in group_values(result, OF_GROUP).items():
        yield [*run, group, *(QUANTITIES[name].text(value) for name, value in own.items()), *shared]
        run, shared = [""] * len(run), [""] * len(shared)
