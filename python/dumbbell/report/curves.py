"""Single flows on two engines as one HTML file: every quantity with its limit, and the curves over one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.report.agreement import engines_page, mark
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

    def rendered(most: int) -> str:
        page = compose(curves, most)
        return filled("curves.html.j2", page["figures"], **page)

    return write(target, rendered)


def compose(curves: Curves, most: int) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line."""
    drawings = [drawing(chart_of_case(case, curves), most) for case in curves.cases if case.curves]
    return engines_page(curves) | {
        "title": f"Single flows: {curves.candidate.engine} over {curves.reference.engine}",
        "summary": text.summary(curves),
        "made": f"{text.origin(curves)}.",
        "notices": [f"Not compared: {failure}" for failure in text.failures(curves)],
        "sections": (("series", "Curves", drawings), ("limits", "Limits", True), ("provenance", "Provenance", True)),
        "header": text.header(curves),
        "rows": [(cells[:-1], mark(cells[-1])) for cells in text.table(curves)],
        "legend": text.legend(curves),
        "figures": drawings,
        "command": text.command(curves),
    }
