"""A capture as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.captures import text
from dumbbell.metrics.number import counted
from dumbbell.report.section import Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.captures.analysis import Analysis
    from dumbbell.charts.chart import Chart


def page(analysis: Analysis, command: str) -> Page:
    """What a capture says of its flows; `command` is what made it."""
    shown, flows = text.table(analysis, text.MOST_ROWS), len(analysis.flows)
    rest = f"The {text.MOST_ROWS} of {counted(flows, 'flow')} with the most data." if flows > text.MOST_ROWS else ""

    def charts() -> Iterator[Chart | None]:
        from dumbbell.captures.charts import in_time  # noqa: PLC0415 (late: a terminal draws nothing)

        yield in_time(analysis)

    return Page(
        kind="A capture, read by dumbbell",
        title=analysis.file,
        summary=text.summary(analysis),
        notices=list(text.notices(analysis)),
        sections=[
            Section(
                anchor="flows", heading="Flows", table=shown, below=tuple(filter(None, (rest,))), legend=text.LEGEND
            ),
            Section(anchor="largest", heading="The largest flow", facts=list(text.facts(analysis))),
            Section(anchor="figures", heading="Over time", charts=charts),
            provenance([], command),
        ],
    )
