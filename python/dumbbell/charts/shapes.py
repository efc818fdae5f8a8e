"""The shapes of charts, each of a table of values: over a sweep, as points, as a distribution, as cells.

`in_time` has the one of runs over time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from dumbbell.charts.chart import Axis, Colours, HeatMap, Kind, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.metrics.distribution import cdf
from dumbbell.metrics.number import Limits, ends
from dumbbell.metrics.statistics import estimate

if TYPE_CHECKING:
    import numpy.typing as npt

ROOM: Final = 1.3
"""Beyond the least and the most of a logarithmic axis, as a factor."""


@dataclass(frozen=True, slots=True)
class Look:
    """How something looks, and what it is called."""

    style: str
    instance: int = 0
    label: str = ""
    """For a legend."""
    tag: str = ""
    """For what stands beside a line."""


class ErrorBar(NamedTuple):
    """A value, and the ends of its bar."""

    middle: float
    low: float
    high: float


Stat: TypeAlias = Callable[[Sequence[float]], ErrorBar]
"""What stands for the values at one place."""


def mean_within(limits: Limits, scale: float = 1.0) -> Stat:
    """The mean and its 95 % interval, which ends at the `limits`, times `scale`, of what the quantity can be."""

    def mean(values: Sequence[float]) -> ErrorBar:
        each = estimate(values)
        return ErrorBar(each.mean, *ends(each.mean, each.half_width, limits, scale))

    return mean


def median_and_range(values: Sequence[float]) -> ErrorBar:
    """The median, the least and the most.

    >>> median_and_range([1.0, 5.0, 2.0])
    ErrorBar(middle=2.0, low=1.0, high=5.0)
    """
    return ErrorBar(median(values), min(values), max(values))


def sweep(
    look: Look, table: Iterable[tuple[float, Sequence[float]]], stat: Stat, *, kind: Kind = "line+points"
) -> Layer:
    """A line over places, each with its values, in their order; where there are none it has no point."""
    known = [(place, stat(values)) for place, values in sorted(table) if values]
    return scatter(look, [place for place, _ in known], [spread for _, spread in known], kind=kind)


def scatter(
    look: Look,
    x: Sequence[float] | Sequence[ErrorBar],
    y: Sequence[float] | Sequence[ErrorBar],
    *,
    kind: Kind = "points",
    words: Sequence[str] = (),
) -> Layer:
    """Points, with bars in the direction in which they are spread; `words` stand beside them."""
    (across, left, right), (up, low, high) = (_columns(values) for values in (x, y))
    return Layer(
        label=look.label, style=look.style, instance=look.instance, tag=look.tag, kind=kind,
        x=across, y=up, low=low, high=high, left=left, right=right, words=tuple(words),
    )  # fmt: skip


def band(look: Look, x: Sequence[float], low: Sequence[float], high: Sequence[float], *, kind: Kind = "band") -> Layer:
    """What lies between two curves."""
    return replace(scatter(look, x, (), kind=kind), low=tuple(low), high=tuple(high))


def distribution(look: Look, samples: npt.ArrayLike, *, full: float = 1.0, part: float = 1.0, most: int = 500) -> Layer:
    """The share of the samples that does not exceed each value, up to `full`, of which these samples are a `part`."""
    values, shares = cdf(samples, most)
    return scatter(look, values, [full * share * part for share in shares], kind="step")


def equality(
    title: str,
    labels: tuple[str, str],
    layers: Iterable[Layer],
    ends: tuple[float, float],
    scale: Literal["linear", "log10"],
) -> Panel:
    """Points over one another in a panel with the line on which both are equal; `labels` are of x and y."""
    x, y = (Axis(label=label, scale=scale, limits=ends) for label in labels)
    return Panel(
        title=title, x=x, y=y, layers=(*layers, scatter(Look(PUBLISHED, label="equal"), ends, ends, kind="line"))
    )


def heat(  # noqa: PLR0913 (what a heat map has)
    labels: tuple[str, str],
    table: Mapping[tuple[float, float], Sequence[float]],
    published: Mapping[tuple[float, float], float],
    *,
    label: str,
    limits: Limits,
    colours: Colours,
    most: float | None,
) -> Panel:
    """A cell at each place of a table, by x and y: the mean of its values with its interval, and what was published.

    Each value of x and of y has one place, however far apart they are.
    """
    columns, rows = (sorted({place[which] for place in table}) for which in (0, 1))
    means = {place: estimate(values) for place, values in table.items() if values}

    def grid(cells: Mapping[tuple[float, float], float]) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(cells.get((column, row), math.nan) for column in columns) for row in rows)

    x, y = (
        Axis(label=own, ticks=tuple((float(index), f"{value:g}") for index, value in enumerate(values)))
        for own, values in zip(labels, (columns, rows), strict=True)
    )
    return Panel(x=x, y=y, heat=HeatMap(
        label=label, limits=limits, colours=colours, most=most,
        cells=grid({place: each.mean for place, each in means.items()}),
        half_widths=grid({place: each.half_width or 0.0 for place, each in means.items()}),
        published=grid(published) if published else (),
    ))  # fmt: skip


def _columns(
    values: Sequence[float] | Sequence[ErrorBar],
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    if values and isinstance(values[0], ErrorBar):
        middle, low, high = zip(*values, strict=True)
        return middle, low, high
    return tuple(values), (), ()  # type: ignore[arg-type]
