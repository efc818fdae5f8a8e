"""`python -m dev curves`: single flows of two engines over one another."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dev.conditions import shown
from dev.curves import judgement, page, text
from dev.curves.record import SPECS, USUAL
from dev.option import CandidateSeeds, DryRun, Dump, Floor, Seeds, Show
from dev.sides import KnownSides
from dumbbell.cli.agree import DEFAULT_ENGINES, Engines, JsonObject, check, engine_pair, print_failures, print_page
from dumbbell.cli.interruption import store_of
from dumbbell.cli.option import DEFAULT_STORE, Folder, Html, Jobs, Sets
from dumbbell.cli.progress import progress
from dumbbell.comparison.campaigns import problems, runs
from dumbbell.problem import quoted, suggestion
from dumbbell.spec import Problem, SpecError, assignment, load


def curves(  # noqa: PLR0913 (each is an option)
    *,
    engines: Engines = DEFAULT_ENGINES,
    seeds: Seeds = 5,
    candidate_seeds: CandidateSeeds = None,
    floor: Floor = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of", metavar="SPEC", help="loss_based, bbr or bbr3, which is beside a kernel that has version 3."
        ),
    ] = None,
    sets: Sets = None,
    out: Folder = DEFAULT_STORE,
    as_json: JsonObject = False,
    html: Html = None,
    jobs: Jobs = None,
    dry_run: DryRun = False,
    dump: Dump = None,
    show: Show = None,
) -> None:
    """Lay loss epochs of two engines over one another, and BBR's phases. Exit status 1: a limit is broken.

    The same command goes on where it stopped: runs in the store are not repeated.
    """
    overrides = dict(map(assignment, sets or ()))
    specs = tuple(of or USUAL)
    if unknown := [name for name in specs if name not in SPECS]:
        raise SpecError([Problem("--of", f"no curves of {quoted(unknown[0])}", suggestion(unknown[0], SPECS))])
    experiments = [load(each, overrides=overrides) for each in judgement.experiments(specs)]
    sides = KnownSides(*engine_pair(engines), seeds, seeds if floor is None else floor, own=candidate_seeds)
    if shown(experiments, sides, jobs, dry_run=dry_run, dump=dump, show=show, html=html, as_json=as_json):
        return
    if all_problems := [*problems(experiments, sides), *judgement.problems(experiments)]:
        raise SpecError(all_problems)
    check(experiments, sides)
    with store_of(out, [pair for each in experiments for pair in sides.campaigns(each)]) as store:
        with progress(runs(experiments, sides), wanted=not (as_json and sys.stdout.isatty())) as advance:
            record = judgement.compare_curves(
                store, experiments, sides, sets or (), specs=specs, jobs=jobs, progress=advance
            )
        print_page(page.page(record), record, html, as_json=as_json)
        print_failures(record.conditions)
    for line in text.without_data(record):
        typer.echo(f"not compared: {line}", err=True)
    if not record.holds:
        raise typer.Exit(1)
