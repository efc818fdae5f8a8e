"""Lines of a panel from their rows: curves over a swept field, series over time, and the document's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, TypeVar

from dumbbell.charts.chart import Kind, Layer
from dumbbell.charts.shapes import Look, band, mean_within, scatter, sweep
from dumbbell.charts.style import PUBLISHED
from dumbbell.results.run_series import quartiles_bps
from dumbbell.studies.displays.rows import Axis, Line, MeasuredRow, Panel
from dumbbell.studies.displays.scope import EXPERIMENT, VERSION, Scope
from dumbbell.studies.displays.time import series_layers
from dumbbell.studies.evidence import RunData

Place = TypeVar("Place")


def numbers_at(row: MeasuredRow, place: Callable[[RunData], Place], scope: Scope) -> dict[Place, list[float]]:
    """At each place the number of each seed, in the row's unit, without those that have none."""
    value, factor = scope.formula(row.metric).of_run, scope.factor(row)
    numbers: dict[Place, list[float]] = {}
    for own, *others in scope.trials_with(row.beside):
        for run in own.runs:
            known = numbers.setdefault(place(run), [])
            measured = value(run, *(other.counterpart(run) for other in others))
            if measured is not None:
                known.append(factor * measured)
    return numbers


def layers_of(line: Line, panel: Panel, x: Axis | None, scope: Scope) -> Iterator[Layer]:
    """The layers of a line, for each case; `x` is the panel's axis, None of one over time.

    Raises:
        StudyError: the row asks for what there is not.
    """
    for inner in cases_of(line, scope):
        if line.draw:
            yield from getattr(scope.drawing, line.draw)(inner)
        elif line.series and line.stat != "quartiles":
            look = look_of(line, inner.sender_label, inner.sender, inner)
            yield from series_layers(line, panel.span, look, inner)
        elif not (line.metric or line.series):
            yield _published(line, x, panel.span, inner)
        elif x is None:
            raise inner.error("a metric needs an x axis of a field")
        else:
            yield _curve(line, x, inner)


def cases_of(line: Line, scope: Scope) -> Iterator[Scope]:
    """Of runs: each version and each experiment that is not settled."""
    of_runs = bool(line.metric or line.series)
    several = len(line.experiment or scope.experiments) > 1
    return scope.over(line, *[VERSION] * (of_runs and not scope.version), *[EXPERIMENT] * (of_runs and several))


def look_of(line: Line, label: str, style: str, scope: Scope) -> Look:
    """How a line looks; label and style are those of one that has none of its own."""
    label = label if line.label is None else scope.text(line.label)
    return Look(scope.text(line.style) or style, int(scope.text(str(line.instance))), label)


def _curve(line: Line, x: Axis, scope: Scope) -> Layer:
    """A mean over seeds at each point, with its 95 % interval; or the band between the means of two numbers."""
    at = line.x
    place: Callable[[RunData], float] = x.of if isinstance(at, str) else lambda _: at[0]
    look = look_of(line, scope.sender_label, scope.sender, scope)
    if line.stat:
        quartiles: dict[float, list[tuple[float, float]]] = {}
        for run in (run for trial in scope.trials() for run in trial.runs):
            seen = run.by_capture if line.origin else run
            quartiles.setdefault(place(run), []).append(quartiles_bps(seen, scope.group))
        places, factor = sorted(quartiles), scope.factor(line)
        low, high = ([factor * fmean(each[end] for each in quartiles[at]) for at in places] for end in (0, 1))
        return band(look, places, low, high, kind=line.kind or "band")
    stat = mean_within(scope.limits(line))
    return sweep(look, numbers_at(line, place, scope).items(), stat, kind=line.kind or "line+points")


def _published(line: Line, axis: Axis | None, span: tuple[float, float] | None, scope: Scope) -> Layer:
    """The document's numbers as a line, of which no run is needed: a column, a level, a band, or bins over time."""
    at: Sequence[float]
    y, low, high = (_column(line, name, scope) for name in (line.y, line.low, line.high))
    kind: Kind = "line"
    if line.bin_s is not None:
        at, y = _bins(y, line)
    elif line.x or isinstance(y or low, list):
        at = _places(line, axis, scope)
        kind = "line" if isinstance(y, float) else "line+points"
    elif span is None:
        raise scope.error(f"{line.published}.{line.y} is one number; say at which x it stands")
    else:
        at = span
    own = scope.terms.get("group")
    usual = scope.text("{family}, published ({short})" if own else "published ({short})")
    look = look_of(line, usual, f"{PUBLISHED} {own}" if own else PUBLISHED, scope)
    if line.low:
        return band(look, at, _each(low, at), _each(high, at), kind=line.kind or "band")
    return scatter(look, at, _each(y, at), kind=line.kind or kind)


def _column(line: Line, name: str | Sequence[float], scope: Scope) -> Any:  # noqa: ANN401 (a column, or a number)
    if not isinstance(name, str):
        return list(name)
    values = scope.published(f"{line.published}.{name}") if name else []
    return [float(each) for each in values] if isinstance(values, list) else float(values)


def _places(line: Line, axis: Axis | None, scope: Scope) -> Sequence[float]:
    if not isinstance(line.x, str):
        return line.x
    column = scope.published(f"{line.published}.{line.x or 'buffer'}")
    if not isinstance(column, list):
        return (float(column),)
    return tuple(map(float, column)) if axis is None else axis.numbers(column)


def _bins(values: Sequence[float], line: Line) -> tuple[list[float], list[float]]:
    """Whole bins in the middle of their time; of several together the mean, or the last at its end."""
    bin_s, together = line.bin_s or 0.0, line.together
    starts = range(0, len(values) - together + 1, together)
    if line.stat:
        return [bin_s * (at + together) for at in starts], [values[at + together - 1] for at in starts]
    return [bin_s * (at + together / 2) for at in starts], [fmean(values[at : at + together]) for at in starts]


def _each(values: float | Iterable[float], x: Sequence[float]) -> tuple[float, ...]:
    return (values,) * len(x) if isinstance(values, float) else tuple(values)
