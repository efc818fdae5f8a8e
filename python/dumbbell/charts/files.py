"""Figures and tables as files: each chart as a picture in every format and its numbers, each table as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dumbbell.charts import image
from dumbbell.charts.chart import Chart
from dumbbell.charts.numbers import csv
from dumbbell.errors import ReportError
from dumbbell.tables.markdown import markdown
from dumbbell.tables.table import Table


def written(displays: Iterable[Chart | Table], folder: Path, width_points: float | None = None) -> Iterator[Path]:
    """Writes PNG, SVG and PDF of each chart, Markdown of each table, and CSV of both; gives each file as it is there.

    Charts are as wide as a paper's column, or two, unless said.

    Raises:
        ReportError: they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for display in displays:
            if isinstance(display, Chart):
                yield from image.save(display, folder, width_points=width_points)
            else:
                yield _text(display, folder)
            yield _put(folder / f"{display.name}.csv", csv(display))
    except OSError as error:
        where = error.filename or folder
        raise ReportError(f"{where}: cannot write the figures: {error.strerror or error}") from error


def _text(table: Table, folder: Path) -> Path:
    return _put(folder / f"{table.name}.md", f"# {table.title}\n\n{markdown(table)}\n\n{table.caption}\n")


def _put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
