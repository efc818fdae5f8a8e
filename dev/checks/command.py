"""`python -m dev checks`: experiments whose figures have bars."""

from __future__ import annotations

from typing import Annotated

import typer

from dev.checks import judgement, text
from dev.sides import KnownSides
from dumbbell.cli.agree import DEFAULT_ENGINES, Engines, JsonObject, check, engine_pair, print_failures
from dumbbell.cli.interruption import store_of
from dumbbell.cli.option import DEFAULT_STORE, Folder, Jobs
from dumbbell.cli.progress import progress
from dumbbell.tables import plain_text
from dumbbell.tables.terminal import columns, wrapped

ALL = "all"


def checks(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Checks whose names begin so; default, and all: every check."),
    ] = None,
    *,
    engines: Engines = DEFAULT_ENGINES,
    out: Folder = DEFAULT_STORE,
    as_json: JsonObject = False,
    jobs: Jobs = None,
) -> None:
    """Run built-in checks, each with its own conditions, seeds and bars. Exit status 1: a figure is beyond its bar.

    The same command goes on where it stopped: runs in the store are not repeated.
    """
    chosen = judgement.chosen([] if ALL in (names or ()) else names or ())
    sides = KnownSides(*engine_pair(engines), 1, 0)
    check([each.experiment for each in chosen], sides)
    campaigns = [pair for each in chosen for pair in each.sides(sides).campaigns(each.experiment)]
    with (
        store_of(out, campaigns) as store,
        progress(judgement.count(chosen, sides), wanted=not as_json) as advance,
    ):
        record = judgement.run_checks(store, chosen, sides, jobs=jobs, progress=advance)
    if as_json:
        typer.echo(record.model_dump_json())
    else:
        typer.echo(plain_text.text(text.checks_table(record), columns()))
        typer.echo(f"\n{wrapped(text.summary(record), columns())}")
    print_failures(record.conditions)
    if not record.holds:
        raise typer.Exit(1)
