"""The figures and tables of a study from `figures.toml`, whose rows are validated as they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

from pydantic import ValidationError

from dumbbell.charts.chart import Chart
from dumbbell.errors import StudyError
from dumbbell.studies.displays.contradictions import contradictions
from dumbbell.studies.displays.figure import draw_figure
from dumbbell.studies.displays.rows import Displays, Figure, Member, Shown
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

    def drawn(row: Shown, member: Member, draw: Callable[[Any, Scope], Any], study: Study, evidence: Evidence) -> Any:  # noqa: ANN401 (a chart or a table)
        scope = Scope(
            study=study, evidence=evidence, row=row, displays=displays, drawing=drawing, experiments=row.experiments
        )
        return draw(row, scope.bound(row.case, *member) if isinstance(row, Figure) and member else scope)

    figures = [
        Display(row.name_of(each), row.experiments, partial(drawn, row, each, draw_figure), row.needs, row.captured)
        for row in displays.figures
        for each in displays.members(row)
    ]
    if displays.order:
        figures.sort(key=lambda each: displays.order.index(each.name))
    tables = [
        Display(row.name, row.experiments, partial(drawn, row, None, draw_table), row.needs, row.captured)
        for row in displays.tables
    ]
    return tuple(figures), tuple(tables)
