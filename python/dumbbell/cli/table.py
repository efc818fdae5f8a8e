"""Tables in plain text, and the one of a campaign's results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.results.schema import Result

HEADER = ("seed", "group", "Mbit/s", "share", "RTT ms", "loss", "queue BDP", "utilization")
ABSENT = "-"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of columns: numbers to the right, words to the left."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(cell == "" or cell[0] in "-+.0123456789" for cell in column[1:]) for column in columns]
    lines = (
        "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(*parts, strict=True))
        for parts in ((row, widths, numeric) for row in (header, *rows))
    )
    return "\n".join(line.rstrip() for line in lines)


def of_results(results: Sequence[Result]) -> str:
    """One line a group of flows; what belongs to the whole run is on the run's first line."""
    axes = list(results[0].point) if results else []
    return aligned([*axes, *HEADER], [row for result in results for row in _rows(result, axes)])


def _rows(result: Result, axes: Sequence[str]) -> Iterator[list[str]]:
    bottleneck = result.bottleneck
    run = [*(str(result.point[axis]) for axis in axes), str(result.seed)]
    shared = [
        _number(bottleneck.loss_rate, 100, 2, " %"),
        _number(bottleneck.queue_mean_bdp, 1, 2),
        _number(bottleneck.utilization, 100, 1, " %"),
    ]
    for name, group in result.groups.items():
        rtts_s = [flow.rtt_mean_s for flow in result.flows if flow.name == name and flow.rtt_mean_s is not None]
        own = [
            name,
            _number(group.goodput_bps, 1e-6, 2),
            _number(group.share, 100, 1, " %"),
            _number(fmean(rtts_s) if rtts_s else None, 1e3, 2),
        ]
        yield [*run, *own, *shared]
        run, shared = [""] * len(run), [""] * len(shared)


def _number(value: float | None, factor: float, digits: int, unit: str = "") -> str:
    return ABSENT if value is None else f"{value * factor:.{digits}f}{unit}"
