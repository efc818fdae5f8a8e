"""`dumbbell agree --curves`: single flows on both engines, on the terminal and as a page."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.agreement.curves.record import Curves
    from dumbbell.agreement.record import Condition, Side, Source
    from dumbbell.results.store import Store


def told(  # noqa: PLR0913 (what was found, and how it is told)
    store: "Store", conditions: "Sequence[Condition]", pair: "tuple[Side, Side]", source: "Source",
    floor_seeds: "Sequence[int]", *, as_json: bool, html: "Path | None",
) -> bool:  # fmt: skip
    """Prints a comparison, and gives whether every limit holds."""
    from dumbbell.agreement.curves.gathering import judged

    curves = judged(store, conditions, source.sets, pair, floor_seeds)
    if as_json:
        typer.echo(curves.model_dump_json())
    else:
        _print(curves)
    if html is not None:
        from dumbbell.cli.writing import writing
        from dumbbell.report.curves import build

        with writing():
            typer.echo(build(html, curves), err=True)
    return curves.holds


def _print(curves: "Curves") -> None:
    from dumbbell.agreement.curves import words
    from dumbbell.cli.table import aligned

    typer.echo(f"{curves.candidate.engine} over {curves.reference.engine}: {words.origin(curves)}")
    typer.echo()
    typer.echo(aligned(words.header(curves), words.table(curves)))
    typer.echo()
    typer.echo(words.summary(curves))
    for line in words.failures(curves):
        typer.echo(f"failed: {line}", err=True)
