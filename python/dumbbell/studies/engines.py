"""The figures of a study as several engines' runs show them, beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from dumbbell.charts.chart import Chart, Panel
from dumbbell.studies.status import StudyStatus

FEWEST = 2


def engines_beside(statuses: Sequence[StudyStatus]) -> Iterator[Chart]:
    """Each figure that the runs of two engines or more can show, with the panels of all of them."""
    drawn = {status.engine: {chart.name: chart for chart in status.charts()} for status in statuses}
    figures = {figure.name: figure for status in statuses for figure in status.study.figures}
    for name, figure in figures.items():
        charts = {engine: own[name] for engine, own in drawn.items() if name in own}
        if len(charts) < FEWEST:
            continue
        first = next(status for status in statuses if status.engine in charts)
        named = replace(first.evidence, engine=" and ".join(charts))
        yield beside(figure.draw(first.study, named), charts)


def beside(words: Chart, charts: dict[str, Chart]) -> Chart:
    """A chart with the words of one and the panels of each, which has the engine's name.

    What is one column becomes one an engine; what has more columns is stacked.
    """
    own = [[_named(engine, panel) for panel in chart.panels] for engine, chart in charts.items()]
    if words.columns > 1 or len({len(panels) for panels in own}) > 1:
        return replace(words, panels=tuple(chain.from_iterable(own)))
    return replace(words, columns=len(own), panels=tuple(chain.from_iterable(zip(*own, strict=True))))


def _named(engine: str, panel: Panel) -> Panel:
    return replace(panel, title=f"{engine}: {panel.title}" if panel.title else engine)
