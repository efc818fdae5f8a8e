"""Heat maps over two swept fields."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from dumbbell.charts.chart import Axis, HeatMap, Panel
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.displays.curve import runs_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies.displays.curve import Together, Value
    from dumbbell.studies.sweep import Sweep


class Look(TypedDict, total=False):
    """How the cells are coloured, as `HeatMap` has it."""

    colours: Literal["sequential", "logarithmic", "diverging"]
    most: float | None


def grid(  # noqa: PLR0913 (what a heat map is made of)
    title: str,
    trials: Together,
    columns: tuple[Sweep, str],
    rows: tuple[Sweep, str],
    value: Value,
    *,
    quantity: str,
    factor: float = 1.0,
    published: Mapping[str, Any] | None = None,
    **look: Unpack[Look],
) -> Panel:
    """A panel with the mean over seeds in each cell; `columns` and `rows` are each a field and its axis's label.

    A cell is NaN where no seed gives the number. `published` is a table with `columns`, `rows` and `cells` (a list a
    row, in the order of `rows`; nan where the document has none), of which those are taken whose values are swept.
    """
    (across, x_label), (up, y_label) = columns, rows
    found: dict[tuple[float, float], list[float]] = {}
    for runs in runs_of(trials):
        told = value(*runs)
        cell = found.setdefault((up.of(runs[0]), across.of(runs[0])), [])
        if told is not None:
            cell.append(factor * told)
    xs, ys = sorted({x for _, x in found}), sorted({y for y, _ in found})
    cells = {place: estimate(values) for place, values in found.items() if values}
    theirs = {} if published is None else _published(published, across, up)
    return Panel(
        title=title,
        x=_categories(x_label, xs),
        y=_categories(y_label, ys),
        heat=HeatMap(
            label=quantity,
            cells=_grid(xs, ys, {place: each.mean for place, each in cells.items()}),
            half_widths=_grid(xs, ys, {place: each.half_width or 0.0 for place, each in cells.items()}),
            published=_grid(xs, ys, theirs) if theirs else (),
            **look,
        ),
    )


def _published(numbers: Mapping[str, Any], across: Sweep, up: Sweep) -> dict[tuple[float, float], float]:
    xs, ys = across.numbers(numbers["columns"]), up.numbers(numbers["rows"])
    return {
        (y, x): float(cell)
        for y, row in zip(ys, numbers["cells"], strict=True)
        for x, cell in zip(xs, row, strict=True)
    }


def _grid(
    xs: Sequence[float], ys: Sequence[float], cells: Mapping[tuple[float, float], float]
) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(cells.get((y, x), math.nan) for x in xs) for y in ys)


def _categories(label: str, values: Sequence[float]) -> Axis:
    """One place a value, however far apart they are."""
    return Axis(label=label, ticks=tuple((float(index), f"{value:g}") for index, value in enumerate(values)))
