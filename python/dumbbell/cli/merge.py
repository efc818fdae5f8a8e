"""`dumbbell merge`: the runs of several stores in one."""

from pathlib import Path
from typing import Annotated

import typer

from dumbbell.cli.interruption import telling
from dumbbell.cli.option import DEFAULT_STORE, Folder, Json, print_json
from dumbbell.problem import typed

EXAMPLE = "Example: dumbbell merge part-1 part-2 part-3 --out results"


def merge(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE...", help="Folders of stores, which stay as they are.", show_default=False),
    ],
    *,
    out: Folder = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Join the experiments of stores in one: of the parts of `run --part`, of several machines, of other seeds.

    A run that is there already is entered once; one that failed gives way to one that was measured. Stores whose
    engines are of another build for the same spec are refused before anything is written.

    Each thousand runs are in the store as soon as they are entered: the same command goes on where it stopped.
    """
    from dumbbell.cli.progress import progress
    from dumbbell.metrics.number import counted
    from dumbbell.results.merge import merge as merged
    from dumbbell.results.merge import sources

    parts = list(sources(stores, out))
    with (
        telling(lambda: f"finished runs are in {out}; the same command goes on"),
        progress(sum(part.runs for part in parts)) as advance,
    ):
        entered, there = merged(parts, out, lambda runs: advance(runs, runs))
    if as_json:
        print_json({"store": str(out), "sources": list(map(str, stores)), "entered": entered, "there": there})
    before = f" ({there:,} more were there already)" * bool(there)
    runs = f"{counted(entered, 'run')} of {counted(len(parts), 'store')}{before}"
    typer.echo(f"{out}: {runs}; next: dumbbell report {typed(out)}", err=True)
