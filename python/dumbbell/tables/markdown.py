"""A table in Markdown."""

from __future__ import annotations

from dumbbell.tables.table import Table


def markdown(table: Table) -> str:
    """Numbers to the right.

    >>> print(markdown(Table.of(["sender", "ms"], [["BBR", "25.0 ± 0.1"]])))
    | sender | ms |
    |---|---:|
    | BBR | 25.0 ± 0.1 |
    """
    header, *rows = [[text.replace("|", r"\|") for text in row] for row in (table.header, *table.texts())]
    rules = ["---:" if right else "---" for right in table.numeric]
    return "\n".join([_line(header), f"|{'|'.join(rules)}|", *map(_line, rows)])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
