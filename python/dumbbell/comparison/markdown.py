"""What sections of the documentation are made of: blocks of Markdown, an empty line after each, and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from dumbbell.plots.chart import Chart


def document(lines: Iterable[str]) -> str:
    """Lines as a text that ends with one line's end."""
    return "\n".join(lines).rstrip() + "\n"


def console(command: str) -> Iterator[str]:
    """A command that a reader may give."""
    yield "```console"
    yield f"$ {command}"
    yield "```"
    yield ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, line by line."""
    yield _row(header)
    yield _row(["---"] * len(header))
    yield from map(_row, rows)
    yield ""


def figure(chart: Chart | None, figures: str, alt: str = "") -> Iterator[str]:
    """A chart's file, which `save` writes, in the folder `figures`, and its caption; nothing where there is no chart.

    `alt` is what the picture shows, after its title.
    """
    if chart is not None:
        yield f"![{chart.title}{alt}]({figures}/{chart.name}.png)"
        yield ""
        yield chart.caption
        yield ""


def failures(failed: Sequence[str]) -> Iterator[str]:
    """What was not compared, and why; nothing where all was."""
    if failed:
        yield "### Not compared"
        yield ""
        yield from (f"- {line}" for line in failed)
        yield ""


def save(chart: Chart | None, folder: Path) -> list[Path]:
    """Writes the figure, as PNG, and gives where it is; none where there is no chart."""
    from dumbbell.plots import paper  # noqa: PLC0415 (late: matplotlib takes long to load)

    return [] if chart is None else paper.save(chart, folder, ("png",))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
