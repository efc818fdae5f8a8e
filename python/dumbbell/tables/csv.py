"""Rows as CSV, such that a spreadsheet that opens it computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from csv import writer as csv_writer
from io import StringIO

import dumbbell.spreadsheet as spreadsheet
from dumbbell.tables.table import Table


def csv(table: Table) -> str:
    """The headings and the texts of a table."""
    return of_rows([table.header, *table.texts()])


def of_rows(rows: Iterable[Sequence[str]]) -> str:
    """Lines of texts, each cell such that it is no formula."""
    text = StringIO()
    csv_writer(text, lineterminator="\n").writerows([spreadsheet.cell(cell) for cell in row] for row in rows)
    return text.getvalue()
