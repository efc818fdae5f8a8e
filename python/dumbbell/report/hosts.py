"""Engines beside real hosts as one HTML file."""

from __future__ import annotations

from dataclasses import replace
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


def build(target: Path, record: HostRecord, command: str) -> Path:
    """Writes the page, and gives where it is; `command` is what made it.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    return write(target, lambda most: rendered(page(record, command, most)))


def page(record: HostRecord, command: str, most: int = MOST_POINTS) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line, and as many rows."""
    return {
        "kind": "Engines of dumbbell compared with real hosts",
        "title": f"{' and '.join(record.engines)} beside {record.title}",
        "sides": (),
        "summary": text.summary(record),
        "made": f"{text.origin(record)}.",
        "notices": [f"Not compared: {line}" for line in record.failures],
        "sections": sections(record, most),
        "origins": list(text.provenance(record)),
        "command": command,
        "again": "; runs that the store has are not repeated",
    }


def sections(record: HostRecord, most: int = MOST_POINTS, *, name: str = "") -> list[Section]:
    """How far engines are, the figures, who starves and every point; of a table of a study with its name."""
    shown = record.points[: ROWS_A_POINT * most]
    cut = (
        "" if len(shown) == len(record.points) else f" The first {len(shown)} of {len(record.points)}; --json has all."
    )
    before, anchor = (f"{name}: ", f"{name}-") if name else ("", "")
    origin = f"{text.summary(record)} {text.origin(record)}." if name else ""
    figures = [drawing(replace(each, name=f"{anchor}{each.name}"), most) for each in charts(record)]
    first = "How far" if not name else "how far engines are from real hosts"
    return [
        Section(f"{anchor}spreads", f"{before}{first}", *text.far_table(record),
                ("measured", "setting", "points", "engine"), above=origin,
                below=tuple(filter(None, (text.first_setting(record), text.LEGEND)))),
        Section(f"{anchor}figures", f"{before}figures" if name else "Figures", figures=figures, titled=True),
        Section(f"{anchor}starved", f"{before}who starves" if name else "Who starves", *text.starved_table(record),
                ("point",),
                above="A group starves with less than a tenth of what it would have if all flows had the same."),
        Section(f"{anchor}worst", f"{before}the points that are farthest off" if name
                else "The points that are farthest off", *text.worst_table(record), ("point", "what")),
        Section(f"{anchor}points", f"{before}every point" if name else "Every point", *text.points_table(record, shown),
                ("point", "what"),
                above="Of engines the median over seeds, in brackets the least and the most." + cut),
    ]  # fmt: skip
