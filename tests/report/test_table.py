"""A study's table on a page: the terminal's words, and what each column is sorted by."""

from __future__ import annotations

from dumbbell.charts.table import Amount, Column, Table
from dumbbell.report.html import _environment
from dumbbell.report.table import tabulated
from reported import NASTY

TABLE = Table(
    name="table1",
    title=NASTY,
    caption="made by hand",
    columns=(Column(title="sender"), Column(title="retransmits")),
    rows=(("BBR", Amount(305_029.0, 20.0, 68_741.0)), ("CUBIC", Amount(None, None, "none"))),
)


def test_cells_are_sorted_by_their_numbers() -> None:
    found = tabulated(TABLE)
    assert found.head == ["sender", "retransmits", "published"]
    assert [[box.text for box in row] for row in found.rows] == [
        ["BBR", "305029 ± 20", "68741"],
        ["CUBIC", "-", "none"],
    ]
    assert [[box.sort for box in row] for row in found.rows] == [["BBR", "305029", "68741.0"], ["CUBIC", "", "none"]]
    assert [box.number for box in found.rows[0]] == [False, True, True]


def test_the_page_has_it_as_text() -> None:
    html = _environment().get_template("table.html.j2").render(tabulated=tabulated(TABLE))
    assert NASTY not in html
    assert html.count("<tr>") == 3
    assert 'data-sort="305029">305029 ± 20<' in html
