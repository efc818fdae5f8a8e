"""A table in HTML, for a page and for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from markupsafe import Markup, escape

from dumbbell.metrics.number import ABSENT
from dumbbell.spec.quantity import magnitude
from dumbbell.tables.table import Amount, Cell, Table, cell_text

Marks: TypeAlias = Mapping[str, tuple[str, str]]
"""A class and a sign for a verdict's text, where it stands in the last column."""
NO_MARKS: Final[Marks] = {}


def html(table: Table, *, attributes: str = ' class="sortable"', marks: Marks = NO_MARKS) -> Markup:
    """Numbers have the class `number`, and each cell whose text is not what it is sorted by has that.

    >>> print(html(Table.of(["cc", "RTT ms"], [["bbr", Amount(0.0251, factor=1e3)]]), attributes=""))
    <table><thead><tr><th scope="col">cc</th><th scope="col">RTT ms</th></tr></thead>
    <tbody><tr><td>bbr</td><td class="number" data-sort="0.0251">25.1</td></tr></tbody></table>
    """
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.header)
    numeric, last = table.numeric, len(table.columns) - 1
    rows = (
        "".join(
            _marked(cell, marks)
            if nth == last and isinstance(cell, str) and cell in marks
            else _cell(cell, is_number=number)
            for nth, (cell, number) in enumerate(zip(row, numeric, strict=True))
        )
        for row in table.rows
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return Markup(f"<table{attributes}><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>")  # noqa: S704 (every text is escaped)


def sort_key(cell: Cell) -> str:
    """What a cell is sorted by: of a number six digits, of a quantity its number in base units.

    >>> [sort_key(each) for each in (0.1234567, 3, "500 kbit/s", "10 Mbit/s", "bbr", Amount(1.5, factor=1e-6), None)]
    ['0.123457', '3', '500000', '1e+07', 'bbr', '1.5', '']
    """
    value = cell.value if isinstance(cell, Amount) else cell
    if value is None:
        return ""
    number = value if isinstance(value, float) else magnitude(str(value))
    return str(value) if number is None else f"{number:.6g}"


def _cell(cell: Cell, *, is_number: bool) -> str:
    text, key = cell_text(cell), sort_key(cell)
    order = f' data-sort="{escape(key)}"' if text not in {key, ABSENT} else ""
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}{order}>{escape(text)}</td>"


def _marked(text: str, marks: Marks) -> str:
    kind, sign = marks[text]
    return (
        f'<td><span class="verdict {kind}" style="white-space: nowrap"><span aria-hidden="true">{sign}</span>'
        f" {escape(text)}</span></td>"
    )
