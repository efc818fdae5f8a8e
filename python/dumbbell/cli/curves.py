"""`dumbbell agree --curves`: single flows on both engines, on the terminal and as a page."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.comparison.record import Condition, Side, Source
    from dumbbell.results.store import Store
    from dumbbell.studies.single_flows.record import Curves


def told(  # noqa: PLR0913 (what was found, and how it is told)
    store: "Store", conditions: "Sequence[Condition]", pair: "tuple[Side, Side]", source: "Source",
    floor_seeds: "Sequence[int]", *, as_json: bool, html: "Path | None",
) -> bool:  # fmt: skip
    """Prints a comparison, and gives whether every limit holds."""
    from dumbbell.studies.single_flows.comparison import judge

    curves = judge(store, conditions, source.sets, pair, floor_seeds)
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
    from dumbbell.cli.table import aligned
    from dumbbell.studies.single_flows import text

    typer.echo(f"{curves.candidate.engine} over {curves.reference.engine}: {text.origin(curves)}")
    typer.echo()
    typer.echo(aligned(text.header(curves), text.table(curves)))
    typer.echo()
    typer.echo(text.summary(curves))
    for line in text.failures(curves):
        typer.echo(f"failed: {line}", err=True)
