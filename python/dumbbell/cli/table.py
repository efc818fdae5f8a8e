"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from itertools import chain, islice
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dumbbell.results.schema import Result

HEADER = ("seed", "group", "Mbit/s", "share", "RTT ms", "loss", "queue BDP", "utilization")
ABSENT = "-"
BLOCK = 2000
"""Lines that are laid out together."""


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], widths: list[int] | None = None, *, headed: bool = True
) -> str:
    """Lines of columns: numbers to the right, words to the left.

    `widths` are at least those of the last block, and are widened where this one needs more; without `headed` it goes
    on below it.
    """
    columns = list(zip(header, *rows, strict=True))
    known = widths or [0] * len(columns)
    found = [max(least, *map(len, column)) for least, column in zip(known, columns, strict=True)]
    if widths is not None:
        widths[:] = found
    numeric = [all(cell == "" or cell[0] in "-+.0123456789" for cell in column[1:]) for column in columns]
    line = "  ".join(f"{{:{'>' if right else '<'}{width}}}" for width, right in zip(found, numeric, strict=True))
    return "\n".join(line.format(*row).rstrip() for row in ([header, *rows] if headed else rows))


def blocks(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of any length, piece by piece: columns may grow wider further down, never narrower."""
    rest, widths, headed = iter(rows), [0] * len(header), True
    while block := list(islice(rest, BLOCK)):
        yield aligned(header, block, widths, headed=headed)
        headed = False


def of_results(results: Iterable[Result]) -> Iterator[str]:
    """One line a group of flows; what belongs to the whole run is on the run's first line. Piece by piece."""
    rest = iter(results)
    first = next(rest, None)
    if first is not None:
        axes = list(first.point)
        rows = (row for result in chain([first], rest) for row in _rows(result, axes))
        yield from blocks([*axes, *HEADER], rows)


def _rows(result: Result, axes: Sequence[str]) -> Iterator[list[str]]:
    bottleneck = result.bottleneck
    run = [*(str(result.point[axis]) for axis in axes), str(result.seed)]
    shared = shared_cells(bottleneck.loss_rate, bottleneck.queue_mean_bdp, bottleneck.utilization)
    for name, group in result.groups.items():
        rtts_s = [flow.rtt_mean_s for flow in result.flows if flow.name == name and flow.rtt_mean_s is not None]
        yield [*run, *group_cells(name, group.goodput_bps, group.share, fmean(rtts_s) if rtts_s else None), *shared]
        run, shared = [""] * len(run), [""] * len(shared)


def group_cells(name: str, goodput_bps: float | None, share: float | None, rtt_s: float | None) -> list[str]:
    """What a line tells about a group."""
    return [
        name,
        ABSENT if goodput_bps is None else f"{goodput_bps / 1e6:.2f}",
        ABSENT if share is None else f"{share * 100:.1f} %",
        ABSENT if rtt_s is None else f"{rtt_s * 1e3:.2f}",
    ]


def shared_cells(loss_rate: float | None, queue_bdp: float | None, utilization: float | None) -> list[str]:
    """What a line tells about the bottleneck."""
    return [
        ABSENT if loss_rate is None else f"{loss_rate * 100:.2f} %",
        ABSENT if queue_bdp is None else f"{queue_bdp:.2f}",
        ABSENT if utilization is None else f"{utilization * 100:.1f} %",
    ]
