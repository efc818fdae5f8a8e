"""Figures and tables of a page: each as every engine shows it, and where it shows one seed, with each of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Chart
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing
from dumbbell.report.table import tabulated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.charts.table import Table
    from dumbbell.report.figure import Drawing
    from dumbbell.report.side import Side
    from dumbbell.report.table import Tabulated
    from dumbbell.studies.study import Study

ALL_SEEDS = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A figure or a table as one engine shows it."""

    key: str
    """Names it on the page."""
    engine: str
    seed: str
    drawing: Drawing | None
    tabulated: Tabulated | None

    @property
    def where(self) -> str:
        """Engine and seed."""
        return self.engine if self.seed == ALL_SEEDS else f"{self.engine}, seed {self.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A figure or a table of the page."""

    name: str
    title: str
    views: tuple[View, ...]

    @property
    def engines(self) -> tuple[str, ...]:
        """Those that show it."""
        return tuple(dict.fromkeys(view.engine for view in self.views))

    @property
    def seeds(self) -> tuple[str, ...]:
        """Those that it can show, one at a time."""
        return tuple(dict.fromkeys(view.seed for view in self.views if view.seed != ALL_SEEDS))

    @property
    def choices(self) -> str:
        """Engine, seed and key of every view, for the script."""
        return json.dumps([[view.engine, view.seed, view.key] for view in self.views])

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Of every view that is a figure."""
        return tuple(view.drawing for view in self.views if view.drawing)


def parts(sides: Sequence[Side], study: Study | None, most: int = MOST_POINTS) -> tuple[Part, ...]:
    """In the document's order: every figure and table that an engine shows."""
    there = {shown.display.name: shown.display.title for each in sides for shown in each.shown}
    planned = [] if study is None else [*(each.name for each in study.figures), *(each.name for each in study.tables)]
    return tuple(_part(name, there[name], sides, most) for name in dict.fromkeys((*planned, *there)) if name in there)


def _part(name: str, title: str, sides: Sequence[Side], most: int) -> Part:
    several = sum(shown.display.name == name for each in sides for shown in each.shown) > 1
    views = []
    for each in sides:
        for shown in each.shown:
            if shown.display.name == name:
                seed = ALL_SEEDS if shown.seed is None else str(shown.seed)
                key = "-".join((name, each.engine.replace(":", "-"), seed)) if several else name
                views.append(_view(key, each.engine, seed, shown.display, most))
    return Part(name=name, title=title, views=tuple(views))


def _view(key: str, engine: str, seed: str, display: Chart | Table, most: int) -> View:
    chart, table = (display, None) if isinstance(display, Chart) else (None, display)
    return View(
        key=key,
        engine=engine,
        seed=seed,
        drawing=None if chart is None else replace(drawing(chart, most), name=key),
        tabulated=None if table is None else tabulated(table),
    )
