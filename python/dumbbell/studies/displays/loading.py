"""The figures and tables of a study from `figures.toml`, whose rows are validated as they are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

from pydantic import ValidationError

from dumbbell.charts.chart import Chart
from dumbbell.errors import StudyError
from dumbbell.studies.displays.contradictions import contradictions
from dumbbell.studies.displays.figure import draw_figure
from dumbbell.studies.displays.rows import Displays, Figure, Member, TableRow
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.displays.table import draw_table
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import problems_of
from dumbbell.studies.study import Display, Study
from dumbbell.tables.table import Table

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
        displays = Displays.model_validate(written)
    except ValidationError as error:
        problems = list(problems_of(error))
    else:
        problems = list(contradictions(displays, formulas, drawing, experiments))
    if problems:
        raise StudyError("\n".join(problems))
    figures = [_figure(row, place, displays, drawing) for row in displays.figures for place in displays.members(row)]
    if displays.order:
        figures.sort(key=lambda each: displays.order.index(each.name))
    tables = [
        Display(
            name=row.name, experiments=row.experiments, draw=partial(_drawn_table, row, displays, drawing),
            needs=row.needs,
        )
        for row in displays.tables
    ]  # fmt: skip
    return tuple(figures), tuple(tables)


def _figure(row: Figure, member: Member, displays: Displays, drawing: ModuleType | None) -> DrawnFigure:
    def draw(study: Study, evidence: Evidence) -> Chart:
        scope = Scope.of(row, displays, drawing, study, evidence)
        return draw_figure(row, displays.axes, scope if member is None else scope.bound(row.case, *member))

    return Display(name=row.name_of(member), experiments=row.experiments, draw=draw, needs=row.needs)


def _drawn_table(
    row: TableRow, displays: Displays, drawing: ModuleType | None, study: Study, evidence: Evidence
) -> Table:
    return draw_table(row, Scope.of(row, displays, drawing, study, evidence))
