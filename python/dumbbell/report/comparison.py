"""A comparison as one HTML file: two engines over the conditions of a spec, or two sets of stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text, differences_text, overlay
from dumbbell.comparison.agreement_text import BROKEN, HOLDS, NO_DATA
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.difference_plot import charts
from dumbbell.comparison.record import Agreement, EngineComparison
from dumbbell.errors import StoreError
from dumbbell.metrics.number import counted
from dumbbell.report.figure import MOST_POINTS, Drawing, drawing
from dumbbell.report.html import filled, write
from dumbbell.results.store import Store

if TYPE_CHECKING:
    from dumbbell.comparison.differences import Comparison

    Page: TypeAlias = dict[str, Any]

IN_TIME_SHARE: Final = 2
"""A line of a run in time has this much fewer points than one of the scatter: there are many of them."""
ROWS_A_POINT: Final = 2
"""Rows of the long table that the page has room for, for each point of a line that it has room for."""
MARKS: Final = {
    HOLDS: ("reproduced", "✓"), BROKEN: ("not-reproduced", "✗"),
    NO_DATA: ("not-testable", "○"),
    "better": ("reproduced", "▲"), "worse": ("not-reproduced", "▼"), "higher": ("not-testable", "↑"),
    "lower": ("not-testable", "↓"), "same": ("not-testable", "="), "undecided": ("not-testable", "○"),
}  # fmt: skip
"""Class and sign of each verdict in the last column of a table."""


class Section(NamedTuple):
    """A part of the page, if it has a table or figures."""

    anchor: str
    heading: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    text_columns: Sequence[str] = ()
    """Headings of the columns that have words, not numbers."""
    above: str = ""
    below: Sequence[str] = ()
    figures: Sequence[Drawing] = ()
    choice: str = ""
    """What one of the figures is chosen by; empty: all are shown."""
    titled: bool = False
    """Each figure has its title above it."""


def build_engines(target: Path, agreement: Agreement, store: Store) -> Path:
    """Writes the page of two engines, and gives where it is; `store` has the runs behind the comparison.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    in_time, missing = runs_in_time(agreement, store)
    return write(target, lambda most: rendered(engines_page(agreement, in_time, missing, most)))


def build_differences(target: Path, comparison: Comparison, command: str) -> Path:
    """Writes the page of stored runs, and gives where it is; `command` is what made it.

    Raises:
        ReportError: it cannot be written, or is too large however few rows it has.
    """
    return write(target, lambda most: rendered(differences_page(comparison, command, most)))


def rendered(page: Page) -> str:
    drawings = [each for section in page["sections"] for each in section.figures]
    context: Page = {"marks": MARKS} | page
    return filled("comparison.html.j2", drawings, **context)


def engines_page(
    agreement: Agreement, in_time: Sequence[Chart] = (), missing: str = "", most: int = MOST_POINTS
) -> Page:
    """What the template shows, with at most `most` points a line."""
    return frame(agreement) | {
        "title": "{} against {}".format(*agreement.engine_names),
        "summary": agreement_text.summary(agreement),
        "made": f"{agreement_text.origin(agreement)}.",
        "notices": [f"Not compared: {line}" for line in agreement_text.failures(agreement)],
        "sections": _agreement(agreement, in_time, missing, most),
        "command": agreement_text.command(agreement),
    }


def frame(comparison: EngineComparison) -> Page:
    """What the page of any two engines has."""
    return {
        "kind": "Agreement of two engines of dumbbell",
        "sides": (),
        "origins": [("", list(agreement_text.provenance(comparison)))],
        "again": "; runs that the store has are not repeated",
    }


