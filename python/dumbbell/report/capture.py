"""A capture as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dumbbell.captures import pair_text, text
from dumbbell.metrics.number import counted
from dumbbell.report.section import Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.captures.analysis import Analysis
    from dumbbell.captures.pair import Pair
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


def pair_page(pair: Pair, command: str) -> Page:
    """What two captures say together; `command` is what made it."""
    flows = len(pair.flows)
    rest = f"{text.MOST_ROWS} of {counted(flows, 'direction')}." if flows > text.MOST_ROWS else ""
    return Page(
        kind="Two captures of the same traffic, compared by dumbbell",
        title=" and ".join(Path(file).name for file in pair.files),
        summary=pair_text.summary(pair),
        notices=list(pair_text.notices(pair)),
        sections=[
            Section(
                anchor="flows",
                heading="Between the places",
                table=pair_text.table(pair, text.MOST_ROWS),
                below=tuple(filter(None, (rest,))),
                legend=pair_text.LEGEND,
            ),
            Section(anchor="clocks", heading="Places and clocks", facts=list(pair_text.facts(pair))),
            Section(anchor="figures", heading="Over time", charts=lambda: [pair_text.in_time(pair)]),
            provenance([], command),
        ],
    )
