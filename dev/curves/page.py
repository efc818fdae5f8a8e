"""Single flows on two engines as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dev.curves import text
from dev.curves.charts import chart_of_case
from dev.curves.record import Curves
from dumbbell.comparison.agreement_text import failures
from dumbbell.report.comparison import Section, frame, rendered
from dumbbell.report.figure import drawing
from dumbbell.report.html import write


def build(target: Path, curves: Curves) -> Path:
    """Writes the page, and gives where it is.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    return write(target, lambda most: rendered(page(curves, most)))


def page(curves: Curves, most: int) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line."""
    header, rows = text.limits_table(curves)
    drawn = [drawing(chart_of_case(case, curves), most) for case in curves.cases if case.curves]
    return frame(curves) | {
        "title": "Single flows: {} over {}".format(*curves.engine_names),
        "summary": text.summary(curves),
        "made": f"{text.origin(curves)}.",
        "notices": [f"Not compared: {line}" for line in (*failures(curves), *text.without_data(curves))],
        "sections": [
            Section("series", "Curves", figures=drawn, choice="Algorithm and path"),
            Section("limits", "Limits", header, rows, header[:5], above=text.legend(curves)),
        ],
        "command": text.command(curves),
    }
