"""Advice and its maps as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dumbbell.decide import map_text, text
from dumbbell.decide.map_charts import charts
from dumbbell.decide.published import measured_gains
from dumbbell.metrics.number import counted
from dumbbell.report.comparison import Section, rendered
from dumbbell.report.figure import MOST_POINTS, drawing
from dumbbell.report.html import write

if TYPE_CHECKING:
    from dumbbell.decide.advice import Advice
    from dumbbell.decide.map import Map

TEXT_COLUMNS: Final = ("right",)
"""Columns of advice's tables that have no numbers."""


def build(target: Path, decision_map: Map, advice: Advice | None, *, seconds: float, command: str) -> Path:
    """Writes the page of a map, with the advice about its path where it is of one; gives where it is.

    Raises:
        ReportError: it cannot be written.
    """
    return write(target, lambda most: rendered(page(decision_map, advice, seconds=seconds, command=command, most=most)))


def page(
    decision_map: Map, advice: Advice | None, *, seconds: float, command: str, most: int = MOST_POINTS
) -> dict[str, Any]:  # fmt: skip
    sides = list(text.lines(advice) if advice else map_text.lines(decision_map))
    figures = [drawing(each, most) for each in charts(decision_map, measured_gains())]
    below = list(text.below(advice, seconds=seconds, engine=decision_map.engine)) if advice else []
    return {
        "kind": "Advice of dumbbell",
        "title": f"Which congestion control on {map_text.path(decision_map)}",
        "sides": sides,
        "summary": f"The map is of {counted(decision_map.runs, 'run')} on {decision_map.engine}.",
        "made": "",
        "notices": (),
        "sections": [
            Section("map", "Map", figures=figures, titled=True),
            *_advised(advice),
            *_cells(decision_map),
        ],
        "origins": [
            ("", [*below, ("Engine", decision_map.engine), ("Job", f"{decision_map.job}, for {decision_map.goal}")]),
        ],
        "noun": "advice",
        "command": command,
        "again": "",
    }  # fmt: skip


def _advised(advice: Advice | None) -> Iterator[Section]:
    """The tables that the command prints: of each company one."""
    if advice is None:
        return
    for place, company in enumerate(advice.question.company):
        header, rows = text.table(advice, company)
        above = f"{text.caption(advice, company)}."
        yield Section(f"advice-{place}", f"In numbers: {company.name}", header, rows, TEXT_COLUMNS, above=above)


def _cells(decision_map: Map) -> Iterator[Section]:
    """The map in words: of each panel a table."""
    for place, (title, (header, rows)) in enumerate(map_text.tables(decision_map)):
        heading = f"Which is right: {title}" if title else "Which is right"
        yield Section(f"cells-{place}", heading, header, rows[::-1], header[:1], below=(map_text.legend(decision_map),))
