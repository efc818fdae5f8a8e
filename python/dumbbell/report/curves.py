"""Single flows on two engines as one HTML file: every quantity with its limit, and the curves over one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.report.agreement import sides
from dumbbell.report.figure import drawing
from dumbbell.report.html import filled, write
from dumbbell.studies.single_flows import text
from dumbbell.studies.single_flows.chart import chart_of_case

if TYPE_CHECKING:
    from pathlib import Path

    from dumbbell.studies.single_flows.record import Curves


def build(target: Path, curves: Curves) -> Path:
    """Writes the page, and gives where it is.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    charts = [chart_of_case(case, curves) for case in curves.cases if case.curves]

    def rendered(most_points: int) -> str:
        drawings = [drawing(chart, most_points) for chart in charts]
        facts = list(sides(curves))
        return filled("curves.html.j2", drawings, curves=curves, pictures=drawings, facts=facts, text=text)

    return write(target, rendered)
