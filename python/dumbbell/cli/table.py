"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from itertools import chain, islice
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.loss import has_random_loss, loss_at, random_loss
from dumbbell.metrics.number import amount, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dumbbell.results.schema import Result

GROUP = ("seed", "group", "Mbit/s", "share", "RTT ms")
BOTTLENECK = ("queue loss", "queue BDP", "utilization")
RANDOM_LOSS = "random loss"
BLOCK = 2000
"""Lines that are laid out together."""


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of columns: numbers to the right, words to the left."""
    return _laid_out([header, *rows], _widths([header, *rows]), _numeric(header, rows))


def blocks(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of any length, piece by piece. Columns may grow wider further down, and are never narrower."""
    rest = iter(rows)
    block = [header, *islice(rest, BLOCK)]
    widths, numeric = _widths(block), _numeric(header, block[1:])
    while block:
        yield _laid_out(block, widths, numeric)
        block = list(islice(rest, BLOCK))
        widths = [max(pair) for pair in zip(widths, _widths(block), strict=True)] if block else widths


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _numeric(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    return [all(cell == "" or cell[0] in "-+.0123456789" for cell in column) for column in columns]


def _laid_out(rows: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    line = "  ".join(f"%{'' if right else '-'}{width}s" for width, right in zip(widths, numeric, strict=True))
    return "\n".join([(line % tuple(row)).rstrip() for row in rows])


def header(axes: Iterable[str], spec: Mapping[str, Any]) -> list[str]:
    """Of a table of an experiment's runs: random loss has a column where the path has any."""
    queue_loss, *others = BOTTLENECK
    return [*axes, *GROUP, queue_loss, *([RANDOM_LOSS] if has_random_loss(spec) else []), *others]


def of_results(results: Iterable[Result], spec: Mapping[str, Any]) -> Iterator[str]:
    """One line a group of flows; what belongs to the whole run is on the run's first line. Piece by piece."""
    rest = iter(results)
    first = next(rest, None)
    if first is not None:
        axes = list(first.point)
        rows = (row for result in chain([first], rest) for row in _rows(result, axes, spec))
        yield from blocks(header(axes, spec), rows)


def _rows(result: Result, axes: Sequence[str], spec: Mapping[str, Any]) -> Iterator[list[str]]:
    bottleneck = result.bottleneck
    counts = (bottleneck.random_lost_packets, bottleneck.offered_packets, bottleneck.sent_packets)
    run = [*(str(result.point[axis]) for axis in axes), str(result.seed)]
    at_random, lossy = random_loss(*counts, loss_at(spec, result.point)), has_random_loss(spec)
    shared = shared_cells(
        bottleneck.loss_rate, at_random, bottleneck.queue_mean_bdp, bottleneck.utilization, lossy=lossy
    )
    for name, group in result.groups.items():
        rtts_s = [flow.rtt_mean_s for flow in result.flows if flow.name == name and flow.rtt_mean_s is not None]
        yield [*run, *group_cells(name, group.goodput_bps, group.share, fmean(rtts_s) if rtts_s else None), *shared]
        run, shared = [""] * len(run), [""] * len(shared)


def group_cells(name: str, goodput_bps: float | None, share: float | None, rtt_s: float | None) -> list[str]:
    """What a line says about a group."""
    return [name, amount(goodput_bps, None, 1e-6), amount(share, None, 100.0, " %"), amount(rtt_s, None, 1e3)]


def shared_cells(
    loss_rate: float | None, at_random: float | None, queue_bdp: float | None, utilization: float | None, *, lossy: bool
) -> list[str]:
    """What a line says about the bottleneck; random loss if the table has a column for it."""
    others = [amount(queue_bdp), percent(utilization)]
    return [percent(loss_rate), percent(at_random), *others] if lossy else [percent(loss_rate), *others]