def differences_page(comparison: Comparison, command: str, most: int = MOST_POINTS) -> Page:
    """What the template shows, with at most `most` points a line and rows in proportion."""
    sides = {"A": comparison.pairs.a, "B": comparison.pairs.b}
    axes, points = differences_text.point_cells(comparison)
    marked = comparison.count > ROWS_A_POINT * most
    header, rows = differences_text.points_table(
        comparison, islice(comparison.rows(marked=marked), ROWS_A_POINT * most)
    )
    shown = list(rows)
    names = [", ".join(filter(None, cells)) or "the only point" for cells in points]
    text_columns = (*axes, "metric", "group")
    return {
        "kind": "Comparison of runs of dumbbell",
        "title": f"{sides['B'].selection.text} against {sides['A'].selection.text}",
        "sides": [(name, differences_text.side(side)) for name, side in sides.items()],
        "summary": f"{differences_text.pairs(comparison)}. Every difference is B - A.",
        "made": "",
        "notices": list(differences_text.notices(comparison)),
        "sections": [
            Section(
                "overall", "Over all points", *differences_text.overall_table(comparison), text_columns,
                below=_below(comparison),
            ),
            Section(
                "figures", "Figures", figures=_drawn(charts(comparison, names, ", ".join(axes)), most), titled=True,
            ),
            Section(
                "points", "At each point", header, shown, text_columns,
                above=_shown(comparison, len(shown), marked=marked),
            ),
        ],
        "origins": [(name, list(differences_text.provenance(side))) for name, side in sides.items()],
        "command": command,
        "again": "",
    }  # fmt: skip


def _below(comparison: Comparison) -> tuple[str, ...]:
    paragraphs = list(differences_text.explanations(comparison))
    return (*paragraphs[:1], OUTCOMES, *paragraphs[1:]) if paragraphs else ()


OUTCOMES: Final = (
    "A point is better or worse where its own interval excludes 0, the same where no pair differs, and open otherwise."
    " What one group gains in share another loses: there it is higher or lower."
)


def _agreement(agreement: Agreement, in_time: Sequence[Chart], missing: str, most: int) -> list[Section]:
    return [
        Section(
            "bands", "Bands", *agreement_text.bands_table(agreement), ("band",),
            below=(agreement_text.legend(agreement),),
        ),
        Section("overall", "All conditions", figures=_drawn((errors(agreement), scatter(agreement)), most)),
        Section(
            "worst", "The conditions that are farthest off", *agreement_text.worst_table(agreement),
            ("condition", "setting", "what"),
            above="Each by its largest error, in multiples of what the band allows the 90th percentile.",
        ),
        Section(
            "series", "Both engines in time", figures=_drawn(in_time, max(2, most // IN_TIME_SHARE)),
            choice="Condition", below=(f"Not drawn: {missing}",) if missing else (),
        ),
        Section(
            "conditions", "Conditions", *agreement_text.conditions_table(agreement), ("condition", "setting", "winner"),
            above="The largest error of each, times 100. Every figure of every run is in the JSON.",
        ),
    ]  # fmt: skip


def _drawn(charts: Iterable[Chart | None], most: int) -> list[Drawing]:
    return [drawing(chart, most) for chart in charts if chart is not None]


def runs_in_time(agreement: Agreement, store: Store) -> tuple[list[Chart], str]:
    """The worst conditions in time; those without an error too, where there are few."""
    names = [each.condition for each in agreement.worst]
    rest = [each.name for each in agreement.conditions if each.differences and each.name not in names]
    drawn, missing = [], []
    for number, name in enumerate((names + rest)[: max(len(names), 1)]):
        condition = agreement.condition(name)
        try:
            title = f"{name}: {agreement_text.setting(condition)}"
            drawn.append(overlay.in_time(store, agreement, condition, f"in-time-{number}", title))
        except StoreError as error:
            missing.append(f"{name}: {error.message}")
    return drawn, "; ".join(missing)


def _shown(comparison: Comparison, shown: int, *, marked: bool) -> str:
    if not marked:
        return f"All {counted(shown, 'row')}."
    first = "" if shown == comparison.marked else f" the first {shown:,} of"
    return (
        f"{counted(comparison.count, 'row')} are too many for a page: these are{first} the {comparison.marked:,} whose"
        " interval excludes 0. `--json` has all."
    )
