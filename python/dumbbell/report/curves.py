"""Single flows on two engines as one HTML file: every quantity with its limit, and the curves over one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.report.agreement import KINDS, Verdict, sides
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing
from dumbbell.report.html import filled, write
from dumbbell.studies.single_flows import chart, text
from dumbbell.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from dumbbell.report.figure import Drawing
    from dumbbell.studies.single_flows.record import Curves


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvesPage:
    """What the template says."""

    version: str
    title: str
    made: str
    summary: str
    header: list[str]
    rows: list[tuple[list[str], Verdict]]
    legend: str
    drawings: list[Drawing]
    failures: list[str]
    facts: list[tuple[str, str]]
    command: str


def build(target: Path, curves: Curves) -> Path:
    """Writes the page, and gives where it is.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    return write(target, lambda most: rendered(compose(curves, most)))


def compose(curves: Curves, most: int = MOST_POINTS) -> CurvesPage:
    """The page, with at most `most` points a line."""
    told = text.table(curves)
    return CurvesPage(
        version=__version__,
        title=f"Single flows: {curves.candidate.engine} over {curves.reference.engine}",
        made=f"{text.origin(curves)}. Made by dumbbell {__version__}.",
        summary=text.summary(curves),
        header=text.header(curves),
        rows=[(cells[:-1], Verdict(cells[-1], *KINDS[cells[-1]])) for cells in told],
        legend=text.legend(curves),
        drawings=[drawing(chart.of_case(case, curves), most) for case in curves.cases if case.curves],
        failures=text.failures(curves),
        facts=list(sides(curves)),
        command=text.command(curves),
    )


def rendered(page: CurvesPage) -> str:
    """The page as HTML."""
    return filled("curves.html.j2", page.drawings, page=page)
