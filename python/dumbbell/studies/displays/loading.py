"""The figures and tables of a study: declared as rows, each drawn when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from dumbbell.errors import StudyError
from dumbbell.studies.displays.contradictions import contradictions
from dumbbell.studies.displays.figure import draw_figure
from dumbbell.studies.displays.rows import Case, Displays, Figure, TableRow, Values
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.displays.table import draw_table
from dumbbell.studies.manifest import problems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from types import ModuleType

    from dumbbell.charts.chart import Chart
    from dumbbell.charts.table import Table
    from dumbbell.studies.displays.scope import Document
    from dumbbell.studies.evidence import Evidence

Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Display(Generic[Shown]):
    """A figure or a table of the document, made again."""

    name: str
    """As its chart, or table, and its files are called: "figure7"."""
    experiments: tuple[str, ...]
    """The experiments that it shows."""
    draw: Callable[[Document, Evidence], Shown]
    """Makes it."""


DrawnFigure: TypeAlias = "Display[Chart]"
DrawnTable: TypeAlias = "Display[Table]"


def displays_of(
    written: Mapping[str, Any], functions: tuple[ModuleType, ...], experiments: Collection[str]
) -> tuple[tuple[DrawnFigure, ...], tuple[DrawnTable, ...]]:
    """The figures and the tables of `figures.toml`; `functions` have what a row cannot say.

    Raises:
        StudyError: with everything in it that cannot be so.
    """
    try:
        found = Displays.model_validate(written)
    except ValidationError as error:
        raise StudyError("\n".join(f"figures.toml: {each}" for each in problems_of(error))) from None
    problems = list(contradictions(found, functions, experiments))
    if problems:
        raise StudyError("\n".join(f"figures.toml: {each}" for each in problems))
    figures = [_figure(row, place, found, functions) for row in found.figures for place in _members(row, found)]
    if found.order:
        figures.sort(key=lambda each: found.order.index(each.name))
    tables = [
        Display(name=row.name, experiments=row.experiments,
                draw=partial(_drawn_table, row, found, functions))
        for row in found.tables
    ]  # fmt: skip
    return tuple(figures), tuple(tables)


def _members(row: Figure, displays: Displays) -> Iterator[tuple[int, Case] | None]:
    """The cases for each of which there is such a figure, or None where it is one."""
    if not row.case:
        yield None
        return
    if row.case not in displays.cases:
        raise StudyError(f'figures.toml: {row.name}: there are no cases "{row.case}"')
    found = displays.cases[row.case]
    yield from enumerate(found.cases() if isinstance(found, Values) else found)


def _figure(
    row: Figure, member: tuple[int, Case] | None, displays: Displays, functions: tuple[ModuleType, ...]
) -> DrawnFigure:
    words = {} if member is None else member[1].model_extra or {}
    return Display(
        name=row.name.format_map(words),
        experiments=row.experiments,
        draw=partial(_drawn_figure, row, member, displays, functions),
    )


def _drawn_figure(  # noqa: PLR0913, PLR0917 (all but the last two are what a display is made of)
    row: Figure,
    member: tuple[int, Case] | None,
    displays: Displays,
    functions: tuple[ModuleType, ...],
    study: Document,
    evidence: Evidence,
) -> Chart:
    scope = _scope(row, displays, functions, study, evidence)
    return draw_figure(row, displays.axes, scope if member is None else scope.bound(row.case, *member))


def _drawn_table(
    row: TableRow, displays: Displays, functions: tuple[ModuleType, ...], study: Document, evidence: Evidence
) -> Table:
    return draw_table(row, _scope(row, displays, functions, study, evidence))


def _scope(
    row: Figure | TableRow,
    displays: Displays,
    functions: tuple[ModuleType, ...],
    study: Document,
    evidence: Evidence,
) -> Scope:
    return Scope(
        study=study,
        evidence=evidence,
        functions=functions,
        cases=displays.cases,
        display=row.name,
        shown=row.experiments,
        experiments=row.experiments,
        source=row.source,
    )
