"""A page as data: sections with sentences, a table and figures. The terminal and a file of HTML show the same page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dumbbell.charts.chart import Chart
from dumbbell.metrics.number import counted
from dumbbell.tables.html import Marks
from dumbbell.tables.plain_text import lay_out
from dumbbell.tables.table import Table
from dumbbell.tables.terminal import bold, wrapped

if TYPE_CHECKING:
    from dumbbell.report.figure import Drawing

Facts: TypeAlias = Sequence[tuple[str, str]]
"""Sentences, each with what it is about."""
ROWS_A_POINT: Final = 2
"""Rows of a table that a page has room for, for each point of a line that it has room for."""
MARKS: Final[Marks] = {
    "holds": ("reproduced", "✓"), "holds (no band)": ("reproduced", "✓"), "broken": ("not-reproduced", "✗"),
    "no data": ("not-testable", "○"),
    "better": ("reproduced", "▲"), "worse": ("not-reproduced", "▼"), "higher": ("not-testable", "↑"),
    "lower": ("not-testable", "↓"), "same": ("not-testable", "="), "undecided": ("not-testable", "○"),
}  # fmt: skip
"""Class and sign of each verdict in the last column of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page. One that has nothing to show is not there."""

    anchor: str
    heading: str
    above: str = ""
    table: Table | None = None
    below: Sequence[str] = ()
    legend: str = ""
    """What its columns are; a terminal has no room for it."""
    facts: Facts = ()
    charts: Callable[[], Iterable[Chart | str | None]] | None = None
    """Made where they are drawn, since a terminal shows none; a text says why one is not there."""
    points: float = 1.0
    """Of a line of these charts, as a share of what others have: there are many of them."""
    choice: str = ""
    """What one of the charts is chosen by; empty: all are shown."""
    titled: bool = False
    """Each chart has its title above it."""
    rest: str = ""
    """Where the rows are for which a page has no room."""
    page_only: bool = False
    """A terminal has no room for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: what it is of, in a sentence, its sections, and where all is from."""

    kind: str
    title: str
    summary: str
    sections: Sequence[Section]
    command: str
    """What makes it again."""
    facts: Facts = ()
    made: str = ""
    notices: Sequence[str] = ()
    origins: Sequence[tuple[str, Facts]] = ()
    noun: str = "comparison"
    again: str = ""

    def lines(self, width: int) -> Iterator[str]:
        """What a terminal shows of it."""
        yield from fact_lines(self.facts, width) if self.facts else [bold(wrapped(self.title, width))]
        for text in filter(None, (self.summary, self.made)):
            yield wrapped(text, width)
        for section in self.sections:
            if (section.table and section.table.rows and not section.page_only) or section.facts or section.below:
                yield from section_lines(section, width)

    def write(self, target: Path) -> Path:
        """Writes it as one HTML file, and gives where that is.

        Raises:
            ReportError: it cannot be written, or is too large however few points are drawn.
        """
        from dumbbell.report.html import write  # noqa: PLC0415 (late: a terminal needs no template)

        charts = charts_of(self.sections)
        return write(target, lambda most: self.html(most, charts))

    def html(self, most: int, charts: Sequence[tuple[Section, Sequence[Chart | str | None]]] = ()) -> str:
        """The page with at most `most` points a line, and rows in proportion; `charts` are its sections' own."""
        from dumbbell.report.html import filled  # noqa: PLC0415 (likewise)

        sections = list(drawn(charts or charts_of(self.sections), most))
        figures = [each for section in sections for each in section.figures]
        return filled("sections.html.j2", figures, page=self, sections=sections, marks=MARKS)


def charts_of(sections: Iterable[Section]) -> list[tuple[Section, list[Chart | str | None]]]:
    """Sections with their charts, made once."""
    return [(section, list(section.charts()) if section.charts else []) for section in sections]


class DrawnSection(NamedTuple):
    """A section ready for a page of HTML."""

    section: Section
    table: Table | None
    """With as many rows as there is room for."""
    figures: Sequence[Drawing]
    notes: Sequence[str]
    """Why a figure is not there; how many rows there is no room for, and where they are."""


def drawn(sections: Iterable[tuple[Section, Sequence[Chart | str | None]]], most: int) -> Iterator[DrawnSection]:
    """Those that have something to show, with at most `most` points a line, and rows in proportion."""
    from dumbbell.report.figure import drawing  # noqa: PLC0415 (late: a terminal draws nothing)

    for section, charts in sections:
        points = max(2, int(section.points * most))
        figures = [drawing(chart, points) for chart in charts if isinstance(chart, Chart)]
        notes = [f"Not drawn: {chart}" for chart in charts if isinstance(chart, str)]
        rows = section.table.rows if section.table else ()
        table = replace(section.table, rows=rows[: ROWS_A_POINT * most]) if section.table and rows else None
        more = len(rows) - ROWS_A_POINT * most
        notes += [f"{counted(more, 'more row')}: {section.rest}."] if more > 0 else []
        if table or figures or notes or section.facts or section.below:
            yield DrawnSection(section, table, figures, notes)


def section_lines(section: Section, width: int) -> Iterator[str]:
    """What a terminal shows of a section."""
    yield ""
    if section.heading:
        yield bold(wrapped(section.heading, width))
    if section.above:
        yield wrapped(section.above, width, hanging="")
    if section.table and section.table.rows:
        table = lay_out(section.table, width)
        yield from table.lines
        if table.left_out:
            yield wrapped(f"more columns: --json and --html ({', '.join(table.left_out)})", width)
    yield from (wrapped(paragraph, width, hanging="") for paragraph in section.below)
    yield from fact_lines(section.facts, width)


def fact_lines(facts: Facts, width: int) -> Iterator[str]:
    """Each sentence beside what it is about."""
    room = max((len(label) for label, _ in facts), default=0) + 1
    for label, text in facts:
        yield wrapped(f"{label:{room}} {text}", width, hanging=" " * (room + 1))
