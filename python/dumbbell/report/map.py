"""Maps of advice as one page, with the advice about their path."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.decide import map_text, text
from dumbbell.metrics.number import counted
from dumbbell.report.advice import advised
from dumbbell.report.section import Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.chart import Chart
    from dumbbell.decide.advice import Advice
    from dumbbell.decide.map import Map


def page(decision_map: Map, advice: Advice | None, *, seconds: float, command: str) -> Page:
    """The page of a map, with the advice about its path where it is of one."""
    below = list(text.below(advice, seconds=seconds, engine=decision_map.engine)) if advice else []
    facts = [*below, ("Engine", decision_map.engine), ("Job", f"{decision_map.job}, for {decision_map.goal}")]
    return Page(
        kind="Advice of dumbbell",
        title=f"Which congestion control on {map_text.path(decision_map)}",
        facts=list(text.lines(advice) if advice else map_text.lines(decision_map)),
        summary=f"The map is of {counted(decision_map.runs, 'run')} on {decision_map.engine}.",
        sections=[
            Section(anchor="map", heading="Map", charts=partial(_charts, decision_map), titled=True),
            *(advised(advice) if advice else ()),
            *cells(decision_map),
            provenance([("", facts)], command, noun="advice"),
        ],
    )


def _charts(decision_map: Map) -> Iterator[Chart]:
    from dumbbell.decide.map_charts import charts  # noqa: PLC0415 (late: a terminal draws nothing)
    from dumbbell.decide.published import measured_gains  # noqa: PLC0415 (likewise)

    yield from charts(decision_map, measured_gains())


def cells(decision_map: Map) -> Iterator[Section]:
    """The map in words: of each panel a table."""
    for place, table in enumerate(map_text.tables(decision_map)):
        heading = f"Which is right: {table.title}" if table.title else "Which is right"
        below = (map_text.legend(decision_map),)
        yield Section(anchor=f"cells-{place}", heading=heading, table=table, below=below)
