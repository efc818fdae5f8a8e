"""`dumbbell agree --curves`: single flows on both engines, on the terminal and as a page."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.comparison.record import Condition, Side, Source
    from dumbbell.results.store import Store


def print_curves(  # noqa: PLR0913 (what was measured, and how it is printed)
    store: "Store", conditions: "Sequence[Condition]", pair: "tuple[Side, Side]", source: "Source",
    floor_seeds: "Sequence[int]", *, as_json: bool, html: "Path | None",
) -> bool:  # fmt: skip
    """Prints a comparison, and gives whether every limit holds."""
    from dumbbell.cli.table import aligned
    from dumbbell.studies.single_flows import text
    from dumbbell.studies.single_flows.comparison import judge

    curves = judge(store, conditions, source.sets, pair, floor_seeds)
    if as_json:
        typer.echo(curves.model_dump_json())
    else:
        typer.echo(f"{curves.candidate.engine} over {curves.reference.engine}: {text.origin(curves)}\n")
        typer.echo(f"{aligned(text.header(curves), text.table(curves))}\n")
        typer.echo(text.summary(curves))
        for failure in text.failures(curves):
            typer.echo(f"failed: {failure}", err=True)
    if html is not None:
        from dumbbell.report.curves import build

        typer.echo(build(html, curves), err=True)
    return curves.holds
