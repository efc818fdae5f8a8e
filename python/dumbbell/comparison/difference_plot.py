"""Figures of a comparison: every quantity's difference at every point, a dot with its interval."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.shapes import ErrorBar, Look, scatter
from dumbbell.charts.style import PUBLISHED
from dumbbell.comparison.differences import ARROW
from dumbbell.metrics.catalogue import Quantity
from dumbbell.metrics.number import counted

if TYPE_CHECKING:
    from dumbbell.comparison.differences import Column, Comparison

MOST_NAMED: Final = 40
"""Points whose names fit below an axis; more are numbered."""
SPREAD: Final = 0.5
"""Part of the room between two points that the dots of several groups take."""
LINK: Final = "link"
"""The look of what belongs to no group."""
MIXED: Final = "level"
"""Of a group that has another algorithm at another point."""


def charts(comparison: Comparison, names: Sequence[str], axis: str) -> Iterator[Chart]:
    """A figure a quantity, for those that differ anywhere; `names` are the points', `axis` what they differ in."""
    quantities = dict.fromkeys(each.quantity for each in comparison.columns)
    styles = _styles(comparison)
    for quantity in quantities:
        columns = [
            each for each in comparison.columns if each.quantity is quantity and np.nansum(np.abs(each.difference))
        ]
        if columns:
            yield _chart(quantity, columns, names, axis, styles)


def _styles(comparison: Comparison) -> dict[str, str]:
    """Each group's look, which is that of the algorithm that B has there: what is compared is what B changes."""
    algorithms: dict[str, set[str]] = {}
    for text in comparison.pairs.b.runs["groups"].unique():
        for group in json.loads(text):
            algorithms.setdefault(group["name"], set()).add(base_name(group["cc"]))
    return {name: own.pop() if len(own) == 1 else MIXED for name, own in algorithms.items()}


def _chart(
    quantity: Quantity, columns: Sequence[Column], names: Sequence[str], axis: str, styles: Mapping[str, str]
) -> Chart:
    in_percent = quantity.relative
    unit = "% of A" if in_percent else "points" if quantity.unit == "%" else quantity.unit
    better = f"; {quantity.better} is better" if quantity.better else ""
    count = len(names)
    ends = (-0.5, count - 0.5)
    named = count <= MOST_NAMED
    numbered = "" if named else " Points are numbered in the order of A."
    none = scatter(Look(PUBLISHED, label="no difference"), ends, (0.0, 0.0), kind="line")
    return Chart(
        name=f"differences-{quantity.name}",
        title=f"{quantity.label[0].upper()}{quantity.label[1:]}: B - A",
        caption=f"Means over seeds with their 95 % intervals (Student's t){better}. A dot without one rests on one"
        f" pair, or on pairs whose differences are all alike.{numbered}",
        panels=(
            Panel(
                x=Axis(
                    label=axis if named else "point",
                    limits=ends,
                    ticks=tuple((float(at), name) for at, name in enumerate(names)) if named else (),
                ),
                y=Axis(label=f"B - A ({unit})" if unit else "B - A"),
                layers=(*_layers(columns, styles), none),
            ),
        ),
        alt=f"Differences in {quantity.label} between B and A at {counted(count, 'point')}, each with its interval, and"
        " the line of no difference.",
    )


def _layers(columns: Sequence[Column], styles: Mapping[str, str]) -> Iterator[Layer]:
    for number, column in enumerate(columns):
        there = column.there
        if column.quantity.relative:
            there = there[~np.isnan(column.relative[there])]
            middles, halves, scale = column.relative, column.relative_half_width, 100.0
        else:
            middles, halves, scale = column.difference, column.half_width, column.quantity.factor
        middle = middles[there] * scale
        half = np.nan_to_num(halves[there]) * scale
        x = there + SPREAD * ((number + 0.5) / len(columns) - 0.5)
        style = styles.get(column.group.rpartition(ARROW)[2], MIXED) if column.group else LINK
        spreads = [ErrorBar(*row) for row in np.column_stack((middle, middle - half, middle + half)).tolist()]
        yield scatter(Look(style, number, column.group or "all flows"), x.tolist(), spreads)
