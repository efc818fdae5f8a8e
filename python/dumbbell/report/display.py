"""Figures and tables of a page: each as every engine shows it, and where it shows one seed, with each of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Chart
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.charts.table import Table
    from dumbbell.report.figure import Drawing
    from dumbbell.studies.status import Shown
    from dumbbell.studies.study import Study

ALL_SEEDS = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A figure or a table as one engine shows it."""

    key: str
    """Names it on the page."""
    engine: str
    seed: str
    shows: Drawing | Table

    @property
    def where(self) -> str:
        """Engine and seed."""
        return self.engine if self.seed == ALL_SEEDS else f"{self.engine}, seed {self.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """A figure or a table of the page."""

    name: str
    title: str
    tabular: bool
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


def displays(shown: Sequence[tuple[str, Shown]], study: Study | None, most: int = MOST_POINTS) -> list[Display]:
    """In the document's order: every figure and table that an engine, which stands before it, shows."""
    planned = [*(each.name for each in study.figures), *(each.name for each in study.tables)] if study else []
    names = dict.fromkeys([*planned, *(one.display.name for _, one in shown)])
    by_name = {name: [each for each in shown if each[1].display.name == name] for name in names}
    return [_display(name, own, most) for name, own in by_name.items() if own]


def _display(name: str, shown: Sequence[tuple[str, Shown]], most: int) -> Display:
    views = []
    for engine, one in shown:
        seed = ALL_SEEDS if one.seed is None else str(one.seed)
        key = "-".join((name, engine.replace(":", "-"), seed)) if len(shown) > 1 else name
        drawn = replace(drawing(one.display, most), name=key) if isinstance(one.display, Chart) else one.display
        views.append(View(key=key, engine=engine, seed=seed, shows=drawn))
    first = shown[0][1].display
    return Display(name=name, title=first.title, tabular=not isinstance(first, Chart), views=tuple(views))
