"""Advice about a path, over the paths of a range and over a server's mix of paths, as pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.advice import text
from dumbbell.metrics.number import counted, elapsed
from dumbbell.report.section import Fact, Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dumbbell.advice.advice import Advice
    from dumbbell.advice.map import Map
    from dumbbell.advice.mix import Mix
    from dumbbell.charts.chart import Chart

KIND = "Advice of dumbbell"


def advice_page(advice: Advice, *, seconds: float, engine: str, detailed: bool = False) -> Page:
    """An answer about one path: five lines, and if wanted what stands behind them."""
    if not detailed:
        return _page(text.answer(advice), (), ())
    return _page(text.answer(advice), _tables(advice), text.details(advice, seconds=seconds, engine=engine))


def mix_page(mix: Mix, *, seconds: float, engine: str, detailed: bool = False) -> Page:
    """An answer over all paths of a server: five lines, or all that is behind them."""
    from dumbbell.advice import mix_text  # noqa: PLC0415 (late: no other answer needs it)

    if not detailed:
        return _page(mix_text.answer(mix), (), ())
    more = Section(anchor="details", heading="", facts=list(mix_text.details(mix)))
    regions = [Section(anchor="regions", heading="", table=mix_text.table(mix))] if mix.bins else []
    return _page(mix_text.answer(mix), [more, *regions], mix_text.below(mix, seconds=seconds, engine=engine))


def range_page(decision_map: Map, *, seconds: float) -> Page:
    """An answer over the paths of a range."""
    from dumbbell.advice import map_text  # noqa: PLC0415 (likewise)

    effort = (
        f"{counted(decision_map.runs, 'run')}, {decision_map.engine}, {elapsed(seconds)}; of one path it shows more."
    )
    return _page(map_text.lines(decision_map), _cells(decision_map), [("Sure?", effort)])


def map_page(decision_map: Map, advice: Advice | None, *, seconds: float, command: str) -> Page:
    """The page of a map, with the advice about its path where it is of one."""
    from dumbbell.advice import map_text  # noqa: PLC0415 (likewise)

    below = text.details(advice, seconds=seconds, engine=decision_map.engine) if advice else ()
    facts = [*below, ("Engine", decision_map.engine), ("Job", f"{decision_map.job}, for {decision_map.goal}")]
    return Page(
        kind=KIND, title=f"Which congestion control on {map_text.path(decision_map)}",
        facts=list(text.answer(advice) if advice else map_text.lines(decision_map)),
        summary=f"The map is of {counted(decision_map.runs, 'run')} on {decision_map.engine}.",
        sections=[
            Section(anchor="map", heading="Map", charts=partial(_charts, decision_map), titled=True),
            *(_tables(advice) if advice else ()),
            *_cells(decision_map),
            provenance([("", facts)], command, noun="advice"),
        ],
    )  # fmt: skip


def _page(lines: Iterable[Fact], sections: Iterable[Section], below: Iterable[Fact]) -> Page:
    sure = Section(anchor="sure", heading="", facts=list(below))
    return Page(kind=KIND, title="Which congestion control", summary="", facts=list(lines), sections=[*sections, sure])


def _tables(advice: Advice) -> Iterator[Section]:
    for place, table in enumerate(text.tables(advice)):
        yield Section(anchor=f"advice-{place}", heading=table.title, table=table)


def _cells(decision_map: Map) -> Iterator[Section]:
    """The map in words: of each panel a table."""
    from dumbbell.advice import map_text  # noqa: PLC0415 (likewise)

    for place, table in enumerate(map_text.tables(decision_map)):
        heading = f"Which is right: {table.title}" if table.title else "Which is right"
        yield Section(anchor=f"cells-{place}", heading=heading, table=table, below=[map_text.legend(decision_map)])


def _charts(decision_map: Map) -> Iterator[Chart]:
    from dumbbell.advice.map_charts import charts  # noqa: PLC0415 (late: a terminal draws nothing)
    from dumbbell.advice.published import measured_gains  # noqa: PLC0415 (likewise)

    yield from charts(decision_map, measured_gains())
