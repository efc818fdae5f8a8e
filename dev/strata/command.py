"""`python -m dev strata`: two engines over conditions that are drawn at random."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from dev.conditions import shown
from dev.option import CandidateSeeds, DryRun, Dump, Floor, Seeds, Show
from dev.sides import KnownSides
from dev.strata import conditions, page
from dev.strata.bands import judged_again
from dev.strata.studied import STUDIES, drawn
from dumbbell.cli.agree import DEFAULT_ENGINES, Engines, JsonObject, check, engine_pair, print_failures, print_page
from dumbbell.cli.interruption import store_of
from dumbbell.cli.option import DEFAULT_STORE, Folder, Html, Jobs, Sets
from dumbbell.cli.progress import progress
from dumbbell.comparison.campaigns import compare_engines, points, runs
from dumbbell.comparison.record import Source
from dumbbell.comparison.strata import PLAIN
from dumbbell.comparison.strata import strata as known_strata
from dumbbell.errors import ComparisonError
from dumbbell.metrics.number import counted
from dumbbell.problem import quoted, suggestion
from dumbbell.spec import Experiment, assignment, load

FRESH_SEEDS = 1_000_000


def strata(  # noqa: PLR0913 (each is an option)
    *,
    random: Annotated[int, typer.Option("--random", metavar="N", min=1, help="How many conditions are drawn.")],
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", min=0, help="Seed of the draw; default: a fresh one, which is printed."),
    ] = None,
    stratum: Annotated[
        str, typer.Option("--stratum", metavar="NAME", help="What to draw from, judged by its own bands.")
    ] = PLAIN,
    duration: Annotated[
        str | None,
        typer.Option("--duration", metavar="TIME", help="Duration of a condition; default: the stratum's."),
    ] = None,
    packets: Annotated[
        int | None,
        typer.Option("--packets", metavar="N", min=1, help="Packet limit of a condition; default: the stratum's."),
    ] = None,
    engines: Engines = DEFAULT_ENGINES,
    seeds: Seeds = 3,
    candidate_seeds: CandidateSeeds = None,
    floor: Floor = None,
    sets: Sets = None,
    out: Folder = DEFAULT_STORE,
    as_json: JsonObject = False,
    html: Html = None,
    jobs: Jobs = None,
    dry_run: DryRun = False,
    dump: Dump = None,
    show: Show = None,
) -> None:
    """Compare two engines over random conditions. Exit status 1: they differ by more than a band.

    The same command goes on where it stopped: runs in the store are not repeated.
    """
    source = Source(
        stratum=stratum, random=random, seed=fresh_seed() if seed is None else seed, duration=duration,
        most_packets=packets, sets=tuple(sets or ()),
    )  # fmt: skip
    experiments = drawn_experiments(source, dict(map(assignment, source.sets)))
    sides = KnownSides(*engine_pair(engines), seeds, seeds if floor is None else floor, own=candidate_seeds)
    if shown(experiments, sides, jobs, dry_run=dry_run, dump=dump, show=show, html=html, as_json=as_json):
        if dry_run:
            _print_cost(experiments)
        return
    check(experiments, sides)
    with store_of(out, [pair for each in experiments for pair in sides.campaigns(each)]) as store:
        with progress(runs(experiments, sides), wanted=not (as_json and sys.stdout.isatty())) as advance:
            agreement = compare_engines(store, experiments, sides, source, jobs=jobs, progress=advance)
        agreement = judged_again(agreement)
        print_page(page.page(agreement, store), agreement, html, as_json=as_json)
        print_failures(agreement.conditions)
    if not agreement.holds:
        raise typer.Exit(1)


def fresh_seed() -> int:
    """A seed that nobody knew before; it is printed."""
    seed = secrets.randbelow(FRESH_SEEDS)
    typer.echo(f"conditions of seed {seed}; --seed {seed} draws them again", err=True)
    return seed


def drawn_experiments(source: Source, overrides: Mapping[str, Any]) -> list[Experiment]:
    """What is drawn, with the fields that are set instead.

    Raises:
        ComparisonError: there is no such stratum, or no such conditions of it.
    """
    known, stratum = [*known_strata(), STUDIES], source.stratum or PLAIN
    if stratum not in known:
        raise ComparisonError(f"--stratum: unknown {quoted(stratum)}; {suggestion(stratum, known)}")
    experiments = drawn(
        stratum, source.random or 0, source.seed or 0, duration=source.duration, most_packets=source.most_packets
    )
    return [load(each, overrides=overrides) if overrides else each for each in experiments]


def _print_cost(experiments: list[Experiment]) -> None:
    """An engine's time goes with the packets that it moves."""
    total = sum(map(conditions.packets, experiments))
    count = counted(sum(len(points(each)) for each in experiments), "condition")
    typer.echo(f"{count}, {total / 1e6:.1f} million packets at most with each seed", err=True)
