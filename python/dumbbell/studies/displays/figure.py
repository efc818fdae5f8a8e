"""Charts from their rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.errors import StudyError
from dumbbell.results.run_series import quartiles_bps
from dumbbell.studies.displays.curve import band, curve
from dumbbell.studies.displays.grid import grid
from dumbbell.studies.displays.label import label_of
from dumbbell.studies.displays.published import published_layer
from dumbbell.studies.displays.scope import EXPERIMENT, VERSION, layers_function
from dumbbell.studies.displays.time import series_layers
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dumbbell.studies.displays import rows
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


def _with(numbers: Mapping[str, rows.Number], scope: Scope) -> Scope:
    """With numbers as words."""
    words = {
        name: str(scope.published(number.published))
        if number.published
        else f"{scope.metric(number.metric)(scope.run()) or 0:.{number.digits}f}"
        for name, number in numbers.items()
    }
    return replace(scope, words=(*scope.words, *words.items()))


def _panel(row: rows.Panel, axes: Mapping[str, rows.Axis], scope: Scope) -> Panel:
    title = _with(row.numbers, scope).text(row.title)
    marks = tuple(
        (float(scope.published(mark.x) if isinstance(mark.x, str) else mark.x), scope.text(mark.words))
        for mark in row.marks
        if scope.has(mark.when)
    )
    y = _axis(row.y, axes)
    up = Axis(label=scope.text(y.label), scale=y.scale, limits=_limits(y, scope), ticks=_ticks(y.ticks))
    if row.heat is not None:
        return _heat(row.heat, (_axis(row.x, axes), y), title, scope)
    x = _axis(row.x, axes) if row.x else None
    layers = tuple(layer for line in row.lines for layer in _layers(line, row, x, scope))
    return Panel(
        title=title,
        x=_swept_axis(x, row, scope) if x else Axis(label="time (s)", limits=row.span or (None, None)),
        y=up,
        layers=layers,
        marks=marks,
    )


def _layers(line: rows.Line, panel: rows.Panel, x: rows.Axis | None, scope: Scope) -> Iterator[Layer]:
    for inner in _cases(line, scope):
        if line.draw:
            yield from layers_function(line.draw, inner.drawing)(inner)
        elif line.series:
            yield from series_layers(line, None if panel.distribution else panel.span, inner)
        elif line.metric or line.band:
            if x is None:
                raise StudyError(f"{scope.display}: a metric needs an x axis of a field")
            yield _curve(line, x, inner)
        else:
            yield _on_axis(published_layer(line, sweep_of(x) if x else None, panel.span, inner), x)


def _cases(line: rows.Line, scope: Scope) -> Iterator[Scope]:
    """Of runs: each version and each experiment that is not settled."""
    of_runs = bool(line.metric or line.band or line.series)
    several = len(line.experiment or scope.experiments) > 1
    return scope.over(line, *[VERSION] * (of_runs and not scope.version), *[EXPERIMENT] * (of_runs and several))


def _curve(line: rows.Line, x: rows.Axis, scope: Scope) -> Layer:
    style = scope.text(line.style) or scope.sender
    label = scope.text(line.label) if line.label is not None else label_of(scope.sender, scope.evidence.engine)
    factor = scope.factor(line.unit, line.factor) / line.divisor
    place = sweep_of(x).of if isinstance(line.x, str) else lambda _: line.x[0]
    if line.band:
        trials: Any = scope.trials()
        layer = band(label, style, trials, place, partial(quartiles_bps, group=scope.group), factor)
    else:
        trials = scope.trials(line.beside, line.also)
        layer = curve(label, style, trials, place, scope.metric(line.metric), factor=factor)
    return _on_axis(replace(layer, kind=line.kind or layer.kind, instance=int(scope.text(str(line.instance)))), x)


def _on_axis(layer: Layer, x: rows.Axis | None) -> Layer:
    """Without what a logarithmic axis has no place for."""
    if x is None or x.scale == "linear" or all(at > 0 for at in layer.x):
        return layer
    drawn = [at > 0 for at in layer.x]
    known = {name: tuple(compress(getattr(layer, name), drawn)) for name in ("x", "y", "low", "high")}
    return replace(layer, x=known["x"], y=known["y"], low=known["low"], high=known["high"])


def sweep_of(axis: rows.Axis) -> Sweep:
    """The field of an axis."""
    return Sweep(axis.field, axis.unit, packet_bytes=axis.packet_bytes)


def _swept_axis(axis: rows.Axis, row: rows.Panel, scope: Scope) -> Axis:
    trials: Any = next((inner.trials() for line in row.lines if line.metric for inner in _cases(line, scope)), [])
    ticks = sweep_of(axis).values(trials) if axis.ticks == "swept" else axis.ticks
    opposite = None
    if axis.in_bdp:
        one_bdp = trials[0].runs[0].bdp_bytes / axis.packet_bytes
        beyond = int(max(sweep_of(axis).values(trials)) / one_bdp)
        opposite = Axis(label=axis.in_bdp, ticks=tuple((each * one_bdp, str(each)) for each in range(beyond + 1)))
    return Axis(label=axis.label, scale=axis.scale, limits=_limits(axis, scope), ticks=_ticks(ticks), opposite=opposite)


def _heat(row: rows.Heat, axes: tuple[rows.Axis, rows.Axis], title: str, scope: Scope) -> Panel:
    columns, up = axes
    most = float(scope.text(row.most)) if isinstance(row.most, str) else row.most
    return grid(
        title,
        scope.trials(row.beside),
        (sweep_of(columns), columns.label),
        (sweep_of(up), up.label),
        scope.metric(row.metric),
        quantity=scope.text(row.label),
        factor=scope.factor(row.unit, None),
        published=scope.published(row.published) if row.published else None,
        colours=row.colours,
        most=most,
    )


def _fitted(panels: Iterable[Panel]) -> list[Panel]:
    """With limits around all of their lines."""
    panels = list(panels)
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
