"""What rows of `figures.toml` name that there is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.spec.problem import suggestion
from dumbbell.studies.displays.rows import UNITS, Figure, Repeated
from dumbbell.studies.displays.scope import EXPERIMENT, VERSION, resolved
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import ModuleType

    from dumbbell.studies.displays.rows import Displays, Shown


def contradictions(
    displays: Displays, functions: tuple[ModuleType, ...], experiments: Collection[str]
) -> Iterator[str]:
    """Every name in rows for which there is nothing; those with words in braces show when they are drawn."""
    shown: list[Shown] = [*displays.figures, *displays.tables]
    for row in shown:
        for name in row.experiments:
            yield from _unknown(row.name, "experiment", name, experiments)
        for part in _parts(row):
            for name in part.experiment:
                yield from _unknown(row.name, "experiment", name, experiments)
            for name in _dimensions(part):
                yield from _unknown(row.name, "dimension", name, {*displays.cases, VERSION, EXPERIMENT})
            for name in (getattr(part, "x", None), getattr(part, "y", None)):
                if isinstance(name, str) and name and not hasattr(part, "published"):
                    yield from _unknown(row.name, "axis", name, displays.axes)
            for name in (getattr(part, key, "") for key in ("metric", "sweep_metric", "draw")):
                yield from _unmeasured(row.name, name, functions)
            if getattr(part, "factor", None) is None and hasattr(part, "metric"):
                yield from _unknown(row.name, "unit", getattr(part, "unit", ""), UNITS)


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


def _unmeasured(display: str, name: str, functions: tuple[ModuleType, ...]) -> Iterator[str]:
    if name and "{" not in name:
        try:
            resolved(name, functions)
        except StudyError as error:
            yield f"{display}: {error}"


def _unknown(display: str, noun: str, name: str, known: Collection[str]) -> Iterator[str]:
    if "{" not in name and name not in known:
        hint = suggestion(name, list(known))
        yield f'{display}: there is no {noun} "{name}"' + (f"; {hint}" if hint else "")
