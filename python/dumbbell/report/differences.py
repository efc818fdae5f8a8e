"""Two sets of stored runs, pair by pair, as a page."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from dumbbell.comparison import differences_text as text
from dumbbell.metrics.number import counted
from dumbbell.report.section import Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.chart import Chart
    from dumbbell.comparison.differences import Comparison

MOST_ROWS: Final = 5000
"""Rows of the table of points that a page has; of a comparison with more there are those that differ."""


def page(comparison: Comparison, command: str, *, everything: bool) -> Page:
    """Every quantity over all points, and at each; `command` is what made it.

    Without `everything` a point has a row where its interval excludes 0.
    """
    sides = {"A": comparison.pairs.a, "B": comparison.pairs.b}
    return Page(
        kind="Comparison of runs of dumbbell",
        title=f"{sides['B'].selection.text} against {sides['A'].selection.text}",
        facts=[(name, text.side(side)) for name, side in sides.items()],
        summary=f"{counted(len(comparison.pairs), 'pair')} of runs at {counted(len(comparison.points), 'point')}."
        " Every difference is B - A.",
        notices=list(text.notices(comparison)),
        sections=[
            Section(
                anchor="overall", heading="Over all points", table=text.overall_table(comparison),
                below=list(text.explanations(comparison)),
            ),
            Section(anchor="figures", heading="Figures", charts=partial(_charts, comparison), titled=True),
            _points(comparison, everything=everything),
            provenance([(name, list(text.provenance(side))) for name, side in sides.items()], command),
        ],
    )  # fmt: skip


def _points(comparison: Comparison, *, everything: bool) -> Section:
    rows = islice(comparison.rows(marked=not everything), None if everything else MOST_ROWS)
    table = text.points_table(comparison, rows)
    shown = len(table.rows)
    some = shown < comparison.count
    above = (
        f"{shown:,} of {counted(comparison.count, 'row')}: those whose interval excludes 0; --all shows every point."
        if some
        else f"All {counted(shown, 'row')}."
    )
    return Section(
        anchor="points", heading="At each point", table=table, above=above, rest="`--json` has all",
        below=() if shown or not some else ("No interval excludes 0.",),
    )  # fmt: skip


def _charts(comparison: Comparison) -> Iterator[Chart]:
    from dumbbell.comparison.difference_plot import charts  # noqa: PLC0415 (late: a terminal draws nothing)

    axes, points = text.point_cells(comparison)
    names = [", ".join(filter(None, cells)) or "the only point" for cells in points]
    yield from charts(comparison, names, ", ".join(axes))
