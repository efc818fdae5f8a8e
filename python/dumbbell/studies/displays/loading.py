"""The figures and tables of a study from `figures.toml`, whose rows are validated as they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

from pydantic import ValidationError

from dumbbell.charts.chart import Chart
from dumbbell.charts.table import Table
from dumbbell.errors import StudyError
from dumbbell.problem import suggestion
from dumbbell.studies.displays.figure import draw_figure
from dumbbell.studies.displays.rows import (
    UNITS,
    Case,
    Column,
    Displays,
    Figure,
    Line,
    Panel,
    Repeated,
    TableRow,
    Values,
)
from dumbbell.studies.displays.scope import EXPERIMENT, PLACEHOLDERS, VERSION, Scope, layers_function
from dumbbell.studies.displays.table import draw_table
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import problems_of
from dumbbell.studies.study import Display, Study

DrawnFigure: TypeAlias = "Display[Chart]"
DrawnTable: TypeAlias = "Display[Table]"


def displays_of(
    written: Mapping[str, Any], formulas: Formulas, experiments: Collection[str], drawing: ModuleType | None = None
) -> tuple[tuple[DrawnFigure, ...], tuple[DrawnTable, ...]]:
    """The figures and the tables of `figures.toml`; `drawing` has the functions that draw what a row cannot say.

    Raises:
        StudyError: rows have problems: all of them, one a line.
    """
    try:
        found = Displays.model_validate(written)
    except ValidationError as error:
        problems = list(problems_of(error))
    else:
        problems = list(_contradictions(found, formulas, drawing, experiments))
    if problems:
        raise StudyError("\n".join(problems))
    figures = [_figure(row, place, found, drawing) for row in found.figures for place in _members(row, found)]
    if found.order:
        figures.sort(key=lambda each: found.order.index(each.name))
    tables = [
        Display(name=row.name, experiments=row.experiments, draw=partial(_drawn_table, row, found, drawing))
        for row in found.tables
    ]
    return tuple(figures), tuple(tables)


def _members(row: Figure, displays: Displays) -> Iterator[tuple[int, Case] | None]:
    """The cases for each of which there is such a figure, or None where it is one."""
    if not row.case:
        yield None
        return
    found = displays.cases[row.case]
    yield from enumerate(found.cases() if isinstance(found, Values) else found)


def _figure(
    row: Figure, member: tuple[int, Case] | None, displays: Displays, drawing: ModuleType | None
) -> DrawnFigure:
    def draw(study: Study, evidence: Evidence) -> Chart:
        scope = Scope.of(row, displays, drawing, study, evidence)
        return draw_figure(row, displays.axes, scope if member is None else scope.bound(row.case, *member))

    words = {} if member is None else member[1].model_extra or {}
    return Display(name=row.name.format_map(words), experiments=row.experiments, draw=draw)


def _drawn_table(
    row: TableRow, displays: Displays, drawing: ModuleType | None, study: Study, evidence: Evidence
) -> Table:
    return draw_table(row, Scope.of(row, displays, drawing, study, evidence))


def _contradictions(
    displays: Displays, formulas: Formulas, drawing: ModuleType | None, experiments: Collection[str]
) -> Iterator[str]:
    """Every name in rows for which there is nothing; those with words in braces show when they are drawn."""
    for name in displays.cases.keys() & (PLACEHOLDERS - {"group"}):
        yield f'cases "{name}" hide the words of that name that every template has'
    for row in (*displays.figures, *displays.tables):
        for part in _parts(row):
            axes = (part.x, part.y) if isinstance(part, Panel) else ()
            shown = (*part.experiment, *(row.experiments if part is row else ()))
            names: tuple[tuple[str, Collection[Any], Collection[str]], ...] = (
                ("experiment", shown, experiments),
                ("dimension", _dimensions(part), {*displays.cases, VERSION, EXPERIMENT}),
                ("axis", [axis for axis in axes if isinstance(axis, str) and axis], displays.axes),
            )
            for noun, used, known in names:
                for name in used:
                    yield from _unknown(row.name, noun, name, known)
            if isinstance(part, Line | Column):
                yield from _unmeasured(row.name, part, formulas, drawing)


def _parts(row: Repeated) -> Iterator[Repeated]:
    """The row and all that it has."""
    yield row
    for key in ("panels", "lines", "columns"):
        parts = getattr(row, key, ())
        for part in parts if isinstance(parts, tuple) else ():
            yield from _parts(part)


def _dimensions(part: Repeated) -> list[str]:
    listed = (getattr(part, key, None) or () for key in ("each", "per", "rows", "across"))
    own = [part.case] if isinstance(part, Figure) and part.case else []
    return [*own, *(name for names in listed for name in names)]


def _unmeasured(display: str, part: Line | Column, formulas: Formulas, drawing: ModuleType | None) -> Iterator[str]:
    finders: dict[str, Callable[[str], object]] = {
        "metric": formulas.parse,
        "sweep_metric": formulas.parse,
        "draw": partial(layers_function, drawing=drawing),
    }
    for field, find in finders.items():
        name = getattr(part, field, "")
        if name and "{" not in name:
            try:
                find(name)
            except StudyError as error:
                yield f"{display}: {error}"
    if part.factor is None:
        yield from _unknown(display, "unit", part.unit, UNITS)


def _unknown(display: str, noun: str, name: str, known: Collection[str]) -> Iterator[str]:
    if "{" not in name and name not in known:
        hint = suggestion(name, list(known))
        yield f'{display}: there is no {noun} "{name}"' + (f"; {hint}" if hint else "")
