"""Lines of a panel from their rows: curves over a swept field, bands, series over time, and the document's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from statistics import fmean
from typing import Any, Literal, TypeAlias, TypeVar

from dumbbell.charts.chart import Layer
from dumbbell.charts.style import PUBLISHED, label_of
from dumbbell.metrics.number import ends
from dumbbell.metrics.statistics import estimate
from dumbbell.results.run_series import quartiles_bps
from dumbbell.studies.displays.rows import Axis, Line, Panel
from dumbbell.studies.displays.scope import EXPERIMENT, VERSION, Scope, layers_function
from dumbbell.studies.displays.time import series_layers
from dumbbell.studies.evidence import RunData, SeedSweep

Together: TypeAlias = "Sequence[SeedSweep] | Sequence[tuple[SeedSweep, ...]]"
"""An experiment's sweeps, or those of several experiments seed by seed, as `Evidence.together` gives them."""
Place = TypeVar("Place")


def runs_of(trials: Together) -> Iterator[tuple[RunData, ...]]:
    """Each run of each seed, with those at its point of the other experiments."""
    for each in trials:
        first, *others = (each,) if isinstance(each, SeedSweep) else each
        for run in first.runs:
            yield run, *(other.counterpart(run) for other in others)


def numbers_at(
    trials: Together, place: Callable[[RunData], Place], value: Callable[..., float | None], factor: float
) -> dict[Place, list[float]]:
    """At each place the number of each seed, without those that have none."""
    numbers: dict[Place, list[float]] = {}
    for runs in runs_of(trials):
        known = numbers.setdefault(place(runs[0]), [])
        measured = value(*runs)
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
            yield from layers_function(line.draw, inner.drawing)(inner)
        elif line.series:
            yield from series_layers(line, None if panel.distribution else panel.span, inner)
        elif line.metric or line.band:
            if x is None:
                raise inner.error("a metric needs an x axis of a field")
            yield _on_axis(_curve(line, x, inner), x)
        else:
            yield _on_axis(_published(line, x, panel.span, inner), x)


def cases_of(line: Line, scope: Scope) -> Iterator[Scope]:
    """Of runs: each version and each experiment that is not settled."""
    of_runs = bool(line.metric or line.band or line.series)
    several = len(line.experiment or scope.experiments) > 1
    return scope.over(line, *[VERSION] * (of_runs and not scope.version), *[EXPERIMENT] * (of_runs and several))


def _curve(line: Line, x: Axis, scope: Scope) -> Layer:
    """A mean over seeds at each point, with its 95 % interval; or the band between the means of two numbers."""
    factor = scope.factor(line.unit, line.factor) / line.divisor
    at = line.x
    place: Callable[[RunData], float] = x.of if isinstance(at, str) else lambda _: at[0]
    looks: dict[str, Any] = {
        "label": scope.text(line.label) if line.label is not None else label_of(scope.sender, scope.evidence.engine),
        "style": scope.text(line.style) or scope.sender,
        "instance": int(scope.text(str(line.instance))),
    }
    if line.band:
        quartiles: dict[float, list[tuple[float, float]]] = {}
        for (run,) in runs_of(scope.trials()):
            quartiles.setdefault(place(run), []).append(quartiles_bps(run, scope.group))
        places = sorted(quartiles)
        low, high = (tuple(factor * fmean(each[end] for each in quartiles[at]) for at in places) for end in (0, 1))
        return Layer(kind=line.kind or "band", x=tuple(places), y=(), low=low, high=high, **looks)
    numbers = numbers_at(scope.trials(line.beside, line.also), place, scope.metric(line.metric), factor)
    means = {at: estimate(values) for at, values in sorted(numbers.items()) if values}
    limits = scope.limits(line.metric, factor)
    reach = [ends(each.mean, each.half_width, limits) for each in means.values()]
    return Layer(
        kind=line.kind or "line+points",
        x=tuple(means),
        y=tuple(each.mean for each in means.values()),
        low=tuple(low for low, _ in reach),
        high=tuple(high for _, high in reach),
        **looks,
    )


def _on_axis(layer: Layer, x: Axis | None) -> Layer:
    """Without what a logarithmic axis has no place for."""
    if x is None or x.scale == "linear" or all(at > 0 for at in layer.x):
        return layer
    drawn = [at > 0 for at in layer.x]
    known = {name: tuple(compress(getattr(layer, name), drawn)) for name in ("x", "y", "low", "high")}
    return replace(layer, x=known["x"], y=known["y"], low=known["low"], high=known["high"])


def _published(line: Line, axis: Axis | None, span: tuple[float, float] | None, scope: Scope) -> Layer:
    """The document's numbers as a line, of which no run is needed: a column, a level, a band, or bins over time."""
    at: Sequence[float]
    y, low, high = (_column(line, name, scope) for name in (line.y, line.low, line.high))
    kind: Literal["line", "line+points", "band"] = "band" if line.low else "line"
    if line.bin_s is not None:
        at, y = _bins(y, line.bin_s, line.together, last=line.last)
    elif line.x or isinstance(y or low, list):
        at = _places(line, axis, scope)
        kind = "band" if line.low else "line" if isinstance(y, float) else "line+points"
    elif span is None:
        raise scope.error(f"{line.published}.{line.y} is one number; say at which x it stands")
    else:
        at = span
    own = scope.word("group")
    usual = "{family}, published ({short})" if own else "published ({short})"
    return Layer(
        label=scope.text(usual if line.label is None else line.label),
        style=scope.text(line.style) or (f"{PUBLISHED} {own}" if own else PUBLISHED),
        kind=line.kind or kind,
        x=tuple(at),
        y=() if line.low else _each(y, at),
        low=_each(low, at) if line.low else (),
        high=_each(high, at) if line.low else (),
        instance=int(scope.text(str(line.instance))),
    )


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


def _bins(values: Sequence[float], bin_s: float, together: int, *, last: bool) -> tuple[list[float], list[float]]:
    """Whole bins in the middle of their time; of several together the mean, or the last at its end."""
    starts = range(0, len(values) - together + 1, together)
    if last:
        return [bin_s * (at + together) for at in starts], [values[at + together - 1] for at in starts]
    return [bin_s * (at + together / 2) for at in starts], [fmean(values[at : at + together]) for at in starts]


def _each(values: float | Iterable[float], x: Sequence[float]) -> tuple[float, ...]:
    return (values,) * len(x) if isinstance(values, float) else tuple(values)
