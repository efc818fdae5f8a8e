"""Engines beside real hosts as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.hosts import text
from dumbbell.hosts.charts import charts
from dumbbell.report.comparison import Section, rendered
from dumbbell.report.figure import MOST_POINTS, drawing
from dumbbell.report.html import write

if TYPE_CHECKING:
    from dumbbell.hosts.record import HostRecord

ROWS_A_POINT = 1


def build(target: Path, found: HostRecord, command: str) -> Path:
    """Writes the page, and gives where it is; `command` is what made it.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    return write(target, lambda most: rendered(page(found, command, most)))


def page(found: HostRecord, command: str, most: int = MOST_POINTS) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line, and as many rows."""
    shown = found.points[: ROWS_A_POINT * most]
    cut = "" if len(shown) == len(found.points) else f" The first {len(shown)} of {len(found.points)}; --json has all."
    return {
        "kind": "Engines of dumbbell beside real hosts",
        "title": f"{' and '.join(found.engines)} beside {found.title}",
        "sides": (),
        "summary": text.summary(found),
        "made": f"{text.origin(found)}.",
        "notices": [f"Not compared: {line}" for line in found.failures],
        "sections": [
            Section("spreads", "How far", *text.spreads_table(found), ("measured", "setting", "points", "engine"),
                    below=(text.LEGEND,)),
            Section("figures", "Figures", figures=[drawing(chart, most) for chart in charts(found)], titled=True),
            Section("starved", "Who starves", *text.starved_table(found), ("point",),
                    above="A group starves with less than a tenth of what it would have if all flows had the same."),
            Section("worst", "The points that are farthest off", *text.worst_table(found), ("point", "what")),
            Section("points", "Every point", *text.points_table(found, shown), ("point", "what"),
                    above="Of engines the median over seeds, in brackets the least and the most." + cut),
        ],
        "origins": list(text.provenance(found)),
        "command": command,
        "again": "; runs that the store has are not repeated",
    }  # fmt: skip
