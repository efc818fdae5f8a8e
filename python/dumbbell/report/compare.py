"""A comparison of stored runs as one HTML file: over all points, at each point, and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from dumbbell.comparison.difference_plot import charts
from dumbbell.metrics.number import counted
from dumbbell.report import differences
from dumbbell.report.agreement import Verdict
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing
from dumbbell.report.html import filled, write

if TYPE_CHECKING:
    from pathlib import Path

    from dumbbell.comparison.differences import Comparison, Overall, Row

ROWS_A_POINT: Final = 2
"""Rows of the long table that the page has room for, for each point of a line that it has room for."""
_KINDS: Final = {
    "better": ("reproduced", "▲"), "worse": ("not-reproduced", "▼"), "higher": ("not-testable", "↑"),
    "lower": ("not-testable", "↓"), "same": ("not-testable", "="), "undecided": ("not-testable", "○"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table: text and what it is sorted by of each cell, and the verdict."""

    cells: list[tuple[str, str]]
    verdict: Verdict


def build(target: Path, found: Comparison, command: str) -> Path:
    """Writes the page, and gives where it is; `command` is what made it.

    Raises:
        ReportError: it cannot be written, or is too large however little of it is told.
    """
    return write(target, lambda most: rendered(compose(found, command, most)))


def rendered(page: dict[str, Any]) -> str:
    """The page as HTML."""
    return filled("compare.html.j2", page["figures"], **page)


def compose(found: Comparison, command: str, most: int = MOST_POINTS) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line and rows in proportion."""
    a, b = found.pairs.a, found.pairs.b
    head, points = differences.points(found)
    marked = found.count > ROWS_A_POINT * most
    rows = list(islice(found.rows(marked=marked), ROWS_A_POINT * most))
    drawings = [drawing(chart, most) for chart in charts(found, _names(points), ", ".join(head))]
    return {
        "kind": "Comparison of runs of dumbbell",
        "title": f"{b.selection.text} against {a.selection.text}",
        "sides": [(name, differences.side(side)) for name, side in (("A", a), ("B", b))],
        "summary": f"{differences.pairs(found)}. Every difference is B - A.",
        "made": "",
        "notices": [*differences.unpaired(found), *differences.cautions(found)],
        "sections": (
            ("overall", "Over all points", True), ("figures", "Figures", drawings), ("points", "At each point", True),
            ("provenance", "Provenance", True),
        ),
        "chance": differences.chance(found),
        "over_points": differences.over_points(found),
        "overall_head": differences.OVERALL,
        "overall": [_overall(each) for each in found.overall],
        "figures": drawings,
        "head": [*head, *differences.ROWS],
        "words": len(head) + 2,
        "rows": [_row(each, points[each.point]) for each in rows],
        "shown": _shown(found, len(rows), marked=marked),
        "origins": [(name, list(differences.origin(side))) for name, side in (("A", a), ("B", b))],
        "command": command,
    }  # fmt: skip


def _shown(found: Comparison, shown: int, *, marked: bool) -> str:
    if not marked:
        return f"All {counted(shown, 'row')}."
    first = "" if shown == found.marked else f" the first {shown:,} of"
    return (
        f"{counted(found.count, 'row')} are too many for a page: these are{first} the {found.marked:,} whose interval"
        " excludes 0. `--json` has all."
    )


def _names(points: list[list[str]]) -> list[str]:
    return [", ".join(filter(None, cells)) or "the only point" for cells in points]


def _overall(found: Overall) -> Line:
    cells = [(text, text) for text in differences.overall(found)[:-1]]
    return Line(_sorted(cells, found, 3), _verdict(found.verdict))


def _row(found: Row, point: list[str]) -> Line:
    cells = [(text, text) for text in (*point, *differences.row(found)[:-1])]
    return Line(_sorted(cells, found, len(point) + 3), _verdict(found.verdict))


def _sorted(cells: list[tuple[str, str]], found: Overall | Row, first: int) -> list[tuple[str, str]]:
    """With A, B, their difference and its share, which stand from `first` on, sorted by value."""
    relative = found.difference.relative
    values = (found.a, found.b, found.difference.value, relative)
    keys = ["" if value is None else f"{value:.6g}" for value in values]
    return [
        (text, keys[index - first] if 0 <= index - first < len(keys) else key)
        for index, (text, key) in enumerate(cells)
    ]


def _verdict(word: str) -> Verdict:
    return Verdict(word, *_KINDS[word])
