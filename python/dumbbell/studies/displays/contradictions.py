"""What rows of `figures.toml` name that there is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.errors import StudyError
from dumbbell.spec.problem import suggestion
from dumbbell.studies.displays.rows import UNITS, Column, Figure, Line, Panel, Repeated
from dumbbell.studies.displays.scope import EXPERIMENT, PLACEHOLDERS, VERSION, resolved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import ModuleType

    from dumbbell.studies.displays.rows import Displays, Shown


def contradictions(
    displays: Displays, functions: tuple[ModuleType, ...], experiments: Collection[str]
) -> Iterator[str]:
    """Every name in rows for which there is nothing; those with words in braces show when they are drawn."""
    for name in displays.cases.keys() & (PLACEHOLDERS - {"group"}):
        yield f'cases "{name}" hide the words of that name that every template has'
    shown: list[Shown] = [*displays.figures, *displays.tables]
    for row in shown:
        for name in row.experiments:
            yield from _unknown(row.name, "experiment", name, experiments)
        for part in _parts(row):
            for name in part.experiment:
                yield from _unknown(row.name, "experiment", name, experiments)
            for name in _dimensions(part):
                yield from _unknown(row.name, "dimension", name, {*displays.cases, VERSION, EXPERIMENT})
            for name in _axes(part):
                yield from _unknown(row.name, "axis", name, displays.axes)
            if isinstance(part, Line | Column):
                yield from _unmeasured(row.name, part, functions)


def _axes(part: Repeated) -> Iterator[str]:
    axes = (part.x, part.y) if isinstance(part, Panel) else ()
    return (axis for axis in axes if isinstance(axis, str) and axis)


def _parts(row: Repeated) -> Iterator[Repeated]:
    """The row and all that it has."""
    yield row
    for key in ("panels", "lines", "columns"):
        parts: Iterable[object] = getattr(row, key, ()) if isinstance(getattr(row, key, ()), tuple) else ()
        for part in parts:
            if isinstance(part, Repeated):
                yield from _parts(part)


def _dimensions(part: Repeated) -> Iterator[str]:
    for key in ("each", "per", "rows", "across"):
        yield from getattr(part, key, None) or ()
    if isinstance(part, Figure) and part.case:
        yield part.case


def _unmeasured(display: str, part: Line | Column, functions: tuple[ModuleType, ...]) -> Iterator[str]:
    for name in (part.metric, getattr(part, "sweep_metric", ""), getattr(part, "draw", "")):
        if name and "{" not in name:
            try:
                resolved(name, functions)
            except StudyError as error:
                yield f"{display}: {error}"
    if part.factor is None:
        yield from _unknown(display, "unit", part.unit, UNITS)


def _unknown(display: str, noun: str, name: str, known: Collection[str]) -> Iterator[str]:
    if "{" not in name and name not in known:
        hint = suggestion(name, list(known))
        yield f'{display}: there is no {noun} "{name}"' + (f"; {hint}" if hint else "")
