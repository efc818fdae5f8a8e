"""A page as data: sections with sentences, a table and figures. The terminal and a file of HTML show the same page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dumbbell.charts.chart import Chart
from dumbbell.metrics.number import counted
from dumbbell.tables.plain_text import lay_out
from dumbbell.tables.table import Table
from dumbbell.tables.terminal import bold, wrapped

if TYPE_CHECKING:
    from markupsafe import Markup

    from dumbbell.report.figure import Drawing

Fact: TypeAlias = "tuple[str, str | Sequence[str]]"
"""A sentence, or several that are true of some runs each, and what it is about."""
ROWS_A_POINT: Final = 2
"""Rows of a table that a page has room for, for each point of a line that it has room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page. One that has nothing to show is not there."""

    anchor: str
    heading: str
    answer: str = ""
    """The result in a sentence, in large letters."""
    notices: Sequence[str] = ()
    above: str = ""
    table: Table | None = None
    more: Table | None = None
    """Columns for which the table has no room."""
    rows: int = 0
    """How many there are, of a table that has the first ones only."""
    rest: str = ""
    """Where the rows are for which a page has no room."""
    below: Sequence[str] = ()
    legend: str = ""
    """What its columns are; a terminal has no room for it."""
    facts: Sequence[Fact] = ()
    code: Sequence[tuple[str, str]] = ()
    """Commands or files, with what each is called; the first is shown at once."""
    charts: Callable[[], Iterable[Chart | str | None]] | None = None
    """Made where they are drawn, since a terminal shows none; a text says why one is not there."""
    points: float = 1.0
    """Of a line of these charts, as a share of what others have: there are many of them."""
    choice: str = ""
    """What one of the charts is chosen by; empty: all are shown."""
    over: str = ""
    """What another one is chosen by that is laid over it."""
    titled: bool = False
    """Each chart has its title above it."""
    html: Callable[[int], tuple[Markup, Sequence[Drawing]]] | None = None
    """What only a page can show, with at most so many points a line, and its figures."""
    parts: Sequence[Section] = ()
    folded: bool = False
    """A page shows its heading, and the rest once a reader opens it."""
    page_only: bool = False
    """A terminal has no room for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: what it is of, in a sentence, and its sections."""

    kind: str
    title: str
    summary: str
    sections: Sequence[Section]
    facts: Sequence[Fact] = ()
    citation: str = ""
    made: str = ""
    notices: Sequence[str] = ()
    index: str = ""
    """The file beside it that lists pages; Vega's script is beside it, too."""

    def lines(self, width: int) -> Iterator[str]:
        """What a terminal shows of it."""
        yield from fact_lines(self.facts, width) if self.facts else [bold(wrapped(self.title, width))]
        for text in filter(None, (self.summary, self.made)):
            yield wrapped(text, width)
        for section in self.sections:
            if not section.page_only and ((section.table and section.table.rows) or section.facts or section.below):
                yield from section_lines(section, width)

    def write(self, target: Path, largest_bytes: int | None = None) -> Path:
        """Writes it as one HTML file, and gives where that is.

        Raises:
            ReportError: it cannot be written, or is too large however few points are drawn.
        """
        from dumbbell.report.html import LARGEST_BYTES, write  # noqa: PLC0415 (late: a terminal needs no template)

        charts = ChartsOfSections()
        return write(target, lambda most: self.html(most, charts), largest_bytes or LARGEST_BYTES)

    def html(self, most: int, charts: ChartsOfSections | None = None) -> str:
        """The page with at most `most` points a line, and rows in proportion."""
        from dumbbell.report.html import filled  # noqa: PLC0415 (likewise)

        sections = list(drawn(self.sections, most, charts or ChartsOfSections()))
        figures = [figure for each in sections for figure in each.all_figures]
        return filled("page.html.j2", figures, external_script=bool(self.index), page=self, sections=sections)


class ChartsOfSections(dict[int, "list[Chart | str | None]"]):
    """The charts of sections, made once: a page that is too large is filled again with fewer points."""

    def of(self, section: Section) -> list[Chart | str | None]:
        """A section's."""
        if id(section) not in self:
            self[id(section)] = list(section.charts()) if section.charts else []
        return self[id(section)]


class DrawnSection(NamedTuple):
    """A section ready for a page of HTML."""

    section: Section
    table: Table | None
    """With as many rows as there is room for."""
    more: Table | None
    figures: Sequence[Drawing]
    notes: Sequence[str]
    """Why a figure is not there; how many rows there is no room for, and where they are."""
    html: Markup | str
    own_figures: Sequence[Drawing]
    """Those in `html`."""
    parts: Sequence[DrawnSection]

    @property
    def all_figures(self) -> list[Drawing]:
        """Its figures, and those of its parts."""
        return [*self.figures, *self.own_figures, *(figure for part in self.parts for figure in part.all_figures)]


def drawn(sections: Iterable[Section], most: int, charts: ChartsOfSections) -> Iterator[DrawnSection]:
    """Those that have something to show, with at most `most` points a line, and rows in proportion."""
    from dumbbell.report.figure import drawing  # noqa: PLC0415 (late: a terminal draws nothing)

    room = ROWS_A_POINT * most
    for section in sections:
        made = charts.of(section)
        figures = [drawing(each, max(2, int(section.points * most))) for each in made if isinstance(each, Chart)]
        notes = [f"Not drawn: {each}" for each in made if isinstance(each, str)]
        table, more = (
            replace(each, rows=each.rows[:room]) if each and each.rows else None
            for each in (section.table, section.more)
        )
        there = max(section.rows, len(section.table.rows)) if section.table else 0
        if table and there > len(table.rows):
            more_rows = counted(there - len(table.rows), "more row")
            notes.append(f"{more_rows}: {section.rest}." if section.rest else f"{more_rows}.")
        html, own_figures = section.html(most) if section.html else ("", ())
        parts = list(drawn(section.parts, most, charts))
        shown = (table, figures, notes, html, parts, section.facts, section.below, section.code, section.answer)
        if any(shown):
            yield DrawnSection(section, table, more, figures, notes, html, own_figures, parts)


def provenance(
    origins: Sequence[tuple[str, Sequence[Fact]]], command: str, noun: str = "comparison", again: str = ""
) -> Section:
    """Where all is from, each part with its name, and the command that makes it again."""
    parts = [Section(anchor=f"origin-{nth}", heading=name, facts=facts) for nth, (name, facts) in enumerate(origins)]
    code = Section(anchor="again", heading="", above=f"The same {noun} again{again}:", code=[("Command", command)])
    return Section(anchor="provenance", heading="Provenance", parts=[*parts, code], page_only=True)


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


def fact_lines(facts: Sequence[Fact], width: int) -> Iterator[str]:
    """Each sentence beside what it is about."""
    room = max((len(label) for label, _ in facts), default=0) + 1
    for label, text in facts:
        texts = text if isinstance(text, str) else "; ".join(text)
        yield wrapped(f"{label:{room}} {texts}", width, hanging=" " * (room + 1))
