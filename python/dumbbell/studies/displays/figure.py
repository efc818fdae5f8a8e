"""Charts from their rows: panels, axes and heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dumbbell.charts.chart import TIME, Axis, Chart, Layer, Panel
from dumbbell.charts.shapes import heat
from dumbbell.studies.displays import rows
from dumbbell.studies.displays.layers import cases_of, layers_of, numbers_at
from dumbbell.studies.displays.scope import Scope

ROOM = (0.9, 1.05)
"""Below and above all lines, where limits follow the data."""
SHORTER = 0.8
"""Of a span of time: runs that are over earlier, as those of a short form, end it."""
ROUND_S = 10.0
"""There, at the next multiple of this."""


def draw_figure(row: rows.Figure, scope: Scope) -> Chart:
    """A figure of the runs that a scope has."""
    published = {name: each for name, each in row.numbers.items() if each.published and scope.knows(each.published)}
    panels = [
        _panel(panel, inner)
        for outer in scope.unique(row.per)
        for panel in row.drawn_panels()
        for inner in outer.over(panel)
    ]
    if scope.study.short:
        panels = _distinct(panels)
    if any(_axis(panel.y, scope).limits == "data" for panel in row.drawn_panels() if panel.y):
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
        else f"{scope.formula(number.metric).of_run(scope.run()) or 0:.{number.digits}f}"
        for name, number in numbers.items()
    }
    return replace(scope, terms={**scope.terms, **terms})


def _panel(row: rows.Panel, scope: Scope) -> Panel:
    title = _with(row.numbers, scope).text(row.title)
    y = _axis(row.y, scope)
    x = _axis(row.x, scope) if row.x or row.heat else None
    if row.heat is not None and x is not None:
        return _heat(row.heat, x, y, title, scope)
    layers = tuple(_placed(layer, x, y) for line in row.lines for layer in layers_of(line, row, x, scope))
    end_s = math.inf if x or row.span is None else row.span[1]
    if scope.study.short and math.isfinite(end_s):
        end_s = _end_s(end_s, layers)
    marks = (
        (float(scope.published(mark.x) if isinstance(mark.x, str) else mark.x), scope.text(mark.words))
        for mark in row.marks
        if scope.has(mark.when)
    )
    time = Axis(label=TIME, limits=(row.span[0], end_s) if row.span else (None, None))
    return Panel(
        title=title,
        x=_swept_axis(x, row, scope) if x else time,
        y=_drawn_axis(y, scope),
        layers=layers,
        marks=tuple((at, text) for at, text in marks if at <= end_s),
    )


def _end_s(span_end_s: float, layers: Iterable[Layer]) -> float:
    """Where a short form's axis of time ends: with the span, or earlier where all runs are over long before."""
    last_s = max((each for layer in layers for each in layer.x), default=span_end_s)
    return span_end_s if last_s > SHORTER * span_end_s else ROUND_S * math.ceil(last_s / ROUND_S)


def _placed(layer: Layer, x: rows.Axis | None, y: rows.Axis) -> Layer:
    """Without 0 on logarithmic axes, which have no place for it: as the window before a program has connected."""
    across = x is not None and x.scale != "linear"
    up = y.scale != "linear" and not layer.low and len(layer.x) == len(layer.y)
    places = [
        index for index, at in enumerate(layer.x) if not (across and at <= 0) and not (up and layer.y[index] <= 0)
    ]
    return layer if len(places) == len(layer.x) else layer.part(places)


def _swept_axis(axis: rows.Axis, row: rows.Panel, scope: Scope) -> Axis:
    trials: Any = next((inner.trials() for line in row.lines if line.metric for inner in cases_of(line, scope)), [])
    drawn = _drawn_axis(axis, scope, axis.places(trials) if axis.ticks == "swept" else ())
    if not axis.in_bdp:
        return drawn
    one_bdp = trials[0].runs[0].bdp_bytes / axis.packet_bytes
    beyond = int(max(axis.places(trials)) / one_bdp)
    in_bdp = Axis(label=axis.in_bdp, ticks=tuple((each * one_bdp, str(each)) for each in range(beyond + 1)))
    return replace(drawn, opposite=in_bdp)


def _drawn_axis(axis: rows.Axis, scope: Scope, swept: Sequence[float] = ()) -> Axis:
    ends = (None, None) if axis.limits == "data" else axis.limits
    low, high = (float(scope.text(end)) if isinstance(end, str) else end for end in ends)
    ticks = swept if isinstance(axis.ticks, str) else axis.ticks
    return Axis(
        label=scope.text(axis.label), scale=axis.scale, limits=(low, high), ticks=tuple((at, f"{at:g}") for at in ticks)
    )


def _heat(row: rows.Heat, across: rows.Axis, up: rows.Axis, title: str, scope: Scope) -> Panel:
    """The mean over seeds in each cell, NaN where no seed gives the number; and what was published of these cells.

    The published table has `columns`, `rows` and `cells`: a list a row, NaN where the document has none.
    """
    published = scope.published(row.published) if row.published else {"columns": (), "rows": (), "cells": ()}
    theirs = {
        (x, y): float(cell)
        for y, cells in zip(up.numbers(published["rows"]), published["cells"], strict=True)
        for x, cell in zip(across.numbers(published["columns"]), cells, strict=True)
    }
    panel = heat(
        (across.label, up.label), numbers_at(row, lambda run: (across.of(run), up.of(run)), scope), theirs,
        label=scope.text(row.label), limits=scope.limits(row), colours=row.colours,
        most=float(scope.text(row.most)) if isinstance(row.most, str) else row.most,
    )  # fmt: skip
    return replace(panel, title=title)


def _fitted(panels: Sequence[Panel]) -> list[Panel]:
    """With limits around all of their lines."""
    values = [value for panel in panels for layer in panel.layers for value in layer.y]
    limits = (ROOM[0] * min(values), ROOM[1] * max(values))
    return [replace(panel, y=replace(panel.y, limits=limits)) for panel in panels]


def _axis(axis: rows.Axis | str, scope: Scope) -> rows.Axis:
    if isinstance(axis, rows.Axis):
        return axis
    if axis not in scope.displays.axes:
        raise scope.error(f'there is no axis "{axis}"')
    return scope.displays.axes[axis]
