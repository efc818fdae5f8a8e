"""The figures of a study as several engines' runs show them, beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from dumbbell.charts.chart import Chart, Panel
from dumbbell.charts.numbers import tables
from dumbbell.charts.style import PUBLISHED, kernel_of
from dumbbell.studies.status import StudyStatus
from dumbbell.tables.table import Table

FEWEST = 2
ROOM = 1.05
"""Above all lines."""
_Columns: TypeAlias = "dict[str, dict[str, str]]"
"""Cells by their row, of columns by their heading."""


def combined_charts(statuses: Sequence[StudyStatus]) -> Iterator[Chart]:
    """Each figure that the runs of two engines or more can show, with the panels of all of them."""
    drawn = {status.engine: {chart.name: chart for chart in status.charts()} for status in statuses}
    figures = {figure.name: figure for status in statuses for figure in status.study.figures}
    for name, figure in figures.items():
        charts = {engine: own[name] for engine, own in drawn.items() if name in own}
        if len(charts) < FEWEST:
            continue
        first = next(status for status in statuses if status.engine in charts)
        named = replace(first.evidence, engine=" and ".join(charts))
        yield combined_chart(figure.draw(first.study, named), charts)


def combined_chart(template: Chart, charts: Mapping[str, Chart]) -> Chart:
    """A chart with the words of one, and a column of panels for each of these, under the engine's name.

    What is the same for all, as panels of published curves are, stands once, below. Which kernel is an engine's, the
    caption says, so that a legend names each algorithm once.
    """
    # a short form has one version, so that every engine has as many panels
    rows = list(zip(*(chart.panels for chart in charts.values()), strict=True))
    own = [row for row in rows if any(panel != row[0] for panel in row)]
    same = [row[0] for row in rows if row not in own]
    named = chain.from_iterable(map(_named, charts, _scaled(row)) for row in own)
    kernels = ", ".join(f"{engine} runs {kernel_of(engine)}" for engine in charts)
    caption = f"{template.caption} Of the engines {kernels}."
    return replace(template, caption=caption, columns=len(charts), panels=(*named, *same))


def combined_numbers(displays: Mapping[str, Chart | Table]) -> Iterator[Table]:
    """The numbers of a figure or a table, as engines' runs show it, a column an engine; what is published, once, last.

    Of a figure a table for each panel, of a table one for each of its columns. No heading and no row names a kernel.
    """
    separate_tables = any(isinstance(display, Table) for display in displays.values())
    for parts in zip(*(tables(display) for display in displays.values()), strict=True):
        groups: dict[str, _Columns] = {}
        for engine, part in zip(displays, parts, strict=True):
            texts = part.texts()
            places = [_without_kernel(row[0], engine) for row in texts]
            heading = ""
            for index, label in list(enumerate(part.header))[1:]:
                published = PUBLISHED in label
                heading = heading if label == PUBLISHED else _without_kernel(label, engine)
                name = label if published else engine if separate_tables else f"{heading}, {engine}"
                cells = zip(places, (row[index] for row in texts), strict=True)
                groups.setdefault(heading, {})[name] = dict(cells)
        first = parts[0].header[0]
        title = _without_kernel(parts[0].title, next(iter(displays)))
        if separate_tables:
            for heading, columns in groups.items():
                yield _table(f"{title}; {heading}", first, columns)
        else:
            yield _table(title, first, {name: cells for columns in groups.values() for name, cells in columns.items()})


def _table(title: str, first: str, columns: _Columns) -> Table:
    """Columns that may have other rows than one another: places in order where they are numbers."""
    places = list(dict.fromkeys(place for cells in columns.values() for place in cells))
    with suppress(ValueError):
        places.sort(key=float)
    names = sorted(columns, key=lambda name: PUBLISHED in name)
    rows = [[at, *(columns[name].get(at, "") for name in names)] for at in places]
    return Table.of([first, *names], rows, title=title)


def _scaled(row: Sequence[Panel]) -> Iterator[Panel]:
    """Panels of one quantity, up to the same value where their axes end with what is drawn."""
    values = [value for panel in row for layer in panel.layers for value in (*layer.y, *layer.high)]
    for panel in row:
        low, high = panel.y.limits
        top = ROOM * max(values) if values and high is None and not panel.heat else high
        yield replace(panel, y=replace(panel.y, limits=(low, top)))


def _named(engine: str, panel: Panel) -> Panel:
    layers = tuple(replace(layer, label=_without_kernel(layer.label, engine)) for layer in panel.layers if layer.x)
    title = _without_kernel(panel.title, engine)
    return replace(panel, title=f"{engine}: {title}" if title else engine, layers=layers)


def _without_kernel(text: str, engine: str) -> str:
    return text.replace(f" of {kernel_of(engine)}", "")
