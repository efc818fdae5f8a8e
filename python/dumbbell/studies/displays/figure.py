"""Charts from their rows: panels, axes and heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.charts.in_time import TIME
from dumbbell.errors import StudyError
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.displays import rows
from dumbbell.studies.displays.layers import cases_of, layers_of, numbers_at
from dumbbell.studies.displays.scope import Scope

ROOM = (0.9, 1.05)
"""Below and above all lines, where limits follow the data."""


def draw_figure(row: rows.Figure, axes: Mapping[str, rows.Axis], scope: Scope) -> Chart:
    """A figure of the runs that a scope has."""
    published = {name: each for name, each in row.numbers.items() if each.published and scope.knows(each.published)}
    panels = []
    for outer in scope.unique(row.per):
        for panel in row.drawn_panels():
            panels += [_panel(panel, axes, inner) for inner in outer.over(panel)]
    if scope.study.short:
        panels = _distinct(panels)
    if any(_axis(panel.y, axes).limits == "data" for panel in row.drawn_panels() if panel.y):
        panels = _fitted(panels)
    return Chart(
        name=scope.text(row.name),
        title=scope.text(row.title),
        caption=_with(published, scope).text(row.caption),
        alt=scope.text(row.alt),
        panels=tuple(panels),
        columns=len(scope.versions) if row.columns == "versions" else row.columns,
    )


def _distinct(panels: Iterable[Panel]) -> list[Panel]:
    """Without those that show under another title what one before shows, of cases that the runs do not tell apart."""
    distinct: list[Panel] = []
    for panel in panels:
        if not any(panel.title != each.title and replace(panel, title=each.title) == each for each in distinct):
            distinct.append(panel)
    return distinct


def _with(numbers: Mapping[str, rows.Number], scope: Scope) -> Scope:
    terms = {
        name: str(scope.published(number.published))
        if number.published
        else f"{scope.metric(number.metric)(scope.run()) or 0:.{number.digits}f}"
        for name, number in numbers.items()
    }
    return replace(scope, terms=(*scope.terms, *terms.items()))


def _panel(row: rows.Panel, axes: Mapping[str, rows.Axis], scope: Scope) -> Panel:
    title = _with(row.numbers, scope).text(row.title)
    y = _axis(row.y, axes)
    if row.heat is not None:
        return _heat(row.heat, _axis(row.x, axes), y, title, scope)
    x = _axis(row.x, axes) if row.x else None
    return Panel(
        title=title,
        x=_swept_axis(x, row, scope) if x else Axis(label=TIME, limits=row.span or (None, None)),
        y=Axis(label=scope.text(y.label), scale=y.scale, limits=_limits(y, scope), ticks=_ticks(y.ticks)),
        layers=tuple(_placed(layer, y) for line in row.lines for layer in layers_of(line, row, x, scope)),
        marks=tuple(
            (float(scope.published(mark.x) if isinstance(mark.x, str) else mark.x), scope.text(mark.words))
            for mark in row.marks
            if scope.has(mark.when)
        ),
    )


def _placed(layer: Layer, y: rows.Axis) -> Layer:
    """What of a series has a place: on a logarithmic axis 0 has none, as the window before a program has connected."""
    if y.scale == "linear" or layer.low or len(layer.x) != len(layer.y) or min(layer.y, default=1.0) > 0:
        return layer
    points = [(x, value) for x, value in zip(layer.x, layer.y, strict=True) if value > 0]
    return replace(layer, x=tuple(x for x, _ in points), y=tuple(value for _, value in points))


def _swept_axis(axis: rows.Axis, row: rows.Panel, scope: Scope) -> Axis:
    trials: Any = next((inner.trials() for line in row.lines if line.metric for inner in cases_of(line, scope)), [])
    opposite = None
    if axis.in_bdp:
        one_bdp = trials[0].runs[0].bdp_bytes / axis.packet_bytes
        beyond = int(max(axis.places(trials)) / one_bdp)
        opposite = Axis(label=axis.in_bdp, ticks=tuple((each * one_bdp, str(each)) for each in range(beyond + 1)))
    ticks = _ticks(axis.places(trials) if axis.ticks == "swept" else axis.ticks)
    return Axis(label=axis.label, scale=axis.scale, limits=_limits(axis, scope), ticks=ticks, opposite=opposite)


def _heat(row: rows.Heat, across: rows.Axis, up: rows.Axis, title: str, scope: Scope) -> Panel:
    """The mean over seeds in each cell, NaN where no seed gives the number; and what was published of these cells.

    The published table has `columns`, `rows` and `cells`: a list a row, NaN where the document has none.
    """
    numbers = numbers_at(
        scope.trials(row.beside),
        lambda run: (up.of(run), across.of(run)),
        scope.metric(row.metric),
        scope.factor(row.unit, None),
    )
    xs, ys = sorted({x for _, x in numbers}), sorted({y for y, _ in numbers})
    means = {place: estimate(values) for place, values in numbers.items() if values}
    published = scope.published(row.published) if row.published else {"columns": (), "rows": (), "cells": ()}
    theirs = {
        (y, x): float(cell)
        for y, cells in zip(up.numbers(published["rows"]), published["cells"], strict=True)
        for x, cell in zip(across.numbers(published["columns"]), cells, strict=True)
    }

    def grid(cells: Mapping[tuple[float, float], float]) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(cells.get((y, x), math.nan) for x in xs) for y in ys)

    return Panel(
        title=title,
        x=_categories(across.label, xs),
        y=_categories(up.label, ys),
        heat=HeatMap(
            label=scope.text(row.label),
            cells=grid({place: each.mean for place, each in means.items()}),
            limits=scope.limits(row.metric, scope.factor(row.unit, None)),
            half_widths=grid({place: each.half_width or 0.0 for place, each in means.items()}),
            published=grid(theirs) if theirs else (),
            colours=row.colours,
            most=float(scope.text(row.most)) if isinstance(row.most, str) else row.most,
        ),
    )


def _categories(label: str, values: Sequence[float]) -> Axis:
    """One place a value, however far apart they are."""
    return Axis(label=label, ticks=tuple((float(index), f"{value:g}") for index, value in enumerate(values)))


def _fitted(panels: Sequence[Panel]) -> list[Panel]:
    """With limits around all of their lines."""
    values = [value for panel in panels for layer in panel.layers for value in layer.y]
    limits = (ROOM[0] * min(values), ROOM[1] * max(values))
    return [replace(panel, y=replace(panel.y, limits=limits)) for panel in panels]


def _axis(axis: rows.Axis | str, axes: Mapping[str, rows.Axis]) -> rows.Axis:
    if not isinstance(axis, str):
        return axis
    if axis not in axes:
        raise StudyError(f'there is no axis "{axis}"; known: {", ".join(axes) or "none"}')
    return axes[axis]


def _limits(axis: rows.Axis, scope: Scope) -> tuple[float | None, float | None]:
    if axis.limits == "data":
        return None, None
    low, high = (float(scope.text(end)) if isinstance(end, str) else end for end in axis.limits)
    return low, high


def _ticks(places: Iterable[float] | str) -> tuple[tuple[float, str], ...]:
    return () if isinstance(places, str) else tuple((at, f"{at:g}") for at in places)
