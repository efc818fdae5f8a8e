"""The document's numbers as lines: columns over a field, levels, bands, and bins over time."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from dumbbell.charts.chart import Layer
from dumbbell.charts.style import PUBLISHED
from dumbbell.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.displays.rows import Line
    from dumbbell.studies.displays.scope import Scope
    from dumbbell.studies.sweep import Sweep


def published_layer(line: Line, sweep: Sweep | None, span: tuple[float, float] | None, scope: Scope) -> Layer:
    """A line of which no run is needed; `sweep` and `span` are those of its panel."""
    at: Sequence[float]
    y, low, high = (_numbers(line, name, scope) for name in (line.y, line.low, line.high))
    kind: Literal["line", "line+points", "band"] = "band" if line.low else "line"
    if line.bin_s is not None:
        at, y = _bins(y, line.bin_s, line.together, last=line.last)
    elif line.x or isinstance(y or low, list):
        at = _places(line, sweep, scope)
        kind = "band" if line.low else "line" if isinstance(y, float) else "line+points"
    elif span is None:
        raise StudyError(f"{scope.display}: {line.published}.{line.y} is one number; say at which x it stands")
    else:
        at = span
    own = scope.word("group")
    label = scope.text(
        ("{family}, published ({short})" if own else "published ({short})") if line.label is None else line.label
    )
    return Layer(
        label=label,
        style=scope.text(line.style) or (f"{PUBLISHED} {own}" if own else PUBLISHED),
        kind=line.kind or kind,
        x=tuple(at),
        y=() if line.low else _each(y, at),
        low=_each(low, at) if line.low else (),
        high=_each(high, at) if line.low else (),
        instance=int(scope.text(str(line.instance))),
    )


def _numbers(line: Line, name: str | Sequence[float], scope: Scope) -> Any:  # noqa: ANN401 (a column, or a number)
    if not isinstance(name, str):
        return list(name)
    found = scope.published(f"{line.published}.{name}") if name else []
    return [float(each) for each in found] if isinstance(found, list) else float(found)


def _places(line: Line, sweep: Sweep | None, scope: Scope) -> Sequence[float]:
    if not isinstance(line.x, str):
        return line.x
    column = scope.published(f"{line.published}.{line.x or 'buffer'}")
    if not isinstance(column, list):
        return (float(column),)
    return tuple(map(float, column)) if sweep is None else sweep.numbers(column)


def _bins(values: Sequence[float], bin_s: float, together: int, *, last: bool) -> tuple[list[float], list[float]]:
    """Whole bins in the middle of their time; of several together the mean, or the last at its end."""
    starts = range(0, len(values) - together + 1, together)
    if last:
        return [bin_s * (at + together) for at in starts], [values[at + together - 1] for at in starts]
    return [bin_s * (at + together / 2) for at in starts], [fmean(values[at : at + together]) for at in starts]


def _each(values: float | Sequence[float], x: Sequence[float]) -> tuple[float, ...]:
    return (values,) * len(x) if isinstance(values, float) else tuple(values)
