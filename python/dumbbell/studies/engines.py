"""The figures of a study as several engines' runs show them, beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def beside(words: Chart, charts: Mapping[str, Chart]) -> Chart:
    """A chart with the words of one, and a column of panels for each of these, under the engine's name.

    What is the same for all, as panels of published curves are, stands once, below.
    """
    # a short form has one version, so that every engine has as many panels
    rows = list(zip(*(chart.panels for chart in charts.values()), strict=True))
    own = [row for row in rows if any(panel != row[0] for panel in row)]
    same = [row[0] for row in rows if row not in own]
    named = chain.from_iterable(map(_named, charts, row) for row in own)
    return replace(words, columns=len(charts), panels=(*named, *same))


def _named(engine: str, panel: Panel) -> Panel:
    return replace(panel, title=f"{engine}: {panel.title}" if panel.title else engine)
